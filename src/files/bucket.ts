import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { decodeXML } from 'entities';
import type { BucketLocation } from '../environment/files-url.ts';
import { newObjectId, OBJECT_ID } from '../lib/ids.ts';
import type { Limits } from '../limits.ts';
import { BucketError } from './bucket-error.ts';

/** An object that has the content of a file, and when it was put there. Its id is its own and never used again. */
type StoredObject = { id: string; sha256: Buffer; putAt: number };

/** Objects of a bucket, in the order of their ids. */
export type Listed = {
  objects: { id: string; modifiedAt: Date }[];
  /** The place from which to go on; undefined at the end. */
  next: string | undefined;
  /** The bucket's clock. */
  now: Date;
};

type Request = {
  method: 'GET' | 'PUT' | 'DELETE';
  /** Empty: the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  content?: Uint8Array<ArrayBuffer>;
  withinMs: number;
  /** The most that the content of an answer may have; MAX_ANSWER_BYTES. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
};

/** A request, without its time. */
type RequestTry = Omit<Request, 'withinMs' | 'signal'>;

type Answer = { status: number; headers: Headers; body: Buffer };

/** An upload has more time, as if it were this fast. */
const UPLOAD_BYTES_PER_SECOND = 1024 * 1024;
/** Tries after the first, within the time of the request. */
const RETRIES = 2;
/** Each pause before another try is this many times as long as the one before. */
const RETRY_GROWTH = 4;
/** The errors of a server that has too much to do, or of a connection that breaks. They are soon over, and tried again. */
const RETRIED =
  /^(?:429|500|502|503|504|RequestTimeout|ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

const FOLDER = 'files/';
/** In one answer, as S3 allows. */
const LISTED_OBJECTS = 1_000;
/** A list has so many bytes at most: a key has 1,024, each of which may be escaped as six characters. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** A marker, or an error. */
const MAX_ANSWER_BYTES = 64 * 1024;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** The code of what fetch rejects with. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  if (error.cause instanceof Error) return codeOf(error.cause);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'TimeoutError' || error.name === 'AbortError' ? 'TIMEOUT' : error.name;
}

/** The text of the first element with this name; undefined when there is none. */
function element(xml: string, name: string): string | undefined {
  const from = xml.indexOf(`<${name}>`);
  const to = xml.indexOf(`</${name}>`, from);
  return from < 0 || to < 0 ? undefined : decodeXML(xml.slice(from + name.length + 2, to));
}

/** The content of an answer, decoded; undefined when it has more bytes. The rest is not read. */
async function readAnswer({ body }: Response, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** A sentence with the bucket's region where a refusal names it, as Amazon's does; else nothing. */
function regionOf({ headers, body }: Answer): string {
  const region = headers.get('x-amz-bucket-region') ?? element(body.toString(), 'Region') ?? '';
  return /^[a-z0-9-]{1,40}$/.test(region) ? `; the bucket says that its region is ${region}` : '';
}

/** A client of an S3 bucket, in which each installation has a prefix. Methods reject with a BucketError. */
export class Bucket {
  readonly #aws: AwsClient;
  readonly #url: string;
  readonly #prefix: string;
  readonly #limits: Limits['files'];

  constructor({ url, prefix, sessionToken, ...location }: BucketLocation, { files }: Limits) {
    const { accessKeyId, secretAccessKey, region } = location;
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
    // Retries are here: those of the client leave out connections that break.
    this.#aws = new AwsClient({ ...credentials, service: 's3', region, retries: 0 });
    this.#url = url;
    this.#prefix = prefix;
    this.#limits = files;
  }

  /** Stores content under a new id. Rejects with a BucketError also when the signal fires. */
  async put(content: Buffer, signal?: AbortSignal): Promise<StoredObject> {
    const id = newObjectId();
    const putAt = Date.now();
    const withinMs = this.#limits.requestTimeoutMs + (1_000 * content.length) / UPLOAD_BYTES_PER_SECOND;
    const headers = { 'content-type': 'application/octet-stream' };
    const sha256 = await this.#store({
      key: this.#keyOf(id),
      headers,
      content: new Uint8Array(content),
      withinMs,
      signal,
    });
    return { id, sha256, putAt };
  }

  /** Reads a part of an object, which has `length` bytes; undefined when there is no such object. */
  async read(
    id: string,
    { from, length }: { from: number; length: number },
    withinMs: number,
  ): Promise<Buffer | undefined> {
    const headers = { range: `bytes=${from}-${from + length - 1}` };
    const maxBytes = Math.max(length, MAX_ANSWER_BYTES);
    const answer = await this.#find({ method: 'GET', key: this.#keyOf(id), headers, withinMs, maxBytes });
    if (!answer) return undefined;
    const range = answer.headers.get('content-range') ?? '';
    const isPart = answer.status === 206 ? range.startsWith(`bytes ${from}-`) : from === 0;
    if (!isPart || answer.body.length !== length) {
      throw new BucketError('the bucket answered GET with another part than was asked for', 'WRONG_PART');
    }
    return answer.body;
  }

  /** Deletes an object. Succeeds also when there is none. Rejects with a BucketError also when the signal fires. */
  async delete(id: string, signal?: AbortSignal): Promise<void> {
    await this.#find({ method: 'DELETE', key: this.#keyOf(id), withinMs: this.#limits.requestTimeoutMs, signal });
  }

  /** Up to LISTED_OBJECTS objects after `after`, which comes from the answer before. Rejects also when the signal fires. */
  async list(after: string, signal?: AbortSignal): Promise<Listed> {
    const folder = this.#prefix + FOLDER;
    const query = {
      'list-type': '2',
      prefix: folder,
      'max-keys': String(LISTED_OBJECTS),
      ...(after !== '' && { 'start-after': folder + after }),
    };
    const { body, headers } = await this.#send({
      method: 'GET',
      key: '',
      query,
      withinMs: 4 * this.#limits.requestTimeoutMs,
      maxBytes: MAX_LIST_BYTES,
      signal,
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
      return OBJECT_ID.test(id) && !Number.isNaN(modifiedAt.getTime()) ? [{ id, modifiedAt }] : [];
    });
    const now = new Date(headers.get('date') ?? '');
    if (Number.isNaN(now.getTime())) throw new BucketError('the bucket answered GET without a date', 'NO_DATE');
    return { objects, next: element(xml, 'IsTruncated') === 'true' ? names.at(-1) : undefined, now };
  }

  /** Reads a small object by its name in the prefix; undefined when there is none. */
  async readMarker(name: string): Promise<string | undefined> {
    const withinMs = this.#limits.requestTimeoutMs;
    return (await this.#find({ method: 'GET', key: this.#prefix + name, withinMs }))?.body.toString();
  }

  /** Makes or replaces one; with `isNew`, only if there is none, where the server can do that. */
  async writeMarker(name: string, text: string, isNew = false): Promise<void> {
    const headers = { 'content-type': 'text/plain', ...(isNew && { 'if-none-match': '*' }) };
    const withinMs = this.#limits.requestTimeoutMs;
    await this.#store({ key: this.#prefix + name, headers, content: new TextEncoder().encode(text), withinMs });
  }

  async deleteMarker(name: string): Promise<void> {
    await this.#find({ method: 'DELETE', key: this.#prefix + name, withinMs: this.#limits.requestTimeoutMs });
  }

  #keyOf(id: string): string {
    return this.#prefix + FOLDER + id;
  }

  /** Returns the SHA-256, which is signed: the server compares it with what it receives. */
  async #store(request: Omit<Request, 'method'> & { content: Uint8Array<ArrayBuffer> }): Promise<Buffer> {
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', request.content));
    const headers = { ...request.headers, 'x-amz-content-sha256': sha256.toString('hex') };
    const answer = await this.#send({ ...request, method: 'PUT', headers });
    // A proxy with a page for times of maintenance answers 200, too.
    if (!answer.headers.has('etag')) throw new BucketError('the bucket answered PUT without an ETag', 'NO_ETAG');
    return sha256;
  }

  /** undefined when there is no such object. */
  async #find(request: Request): Promise<Answer | undefined> {
    try {
      return await this.#send(request);
    } catch (error) {
      if (error instanceof BucketError && error.code === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  /** Sends a request, and tries again what is soon over. */
  async #send({ withinMs, signal: given, ...request }: Request): Promise<Answer> {
    const timeOut = AbortSignal.timeout(Math.round(withinMs));
    const signal = given ? AbortSignal.any([given, timeOut]) : timeOut;
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.#sendOnce(request, signal);
      } catch (error) {
        const code = codeOf(error);
        const isRetried = RETRIED.test(code) || (error instanceof BucketError && RETRIED.test(String(error.status)));
        if (!isRetried || retry === RETRIES || signal.aborted) {
          if (error instanceof BucketError) throw error;
          throw new BucketError(`the bucket did not answer ${request.method}: ${code}`, code);
        }
      }
      // A signal that fires meanwhile ends the next try.
      const pauseMs = this.#limits.retryMs * RETRY_GROWTH ** retry * (0.5 + Math.random());
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #sendOnce(
    { method, key, query = {}, headers: given, content, maxBytes = MAX_ANSWER_BYTES }: RequestTry,
    signal: AbortSignal,
  ): Promise<Answer> {
    const url = new URL(this.#url);
    url.pathname += key;
    url.search = String(new URLSearchParams(query));
    const headers = { 'x-amz-content-sha256': EMPTY_SHA256, ...given };
    const body = content ?? null;
    const signed = await this.#aws.sign(url, { method, headers, body });
    const sent = { method, headers: signed.headers, body, redirect: 'manual', signal } as const;
    // With a Request that has the signal, the garbage collector would take the time-out away.
    const response = await fetch(signed.url, sent);
    const { status } = response;
    const read = await readAnswer(response, maxBytes);
    if (!read) throw new BucketError(`the bucket answered ${method} with more than was asked for`, 'WRONG_PART');
    const answer = { status, headers: response.headers, body: read };
    if (response.ok) return answer;
    const code = element(answer.body.toString(), 'Code')?.slice(0, 100) ?? String(status);
    throw new BucketError(`the bucket answered ${method} with ${status} ${code}${regionOf(answer)}`, code, status);
  }
}
