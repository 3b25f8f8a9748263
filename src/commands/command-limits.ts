/** The limits of commands that tests replace. */
export const COMMAND_LIMITS = {
  /** Items of one request for a list, or of a search: the most that the API answers. */
  pageSize: 100,
  /** Before the second try of a request. Each later pause is twice as long. */
  firstPauseMs: 500,
  /** After each such time, an import says that it goes on. */
  importNoticeMs: 10_000,
};
