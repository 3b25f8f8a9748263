import { setTimeout as delay } from 'node:timers/promises';
import { Batcher } from '../db/batcher.ts';
import type { AttemptOutcome } from '../db/deliveries/settle-deliveries.ts';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import type { Log } from '../lib/log.ts';

/** Outcomes that are stored together. */
const MAX_BATCH = 500;
/** Outcomes are stored again after this time when the database was out of reach. */
const RETRY_MS = 500;

/**
 * Stores outcomes of attempts in batches, again while the database is out of reach. An outcome that can't be stored is not
 * lost: its lease ends, and the delivery is attempted again.
 */
export class OutcomeQueue {
  readonly #store: (batch: readonly AttemptOutcome[]) => Promise<void>;
  readonly #log: Log;
  readonly #batches: Batcher<AttemptOutcome, undefined>;
  readonly #closing = new AbortController();
  #last: Promise<undefined> = Promise.resolve(undefined);
  #isFailing = false;

  constructor(store: (batch: readonly AttemptOutcome[]) => Promise<void>, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#batches = new Batcher((batch) => this.#storeBatch(batch), { maxBatch: MAX_BATCH });
  }

  /** Adds an outcome, which is stored soon. */
  add(outcome: AttemptOutcome): void {
    this.#last = this.#batches.add(outcome).catch(() => undefined);
  }

  /** True if the database is out of reach. If more were leased, a delivery that has succeeded would be sent again. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Settles when all have been stored, or the database is out of reach. */
  async close(): Promise<void> {
    this.#closing.abort();
    // Batches are stored in order.
    await this.#last;
  }

  async #storeBatch(batch: readonly AttemptOutcome[]): Promise<undefined[]> {
    const { signal } = this.#closing;
    for (;;) {
      try {
        await this.#store(batch);
        this.#isFailing = false;
        return batch.map(() => undefined);
      } catch (error) {
        const willRetry = isOutOfReach(error) && !signal.aborted;
        if (!this.#isFailing) this.#log.warn({ err: error, willRetry }, 'outcomes of deliveries could not be stored');
        this.#isFailing = willRetry;
        if (!willRetry) throw error;
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
