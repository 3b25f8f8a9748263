import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { NewFile } from '../db/submission-files.ts';
import { BusyError } from '../fair-queue.ts';
import { createKnownRules, type FindRules, type UnjudgedSubmission } from './form-rules.ts';
import { createFullDeployments } from './full-deployments.ts';
import { createHoneypot } from './honeypot.ts';
import type { Judge } from './judge.ts';
import { createLookUps } from './look-ups.ts';
import { type Counted, createOutcomes, type IntakeOutcome, type RulesChanged } from './outcomes.ts';
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
  submit(submission: UnjudgedSubmission, traits: Traits, key: IdempotencyKey | undefined): Promise<IntakeOutcome>;
  /** To be called when a deployment has changed, or may have. */
  invalidateAll(): void;
};

const NO_FILES: readonly NewFile[] = [];
/** How often a submission is judged while its form's rules change. */
const MAX_JUDGEMENTS = 5;

const noDeployment = (id: string): IntakeOutcome => ({ kind: 'no-deployment', id, slug: undefined });

/** Decides which submissions are stored, and stores them. */
export function createIntake({
  store,
  findStored,
  findByKey,
  findRules,
  judge,
  isInvalidationLive,
  count,
}: {
  store: Store;
  findStored: FindStored;
  findByKey: FindByKey;
  findRules: FindRules;
  judge: Judge;
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
  const honeypot = createHoneypot({ lookUp, findByKey, outcomes });
  const knownRules = createKnownRules(lookUp, findRules, isInvalidationLive);

  async function storeNew(submission: NewSubmission, files = NO_FILES): Promise<IntakeOutcome | RulesChanged> {
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

  function storeUnderRules(
    submission: NewSubmission,
    { files, isSentAgain, textUnder }: Traits,
    key: IdempotencyKey | undefined,
  ): Promise<IntakeOutcome | RulesChanged> {
    if (key) return repeated.storeWithKey(submission, { files: files ?? NO_FILES, key });
    if (isSentAgain) return repeated.storeAgain(submission, { files: files ?? NO_FILES }, textUnder);
    return storeNew(submission, files);
  }

  async function answerHoneypot(
    submission: UnjudgedSubmission,
    key: IdempotencyKey | undefined,
  ): Promise<IntakeOutcome> {
    const { id, deploymentId } = submission;
    count('honeypot');
    try {
      const form = await findRules(deploymentId);
      if (!form) return noDeployment(id);
      const judgement = judge(submission.source, form);
      if (judgement.kind === 'origin-refused') return { ...judgement, id, slug: form.slug };
      return await honeypot.answer(submission, key, form);
    } catch (error) {
      return outcomes.fail(submission, error);
    }
  }

  /** Stores a submission under the rules that its form has at that time. */
  async function storeJudged(
    submission: UnjudgedSubmission,
    traits: Traits,
    key: IdempotencyKey | undefined,
  ): Promise<IntakeOutcome> {
    const { id, deploymentId } = submission;
    let form = knownRules.inMemory(deploymentId);
    for (let judgements = 0; judgements < MAX_JUDGEMENTS; judgements += 1) {
      // Those that the next round needs are not of this version.
      let version: number | undefined;
      const judgement = form && judge(submission.source, form);
      if (form && judgement?.kind === 'origin-refused') {
        if (judgements > 0 || knownRules.isConfirmed(deploymentId)) {
          count('origin-refused');
          return { ...judgement, id, slug: form.slug };
        }
      } else {
        version = form?.version ?? 0;
        const outcome = await storeUnderRules({ ...submission, rulesVersion: version }, traits, key);
        if (outcome.kind === 'stored') {
          // Of one that was stored before, the rules may never have been looked up.
          if (outcome.isRepeated) form ??= await knownRules.load(submission, version).catch(() => undefined);
          return form ? { ...outcome, rules: form.rules } : outcome;
        }
        if (outcome.kind !== 'rules-changed') return outcome;
      }
      try {
        form = await knownRules.load(submission, version);
      } catch (error) {
        return outcomes.fail(submission, error);
      }
      if (!form) return noDeployment(id);
    }
    return outcomes.fail(submission, new BusyError());
  }

  return {
    submit(submission, traits, key) {
      if (traits.honeypot) return answerHoneypot(submission, key);
      if (key && honeypot.hasAnswered(submission, key)) {
        return Promise.resolve({ kind: 'key-reused', id: submission.id, slug: undefined });
      }
      return storeJudged(submission, traits, key);
    },
    invalidateAll() {
      full.invalidateAll();
      knownRules.invalidateAll();
    },
  };
}
