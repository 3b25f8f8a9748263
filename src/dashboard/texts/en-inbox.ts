/** The inbox of a page or of all pages, with its folders for spam and for what was deleted; and the trash of pages. */
export const inbox = {
  /** The heading of the view. */
  title: 'Inbox',
  loading: 'Loading the inbox',
  loadingMore: 'Loading more…',
  /** Says why a change was not stored. */
  notSaved: 'Not saved: {why}',
  /** Said to people who do not see the list. */
  arrived: { one: '{count} new submission', other: '{count} new submissions' },
  turnedAway: {
    one: 'About {count} visitor could not send in the last 7 days, because many sent within a minute.',
    other: 'About {count} visitors could not send in the last 7 days, because many sent within a minute.',
  },
  /** A link to the setting that says how many submissions a minute are accepted. */
  acceptMore: 'Accept more a minute',

  /** Why the list is empty, and the next step. */
  empty: {
    unread: 'Nothing is unread',
    unreadHint: 'You have opened everything that was sent.',
    starred: 'Nothing has a star',
    starredHint: 'Give a star to what you want to find again.',
    notFound: 'Nothing was found',
    notFoundHint: 'No submission matches.',
    showAll: 'Show all submissions',
    atFirst: 'Nothing was sent yet',
    atFirstOnPage: 'Each submission of the form of this page appears here when it is sent.',
    atFirstOnAll: 'Each submission of your forms appears here when it is sent.',
    openPage: 'Open the page',
    /** A link to the list of pages. */
    yourPages: 'Your pages',
    notify: 'Get a mail about each submission',
    importEarlier: 'Import earlier submissions',
    formElsewhere: 'My form is on another site',
  },

  /** The parts of the inbox: places, not actions. */
  folders: {
    label: 'Folders',
    more: 'More folders',
    inbox: 'Inbox',
    unread: 'Unread',
    /** The submissions with a star. */
    starred: 'Starred',
    spam: 'Spam',
    /** The submissions that are not done yet. */
    toDo: 'To do',
    done: 'Done',
    trash: 'Trash',
  },

  /** The search and the menus above the list. */
  toolbar: {
    /** A verb: the label of the field for the search. */
    search: 'Search',
    /** What the field says while it is empty. */
    searchAll: { one: 'Search {count} submission', other: 'Search {count} submissions' },
    found: { one: '{count} found', other: '{count} found' },
    /** While the search goes on. `{searched}` of `{total}` submissions have been looked at. */
    foundSoFar: {
      one: '{count} found, {searched} of {total} searched',
      other: '{count} found, {searched} of {total} searched',
    },
    /** Ends the search. */
    clear: 'Clear',
    /** The help about keys of the keyboard. */
    shortcuts: 'Shortcuts',
    /** A menu that chooses the form whose submissions are shown. */
    forms: 'Forms',
    allForms: 'All forms',
  },

  /** A menu that chooses the days of the submissions that are shown. */
  dates: {
    menu: 'Dates',
    today: 'Today',
    last7Days: 'Last 7 days',
    last30Days: 'Last 30 days',
    thisMonth: 'This month',
    /** The label of a field for the first day. */
    first: 'From',
    /** The label of a field for the last day. */
    last: 'To',
    all: 'All dates',
    /** What is chosen; the places are days such as `Jan 31`. */
    between: '{from} – {to}',
    since: 'From {day}',
    until: 'Until {day}',
  },

  /** Files with submissions. */
  exporting: {
    /** The name of the menu. */
    menu: 'Export',
    matching: 'All submissions that match',
    all: 'All submissions',
    page: 'Page',
    csv: 'Export CSV',
    excel: 'Export Excel',
    /** The name of the file with the submissions that are selected, without its ending. `{page}`: the address of the page. */
    fileOfPage: '{page}-selection-{day}',
    fileOfAll: 'inbox-selection-{day}',
  },

  /** The columns of the list, and a menu that chooses them. */
  columns: {
    menu: 'Columns',
    empty: 'Empty in all submissions',
    most: { one: 'No more than {count} column fits.', other: 'No more than {count} columns fit.' },
    byThemselves: 'Choose them for me',
    /** The headings of columns. */
    submission: 'Submission',
    page: 'Page',
    summary: 'Summary',
    form: 'Form',
    star: 'Star',
    moreFields: 'More fields',
    /** When the submission was received. */
    received: 'Received',
    fieldWithoutName: 'Field without a name',
  },

  /** The totals of number fields, at the end of the list. */
  sums: {
    label: 'Sums',
    /** Of all submissions of the list. */
    sum: 'Sum',
    ofNewest: { one: 'Sum of the newest {count}', other: 'Sum of the newest {count}' },
    /** A button that reads the other submissions too. */
    ofAll: 'Sum of all',
  },

  /** The rows of the list. `{title}`: the first text of a submission. */
  rows: {
    label: 'Submissions',
    /** A title of a submission that was sent to test the form. */
    test: 'Test',
    /** A title of a submission without texts. */
    empty: 'Empty submission',
    /** Stand before a title for people who do not see the list. */
    unread: 'Unread:',
    done: 'Done:',
    /** Stands after a title for people who do not see the list. */
    withNote: '(with a note)',
    starred: 'Starred: {title}',
    /** A verb: gives it a star. */
    star: 'Star {title}',
    select: 'Select {title}',
    selectLoaded: 'Select all that are loaded',
    /** Fields that have no column. */
    otherFields: { one: '{count} more field', other: '{count} more fields' },
  },

  /** What a submission is, beside its title. */
  marks: {
    unread: 'Unread',
    test: 'Test',
    /** Nothing is left to do about it. */
    done: 'Done',
  },

  /** What can be done with submissions: the texts of buttons. */
  actions: {
    markRead: 'Mark read',
    markUnread: 'Mark unread',
    /** A verb: gives a star. */
    star: 'Star',
    removeStar: 'Remove star',
    /** Moves to the folder for spam. */
    spam: 'Spam',
    delete: 'Delete',
    /** Says that nothing is left to do about it. */
    done: 'Done',
    /** Says that there is something to do about it again. */
    reopen: 'Open again',
    /** A menu with further actions. */
    more: 'More',
    restore: 'Restore',
    deleteForGood: 'Delete for good',
    notSpam: 'Not spam',
    reply: 'Reply',
    copy: 'Copy as text',
    print: 'Print',
  },

  /** The bar for the submissions that are selected. */
  selection: {
    label: 'Selection',
    none: 'Select none',
    selected: {
      some: { one: '{count} submission selected', other: '{count} submissions selected' },
      matching: 'all submissions that match selected',
      all: { one: 'all {count} submission selected', other: 'all {count} submissions selected' },
    },
    /** A button that selects more than what is loaded. */
    select: {
      some: { one: 'Select {count} submission', other: 'Select {count} submissions' },
      matching: 'Select all submissions that match',
      all: { one: 'Select all {count} submission', other: 'Select all {count} submissions' },
    },
  },

  /** The questions before a change of many submissions. */
  questions: {
    delete: {
      some: { one: 'Delete {count} submission?', other: 'Delete {count} submissions?' },
      matching: 'Delete all submissions that match?',
      all: { one: 'Delete all {count} submission?', other: 'Delete all {count} submissions?' },
    },
    deleteText: 'They stay in the trash for 7 days. You can restore them there, one by one.',
    spam: {
      some: { one: 'Move {count} submission to spam?', other: 'Move {count} submissions to spam?' },
      matching: 'Move all submissions that match to spam?',
      all: { one: 'Move all {count} submission to spam?', other: 'Move all {count} submissions to spam?' },
    },
    spamText: 'They stay in the spam folder for 30 days, which keeps the last 1,000.',
    spamButton: 'Move to spam',
  },

  /** What has become of submissions. `Before` stands after an error: so many were changed before it. `{why}`: a sentence. */
  outcomes: {
    deleted: { one: '{count} submission deleted.', other: '{count} submissions deleted.' },
    deletedSoFar: { one: '{count} submission deleted…', other: '{count} submissions deleted…' },
    deletedBefore: {
      one: '{why} {count} submission deleted before.',
      other: '{why} {count} submissions deleted before.',
    },
    changed: { one: '{count} submission changed.', other: '{count} submissions changed.' },
    changedSoFar: { one: '{count} submission changed…', other: '{count} submissions changed…' },
    changedBefore: {
      one: '{why} {count} submission changed before.',
      other: '{why} {count} submissions changed before.',
    },
    movedToSpam: { one: '{count} submission moved to spam.', other: '{count} submissions moved to spam.' },
    released: { one: '{count} submission in the inbox now.', other: '{count} submissions in the inbox now.' },
    releasedBefore: {
      one: '{why} {count} submission in the inbox now before.',
      other: '{why} {count} submissions in the inbox now before.',
    },
    restored: { one: '{count} submission in the inbox again.', other: '{count} submissions in the inbox again.' },
    restoredBefore: {
      one: '{why} {count} submission in the inbox again before.',
      other: '{why} {count} submissions in the inbox again before.',
    },
    purged: { one: '{count} submission deleted for good.', other: '{count} submissions deleted for good.' },
    purgedBefore: {
      one: '{why} {count} submission deleted for good before.',
      other: '{why} {count} submissions deleted for good before.',
    },
  },

  /** A submission that is open. */
  detail: {
    label: 'Submission',
    loading: 'Loading the submission',
    gone: 'This submission is not there',
    goneHint: 'It was deleted, or it is kept as spam.',
    back: 'Back to the list',
    /** The submission that came after this one, or before it. */
    newer: 'Newer',
    older: 'Older',
    /** Stands for the name of a page that is not known, such as in the subject of a reply. */
    yourMessage: 'Your message',
    form: 'Form: {form}',
    copied: 'Copied as text.',
    notCopied: 'The browser did not allow copying: select the text, and copy it by hand.',
    /** The first line of a submission that is copied as text. */
    copiedHead: '{page}, {time}',
    note: 'Note',
    notePlaceholder: 'Visitors never see it',
    noteTooLong: { one: 'A note has at most {count} character.', other: 'A note has at most {count} characters.' },
    noFields: 'It was sent without fields.',
    /** A field without a value. */
    emptyField: 'Empty',
    fileWithoutName: 'File without a name',
    /** `{address}`: the IP address that has sent it. */
    from: 'From {address}',
    /** The version of the page. */
    version: 'Version {version}',
    /** A part that is folded, with facts about the service. */
    details: 'Details',
    failed: { one: '{count} delivery failed', other: '{count} deliveries failed' },
    /** The mails and webhooks that a submission has caused. */
    deliveries: 'Deliveries',
    loadingDeliveries: 'Loading the deliveries',
    noDeliveries: {
      one: 'The last delivery is not of this submission.',
      other: 'None of the last {count} deliveries is of this submission.',
    },
    allDeliveries: 'All deliveries',
  },

  /** What the keys of the keyboard do. */
  shortcuts: {
    title: 'Keyboard shortcuts',
    next: 'Next, older submission',
    previous: 'Previous, newer submission',
    /** A verb. */
    open: 'Open',
    back: 'Back to the list, or select none',
    readOrUnread: 'Mark as read or unread',
    /** A verb: gives a star. */
    star: 'Star',
    doneOrOpen: 'Done, or open again',
    select: 'Select',
    delete: 'Delete',
    undo: 'Undo',
    search: 'Search',
    help: 'This help',
    use: 'Use shortcuts of one key',
    close: 'Close',
  },

  /** The folders that are kept apart from the inbox. */
  kept: {
    searching: 'Searching',
    found: { one: '{count} submission found', other: '{count} submissions found' },
    notFoundHint: 'No submission in this folder matches.',
  },

  /** The folder for spam. */
  spam: {
    loading: 'Loading the spam',
    search: 'Search spam',
    empty: 'There is no spam',
    emptyHint: 'Submissions with a blocked word, or without a solved captcha, wait here for 30 days.',
    /** A link to the settings: words that are blocked. */
    setUp: 'Set up words and a captcha',
    /** Why a submission is spam. */
    reasons: {
      blocklist: 'Has a blocked word',
      honeypot: 'Filled in a field that people do not see',
      'captcha-missing': 'Without a captcha',
      'captcha-failed': 'Wrong captcha',
      'captcha-reused': 'Captcha used before',
      'captcha-misconfigured': 'The captcha’s secret is wrong',
      'captcha-unavailable': 'The captcha gave no answer',
      marked: 'Marked by you',
    },
    /** The words for which it was blocked. */
    blocked: 'Blocked: {words}',
    deleteTitle: { one: 'Delete {count} submission?', other: 'Delete {count} submissions?' },
    deleteText: 'Spam does not go to the trash. Nobody can restore it afterwards.',
    deleteAll: 'Delete all spam',
    deleteAllTitle: 'Delete all spam?',
    deleteAllButton: 'Delete all',
    deleteAllText: {
      one: '{count} submission and their files are deleted.',
      other: '{count} submissions and their files are deleted.',
    },
    deleteAllForGood: {
      one: '{count} submission and their files are deleted for good. Nobody can restore them afterwards.',
      other: '{count} submissions and their files are deleted for good. Nobody can restore them afterwards.',
    },
    deletedAll: 'The spam is deleted.',
  },

  /** The folder for submissions that were deleted. */
  deleted: {
    loading: 'Loading the trash',
    search: 'Search trash',
    empty: 'The trash is empty',
    emptyHint: 'Submissions that you delete stay here for 7 days. You can restore them until then.',
    /** The places are times such as `5 minutes ago`, or dates. */
    times: 'Deleted {deletedAt}, received {receivedAt}',
    purgeTitle: { one: 'Delete {count} submission for good?', other: 'Delete {count} submissions for good?' },
    purgeText: 'Files are deleted too. Nobody can restore anything afterwards.',
  },

  /** The pages that were deleted. `{page}`: the title of a page. */
  trash: {
    title: 'Trash',
    loading: 'Loading the trash',
    empty: 'The trash is empty',
    emptyHint:
      'Pages that you delete stay here for 30 days, if the operator has chosen no other time. You can restore them until then.',
    /** `{submissions}`: their number, such as `3 submissions`. `{deletedAt}`: a time such as `5 minutes ago`, or a date. */
    facts: '{submissions}, deleted {deletedAt}',
    restore: 'Restore',
    restored: '{page} is live again.',
    taken: 'This address is taken',
    takenText: 'Another page has the address {address} now. Choose one to restore this page with.',
    newAddress: 'New address',
    restoreIt: 'Restore it',
    purge: 'Delete for good',
    purgeTitle: 'Delete for good?',
    purgeText: {
      one: 'The page, its {count} submission and their files are deleted. Nobody can restore them afterwards.',
      other: 'The page, its {count} submissions and their files are deleted. Nobody can restore them afterwards.',
    },
    purged: '{page} is gone for good.',
  },
} as const;
