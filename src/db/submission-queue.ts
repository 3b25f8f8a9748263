import { setTimeout as delay } from 'node:timers/promises';
import { isOutOfReach } from './connect.ts';
import type { NewSubmission, Outcome } from './submissions.ts';

/** The submission was not taken: the queue is full, or its deployment has been held by somebody else for too long. */
export class QueueBusyError extends Error {}

export type SubmissionQueue = {
  /** Settles when the submission's transaction has. */
  submit(submission: NewSubmission): Promise<Exclude<Outcome, { kind: 'busy' }>>;
};

type Waiting = {
  submission: NewSubmission;
  /** As performance.now() tells it. */
  since: number;
  resolve(outcome: Exclude<Outcome, { kind: 'busy' }>): void;
  reject(error: unknown): void;
};

const MAX_WAITING = 5_000;
const MAX_WAITING_CHARS = 64 * 1024 * 1024;
const MAX_BATCH = 128;
const MAX_BATCH_CHARS = 4 * 1024 * 1024;
/** For how long a submission waits for a deployment that somebody else holds, and how often it looks. */
const BUSY_MS = 1_500;
const LOOK_AGAIN_MS = 5;

const fail = (all: readonly Waiting[], error: unknown): void => {
  for (const { reject } of all) reject(error);
};

/**
 * Coalesces submissions: those that arrive while a batch is being stored wait for the next one. A commit and a round
 * trip are the dear part of a submission, and a batch shares them; two batches in flight gain nothing over one.
 */
export function createSubmissionQueue(
  store: (batch: readonly NewSubmission[]) => Promise<readonly Outcome[]>,
): SubmissionQueue {
  let waiting: Waiting[] = [];
  let waitingChars = 0;
  let running = false;

  function take(): Waiting[] {
    let chars = 0;
    let count = 0;
    for (const { submission } of waiting) {
      chars += submission.data.length;
      if (count === MAX_BATCH || (count > 0 && chars > MAX_BATCH_CHARS)) break;
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

  async function storeOne(batch: readonly Waiting[]): Promise<void> {
    const outcomes = await store(batch.map(({ submission }) => submission));
    const again: Waiting[] = [];
    const settles: (() => void)[] = [];
    batch.forEach((one, index) => {
      const outcome = outcomes[index];
      if (!outcome) one.reject(new Error('The store answered fewer outcomes than submissions.'));
      else if (outcome.kind !== 'busy') settles.push(() => one.resolve(outcome));
      else if (performance.now() - one.since > BUSY_MS) one.reject(new QueueBusyError());
      else again.push(one);
    });
    // The next batch is on its way before these are answered: Postgres works while their answers are written.
    setImmediate(() => {
      for (const settle of settles) settle();
    });
    if (again.length === 0) return;
    // What waits for others' locks goes behind what came since: it is taken with it, or after a moment.
    if (waiting.length === 0) await delay(LOOK_AGAIN_MS);
    waiting = waiting.concat(again);
    for (const { submission } of again) waitingChars += submission.data.length;
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batches = [take()];
      for (let batch = batches.pop(); batch; batch = batches.pop()) {
        try {
          await storeOne(batch);
        } catch (error) {
          const middle = batch.length >> 1;
          // The database is away: whoever waits would wait for the same, for longer than a visitor should.
          if (isOutOfReach(error)) fail([...batch, ...batches.splice(0).flat(), ...emptyQueue()], error);
          else if (middle === 0) fail(batch, error);
          // Something in the batch is at fault: split it until that fails alone.
          else batches.push(batch.slice(middle), batch.slice(0, middle));
        }
      }
    }
    running = false;
  }

  return {
    submit: (submission) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= MAX_WAITING || waitingChars + submission.data.length > MAX_WAITING_CHARS) {
          reject(new QueueBusyError());
          return;
        }
        waiting.push({ submission, since: performance.now(), resolve, reject });
        waitingChars += submission.data.length;
        if (!running) void run();
      }),
  };
}
