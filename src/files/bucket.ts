import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { decodeXML } from 'entities';
import { type Dispatcher, Pool } from 'undici';
import { isObjectId, newObjectId } from '../lib/ids.ts';
import { type Limits, SIZES } from '../limits.ts';
import { BucketError } from './bucket-error.ts';
import type { BucketLocation } from './location.ts';

/** An object that has the content of a file, and when it was put there. Its id is its own and never used again. */
export type StoredObject = { id: string; sha256: Buffer; putAt: number };

/** Objects of a bucket, in the order of their ids. */
type Listed = {
  objects: { id: string; modifiedAt: Date }[];
  /** From where to go on; undefined at the end. */
  next: string | undefined;
  /** The bucket's clock. */
  now: Date;
};

/** The content of a file, which may be read several times. */
export type Content = { size: number; pieces(): AsyncIterable<Buffer> | Iterable<Buffer> };

export type Bucket = {
  /** Stores content under a new id. Rejects with a BucketError, also when the signal fires. */
  put(content: Content, signal?: AbortSignal): Promise<StoredObject>;
  /**
   * Reads a part of an object, which has `length` bytes, or rejects with a BucketError, `withinMs` at the latest;
   * undefined when there is no such object.
   */
  read(id: string, part: { from: number; length: number }, withinMs: number): Promise<Buffer | undefined>;
  /** Also when there is no such object. */
  delete(id: string): Promise<void>;
  /** Up to `listedObjects` objects after `after`, which comes from the answer before. */
  list(after: string): Promise<Listed>;
  /** Reads a small object by its name in the prefix; undefined when there is none. */
  readNote(name: string): Promise<string | undefined>;
  /** Makes or replaces one; with `isNew`, only if there is none, where the server can do that. */
  writeNote(name: string, text: string, isNew?: boolean): Promise<void>;
  deleteNote(name: string): Promise<void>;
  /** The bucket's clock, as of its last answer, and ours at that time, in milliseconds. */
  clock(): { theirs: number; ours: number } | undefined;
  close(): Promise<void>;
};

/** Each pause before another try is this many times as long as the one before. */
const RETRY_GROWTH = 4;
/** What a server answers when it has too much to do, or a connection breaks, is soon over: these are tried again. */
const RETRIED_STATUSES = [429, 500, 502, 503, 504];
const RETRIED_CODES = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|RequestTimeout)$/;

/** The code of a BucketError: a success without what each S3 server answers about a stored object. */
export const NO_ETAG = 'NO_ETAG';

const FOLDER = 'files/';
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** The content of a buffer in memory. */
export const contentOf = (content: Buffer): Content => ({
  size: content.length,
  *pieces() {
    for (let from = 0; from < content.length; from += SIZES.internal.hashedSliceBytes)
      yield content.subarray(from, from + SIZES.internal.hashedSliceBytes);
  },
});

async function sha256Of({ pieces }: Content): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const piece of pieces()) {
    hash.update(piece);
    await nextTurn();
  }
  return hash.digest();
}

type Request = {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Empty: the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  content?: Content & { sha256: Buffer };
  /** The longest answer that is read. */
  maxBytes: number;
  withinMs: number;
  signal?: AbortSignal | undefined;
};
type Answer = { status: number; headers: Dispatcher.ResponseData['headers']; body: Buffer };

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return error.errors.map(codeOf).join(', ');
  return error.name === 'TimeoutError' || error.name === 'AbortError' ? 'TIMEOUT' : error.name;
};

async function bodyOf({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    const read: Buffer = piece;
    bytes += read.length;
    if (bytes > maxBytes) throw new BucketError('the bucket answered more than was asked for', 'TOO_LONG');
    pieces.push(read);
  }
  return Buffer.concat(pieces, bytes);
}

/** The text of the first element with this name; undefined when there is none. */
function element(xml: string, name: string): string | undefined {
  const from = xml.indexOf(`<${name}>`);
  const to = xml.indexOf(`</${name}>`, from);
  return from < 0 || to < 0 ? undefined : decodeXML(xml.slice(from + name.length + 2, to));
}

/** What a refusal says about where the bucket is, as Amazon's does; else nothing. */
function regionOf({ headers, body }: Answer): string {
  const region = String(headers['x-amz-bucket-region'] ?? element(body.toString(), 'Region') ?? '');
  return /^[a-z0-9-]{1,40}$/.test(region) ? `; the bucket says that its region is ${region}` : '';
}

/** A client of an S3 bucket. Connects at the first request. */
export function createBucket(location: BucketLocation, { files: limits }: Limits): Bucket {
  const base = new URL(location.url);
  const pool = new Pool(base.origin, {
    connections: limits.connections,
    connect: { timeout: limits.connectTimeoutMs },
    // Each request has its own time.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: limits.idleConnectionMs,
  });
  const signingKeys = new Map<string, ArrayBuffer>();
  const { accessKeyId, secretAccessKey, sessionToken, region, prefix } = location;
  let clock: { theirs: number; ours: number } | undefined;

  async function sendOnce({ method, key, query = {}, headers, content, ...bounds }: Request): Promise<Answer> {
    const url = new URL(base);
    url.pathname += key;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': content?.sha256.toString('hex') ?? EMPTY_SHA256 },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      cache: signingKeys,
    });
    const signed = await signer.sign();
    const sent: Record<string, string> = Object.fromEntries(signed.headers);
    if (content) sent['content-length'] = String(content.size);
    const timeOut = AbortSignal.timeout(bounds.withinMs);
    const signal = bounds.signal ? AbortSignal.any([bounds.signal, timeOut]) : timeOut;
    const askedAt = Date.now();
    const response = await pool.request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: sent,
      body: content ? Readable.from(content.pieces(), { objectMode: false }) : null,
      signal,
    });
    const answeredAt = Date.now();
    const theirs = Date.parse(String(response.headers.date));
    if (!Number.isNaN(theirs)) clock = { theirs, ours: (askedAt + answeredAt) / 2 };
    const { statusCode: status } = response;
    const isError = status >= 300;
    return {
      status,
      headers: response.headers,
      body: await bodyOf(response, isError ? SIZES.bucket.maxNoteBytes : bounds.maxBytes),
    };
  }

  /** Throws a BucketError for an answer that is no success. */
  async function send(request: Request): Promise<Answer> {
    const startedAt = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      const withinMs = Math.max(1, Math.round(request.withinMs - (performance.now() - startedAt)));
      let failure: BucketError;
      let isRetried: boolean;
      try {
        const answer = await sendOnce({ ...request, withinMs });
        if (answer.status < 300) return answer;
        const code = element(answer.body.toString(), 'Code')?.slice(0, 100) ?? String(answer.status);
        const said = `the bucket answered ${request.method} with ${answer.status} ${code}${regionOf(answer)}`;
        failure = new BucketError(said, code);
        isRetried = RETRIED_STATUSES.includes(answer.status) || RETRIED_CODES.test(code);
      } catch (error) {
        const code = codeOf(error);
        failure =
          error instanceof BucketError
            ? error
            : new BucketError(`the bucket did not answer ${request.method}: ${code}`, code);
        isRetried = RETRIED_CODES.test(code);
      }
      const waitMs = limits.retryMs * RETRY_GROWTH ** attempt * (0.5 + Math.random());
      const isLate = attempt === limits.retries || performance.now() - startedAt + waitMs > request.withinMs;
      if (!isRetried || isLate || request.signal?.aborted) throw failure;
      await delay(waitMs);
    }
  }

  /** Throws a BucketError unless an S3 server says that it has stored the object. */
  async function store(request: Omit<Request, 'method' | 'maxBytes'>): Promise<void> {
    const { headers } = await send({ ...request, method: 'PUT', maxBytes: SIZES.bucket.maxNoteBytes });
    // A proxy with a page for times of maintenance answers 200, too.
    if (!headers.etag) throw new BucketError('the bucket answered PUT without an ETag', NO_ETAG);
  }

  /** undefined when there is no such object. */
  async function find(request: Request): Promise<Answer | undefined> {
    try {
      return await send(request);
    } catch (error) {
      if (error instanceof BucketError && error.code === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  return {
    async put(content, signal) {
      const id = newObjectId();
      const putAt = Date.now();
      const sha256 = await sha256Of(content);
      // The server compares what it receives with the hash, which is signed.
      await store({
        key: `${prefix}${FOLDER}${id}`,
        headers: { 'content-type': 'application/octet-stream' },
        content: { ...content, sha256 },
        withinMs: limits.requestTimeoutMs + (1_000 * content.size) / limits.uploadBytesPerSecond,
        signal,
      });
      return { id, sha256, putAt };
    },
    async read(id, { from, length }, withinMs) {
      const answer = await find({
        method: 'GET',
        key: `${prefix}${FOLDER}${id}`,
        headers: { range: `bytes=${from}-${from + length - 1}` },
        maxBytes: length,
        withinMs,
      });
      if (!answer) return undefined;
      const range = String(answer.headers['content-range'] ?? '');
      const isPart = answer.status === 206 ? range.startsWith(`bytes ${from}-`) : from === 0;
      if (!isPart || answer.body.length !== length) {
        throw new BucketError('the bucket answered GET with another part than was asked for', 'WRONG_PART');
      }
      return answer.body;
    },
    async delete(id) {
      await find({
        method: 'DELETE',
        key: `${prefix}${FOLDER}${id}`,
        maxBytes: SIZES.bucket.maxNoteBytes,
        withinMs: limits.requestTimeoutMs,
      });
    },
    async list(after) {
      const folder = prefix + FOLDER;
      const { body, headers } = await send({
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          prefix: folder,
          'max-keys': String(SIZES.bucket.listedObjects),
          ...(after !== '' && { 'start-after': folder + after }),
        },
        maxBytes: SIZES.bucket.maxListBytes,
        withinMs: 4 * limits.requestTimeoutMs,
      });
      const xml = body.toString();
      const entries = xml.split('<Contents>').slice(1);
      const names = entries.map((entry) => (element(entry, 'Key') ?? '').slice(folder.length));
      if (names.some((name) => name <= after)) {
        throw new BucketError('the bucket listed what was listed before', 'WRONG_PART');
      }
      const objects = entries.flatMap((entry, index) => {
        const id = names[index] ?? '';
        const modifiedAt = new Date(element(entry, 'LastModified') ?? '');
        // Whatever else is there is not ours.
        return isObjectId(id) && !Number.isNaN(modifiedAt.getTime()) ? [{ id, modifiedAt }] : [];
      });
      const now = new Date(String(headers.date));
      if (Number.isNaN(now.getTime())) throw new BucketError('the bucket answered GET without a date', 'NO_DATE');
      return { objects, next: element(xml, 'IsTruncated') === 'true' ? names.at(-1) : undefined, now };
    },
    async readNote(name) {
      const key = prefix + name;
      const answer = await find({
        method: 'GET',
        key,
        maxBytes: SIZES.bucket.maxNoteBytes,
        withinMs: limits.requestTimeoutMs,
      });
      return answer?.body.toString();
    },
    async writeNote(name, text, isNew = false) {
      const content = contentOf(Buffer.from(text));
      await store({
        key: prefix + name,
        headers: { 'content-type': 'text/plain', ...(isNew && { 'if-none-match': '*' }) },
        content: { ...content, sha256: await sha256Of(content) },
        withinMs: limits.requestTimeoutMs,
      });
    },
    async deleteNote(name) {
      await find({
        method: 'DELETE',
        key: prefix + name,
        maxBytes: SIZES.bucket.maxNoteBytes,
        withinMs: limits.requestTimeoutMs,
      });
    },
    clock: () => clock,
    close: () => pool.destroy(),
  };
}
