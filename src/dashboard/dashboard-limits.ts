/* The timeouts and sizes of the dashboard in the browser, with the unit in the name. */

/** Items of one request: the most that the API answers. */
export const MAX_LIMIT = 100;

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
    /** The time grows up to this. A longer time is not waited for. */
    longestAnswerTimeoutMs: 60_000,
    /** How long an answer is waited for: to a sign-in, and whether the service is ready. */
    plainTimeoutMs: 30_000,
  },
  /** Signing in. */
  signIn: {
    /** How long the address is remembered where somebody asked for a link: as long as the link works. */
    returnMs: 15 * 60_000,
    /** How long a window has had the focus before a program can be allowed in it: longer than between the clicks of a double click. */
    attentionMs: 700,
  },
  /** Logs of webhooks and mails. */
  notifications: {
    /** Deliveries of a page of the log. */
    logPageSize: 20,
    /** How often a log that is open is read again. */
    refreshIntervalMs: 3_000,
  },
  /** The domains of a page. */
  domains: {
    /** How often domains that wait for DNS are checked. The API makes ten checks a minute: four are left for the button. */
    checkIntervalMs: 10_000,
  },
  /** The number of unread submissions in the bar. */
  unread: {
    /** How often it is read again, where no view has done it. */
    refreshMs: 60_000,
    /** After a navigation, it is not read again before this time. */
    pauseMs: 5_000,
  },
  /** The guests and the shares of a page. */
  people: {
    /** Guests, or shares, of one request: as many as a page may have. */
    listSize: 50,
  },
  /** The account. */
  account: {
    /** Keys or sessions of one request: the most that the API answers. */
    listSize: 100,
    /** Sessions that are read. */
    readSessions: 1_000,
    /** Sessions that are shown at first. */
    shownSessions: 5,
    /** Entries of the audit that are read at a time. */
    auditSize: 20,
  },
  /** The views of operators. */
  admin: {
    /** Items that are read at a time. */
    listSize: 50,
    /** Characters of the reason for taking a page down: the most that the API stores. */
    reasonChars: 1_000,
  },
  /** Changes that are made in another tab. */
  otherTabs: {
    /** After the first of several, before what is shown is read again. */
    pauseMs: 300,
  },
  /** The editor of a page. */
  editor: {
    /** After the last change, before the draft is stored. */
    draftMs: 1_000,
    /** A longer page is edited as code only. */
    maxInPlaceChars: 500_000,
    /** A site with more style sheets, or longer ones in all, is shown with the drafts of those alone that its page links. */
    maxSheets: 50,
    maxSheetBytes: 2_000_000,
    /** Files of a site that are read at a time, for a preview of it. */
    filesAtOnce: 6,
  },
  /** Deletions that wait for the end of their message. */
  deletions: {
    /** After a reload those that were not answered are sent again, but not when a closed tab is opened again later. */
    resentMs: 60_000,
  },
  /** The inbox: its list, and the submission that is open. */
  inbox: {
    /** Submissions that are read at a time. */
    pageSize: 50,
    /** Where all are read, so many are shown at a time. */
    shownAtOnce: 1_000,
    /** So many of the newest are read again after a change in another tab. */
    rereadRows: 200,
    /** So near to the end of the list, more is read. */
    rowsAhead: 10,
    /** Rows whose texts decide which column is wide. */
    columnRows: 20,
    /** Columns that have room on a desktop. */
    maxColumns: 8,
    /** After the last key, before a search begins. */
    typingMs: 250,
    /** The API takes no longer query. */
    queryChars: 200,
    /** Characters of a value, a label or a title that are shown on a line. */
    lineChars: 160,
    /** In so much of a submission is looked for the word that made it spam. */
    searchedChars: 20_000,
    /** Submissions of a page of the spam folder, or of the trash. */
    keptPageSize: 50,
    /** A search in one of these folders looks at so many: as many as the spam folder keeps. */
    searchedKept: 1_000,
    /** How often new submissions are asked for. */
    refreshMs: 3_000,
    /** New submissions are asked for from so long before the newest one on: longer than it takes to store one. */
    overlapMs: 10_000,
    /** Deliveries of each log that are looked through: the most that the API answers. */
    logPageSize: 100,
    /** Larger images of submissions are files without a preview. */
    previewBytes: 10_000_000,
    /** Programs open no longer addresses, such as that of a reply with a quotation. */
    linkChars: 1_900,
    /** Removals of more submissions are asked about, and not undone: each takes a request. */
    undoneSubmissions: 100,
    /** Characters of a note: the most that the API stores. */
    noteChars: 2_000,
    /** After the last key, before a note is stored. */
    noteMs: 800,
    /** Ids of one request; the service takes as many. */
    changedIds: 1_000,
  },
} as const;
