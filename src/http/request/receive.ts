import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { SIZES } from '../../sizes.ts';
import { HttpError, retryAfter } from '../response/errors.ts';
import type { MemoryReservation } from '../response/memory-budget.ts';

/*
 * The bytes of a body: received, and decoded where they are compressed. Both count them in the memory of the client.
 */

const { smallBytes, paceBytes, paceMs, maxExpansion, freeExpansionBytes } = SIZES.body;

export const tooLarge = (limit: number): HttpError =>
  new HttpError(413, `The body is too large: send at most ${limit} bytes.`);

const tooCompressed = (): HttpError =>
  new HttpError(413, `The body has more than ${maxExpansion} times its compressed size: send it uncompressed.`);

export const tooManyUploads = (): HttpError =>
  new HttpError(503, 'Too many uploads are under way: try again shortly.', retryAfter(SIZES.retryAfter.busyMs));

export const uploadTooSlow = (): HttpError =>
  new HttpError(408, 'The upload is too slow: try again on a faster connection.', { Connection: 'close' });

/** The pieces of a body. A body up to `smallBytes` is not counted, and never refused because of others. */
class Pieces {
  readonly #limit: number;
  readonly #reservation: MemoryReservation;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(limit: number, reservation: MemoryReservation) {
    this.#limit = limit;
    this.#reservation = reservation;
  }

  get size(): number {
    return this.#size;
  }

  /** Throws 413 above the limit, and 503 when the memory budget is used up. */
  add(piece: Buffer): void {
    const isFirstCounted = this.#size <= smallBytes;
    this.#size += piece.length;
    const isCounted = this.#size > smallBytes;
    if (isCounted) this.#reservation.add(isFirstCounted ? this.#size : piece.length);
    if (this.#size > this.#limit) throw tooLarge(this.#limit);
    if (isCounted && !this.#reservation.fits(0)) throw tooManyUploads();
    this.#pieces.push(piece);
  }

  whole(): Buffer {
    const [only] = this.#pieces;
    return only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
  }
}

/** What is kept of a body: `filter` returns it of each piece, and at the end without one, at most `limit` bytes. */
export type Filter = { filter(piece?: Buffer): Buffer; limit: number };

/** Receives a body to its end, or up to the first byte beyond the limit. The rest is not read here. */
export function receive(
  request: IncomingMessage,
  limit: number,
  reservation: MemoryReservation,
  filtered?: Filter,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces(filtered?.limit ?? limit, reservation);
    let received = 0;
    let pace: NodeJS.Timeout | undefined;

    function settle(error?: unknown): void {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      clearInterval(pace);
      if (error === undefined) {
        resolve(pieces.whole());
        return;
      }
      // Its memory is free before the refusal is written.
      reservation[Symbol.dispose]();
      reject(error);
    }
    function watchPace(): NodeJS.Timeout {
      let before = received;
      return setInterval(() => {
        if (received - before < paceBytes) settle(uploadTooSlow());
        before = received;
      }, paceMs);
    }
    function onData(piece: Buffer): void {
      received += piece.length;
      if (received > smallBytes) pace ??= watchPace();
      try {
        if (received > limit) throw tooLarge(limit);
        pieces.add(filtered ? filtered.filter(piece) : piece);
      } catch (error) {
        settle(error);
      }
    }
    function onEnd(): void {
      try {
        if (filtered) pieces.add(filtered.filter());
        settle();
      } catch (error) {
        settle(error);
      }
    }
    function onClose(): void {
      settle(new HttpError(400, 'The body ended early: send all of it.'));
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > limit) settle(tooLarge(limit));
    // Refused before it arrives, because it would not fit.
    else if (!filtered && length > smallBytes && !reservation.fits(length)) settle(tooManyUploads());
    else if (request.destroyed) onClose();
  });
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;
type BodyEncoding = keyof typeof DECODERS;

/** The Content-Encoding of a request; undefined for none. Throws 415. */
export function encodingOf({ headers }: IncomingMessage): BodyEncoding | undefined {
  const name = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return undefined;
  if (name === 'gzip' || name === 'x-gzip' || name === 'deflate' || name === 'br') return name;
  throw new HttpError(
    415,
    'The content encoding is not supported: send the body uncompressed, or compressed with gzip.',
    { 'Accept-Encoding': 'gzip, deflate, br' },
  );
}

/** Decodes a body. Throws 400, 413 and 503. */
export async function decode(
  encoded: Buffer,
  encoding: BodyEncoding,
  limit: number,
  reservation: MemoryReservation,
): Promise<Buffer> {
  const pieces = new Pieces(limit, reservation);
  const decoder = DECODERS[encoding]({ chunkSize: smallBytes });
  try {
    await pipeline(Readable.from([encoded]), decoder, async (decoded: AsyncIterable<Buffer>) => {
      for await (const piece of decoded) {
        pieces.add(piece);
        // A few bytes could keep the decoder busy for long.
        if (pieces.size > freeExpansionBytes && pieces.size > maxExpansion * decoder.bytesWritten) {
          throw tooCompressed();
        }
      }
    });
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(
      400,
      'The body does not match its content encoding: compress it again, or send it uncompressed.',
    );
  }
  return pieces.whole();
}
