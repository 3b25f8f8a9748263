import type { StorageLimits } from '../db/account/storage-queries.ts';
import { Batcher } from '../db/batcher.ts';
import type { Database } from '../db/postgres/connect.ts';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import { type SpamReason, storeSpam } from '../db/spam/spam-queries.ts';
import {
  outcomeOf,
  refuseEarly,
  type SubmissionOptions,
  storeInTransaction,
} from '../db/submissions/store-in-transaction.ts';
import {
  findLive,
  type NewSubmission,
  type Outcome,
  retryWhileLocked,
  type StoreOutcome,
  storeAlone,
  storeSubmissions,
} from '../db/submissions/store-submissions.ts';
import type { NewFile } from '../db/submissions/submission-file-queries.ts';
import { type NewTest, storeTestWithFiles } from '../db/submissions/test-submission-queries.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import { BusyError, FairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { FilePlacement } from './file-placement.ts';

/** Forms that are remembered as being at a limit. */
const MAX_LIMITED_FORMS = 10_000;
/** Forms that are remembered as counting submissions by their places. */
const MAX_COUNTING_FORMS = 10_000;
/** Forms that are remembered as having no receivers. */
const MAX_PLAIN_FORMS = 20_000;
/** Deployments that are looked up together. */
const MAX_LOOKED_UP = 128;

type SubmissionStoreParts = {
  db: Database;
  /** Has the content of files; undefined: they are in the database. */
  bucket: FileBucket | undefined;
  storageLimits: StorageLimits;
  /** Called after a commit that has made deliveries. */
  wakeDispatcher(): void;
  /** Receives the number of submissions of each transaction. */
  countBatch(size: number): void;
  limits: Limits;
};

/** Stores submissions together with their deliveries, and spam apart. */
export class SubmissionStore {
  readonly #parts: SubmissionStoreParts;
  readonly #batches: Batcher<NewSubmission, Outcome>;
  readonly #files: FilePlacement;
  /** One at a time of each deployment, since they lock its row. */
  readonly #transactions: FairQueue<string>;
  #lastOutage: { at: number; error: unknown } | undefined;
  /** Which deployments are live, of those that were not locked. Apart, so that the next batch does not wait for it. */
  readonly #live: Batcher<string, boolean>;
  /**
   * Forms at their rate limit, each until it accepts another submission: a flood is refused without a query. True if the
   * form has no rules, so that nobody needs to judge what is refused.
   */
  readonly #limited: ReturnType<typeof createBoundedCache<string, boolean>>;
  /** Forms that had no receivers when their last lone submission was stored. The statement for these looks again. */
  readonly #plainForms: ReturnType<typeof createBoundedCache<string, true>>;
  /** Forms that counted submissions by their places a moment ago: a batch stores none of them. */
  readonly #countingForms: ReturnType<typeof createBoundedCache<string, true>>;
  /** Forms at the limit of spam in a minute. */
  readonly #spamLimited: ReturnType<typeof createBoundedCache<string, boolean>>;

  constructor(parts: SubmissionStoreParts) {
    const { submissions } = parts.limits;
    this.#parts = parts;
    this.#batches = new Batcher((batch) => this.#storeBatch(batch), {
      maxBatch: submissions.maxBatch,
      maxBatchSize: 4 * 1024 * 1024,
      maxWaiting: 5_000,
      maxWaitingSize: 64 * 1024 * 1024,
      sizeOf: ({ data }) => data.length,
    });
    this.#live = new Batcher((ids) => findLive(parts.db, ids), { maxBatch: MAX_LOOKED_UP });
    this.#files = new FilePlacement(parts.bucket, parts);
    // Each has a connection for as long as storing its files takes: the rest of the pool is left for other work. The waiting ones
    // may have files that are too small to count as large bodies.
    this.#transactions = new FairQueue({ slots: 3, maxWaiting: 500 });
    this.#limited = createBoundedCache(MAX_LIMITED_FORMS);
    this.#spamLimited = createBoundedCache(MAX_LIMITED_FORMS);
    this.#countingForms = createBoundedCache(MAX_COUNTING_FORMS);
    this.#plainForms = createBoundedCache(MAX_PLAIN_FORMS);
  }

  /**
   * Settles when the submission's transaction has ended, or none was needed. Rejects with BusyError when too much waits, or
   * another transaction has locked the deployment for too long; and with what the database failed with.
   * `reason`: why it is spam, of which a form accepts a limited number in a minute.
   */
  async store(submission: NewSubmission, options: SubmissionOptions, reason?: SpamReason): Promise<StoreOutcome> {
    const { deploymentId, isUnjudged = false } = submission;
    const { files, key, isRetry, solution } = options;
    const limited = reason === undefined ? this.#limited : this.#spamLimited;
    const retryAfterMs = limited.getRemainingTTL(deploymentId);
    if (retryAfterMs > 0 && isUnjudged && !limited.get(deploymentId)) return { kind: 'has-rules' };
    if (retryAfterMs > 0) return { kind: 'rate-limited', retryAfterMs };
    const needsTransaction = reason !== undefined || files.length > 0 || key || isRetry || solution;
    const batched = needsTransaction ? undefined : await this.#storeWithOthers(submission);
    const stored = batched ?? (await this.#storeInTransaction(submission, options, reason));
    if (stored.kind === 'rate-limited') limited.set(deploymentId, isUnjudged, { ttl: stored.retryAfterMs });
    return stored;
  }

  /** Stores a submission in a batch; undefined: its form counts it by its places, which a batch does not know. */
  async #storeWithOthers(submission: NewSubmission): Promise<StoreOutcome | undefined> {
    const { deploymentId } = submission;
    if (this.#countingForms.has(deploymentId)) return undefined;
    // The round trip and the commit are most of a submission's cost: a batch shares them.
    const stored = await retryWhileLocked(this.#parts.limits, {
      store: () => this.#batches.add(submission),
      isLive: () => this.#live.add(deploymentId),
    });
    if (stored.kind !== 'counts-places') return stored;
    this.#countingForms.set(deploymentId, true);
    return undefined;
  }

  /** A deployment has changed. */
  invalidate(deploymentId: string): void {
    this.#countingForms.delete(deploymentId);
    this.#limited.delete(deploymentId);
    this.#spamLimited.delete(deploymentId);
  }

  /** Changes may have been missed. */
  invalidateAll(): void {
    this.#countingForms.clear();
    this.#limited.clear();
    this.#spamLimited.clear();
  }

  async #storeBatch(batch: readonly NewSubmission[]): Promise<readonly Outcome[]> {
    const { db, wakeDispatcher, countBatch } = this.#parts;
    countBatch(batch.length);
    const lone = batch.length === 1 ? batch[0] : undefined;
    const storedAlone = lone && (await this.#storeAlone(lone));
    if (storedAlone) return [storedAlone];
    const { outcomes, hasDeliveries, isPlain } = await storeSubmissions(db, batch);
    if (hasDeliveries) wakeDispatcher();
    if (lone && isPlain) this.#plainForms.set(lone.deploymentId, true);
    return outcomes;
  }

  /** Stores a lone submission with fewer steps, if its form has no receivers; undefined: it was not stored. */
  async #storeAlone(submission: NewSubmission): Promise<Outcome | undefined> {
    const { deploymentId } = submission;
    if (!this.#plainForms.has(deploymentId)) return undefined;
    const stored = await storeAlone(this.#parts.db, submission);
    if (!stored) this.#plainForms.delete(deploymentId);
    return stored;
  }

  /** Stores a submission in a transaction of its own, after its files have been placed. `reason`: why it is spam. */
  async #storeInTransaction(
    submission: NewSubmission,
    options: SubmissionOptions,
    reason?: SpamReason,
  ): Promise<StoreOutcome> {
    const { db, storageLimits, wakeDispatcher, countBatch } = this.#parts;
    const refuse = (): Promise<void> => refuseEarly(db, submission, reason !== undefined);
    const outcome = await this.#storeWithFiles(submission.deploymentId, options.files, refuse, async (files) => {
      if (reason === undefined) await storeInTransaction(db, submission, { ...options, files }, this.#parts);
      else await storeSpam(db, submission, reason, { ...options, files }, storageLimits);
    });
    if (outcome.kind === 'accepted' && reason === undefined) {
      countBatch(1);
      wakeDispatcher();
    }
    return outcome;
  }

  /** Stores a test with its files, whatever the form accepts. 'duplicate': it is stored already. Rejects as `store` does. */
  async storeTest(test: NewTest, files: readonly NewFile[]): Promise<StoreOutcome> {
    const { db, storageLimits, wakeDispatcher } = this.#parts;
    const refuseNone = async (): Promise<void> => undefined;
    const outcome = await this.#storeWithFiles(test.deploymentId, files, refuseNone, (placed) =>
      storeTestWithFiles(db, test, placed, storageLimits),
    );
    if (outcome.kind === 'accepted') wakeDispatcher();
    return outcome;
  }

  /** Places files, and stores them by a transaction, which runs when it is the deployment's turn. */
  async #storeWithFiles(
    deploymentId: string,
    files: readonly NewFile[],
    refuse: () => Promise<void>,
    store: (placed: readonly NewFile[]) => Promise<void>,
  ): Promise<StoreOutcome> {
    let placed = files;
    const run = async (): Promise<void> => {
      placed = await this.#files.place(deploymentId, files, refuse);
      await this.#runInTurn(deploymentId, () => store(placed));
    };
    try {
      const outcome = await outcomeOf(run());
      if (outcome.kind !== 'accepted') this.#files.discard(placed);
      return outcome;
    } catch (error) {
      // After any other failure the rows may be there all the same: what nothing names is removed later.
      if (error instanceof BusyError) this.#files.discard(placed);
      throw error;
    }
  }

  async #runInTurn(deploymentId: string, store: () => Promise<void>): Promise<void> {
    const { limits } = this.#parts;
    const since = performance.now();
    await this.#transactions.run(deploymentId, limits.submissions.transactionWaitTimeoutMs, async () => {
      // The database was out of reach while this one waited: to try it again would take longer than a visitor should
      // wait.
      if (this.#lastOutage && this.#lastOutage.at >= since) throw this.#lastOutage.error;
      try {
        await store();
      } catch (error) {
        if (isOutOfReach(error)) this.#lastOutage = { at: performance.now(), error };
        throw error;
      }
    });
  }
}
