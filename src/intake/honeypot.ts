import { LRUCache } from 'lru-cache';
import { type IdempotencyKey, KEY_HOURS } from '../db/idempotency-keys.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { LookUp } from './look-ups.ts';
import type { Counted, IntakeOutcome, Outcomes } from './outcomes.ts';
import type { FindByKey } from './repeated-submissions.ts';

/** Submissions with the honeypot field filled in: nothing is stored, and the answer is that of a success. */
type Honeypot = {
  answer(submission: NewSubmission, key: IdempotencyKey | undefined): Promise<IntakeOutcome>;
  /** Whether this process has answered one under the key. */
  hasAnswered(submission: NewSubmission, key: IdempotencyKey): boolean;
};

const MAX_ANSWERS = 10_000;

const nameOf = ({ deploymentId }: NewSubmission, { hash }: IdempotencyKey): string =>
  deploymentId + hash.toString('latin1');

export function createHoneypot({
  lookUp,
  findByKey,
  findSlug,
  outcomes,
  count,
}: {
  lookUp: LookUp;
  findByKey: FindByKey;
  findSlug(deploymentId: string): Promise<string | undefined>;
  outcomes: Pick<Outcomes, 'fail'>;
  count(outcome: Counted): void;
}): Honeypot {
  /** What was answered under a key. The same submission gets the same answer again, as after a success. */
  const answers = new LRUCache<string, { id: string; bodyHash: Buffer }>({
    max: MAX_ANSWERS,
    ttl: KEY_HOURS * 60 * 60 * 1_000,
  });

  async function answerWithKey(submission: NewSubmission, key: IdempotencyKey): Promise<IntakeOutcome> {
    const { id, deploymentId, ipAddress } = submission;
    const found = await lookUp(ipAddress, () => findByKey(deploymentId, key.hash));
    if (!found) return { kind: 'no-deployment', id, slug: undefined };
    const reused: IntakeOutcome = { kind: 'key-reused', id, slug: undefined };
    if (found.first && !found.first.bodyHash.equals(key.bodyHash)) return reused;
    const name = nameOf(submission, key);
    const answer = answers.get(name) ?? { id, bodyHash: key.bodyHash };
    answers.set(name, answer);
    return answer.bodyHash.equals(key.bodyHash) ? { kind: 'stored', id: answer.id, slug: found.slug } : reused;
  }

  return {
    async answer(submission, key) {
      count('honeypot');
      try {
        if (key) return await answerWithKey(submission, key);
        const { id, deploymentId } = submission;
        const slug = await findSlug(deploymentId);
        return slug === undefined ? { kind: 'no-deployment', id, slug } : { kind: 'stored', id, slug };
      } catch (error) {
        return outcomes.fail(submission, error);
      }
    },
    hasAnswered: (submission, key) => answers.has(nameOf(submission, key)),
  };
}
