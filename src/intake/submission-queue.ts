import { setTimeout as delay } from 'node:timers/promises';
import { isOutOfReach } from '../db/postgres/connect.ts';
import type { NewSubmission, Outcome } from '../db/store-submissions.ts';
import { BusyError } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { Store } from './store.ts';

type SubmissionQueue = {
  /**
   * Settles when the submission's transaction has ended. Rejects with BusyError when the queue is full, or when another
   * transaction has locked the deployment for too long.
   */
  submit(submission: NewSubmission): Promise<Exclude<Outcome, { kind: 'busy' }>>;
};

type Waiting = {
  submission: NewSubmission;
  /** As performance.now() returns it. */
  since: number;
  resolve(outcome: Exclude<Outcome, { kind: 'busy' }>): void;
  reject(error: unknown): void;
};

const fail = (all: readonly Waiting[], error: unknown): void => {
  for (const { reject } of all) reject(error);
};

/**
 * Stores submissions in batches: those that arrive while a batch is being stored wait for the next one. The round trip
 * and the commit are most of a submission's cost, and a batch shares them. Two batches at a time would be no faster.
 */
export function createSubmissionQueue(store: Store['batch'], limits: Limits): SubmissionQueue {
  let waiting: Waiting[] = [];
  let waitingChars = 0;
  let running = false;

  function takeBatch(): Waiting[] {
    let chars = 0;
    let count = 0;
    for (const { submission } of waiting) {
      chars += submission.data.length;
      if (count === limits.submissions.maxBatch || (count > 0 && chars > limits.submissions.maxBatchChars)) break;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    for (const { submission } of batch) waitingChars -= submission.data.length;
    return batch;
  }

  function emptyQueue(): Waiting[] {
    const all = waiting;
    waiting = [];
    waitingChars = 0;
    return all;
  }

  async function storeBatch(batch: readonly Waiting[]): Promise<void> {
    const { outcomes, startDeliveries } = await store(batch.map(({ submission }) => submission));
    const again: Waiting[] = [];
    const settles: (() => void)[] = [];
    batch.forEach((one, index) => {
      const outcome = outcomes[index];
      if (!outcome) one.reject(new Error('The store answered fewer outcomes than submissions.'));
      else if (outcome.kind !== 'busy') settles.push(() => one.resolve(outcome));
      else if (performance.now() - one.since > limits.submissions.lockedWaitTimeoutMs) one.reject(new BusyError());
      else again.push(one);
    });
    const settleAll = (): void => {
      for (const settle of settles) settle();
    };
    // Later than the query for the next batch: Postgres works while these answers are written.
    if (waiting.length > 0) setImmediate(settleAll);
    else settleAll();
    // Immediates run in order, each after all promise reactions of the one before: the answers have been written.
    setImmediate(startDeliveries);
    if (again.length === 0) return;
    // Locked deployments are tried again together with the next submissions, or after a short delay.
    if (waiting.length === 0) await delay(limits.submissions.lockedPollMs);
    waiting = waiting.concat(again);
    for (const { submission } of again) waitingChars += submission.data.length;
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batches = [takeBatch()];
      for (let batch = batches.pop(); batch; batch = batches.pop()) {
        try {
          await storeBatch(batch);
        } catch (error) {
          const middle = batch.length >> 1;
          // The database is out of reach: the others would get the same error, later than a visitor should wait.
          if (isOutOfReach(error)) fail([...batch, ...batches.splice(0).flat(), ...emptyQueue()], error);
          else if (middle === 0) fail(batch, error);
          // Postgres refuses one of them: the batch is split until that one fails alone.
          else batches.push(batch.slice(middle), batch.slice(0, middle));
        }
      }
    }
    running = false;
  }

  return {
    submit: (submission) =>
      new Promise((resolve, reject) => {
        if (
          waiting.length >= limits.submissions.maxQueued ||
          waitingChars + submission.data.length > limits.submissions.maxQueuedChars
        ) {
          reject(new BusyError());
          return;
        }
        waiting.push({ submission, since: performance.now(), resolve, reject });
        waitingChars += submission.data.length;
        if (!running) void run();
      }),
  };
}
