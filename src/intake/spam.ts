import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import type { SpamOutcome, SpamReason } from '../db/spam-submissions.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { NewFile } from '../db/submission-files.ts';
import { BusyError, createFairQueue } from '../fair-queue.ts';
import { createFullDeployments } from './full-deployments.ts';
import type { IntakeOutcome, Outcomes, ToJudgeAgain } from './outcomes.ts';
import type { Pace } from './pacing.ts';

type Kept = { reason: SpamReason; files: readonly NewFile[]; key?: IdempotencyKey | undefined };

export type KeepSpam = (submission: NewSubmission, kept: Kept) => Promise<SpamOutcome>;

/** Keeps spam apart, or drops it. Either way, the answer is that of a success. */
type SpamFolder = {
  /** `repeated`: something has been stored under its id or its key. */
  keep(submission: NewSubmission, kept: Kept): Promise<IntakeOutcome | ToJudgeAgain | { kind: 'repeated' }>;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

/** One of each deployment at a time, since they lock its row. The rest of the pool is left for other work. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 500;
const MAX_WAIT_MS = 1_500;

/** What was judged by other rules is not dropped: it may be no spam any more. */
const nameOf = ({ deploymentId, rulesVersion }: NewSubmission): string => `${deploymentId} ${rulesVersion}`;

export function createSpamFolder({
  keepSpam,
  isInvalidationLive,
  outcomes,
  pace,
}: {
  keepSpam: KeepSpam;
  isInvalidationLive(): boolean;
  outcomes: Outcomes;
  pace: Pace;
}): SpamFolder {
  const queue = createFairQueue<string>({ slots: MAX_CONCURRENT, maxWaiting: MAX_WAITING });
  // A flood costs no query.
  const full = createFullDeployments(isInvalidationLive);

  async function keepNow(submission: NewSubmission, kept: Kept): Promise<SpamOutcome> {
    const name = nameOf(submission);
    // What was kept while this one waited may have been the last that is.
    const known = full.find(name);
    if (known) return { kind: 'dropped', ...known };
    const version = full.version();
    const outcome = await keepSpam(submission, kept);
    if (outcome.kind === 'dropped') full.remember(name, outcome, version);
    return outcome;
  }

  return {
    async keep(submission, kept) {
      const { id, deploymentId } = submission;
      try {
        const isFull = full.find(nameOf(submission));
        const outcome = isFull
          ? await pace(deploymentId).then(() => ({ kind: 'dropped' as const, slug: isFull.slug }))
          : await queue.run(deploymentId, MAX_WAIT_MS, () => keepNow(submission, kept));
        switch (outcome.kind) {
          case 'kept':
          case 'dropped':
            return outcomes.answerSpam(outcome.kind, id, outcome.slug);
          case 'repeated':
            return outcome;
          case 'busy':
            throw new BusyError();
          default:
            return outcomes.conclude(submission, outcome, outcomes.version());
        }
      } catch (error) {
        return outcomes.fail(submission, error);
      }
    },
    invalidateAll: full.invalidateAll,
  };
}
