import { StorageFull, type StorageLimits } from '../db/account/storage.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { HoneypotHits } from '../db/spam/honeypot-hits.ts';
import type { SpamReason } from '../db/spam/spam-submissions.ts';
import { findStored } from '../db/submissions/find-stored.ts';
import type { LiveForm } from '../db/submissions/forms.ts';
import { findByKey, type IdempotencyKey } from '../db/submissions/idempotency-keys.ts';
import type { NewSubmission } from '../db/submissions/store-submissions.ts';
import type { NewFile, TransactionOutcome } from '../db/submissions/submission-files.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import type { Solution } from '../lib/altcha.ts';
import { BusyError, createFairQueue } from '../lib/fair-queue.ts';
import { newSubmissionId } from '../lib/ids.ts';
import { networkOf } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';
import { refusedOrigin, type Source } from './check-origin.ts';
import { FilePlacement } from './file-placement.ts';
import type { Forms } from './forms.ts';
import { RateLimitedForms } from './rate-limited-forms.ts';
import type { SpamCheck } from './spam-check.ts';
import { SpamFolder } from './spam-folder.ts';
import type { Store } from './store.ts';
import { SubmissionBatches } from './submission-batches.ts';
import { SubmissionTransactions } from './submission-transactions.ts';

/** A submission as it was sent. */
export type SentSubmission = NewSubmission & {
  source: Source;
  /** Whether the honeypot field is filled in. */
  honeypot: boolean;
  /** Whether its id is that of an earlier attempt. */
  isRetry: boolean;
  files: readonly NewFile[];
  key: IdempotencyKey | undefined;
  /** Its data under another id, where the two depend on each other. */
  dataWithId: ((id: string) => string) | undefined;
};

/** What a visitor is told of as a success. `id`: the submission's, or that of the first one when it is `repeated`. */
export type Success = {
  kind: 'accepted' | 'repeated' | 'honeypot' | 'spam' | 'spam-dropped';
  id: string;
  form: LiveForm;
};

export type Refusal =
  | { kind: 'no-deployment' }
  | { kind: 'rate-limited'; retryAfterMs: number }
  /** It comes from a page that its form accepts nothing from. */
  | { kind: 'origin-refused'; origin: string }
  /** Its Idempotency-Key was used with another submission. */
  | { kind: 'key-reused' };

/** What became of a submission. */
export type Result = Success | Refusal;

/** Another submission has been stored under its id or its key. */
type Duplicate = { kind: 'duplicate' };

/** What metrics count. */
export type Counted = Exclude<Result['kind'], 'key-reused'> | 'storage-full' | 'failed';

const NO_DEPLOYMENT: Refusal = { kind: 'no-deployment' };

/** Decides what becomes of submissions, and stores them. */
export class SubmissionService {
  readonly #db: Database;
  readonly #forms: Forms;
  readonly #spamCheck: SpamCheck;
  readonly #spamFolder: SpamFolder;
  readonly #batches: SubmissionBatches;
  readonly #transactions: SubmissionTransactions;
  readonly #rateLimited: RateLimitedForms;
  readonly #lookUps: ReturnType<typeof createFairQueue<string>>;
  readonly #honeypotHits: Pick<HoneypotHits, 'add'>;
  readonly #origins: { originOf(slug: string): string; ownOrigin: string };
  readonly #count: (outcome: Counted) => void;
  readonly #limits: Limits['submissions'];

  constructor(parts: {
    db: Database;
    forms: Forms;
    store: Store;
    spamCheck: SpamCheck;
    /** Has the content of files; undefined: they are in the database. */
    bucket: FileBucket | undefined;
    storageLimits: StorageLimits;
    honeypotHits: Pick<HoneypotHits, 'add'>;
    /** The origins of pages, by their slugs, and of the service. */
    origins: { originOf(slug: string): string; ownOrigin: string };
    count(outcome: Counted): void;
    limits: Limits;
  }) {
    const { db, store, storageLimits, limits } = parts;
    const { maxConcurrentLookUps, maxWaitingLookUps, maxRateLimitedForms } = limits.submissions;
    const filePlacement = new FilePlacement(parts.bucket, { db, storageLimits, limits });
    this.#db = db;
    this.#forms = parts.forms;
    this.#spamCheck = parts.spamCheck;
    this.#spamFolder = new SpamFolder(db, filePlacement, { storageLimits, limits });
    this.#batches = new SubmissionBatches(store, limits);
    this.#transactions = new SubmissionTransactions(db, store, filePlacement, limits);
    this.#rateLimited = new RateLimitedForms(maxRateLimitedForms);
    this.#lookUps = createFairQueue({ slots: maxConcurrentLookUps, maxWaiting: maxWaitingLookUps });
    this.#honeypotHits = parts.honeypotHits;
    this.#origins = parts.origins;
    this.#count = parts.count;
    this.#limits = limits.submissions;
  }

  /**
   * Settles when the submission's transaction has ended, or none was needed. Rejects with BusyError when too much waits,
   * with StorageFull when its files are too much for the owner's plan, and with what the database failed with.
   */
  async submit(sent: SentSubmission): Promise<Result> {
    try {
      const result = await this.#decide(sent);
      if (result.kind !== 'key-reused') this.#count(result.kind);
      return result;
    } catch (error) {
      this.#count(error instanceof StorageFull ? 'storage-full' : 'failed');
      throw error;
    }
  }

  /** A deployment has changed. */
  invalidate(deploymentId: string): void {
    this.#rateLimited.invalidate(deploymentId);
    this.#spamFolder.full.invalidate(deploymentId);
  }

  /** Changes may have been missed. */
  invalidateAll(): void {
    this.#rateLimited.invalidateAll();
    this.#spamFolder.full.invalidateAll();
  }

  async #decide(sent: SentSubmission): Promise<Result> {
    const form = await this.#forms.get(sent.deploymentId);
    if (!form) return NO_DEPLOYMENT;
    const origin = refusedOrigin(sent.source, form, this.#origins);
    if (origin !== undefined) return { kind: 'origin-refused', origin };
    if (sent.honeypot) {
      // A robot gets the answer of a success, and nothing is stored.
      this.#honeypotHits.add(sent.deploymentId);
      return { kind: 'honeypot', id: sent.id, form };
    }
    const result = await (sent.key || sent.isRetry ? this.#storeOnce(sent, form) : this.#checkAndStore(sent, form));
    if (result.kind === 'duplicate') throw new BusyError();
    return result;
  }

  /** Stores a submission that may have been stored before: once, and the answer is that of the first one. */
  async #storeOnce(sent: SentSubmission, form: LiveForm): Promise<Result | Duplicate> {
    const earlier = await this.#findEarlier(sent, form);
    if (earlier === 'other-files') return this.#checkAndStore(withNewId(sent), form);
    if (earlier) return earlier;
    const result = await this.#checkAndStore(sent, form);
    if (result.kind !== 'duplicate' && result.kind !== 'rate-limited') return result;
    // Any process may have stored the first one meanwhile.
    const meanwhile = await this.#findEarlier(sent, form);
    if (meanwhile && meanwhile !== 'other-files') return meanwhile;
    // The id is that of a deleted submission, or of one to another deployment. A key has expired just now.
    return result.kind === 'duplicate' && sent.isRetry ? this.#checkAndStore(withNewId(sent), form) : result;
  }

  /** What was stored under the submission's key or id. 'other-files': one with the same id, and without all of its files. */
  async #findEarlier(sent: SentSubmission, form: LiveForm): Promise<Result | 'other-files' | undefined> {
    const { id, deploymentId, ipAddress, key, files } = sent;
    return this.#lookUps.run(networkOf(ipAddress), this.#limits.lookUpWaitTimeoutMs, async () => {
      if (key) {
        const first = await findByKey(this.#db, deploymentId, key.hash);
        if (!first) return undefined;
        return first.bodyHash.equals(key.bodyHash) ? { kind: 'repeated', id: first.id, form } : { kind: 'key-reused' };
      }
      const first = await findStored(this.#db, deploymentId, id, files);
      if (!first) return undefined;
      return first.hasFiles ? { kind: 'repeated', id, form } : 'other-files';
    });
  }

  async #checkAndStore(sent: SentSubmission, form: LiveForm): Promise<Result | Duplicate> {
    const check = await this.#spamCheck.run(sent, form.rules);
    if (check.kind === 'spam') return this.#storeAsSpam(sent, form, check.reason);
    if (check.kind === 'refused') return this.#toResult(sent, form, check.outcome);
    let outcome: TransactionOutcome | undefined;
    try {
      outcome = await this.#store(sent, check.solution);
    } finally {
      if (outcome?.kind !== 'accepted') check.giveBack?.();
    }
    if (outcome.kind === 'solution-used') return this.#storeAsSpam(sent, form, 'captcha-reused');
    return this.#toResult(sent, form, outcome);
  }

  async #store(sent: SentSubmission, solution: Solution | undefined): Promise<TransactionOutcome> {
    const retryAfterMs = this.#rateLimited.retryAfterMs(sent.deploymentId);
    if (retryAfterMs !== undefined) return { kind: 'rate-limited', retryAfterMs };
    const needsTransaction = sent.files.length > 0 || sent.key || sent.isRetry || solution;
    return needsTransaction ? this.#transactions.store(sent, { ...sent, solution }) : this.#batches.add(sent);
  }

  #toResult(
    { id, deploymentId }: SentSubmission,
    form: LiveForm,
    outcome: Exclude<TransactionOutcome, { kind: 'solution-used' }>,
  ): Result | Duplicate {
    if (outcome.kind === 'accepted') return { kind: 'accepted', id, form };
    if (outcome.kind === 'busy') throw new BusyError();
    if (outcome.kind === 'rate-limited') this.#rateLimited.remember(deploymentId, outcome.retryAfterMs);
    return outcome;
  }

  /** Stores spam, or drops it. Either way, the visitor is told of a success. */
  async #storeAsSpam(sent: SentSubmission, form: LiveForm, reason: SpamReason): Promise<Result | Duplicate> {
    const { id } = sent;
    const outcome = await this.#spamFolder.store(sent, { ...sent, reason });
    switch (outcome.kind) {
      case 'kept':
        return { kind: 'spam', id, form };
      case 'dropped':
        // The provider was not reached. It may be a person's: an answer of a success would lose it.
        if (reason === 'captcha-unavailable') return { kind: 'rate-limited', retryAfterMs: outcome.retryAfterMs };
        return { kind: 'spam-dropped', id, form };
      case 'busy':
        throw new BusyError();
      default:
        return outcome;
    }
  }
}

/** The same submission under an id of its own. */
function withNewId(sent: SentSubmission): SentSubmission {
  const id = newSubmissionId();
  return { ...sent, id, data: sent.dataWithId?.(id) ?? sent.data, isRetry: false };
}
