/*
 * Every timeout, interval and size of the service, with its unit in its name and its reason beside it.
 *
 * - `SIZES` are part of the interface: the reference states them, and they are the same in every installation.
 * - `LIMITS` bound what one process spends. `startService` accepts others, which the tests use: a name that ends in
 *   `TimeoutMs` is a deadline, after which work is given up, and the tests lengthen all of these.
 * - `COMMAND_LIMITS` are those of the commands, `DASHBOARD_LIMITS` those of the dashboard in the browser.
 *
 * Settings that an operator may change are in config.ts.
 */

export const SIZES = {} as const;

export const LIMITS = {
  /** The server and its connections. */
  server: {
    /** A client has this long to send all its headers. */
    headersTimeoutMs: 20_000,
  },
  /** Reading requests and writing responses. */
  requests: {},
  /** What one owner may have at work at once, and tries of unknown keys. */
  owners: {},
  /** Lists, search, exports, streams and statistics. */
  reads: {},
  /** Pages in memory. */
  pages: {},
  /** The way of a submission, from its body to its row. */
  submissions: {},
  /** Captchas and the spam folder. */
  spam: {},
  /** The dispatcher, and webhooks. */
  delivery: {},
  mail: {},
  /** Files of submissions, in the database or in a bucket. */
  files: {},
  database: {},
  /** What is removed when its time is over, and how. */
  cleanUp: {},
  /** Worker threads: rendering, checks and labels of pages. */
  compute: {},
};

export const COMMAND_LIMITS = {} as const;

export const DASHBOARD_LIMITS = {} as const;

export type Limits = typeof LIMITS;

export type LimitOverrides = { readonly [Area in keyof Limits]?: Partial<Limits[Area]> };

/** The limits with some replaced. */
export const withLimits = (overrides: LimitOverrides, limits: Limits = LIMITS): Limits => ({
  server: { ...limits.server, ...overrides.server },
  requests: { ...limits.requests, ...overrides.requests },
  owners: { ...limits.owners, ...overrides.owners },
  reads: { ...limits.reads, ...overrides.reads },
  pages: { ...limits.pages, ...overrides.pages },
  submissions: { ...limits.submissions, ...overrides.submissions },
  spam: { ...limits.spam, ...overrides.spam },
  delivery: { ...limits.delivery, ...overrides.delivery },
  mail: { ...limits.mail, ...overrides.mail },
  files: { ...limits.files, ...overrides.files },
  database: { ...limits.database, ...overrides.database },
  cleanUp: { ...limits.cleanUp, ...overrides.cleanUp },
  compute: { ...limits.compute, ...overrides.compute },
});
