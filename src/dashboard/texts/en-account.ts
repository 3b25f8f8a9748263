/** The account of the person, and what others of its parts are used for elsewhere: keys, secrets, the audit, and what a person may not do. */
export const account = {
  title: 'Account',
  loading: 'Loading your account',
  address: {
    title: 'E-mail address',
    label: 'New address',
    wrong: 'Enter an address such as ada@example.org.',
    change: 'Change the address',
    /** The name of the field in sentences about it, such as `The address is too long.` */
    name: 'The address',
    done: 'A mail is on its way to the new address: open its link within 24 hours.',
  },
  timeZone: {
    title: 'Time zone',
    hint: 'Of the times in mails and in settings, and of those that visitors read. The first browser that you sign in with has set it; choose another here.',
    /** A time zone. */
    label: 'Zone',
    /** `zone`: the name of a time zone, which is the one of this browser. */
    ofBrowser: '{zone} (this browser)',
  },
  language: {
    title: 'Language',
    hint: 'Of this dashboard, in this browser. Pages that visitors see have a language of their own.',
    /** The language that the browser asks for. */
    asBrowser: 'As the browser',
    change: 'Change the language',
  },
  plan: {
    title: 'Plan',
    hint: 'Storage is for pages, their versions, files, the trash and spam.',
    plan: 'Plan',
    pages: 'Pages',
    /** `used`: a number; `count`: how many pages the plan allows. */
    pagesOf: { one: '{used} of {count} page', other: '{used} of {count} pages' },
    pagesUsed: 'Pages used',
    storage: 'Storage',
    /** Two sizes, such as `2 MB` and `1 GB`. */
    storageOf: '{used} of {all}',
    storageUsed: 'Storage used',
    /** Of the service. */
    version: 'Version',
  },
  /** Keys of the API. */
  keys: {
    title: 'Keys',
    hint: 'For the API, the command line, and for signing in here.',
    loading: 'Loading your keys',
    none: 'There is no key yet: programs and the command line need one.',
    name: 'Name',
    /** What a key may do. */
    scope: 'What it may do',
    scopes: { full: 'Everything', read: 'Read only', publish: 'Publish pages only' },
    /** When the key ends: `Never`, `In 30 days`. */
    expires: 'Expires',
    /** Which pages the key is for: `All`, `Some`. */
    pages: 'Pages',
    allPages: 'All',
    somePages: 'Some',
    create: 'Create a key',
    made: 'Your new key',
    copyNow: 'Copy it now: it is shown this once, and only its hash is stored.',
    unnamed: 'Without a name',
    /** Of a key: it is for these pages and no others. */
    pagesOnly: { one: '{count} page only', other: '{count} pages only' },
    /** After the beginning of the key. The places are times such as `5 minutes ago`, or `in 30 days`. */
    used: 'created {created}, last used {used}',
    usedAndExpires: 'created {created}, last used {used}, expires {expires}',
    neverUsed: 'created {created}, never used',
    neverUsedAndExpires: 'created {created}, never used, expires {expires}',
    revoke: 'Revoke',
    revokeTitle: 'Revoke this key?',
    /** `key`: its name. */
    revokeText:
      'Programs that use {key} are refused from now on. Browsers that signed in with it are signed out, and so is this one if it did.',
    revokeUnnamedText:
      'Programs that use this key are refused from now on. Browsers that signed in with it are signed out, and so is this one if it did.',
    revoked: 'The key is revoked.',
  },
  /** When something ends by itself, by the number of days. */
  lifetimes: { never: 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' },
  /** The choice of some of the owner's pages. */
  whichPages: 'Which pages',
  /** A dialog that shows a secret, such as a key, once. */
  shownOnce: {
    copy: 'Copy',
    /** A button that closes the dialog: the person has copied the secret. */
    close: 'I have it',
  },
  /** Programs that may act for the person. */
  programs: {
    title: 'Programs',
    hint: 'Agents and other programs that you have allowed to act for you, without a key. Each ends 90 days after its last use.',
    loading: 'Loading your programs',
    none: 'You have allowed none.',
    /** What a program may do, in `line`. */
    scopes: { full: 'may do everything', read: 'may read only', publish: 'may publish only' },
    allPages: 'all pages',
    /** `scope`: one of the texts above; `pages`: such as `all pages` or `3 pages`; `allowed`, `used`: times such as `5 minutes ago`, or `in the last hour`. */
    line: '{host}, {scope}, {pages}; allowed {allowed}, used {used}',
    /** A verb: the program may no longer act. */
    end: 'End',
    /** `program`: its name. */
    ended: '{program} may do nothing any more.',
  },
  /** The browsers that are signed in. */
  sessions: {
    title: 'Sessions',
    hint: 'A browser stays signed in for 30 days after its last use.',
    loading: 'Loading your sessions',
    /** Where its name is not known. */
    someBrowser: 'A browser',
    thisBrowser: 'This browser',
    /** Of a browser: times such as `in the last hour` and `5 minutes ago`. */
    line: 'Used {used}, signed in {signedIn}',
    /** A verb. `browser`: such as `Firefox, Linux`. What is in `unseen` is read to people who do not see the row. */
    end: 'End<unseen> the session of {browser}</unseen>',
    ended: 'The session has ended.',
    /** More than one. */
    showAll: {
      one: 'Show all {count}<unseen> sessions</unseen>',
      other: 'Show all {count}<unseen> sessions</unseen>',
    },
    endOthers: 'End all others',
    endOthersTitle: 'End all other sessions?',
    endOthersText: {
      one: '{count} other browser is signed out. This one and your keys stay as they are.',
      other: '{count} other browsers are signed out. This one and your keys stay as they are.',
    },
    othersEnded: 'All other sessions have ended.',
    endAll: 'End all sessions',
    endAllTitle: 'End all sessions?',
    /** The button of the dialog. */
    endAllButton: 'End all',
    endAllText: 'You are signed out in this browser and in all others. Keys stay as they are.',
  },
  /** Who has done what, and when. */
  audit: {
    title: 'Audit',
    hint: 'Who has changed your account and your pages.',
    loading: 'Loading the audit',
    none: 'Nothing has been changed yet.',
    /** What somebody has done. What it was done to follows. */
    actions: {
      'sign-in': 'Signed in',
      'session.end': 'Ended a session',
      'key.create': 'Created a key',
      'key.revoke': 'Revoked a key',
      'grant.create': 'Allowed a program',
      'grant.revoke': 'Ended a program',
      'account.change': 'Changed the account',
      'page.publish': 'Published a page',
      'page.preview': 'Made a preview of a page',
      'page.claim': 'Claimed a page',
      'page.delete': 'Deleted a page',
      'page.undelete': 'Restored a deleted page',
      'page.purge': 'Deleted a page for good',
      'settings.change': 'Changed the settings of a page',
      'domain.add': 'Added a domain',
      'domain.remove': 'Removed a domain',
      'guest.add': 'Invited a guest',
      'guest.change': 'Changed what a guest may do',
      'guest.remove': 'Removed a guest',
      'share.create': 'Shared an inbox by a link',
      'share.delete': 'Ended a shared link',
      'webhook.create': 'Added a webhook',
      'webhook.change': 'Changed a webhook',
      'webhook.delete': 'Removed a webhook',
      'feed.create': 'Made an address for a spreadsheet',
      'feed.change': 'Changed the address for a spreadsheet',
      'feed.delete': 'Ended an address for a spreadsheet',
      'submission.delete': 'Deleted submissions',
      'submission.restore': 'Restored submissions',
      'submission.erase': 'Erased submissions',
      'submission.export': 'Exported submissions',
      'submission.import': 'Imported submissions',
      'page.take-down': 'Took a page down',
      'page.restore': 'Put a page up again',
      'owner.suspend': 'Suspended an owner',
      'owner.resume': 'Ended the suspension of an owner',
      'owner.delete': 'Deleted an owner',
      'owner.plan': 'Changed the plan of an owner',
    },
    /** Who has done it, and how. `actor`: an e-mail address, or `The operator`. */
    ways: {
      key: '{actor} with a key',
      session: '{actor} in a browser',
      grant: '{actor} through a program',
      command: '{actor} by a command',
    },
    /** In place of an address, above: who runs the service. */
    operator: 'The operator',
    /** `who`: who has done it and how, as above; `time`: such as `5 minutes ago`. */
    line: '{who}, {time}',
    /** `ip`: the address in the network that it was done from. */
    lineWithAddress: '{who}, {time}, from {ip}',
  },
  noMail: 'Nothing is mailed: the operator of this service has not set up mail.',
  /** `email`: the address of the person; `a`: a link. */
  noAddress: 'No mail reaches {email}. <a>Enter your address</a> first.',
  /** Why a person may not use a view. */
  mayNot: {
    readOnly: 'You may only read here: sign in with a key that may change things.',
    guest: 'You are a guest here, and have no account: ask the operator of this service for one.',
    guestOfPage: 'You are a guest of this page. Ask its owner for more than you may do now.',
  },
} as const;
