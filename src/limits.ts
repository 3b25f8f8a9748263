/*
 * The timeouts, intervals and sizes of the service, with the unit in the name.
 *
 * - `SIZES` are fixed: tests cannot replace them. Most are stated by the reference; those in the groups `internal…` are pieces
 *   and bounds of single algorithms.
 * - `LIMITS` can be replaced: `startService` accepts others, which the tests use. A name that ends in `TimeoutMs` is a deadline,
 *   after which work is given up, and the tests lengthen all of these.
 * - `COMMAND_LIMITS` are those of the commands, `DASHBOARD_LIMITS` those of the dashboard in the browser.
 *
 * Settings that an operator may change are in config.ts. Facts of protocols and file formats, and intervals that are part of a
 * statement of SQL, are beside the code that uses them.
 */

export const SIZES = {
  /** Bodies of requests. */
  body: {
    /** A body up to this size is not counted, and never refused because of others. */
    smallBytes: 64 * 1024,
    /** A larger body of which fewer bytes arrive in this time is refused: a few slow clients could use up the memory for hours. */
    paceMs: 30_000,
    paceBytes: 256 * 1024,
    /** A compressed body that becomes more than so many times as large is refused, once more than these bytes have come out. */
    maxExpansion: 100,
    freeExpansionBytes: 64 * 1024,
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
  /** Unknown keys that one network may try in a window of so many seconds, in each process. */
  unknownKeys: {
    max: 300,
    seconds: 60,
  },
  /** Tools for agents. */
  mcp: {
    /**
     * A longer answer is refused: no model reads as much, and each answer is in memory three times while it is written. A
     * submission of the default limit fits, however it is escaped.
     */
    maxAnswerChars: 2 * 1024 * 1024,
    /** A list has fewer characters unless the agent sends another `max_chars`: some clients refuse longer answers. */
    listChars: 25_000,
    minListChars: 2_000,
    /** The part of these that is left for the warning about untrusted texts, notices and `next`. */
    otherChars: 500,
    /** Values of a list are cut to this many before it has fewer items, and those of a single item to fewer. */
    valueChars: 1_000,
    minValueChars: 250,
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
    /** A page under the same domain can set cookies that browsers then send to the API: they alone must not shut out an owner. */
    maxBytes: 64 * 1024,
    /** Without cookies. Requests that wait keep these in memory. */
    maxOtherBytes: 16 * 1024,
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
  /** Looking up keys and sessions. */
  internalCredentials: {
    /** Networks, and known keys, that are looked up at a time, and that wait for it: the pool has ten connections. */
    slots: 8,
    maxWaiting: 1_000,
    /** Credentials of one network in a statement, which takes some milliseconds. */
    maxBatch: 500,
  },
  /** Writing answers. */
  internalAnswers: {
    /** An answer up to this size is sent as a whole, and not counted. */
    smallBytes: 64 * 1024,
    /** A large answer is written in slices: other work runs between them, and the reader's pace can be measured. */
    sliceBytes: 128 * 1024,
    /** A shorter answer is not compressed: it fits into one packet. */
    minCompressedBytes: 1_024,
  },
  /** Pages, as they are stored and kept in memory. */
  internalPages: {
    /**
     * A larger page is rendered, hashed and compressed in a thread, and decompressed on libuv's threads, one of each owner
     * at a time. For a smaller one the transfer would take as long.
     */
    largeBytes: 64 * 1024,
    /** Memory of a page in an encoding, apart from its body. */
    entryBytes: 1_024,
  },
  submission: {
    /** Files included. */
    maxFields: 1_000,
    maxJsonDepth: 100,
    maxFiles: 10,
    /** Of `_redirect`. */
    maxRedirectChars: 2_048,
    /** RFC 2046, section 5.1.1. Searching for a longer one could be slow. */
    maxBoundaryChars: 70,
    /** The header of a part, without the line that has its name. */
    maxPartHeaderKib: 16,
    /** For how long browsers remember a preflight. */
    preflightSeconds: 7_200,
  },
  file: {
    maxContentTypeChars: 255,
    /**
     * Of the name under which a file is saved: bytes of UTF-8, as in file systems. Proxies refuse an answer whose headers
     * are longer than 4 KiB; escaped, a byte takes three, and one more in the name for old clients.
     */
    maxSavedNameBytes: 255,
    /** A chunk in the database, in a statement and in memory. It is small for slow disks, and for many slow readers. */
    chunkBytes: 256 * 1024,
    /** A piece that is read from a bucket. The first is a chunk: it is read before the answer begins. */
    maxPieceBytes: 1024 * 1024,
  },
  /** The pages that visitors see. */
  errorPage: {
    maxShownNames: 5,
    maxShownNameChars: 80,
    /** Of an origin in messages: a client can send any text. */
    maxShownOriginChars: 300,
  },
  page: {
    /** Bytes at the beginning of a page in which `<html lang>` is looked for. */
    startBytes: 8 * 1024,
  },
  search: {
    maxQueryChars: 200,
    maxBulkIds: 1_000,
    /** More than maxBulkIds ids take. */
    maxBulkBodyBytes: 256 * 1024,
  },
  live: {
    maxWaitSeconds: 30,
    /** Requests of one owner that may wait at a time. */
    maxWaitingOfOwner: 2_000,
  },
  statistics: {
    maxBuckets: 1_000,
    defaultDays: 30,
  },
  export: {
    /** Fields that have columns of their own. */
    maxFieldColumns: 10_000,
    /** UTF-16 units of a cell: Excel accepts no more. */
    maxCellChars: 32_767,
  },
  notice: {
    /** How many of the pages that were taken down a notice names: a header has to be short. */
    maxNamedPages: 5,
  },
  settings: {
    maxUrlChars: 2_048,
    maxOrigins: 20,
    maxRetentionDays: 3_650,
    /** Words of the block list, and characters of each. */
    maxBlocked: 100,
    maxBlockedChars: 100,
    /** Of a captcha's secret and site key. */
    maxCredentialChars: 500,
  },
  webhook: {
    maxPerDeployment: 50,
    maxUrlChars: 2_048,
    /** A list is measured before its names are checked: each wrong one would be an issue. */
    maxEventNames: 50,
    /** The answer of a receiver. A longer body is not read to its end. */
    maxHeaderBytes: 16 * 1024,
    maxAnswerBytes: 64 * 1024,
  },
  /** Links that sign in which may be asked for in this time. */
  signIn: {
    /** By one network for one address. */
    maxLinks: 5,
    /** By all networks for one address: more than one network may ask for, so that nobody can lock an owner out alone. */
    maxLinksOfAddress: 20,
    /** By one network for all addresses, in each process: several owners may share a network. */
    maxLinksOfNetwork: 100,
    windowSeconds: 60 * 60,
  },
  /** Links in mails. */
  links: {
    /** For how many days a link to a file works. A link that unsubscribes works while its deployment exists. */
    fileDays: 7,
    /** For how many days the link works by which a recipient confirms. */
    confirmationDays: 7,
  },
  mail: {
    /** RFC 5321, section 4.5.3.1. */
    maxAddressChars: 254,
    /** HTML of all fields. Gmail cuts off what is beyond 102 KiB of a mail. */
    maxFieldsBytes: 72 * 1024,
    /** UTF-16 units of one value, and of a name. */
    maxValueChars: 20_000,
    maxNameChars: 200,
    /** Less of a value is not worth showing. It is `maxValueChars`, halved several times. */
    minValueChars: 312,
    /** UTF-16 units of a subject that a form has chosen, and of one that names the sender. */
    maxSubjectChars: 100,
    /** Levels of objects and lists that are shown. */
    maxLevels: 6,
    /** A list of texts is one line up to this many UTF-16 units, and items. */
    maxListChars: 200,
  },
  captcha: {
    /** For how long the solution of a challenge counts. */
    challengeMinutes: 20,
    /** A token of ALTCHA's widget has about 700 characters. A longer one is not read. */
    maxTokenChars: 4_096,
    /** For how long browsers keep the widget. */
    widgetSeconds: 24 * 60 * 60,
    /** reCAPTCHA 3 says how likely it is a person; its documentation recommends this bound. */
    minScore: 0.5,
  },
  securityTxt: {
    /** Less than a year, as RFC 9116 (2.5.5) recommends. An older copy has to be fetched again. */
    validDays: 180,
  },
  internal: {
    /** Bytes of a page that are written as JSON in one go: some 0.3 ms. */
    pageJsonPieceBytes: 16 * 1024,
    /** Rows of an export are yielded when they are this long together. */
    csvPieceChars: 256 * 1024,
    xlsxPieceChars: 64 * 1024,
    /** The names of all fields that have columns of their own. */
    exportNameChars: 1024 * 1024,
    /** No browser writes a longer header. What comes after one is kept as if it were text. */
    droppedHeaderBytes: 16 * 1024,
    /** Lines that begin like a delimiter. A well-chosen boundary has none. Each costs a search. */
    boundaryMisses: 100_000,
    /** For the boundaries and headers of all parts, without names. */
    multipartOverheadBytes: 1024 * 1024,
    /** Parameters in the header of a part. */
    partParameters: 16,
    /** Before the first delimiter and after the last, where clients write at most a line of text (RFC 2046, 5.1.1). */
    outsidePartsBytes: 16 * 1024,
    /** The separators of an urlencoded form. */
    formSeparatorBytes: 16 * 1024,
    /** What the rules of a form take in memory besides their texts. */
    knownFormEntryChars: 1_000,
    /** Data of submissions that one statement reads, unless one has more. */
    listBatchBytes: 256 * 1024,
    /** Submissions that one statement reads: at first, and at most where they are small. */
    listFirstRows: 100,
    listBatchRows: 1_000,
    /** Submissions whose marks one statement looks at. */
    markedScanRows: 5_000,
    /** Submissions that one statement deletes. */
    deletedSubmissionsBatch: 100,
    /** Data of the submissions that one search finds: an answer is bounded in bytes too. */
    searchFoundBytes: 1024 * 1024,
    /** The beginning of a page in which its title is looked for. */
    titleStartBytes: 16 * 1024,
    /** Keys, owners and take-downs that one statement reads. */
    keysBatch: 1_000,
    ownersBatch: 500,
    takeDownsBatch: 1_000,
    /** Pairs of a receiver and an owner that a claim of deliveries looks at. */
    claimedPairs: 1_000,
    /** Files that one statement reads. */
    filesBatch: 500,
    /** What one statement removes of files, which takes about 50 ms. */
    removedFilesBytes: 32 * 1024 * 1024,
    removedFilesBatch: 100,
    /** Files that one statement of a move looks at, and chunks that one removes. */
    movedFilesBatch: 1_000,
    movedChunksBatch: 128,
    /** Deployments that one statement looks at for expired submissions. */
    expiringDeploymentsBatch: 1_000,
    /** Submissions that one statement removes. */
    expiredBatch: 100,
    /** Rows of a purged deployment that one statement removes. */
    purgedVersionsBatch: 10,
    /** Spam that one statement moves, reads or removes. */
    markedSpamBatch: 100,
    readSpamBatch: 20,
    removedSpamBatch: 100,
    /** Lines of the log that can't be written are kept up to this size, and then discarded. */
    unwrittenLogBytes: 1024 * 1024,
  },
  /** The last label of a page's host. */
  slug: {
    /** A DNS label has no more characters (RFC 1035, 2.3.4). */
    maxChars: 63,
  },
  /** The name of a cell, which is at the end of ids and keys. */
  cell: {
    maxChars: 8,
  },
  apiKey: {
    /** The part of a key that is stored and shown, so that its owner recognizes it. The rest is secret. */
    prefixChars: 8,
    /** Keys of an owner that are not revoked. */
    maxOfOwner: 1_000,
    /** Characters (code points) of a key's name. */
    maxNameChars: 100,
  },
  session: {
    /** A session ends when it has not been used for so many days. */
    lifetimeDays: 30,
    /** A link that signs in works for so many minutes. */
    linkMinutes: 15,
    /** Sessions of one key. The oldest end when there are more. */
    maxOfKey: 100,
  },
  /** Submissions that a deployment accepts in any window of so many seconds. */
  submissionRate: {
    max: 10,
    seconds: 60,
  },
  submissionId: {
    /** A client that sends a submission again sends an id that is at most this old. */
    recentMs: 24 * 60 * 60 * 1_000,
    /** The clock of the process that made an id may be this far ahead. */
    clockSkewMs: 60_000,
  },
  /** A key is stored for so long. Of the keys with which an owner makes something, the last are. */
  idempotencyKey: {
    maxKeyChars: 255,
    lifetimeHours: 24,
    maxOfOwner: 1_000,
  },
  spam: {
    /** A deployment keeps so many, for so many days. */
    max: 1_000,
    lifetimeDays: 30,
    /** A deployment keeps so many in any window of so many seconds, and drops the others. */
    rateMax: 60,
    rateSeconds: 60,
    /** Of the files of a deployment's spam together: robots could fill the storage of an owner, who sees none of it. */
    maxFilesBytes: 50_000_000,
  },
  /** What an owner may store. */
  storage: {
    /** The owner gets a mail when use reaches these parts of the limit. */
    mailPercents: [80, 100],
    /** A mail is sent again once use has been lower by this part of the limit: otherwise use around 80 % would send many. */
    mailAgainPercent: 10,
    /** What is counted by each change is counted anew after this time. */
    recountHours: 24,
  },
  /** Recipients of mail about a deployment. */
  recipient: {
    maxOfDeployment: 5,
    /** An address is asked once in this time whether it wants mail about a deployment. */
    askHours: 24,
    /** Mails that ask, of one owner in any `askHours`: those of all deployments together. */
    maxAsks: 20,
    /** Former recipients of a deployment that are kept, beside those who were asked lately. */
    maxFormer: 50,
    /** The mail server refuses so many mails in a row for good. Then their recipient gets no more. */
    maxRefusals: 5,
  },
  /** Submissions that a digest lists, and the bytes of their data. */
  digest: {
    maxListed: 100,
    maxListedBytes: 1024 * 1024,
  },
  /** Slack accepts 10 fields in a section and 2,000 characters in each. The others bound the whole message. */
  slack: {
    maxFields: 10,
    maxFieldChars: 2_000,
    maxFieldsChars: 12_000,
    maxNameChars: 200,
  },
  delivery: {
    /** A delay is longer by up to this part of it. Deliveries that failed together are not tried again together. */
    maxJitter: 0.1,
    /** A longer Retry-After counts as this. */
    maxRetryAfterSeconds: 24 * 60 * 60,
  },
  bucket: {
    /** Characters of the path in FILES_URL. */
    maxPrefixChars: 200,
    /** Objects in one answer, as S3 allows. */
    listedObjects: 1_000,
  },
  /** JSON bodies of the API. */
  json: {
    /** Unknown members are ignored, up to this many. The first of them are named to the caller, each up to so many characters. */
    maxMembers: 10_000,
    maxUnknownNames: 5,
    maxUnknownChars: 40,
    /** Levels of unknown members are ignored, up to this many. */
    maxDepth: 10_000,
    /** A value that is not a string is not read beyond this: no schema accepts a longer one. */
    maxSettingChars: 64 * 1024,
  },
  /** The form check. */
  check: {
    /** Problems of one code that are reported: the first ones show what is wrong. */
    maxProblemsPerCode: 20,
    /** Forms that are shown. Each takes many times as much of an answer as of a page. */
    maxForms: 1_000,
    /** Characters of a label or a title. */
    maxTextChars: 200,
    /** Names that have labels: they are kept in the database for each page. */
    maxLabels: 1_000,
    /** Names beyond this have no label. */
    maxNameChars: 200,
    /** Characters of a page's value in a message, which stays on one line. */
    maxShownChars: 60,
  },
  /** Queues that owners or clients share by the time that they used. */
  internalQueues: {
    /** After a check that ran into its limit, an owner comes behind the others for some minutes at most. */
    usedTimeHalfLifeMs: 30_000,
    /** Times that differ by less are the same: then each has one turn after the other. */
    usedTimeStepMs: 100,
    /** Owners or clients whose time is remembered, in each queue. */
    maxUsers: 10_000,
  },
  /** Bounds of the algorithms that read pages: their work stays in proportion to the page. */
  internalCheck: {
    /** The nodes of a page are fewer than its characters. Misnested tags can make many more. */
    spareNodes: 10_000,
    /** Nodes that are read for one text: elements can be read for several. */
    textNodes: 200,
    /** Characters that are read for one text: many are white space, which is left out. */
    rawTextChars: 800,
    /** Ids in one `aria-labelledby` that are looked up. */
    labelIds: 5,
    /** Longer ones are not parsed as URLs, which can take quadratic time. */
    urlChars: 2_048,
    /** A longer value is not compared with the placeholder. */
    misspeltChars: 100,
    /** Buttons of a form whose own address, method or encoding is looked at. */
    ways: 20,
    /** Open elements that are looked through for the form that a `</form>` ends. Browsers nest no deeper. */
    depth: 512,
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
     * When the server stops, a connection on which no answer is due and nothing comes is kept for this long: a request may be in
     * transit on it.
     */
    lingerMs: 1_000,
    /** The server that stops waits so long for answers in progress, then closes all connections. */
    drainTimeoutMs: 8_000,
    /** A process that is told to stop has this long after SHUTDOWN_DELAY_MS, then it ends at once. */
    stopTimeoutMs: 10_000,
    /** Two signals within this time count as one: npm passes on what the terminal has sent to the process too. */
    sameSignalMs: 250,
    /** The pause before a process is replaced that has ended. It doubles, until one has run for `stableWorkerMs`. */
    minWorkerPauseMs: 100,
    maxWorkerPauseMs: 10_000,
    stableWorkerMs: 60_000,
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
    /** Compressed bodies that are decoded at a time, one of each client. */
    concurrentDecodings: 2,
    /** How long a compressed body waits to be decoded; shorter than `answerTimeoutMs`. */
    decodingWaitTimeoutMs: 2_000,
    maxWaitingDecodings: 1_000,
    /** A larger JSON body is parsed in a thread, one of each owner at a time. */
    jsonInThreadBytes: 128 * 1024,
    /** How long it waits for the thread; shorter than `answerTimeoutMs`, so that the answer names the reason. */
    jsonWaitTimeoutMs: 2_000,
    /** Memory of a process for large bodies, and the same again for large answers. */
    memoryBudgetBytes: 128 * 1024 * 1024,
    /** The budget is larger where fewer of the largest bodies, or answers, would fit. */
    largestInBudget: 4,
    /** Answers that are compressed at a time. Each uses up to a MiB until it has been read. */
    encoders: 64,
    /** Hosts of which it is remembered whose they are: parsing one costs as much as finding its page. */
    rememberedHosts: 10_000,
    /** Browsers ask every host for an icon, and are told for so long that there is none. */
    faviconSeconds: 86_400,
  },
  /** What one owner may have at work at once. */
  owners: {
    /** With 4, the other owners' requests would take half as long again during one owner's flood. */
    workingRequests: 2,
    /** After a request, when more of the owner wait: twice as long as it took, and at most so long. */
    maxRestMs: 50,
    /** Of all owners. The newest of the owner with the most is refused first. */
    waitingRequests: 1_000,
    /** Shorter than `answerTimeoutMs`: the rest is for the work itself. */
    requestWaitTimeoutMs: 1_800,
    /** Keys and sessions that are remembered as valid: their requests wait for no unknown ones of their network. */
    rememberedKeys: 10_000,
    /** Tests of webhooks and of mail that an owner sends in a minute, in each process. */
    testsPerMinute: 20,
  },
  /** Lists, search, exports, streams and statistics. */
  reads: {
    /** All requests that wait for new submissions share one query in this time. */
    watchIntervalMs: 1_000,
    /** Exports at a time, in this process and of one owner: each uses a large part of a core. */
    maxConcurrentExports: 8,
    maxConcurrentExportsPerOwner: 2,
    /** Statements at a time, of all exports together: the pool has ten connections, and other requests need some. */
    maxConcurrentExportReads: 6,
    /** How long an export runs before other work may use the event loop. */
    exportSliceMs: 2,
    /** For how long one request searches. It answers what it has found by then, and the reference says so. */
    searchMs: 1_000,
    /** How long a search looks at submissions before other work has a turn. A large one takes milliseconds. */
    searchSliceMs: 1,
    /** A comment line at least this often shows both ends of a stream that the connection is there. */
    streamCommentMs: 10_000,
    /** Submissions that a stream reads at a time. */
    streamBatch: 100,
    /** The time-out of a connection whose request waits: longer than live.maxWaitSeconds and streamCommentMs. */
    waitingSocketTimeoutMs: 40_000,
    /** A batch that fails because the database is out of reach is read again, so many times in a row. */
    exportRetries: 3,
    exportRetryMs: 1_000,
  },
  /** How a process learns of changes that others make. */
  changeFeed: {
    /** The latest changes are read; a change is visible everywhere within a second. */
    intervalMs: 250,
    /** A row is read for this long: a transaction may commit so long after it has inserted the row. */
    windowMs: 30_000,
    /** After so long without a read, rows may have left the window: what is in memory is read anew. */
    gapMs: 8_000,
  },
  /** Pages in memory. */
  pages: {
    /** A request for a large page waits so long for the thread. */
    threadWaitTimeoutMs: 10_000,
    /** Large pages that are read, or made ready in another encoding, at a time. One of each owner. */
    concurrentLarge: 2,
    maxWaitingLarge: 500,
    /** Small pages that are read together: 4 MiB of HTML at most. */
    lookUpBatch: 64,
    /** Pages are large and their writes may wait for one another, and other requests need connections too. */
    maxConcurrentWrites: 4,
  },
  /** The way of a submission, from its body to its row. */
  submissions: {
    /** Queries for submissions that may have been stored before. */
    maxConcurrentLookUps: 2,
    maxWaitingLookUps: 1_000,
    /** Short enough for an answer within 3 seconds, together with the time that the query itself may take. */
    lookUpWaitTimeoutMs: 700,
    /** The forms in memory, all together. */
    maxKnownFormsChars: 16 * 1024 * 1024,
    /** Forms that are read together. */
    maxReadForms: 128,
    /** Forms that are remembered as being at their rate limit. */
    maxRateLimitedForms: 10_000,
    /** The counts of filled-in honeypots are written as often. */
    honeypotIntervalMs: 60_000,
    /** Submissions that wait to be stored in a batch, and the characters of their data. */
    maxQueued: 5_000,
    maxQueuedChars: 64 * 1024 * 1024,
    /** The largest batch. */
    maxBatch: 128,
    maxBatchChars: 4 * 1024 * 1024,
    /** How long a submission waits for a deployment that another transaction has locked, and how often it is tried. */
    lockedWaitTimeoutMs: 1_500,
    lockedPollMs: 5,
    /**
     * Submissions and spam that need a transaction of their own, each with a connection for as long as storing its files takes. The rest of the
     * pool is left for other work.
     */
    maxConcurrentTransactions: 3,
    /** Bounds the memory of files that are too small to count as large bodies. */
    maxWaitingTransactions: 500,
    transactionWaitTimeoutMs: 10_000,
    /**
     * The time-out of the connection of such a submission. Waiting, putting its files into a bucket,
     * waiting for a transaction, storing and committing take less. Nothing is sent or received meanwhile.
     */
    transactionSocketTimeoutMs: 80_000,
    /** A larger body of a visitor is not read at all, and what was filled in is lost. */
    maxDroppedBodyBytes: 1024 * 1024 * 1024,
    /** Characters of the forms in error pages that are being sent. Escaped, they can be six times as long. */
    maxKeptFormChars: 16 * 1024 * 1024,
  },
  /** Captchas and the spam folder. */
  spam: {
    /** A token counts once at its provider: a form that is sent again after a 429 or 503 must find it genuine here. */
    maxGenuineTokens: 10_000,
    genuineTokenMs: 5 * 60 * 1_000,
    /** Longer tokens are no provider's, and are not passed on. */
    maxTokenChars: 8_192,
    /** Longer data is looked through one at a time. */
    smallTextChars: 16 * 1024,
    maxWaitingLargeTexts: 500,
    largeTextWaitTimeoutMs: 2_000,
    /** How long a block list uses the event loop at a time, and then leaves it to other work. */
    blocklistTurnMs: 4,
    blocklistPauseMs: 16,
    /** A challenge takes a thread about a millisecond. */
    maxConcurrentChallenges: 2,
    maxWaitingChallenges: 500,
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
    /** Questions to providers that run at a time: all, and those of one deployment. */
    providerRequests: 16,
    providerRequestsOfDeployment: 4,
    /** Questions that wait for a free slot. */
    providerWaiting: 500,
    /** A longer answer can't be read. */
    providerAnswerBytes: 16 * 1024,
  },
  /** The dispatcher, and webhooks. */
  delivery: {
    /** The dispatcher looks for due deliveries, and sooner when it knows of some: a retry may be as late. */
    pollIntervalMs: 250,
    /** A digest is sent at most this long after its window has ended. */
    digestPollIntervalMs: 1_000,
    /** Polls that find nothing take this part of the time at most: after a slow one the pause is longer. */
    maxPollShare: 0.1,
    /** The pause after each poll: what becomes due in it is claimed together. */
    minPollPauseMs: 10,
    /** Deliveries that one statement leases, and bytes of their submissions. */
    claimedDeliveries: 512,
    claimedBytes: 16 * 1024 * 1024,
    /** Characters of the submissions of all running attempts. */
    heldChars: 64 * 1024 * 1024,
    /** Attempts that run at a time. A third of them is for receivers that are not known to answer. */
    concurrent: 1_536,
    /** Attempts that run at a time for one receiver that is not known to answer. */
    initialConcurrentOfReceiver: 2,
    /** Attempts that run at a time for one host and port. */
    concurrentOfReceiver: 64,
    /** Receivers of which it is remembered that they answer. */
    knownReceivers: 10_000,
    /** An attempt starts only while this part of its time-out is left of its lease. It gets no more time than is left. */
    minPartOfTimeout: 0.9,
    /** Attempts that are started in one turn of the event loop. Hundreds would delay other work. */
    startsPerTurn: 4,
    /** Outcomes that are stored together. */
    outcomesBatch: 500,
    /** Outcomes are stored again after this time when the database was out of reach. */
    outcomesRetryMs: 500,
    /** A stop waits for running attempts, then aborts them. */
    stopTimeoutMs: 5_000,
    /** A stop waits for aborted attempts. */
    abortTimeoutMs: 500,
    /** A stop waits for the last outcomes. What is not stored is attempted again when its lease has ended. */
    storeOutcomesTimeoutMs: 1_500,
    /** A DNS server answers within this time, or is asked again. */
    dnsTimeoutMs: 2_000,
    dnsTries: 2,
    /** IPv6 addresses are waited for when there are IPv4 ones (RFC 8305, 3): some servers do not answer this query. */
    ipv6TimeoutMs: 250,
    /** The next address is tried. A distant receiver answers before; an address that never answers costs no more. */
    nextAddressMs: 1_000,
    /** A connection that nobody waits for any more is not made: longer than the time-out of an attempt. */
    connectTimeoutMs: 20_000,
    /** An idle connection is kept for this long at most. */
    idleConnectionMs: 10_000,
  },
  mail: {
    /** Links to sign in that are made and sent at a time, and that wait for it. */
    maxConcurrentSignInLinks: 2,
    maxWaitingSignInLinks: 100,
    /** Mails that are sent at the same time, each over a connection of its own. */
    concurrent: 5,
    /** A mail waits for the labels of fields. A page is read for them once for each of its versions. */
    labelsTimeoutMs: 5_000,
    /** A mail with a link that signs in is sent, or the person is told that it was not. */
    signInTimeoutMs: 30_000,
    /** Mails over one connection. */
    messagesOfConnection: 50,
    /** As long as Postfix keeps an idle connection, which helps with bursts. An idle connection keeps the process alive. */
    idleConnectionMs: 2_000,
    /** No signal ends a connection that waits for the answer to RSET or QUIT: this frees its slot. */
    socketTimeoutMs: 60_000,
    dnsTimeoutMs: 10_000,
  },
  /** Files of submissions, in the database or in a bucket. */
  files: {
    /** Submissions whose files are put into the bucket at a time. They have no connection to the database then. */
    maxConcurrentPuts: 8,
    maxWaitingPuts: 500,
    putWaitTimeoutMs: 10_000,
    /** Of all files of one submission. */
    putTimeoutMs: 30_000,
    /** Statements at a time for all who open links: the pool has ten connections, and other requests need some. */
    maxConcurrentLinkReads: 3,
    /** The same for the bucket, which other requests need too. */
    maxConcurrentLinkBucketReads: 8,
    /** A request with little content is answered. A list has four times as long. */
    requestTimeoutMs: 5_000,
    /** An upload has more time, as if it were this fast. */
    uploadBytesPerSecond: 1024 * 1024,
    /** Tries after the first, within the time of the request, and the pause before the first of them. */
    retries: 2,
    retryMs: 100,
    /** The first piece of a file is read: a request is answered within 3 seconds. */
    firstPieceTimeoutMs: 2_000,
    /** Any other piece is read. */
    laterPieceTimeoutMs: 15_000,
    /** A row names a new object. This is much less than `orphanAgeMs`. */
    namingTimeoutMs: 60 * 60 * 1_000,
    /** An object that nothing names is an orphan when it is older: its submission is no longer being stored. */
    orphanAgeMs: 24 * 60 * 60 * 1_000,
    /** One process looks for orphans. */
    sweepIntervalMs: 24 * 60 * 60 * 1_000,
    /** Objects are deleted that no file has any more. */
    deletionsIntervalMs: 10_000,
    /** The same, after a failure. */
    deletionsRetryMs: 60_000,
    /** A deletion that may have failed is due again. */
    deletionDueAgainMs: 5 * 60 * 1_000,
    deletedBatch: 200,
    concurrentDeletions: 8,
    /** A command tries again when the bucket fails. The first pause is this long, and each other twice as long. */
    commandRetries: 5,
    commandRetryMs: 500,
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
    /** A process that stops waits this long for the statements that run. */
    closeTimeoutMs: 1_000,
    /** Connections of one process. Postgres accepts 100 in all by default. */
    connections: 10,
    /** An idle connection is closed, so that Postgres gets its memory back. */
    idleConnectionMs: 30_000,
    /** All connections are replaced at most this often. */
    renewIntervalMs: 500,
    /** A start tries again when the database is out of reach. */
    startRetryMs: 500,
    /** Writes fail for this long before the service reports that it isn't ready: a failover takes some seconds. */
    unwritableAfterMs: 10_000,
    /** A migration's own connection is made, and its statements that look for what is missing are answered. */
    migrationsAnswerTimeoutMs: 2_000,
    /** A process asks again whether another still migrates, and says so after this time. */
    migrationsPollMs: 100,
    migrationsTellAfterMs: 5_000,
    /** A command's look at the database is answered. */
    commandAnswerTimeoutMs: 5_000,
    /** A command waits without a sign that the service starts: npm alone may take seconds to begin a start. */
    firstStartSignTimeoutMs: 10_000,
    /** A command waits for a start that shows signs: a build, initdb and migrations on a slow machine. */
    firstStartTimeoutMs: 120_000,
    /** A command looks again, and says after this time that it waits. */
    firstStartPollMs: 100,
    firstStartTellAfterMs: 1_000,
    /** The process that has the lock touches it every 2.5 s. An older lock was left by a process that was killed. */
    staleLockMs: 6_000,
    /** An older folder was left by a build that was killed. */
    staleBuildMs: 60_000,
    /** The embedded Postgres comes up. */
    embeddedTimeoutMs: 60_000,
    /** Starts of it that fail, one after the other, before the error is reported. */
    embeddedStarts: 20,
    /** Another process opens or closes it: the time to come up, and some more. */
    embeddedLockTimeoutMs: 90_000,
    /** At a close, connections of others end within this time, or the server is left running for them. */
    embeddedLingerMs: 1_000,
    /** The same when another process seems to use it: the server notices a moment late that one was killed. */
    embeddedKilledMs: 400,
    /** Its log is looked at, and emptied when it is larger. */
    embeddedLogIntervalMs: 60 * 60 * 1_000,
    embeddedLogBytes: 4 * 1024 * 1024,
  },
  /** What is removed when its time is over, and how. */
  cleanUp: {
    /** Rows are removed whose time is over. */
    intervalMs: 10 * 60 * 1_000,
    /** Rows that one statement removes: it delays no other for long. */
    batch: 500,
    /** A used solution is known for so much longer than its challenge: clocks of processes may differ. */
    solutionMarginMs: 60 * 60 * 1_000,
  },
  /** Worker threads: rendering, checks and labels of pages. */
  compute: {
    /** How long a check waits for the thread. */
    checkWaitTimeoutMs: 10_000,
    /** Reading the labels of a page waits for the thread. */
    labelsSlotTimeoutMs: 10_000,
    /** The longest that the thread may take to render one page, or to read one body. */
    jobTimeoutMs: 10_000,
    /** How long the answer to a change of settings waits for a check of the page, which is only told besides. */
    noticeTimeoutMs: 1_000,
    /** The heap of the thread, for a service whose pages are small. */
    threadHeapMib: 128,
    /** Growth of the heap for each MiB of the largest page: JSON may have six characters for each byte. */
    threadHeapGrowthMib: 48,
    /**
     * Where its objects are made first. What is left of them moves to the heap at once: more than Node allows above a full heap
     * (16 MB) would end the process, and not the thread alone.
     */
    threadYoungHeapMib: 12,
    /** An idle thread is ended after this time, which frees its memory. */
    idleThreadMs: 10_000,
    /** Bounds only the list: waiting work has not read its page yet, and its body is counted in the memory budget. */
    maxWaiting: 10_000,
  },
};

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
    /** How often the doctor looks whether its submission is stored. */
    storedPollMs: 100,
    /** What is read of an answer: more is no answer of the service. */
    answerBytes: 64 * 1024,
    /** A certificate that ends within this time is a warning: renewal should have happened. */
    certificateDays: 14,
    /** With less free space, and less than the share, a disk is a warning. */
    freeDiskBytes: 1024 ** 3,
    /** A small disk may have less free space, but not less of its whole. */
    freeDiskShare: 0.1,
    /** Clocks may differ by this much. An HTTP date has whole seconds. */
    clockDifferenceMs: 5_000,
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
    /** Chunks of the database that are read from the bucket at a time. */
    pieceChunks: 4,
    /** One piece from the bucket: no person waits for it. */
    readTimeoutMs: 30_000,
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
  backup: {
    connectTimeoutMs: 10_000,
    /** A piece of a file is read from the bucket. */
    readTimeoutMs: 30_000,
  },
  restore: {
    /** Another transaction has locked a table. */
    lockTimeoutMs: 10_000,
    /** A process of the service asks the database at least twice a second: then none has asked. */
    quietMs: 3_000,
  },
} as const;

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
    /** How long the answer to a sign-in, or to the question whether the service is there, is waited for. */
    sessionTimeoutMs: 30_000,
    /** How often a script is asked for before the whole page is loaded again: a newer version may have other scripts. */
    scriptTries: 3,
  },
  /** What is said for a while. */
  notes: {
    /** "Copied": one look is enough. */
    copiedMs: 2_500,
    /** A message, with its way back. */
    messageMs: 8_000,
  },
  /** The list of pages, and one page. */
  pages: {
    /** Pages of one request. */
    pageSize: 50,
    /** Deleted pages of one request: the most that the API answers. */
    trashSize: 100,
    /** Versions of one request: the most that the API answers. */
    versions: 100,
    /** A page is checked when nothing was typed for this time. */
    typingMs: 500,
    /** The last texts that were read; each may have 2 MiB. A version never changes. */
    keptTexts: 4,
    /** As many lines as are shown; a page of 2 MiB may have two million, more than a browser can be as high as. */
    shownLines: 200_000,
    /** A longer line goes on in the row below it: browsers are slow with long ones. */
    lineChars: 240,
    /** How long the comparison may take; texts that differ more are shown as one removed and one added part. */
    compareTimeoutMs: 400,
  },
  /** Charts. */
  statistics: {
    /** Pages that are counted at a time, each with a request, if something was sent to it. */
    pageSize: 25,
    /** A browser has six connections for a host. */
    concurrentRequests: 4,
    /** Deliveries of one request: the most that the API answers. */
    logPageSize: 100,
    /** What is read of each log. A chart of more would take long. */
    logEntries: 500,
    /** A browser has six connections for a host. */
    concurrentLogs: 4,
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
    /** Keys of one request: the most that the API answers. */
    keys: 100,
  },
  /** The inbox: its list, and the submission that is open. */
  inbox: {
    /** Submissions that are read at a time. */
    pageSize: 50,
    /** Rows beyond the screen that are read ahead. */
    rowsAhead: 50,
    /** After the last key, before a search begins. */
    typingMs: 250,
    /** The API takes no longer query. */
    queryChars: 200,
    /** What a row of the list keeps of a submission, however large that is. */
    rowFields: 40,
    /** Values of one field that a row keeps. */
    rowValues: 10,
    /** Characters of one value that a row keeps. */
    rowChars: 160,
    /** Characters of the title of a submission in messages. */
    titleChars: 80,
    /** A longer label would take the place of values. */
    labelChars: 60,
    /** What is shown of a long text at first. */
    shownChars: 3_000,
    /** What is shown of many fields at first. */
    shownFields: 100,
    /** What is shown of a long name of a field. */
    fieldTitleChars: 200,
    /** Submissions of a page of the spam folder. */
    spamPageSize: 50,
    /** How often new submissions are asked for while no stream comes through: some proxies keep it back. */
    pollIntervalMs: 10_000,
    /** How long a tab that nobody sees keeps its connection: a browser has six for a host. */
    hiddenMs: 20_000,
    /** How far back each log is read. */
    logPages: 5,
    /** Deliveries of one request: the most that the API answers. */
    logPageSize: 100,
    /** Until somebody stays at a submission: who steps through many does not wait for the logs of each. */
    stayedMs: 300,
    /** Submissions that are read at a time. A browser has six connections for a host. */
    concurrentReads: 4,
    /** A browser has begun to save the file after this time; then it is removed from memory. */
    savedFileMs: 10_000,
    /** Ids of one request; the service takes as many. */
    changedIds: 1_000,
  },
} as const;

export type Limits = typeof LIMITS;

export type LimitOverrides = { readonly [Area in keyof Limits]?: Partial<Limits[Area]> | undefined };

/** The limits with some replaced. */
export const withLimits = (overrides: LimitOverrides, limits: Limits = LIMITS): Limits => ({
  server: { ...limits.server, ...overrides.server },
  requests: { ...limits.requests, ...overrides.requests },
  owners: { ...limits.owners, ...overrides.owners },
  reads: { ...limits.reads, ...overrides.reads },
  changeFeed: { ...limits.changeFeed, ...overrides.changeFeed },
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
