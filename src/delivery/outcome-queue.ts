import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptOutcome } from '../db/deliveries/settle-deliveries.ts';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';

/**
 * Stores outcomes of attempts in batches: outcomes that come while a batch is being stored wait for the next one. An outcome
 * that can't be stored is not lost: its lease ends, and the delivery is attempted again.
 */
export class OutcomeQueue {
  readonly #store: (batch: readonly AttemptOutcome[]) => Promise<void>;
  readonly #limits: Limits['delivery'];
  readonly #log: Log;
  readonly #closing = new AbortController();
  #waiting: AttemptOutcome[] = [];
  #storing: Promise<void> | undefined;
  #isFailing = false;

  constructor(store: (batch: readonly AttemptOutcome[]) => Promise<void>, limits: Limits, log: Log) {
    this.#store = store;
    this.#limits = limits.delivery;
    this.#log = log;
  }

  /** Adds an outcome, which is stored soon. */
  add(outcome: AttemptOutcome): void {
    this.#waiting.push(outcome);
    this.#storing ??= this.#storeAll();
  }

  /** Whether the database is out of reach: what has succeeded would be sent again if more were claimed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Settles when all have been stored, or the database is out of reach. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#storing;
  }

  async #storeAll(): Promise<void> {
    const { smallOutcomesBatch, outcomesPauseMs, outcomesBatch } = this.#limits;
    while (this.#waiting.length > 0) {
      // Most of the cost is the commit: a small batch waits for more outcomes.
      if (this.#waiting.length < smallOutcomesBatch && !this.#closing.signal.aborted) await delay(outcomesPauseMs);
      await this.#storeBatch(this.#waiting.splice(0, outcomesBatch));
    }
    this.#isFailing = false;
    this.#storing = undefined;
  }

  async #storeBatch(batch: readonly AttemptOutcome[]): Promise<void> {
    const { signal } = this.#closing;
    try {
      await this.#store(batch);
      this.#isFailing = false;
    } catch (error) {
      const willRetry = isOutOfReach(error) && !signal.aborted;
      if (!this.#isFailing) this.#log.warn({ err: error, willRetry }, 'outcomes of deliveries could not be stored');
      this.#isFailing = willRetry;
      if (!willRetry) return;
      // An outcome without an attempt is not stored later: the delivery may be leased again by then.
      this.#waiting.unshift(...batch.filter(({ result }) => result !== 'returned'));
      await delay(this.#limits.outcomesRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
