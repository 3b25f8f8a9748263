import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType, promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { z } from 'zod';
import { HttpError } from './errors.ts';

/** Bytes of request bodies that may be in memory at one time. */
const BUDGET = 256 * 1024 * 1024;

/** The `params` of a schema's check whose failure is a 413 and comes before any other. */
export const OVER_LIMIT = { status: 413 } as const;

const MALFORMED = 'The body is malformed: send a JSON object.';
/** What a schema says of a body that is JSON but no object. */
export const OBJECT_EXPECTED = 'The body is not an object: send a JSON object.';

/** Enough for a body that holds settings, and no page. */
export const SETTINGS_BYTES = 256 * 1024;

const DECODERS: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

const tooLarge = (limit: number): HttpError =>
  new HttpError(413, `The body is too large: send at most ${limit} bytes.`);

export type BodyReader = {
  /** The body with its Content-Encoding undone; at most `limit` bytes, before and after, else 413. */
  bytes(request: IncomingMessage, limit: number): Promise<Buffer>;
  /** What a JSON endpoint was sent, as `schema` has it; an absent body reads as `{}`. */
  json<T>(request: IncomingMessage, schema: z.ZodType<T>, limit: number): Promise<T>;
};

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

/** What a request's JSON text means, or a 400. */
function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new HttpError(400, 'The body is not valid UTF-8: send JSON in UTF-8.');
  const text = body.toString('utf8');
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw new HttpError(400, MALFORMED);
  }
}

export function createBodyReader(): BodyReader {
  let inFlight = 0;

  /** Reads to the end, or up to the first byte too many; what comes after that is read by nobody and dropped. */
  function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const settle = (error?: Error): void => {
        request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
        inFlight -= size;
        if (!error) {
          const [only] = chunks;
          resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
          return;
        }
        // A body refused in its middle is still on its way: let it pass, unread, so that the answer can be received.
        request.on('error', () => undefined).resume();
        reject(error);
      };
      const onData = (chunk: Buffer): void => {
        size += chunk.length;
        inFlight += chunk.length;
        if (size > limit) settle(tooLarge(limit));
        else if (inFlight > BUDGET) {
          settle(new HttpError(503, 'Too many uploads are under way: try again shortly.', { 'Retry-After': '2' }));
        } else chunks.push(chunk);
      };
      const onEnd = (): void => settle();
      const onClose = (): void => settle(new HttpError(400, 'The body ended early: send all of it.'));
      request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
      if (Number(request.headers['content-length'] ?? 0) > limit) settle(tooLarge(limit));
      else if (request.destroyed) onClose();
    });
  }

  async function bytes(request: IncomingMessage, limit: number): Promise<Buffer> {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === 'identity' || encoding === '') return collect(request, limit);
    const decode = DECODERS[encoding];
    if (!decode) {
      throw new HttpError(415, 'The content encoding is not supported: send the body plain or as gzip.', {
        'Accept-Encoding': 'gzip, deflate, br',
      });
    }
    const encoded = await collect(request, limit);
    try {
      return await decode(encoded, { maxOutputLength: limit });
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(limit);
      throw new HttpError(400, 'The body does not fit its content encoding: compress it again, or send it plain.');
    }
  }

  async function json<T>(request: IncomingMessage, schema: z.ZodType<T>, limit: number): Promise<T> {
    const { 'content-length': length, 'transfer-encoding': transfer, 'content-type': type } = request.headers;
    const present = (length !== undefined && Number(length) > 0) || transfer !== undefined;
    let value: unknown = {};
    if (present) {
      const isJson = mediaType(request)?.essence === 'application/json';
      // A chunked body can turn out to be absent; only one that is there has to be JSON.
      if (!isJson && (transfer === undefined || type !== undefined)) throw notJson();
      const body = await bytes(request, limit);
      if (body.length > 0 && !isJson) throw notJson();
      if (body.length > 0) value = parseJson(body);
    }
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    const { issues } = read.error;
    const tooLong = issues.find((issue) => issue.code === 'custom' && issue.params === OVER_LIMIT);
    throw new HttpError(tooLong ? 413 : 400, (tooLong ?? issues[0])?.message ?? MALFORMED);
  }

  return { bytes, json };
}

const notJson = (): HttpError =>
  new HttpError(415, 'The content type is not supported: send JSON, with Content-Type: application/json.');
