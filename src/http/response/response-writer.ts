import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { HttpError, retryAfter } from './errors.ts';
import { MemoryBudget, type MemoryReservation } from './memory-budget.ts';

const { smallBytes, sliceBytes } = SIZES.internalAnswers;

const tooManyAnswers = (): HttpError =>
  new HttpError(
    503,
    'Too many large answers are being read: read those first, then try again.',
    retryAfter(SIZES.retryAfter.busyMs),
  );

type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/** Writes large answers as fast as they are read, and bounds the memory of those that are read slowly. */
export class ResponseWriter {
  readonly #budget: MemoryBudget;
  readonly #shared = new Map<Buffer, { readers: number; reservation: MemoryReservation }>();

  /** `largest`: bytes of the largest page. */
  constructor({ largest, limits }: { largest: number; limits: Limits }) {
    this.#budget = new MemoryBudget(largest, limits);
  }

  /**
   * Counts the bytes that an answer keeps in memory, until it is closed. Throws 503 when they don't fit the memory
   * budget. `client`: an owner, or the network of a visitor.
   */
  reserve(response: ServerResponse, client: number | string, bytes: number): MemoryReservation {
    const reservation = this.tryReserve(client, bytes);
    if (!reservation) throw tooManyAnswers();
    if (response.closed) reservation[Symbol.dispose]();
    else response.once('close', () => reservation[Symbol.dispose]());
    return reservation;
  }

  /** Counts bytes until the reservation is disposed of; undefined when they don't fit the memory budget. */
  tryReserve(client: number | string, bytes: number): MemoryReservation | undefined {
    const reservation = this.#budget.reserve(client);
    if (!reservation.fits(bytes)) return undefined;
    reservation.add(bytes);
    return reservation;
  }

  /** Returns whether the memory budget allows another answer of so many bytes to anybody. */
  hasRoomFor(bytes: number): boolean {
    return this.#budget.hasRoomFor(bytes);
  }

  /**
   * Counts a body that several answers share, once, until each has called the returned function: under the client of the first
   * of these. The page cache may have dropped the body meanwhile: without a limit, clients that never read could have pages
   * rendered again and again, and keep each in memory. Throws 503 when it doesn't fit the memory budget.
   */
  countShared(client: number | string, body: Buffer): () => void {
    let use = this.#shared.get(body);
    if (!use) {
      const reservation = this.tryReserve(client, body.length);
      if (!reservation) throw tooManyAnswers();
      use = { readers: 0, reservation };
      this.#shared.set(body, use);
    }
    const { reservation } = use;
    use.readers += 1;
    return () => {
      use.readers -= 1;
      if (use.readers > 0) return;
      this.#shared.delete(body);
      reservation[Symbol.dispose]();
    };
  }

  /**
   * Sends pieces as fast as the client reads them; ends early when it disconnects. Where a piece fails the connection
   * is reset, so that what was sent does not look complete.
   */
  async stream(response: ServerResponse, pieces: Pieces): Promise<void> {
    // The headers are sent now: the first piece may take long.
    response.flushHeaders();
    let wake = (): void => undefined;
    // Added once: `compression` lets no listener for drain be removed.
    response.on('drain', () => wake()).on('close', () => wake());
    try {
      for await (const piece of pieces) {
        for (const slice of slicesOf(piece)) {
          if (response.destroyed || response.write(slice)) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        // Checked before the next piece is read, which may wait for a database connection.
        if (response.destroyed) return;
      }
    } catch (error) {
      // In HTTP/1.0 only the end of the connection ends an answer.
      response.socket?.resetAndDestroy();
      throw error;
    }
    response.end();
  }

  /**
   * Sends the pieces of a JSON text, of which `bytes` are in memory at a time: as a whole when these are few, else as a
   * counted stream.
   */
  async json(
    response: Response,
    ownerId: number,
    { bytes, pieces }: { bytes: number; pieces: AsyncIterable<string> | Iterable<string> },
  ): Promise<void> {
    response.type('json');
    if (bytes <= smallBytes) {
      let text = '';
      for await (const piece of pieces) text += piece;
      response.send(text);
      return;
    }
    this.reserve(response, ownerId, bytes);
    if (response.req.method === 'HEAD') response.end();
    else await this.stream(response, pieces);
  }
}

/** A piece in slices: an encoder, or a slow reader, keeps one of these in memory, and not the whole piece. */
function* slicesOf(piece: string | Buffer): Generator<Buffer> {
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  for (let from = 0; from < bytes.length; from += sliceBytes) yield bytes.subarray(from, from + sliceBytes);
}
