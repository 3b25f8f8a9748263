import type { ServerResponse } from 'node:http';
import { FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { HttpError, retryAfter } from '../response/errors.ts';

/** The owner's own requests end sooner. */
const OWNER_BUSY_MS = 1_000;
const tooManyRequests = (): HttpError =>
  new HttpError(
    503,
    'Too many requests of this API key are under way: wait for their answers, then try again.',
    retryAfter(OWNER_BUSY_MS),
  );
/** Stops the work. No client receives this answer. */
const clientLeft = (): HttpError => new HttpError(503, 'The client has left.');

/**
 * Bounds how much of one owner's work uses the processor and the database at a time. To wait for a client, which sends a body
 * or reads an answer, is no work.
 */
export class OwnerQueue {
  readonly #limits: Limits['owners'];
  readonly #queue: FairQueue<number>;

  constructor({ owners: limits }: Limits) {
    this.#limits = limits;
    this.#queue = new FairQueue({
      slots: Infinity,
      // With 4, the other owners' requests would take half as long again during one owner's flood.
      slotsOfKey: 2,
      maxWaiting: limits.waitingRequests,
      maxRestMs: limits.maxRestMs,
    });
  }

  /** Settles as the work does. Rejects with 503 when it can't start in time, or its client has left before. */
  async run<T>(ownerId: number, response: ServerResponse, work: () => Promise<T>): Promise<T> {
    let hasStarted = false;
    try {
      return await this.#queue.run(ownerId, this.#limits.requestWaitTimeoutMs, async () => {
        hasStarted = true;
        if (response.closed) throw clientLeft();
        return work();
      });
    } catch (error) {
      throw hasStarted ? error : tooManyRequests();
    }
  }
}
