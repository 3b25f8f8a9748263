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

export const SIZES = {
  /** Bodies of requests. */
  body: {
    /** A body up to this size is not counted, and never refused because of others. */
    smallBytes: 64 * 1024,
    /** A larger body of which fewer bytes arrive in this time is refused: a few slow clients could use up the memory for hours. */
    paceMs: 30_000,
    paceBytes: 256 * 1024,
    /** Enough for a body with settings and no page. */
    settingsBytes: 256 * 1024,
  },
  /** Lists, a page at a time. */
  list: {
    defaultLimit: 50,
    /** A higher limit counts as this one. */
    maxLimit: 100,
    /** Of a page, or of a limit: what an integer of Postgres holds. */
    maxNumber: 2 ** 31 - 1,
  },
  /** Unknown keys that one network may try in a time, in all processes together. */
  unknownKeys: {
    maxTries: 300,
    windowSeconds: 60,
  },
  /** Tools for agents. */
  mcp: {
    /**
     * A longer answer is refused: no model reads as much, and each answer is in memory three times while it is written. A
     * submission of the default limit fits, however it is escaped.
     */
    maxAnswerChars: 2 * 1024 * 1024,
    /** wait_for_submission waits as long when the agent does not say: less than clients wait for an answer. */
    waitSeconds: 20,
  },
  /** What a 503 says in Retry-After. */
  retryAfter: {
    /** Most reasons pass within seconds. */
    busyMs: 2_000,
    /** The owner's own requests end sooner. */
    ownerBusyMs: 1_000,
    /** A bucket that fails is often out of reach for longer than a database. */
    filesMs: 5_000,
  },
  /** Headers of requests. */
  internalHeaders: {
    /** Of an Accept, Accept-Encoding or Accept-Language that is read. Browsers send at most a third of that. */
    acceptChars: 1_000,
    /** Values of Accept-Encoding whose choice is remembered: clients send only a few different ones, which are short. */
    rememberedEncodings: 1_000,
    rememberedEncodingChars: 200,
    /** Of a host and its port. No domain name is longer than 253 (RFC 1035). */
    authorityChars: 260,
    /** Of a Content-Type that is read. A boundary has at most 70. */
    contentTypeChars: 1_000,
    /** Only the nearest proxies are read: each costs as much as a request, and no real chain is longer. */
    proxies: 100,
    /** Of an address with its zone (the name of an interface), brackets and port. */
    addressChars: 100,
  },
  /** Writing answers. */
  internalAnswers: {
    /** An answer up to this size is sent as a whole, and not counted. */
    smallBytes: 64 * 1024,
    /** A large answer is written in slices: other work runs between them, and the reader's pace can be measured. */
    sliceBytes: 128 * 1024,
    /** A shorter answer is not compressed: it fits into one packet. */
    minCompressedBytes: 1_024,
    /** Memory that the encoder of a stream uses, at most: measured. */
    encoderBytes: 1024 * 1024,
    /** An encoder is given as much at a time: what it makes of it is in memory. */
    encoderSliceBytes: 64 * 1024,
  },
  /** Pages, as they are stored and kept in memory. */
  internalPages: {
    /**
     * A larger page is rendered, hashed and compressed in a thread, one of each owner at a time. For a smaller one the
     * transfer would take as long.
     */
    largeBytes: 64 * 1024,
    /** A larger body is compressed on libuv's threads. To compress this one takes a third of a millisecond. */
    syncCompressedBytes: 16 * 1024,
    /** Memory of a page in an encoding, apart from its body. */
    entryBytes: 1_024,
  },
} as const;

export const LIMITS = {
  /** The server and its connections. */
  server: {
    /** A client has this long to send all its headers. */
    headersTimeoutMs: 20_000,
    /** How often node:http looks for clients whose headers take too long. */
    headersCheckIntervalMs: 2_000,
    /** A connection on which no byte moves during a request or an answer is closed. */
    progressTimeoutMs: 20_000,
    /**
     * A client that reads fewer bytes of an answer in this time is disconnected: slow readers could keep their answers in
     * memory for hours.
     */
    readingPaceMs: 30_000,
    readingPaceBytes: 128 * 1024,
    readingPaceCheckIntervalMs: 5_000,
    /** Further connections are closed at once. */
    connections: 10_000,
    /** Connections that the system keeps until the process accepts them. */
    listenBacklog: 1_024,
    /** An idle connection is kept longer than the minute for which proxies keep one, so that they close it first. */
    keepAliveMs: 65_000,
    /**
     * After this time, requests that were in transit when the server began to stop have arrived, on new or kept
     * connections.
     */
    lingerMs: 250,
    /** The server that stops waits so long for answers in progress, then closes all connections. */
    drainTimeoutMs: 8_000,
    /**
     * When the server stops, a client that sends nothing more has this long: to read its answer when it has been refused,
     * or to go on with a request whose headers have not all come.
     */
    silentMs: 1_000,
  },
  /** Reading requests and writing responses. */
  requests: {
    /** A request may wait for a database connection several times. This bounds the sum; its body's way does not count. */
    answerTimeoutMs: 2_600,
    /** A request waits so long for a service that is starting. */
    startWaitTimeoutMs: 2_000,
    startPollIntervalMs: 25,
    /** A client that continues to send what was refused is disconnected after this time. */
    refusedBodyTimeoutMs: 10_000,
    /** After a body that took longer to arrive its key is checked again: a revoked one is refused within a second. */
    slowBodyMs: 500,
    /** A larger JSON body is parsed in a thread, one of each owner at a time. */
    jsonInThreadBytes: 128 * 1024,
    /** How long it waits for the thread; shorter than `answerTimeoutMs`, so that the answer names the reason. */
    jsonWaitTimeoutMs: 2_000,
    /** Memory of a process for large bodies, and the same again for large answers. */
    memoryBudgetBytes: 128 * 1024 * 1024,
    /** The budget is larger where fewer of the largest bodies, or answers, would fit. */
    largestInBudget: 4,
    /** A request whose client takes longer to read a slice of its answer lets another of its owner work. */
    slowReaderMs: 250,
    /** Answers that are compressed as a whole at a time: libuv has four threads, and each that waits would take memory. */
    compressions: 4,
    /** A request waits so long for the first compression of a fixed answer, then gets it uncompressed. */
    fixedCompressionTimeoutMs: 1_500,
    /** Hosts of which it is remembered whose they are: parsing one costs as much as finding its page. */
    rememberedHosts: 10_000,
    /** Browsers ask every host for an icon, and are told for so long that there is none. */
    faviconSeconds: 86_400,
  },
  /** What one owner may have at work at once, and tries of unknown keys. */
  owners: {
    /** With 4, the other owners' requests would take half as long again during one owner's flood. */
    workingRequests: 2,
    waitingRequests: 1_000,
    /** Shorter than `answerTimeoutMs`: the rest is for the work itself. */
    requestWaitTimeoutMs: 1_800,
    /** Keys and sessions whose owners are remembered: their requests count as the owner's before the database is asked. */
    rememberedKeys: 10_000,
    /** Look-ups at a time for one network, of keys that are not remembered. */
    keyLookUpsOfNetwork: 2,
    /** Unknown keys counted in the database at a time, so that not every try is a write. */
    unknownKeyTriesAtOnce: 10,
    /** Networks whose tries a process remembers. */
    rememberedNetworks: 10_000,
  },
  /** Lists, search, exports, streams and statistics. */
  reads: {
    /** All requests that wait for new submissions share one query in this time. */
    watchIntervalMs: 1_000,
  },
  /** Pages in memory. */
  pages: {
    /** A request for a large page waits so long for the thread. */
    threadWaitTimeoutMs: 10_000,
    /** Slugs without a page that are remembered. */
    rememberedAbsent: 10_000,
    /** The part of the memory that all others leave to small pages without an encoding, for clients that accept none. */
    plainShare: 1 / 4,
    /** One of so many that are made is kept: the pages that are asked for most often. */
    plainsMadePerKept: 8,
    /** A page in memory is served without the database's confirmation after this time, while changes may be missed. */
    confirmationTimeoutMs: 300,
    /** Without an answer, all pages are served unchecked for this time. */
    uncheckedMs: 1_000,
    /** Small pages that are read together: 4 MiB of HTML at most. */
    lookUpBatch: 64,
  },
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
