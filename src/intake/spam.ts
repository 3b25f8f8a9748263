import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import type { SpamOutcome, SpamReason } from '../db/spam-submissions.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { NewFile } from '../db/submission-files.ts';
import { BusyError, createFairQueue } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import { createConfirmRules, type FindRulesVersions } from './confirm-rules.ts';
import { createFullDeployments } from './full-deployments.ts';
import type { IntakeOutcome, Outcomes, ToJudgeAgain } from './outcomes.ts';
import type { Pace } from './pacing.ts';
import type { PlaceFiles } from './place-files.ts';

type Kept = { reason: SpamReason; files: readonly NewFile[]; key?: IdempotencyKey | undefined };

export type KeepSpam = (submission: NewSubmission, kept: Kept) => Promise<SpamOutcome>;

/**
 * Keeps spam apart, or drops it. Either way, the answer is that of a success. What a provider gave no answer about is
 * never dropped.
 */
type SpamFolder = {
  /** `repeated`: something has been stored under its id or its key. */
  keep(submission: NewSubmission, kept: Kept): Promise<IntakeOutcome | ToJudgeAgain | { kind: 'repeated' }>;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

/** What was judged by other rules is not dropped: it may be no spam any more. */
const nameOf = ({ deploymentId, rulesVersion }: NewSubmission): string => `${deploymentId} ${rulesVersion}`;

/** The deployment is known to have kept as many as it keeps in a minute. */
type Full = { kind: 'full'; slug: string; retryAfterMs: number };

export function createSpamFolder({
  keepSpam,
  placeFiles,
  findRulesVersions,
  outcomes,
  pace,
  limits,
}: {
  keepSpam: KeepSpam;
  placeFiles: PlaceFiles;
  findRulesVersions: FindRulesVersions;
  outcomes: Outcomes;
  pace: Pace;
  limits: Limits;
}): SpamFolder {
  const queue = createFairQueue<string>({
    slots: limits.spam.maxConcurrentKept,
    maxWaiting: limits.spam.maxWaitingKept,
  });
  // A flood costs a few queries a second.
  const full = createFullDeployments(limits);
  const isConfirmed = createConfirmRules(findRulesVersions, limits);

  const findFull = (submission: NewSubmission): Full | undefined => {
    const found = full.find(nameOf(submission));
    return found && { kind: 'full', ...found };
  };

  async function keepNow(submission: NewSubmission, kept: Kept): Promise<SpamOutcome | Full> {
    // What was kept while this one waited may have been the last that is.
    const known = findFull(submission);
    if (known) return known;
    const version = full.version();
    const outcome = await keepSpam(submission, kept);
    if (outcome.kind === 'dropped') full.remember(nameOf(submission), outcome, version);
    return outcome;
  }

  const keepInTurn = (submission: NewSubmission, kept: Kept): Promise<SpamOutcome | Full> =>
    queue.run(submission.deploymentId, limits.spam.keepWaitTimeoutMs, () => keepNow(submission, kept));

  /** Files are placed first. */
  function place(submission: NewSubmission, kept: Kept): Promise<SpamOutcome | Full> {
    if (kept.files.length === 0) return keepInTurn(submission, kept);
    return placeFiles<SpamOutcome | Full>(submission.deploymentId, kept.files, {
      refuse: async () => findFull(submission),
      store: (files) => keepInTurn(submission, { ...kept, files }),
      isStored: ({ kind }) => kind === 'kept',
    });
  }

  /** Drops one, if it is spam by the rules that its form has now: nothing else is lost. */
  async function drop(submission: NewSubmission, { slug, retryAfterMs }: Full): Promise<SpamOutcome> {
    if (!(await isConfirmed(submission))) return { kind: 'rules-changed' };
    await pace(submission.deploymentId);
    return { kind: 'dropped', slug, retryAfterMs };
  }

  return {
    async keep(submission, kept) {
      const { id } = submission;
      try {
        const first = findFull(submission) ?? (await place(submission, kept));
        const outcome = first.kind === 'full' ? await drop(submission, first) : first;
        // It may be a person's: an answer of a success would lose it.
        if (outcome.kind === 'dropped' && kept.reason === 'captcha-unavailable') {
          return outcomes.refuse(id, outcome);
        }
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
