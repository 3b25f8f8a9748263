import type { StorageLimits } from '../db/account/storage.ts';
import type { Database } from '../db/postgres/connect.ts';
import { type SpamOutcome, type SpamReason, storeSpam } from '../db/spam/spam-submissions.ts';
import type { IdempotencyKey } from '../db/submissions/idempotency-keys.ts';
import type { NewSubmission } from '../db/submissions/store-submissions.ts';
import type { NewFile } from '../db/submissions/submission-files.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { FilePlacement } from './file-placement.ts';
import { RateLimitedForms } from './rate-limited-forms.ts';

type Spam = { reason: SpamReason; files: readonly NewFile[]; key?: IdempotencyKey | undefined };

/** Stores spam apart. Of a form, a limited number in a minute is stored, and the rest is dropped. */
export class SpamFolder {
  readonly #db: Database;
  readonly #filePlacement: FilePlacement;
  readonly #storageLimits: StorageLimits;
  readonly #limits: Limits;
  readonly #queue: ReturnType<typeof createFairQueue<string>>;
  /** Forms that have stored as much as they do in a minute: a flood costs a few queries a second. */
  readonly full: RateLimitedForms;

  constructor(
    db: Database,
    filePlacement: FilePlacement,
    { storageLimits, limits }: { storageLimits: StorageLimits; limits: Limits },
  ) {
    this.#storageLimits = storageLimits;
    this.#db = db;
    this.#filePlacement = filePlacement;
    this.#limits = limits;
    this.#queue = createFairQueue({ slots: limits.spam.maxConcurrentStored, maxWaiting: limits.spam.maxWaitingStored });
    this.full = new RateLimitedForms(limits.submissions.maxRateLimitedForms);
  }

  async store(submission: NewSubmission, spam: Spam): Promise<SpamOutcome> {
    const full = this.#findFull(submission);
    if (full) return full;
    if (spam.files.length === 0) return this.#storeInTurn(submission, spam);
    return this.#filePlacement.run<SpamOutcome>(submission.deploymentId, spam.files, {
      refuse: async () => this.#findFull(submission),
      store: (files) => this.#storeInTurn(submission, { ...spam, files }),
      isStored: ({ kind }) => kind === 'kept',
    });
  }

  #findFull({ deploymentId }: NewSubmission): SpamOutcome | undefined {
    const retryAfterMs = this.full.retryAfterMs(deploymentId);
    return retryAfterMs === undefined ? undefined : { kind: 'dropped', retryAfterMs };
  }

  #storeInTurn(submission: NewSubmission, spam: Spam): Promise<SpamOutcome> {
    const { deploymentId } = submission;
    return this.#queue.run(deploymentId, this.#limits.spam.storeWaitTimeoutMs, async () => {
      // What was stored while this one waited may have been the last that is.
      const full = this.#findFull(submission);
      if (full) return full;
      const outcome = await storeSpam(this.#db, submission, spam, {
        limits: this.#limits,
        storageLimits: this.#storageLimits,
      });
      if (outcome.kind === 'dropped') this.full.remember(deploymentId, outcome.retryAfterMs);
      return outcome;
    });
  }
}
