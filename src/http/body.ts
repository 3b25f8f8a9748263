import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType, promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import limitConcurrency from 'p-limit';
import type { z } from 'zod';
import { readJsonObject } from '../json-text.ts';
import { HttpError } from './errors.ts';

/** Bytes of large bodies that may be in memory at a time, in a process; more where fewer than so many would fit. */
const BUDGET = 128 * 1024 * 1024;
const AT_LEAST = 4;
// A body up to this size is never refused for the others.
const SMALL_BYTES = 64 * 1024;
// A large body that brings less in such a time is cut: dripping, a few clients could hold the budget for hours.
const PACE_MS = 30_000;
const PACE_BYTES = 256 * 1024;
// What a JSON endpoint takes no string from is not read beyond this.
const MAX_SETTING_CHARS = 64 * 1024;
// What nobody asked for is ignored, but not at any price.
const JSON_LIMITS = { maxDepth: 10_000, maxMembers: 10_000 };

/** The `params` of a schema's check whose failure is a 413 and comes before any other. */
export const OVER_LIMIT = { status: 413 } as const;

const MALFORMED = 'The body is malformed: send a JSON object.';
const OVERGROWN = `The body has too many fields or levels: send at most ${JSON_LIMITS.maxMembers} of each.`;
/** Enough for a body that holds settings, and no page. */
export const SETTINGS_BYTES = 256 * 1024;

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)],
  ['br', promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress)],
]);

const tooLarge = (limit: number): HttpError =>
  new HttpError(413, `The body is too large: send at most ${limit} bytes.`);

const tooManyUploads = (): HttpError =>
  new HttpError(503, 'Too many uploads are under way: try again shortly.', { 'Retry-After': '2' });

/** How much of a body counts as being in memory, until it is disposed of. */
export type Hold = Disposable & { add(bytes: number): void };

export type BodyReader = {
  /** For a body that stays in memory after it has been read; to be disposed of after `bytes` has settled. */
  hold(): Hold;
  /**
   * The body, at most `limit` bytes, else 413; 503 when too much is in memory already. A Content-Encoding is undone, up to
   * `decodedLimit` bytes. Without a `hold` the body counts until it has been read.
   */
  bytes(request: IncomingMessage, limit: number, options?: { decodedLimit?: number; hold?: Hold }): Promise<Buffer>;
  /** What a JSON endpoint was sent, as `schema` has it; an absent body reads as `{}`. */
  json<S extends z.ZodObject>(request: IncomingMessage, schema: S, limit: number): Promise<z.infer<S>>;
};

const tooSlow = (): HttpError =>
  new HttpError(408, 'The upload is too slow: try again on a faster connection.', { Connection: 'close' });

/** The media type of a request; undefined when it has none that can be read. 415 when its charset isn't UTF-8. */
export function mediaType(request: IncomingMessage): MIMEType | undefined {
  let type: MIMEType;
  try {
    type = new MIMEType(request.headers['content-type'] ?? '');
  } catch {
    return undefined;
  }
  const charset = type.params.get('charset');
  if (charset !== null && !/^utf-?8$/i.test(charset)) {
    throw new HttpError(415, 'The charset of the body is not supported: send UTF-8.');
  }
  return type;
}

/** Why the type of a body is refused, where a JSON endpoint refuses it. */
function refuseType(request: IncomingMessage): HttpError | undefined {
  try {
    if (mediaType(request)?.essence === 'application/json') return undefined;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  return new HttpError(415, 'The content type is not supported: send JSON, with Content-Type: application/json.');
}

/** The members of a JSON object that go by these names. Others are passed over unread, whatever they would cost. */
function parseMembers(body: Buffer, names: readonly string[]): Record<string, unknown> {
  if (!isUtf8(body)) throw new HttpError(400, 'The body is not valid UTF-8: send JSON in UTF-8.');
  const text = body.toString('utf8');
  const { members, problem } = readJsonObject(text.startsWith('\uFEFF') ? text.slice(1) : text, JSON_LIMITS);
  if (problem === 'too deep' || problem === 'too many members') throw new HttpError(400, OVERGROWN);
  if (problem !== undefined) throw new HttpError(400, MALFORMED);
  // Only a string may be long; anything else that is becomes what no schema takes, at no cost.
  const read = (value: string): unknown =>
    value.length <= MAX_SETTING_CHARS || value.startsWith('"') ? JSON.parse(value) : null;
  const known = members.filter(({ name }) => names.includes(name));
  return Object.fromEntries(known.map(({ name, value }) => [name, read(value)]));
}

/** `largest`: bytes of the largest body that has to fit. */
export function createBodyReader({ largest }: { largest: number }): BodyReader {
  const budget = Math.max(BUDGET, AT_LEAST * largest);
  let inMemory = 0;
  // A few bytes can stand for a great many: what they decode to is in memory for one body only.
  const oneAtATime = limitConcurrency(1);

  function hold(): Hold {
    let held = 0;
    return {
      add(bytes) {
        held += bytes;
        inMemory += bytes;
      },
      [Symbol.dispose]() {
        inMemory -= held;
        held = 0;
      },
    };
  }

  /** Reads to the end, or up to the first byte too many; what comes after that is read by nobody and dropped. */
  function collect(request: IncomingMessage, limit: number, held: Hold): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let pace: NodeJS.Timeout | undefined;
      const settle = (error?: Error): void => {
        request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
        clearInterval(pace);
        if (!error) {
          const [only] = chunks;
          resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
          return;
        }
        chunks.length = 0;
        held[Symbol.dispose]();
        reject(error);
      };
      const keepPace = (): NodeJS.Timeout => {
        let before = size;
        return setInterval(() => {
          if (size - before < PACE_BYTES) settle(tooSlow());
          before = size;
        }, PACE_MS);
      };
      const onData = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > SMALL_BYTES) {
          // What came before counts from now on as well.
          held.add(pace === undefined ? size : chunk.length);
          pace ??= keepPace();
        }
        if (size > limit) settle(tooLarge(limit));
        else if (size > SMALL_BYTES && inMemory > budget) settle(tooManyUploads());
        else chunks.push(chunk);
      };
      const onEnd = (): void => settle();
      const onClose = (): void => settle(new HttpError(400, 'The body ended early: send all of it.'));
      request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
      const length = Number(request.headers['content-length'] ?? 0);
      if (length > limit) settle(tooLarge(limit));
      // It could not come to its end.
      else if (length > SMALL_BYTES && inMemory + length > budget) settle(tooManyUploads());
      else if (request.destroyed) onClose();
    });
  }

  const bytes: BodyReader['bytes'] = async (request, limit, { decodedLimit = limit, hold: given } = {}) => {
    using own = hold();
    const held = given ?? own;
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === 'identity' || encoding === '') return await collect(request, limit, held);
    const decode = DECODERS.get(encoding);
    if (!decode) {
      throw new HttpError(415, 'The content encoding is not supported: send the body plain or as gzip.', {
        'Accept-Encoding': 'gzip, deflate, br',
      });
    }
    const encoded = await collect(request, limit, held);
    if (encoded.length === 0) return encoded;
    try {
      const decoded = await oneAtATime(() => decode(encoded, { maxOutputLength: decodedLimit }));
      if (decoded.length > SMALL_BYTES) held.add(decoded.length);
      return decoded;
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(decodedLimit);
      throw new HttpError(400, 'The body does not fit its content encoding: compress it again, or send it plain.');
    }
  };

  /** Whether a body has as much as a byte; reads no further. */
  const isThere = (request: IncomingMessage): Promise<boolean> =>
    collect(request, 0, hold()).then(
      () => false,
      (error) => {
        if (error instanceof HttpError && error.status === 413) return true;
        throw error;
      },
    );

  async function json<S extends z.ZodObject>(request: IncomingMessage, schema: S, limit: number): Promise<z.infer<S>> {
    const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
    let value: Record<string, unknown> = {};
    if (transfer !== undefined || Number(length ?? 0) > 0) {
      const refusal = refuseType(request);
      if (!refusal) {
        const body = await bytes(request, limit);
        if (body.length > 0) value = parseMembers(body, Object.keys(schema.shape));
      } else if (await isThere(request)) throw refusal;
    }
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    const { issues } = read.error;
    const tooLong = issues.find((issue) => issue.code === 'custom' && issue.params === OVER_LIMIT);
    throw new HttpError(tooLong ? 413 : 400, (tooLong ?? issues[0])?.message ?? MALFORMED);
  }

  return { hold, bytes, json };
}
