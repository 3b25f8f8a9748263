import type { StorageLimits } from '../db/account/storage.ts';
import type { Database } from '../db/postgres/connect.ts';
import { type NewSubmission, type Outcome, storeSubmissions } from '../db/submissions/store-submissions.ts';
import {
  type SubmissionOptions,
  storeInTransaction,
  type TransactionOutcome,
} from '../db/submissions/submission-files.ts';
import type { Limits } from '../limits.ts';

type Options = {
  db: Database;
  limits: Limits;
  storageLimits: StorageLimits;
  /** Called after a commit that has made deliveries. */
  wakeDispatcher(): void;
  /** Receives the number of submissions of each transaction. */
  countBatch(size: number): void;
};

/** Stores submissions together with their deliveries. */
export class Store {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Stores submissions in one transaction. */
  async batch(batch: readonly NewSubmission[]): Promise<readonly Outcome[]> {
    const { db, wakeDispatcher, countBatch } = this.#options;
    countBatch(batch.length);
    const { outcomes, hasDeliveries } = await storeSubmissions(db, batch);
    if (hasDeliveries) wakeDispatcher();
    return outcomes;
  }

  /** Stores a submission in a transaction of its own, with its files, key and solution. */
  async inTransaction(submission: NewSubmission, options: SubmissionOptions): Promise<TransactionOutcome> {
    const { db, wakeDispatcher, countBatch } = this.#options;
    countBatch(1);
    const outcome = await storeInTransaction(db, submission, options, this.#options);
    if (outcome.kind === 'accepted') wakeDispatcher();
    return outcome;
  }
}
