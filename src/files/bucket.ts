import type { BucketLocation } from '../environment/files-url.ts';
import { newObjectId, OBJECT_ID } from '../lib/ids.ts';
import type { Limits } from '../limits.ts';
import { BucketError } from './bucket-error.ts';
import { element, MAX_ANSWER_BYTES, S3Client } from './s3-client.ts';

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

/** An upload has more time, as if it were this fast. */
export const UPLOAD_BYTES_PER_SECOND = 1024 * 1024;

const FOLDER = 'files/';
/** In one answer, as S3 allows. */
const LISTED_OBJECTS = 1_000;
/** A list has so many bytes at most: a key has 1,024, each of which may be escaped as six characters. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** A client of an S3 bucket, in which each installation has a prefix. Methods reject with a BucketError. */
export class Bucket {
  readonly #s3: S3Client;
  readonly #prefix: string;
  readonly #limits: Limits['files'];

  constructor(location: BucketLocation, limits: Limits) {
    this.#s3 = new S3Client(location, limits);
    this.#prefix = location.prefix;
    this.#limits = limits.files;
  }

  /** Stores content under a new id. Rejects with a BucketError also when the signal fires. */
  async put(content: Buffer, signal?: AbortSignal): Promise<StoredObject> {
    const id = newObjectId();
    const putAt = Date.now();
    const withinMs = this.#limits.requestTimeoutMs + (1_000 * content.length) / UPLOAD_BYTES_PER_SECOND;
    const headers = { 'content-type': 'application/octet-stream' };
    const { sha256 } = await this.#s3.store({
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
    const answer = await this.#s3.find({ method: 'GET', key: this.#keyOf(id), headers, withinMs, maxBytes });
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
    await this.#s3.find({ method: 'DELETE', key: this.#keyOf(id), withinMs: this.#limits.requestTimeoutMs, signal });
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
    const { body, headers } = await this.#s3.send({
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
    return (await this.#s3.find({ method: 'GET', key: this.#prefix + name, withinMs }))?.body.toString();
  }

  /** Makes or replaces one; with `isNew`, only if there is none, where the server can do that. */
  async writeMarker(name: string, text: string, isNew = false): Promise<void> {
    const headers = { 'content-type': 'text/plain', ...(isNew && { 'if-none-match': '*' }) };
    const withinMs = this.#limits.requestTimeoutMs;
    await this.#s3.store({ key: this.#prefix + name, headers, content: new TextEncoder().encode(text), withinMs });
  }

  async deleteMarker(name: string): Promise<void> {
    await this.#s3.find({ method: 'DELETE', key: this.#prefix + name, withinMs: this.#limits.requestTimeoutMs });
  }

  #keyOf(id: string): string {
    return this.#prefix + FOLDER + id;
  }
}
