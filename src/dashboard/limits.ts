/* The timeouts and sizes of the dashboard in the browser, with the unit in the name. */

export const DASHBOARD_LIMITS = {
  /** Requests of the dashboard. */
  requests: {
    /** Before the second try. Each later pause is twice as long. */
    firstPauseMs: 500,
    /** The pauses grow no longer, so that a view is there soon after an outage. */
    longestPauseMs: 15_000,
    /** After this time without an answer it is said so. */
    slowMs: 8_000,
    /** After this time what is only read is asked for again; each time it is longer. */
    answerTimeoutMs: 15_000,
    /** The time grows up to this. What takes longer is not waited for. */
    longestAnswerTimeoutMs: 60_000,
    /** How long an answer is waited for: to a sign-in, and whether the service is ready. */
    plainTimeoutMs: 30_000,
    /** How often a script is asked for before the whole page is loaded again: a newer version may have other scripts. */
    scriptTries: 3,
  },
  /** Messages that are shown for a while. */
  notes: {
    /** "Copied": one look is enough. */
    copiedMs: 2_500,
    /** A message. */
    messageMs: 8_000,
    /** A message with a button, which has to be found first. */
    undoMs: 30_000,
    /** How often times such as "5 minutes ago" are told anew. */
    clockMs: 60_000,
  },
  /** The list of pages, and one page. */
  pages: {
    /** Pages of one request. */
    pageSize: 50,
    /** Pages of one request where all of them are read: the most that the API answers. */
    overviewSize: 100,
    /** Deleted pages of one request: the most that the API answers. */
    trashSize: 100,
    /** Versions of one request: the most that the API answers. */
    versions: 100,
    /** A page is checked when nothing was typed for this time. */
    typingMs: 500,
    /** As many lines as are shown: a page of 2 MiB may have two million. */
    shownLines: 5_000,
    /** The characters of a line that are shown: browsers are slow with long ones. */
    lineChars: 2_000,
    /** How long the comparison of two versions may take. */
    compareTimeoutMs: 400,
  },
  /** Charts. */
  statistics: {
    /** Pages that are counted at a time, each with a request, if something was sent to it. */
    pageSize: 25,
    /** Deliveries of one request: the most that the API answers. */
    logPageSize: 100,
    /** The rows that are read of each log. A chart of more would take long. */
    logEntries: 500,
    /** As many days as the service counts at a time. */
    days: 1_000,
    /** Few enough days to be shown by hour. */
    daysByHour: 3,
  },
  /** Logs of webhooks and mails. */
  notifications: {
    /** Deliveries of a page of the log. */
    logPageSize: 20,
    /** How often the log is read again while something in it is about to change. */
    refreshIntervalMs: 3_000,
  },
  /** The account. */
  account: {
    /** Keys or sessions of one request: the most that the API answers. */
    listSize: 100,
  },
  /** The inbox: its list, and the submission that is open. */
  inbox: {
    /** Submissions that are read at a time. */
    pageSize: 50,
    /** So near to the end of the list, more is read. */
    rowsAhead: 10,
    /** The width of a list that is a table, in rem; a narrower one has cards. */
    tableRem: 40,
    /** The width in which a table has two columns of fields, and that of a further one, in rem. */
    twoColumnsRem: 44,
    columnRem: 9,
    /** Rows that columns are made of, where the page has no form. */
    columnRows: 20,
    /** After the last key, before a search begins. */
    typingMs: 250,
    /** The API takes no longer query. */
    queryChars: 200,
    /** Characters of a value that a row shows. */
    lineChars: 160,
    /** Values of one field that a row shows. */
    lineValues: 10,
    /** Characters of the title of a submission in messages. */
    titleChars: 80,
    /** A longer label would take the place of values. */
    labelChars: 60,
    /** Characters of a long text that are shown at first. */
    shownChars: 3_000,
    /** Characters of a long name of a field that are shown. */
    fieldTitleChars: 200,
    /** In so much of a submission is looked for the word that made it spam. */
    searchedChars: 20_000,
    /** Submissions of a page of the spam folder. */
    spamPageSize: 50,
    /** How often new submissions are asked for. */
    refreshMs: 3_000,
    /** How often in a tab that nobody sees. */
    hiddenMs: 60_000,
    /** New submissions are asked for from so long before the newest one on: longer than it takes to store one. */
    overlapMs: 10_000,
    /** Deliveries of each log that are looked through: the most that the API answers. */
    logPageSize: 100,
    /** Larger images of submissions are files without a preview. */
    previewBytes: 10_000_000,
    /** Programs open no longer addresses, such as that of a reply with a quotation. */
    linkChars: 1_900,
    /** Ids of one request; the service takes as many. */
    changedIds: 1_000,
  },
} as const;
