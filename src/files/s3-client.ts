import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { decodeXML } from 'entities';
import type { BucketLocation } from '../environment/files-url.ts';
import type { Limits } from '../limits.ts';
import { BucketError } from './bucket-error.ts';

export type Request = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
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

export type Answer = { status: number; headers: Headers; body: Buffer };

/** Tries after the first, within the time of the request. */
const RETRIES = 2;
/** Each pause before another try is this many times as long as the one before. */
const RETRY_GROWTH = 4;
/** The errors of a server that has too much to do, or of a connection that breaks. They are soon over, and tried again. */
const RETRIED =
  /^(?:429|500|502|503|504|RequestTimeout|ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

/** A marker, or an error. */
export const MAX_ANSWER_BYTES = 64 * 1024;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** The code of what fetch rejects with. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  if (error.cause instanceof Error) return codeOf(error.cause);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'TimeoutError' || error.name === 'AbortError' ? 'TIMEOUT' : error.name;
}

/** The text of the first element with this name; undefined when there is none. */
export function element(xml: string, name: string): string | undefined {
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

/** Sends requests to an S3 server, signed, and again where that may help. Methods reject with a BucketError. */
export class S3Client {
  readonly #aws: AwsClient;
  readonly #url: string;
  readonly #retryMs: number;

  constructor({ url, sessionToken, ...location }: BucketLocation, { files }: Limits) {
    const { accessKeyId, secretAccessKey, region } = location;
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
    // Retries are here: those of the client leave out connections that break.
    this.#aws = new AwsClient({ ...credentials, service: 's3', region, retries: 0 });
    this.#url = url;
    this.#retryMs = files.retryMs;
  }

  /** Stores content. Its SHA-256 is signed: the server compares it with what it receives. */
  async store(
    request: Omit<Request, 'method'> & { content: Uint8Array<ArrayBuffer> },
  ): Promise<{ sha256: Buffer; etag: string }> {
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', request.content));
    const headers = { ...request.headers, 'x-amz-content-sha256': sha256.toString('hex') };
    const { headers: answered } = await this.send({ ...request, method: 'PUT', headers });
    const etag = answered.get('etag');
    // A proxy with a page for times of maintenance answers 200, too.
    if (etag === null) throw new BucketError('the bucket answered PUT without an ETag', 'NO_ETAG');
    return { sha256, etag };
  }

  /** undefined when there is no such object. */
  async find(request: Request): Promise<Answer | undefined> {
    try {
      return await this.send(request);
    } catch (error) {
      if (error instanceof BucketError && error.code === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  /** Sends a request, and tries again what is soon over. */
  async send({ withinMs, signal: given, ...request }: Request): Promise<Answer> {
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
      const pauseMs = this.#retryMs * RETRY_GROWTH ** retry * (0.5 + Math.random());
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
