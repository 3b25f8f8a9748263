import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { SIZES } from '../../sizes.ts';
import { HttpError, retryAfter } from '../response/errors.ts';
import type { MemoryReservation } from '../response/memory-budget.ts';

/*
 * The bytes of a body: received, and decoded where they are compressed.
 */

const { smallBytes, paceBytes, paceMs, smallPaceBytes, smallPaceMs } = SIZES.body;

/** Smaller pieces are copied into blocks of this size: a piece of one byte, which a chunk can be, takes hundreds in memory. */
const BLOCK_BYTES = 16 * 1024;

export const tooLarge = (limit: number): HttpError =>
  new HttpError(413, `The body is too large: send at most ${limit} bytes.`);

export const tooManyUploads = (): HttpError =>
  new HttpError(503, 'Too many uploads are under way: try again shortly.', retryAfter(SIZES.retryAfter.busyMs));

export const uploadTooSlow = (): HttpError =>
  new HttpError(408, 'The upload is too slow: try again on a faster connection.', { Connection: 'close' });

/** The bytes of a body as they come. */
class Pieces {
  readonly #pieces: Buffer[] = [];
  #block: Buffer | undefined;
  #blockLength = 0;
  size = 0;

  add(piece: Buffer): void {
    // Most bodies have one piece, which is not copied.
    const isCopied = this.size > 0 && piece.length < BLOCK_BYTES;
    this.size += piece.length;
    if (!isCopied) {
      this.#endBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#blockLength + piece.length > BLOCK_BYTES) this.#endBlock();
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#blockLength += piece.copy(this.#block, this.#blockLength);
  }

  all(): Buffer {
    this.#endBlock();
    const [first, ...others] = this.#pieces;
    return first && others.length === 0 ? first : Buffer.concat(this.#pieces);
  }

  #endBlock(): void {
    if (this.#block) this.#pieces.push(this.#block.subarray(0, this.#blockLength));
    this.#block = undefined;
    this.#blockLength = 0;
  }
}

/**
 * Receives a body to its end, or up to the first byte beyond the limit; the rest is not read here. A body up to `smallBytes`
 * is not counted in the memory of the client, and never refused because of others, but of too many of the same client that are not
 * complete. One that comes too slowly is refused.
 */
export function receive(request: IncomingMessage, limit: number, reservation: MemoryReservation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    let pace: NodeJS.Timeout | undefined;

    function settle(error?: HttpError): void {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      clearInterval(pace);
      reservation.setArriving(0);
      if (!error) {
        resolve(pieces.all());
        return;
      }
      // Its memory is free before the refusal is written.
      reservation[Symbol.dispose]();
      reject(error);
    }
    function watchPace(bytes: number, ms: number): void {
      clearInterval(pace);
      let before = pieces.size;
      pace = setInterval(() => {
        if (pieces.size - before < bytes) settle(uploadTooSlow());
        before = pieces.size;
      }, ms);
    }
    function onData(piece: Buffer): void {
      const counted = pieces.size > smallBytes ? pieces.size : 0;
      pieces.add(piece);
      const { size } = pieces;
      if (size > smallBytes) {
        reservation.setArriving(0);
        reservation.add(size - counted);
        if (counted === 0) watchPace(paceBytes, paceMs);
      }
      if (size > limit) settle(tooLarge(limit));
      else if (size > smallBytes ? !reservation.fits(0) : !(request.complete || reservation.setArriving(size)))
        settle(tooManyUploads());
    }
    const onEnd = (): void => settle();
    const onClose = (): void => settle(new HttpError(400, 'The body ended early: send all of it.'));
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > limit) settle(tooLarge(limit));
    // Refused before it arrives, because it would not fit.
    else if (length > smallBytes && !reservation.fits(length)) settle(tooManyUploads());
    else if (request.destroyed) onClose();
    // Most small bodies have arrived together with their headers.
    else if (!request.complete) watchPace(smallPaceBytes, smallPaceMs);
  });
}

const DECODERS = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress),
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

/** Decodes a body to at most `limit` bytes. Throws 400 and 413. */
export function decode(encoded: Buffer, encoding: BodyEncoding, limit: number): Promise<Buffer> {
  return DECODERS[encoding](encoded, { maxOutputLength: limit }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new HttpError(
      400,
      'The body does not match its content encoding: compress it again, or send it uncompressed.',
    );
  });
}
