import { setTimeout as delay } from 'node:timers/promises';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import type { NewSubmission, Outcome } from '../db/submissions/store-submissions.ts';
import { BusyError } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { Store } from './store.ts';

/** What becomes of a submission that no other transaction has blocked. */
type Decided = Exclude<Outcome, { kind: 'busy' }>;

type Waiting = {
  submission: NewSubmission;
  /** As performance.now() returns it. */
  since: number;
  resolve(outcome: Decided): void;
  reject(error: unknown): void;
};

/**
 * Stores submissions in batches: those that arrive while a batch is being stored wait for the next one. The round trip
 * and the commit are most of a submission's cost, and a batch shares them. Two batches at a time would be no faster.
 */
export class SubmissionBatches {
  readonly #store: Pick<Store, 'batch'>;
  readonly #limits: Limits['submissions'];
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  #isRunning = false;

  constructor(store: Pick<Store, 'batch'>, limits: Limits) {
    this.#store = store;
    this.#limits = limits.submissions;
  }

  /**
   * Settles when the submission's transaction has ended. Rejects with BusyError when the queue is full, or when another
   * transaction has locked the deployment for too long.
   */
  add(submission: NewSubmission): Promise<Decided> {
    const { maxQueued, maxQueuedChars } = this.#limits;
    const isFull = this.#waiting.length >= maxQueued || this.#waitingChars + submission.data.length > maxQueuedChars;
    if (isFull) return Promise.reject(new BusyError());
    return new Promise((resolve, reject) => {
      this.#wait([{ submission, since: performance.now(), resolve, reject }]);
      if (!this.#isRunning) void this.#run();
    });
  }

  #wait(all: readonly Waiting[]): void {
    this.#waiting.push(...all);
    for (const { submission } of all) this.#waitingChars += submission.data.length;
  }

  #take(count: number): Waiting[] {
    const taken = this.#waiting.splice(0, count);
    for (const { submission } of taken) this.#waitingChars -= submission.data.length;
    return taken;
  }

  #takeBatch(): Waiting[] {
    let chars = 0;
    let count = 0;
    for (const { submission } of this.#waiting) {
      chars += submission.data.length;
      if (count === this.#limits.maxBatch || (count > 0 && chars > this.#limits.maxBatchChars)) break;
      count += 1;
    }
    return this.#take(count);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) await this.#storeOrSplit(this.#takeBatch());
    this.#isRunning = false;
  }

  /** Stores a batch. When Postgres refuses one submission, the batch is split until that one fails alone. */
  async #storeOrSplit(batch: readonly Waiting[]): Promise<void> {
    const batches = [batch];
    for (let next = batches.pop(); next; next = batches.pop()) {
      try {
        await this.#storeBatch(next);
      } catch (error) {
        const middle = next.length >> 1;
        // The database is out of reach: the others would get the same error, later than a visitor should wait.
        if (isOutOfReach(error))
          fail([...next, ...batches.splice(0).flat(), ...this.#take(this.#waiting.length)], error);
        else if (middle === 0) fail(next, error);
        else batches.push(next.slice(middle), next.slice(0, middle));
      }
    }
  }

  async #storeBatch(batch: readonly Waiting[]): Promise<void> {
    const { lockedWaitTimeoutMs, lockedPollMs } = this.#limits;
    const outcomes = await this.#store.batch(batch.map(({ submission }) => submission));
    const again: Waiting[] = [];
    const settles: (() => void)[] = [];
    batch.forEach((one, index) => {
      const outcome = outcomes[index];
      if (!outcome) one.reject(new Error('The store returned fewer outcomes than submissions.'));
      else if (outcome.kind !== 'busy') settles.push(() => one.resolve(outcome));
      else if (performance.now() - one.since > lockedWaitTimeoutMs) one.reject(new BusyError());
      else again.push(one);
    });
    const settleAll = (): void => {
      for (const settle of settles) settle();
    };
    // Later than the query for the next batch: Postgres works while these answers are written.
    if (this.#waiting.length > 0) setImmediate(settleAll);
    else settleAll();
    if (again.length === 0) return;
    // Locked deployments are tried again together with the next submissions, or after a short delay.
    if (this.#waiting.length === 0) await delay(lockedPollMs);
    this.#wait(again);
  }
}

const fail = (all: readonly Waiting[], error: unknown): void => {
  for (const { reject } of all) reject(error);
};
