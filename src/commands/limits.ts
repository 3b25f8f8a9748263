/* The timeouts and sizes of the commands, with the unit in the name. */

export const COMMAND_LIMITS = {
  /** What the doctor waits for, reads and finds wrong. */
  doctor: {
    /** One check. A whole run is read by a person who waits for it. */
    checkTimeoutMs: 4_500,
    /** A check that does not end at its deadline is given up after this time more. */
    lateFindingMs: 300,
    /** One query of a name server: two of them fit into a check. */
    nameQueryTimeoutMs: 1_500,
    /** A packet can be lost. */
    nameQueryTries: 2,
    /** What is read of an answer: more is no answer of the service. */
    answerBytes: 64 * 1024,
    /** A certificate that ends within this time is a warning: renewal should have happened. */
    certificateDays: 14,
    /** With less free space, and less than the share, a disk is a warning. */
    freeDiskBytes: 1024 ** 3,
    /** A small disk may have less free space, but not less of its whole. */
    freeDiskShare: 0.1,
  },
  /** Lists that commands print. */
  lists: {
    /** Ids of incomplete files that a message names: it stays readable. */
    incompleteIds: 5,
    /** Deployments of one request: the most that the API answers. */
    pageSize: 100,
    /** Submissions of one request of a search: the most that the API answers. */
    searchPageSize: 100,
  },
  /** Taking a page down. */
  takeDown: {
    /** The reason is in a row that is read for each submission. */
    reasonChars: 1_000,
  },
  /** Moving the content of files. */
  files: {
    /** Files that are moved at a time. More would take connections of the service. */
    concurrentMoves: 4,
    /** How often a person is told of the progress. */
    progressIntervalMs: 10_000,
  },
  /** Requests of commands to the service. */
  requests: {
    /** The whole of an answer that is not a stream. */
    answerTimeoutMs: 120_000,
    /** Until an answer begins. */
    beginTimeoutMs: 60_000,
    /** Before the second try. Each later pause is twice as long. */
    firstPauseMs: 500,
    /** The pauses grow no longer, so that a command goes on soon after an outage. */
    longestPauseMs: 15_000,
    /** Tries in a row of a search that bring nothing new. */
    searchTries: 6,
  },
  /** `deploy --watch`. */
  deploy: {
    /** Editors write a file in several steps. */
    settleMs: 150,
  },
  /** Exports, which go on after a lost connection. */
  exports: {
    /** Tries in a row that bring nothing new. */
    tries: 6,
    /** The service reads all submissions for their columns before the first byte of CSV. */
    idleTimeoutMs: 120_000,
  },
  /** Printing submissions as they come. */
  tail: {
    /** The service writes a comment line every few seconds. */
    idleTimeoutMs: 45_000,
    /** Before a stream that the service has ended is opened again. */
    reopenMs: 500,
  },
  /** A sample submission to a webhook. */
  webhookTest: {
    /** How long the first attempt is waited for. */
    attemptTimeoutMs: 20_000,
    /** How often the command looks for it. */
    pollMs: 250,
  },
} as const;
