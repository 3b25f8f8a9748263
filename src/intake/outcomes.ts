import type { FormRules } from '../db/form-rules.ts';
import type { NewSubmission } from '../db/store-submissions.ts';
import type { AloneOutcome } from '../db/submission-files.ts';
import { BusyError } from '../fair-queue.ts';
import type { FullDeployments } from './full-deployments.ts';
import type { Pace } from './pacing.ts';

/** `id`: the submission's, or that of the first one when it `isRepeated`. `rules`: its form's, if it has any. */
export type Stored = { kind: 'stored'; id: string; slug: string; isRepeated?: true; rules?: FormRules };

/** `id`: the submission's when it is sent again. `slug`: its deployment's, when it is known. */
export type NotStored = { id: string; slug: string | undefined } & (
  | { kind: 'no-deployment' }
  | { kind: 'rate-limited'; retryAfterMs: number }
  /** It comes from a page that its form accepts nothing from. */
  | { kind: 'origin-refused'; origin: string }
  /** Its Idempotency-Key was used with another submission. */
  | { kind: 'key-reused' }
  /** `error`: a BusyError, or what the database failed with. */
  | { kind: 'failed'; error: unknown }
);

/** What became of a submission. */
export type IntakeOutcome = Stored | NotStored;

/**
 * The form's rules are others than those that the submission was judged by, or the solution that it has was used before:
 * it is to be judged again.
 */
export type ToJudgeAgain = { id: string; slug: undefined } & ({ kind: 'rules-changed' } | { kind: 'solution-used' });

/** What metrics count. */
export type Counted =
  | 'accepted'
  | 'origin-refused'
  | 'rate-limited'
  | 'no-deployment'
  | 'honeypot'
  /** Kept apart. */
  | 'spam'
  | 'spam-dropped'
  | 'repeated'
  | 'failed';

/** What a transaction has decided. */
type Decided = Exclude<AloneOutcome, { kind: 'busy' }>;

/** Makes outcomes: counts them, and remembers which deployments are at their rate limit. */
export type Outcomes = {
  /** The refusal when the deployment is known to be at its rate limit; undefined when the database has to decide. */
  refuseFromMemory(submission: NewSubmission): Promise<IntakeOutcome> | undefined;
  /** To be read before the database is asked, and passed to `conclude`. */
  version(): number;
  /** What the database has decided. */
  conclude(submission: NewSubmission, decided: Decided, version: number): IntakeOutcome | ToJudgeAgain;
  /** Spam is answered like what is stored. */
  answerSpam(kind: 'kept' | 'dropped', id: string, slug: string): Stored;
  /** The submission was stored before, under `id`. */
  repeat(id: string, slug: string): Stored;
  fail(submission: Pick<NewSubmission, 'id'>, error: unknown, slug?: string): NotStored;
};

export function createOutcomes({
  full,
  pace,
  count,
}: {
  full: FullDeployments;
  pace: Pace;
  count(outcome: Counted): void;
}): Outcomes {
  function fail({ id }: Pick<NewSubmission, 'id'>, error: unknown, slug?: string): NotStored {
    count('failed');
    return { kind: 'failed', id, slug, error };
  }

  return {
    refuseFromMemory({ id, deploymentId }) {
      const refusal = full.find(deploymentId);
      if (!refusal) return undefined;
      count('rate-limited');
      return pace(deploymentId).then(() => ({ kind: 'rate-limited', id, ...refusal }));
    },
    version: full.version,
    conclude(submission, decided, version) {
      const { id, deploymentId } = submission;
      // Its key is in use, and nothing was found under it.
      if (decided.kind === 'repeated') return fail(submission, new BusyError());
      if (decided.kind === 'rules-changed' || decided.kind === 'solution-used') {
        return { kind: decided.kind, id, slug: undefined };
      }
      count(decided.kind);
      if (decided.kind === 'no-deployment') return { kind: 'no-deployment', id, slug: undefined };
      const { slug } = decided;
      if (decided.kind === 'accepted') return { kind: 'stored', id, slug };
      const { retryAfterMs } = decided;
      full.remember(deploymentId, { slug, retryAfterMs }, version);
      return { kind: 'rate-limited', id, slug, retryAfterMs };
    },
    answerSpam(kind, id, slug) {
      count(kind === 'kept' ? 'spam' : 'spam-dropped');
      return { kind: 'stored', id, slug };
    },
    repeat(id, slug) {
      count('repeated');
      return { kind: 'stored', id, slug, isRepeated: true };
    },
    fail,
  };
}
