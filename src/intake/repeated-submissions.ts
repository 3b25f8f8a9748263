import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import { isDuplicate } from '../db/postgres/connect.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { Extras, NewFile } from '../db/submission-files.ts';
import type { Found } from '../db/submissions.ts';
import { BusyError } from '../fair-queue.ts';
import { newSubmissionId } from '../ids.ts';
import type { LookUp } from './look-ups.ts';
import type { IntakeOutcome, Outcomes, ToJudgeAgain } from './outcomes.ts';
import type { UploadQueue } from './upload-queue.ts';

/** Stores submissions that may have been stored before: once, and the answer is that of the first one. */
type RepeatedSubmissions = {
  /**
   * A form that is sent again from one of our error pages, under the id of its first attempt. Where that was stored
   * without one of these files, it is another submission. `textUnder` returns its data under another id.
   */
  storeAgain(
    submission: NewSubmission,
    extras: Extras,
    textUnder: ((id: string) => string) | undefined,
  ): Promise<IntakeOutcome | ToJudgeAgain>;
  storeWithKey(submission: NewSubmission, extras: ExtrasWithKey): Promise<IntakeOutcome | ToJudgeAgain>;
  /** What has been stored under the key, or else under the id. */
  find(submission: NewSubmission, extras: Extras): Promise<IntakeOutcome | ToJudgeAgain | NotFound>;
};

type ExtrasWithKey = Extras & { key: IdempotencyKey };

/** `hasFiles`: whether it was stored with all of these files. */
export type FindStored = (
  deploymentId: string,
  id: string,
  files: readonly NewFile[],
) => Promise<Found<{ id: string; hasFiles: boolean }> | undefined>;
export type FindByKey = (
  deploymentId: string,
  keyHash: Buffer,
) => Promise<Found<{ id: string; bodyHash: Buffer }> | undefined>;

/** `bodyHash`: of a submission that was stored under a key. */
type FindFirst = () => Promise<Found<{ id: string; bodyHash?: Buffer; hasFiles?: boolean }> | undefined>;
/** The deployment is live, and has no first submission; when `isTaken`, it has another one under the id. */
type NotFound = { kind: 'not-found'; slug: string; isTaken: boolean };

/** The same submission under an id of its own. */
export function underNewId(submission: NewSubmission, textUnder: ((id: string) => string) | undefined): NewSubmission {
  const id = newSubmissionId();
  return { ...submission, id, data: textUnder?.(id) ?? submission.data };
}

export function createRepeatedSubmissions({
  uploads,
  lookUp,
  findStored,
  findByKey,
  outcomes,
  storeNew,
}: {
  uploads: UploadQueue;
  lookUp: LookUp;
  findStored: FindStored;
  findByKey: FindByKey;
  outcomes: Outcomes;
  storeNew(submission: NewSubmission, extras: Extras): Promise<IntakeOutcome | ToJudgeAgain>;
}): RepeatedSubmissions {
  /** `slug`: the deployment's, when it is known already. */
  async function findFirst(
    submission: NewSubmission,
    key: IdempotencyKey | undefined,
    find: FindFirst,
    slug?: string,
  ): Promise<IntakeOutcome | ToJudgeAgain | NotFound> {
    const { id, ipAddress } = submission;
    try {
      const found = await lookUp(ipAddress, find);
      if (!found) return outcomes.conclude(submission, { kind: 'no-deployment' }, outcomes.version());
      const { first } = found;
      if (!first) return { kind: 'not-found', slug: found.slug, isTaken: false };
      if (first.hasFiles === false) return { kind: 'not-found', slug: found.slug, isTaken: true };
      if (key && !first.bodyHash?.equals(key.bodyHash)) return { kind: 'key-reused', id, slug };
      return outcomes.repeat(first.id, found.slug);
    } catch (error) {
      return outcomes.fail(submission, error, slug);
    }
  }

  /** `NotFound`: the id or the key is in use, but not by a submission of this deployment. */
  async function storeOnce(
    submission: NewSubmission,
    extras: Extras,
    find: FindFirst,
  ): Promise<IntakeOutcome | ToJudgeAgain | NotFound> {
    const { key } = extras;
    const before = await findFirst(submission, key, find);
    if (before.kind !== 'not-found' || before.isTaken) return before;
    const refusal = outcomes.refuseFromMemory(submission);
    if (refusal) return refusal;
    const version = outcomes.version();
    const decided = await uploads.submit(submission, extras).catch((error: unknown) => {
      if (isDuplicate(error) && !key) return { kind: 'repeated' as const };
      return { kind: 'failed' as const, error };
    });
    if (decided.kind === 'failed') return outcomes.fail(submission, decided.error, before.slug);
    if (decided.kind !== 'repeated' && decided.kind !== 'rate-limited') {
      return outcomes.conclude(submission, decided, version);
    }
    // Any process may have stored the first one meanwhile.
    const meanwhile = await findFirst(submission, key, find, before.slug);
    if (meanwhile.kind !== 'not-found' || decided.kind === 'repeated') return meanwhile;
    return outcomes.conclude(submission, decided, version);
  }

  const findUnderId = ({ deploymentId, id }: NewSubmission, { files }: Extras): ReturnType<FindStored> =>
    findStored(deploymentId, id, files);

  return {
    async storeAgain(submission, extras, textUnder) {
      const find = (): ReturnType<FindStored> => findUnderId(submission, extras);
      const outcome = await storeOnce(submission, { ...extras, isSentAgain: true }, find);
      if (outcome.kind !== 'not-found') return outcome;
      // The id is that of a deleted submission, of one to another deployment, or of one without these files.
      return storeNew(underNewId(submission, textUnder), extras);
    },
    async storeWithKey(submission, extras) {
      const find = (): ReturnType<FindByKey> => findByKey(submission.deploymentId, extras.key.hash);
      const outcome = await storeOnce(submission, extras, find);
      if (outcome.kind !== 'not-found') return outcome;
      // The key expired between the transaction and the look-up.
      return outcomes.fail(submission, new BusyError(), outcome.slug);
    },
    find(submission, extras) {
      const { key } = extras;
      const findWithKey = key && ((): ReturnType<FindByKey> => findByKey(submission.deploymentId, key.hash));
      return findFirst(submission, key, findWithKey ?? (() => findUnderId(submission, extras)));
    },
  };
}
