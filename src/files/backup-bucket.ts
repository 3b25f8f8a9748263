import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { BucketLocation } from '../environment/files-url.ts';
import type { Limits } from '../limits.ts';
import { UPLOAD_BYTES_PER_SECOND } from './bucket.ts';
import { BucketError } from './bucket-error.ts';
import { element, S3Client } from './s3-client.ts';
import { withRetries } from './with-retries.ts';

/*
 * Backups in a bucket. An object that is uploaded in parts is there once all of them are put together, so that no half of a backup
 * can be taken for one.
 */

/** All parts of an upload but the last have the same size, as some servers demand. One is in memory at a time. */
const PART_BYTES = 32 * 1024 * 1024;
/** As S3 allows. */
const MAX_PARTS = 10_000;
/** A command can wait longer than a visitor. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A server puts the parts of a large object together. */
const COMPLETE_TIMEOUT_MS = 10 * 60 * 1_000;
/** A piece of a backup is read. */
const READ_BYTES = 8 * 1024 * 1024;
const READ_TIMEOUT_MS = 60_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** Answers of LISTED_OBJECTS names each that the newest backup is looked for in. */
const MAX_LISTS = 100;

const NAME = /^formhost-\d{8}T\d{6}Z\.backup$/;

/** The name of a backup that is made now. Names are in the order of their times. */
export const newBackupName = (now = new Date()): string =>
  `formhost-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`;

/** Where an object is. */
type Target = { s3: S3Client; key: string; partBytes: number };

/** Uploads what is written in parts. `finish`: the object is there. Destroyed before, it leaves neither an object nor parts. */
class Upload extends Writable {
  readonly #target: Target;
  readonly #part: Buffer<ArrayBuffer>;
  readonly #etags: string[] = [];
  readonly #stop = new AbortController();
  #filled = 0;
  #bytes = 0;
  #uploadId = '';
  #isThere = false;

  constructor(target: Target) {
    super();
    this.#target = target;
    this.#part = Buffer.alloc(target.partBytes);
  }

  override _construct(done: (error?: Error) => void): void {
    this.#begin().then(() => done(), done);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#add(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#finish().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stop.abort();
    this.#discard().then(
      () => done(error),
      () => done(error),
    );
  }

  async #begin(): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' };
    const { body } = await this.#send({ method: 'POST', query: { uploads: '' }, headers });
    const uploadId = element(body.toString(), 'UploadId');
    if (!uploadId) throw new BucketError('the bucket answered POST without an UploadId', 'NO_UPLOAD_ID');
    this.#uploadId = uploadId;
  }

  async #add(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(this.#part, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled === this.#part.length) await this.#sendPart();
    }
  }

  async #sendPart(): Promise<void> {
    const { s3, key } = this.#target;
    if (this.#etags.length === MAX_PARTS) {
      throw new BucketError(`the backup has more than ${MAX_PARTS} parts of ${this.#part.length} bytes`, 'TOO_LARGE');
    }
    const content = this.#part.subarray(0, this.#filled);
    const { signal } = this.#stop;
    const query = { partNumber: String(this.#etags.length + 1), uploadId: this.#uploadId };
    const withinMs = REQUEST_TIMEOUT_MS + (1_000 * content.length) / UPLOAD_BYTES_PER_SECOND;
    const { etag } = await withRetries(() => s3.store({ key, query, content, withinMs, signal }), signal);
    this.#etags.push(etag);
    this.#bytes += content.length;
    this.#filled = 0;
  }

  async #finish(): Promise<void> {
    if (this.#filled > 0) await this.#sendPart();
    await withRetries(() => this.#complete(), this.#stop.signal);
    this.#isThere = true;
  }

  async #complete(): Promise<void> {
    const parts = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const content = new TextEncoder().encode(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    );
    const query = { uploadId: this.#uploadId };
    const headers = { 'x-amz-content-sha256': createHash('sha256').update(content).digest('hex') };
    try {
      const { body } = await this.#send({ method: 'POST', query, headers, content, withinMs: COMPLETE_TIMEOUT_MS });
      // An error that comes while the parts are put together has the status 200.
      if (body.includes('<CompleteMultipartUploadResult')) return;
      const code = element(body.toString(), 'Code')?.slice(0, 100) ?? 'NO_RESULT';
      throw new BucketError(`the bucket did not put the parts together: ${code}`, code);
    } catch (error) {
      // It was done by a request before, whose answer was lost.
      if (error instanceof BucketError && error.code === 'NoSuchUpload' && (await this.#isWhole())) return;
      throw error;
    }
  }

  async #isWhole(): Promise<boolean> {
    const { s3, key } = this.#target;
    const withinMs = REQUEST_TIMEOUT_MS;
    const answer = await s3.find({ method: 'GET', key, headers: { range: 'bytes=0-0' }, withinMs });
    return totalOf(answer?.headers.get('content-range')) === this.#bytes;
  }

  async #discard(): Promise<void> {
    if (this.#isThere || this.#uploadId === '') return;
    const { s3, key } = this.#target;
    const withinMs = REQUEST_TIMEOUT_MS;
    await s3.send({ method: 'DELETE', key, query: { uploadId: this.#uploadId }, withinMs });
  }

  #send(
    request: Pick<Parameters<S3Client['send']>[0], 'method' | 'query' | 'headers' | 'content'> & { withinMs?: number },
  ) {
    const { s3, key } = this.#target;
    return s3.send({ withinMs: REQUEST_TIMEOUT_MS, ...request, key, signal: this.#stop.signal });
  }
}

/** The bytes of the whole object, in an answer with a part of it. */
function totalOf(range: string | null | undefined): number | undefined {
  const [, total] = /^bytes \d+-\d+\/(\d+)$/.exec(range ?? '') ?? [];
  return total === undefined ? undefined : Number(total);
}

/** A client of a bucket with backups under a prefix. Methods reject with a BucketError. */
export class BackupBucket {
  readonly #s3: S3Client;
  readonly #prefix: string;

  constructor(location: BucketLocation, limits: Limits) {
    this.#s3 = new S3Client(location, limits);
    this.#prefix = location.prefix;
  }

  /** What is written to the stream is uploaded. */
  upload(name: string, partBytes = PART_BYTES): Writable {
    return new Upload({ s3: this.#s3, key: this.#prefix + name, partBytes });
  }

  /** Reads an object piece by piece, each again when that fails. */
  async *read(name: string, pieceBytes = READ_BYTES): AsyncGenerator<Buffer> {
    const key = this.#prefix + name;
    const same: Record<string, string> = {};
    for (let from = 0, total = 1; from < total; ) {
      const headers = { range: `bytes=${from}-${from + pieceBytes - 1}`, ...same };
      const request = { method: 'GET', key, headers, withinMs: READ_TIMEOUT_MS, maxBytes: pieceBytes } as const;
      const answer = await withRetries(() => this.#s3.find(request));
      if (!answer) throw new BucketError(`the bucket has no ${key}`, 'NoSuchKey');
      const range = answer.headers.get('content-range');
      const size = totalOf(range);
      if (size === undefined || !range?.startsWith(`bytes ${from}-`) || answer.body.length === 0) {
        throw new BucketError('the bucket answered GET with another part than was asked for', 'WRONG_PART');
      }
      yield answer.body;
      total = size;
      from += answer.body.length;
      // The pieces are of one object, even if another takes its place.
      const etag = answer.headers.get('etag');
      if (etag !== null) same['if-match'] = etag;
    }
  }

  /** Returns the name of the newest backup; undefined: there is none. */
  async newest(): Promise<string | undefined> {
    let newest: string | undefined;
    let after = '';
    for (let lists = 0; lists < MAX_LISTS; lists += 1) {
      const query = {
        'list-type': '2',
        prefix: `${this.#prefix}formhost-`,
        ...(after !== '' && { 'start-after': after }),
      };
      const withinMs = REQUEST_TIMEOUT_MS;
      const { body } = await this.#s3.send({ method: 'GET', key: '', query, withinMs, maxBytes: MAX_LIST_BYTES });
      const xml = body.toString();
      const keys = xml
        .split('<Contents>')
        .slice(1)
        .map((entry) => element(entry, 'Key') ?? '');
      const names = keys.map((key) => key.slice(this.#prefix.length));
      newest = names.findLast((name) => NAME.test(name)) ?? newest;
      const last = keys.at(-1);
      if (element(xml, 'IsTruncated') !== 'true' || last === undefined) return newest;
      after = last;
    }
    throw new BucketError('the prefix has too many objects: name the backup', 'TOO_MANY');
  }
}
