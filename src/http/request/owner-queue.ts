import type { ServerResponse } from 'node:http';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { BusyError, FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { HttpError, retryAfter } from '../response/errors.ts';
import { tookTooLong } from './deadline.ts';

const tooManyRequests = (): HttpError =>
  new HttpError(
    503,
    'Too many requests of this API key are under way: wait for their answers, then try again.',
    retryAfter(SIZES.retryAfter.ownerBusyMs),
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
  /** When work of an owner ended last, as performance.now() returns it. */
  readonly #endedAt: ReturnType<typeof createBoundedCache<number, number>>;

  constructor({ owners: limits }: Limits) {
    this.#limits = limits;
    this.#queue = new FairQueue({
      slots: Infinity,
      slotsOfKey: limits.workingRequests,
      maxWaiting: limits.waitingRequests,
      maxRestMs: limits.maxRestMs,
    });
    this.#endedAt = createBoundedCache(limits.rememberedOwners);
  }

  /** Settles as the work does. Rejects with 503 when it can't start in time, or its client has left before. */
  async run<T>(ownerId: number, response: ServerResponse, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    let hasStarted = false;
    try {
      return await this.#queue.run(ownerId, this.#limits.requestWaitTimeoutMs, async () => {
        hasStarted = true;
        if (response.closed) throw clientLeft();
        try {
          return await work();
        } finally {
          this.#endedAt.set(ownerId, performance.now());
        }
      });
    } catch (error) {
      if (hasStarted || !(error instanceof BusyError)) throw error;
      const hasWaited = performance.now() - since > this.#limits.requestWaitTimeoutMs / 2;
      // When no work ended meanwhile, the cause is a slow database, and not the number of requests.
      throw hasWaited && (this.#endedAt.get(ownerId) ?? 0) < since ? tookTooLong() : tooManyRequests();
    }
  }
}
