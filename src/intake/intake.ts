import type { Solution } from '../altcha.ts';
import type { FormRules } from '../db/form-rules.ts';
import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { Extras, NewFile } from '../db/submission-files.ts';
import { BusyError } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { FindRulesVersions } from './confirm-rules.ts';
import { createKnownRules, type FindRules, type UnjudgedSubmission } from './form-rules.ts';
import { createFullDeployments } from './full-deployments.ts';
import type { Judge } from './judge.ts';
import { createLookUps } from './look-ups.ts';
import { type Counted, createOutcomes, type IntakeOutcome, type ToJudgeAgain } from './outcomes.ts';
import { createPacing } from './pacing.ts';
import { createPlaceFiles, type FileBucket } from './place-files.ts';
import { createRepeatedSubmissions, type FindByKey, type FindStored, underNewId } from './repeated-submissions.ts';
import { createScreen, hasScreening, type ScreenParts } from './screening.ts';
import { createSpamFolder, type KeepSpam } from './spam.ts';
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
const NOTHING: Extras = { files: NO_FILES };

const noDeployment = (id: string): IntakeOutcome => ({ kind: 'no-deployment', id, slug: undefined });

/** Decides which submissions are stored, and stores them. */
export function createIntake({
  store,
  findStored,
  findByKey,
  findRules,
  judge,
  screening,
  keepSpam,
  bucket,
  findRulesVersions,
  count,
  countHoneypot,
  limits,
}: {
  store: Store;
  findStored: FindStored;
  findByKey: FindByKey;
  findRules: FindRules;
  judge: Judge;
  screening: ScreenParts;
  keepSpam: KeepSpam;
  /** Has the content of files; undefined: they are in the database. */
  bucket: FileBucket | undefined;
  findRulesVersions: FindRulesVersions;
  count(outcome: Counted): void;
  /** Called with the deployment of each filled-in honeypot. */
  countHoneypot(deploymentId: string): void;
  limits: Limits;
}): Intake {
  const queue = createSubmissionQueue(store.batch, limits);
  const placeFiles = createPlaceFiles(bucket, limits);
  const uploads = createUploadQueue(store.alone, { placeFiles, checkRate: screening.checkRate, limits });
  const lookUp = createLookUps(limits);
  const full = createFullDeployments(limits);
  const pace = createPacing(limits);
  const outcomes = createOutcomes({ full, pace, count });
  const spamFolder = createSpamFolder({
    keepSpam,
    placeFiles,
    findRulesVersions,
    outcomes,
    pace,
    limits,
  });
  const screen = createScreen(lookUp, screening, limits);
  const repeated = createRepeatedSubmissions({ uploads, lookUp, findStored, findByKey, outcomes, storeNew });
  const knownRules = createKnownRules(lookUp, findRules, limits);

  async function storeNew(submission: NewSubmission, extras: Extras): Promise<IntakeOutcome | ToJudgeAgain> {
    const refusal = outcomes.refuseFromMemory(submission);
    if (refusal) return refusal;
    const version = outcomes.version();
    try {
      const isAlone = extras.files.length > 0 || extras.solution !== undefined;
      const decided = await (isAlone ? uploads.submit(submission, extras) : queue.submit(submission));
      return outcomes.conclude(submission, decided, version);
    } catch (error) {
      return outcomes.fail(submission, error);
    }
  }

  function storeUnderRules(
    submission: NewSubmission,
    { files, isSentAgain, textUnder }: Traits,
    key: IdempotencyKey | undefined,
    solution?: Solution,
  ): Promise<IntakeOutcome | ToJudgeAgain> {
    const extras = files || solution ? { files: files ?? NO_FILES, solution } : NOTHING;
    if (key) return repeated.storeWithKey(submission, { ...extras, key });
    if (isSentAgain) return repeated.storeAgain(submission, extras, textUnder);
    return storeNew(submission, extras);
  }

  /** Keeps spam apart, once. */
  async function keepApart(
    submission: NewSubmission,
    { isSentAgain, textUnder }: Traits,
    kept: Parameters<typeof spamFolder.keep>[1],
  ): Promise<IntakeOutcome | ToJudgeAgain> {
    const outcome = await spamFolder.keep(submission, kept);
    if (outcome.kind !== 'repeated') return outcome;
    const first = await repeated.find(submission, kept);
    if (first.kind !== 'not-found') return first;
    // The id is that of a submission to another deployment, or of one without these files.
    const again = isSentAgain ? await spamFolder.keep(underNewId(submission, textUnder), kept) : outcome;
    return again.kind === 'repeated' ? outcomes.fail(submission, new BusyError(), first.slug) : again;
  }

  /** Stores a submission to a form whose rules say what is spam. */
  async function storeScreened(
    submission: NewSubmission,
    traits: Traits,
    key: IdempotencyKey | undefined,
    rules: FormRules,
  ): Promise<IntakeOutcome | ToJudgeAgain> {
    const files = traits.files ?? NO_FILES;
    if (key || traits.isSentAgain) {
      // What has been stored is not judged again: its token counts once.
      const first = await repeated.find(submission, { files, key });
      if (first.kind !== 'not-found') return first;
    }
    const version = outcomes.version();
    const screened = await screen(submission, rules).catch((error: unknown) => ({ kind: 'failed' as const, error }));
    switch (screened.kind) {
      case 'failed':
        return outcomes.fail(submission, screened.error);
      case 'refused':
        return outcomes.conclude(submission, screened.outcome, version);
      case 'spam':
        return keepApart(submission, traits, { reason: screened.reason, files, key });
    }
    const outcome = await storeUnderRules(submission, traits, key, screened.solution);
    if (outcome.kind === 'solution-used')
      return keepApart(submission, traits, { reason: 'captcha-reused', files, key });
    if (outcome.kind !== 'stored' || outcome.isRepeated) screened.giveBack?.();
    return outcome;
  }

  /** A robot gets the answer of a success, and nothing is stored. */
  async function answerHoneypot(submission: UnjudgedSubmission): Promise<IntakeOutcome> {
    const { id, deploymentId } = submission;
    count('honeypot');
    try {
      const form = await findRules(deploymentId);
      if (!form) return noDeployment(id);
      const judgement = judge(submission.source, form);
      if (judgement.kind === 'origin-refused') return { ...judgement, id, slug: form.slug };
      countHoneypot(deploymentId);
      return { kind: 'stored', id, slug: form.slug, rules: form.rules };
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
    for (let judgements = 0; judgements < limits.submissions.maxJudgements; judgements += 1) {
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
        const judged = { ...submission, rulesVersion: version };
        const outcome = await (form && hasScreening(form.rules)
          ? storeScreened(judged, traits, key, form.rules)
          : storeUnderRules(judged, traits, key));
        if (outcome.kind === 'stored') {
          // Of one that was stored before, the rules may never have been looked up.
          if (outcome.isRepeated) form ??= await knownRules.load(submission, version).catch(() => undefined);
          return form ? { ...outcome, rules: form.rules } : outcome;
        }
        if (outcome.kind !== 'rules-changed' && outcome.kind !== 'solution-used') return outcome;
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
      if (traits.honeypot) return answerHoneypot(submission);
      return storeJudged(submission, traits, key);
    },
    invalidateAll() {
      full.invalidateAll();
      spamFolder.invalidateAll();
      knownRules.invalidateAll();
    },
  };
}
