/** What surrounds all views: the bar, what is said about the session and the connection, messages, and the small parts that views share. */
export const bar = {
  /** The links above every view. `{count}`, beside the inbox: how many submissions are unread, such as `3`, or `999+` (a text for every number). */
  nav: {
    /** The name of the links, for screen readers. */
    label: 'Dashboard',
    pages: 'Pages',
    inbox: 'Inbox',
    unread: '{count}<unseen> unread</unseen>',
    statistics: 'Statistics',
    /** What operators of the service see. */
    admin: 'Admin',
    help: 'Help',
    skip: 'Skip to the content',
  },
  /** The menu of the person who is signed in. What is in `<unseen>` is for screen readers only. */
  accountMenu: {
    button: '<unseen>Account menu: </unseen>{email}',
    signedInAs: 'Signed in as {email}',
    account: 'Account',
    trash: 'Trash',
    /** A button. */
    signOut: 'Sign out',
    stillSignedIn: 'You are still signed in: {why}',
  },
  theme: {
    label: 'Dark mode',
    /** `system`: as the system of the computer or phone has it. */
    choices: { system: 'System', light: 'Light', dark: 'Dark' },
  },
  /** Something is wrong with the connection. */
  troubles: {
    offline: 'There is no connection to the service. It is tried again by itself; nothing that you typed is lost.',
    slow: 'The service has not answered yet. It is waited for; nothing that you typed is lost.',
    unavailable: 'The service is busy or starting. It is tried again by itself; nothing that you typed is lost.',
  },
  loadingDashboard: 'Loading the dashboard',
  /** The script of a view is missing. */
  notLoaded: {
    title: 'Not loaded',
    text: 'This view could not be loaded.',
  },
  session: {
    ended: 'Your session has ended',
    signInAgain: 'Sign in again to go on where you were. Nothing that you typed is lost.',
    /** `{other}` and `{email}`: addresses of two people. */
    otherSignedIn:
      '{other} has signed in in another tab. Sign in as {email} to go on where you were, or leave what is here.',
    /** A button. */
    goOnAs: 'Go on as {other}',
    notKept: 'The browser did not keep the session: open the dashboard over https, or at localhost.',
  },
  /** Messages at the bottom of the screen. `{why}`: a sentence. */
  messages: {
    /** A button. */
    undo: 'Undo',
    /** A button that takes the message away. */
    dismiss: 'Dismiss',
    notUndone: 'Not undone: {why}',
    notDeleted: 'Not deleted: {why}',
  },
  copying: {
    copied: 'Copied',
    notAllowed: 'The browser did not allow copying: select the text, and copy it by hand.',
  },
  /** A button, and for screen readers what it is about: `{of}` is a name, or words such as `of the QR code`, after the words on the button. */
  buttonOf: '{label}<unseen> {of}</unseen>',
  /** The heading of a view about one page: `{view}` is `Inbox` or `Settings`, `{page}` the name of the page. */
  viewOfPage: '<unseen>{view}: </unseen>{page}',
  /** What a view of one page has above it. */
  onePage: {
    /** The name of the links to the views, for screen readers. */
    links: 'This page',
    inbox: 'Inbox',
    charts: 'Charts',
    page: 'Page',
    notifications: 'Notifications',
    settings: 'Settings',
    loading: 'Loading the page',
    /** `{notice}`: a sentence of the service, without its full stop. */
    takenDown: '{notice}.',
    takenDownBecause: '{notice}. The operator’s reason: {reason}',
    /** After an address, for screen readers. */
    opensInNewTab: '(opens in a new tab)',
    /** `{page}`: the name of a page. */
    picture: 'Picture of {page}',
  },
  /** A question before something is deleted for good: `{name}` has to be typed. */
  confirm: {
    label: 'Type {name} to confirm',
    wrong: 'Type the name: {name}',
  },
  /** Changes of a view that are not saved yet. */
  unsaved: {
    count: { one: '{count} change', other: '{count} changes' },
    /** A button: forgets the changes. */
    discard: 'Discard',
    /** Beside the heading of a part with such changes. */
    badge: 'Changed',
  },
  /** A time in the past of which only the hour is known: alone, or in a sentence such as `used in the last hour`. */
  inTheLastHour: 'in the last hour',
  /** The name of a log: what was sent by mail. */
  mailLog: 'Mail',
} as const;
