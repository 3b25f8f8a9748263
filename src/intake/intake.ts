import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { NewFile } from '../db/submission-files.ts';
import { createFullDeployments } from './full-deployments.ts';
import { createHoneypot } from './honeypot.ts';
import { createLookUps } from './look-ups.ts';
import { type Counted, createOutcomes, type IntakeOutcome } from './outcomes.ts';
import { createPacing } from './pacing.ts';
import { createRepeatedSubmissions, type FindByKey, type FindStored } from './repeated-submissions.ts';
import type { Store } from './store.ts';
import { createSubmissionQueue } from './submission-queue.ts';
import { createUploadQueue } from './upload-queue.ts';

/** What decides how a submission is stored. */
type Traits = {
  files?: readonly NewFile[];
  /** Whether the honeypot field is filled in. */
  honeypot: boolean;
  /** Whether its id is that of an earlier attempt. */
  isSentAgain: boolean;
  /** Its data under another id, where the two depend on each other. */
  textUnder?: (id: string) => string;
};

export type Intake = {
  /** Settles when the submission's transaction has ended, or none was needed. Never rejects. */
  submit(submission: NewSubmission, traits: Traits, key: IdempotencyKey | undefined): Promise<IntakeOutcome>;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

const NO_FILES: readonly NewFile[] = [];

/** Decides which submissions are stored, and stores them. */
export function createIntake({
  store,
  findStored,
  findByKey,
  findSlug,
  isInvalidationLive,
  count,
}: {
  store: Store;
  findStored: FindStored;
  findByKey: FindByKey;
  findSlug(deploymentId: string): Promise<string | undefined>;
  /** Whether changes of deployments are received at this time. */
  isInvalidationLive(): boolean;
  count(outcome: Counted): void;
}): Intake {
  const queue = createSubmissionQueue(store.batch);
  const uploads = createUploadQueue(store.alone);
  const lookUp = createLookUps();
  const full = createFullDeployments(isInvalidationLive);
  const outcomes = createOutcomes({ full, pace: createPacing(), count });
  const repeated = createRepeatedSubmissions({ uploads, lookUp, findStored, findByKey, outcomes, storeNew });
  const honeypot = createHoneypot({ lookUp, findByKey, findSlug, outcomes, count });

  async function storeNew(submission: NewSubmission, files = NO_FILES): Promise<IntakeOutcome> {
    const refusal = outcomes.refuseFromMemory(submission);
    if (refusal) return refusal;
    const version = outcomes.version();
    try {
      const decided = await (files.length > 0 ? uploads.submit(submission, { files }) : queue.submit(submission));
      return outcomes.conclude(submission, decided, version);
    } catch (error) {
      return outcomes.fail(submission, error);
    }
  }

  return {
    submit(submission, { files, honeypot: isHoneypot, isSentAgain, textUnder }, key) {
      if (isHoneypot) return honeypot.answer(submission, key);
      if (key && honeypot.hasAnswered(submission, key)) {
        return Promise.resolve({ kind: 'key-reused', id: submission.id, slug: undefined });
      }
      if (key) return repeated.storeWithKey(submission, { files: files ?? NO_FILES, key });
      if (isSentAgain) return repeated.storeAgain(submission, { files: files ?? NO_FILES }, textUnder);
      return storeNew(submission, files);
    },
    invalidateAll: full.invalidateAll,
  };
}
