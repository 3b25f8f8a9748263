import limitConcurrency from 'p-limit';
import { isOutOfReach } from './connect.ts';
import type { NewFile } from './submission-files.ts';
import { QueueBusyError } from './submission-queue.ts';
import type { NewSubmission, Outcome } from './submissions.ts';

export type UploadQueue = {
  /** Settles when the submission's transaction has; rejects with QueueBusyError where none could be begun. */
  submit(submission: NewSubmission, files: readonly NewFile[]): Promise<Exclude<Outcome, { kind: 'busy' }>>;
};

/** Each holds a connection for as long as its files take; the rest of the pool is for everybody else. */
const AT_A_TIME = 3;
/** What the smallest files hold in memory is counted by nobody else. */
const MAX_WAITING = 500;
const LONGEST_WAIT_MS = 10_000;

/** Lets a few submissions with files be stored at a time, each in a transaction of its own. */
export function createUploadQueue(
  store: (submission: NewSubmission, files: readonly NewFile[]) => Promise<Outcome>,
): UploadQueue {
  const limit = limitConcurrency(AT_A_TIME);
  let lastOutage: { at: number; error: unknown } | undefined;

  return {
    async submit(submission, files) {
      if (limit.pendingCount >= MAX_WAITING) throw new QueueBusyError();
      const since = performance.now();
      return limit(async () => {
        // The database went away meanwhile: trying again would take longer than a visitor should wait.
        if (lastOutage && lastOutage.at >= since) throw lastOutage.error;
        if (performance.now() - since > LONGEST_WAIT_MS) throw new QueueBusyError();
        try {
          const outcome = await store(submission, files);
          if (outcome.kind === 'busy') throw new QueueBusyError();
          return outcome;
        } catch (error) {
          if (isOutOfReach(error)) lastOutage = { at: performance.now(), error };
          throw error;
        }
      });
    },
  };
}
