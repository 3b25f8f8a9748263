import type { Database } from '../db/postgres/connect.ts';
import { isDuplicate, isOutOfReach } from '../db/postgres/out-of-reach.ts';
import { checkRateLimit, type NewSubmission } from '../db/submissions/store-submissions.ts';
import type { SubmissionOptions, TransactionOutcome } from '../db/submissions/submission-files.ts';
import { BusyError, createFairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { FilePlacement } from './file-placement.ts';
import type { Store } from './store.ts';

/**
 * Stores a few submissions at a time, each in a transaction of its own: those with files, and those that may have been
 * stored before. One at a time of each deployment, since they lock its row; deployments are served round-robin. Files
 * are placed first.
 */
export class SubmissionTransactions {
  readonly #db: Database;
  readonly #store: Pick<Store, 'inTransaction'>;
  readonly #filePlacement: FilePlacement;
  readonly #limits: Limits['submissions'];
  readonly #queue: ReturnType<typeof createFairQueue<string>>;
  #lastOutage: { at: number; error: unknown } | undefined;

  constructor(
    db: Database,
    store: Pick<Store, 'inTransaction'>,
    filePlacement: FilePlacement,
    { submissions: limits }: Limits,
  ) {
    this.#db = db;
    this.#store = store;
    this.#filePlacement = filePlacement;
    this.#limits = limits;
    this.#queue = createFairQueue({ slots: limits.maxConcurrentAlone, maxWaiting: limits.maxWaitingAlone });
  }

  /**
   * Settles when the submission's transaction has ended. Rejects with BusyError when none could begin, or when another
   * transaction has locked the deployment for too long.
   */
  store(submission: NewSubmission, options: SubmissionOptions): Promise<TransactionOutcome> {
    if (options.files.length === 0) return this.#storeInTurn(submission, options);
    return this.#filePlacement.run<TransactionOutcome>(submission.deploymentId, options.files, {
      refuse: () => this.#refuse(submission),
      store: (files) => this.#storeInTurn(submission, { ...options, files }),
      isStored: ({ kind }) => kind === 'accepted',
    });
  }

  /** The outcome of a submission that would not be accepted now. */
  async #refuse(submission: NewSubmission): Promise<TransactionOutcome | undefined> {
    const expected = await checkRateLimit(this.#db, submission);
    return expected.kind === 'accepted' || expected.kind === 'busy' ? undefined : expected;
  }

  #storeInTurn(submission: NewSubmission, options: SubmissionOptions): Promise<TransactionOutcome> {
    const since = performance.now();
    return this.#queue.run(submission.deploymentId, this.#limits.aloneWaitTimeoutMs, async () => {
      // The database was out of reach while this one waited: to try it again would take longer than a visitor should
      // wait.
      if (this.#lastOutage && this.#lastOutage.at >= since) throw this.#lastOutage.error;
      try {
        const outcome = await this.#store.inTransaction(submission, options);
        if (outcome.kind === 'busy') throw new BusyError();
        return outcome;
      } catch (error) {
        if (isDuplicate(error)) return { kind: 'duplicate' };
        if (isOutOfReach(error)) this.#lastOutage = { at: performance.now(), error };
        throw error;
      }
    });
  }
}
