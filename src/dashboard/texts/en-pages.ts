/** The list of pages, and what is said about a page in it. */
export const pages = {
  title: 'Pages',
  newPage: 'New page',
  loading: 'Loading your pages',
  /** A heading: pages of other owners. */
  sharedWithYou: 'Shared with you',
  /** Where there is no page yet. */
  none: {
    own: 'You have no pages yet',
    start: 'Start from a finished page: its texts can be changed before it goes live.',
    paste: 'Paste or drop HTML',
    title: 'There are no pages yet',
    readOnly: 'You may read only: pages that others publish appear here.',
    guest: 'Pages that others share with your address appear here.',
  },
  search: {
    label: 'Search your pages',
    placeholder: 'Search titles and addresses',
    searching: 'Searching your pages',
    nothing: 'No page is found',
    /** `search`: what was searched for. */
    nothingHas: 'No title and no address has “{search}”.',
    showAll: 'Show all pages',
    found: { one: '{count} page found', other: '{count} pages found' },
  },
  /** A page in the list. What is in `unseen` is read to people who do not see the row. `name`: that of the page. */
  row: {
    /** The button of a menu. */
    more: 'More for {name}',
    /** A verb. */
    open: 'Open page',
    copyAddress: 'Copy address<unseen> of {name}</unseen>',
    /** A verb. */
    rename: 'Rename',
    /** A verb. */
    duplicate: 'Duplicate',
    settings: 'Settings',
    delete: 'Delete',
    leave: 'Leave',
    inTrash: '{name} is in the trash.',
    restored: '{name} is live again.',
    /** How many submissions nobody has read yet. */
    unread: { one: '{count} unread', other: '{count} unread' },
    /** `time`: when something was sent to the page last, such as `5 minutes ago`. */
    last: 'Last: {time}',
    nothingSent: 'Nothing was sent yet',
  },
  /** What is the matter with a page, as short as can be. */
  state: {
    takenDown: 'Taken down',
    /** Of a form: people may send it. */
    open: 'Open',
    closed: 'Closed',
    /** Of a form: all places are taken. */
    full: 'Full',
    notOpenYet: 'Not open yet',
    /** `time`: a day and a time, such as `Mon, Jan 7, 9:00 AM`. */
    opens: 'Opens {time}',
    /** How many places of an event are taken; `count`: how many there are. What is in `unseen` is read to people who do not see the row. */
    places: {
      one: '{taken} of {count}<unseen> place taken</unseen>',
      other: '{taken} of {count}<unseen> places taken</unseen>',
    },
    /** Of a draft. */
    notPublished: 'Not published',
    problems: { one: '{count} problem in its form', other: '{count} problems in its form' },
    failingWebhooks: { one: '{count} webhook failing', other: '{count} webhooks failing' },
  },
  /** The dialogs that give a page, or a copy of it, a name and an address. */
  naming: {
    name: 'Name',
    nameHint: 'Visitors see it in the tab of their browser.',
    enterName: 'Enter a name.',
    address: 'Address',
    enterAddress: 'Enter letters from a to z.',
    oldAddress: 'After a change of the address, the old one leads to the new one for 30 days.',
    renamed: 'The page is called {name}.',
    /** The name of a copy; `name`: that of the page. */
    copyOf: 'Copy of {name}',
    copied:
      'The copy has the content and the settings of the page, and an empty inbox. Recipients confirm their addresses for it. Domains and webhooks stay with the page.',
    copyIsLive: '{name} is live.',
    copyNeedsSecret: '{name} is live. Its captcha needs your secret again: see its settings.',
  },
  /** The steps of making a copy, while they last. */
  copying: {
    readingPage: 'Reading the page…',
    readingFile: 'Reading file {file} of {files}…',
    publishing: 'Publishing the copy…',
    settings: 'Copying the settings…',
  },
  /** Ends what another owner shares with the person. */
  leaving: {
    title: 'Leave this page?',
    button: 'Leave',
    text: 'You no longer see {name} and what is sent to it. Only its owner can invite you again.',
    left: '{name} is no longer shared with you.',
  },
} as const;
