import { isOutOfReach } from '../db/postgres/connect.ts';
import type { NewSubmission, Outcome } from '../db/store-submissions.ts';
import type { AloneOutcome, Extras } from '../db/submission-files.ts';
import { BusyError, createFairQueue } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { PlaceFiles } from './place-files.ts';
import type { Store } from './store.ts';

type Ended = Exclude<AloneOutcome, { kind: 'busy' }>;

export type UploadQueue = {
  /**
   * Settles when the submission's transaction has ended. Rejects with BusyError when none could begin, or when another
   * transaction has locked the deployment for too long.
   */
  submit(submission: NewSubmission, extras: Extras): Promise<Ended>;
};

/**
 * Stores a few submissions at a time, each in a transaction of its own: those with files, and those that may have been
 * stored before. One at a time of each deployment, since they lock its row; deployments are served round-robin. Files
 * are placed first; `checkRate`: the outcome that a submission would have now.
 */
export function createUploadQueue(
  store: Store['alone'],
  {
    placeFiles,
    checkRate,
    limits,
  }: { placeFiles: PlaceFiles; checkRate(submission: NewSubmission): Promise<Outcome>; limits: Limits },
): UploadQueue {
  const queue = createFairQueue<string>({
    slots: limits.submissions.maxConcurrentAlone,
    maxWaiting: limits.submissions.maxWaitingAlone,
  });
  let lastOutage: { at: number; error: unknown } | undefined;

  function storeInTurn(submission: NewSubmission, extras: Extras): Promise<Ended> {
    const since = performance.now();
    return queue.run(submission.deploymentId, limits.submissions.aloneWaitTimeoutMs, async () => {
      // The database was out of reach while this one waited: to try it again would take longer than a visitor should
      // wait.
      if (lastOutage && lastOutage.at >= since) throw lastOutage.error;
      try {
        const { outcome, startDeliveries } = await store(submission, extras);
        // An immediate runs after the promise reactions that follow from here: the answer has been written.
        setImmediate(startDeliveries);
        if (outcome.kind === 'busy') throw new BusyError();
        return outcome;
      } catch (error) {
        if (isOutOfReach(error)) lastOutage = { at: performance.now(), error };
        throw error;
      }
    });
  }

  /** The outcome of a submission that would not be accepted now. */
  async function refuse(submission: NewSubmission): Promise<Ended | undefined> {
    const expected = await checkRate(submission);
    return expected.kind === 'accepted' || expected.kind === 'busy' ? undefined : expected;
  }

  return {
    submit(submission, extras) {
      if (extras.files.length === 0) return storeInTurn(submission, extras);
      return placeFiles<Ended>(submission.deploymentId, extras.files, {
        refuse: () => refuse(submission),
        store: (files) => storeInTurn(submission, { ...extras, files }),
        isStored: ({ kind }) => kind === 'accepted',
      });
    },
  };
}
