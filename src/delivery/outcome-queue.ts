import { setTimeout as delay } from 'node:timers/promises';
import { Batcher } from '../db/batcher.ts';
import type { AttemptOutcome } from '../db/deliveries/settle-deliveries.ts';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';

/**
 * Stores outcomes of attempts in batches, again while the database is out of reach. An outcome that can't be stored is not
 * lost: its lease ends, and the delivery is attempted again.
 */
export class OutcomeQueue {
  readonly #limits: Limits['delivery'];
  readonly #log: Log;
  readonly #batches: Batcher<AttemptOutcome, undefined>;
  readonly #storing = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #isFailing = false;

  constructor(store: (batch: readonly AttemptOutcome[]) => Promise<void>, { delivery: limits }: Limits, log: Log) {
    this.#limits = limits;
    this.#log = log;
    const work = async (batch: readonly AttemptOutcome[]) => {
      await store(batch);
      return batch.map(() => undefined);
    };
    this.#batches = new Batcher(work, { maxBatch: limits.outcomesBatch });
  }

  /** Adds an outcome, which is stored soon. */
  add(outcome: AttemptOutcome): void {
    const storing = this.#store(outcome).finally(() => {
      this.#storing.delete(storing);
      if (this.#storing.size === 0) this.#isFailing = false;
    });
    this.#storing.add(storing);
  }

  /** Whether the database is out of reach: what has succeeded would be sent again if more were leased. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Settles when all have been stored, or the database is out of reach. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#storing);
  }

  async #store(outcome: AttemptOutcome): Promise<void> {
    const { signal } = this.#closing;
    for (let willRetry = true; willRetry; ) {
      try {
        await this.#batches.add(outcome);
        this.#isFailing = false;
        return;
      } catch (error) {
        willRetry = isOutOfReach(error) && !signal.aborted;
        if (!this.#isFailing) this.#log.warn({ err: error, willRetry }, 'outcomes of deliveries could not be stored');
        this.#isFailing = willRetry;
      }
      // A returned delivery is not stored later: it may be leased again by then.
      if (outcome.result === 'returned') return;
      await delay(this.#limits.outcomesRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
