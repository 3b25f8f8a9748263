import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { type ContentType, parse as parseContentType } from 'content-type';
import type { z } from 'zod';
import type { ComputePool } from '../../compute/pool.ts';
import { type Member, type ReadMembers, readMembers } from '../../compute/read-members.ts';
import { BusyError, createFairQueue } from '../../lib/fair-queue.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { HttpError, retryAfter } from '../response/errors.ts';
import { createMemoryBudget, type MemoryReservation } from '../response/memory-budget.ts';
import { queryValues } from './query.ts';

/** The `params` of a schema's check whose failure is a 413 and comes before any other. */
export const OVER_LIMIT = { status: 413 } as const;

const MALFORMED = 'The body is malformed: send a JSON object.';
const TOO_COMPLEX = `The body has too many fields or levels: send at most ${SIZES.json.maxMembers} of each.`;

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)],
  ['br', promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress)],
]);

export const tooLarge = (limit: number): HttpError =>
  new HttpError(413, `The body is too large: send at most ${limit} bytes.`);

const tooManyUploads = (): HttpError =>
  new HttpError(503, 'Too many uploads are under way: try again shortly.', retryAfter(SIZES.retryAfter.busyMs));

/** The body of an API's request: a JSON object, at most `maxBytes` long, with the fields of `schema`. */
export type BodyForm<S extends z.ZodObject> = {
  schema: S;
  maxBytes: number;
  /** Levels of objects below the body's own that may be long; 0. */
  longLevels?: number;
  /** Another form: this field is the whole body, of the media type `type`. The query has the other fields. */
  text?: TextForm;
};
type TextForm = { field: string; type: string; maxBytes: number };

export type BodyReader = {
  /**
   * A reservation of memory for a body, to be disposed of after `bytes` has settled and the body is no longer needed.
   * `client`: whose body it is, a network or an owner.
   */
  reserve(client: string | number): MemoryReservation;
  /**
   * The body, at most `limit` bytes, else 413; 503 when the memory budget of its client, or of all clients, is used up.
   * A Content-Encoding is decoded, up to `decodedLimit` bytes. `filter` returns what is kept of the bytes of a body without
   * one, at most `decodedLimit`, and is called without bytes at the end.
   */
  bytes(
    request: IncomingMessage,
    limit: number,
    reservation: MemoryReservation,
    options?: { decodedLimit?: number; filter?: (chunk?: Buffer) => Buffer },
  ): Promise<Buffer>;
  /**
   * The fields that a request sends, as `schema` says; an absent body reads as `{}`.
   */
  fields<S extends z.ZodObject>(request: IncomingMessage, ownerId: number, form: BodyForm<S>): Promise<z.infer<S>>;
};

export const tooSlow = (): HttpError =>
  new HttpError(408, 'The upload is too slow: try again on a faster connection.', { Connection: 'close' });

/**
 * The media type of a request, its type in lower case; undefined when it is too long to be one. 415 when its charset
 * isn't UTF-8.
 */
export function mediaType(request: IncomingMessage): ContentType | undefined {
  const { 'content-type': header = '' } = request.headers;
  if (header.length > SIZES.internalHeaders.contentTypeChars) return undefined;
  const mediaType = parseContentType(header);
  const { charset = '' } = mediaType.parameters;
  if (charset !== '' && !/^utf-?8$/i.test(charset)) {
    throw new HttpError(415, 'The charset of the body is not supported: send UTF-8.');
  }
  return mediaType;
}

export const malformed = (): HttpError => new HttpError(400, MALFORMED);

export const notJson = (): HttpError =>
  new HttpError(415, 'The content type is not supported: send JSON, with Content-Type: application/json.');

export const notJsonOrText = (type: string): HttpError =>
  new HttpError(
    415,
    `The content type is not supported: send JSON with Content-Type: application/json, or the page itself with Content-Type: ${type}.`,
  );

/** The form in which a body comes, by its type; the error where it is refused. */
function formOf(request: IncomingMessage, text: TextForm | undefined): 'json' | 'text' | HttpError {
  try {
    const type = mediaType(request)?.type;
    if (type === 'application/json') return 'json';
    if (type !== undefined && type === text?.type) return 'text';
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
  return text ? notJsonOrText(text.type) : notJson();
}

/** The fields of a body, as the schema says; throws 400 and 413. */
export function checkFields<S extends z.ZodObject>(values: Readonly<Record<string, unknown>>, schema: S): z.infer<S> {
  const read = schema.safeParse(values);
  if (read.success) return read.data;
  const { issues } = read.error;
  const tooLong = issues.find((issue) => issue.code === 'custom' && issue.params === OVER_LIMIT);
  throw new HttpError(tooLong ? 413 : 400, (tooLong ?? issues[0])?.message ?? MALFORMED);
}

const fromMembers = (members: readonly Member[]): Record<string, unknown> =>
  Object.fromEntries(members.map(({ name, value }) => [name, readValue(value)]));

function readValue(value: Member['value']): unknown {
  if ('members' in value) return fromMembers(value.members);
  return 'string' in value ? value.string : JSON.parse(value.json);
}

/** What was read as an object; throws 400 where it could not be read. */
function toObject({ members, problem }: ReadMembers): Record<string, unknown> {
  if (problem === 'not UTF-8') throw new HttpError(400, 'The body is not valid UTF-8: send JSON in UTF-8.');
  if (problem === 'too deep' || problem === 'too many members') throw new HttpError(400, TOO_COMPLEX);
  if (problem !== undefined) throw new HttpError(400, MALFORMED);
  return fromMembers(members);
}

/** `largest`: bytes of the largest body that has to fit. */
export function createBodyReader({
  largest,
  compute,
  limits,
}: {
  largest: number;
  compute: Pick<ComputePool, 'run'>;
  limits: Limits;
}): BodyReader {
  const { reserve } = createMemoryBudget<string | number>(largest, limits);
  // Decoding is the work of a few bytes: clients are served in turn.
  const decoding = createFairQueue<string | number>({ slots: 1, maxWaiting: limits.requests.maxWaitingDecodings });

  /** Reads to the end, or up to the first byte beyond the limit. The rest is not read here. */
  function collect(
    request: IncomingMessage,
    limit: number,
    reservation: MemoryReservation,
    filtered?: { filter: (chunk?: Buffer) => Buffer; limit: number },
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let kept = 0;
      let pace: NodeJS.Timeout | undefined;
      const settle = (error?: Error): void => {
        request
          .off('data', onData)
          .off('data', onFiltered)
          .off('end', onEnd)
          .off('close', onClose)
          .off('error', onClose);
        clearInterval(pace);
        if (!error) {
          const [only] = chunks;
          resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
          return;
        }
        chunks.length = 0;
        reservation[Symbol.dispose]();
        reject(error);
      };
      const keepPace = (): NodeJS.Timeout => {
        let before = size;
        return setInterval(() => {
          if (size - before < SIZES.body.paceBytes) settle(tooSlow());
          before = size;
        }, SIZES.body.paceMs);
      };
      const onFiltered = (chunk?: Buffer): void => {
        if (!filtered) return;
        size += chunk?.length ?? 0;
        pace ??= keepPace();
        const part = filtered.filter(chunk);
        kept += part.length;
        reservation.add(part.length);
        if (part.length > 0) chunks.push(part);
        if (size > limit || kept > filtered.limit) settle(tooLarge(limit));
        else if (kept > SIZES.body.smallBytes && !reservation.fits(0)) settle(tooManyUploads());
      };
      const onData = (chunk: Buffer): void => {
        size += chunk.length;
        if (size > SIZES.body.smallBytes) {
          // Includes the bytes before this chunk.
          reservation.add(pace === undefined ? size : chunk.length);
          pace ??= keepPace();
        }
        if (size > limit) settle(tooLarge(limit));
        else if (size > SIZES.body.smallBytes && !reservation.fits(0)) settle(tooManyUploads());
        else chunks.push(chunk);
      };
      const onEnd = (): void => {
        onFiltered();
        settle();
      };
      const onClose = (): void => settle(new HttpError(400, 'The body ended early: send all of it.'));
      request
        .on('data', filtered ? onFiltered : onData)
        .on('end', onEnd)
        .on('close', onClose)
        .on('error', onClose);
      const length = Number(request.headers['content-length'] ?? 0);
      if (length > limit) settle(tooLarge(limit));
      // Refused before it arrives, because it would not fit.
      else if (!filtered && length > SIZES.body.smallBytes && !reservation.fits(length)) settle(tooManyUploads());
      else if (request.destroyed) onClose();
    });
  }

  const bytes: BodyReader['bytes'] = async (request, limit, reservation, { decodedLimit = limit, filter } = {}) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === 'identity' || encoding === '') {
      const filtered = filter && { filter, limit: decodedLimit };
      return await collect(request, limit, reservation, filtered);
    }
    const decode = DECODERS.get(encoding);
    if (!decode) {
      throw new HttpError(
        415,
        'The content encoding is not supported: send the body uncompressed, or compressed with gzip.',
        {
          'Accept-Encoding': 'gzip, deflate, br',
        },
      );
    }
    const encoded = await collect(request, limit, reservation);
    if (encoded.length === 0) return encoded;
    try {
      const decoded = await decoding.run(reservation.client, limits.requests.decodingWaitTimeoutMs, () =>
        decode(encoded, { maxOutputLength: decodedLimit }),
      );
      if (decoded.length > SIZES.body.smallBytes) {
        reservation.add(decoded.length);
        if (!reservation.fits(0)) throw tooManyUploads();
      }
      return decoded;
    } catch (error) {
      if (error instanceof HttpError) throw error;
      if (error instanceof BusyError) throw tooManyUploads();
      if (error instanceof RangeError) throw tooLarge(decodedLimit);
      throw new HttpError(
        400,
        'The body does not match its content encoding: compress it again, or send it uncompressed.',
      );
    }
  };

  /** Whether a body has at least one byte; reads no further. */
  const isThere = (request: IncomingMessage, reservation: MemoryReservation): Promise<boolean> =>
    collect(request, 0, reservation).then(
      () => false,
      (error) => {
        if (error instanceof HttpError && error.status === 413) return true;
        throw error;
      },
    );

  /** The members of a JSON object with these names. */
  async function members(
    ownerId: number,
    { schema, longLevels = 0 }: BodyForm<z.ZodObject>,
    body: Buffer,
  ): Promise<Record<string, unknown>> {
    if (body.length === 0) return {};
    const input = { body, names: Object.keys(schema.shape), longLevels };
    if (body.length <= limits.requests.jsonInThreadBytes) return toObject(readMembers(input));
    return toObject(
      await compute.run(ownerId, limits.requests.jsonWaitTimeoutMs, (thread) => thread.run('readMembers', input)),
    );
  }

  /** What a request sends of the fields of a schema, unchecked. */
  async function sent(
    request: IncomingMessage,
    ownerId: number,
    form: ReturnType<typeof formOf>,
    declared: BodyForm<z.ZodObject>,
  ): Promise<Record<string, unknown>> {
    const { schema, maxBytes, text } = declared;
    const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
    const isSent = transfer !== undefined || Number(length ?? 0) > 0;
    using reservation = reserve(ownerId);
    if (text && form === 'text') {
      const body = isSent ? await bytes(request, text.maxBytes, reservation) : Buffer.alloc(0);
      if (!isUtf8(body))
        throw new HttpError(400, 'The body is not valid UTF-8: save the page as UTF-8, and send it again.');
      return { ...queryValues(request.url, Object.keys(schema.shape)), [text.field]: body.toString('utf8') };
    }
    if (!isSent) return {};
    if (form === 'json') return await members(ownerId, declared, await bytes(request, maxBytes, reservation));
    if (form instanceof HttpError && (await isThere(request, reservation))) throw form;
    return {};
  }

  const fields: BodyReader['fields'] = async (request, ownerId, declared) => {
    const { schema, text } = declared;
    const form = formOf(request, text);
    const fields = checkFields(await sent(request, ownerId, form, declared), schema);
    // Ignored, a slug in the query would publish the page elsewhere than its owner expects.
    const [misplaced] = text && form !== 'text' ? Object.keys(queryValues(request.url, Object.keys(schema.shape))) : [];
    if (misplaced !== undefined) {
      throw new HttpError(400, `${misplaced} is in the query: with a JSON body, send it in the body.`);
    }
    return fields;
  };

  return { reserve, bytes, fields };
}
