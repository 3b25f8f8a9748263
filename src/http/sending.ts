import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { type Limits, SIZES } from '../limits.ts';
import { createChooseEncoding } from './accept.ts';
import { compressFast, compressPieces } from './compress.ts';
import { HttpError, retryAfter } from './errors.ts';
import { createMemoryBudget, type MemoryReservation } from './memory-budget.ts';
import type { OwnerConcurrency } from './owner-concurrency.ts';

const { smallBytes, sliceBytes, minCompressedBytes, encoderBytes } = SIZES.internalAnswers;

const tooManyAnswers = (): HttpError =>
  new HttpError(
    503,
    'Too many large answers are being read: read those first, then try again.',
    retryAfter(SIZES.retryAfter.busyMs),
  );

type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

export type Sending = {
  /**
   * Counts the bytes that an answer keeps in memory, until it is closed. Throws 503 when they don't fit the memory
   * budget. `client`: an owner, or the deployment whose links visitors open.
   */
  reserve(response: ServerResponse, client: number | string, bytes: number): void;
  /**
   * Counts a body that several answers share, once, until each has called the returned function. The page cache may
   * have dropped the body meanwhile: without a limit, clients that never read could have pages rendered again and
   * again, and keep each in memory.
   */
  share(ownerId: number, body: Buffer): () => void;
  /** Counts bytes until the reservation is disposed of; undefined when they don't fit the memory budget. */
  tryReserve(ownerId: number, bytes: number): Disposable | undefined;
  /** Writes a piece of an answer as fast as the client reads it. */
  write(response: ServerResponse, piece: string | Buffer): Promise<void>;
  /** Whether the memory budget allows another body for this owner. */
  fits(ownerId: number): boolean;
  /**
   * Sends pieces as fast as the client reads them; ends early when it disconnects. Where a piece fails the connection
   * is reset, so that what was sent does not look complete.
   */
  stream(response: ServerResponse, pieces: Pieces): Promise<void>;
  /** The same, compressed if the client accepts that. Answers HEAD too. */
  compressedStream(response: Response, pieces: Pieces): Promise<void>;
  /** Sends a JSON text as a whole, compressed if it is not short and the client accepts that. */
  jsonText(response: Response, text: string): Promise<void>;
  /**
   * Sends the pieces of a JSON text, of which `bytes` are in memory at a time: as a whole when these are few, else as a
   * counted stream. Compressed if the client accepts that.
   */
  json(
    response: Response,
    ownerId: number,
    bytes: number,
    pieces: AsyncIterable<string> | Iterable<string>,
  ): Promise<void>;
};

/**
 * Settles when a response accepts more, or its client has disconnected. To be called directly after `write` has
 * returned false.
 */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });

/** Bounds the memory of answers that are read slowly. `largest`: bytes of the largest page. */
export function createSending({
  release,
  largest,
  limits,
}: Pick<OwnerConcurrency, 'release'> & { largest: number; limits: Limits }): Sending {
  const budget = createMemoryBudget<number | string>(largest, limits);
  const chooseEncoding = createChooseEncoding();
  const limitCompression = limitConcurrency(limits.requests.compressions);
  const shared = new Map<Buffer, { readers: number; reservation: MemoryReservation }>();

  function reserve(response: ServerResponse, client: number | string, bytes: number): void {
    const reservation = budget.reserve(client);
    if (!reservation.fits(bytes)) throw tooManyAnswers();
    if (response.closed) return;
    reservation.add(bytes);
    response.once('close', () => reservation[Symbol.dispose]());
  }

  async function write(response: ServerResponse, piece: string | Buffer): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let from = 0; from < bytes.length && !response.destroyed; from += sliceBytes) {
      // Restarts the time-out: while there is something to write, the client is not the one that is idle.
      response.socket?.setTimeout(response.socket.timeout ?? 0);
      if (!response.write(bytes.subarray(from, from + sliceBytes))) {
        const slow = setTimeout(() => release(response.req), limits.requests.slowReaderMs);
        await drained(response);
        clearTimeout(slow);
      }
      // A fast client reads it within the same turn of the event loop. Other work runs before the next slice.
      await nextTurn();
    }
  }

  async function stream(response: ServerResponse, pieces: Pieces): Promise<void> {
    // The headers are sent now: the first piece may take long.
    response.flushHeaders();
    try {
      for await (const piece of pieces) {
        await write(response, piece);
        // Checked before the next piece is read, which may wait for a database connection.
        if (response.destroyed) return;
      }
    } catch (error) {
      // In HTTP/1.0 only the end of the connection ends an answer.
      response.socket?.resetAndDestroy();
      throw error;
    } finally {
      release(response.req);
    }
    response.end();
  }

  async function compressedStream(response: Response, pieces: Pieces): Promise<void> {
    const encoding = chooseEncoding(response.req);
    response.vary('Accept-Encoding');
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    if (response.req.method === 'HEAD') response.end();
    else await stream(response, encoding === 'identity' ? pieces : compressPieces(pieces, encoding));
  }

  async function jsonText(response: Response, text: string): Promise<void> {
    const body = Buffer.from(text);
    response.type('json');
    if (body.length <= minCompressedBytes) {
      response.send(body);
      return;
    }
    const encoding = chooseEncoding(response.req);
    response.vary('Accept-Encoding');
    if (encoding === 'identity') {
      response.send(body);
      return;
    }
    const compressed = await limitCompression(() => compressFast(body, encoding));
    response.set('Content-Encoding', encoding).send(compressed);
  }

  return {
    reserve,
    write,
    tryReserve(ownerId, bytes) {
      const reservation = budget.reserve(ownerId);
      if (!reservation.fits(bytes)) return undefined;
      reservation.add(bytes);
      return reservation;
    },
    fits: (ownerId) => budget.reserve(ownerId).fits(0),
    share(ownerId, body) {
      const use = shared.get(body) ?? { readers: 0, reservation: budget.reserve(ownerId) };
      if (use.readers === 0) use.reservation.add(body.length);
      shared.set(body, use);
      use.readers += 1;
      return () => {
        use.readers -= 1;
        if (use.readers > 0) return;
        shared.delete(body);
        use.reservation[Symbol.dispose]();
      };
    },
    stream,
    compressedStream,
    jsonText,
    async json(response, ownerId, bytes, pieces) {
      if (bytes <= smallBytes) {
        let text = '';
        for await (const piece of pieces) text += piece;
        await jsonText(response, text);
        return;
      }
      response.type('json');
      reserve(response, ownerId, bytes + encoderBytes);
      await compressedStream(response, pieces);
    },
  };
}
