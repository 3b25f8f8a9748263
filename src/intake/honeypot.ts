import { createBoundedCache } from '../bounded-cache.ts';
import type { FormRules, VersionedRules } from '../db/form-rules.ts';
import type { IdempotencyKey } from '../db/idempotency-keys.ts';
import { type Limits, SIZES } from '../limits.ts';
import type { UnjudgedSubmission } from './form-rules.ts';
import type { LookUp } from './look-ups.ts';
import type { IntakeOutcome, Outcomes } from './outcomes.ts';
import type { FindByKey } from './repeated-submissions.ts';

/** Submissions with the honeypot field filled in: nothing is stored, and the answer is that of a success. */
type Honeypot = {
  answer(submission: UnjudgedSubmission, key: IdempotencyKey | undefined, form: VersionedRules): Promise<IntakeOutcome>;
  /** Whether this process has answered one under the key. */
  hasAnswered(submission: UnjudgedSubmission, key: IdempotencyKey): boolean;
};

const nameOf = ({ deploymentId }: UnjudgedSubmission, { hash }: IdempotencyKey): string =>
  deploymentId + hash.toString('latin1');

export function createHoneypot({
  lookUp,
  findByKey,
  outcomes,
  limits,
}: {
  lookUp: LookUp;
  findByKey: FindByKey;
  outcomes: Pick<Outcomes, 'fail'>;
  limits: Limits;
}): Honeypot {
  /** What was answered under a key. The same submission gets the same answer again, as after a success. */
  const answers = createBoundedCache<string, { id: string; bodyHash: Buffer }>(limits.submissions.maxHoneypotAnswers, {
    ttlMs: SIZES.idempotencyKey.lifetimeHours * 60 * 60 * 1_000,
  });

  async function answerWithKey(
    submission: UnjudgedSubmission,
    key: IdempotencyKey,
    rules: FormRules,
  ): Promise<IntakeOutcome> {
    const { id, deploymentId, ipAddress } = submission;
    const found = await lookUp(ipAddress, () => findByKey(deploymentId, key.hash));
    if (!found) return { kind: 'no-deployment', id, slug: undefined };
    const reused: IntakeOutcome = { kind: 'key-reused', id, slug: undefined };
    if (found.first && !found.first.bodyHash.equals(key.bodyHash)) return reused;
    const name = nameOf(submission, key);
    const answer = answers.get(name) ?? { id, bodyHash: key.bodyHash };
    answers.set(name, answer);
    return answer.bodyHash.equals(key.bodyHash) ? { kind: 'stored', id: answer.id, slug: found.slug, rules } : reused;
  }

  return {
    async answer(submission, key, { slug, rules }) {
      if (!key) return { kind: 'stored', id: submission.id, slug, rules };
      return answerWithKey(submission, key, rules).catch((error: unknown) => outcomes.fail(submission, error));
    },
    hasAnswered: (submission, key) => answers.has(nameOf(submission, key)),
  };
}
