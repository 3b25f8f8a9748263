/*
 * The timeouts, intervals and capacities of the service, with the unit in the name. `startService` accepts others, which the
 * tests use. A name that ends in `TimeoutMs` is a deadline, after which work is given up, and the tests lengthen all of these.
 *
 * - `src/sizes.ts` has the sizes that are fixed, `src/commands/command-limits.ts` and `src/dashboard/dashboard-limits.ts` those of the commands and
 *   of the dashboard. A number that one file uses, and no test replaces, is in that file.
 * - Settings that an operator may change are in config.ts. Facts of protocols and file formats, and intervals that are part of a
 *   statement of SQL, are beside the code that uses them.
 */

export const LIMITS = {
  /** The server and its connections. */
  server: {
    /** A client has this long to send all its headers. */
    headersTimeoutMs: 20_000,
    /** A connection on which no byte moves during a request or an answer is closed. */
    progressTimeoutMs: 20_000,
    /**
     * A client that reads fewer bytes of an answer in this time is disconnected: slow readers could keep their answers in
     * memory for hours.
     */
    readingPaceMs: 60_000,
    readingPaceBytes: 256 * 1024,
    readingPaceCheckIntervalMs: 5_000,
    /**
     * The maximum of a process. Another one closes an idle connection, or one in use, of the network with the most
     * connections.
     */
    connections: 10_000,
    /**
     * The maximum of one network, in each process. Another one closes an idle connection of the network, or is closed
     * itself. For a trusted proxy, it is the maximum of requests under way of one client. An owner's requests that wait for
     * submissions fit.
     */
    connectionsOfNetwork: 2_500,
    /** Requests of a connection that are unanswered at a time. Further ones are not read before. */
    pipelinedRequests: 8,
    /** The maximum while the network has many unanswered requests, or does not read its answers. */
    pipelinedWhenCrowded: 2,
    /** The maximum that was read of further requests of one network. Beyond it, the connection with the newest is closed. */
    pipelinedBytesOfNetwork: 16 * 1024 * 1024,
    /** An idle connection is kept longer than the minute for which proxies keep one, so that they close it first. */
    keepAliveMs: 65_000,
    /**
     * When the server stops, a connection on which no answer is due and nothing comes is kept for this long: a request may be in
     * transit on it.
     */
    lingerMs: 1_000,
    /** The server that stops waits so long for answers in progress, then closes all connections. */
    drainTimeoutMs: 8_000,
  },
  /** Reading requests and writing responses. */
  requests: {
    /** A request may wait for a database connection several times. This bounds the sum; its body's way does not count. */
    answerTimeoutMs: 2_600,
    /** A request waits so long for a service that is starting. */
    startWaitTimeoutMs: 2_000,
    /** A client that continues to send a refused body is disconnected: a browser shows the answer only when it has sent all. */
    refusedBodyTimeoutMs: 60_000,
    /** After a body that took longer to arrive its key is checked again: a revoked one is refused within a second. */
    slowBodyMs: 500,
    /** The time for which a compressed body waits to be decoded; shorter than `answerTimeoutMs`. */
    decodingWaitTimeoutMs: 2_000,
    maxWaitingDecodings: 1_000,
    /** How long a large JSON body waits for the thread; shorter than `answerTimeoutMs`, so that the answer names the reason. */
    jsonWaitTimeoutMs: 2_000,
    /** Memory of a process for large bodies, and the same again for large answers. */
    memoryBudgetBytes: 128 * 1024 * 1024,
    /** Memory of a process for the small bodies of one client that have begun to arrive and are not complete. */
    arrivingBytesOfClient: 16 * 1024 * 1024,
  },
  /** The provider of OpenID Connect. */
  openid: {
    /** All that it is asked for in one sign-in is answered within this time, and so are its addresses. */
    timeoutMs: 10_000,
  },
  /** The work of one owner at once. */
  owners: {
    /** After a request, when more of the owner wait: twice as long as it took, and at most so long. */
    maxRestMs: 50,
    /** The maximum of all owners. The newest request of the owner with the most is refused first. */
    waitingRequests: 1_000,
    /** Shorter than `answerTimeoutMs`: the rest is for the work itself. */
    requestWaitTimeoutMs: 1_800,
    /** Tests of webhooks and of mail that an owner sends in a minute, in each process. */
    testsPerMinute: 20,
    /** Look-ups of domains that an owner asks for in a minute, in all processes. */
    domainChecksPerMinute: 10,
  },
  /** Lists, search, exports, streams and statistics. */
  reads: {
    /** All requests that wait for new submissions share one query in this time. */
    watchIntervalMs: 1_000,
    /** The time for which one request searches. It answers what it has found by then, and the reference says so. */
    searchMs: 1_000,
    /** How long a search looks at submissions before other work has a turn. A large one takes milliseconds. */
    searchSliceMs: 1,
    /** A comment line at least this often shows both ends of a stream that the connection is there. */
    streamCommentMs: 10_000,
    /** The time-out of a connection whose request waits: longer than live.maxWaitSeconds and streamCommentMs. */
    waitingSocketTimeoutMs: 40_000,
    /** A batch that fails because the database is out of reach is read again, so many times in a row. */
    exportRetries: 3,
  },
  /** How a process learns of changes that others make. */
  changeFeed: {
    /** After so long without a read, rows may have left the window: what is in memory is read anew. */
    gapMs: 8_000,
  },
  /** Pages in memory. */
  pages: {
    /** A request for a large page waits so long for the thread. */
    threadWaitTimeoutMs: 10_000,
  },
  /** The way of a submission, from its body to its row. */
  submissions: {
    /** Short enough for an answer within 3 seconds, together with the time that the query itself may take. */
    lookUpWaitTimeoutMs: 700,
    /** The counts of filled-in honeypots, and of 429s, are written as often. */
    countsIntervalMs: 60_000,
    largeBodyWaitTimeoutMs: 10_000,
    /** The largest batch. */
    maxBatch: 128,
    /** How long a submission waits for a deployment that another transaction has locked, and how often it is tried. */
    lockedWaitTimeoutMs: 1_500,
    lockedPollMs: 5,
    /** Submissions with files, and spam, have a transaction of their own. */
    transactionWaitTimeoutMs: 10_000,
    /**
     * The time-out of the connection of a submission with files. Waiting, putting its files into a bucket,
     * waiting for a transaction, storing and committing take less. Nothing is sent or received meanwhile.
     */
    transactionSocketTimeoutMs: 80_000,
    /** Characters of the forms in error pages that are being sent. Escaped, they can be six times as long. */
    maxKeptFormChars: 16 * 1024 * 1024,
  },
  /** Captchas and the spam folder. */
  spam: {
    largeTextWaitTimeoutMs: 2_000,
    /** How long a block list uses the event loop at a time, and then leaves it to other work. */
    blocklistTurnMs: 4,
    blocklistPauseMs: 16,
    challengeWaitTimeoutMs: 2_000,
    /**
     * The work of a visitor's browser: PBKDF2 with so many rounds for each number from 0 to a random one between these
     * two. It takes a phone about half a second, and this service one of them for each challenge.
     */
    challengeCost: 5_000,
    minChallengeCounter: 300,
    maxChallengeCounter: 600,
    /** A submission waits for the answer of a captcha's provider, a free slot included. */
    providerTimeoutMs: 3_000,
    /** It waits for a free slot. This is less, so that there is time left to ask. */
    providerSlotTimeoutMs: 2_000,
    /** A DNS server answers within this time, or is asked again. */
    providerDnsTimeoutMs: 1_000,
  },
  /** Documents in which programs describe themselves. */
  documents: {
    /** A DNS server answers within this time, or is asked again. */
    dnsTimeoutMs: 1_000,
    /** The document is read to its end. With the wait for a free slot, this is less than a request may take. */
    readTimeoutMs: 3_000,
    slotTimeoutMs: 2_000,
  },
  /** Imports of earlier submissions. */
  imports: {
    /** All rows are stored: a tenth of it is enough for the most rows on a machine that does little else. */
    storeTimeoutMs: 120_000,
    /** The time-out of the connection of an import. Reading the file, and storing its rows, take less. */
    socketTimeoutMs: 150_000,
  },
  /** The dispatcher, and webhooks. */
  delivery: {
    /** The dispatcher looks for due deliveries, and sooner when it knows of some: a retry may be as late. */
    pollIntervalMs: 500,
    /** A digest is sent at most this long after its window has ended. */
    digestPollIntervalMs: 10_000,
    /** The maximum size of the submissions whose deliveries one statement leases. */
    leasedBytes: 16 * 1024 * 1024,
    /** Characters of the submissions of all running attempts. */
    heldChars: 64 * 1024 * 1024,
    /** Attempts that run at a time. A third of them is for receivers that are not known to answer. */
    concurrent: 1_536,
    /** Attempts that run at a time for one receiver that is not known to answer. */
    initialConcurrentOfReceiver: 2,
    /** Attempts that run at a time for one host and port. */
    concurrentOfReceiver: 64,
    /** A stop waits for running attempts, then aborts them. */
    stopTimeoutMs: 5_000,
    /** A stop waits for aborted attempts. */
    abortTimeoutMs: 500,
    /** A stop waits for the last outcomes. A delivery whose outcome is not stored is attempted again when its lease has ended. */
    storeOutcomesTimeoutMs: 1_500,
    /** A DNS server answers within this time, or is asked again. */
    dnsTimeoutMs: 2_000,
    /** IPv6 addresses are waited for when there are IPv4 ones (RFC 8305, 3): some servers do not answer this query. */
    ipv6TimeoutMs: 250,
  },
  /** Looking custom domains up. */
  domains: {
    /** Domains that are looked up at a time. */
    concurrent: 8,
    /** A name server answers within this time, or is asked again. */
    dnsTimeoutMs: 1_000,
    dnsTries: 2,
    /** The service looks for domains that are due, and sooner where DOMAIN_CHECK_SECONDS is shorter. */
    pollIntervalMs: 30_000,
  },
  mail: {
    /** Mails that are sent at the same time, each over a connection of its own. */
    concurrent: 5,
    /** A mail waits for the labels of fields. A page is read for them once for each of its versions. */
    labelsTimeoutMs: 5_000,
    /** The time to look the mail server's name up and to connect, with TLS. */
    connectTimeoutMs: 5 * 60_000,
    /** The greeting comes, a command is answered, and the content is sent (RFC 5321, 4.5.3.2 has more for some). */
    commandTimeoutMs: 60_000,
    /** The end of the content is answered: a server may deliver the mail first, and a second try would be a second mail. */
    contentTimeoutMs: 10 * 60_000,
    /** All of an attempt: its last step, and ten minutes for those before. */
    attemptTimeoutMs: 20 * 60_000,
    /** A mail is leased for longer than its attempt takes. */
    leaseMarginMs: 60_000,
    dnsTimeoutMs: 10_000,
    /** The pause before the second attempt of a mail about an account. Each further one is three times as long as the one before. */
    accountRetryMs: 10_000,
    /** The attempts of such a mail. The last one is after seven minutes: a link that signs in is valid for 15. */
    accountAttempts: 5,
    /** Mails about accounts that wait for another attempt. Further ones have one attempt. */
    maxAccountMails: 1_000,
  },
  /** Files of submissions and of sites, in the database or in a bucket. */
  files: {
    putWaitTimeoutMs: 10_000,
    /** The time to store all files of one submission. */
    putTimeoutMs: 30_000,
    /** The time to store all files of one change of a site. */
    siteTimeoutMs: 45_000,
    /** The time-out of the connection of such a change. Unpacking, waiting, storing and publishing take less. */
    siteSocketTimeoutMs: 80_000,
    /** A request with little content is answered. A list has four times as long. */
    requestTimeoutMs: 5_000,
    /** The pause before the second try of a request. */
    retryMs: 100,
    /** The first piece of a file is read: a request is answered within 3 seconds. */
    firstPieceTimeoutMs: 2_000,
    /** Any other piece is read. */
    laterPieceTimeoutMs: 15_000,
    /** Objects are deleted that no file has any more. */
    deletionsIntervalMs: 10_000,
    /** The pause after a deletion has failed. */
    deletionsRetryMs: 60_000,
    /** A deletion that may have failed is due again. */
    deletionDueAgainMs: 5 * 60 * 1_000,
  },
  database: {
    /** A unit of work ends, with its wait for a connection. So a request is answered within 3 seconds in an outage. */
    unitTimeoutMs: 2_100,
    /** Postgres ends a statement, or an idle transaction, itself, shortly before the unit of work ends here. */
    statementTimeoutMs: 1_900,
    /** A transaction of several statements ends. Each statement still has `unitTimeoutMs` only. */
    longTransactionTimeoutMs: 10_000,
    /** The commit of such a transaction may wait for a slow disk. */
    commitTimeoutMs: 10_000,
    /** A connection makes the plans of its prepared statements anew, because tables may have grown. */
    planLifetimeMs: 5_000,
    /** A process that stops waits this long for the statements that run. */
    closeTimeoutMs: 1_000,
    /** A command waits for the very first start of the service: initdb and migrations on a slow machine. */
    firstStartTimeoutMs: 60_000,
    /** The command says after this time that it waits. */
    firstStartTellAfterMs: 1_000,
  },
  /** Removing rows whose time is over. */
  cleanUp: {
    /** Rows are removed whose time is over. */
    intervalMs: 10 * 60 * 1_000,
  },
  /** Worker threads: rendering, checks and labels of pages. */
  compute: {
    /** The time for which a check waits for the thread. */
    checkWaitTimeoutMs: 10_000,
    /** Reading the forms of a page waits for the thread. */
    formsSlotTimeoutMs: 10_000,
    /** The longest that the thread may take to render one page, or to read one body. */
    jobTimeoutMs: 10_000,
    /**
     * The processor time of one page that is checked, or read for its labels: everybody else's checks wait meanwhile. A page of 2 MiB
     * that nobody made to be slow takes half of it.
     */
    checkCpuTimeoutMs: 1_000,
    /** How long the answer to a change of settings waits for a check of the page, which is only told besides. */
    noticeTimeoutMs: 1_000,
    /** The heap of the thread, for a service whose pages are small. */
    threadHeapMib: 128,
    /** An idle thread is ended after this time, which frees its memory. */
    idleThreadMs: 10_000,
  },
};

export type Limits = typeof LIMITS;

export type LimitOverrides = { readonly [Area in keyof Limits]?: Partial<Limits[Area]> | undefined };

/** The limits with some replaced. */
export function withLimits(overrides: LimitOverrides, limits: Limits = LIMITS): Limits {
  const replaced = structuredClone(limits);
  const areas: Record<string, object> = replaced;
  for (const [area, values] of Object.entries(overrides)) Object.assign(areas[area] ?? {}, values);
  return replaced;
}
