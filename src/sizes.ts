/*
 * The sizes and bounds that are fixed, with the unit in the name: tests cannot replace them. Most are stated by the reference;
 * those in the groups `internal…` are pieces and bounds of algorithms. Limits that tests replace are in limits.ts. A number that one
 * file uses may be in that file.
 */

/**
 * The values of a JSON body at all levels. Each costs time and memory beside its bytes. 256 KiB of numbers from 0 to 255, the
 * smallest values that clients send, are 75,000; a site of 10,000 files has 30,000.
 */
const MAX_JSON_VALUES = 80_000;

export const SIZES = {
  /** Bodies of requests. */
  body: {
    /** A body up to this size is not counted, and never refused because of others. */
    smallBytes: 64 * 1024,
    /** A larger body of which fewer bytes arrive in this time is refused: a few slow clients could use up the memory for hours. */
    paceMs: 30_000,
    paceBytes: 256 * 1024,
    /** A smaller body of which fewer bytes arrive in this time is refused. The slowest phones send three times as much. */
    smallPaceMs: 60_000,
    smallPaceBytes: 16 * 1024,
    /** Enough for a body with settings and no page. */
    settingsBytes: 256 * 1024,
  },
  /** Lists, a page at a time. */
  list: {
    /** A higher limit counts as this one. */
    maxLimit: 100,
  },
  /** The last time that fields may name: years with more digits are no ISO 8601 that others read. */
  lastTimeMs: Date.parse('9999-12-31T23:59:59.999Z'),
  /** Networks, or owners, whose uses are counted at a time. */
  rateLimitKeys: 100_000,
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
  },
  /** The Retry-After of a 503. */
  retryAfter: {
    /** Most reasons pass within seconds. */
    busyMs: 2_000,
  },
  /** Headers of requests. */
  internalHeaders: {
    /** A page under the same domain can set cookies that browsers then send to the API: they alone must not shut out an owner. */
    maxBytes: 64 * 1024,
    /**
     * The maximum length of an Accept, Accept-Encoding or Accept-Language that is read. Browsers send at most a third of
     * that.
     */
    acceptChars: 1_000,
    /** The maximum length of a Content-Type that is read. A boundary has at most 70. */
    contentTypeChars: 1_000,
    /** Only the nearest proxies are read: each costs as much as a request, and no real chain is longer. */
    proxies: 100,
  },
  /** Writing answers. */
  internalAnswers: {
    /** An answer up to this size is sent as a whole, and not counted. */
    smallBytes: 64 * 1024,
    /**
     * A large answer is written in slices: other work runs between them, and the reader's pace can be measured. They are not
     * larger than `readingPaceBytes` (src/limits.ts), so that a reader within the pace completes one in its time.
     */
    sliceBytes: 256 * 1024,
  },
  /** Pages, as they are stored and kept in memory. */
  internalPages: {
    /**
     * A larger page is rendered, hashed and compressed in a thread, and decompressed on libuv's threads, one of each owner
     * at a time. For a smaller one the transfer would take as long.
     */
    largeBytes: 64 * 1024,
  },
  submission: {
    /** Files included. */
    maxFields: 1_000,
    maxJsonDepth: 100,
    maxJsonValues: MAX_JSON_VALUES,
    maxFiles: 10,
    /** The maximum length of `_redirect`. */
    maxRedirectChars: 2_048,
    /** The time for which browsers remember a preflight. */
    preflightSeconds: 7_200,
  },
  file: {
    /** A chunk in the database, in a statement and in memory. It is small for slow disks, and for many slow readers. */
    chunkBytes: 256 * 1024,
    /** A piece that is read from a bucket. The first is a chunk: it is read before the answer begins. */
    maxPieceBytes: 1024 * 1024,
  },
  page: {
    /** Bytes at the beginning of a page in which `<html lang>` is looked for. */
    startBytes: 8 * 1024,
    /** Edits of one request. Each searches the whole page. */
    maxEdits: 100,
  },
  search: {
    maxBulkIds: 1_000,
  },
  live: {
    maxWaitSeconds: 30,
  },
  export: {
    /** Fields that have columns of their own. */
    maxFieldColumns: 10_000,
    /** UTF-16 units of a cell: Excel accepts no more. */
    maxCellChars: 32_767,
  },
  /** Imports of earlier submissions. */
  import: {
    maxRows: 100_000,
    /** The size of a file, also when it is decompressed: half of the memory for bodies. */
    maxBytes: 50_000_000,
    /** Lines that are named as wrong: the first ones show what is. */
    maxErrors: 100,
    /** The size of the beginning of a file, of which a preview is made, and its rows. */
    previewBytes: 256 * 1024,
    previewRows: 20,
    /** Characters of a cell in a preview. */
    previewChars: 200,
  },
  operator: {
    /** Characters of what operators look for. */
    maxQueryChars: 200,
    /** Characters of the reason for taking a page down. It is in a row that is read for each submission. */
    maxReasonChars: 1_000,
  },
  notice: {
    /** The number of taken-down pages that a notice names, because a header has to be short. */
    maxNamedPages: 5,
  },
  settings: {
    maxUrlChars: 2_048,
    /** The maximum of a form's `max_submissions`. */
    maxSubmissions: 1_000_000_000,
    maxClosedMessageChars: 1_000,
    maxThanksMessageChars: 1_000,
    maxOrigins: 20,
    maxRetentionDays: 3_650,
    /** Words of the block list, and characters of each. */
    maxBlocked: 100,
    maxBlockedChars: 100,
    /** The maximum length of a captcha's secret and of its site key. */
    maxCredentialChars: 500,
  },
  webhook: {
    maxPerDeployment: 50,
    maxUrlChars: 2_048,
    /** A list is measured before its names are checked: each wrong one would be an issue. */
    maxEventNames: 50,
    /** The deliveries of each webhook that are looked at to say how it works. */
    healthDeliveries: 1_000,
    /** Failed deliveries that one request has tried again. */
    maxRetried: 1_000,
    /** The answer of a receiver. A longer body is not read to its end. */
    maxHeaderBytes: 16 * 1024,
    maxAnswerBytes: 64 * 1024,
    /** Characters (code points) of an answer that the log of attempts has. */
    maxResponseChars: 1_000,
    /** Headers of the owner's. */
    maxHeaders: 10,
    maxHeaderNameChars: 100,
    maxHeaderValueChars: 2_000,
  },
  /** Messages for Discord, Microsoft Teams, Google Chat and Telegram. */
  chat: {
    /** Discord shows no more in an embed. People read the others in the inbox. */
    maxFields: 25,
  },
  /** Addresses at which spreadsheets read submissions. */
  feed: {
    maxPerDeployment: 10,
    maxNameChars: 100,
    /** The newest submissions, which a feed has. A spreadsheet reads all of them each time. */
    maxRows: 10_000,
    /** How often one feed is read in so many seconds, in each process: by several spreadsheets, each from several machines. */
    reads: { max: 60, seconds: 60 },
  },
  /** People whom owners let read or edit a deployment. */
  guest: {
    maxPerDeployment: 50,
    /** The link of an invitation works for so many days. */
    linkDays: 7,
    /** Invitations of an owner in so many seconds. Each is a mail. */
    invitations: { max: 50, seconds: 60 * 60 },
  },
  draft: {
    /** Files of a page of which one person may have drafts. */
    maxFiles: 50,
    /** Drafts of new pages that an owner may have: some of finished pages, and one of other HTML. */
    maxNewPages: 20,
    maxNameChars: 63,
  },
  /** Secret addresses at which people read submissions. */
  share: {
    maxPerDeployment: 50,
    /** One that has expired is listed for so many days, so that its owner sees why it does not work. */
    endedDays: 7,
    /** Submissions on a page of it. */
    pageRows: 20,
    /** How often one share is read in so many seconds, in each process: by several people, with the files that they open. */
    reads: { max: 120, seconds: 60 },
  },
  /** Links in mails. */
  links: {
    /** The number of days for which a link to a file works. A link that unsubscribes works while its deployment exists. */
    fileDays: 7,
    /** The number of days for which the link works by which a recipient confirms. */
    confirmationDays: 7,
  },
  mail: {
    /** HTML of all fields. Gmail cuts off what is beyond 102 KiB of a mail. */
    maxFieldsBytes: 72 * 1024,
    /** UTF-16 units of one value, and of a name. */
    maxValueChars: 20_000,
    maxNameChars: 200,
    /** UTF-16 units of a subject that a form has chosen, and of one that names the sender. */
    maxSubjectChars: 100,
  },
  captcha: {
    /** Forms of a page that the service gives its widget: each is many times as long as the shortest form. */
    maxWidgets: 1_000,
    /** The time for which the solution of a challenge counts. */
    challengeMinutes: 20,
  },
  internal: {
    /** Data of submissions that one statement reads, unless one has more. */
    listBatchBytes: 256 * 1024,
    /** Submissions that one statement reads where they are small. */
    listBatchRows: 1_000,
  },
  /** The last label of a page's host. */
  /** Slugs that a page had before it was renamed. */
  formerSlug: {
    /** So long, its address leads to the page, and no other page gets it. */
    keptDays: 30,
    maxOfDeployment: 10,
  },
  /** Pages that are published without a key. */
  anonymous: {
    /** In an hour, from one network. */
    maxOfNetwork: 5,
    windowSeconds: 60 * 60,
    /** Of all networks, at a time. */
    maxPages: 10_000,
    /** Bytes of all of them together, from which on they take no files of visitors: nobody pays for these. */
    maxStoredBytes: 1_000_000_000,
    /** The part of the largest page that a whole request may have. */
    bodyPart: 1 / 4,
  },
  slug: {
    /** A DNS label has no more characters (RFC 1035, 2.3.4). */
    maxChars: 63,
  },
  /** Custom domains. */
  domain: {
    maxOfDeployment: 10,
  },
  apiKey: {
    /** The part of a key that is stored and shown, so that its owner recognizes it. The rest is secret. */
    prefixChars: 8,
    /** Pages that a key names, if it is not for all. */
    maxPages: 100,
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
    /** The maximum length of the User-Agent that is kept, so that the owner recognizes the browser. */
    maxUserAgentChars: 300,
  },
  /** Programs that owners allow to act for them. */
  grant: {
    /** A grant ends when it has not been used for so many days. */
    lifetimeDays: 90,
    maxOfOwner: 100,
    /** A code is exchanged at once, by a program. */
    codeSeconds: 300,
    accessTokenSeconds: 3_600,
    /** Access tokens of one grant. The oldest end when there are more: requests with the last one may still be on their way. */
    maxAccessTokens: 5,
  },
  /** Programs that register themselves, or have a metadata document. */
  oauthClient: {
    maxRedirectUris: 20,
    maxUriChars: 2_048,
    /** All redirect URIs of one client together. */
    maxUrisChars: 8_192,
    maxNameChars: 200,
    /** The body of a registration, and a metadata document. */
    maxBytes: 16 * 1024,
    /** The body of a request for tokens. */
    maxRequestBytes: 32 * 1024,
    /** A client that no owner has allowed is forgotten after so many days, any other one after its last grant and so many. */
    unusedDays: 7,
    usedDays: 365,
    /** The maximum length of a `state`. Some programs keep all that they need to know in it. */
    maxStateChars: 8_192,
    /** Registrations of one network in so many seconds, and of all networks. */
    registrations: { max: 20, seconds: 3_600, maxOfAll: 200 },
    /** Requests to be allowed of one network in so many seconds, in each process. A metadata document may be read for each. */
    requests: { max: 60, seconds: 60 },
    /** A metadata document is read again after this time at the latest, and not before the other: a person answers in between. */
    documentMs: 5 * 60_000,
    minDocumentMs: 10_000,
    /** Metadata documents that are kept. */
    maxDocuments: 1_000,
  },
  /** A new e-mail address of an owner. */
  emailChange: {
    /** The link that confirms it works for so many hours. */
    linkHours: 24,
    /** Links that an owner may ask for in so many seconds: each also says whether another owner has the address. */
    maxAsks: 5,
    askSeconds: 60 * 60,
  },
  /** Submissions that a deployment accepts in any window of so many seconds, unless its owner sets another number. */
  submissionRate: {
    max: 10,
    seconds: 60,
    /** The highest number that an operator can allow: a deployment's row has the times of so many. */
    maxOfOperator: 1_000,
  },
  /** A key is stored for so long. Only the last keys with which an owner makes something are kept. */
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
    /**
     * The maximum size of the files of a deployment's spam together. Robots could fill the storage of an owner, who sees no
     * spam.
     */
    maxFilesBytes: 50_000_000,
  },
  /** Tests that owners send to their forms. */
  test: {
    /** A test is kept for so long. */
    lifetimeHours: 24,
  },
  /** Submissions that owners have deleted. */
  trash: {
    /** They can be restored for so many days. */
    submissionDays: 7,
  },
  /** Recipients of mail about a deployment. */
  recipient: {
    maxOfDeployment: 5,
    /** An address is asked once in this time whether it wants mail about a deployment. */
    askHours: 24,
    /** Mails that ask, of one owner in any `askHours`: those of all deployments together. */
    maxAsks: 20,
    /** The mail server refuses so many mails in a row for good. Then their recipient gets no more. */
    maxRefusals: 5,
  },
  /** The mail to visitors. */
  confirmation: {
    maxFieldChars: 200,
    maxSubjectChars: 200,
    maxTextChars: 5_000,
    /** An address that the mail server has refused gets none for so long: by then, somebody may have it. */
    refusedDays: 365,
  },
  /** Submissions that a digest lists, and the bytes of their data. */
  digest: {
    maxListed: 100,
  },
  /** Slack accepts 10 fields in a section and 2,000 characters in each. The others bound the whole message. */
  slack: {
    maxFields: 10,
    maxFieldChars: 2_000,
    maxNameChars: 200,
  },
  delivery: {
    /** A longer Retry-After counts as this. */
    maxRetryAfterSeconds: 24 * 60 * 60,
  },
  /** JSON bodies of the API. */
  json: {
    /** Unknown members are ignored, up to this many. The first of them are named to the caller, each up to so many characters. */
    maxMembers: 10_000,
    maxUnknownNames: 5,
    /** Levels of unknown members are ignored, up to this many. */
    maxDepth: 10_000,
    maxValues: MAX_JSON_VALUES,
  },
  /** The form check. */
  check: {
    /** Problems of one code that are reported: the first ones show what is wrong. */
    maxProblemsPerCode: 20,
    /** Forms that are shown. Each takes many times as much of an answer as of a page. */
    maxForms: 1_000,
    /** Characters of the JSON of all forms: fields beyond are left out. A label can be that of many fields. */
    maxFormChars: 4 * 1024 * 1024,
    /** Characters of a label or a title. */
    maxTextChars: 200,
    /** Forms of a page that submissions are matched with, and the fields of all of them: they are kept in the database for each page. */
    maxKeptForms: 200,
    maxKeptFields: 2_000,
    /** Characters of the attributes that make the forms of a page tools of agents. */
    maxToolChars: 50_000,
  },
} as const;
