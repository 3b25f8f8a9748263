import { StorageFull } from '../db/account/storage.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { HoneypotHits } from '../db/spam/honeypot-hits.ts';
import type { SpamReason } from '../db/spam/spam-submissions.ts';
import { findStored } from '../db/submissions/find-stored.ts';
import type { LiveForm } from '../db/submissions/forms.ts';
import { findByKey, type IdempotencyKey } from '../db/submissions/idempotency-keys.ts';
import type { NewSubmission } from '../db/submissions/store-submissions.ts';
import type { NewFile } from '../db/submissions/submission-files.ts';
import { BusyError, createFairQueue } from '../lib/fair-queue.ts';
import { newSubmissionId } from '../lib/ids.ts';
import { networkOf } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';
import { refusedOrigin, type Source } from './check-origin.ts';
import type { Forms } from './forms.ts';
import type { SpamCheck } from './spam-check.ts';
import type { Stored, SubmissionStore } from './submission-store.ts';

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

/** Another submission has been stored under its id or its key, or with its solution. */
type Duplicate = Extract<Stored, { kind: 'duplicate' | 'solution-used' }>;

/** What metrics count. */
export type Counted = Exclude<Result['kind'], 'key-reused'> | 'storage-full' | 'failed';

const NO_DEPLOYMENT: Refusal = { kind: 'no-deployment' };

/** Decides what becomes of submissions, and stores them. */
export class SubmissionService {
  readonly #db: Database;
  readonly #forms: Forms;
  readonly #spamCheck: SpamCheck;
  readonly #store: SubmissionStore;
  readonly #lookUps: ReturnType<typeof createFairQueue<string>>;
  readonly #honeypotHits: Pick<HoneypotHits, 'add'>;
  readonly #origins: { originOf(slug: string): string; ownOrigin: string };
  readonly #count: (outcome: Counted) => void;
  readonly #limits: Limits['submissions'];

  constructor(parts: {
    db: Database;
    forms: Forms;
    store: SubmissionStore;
    spamCheck: SpamCheck;
    honeypotHits: Pick<HoneypotHits, 'add'>;
    /** The origins of pages, by their slugs, and of the service. */
    origins: { originOf(slug: string): string; ownOrigin: string };
    count(outcome: Counted): void;
    limits: Limits;
  }) {
    const { limits } = parts;
    const { maxConcurrentLookUps, maxWaitingLookUps } = limits.submissions;
    this.#db = parts.db;
    this.#forms = parts.forms;
    this.#spamCheck = parts.spamCheck;
    this.#store = parts.store;
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
    if (result.kind === 'duplicate' || result.kind === 'solution-used') throw new BusyError();
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
      const first = await findStored(this.#db, sent, files);
      if (!first) return undefined;
      return first.hasFiles ? { kind: 'repeated', id, form } : 'other-files';
    });
  }

  async #checkAndStore(sent: SentSubmission, form: LiveForm): Promise<Result | Duplicate> {
    const check = await this.#spamCheck.run(sent, form.rules);
    if (check.kind === 'spam') return this.#storeAsSpam(sent, form, check.reason);
    if (check.kind === 'refused') return check.outcome;
    let stored: Stored | undefined;
    try {
      stored = await this.#store.store(sent, { ...sent, solution: check.solution });
    } finally {
      if (stored?.kind !== 'accepted') check.giveBack?.();
    }
    if (stored.kind === 'solution-used') return this.#storeAsSpam(sent, form, 'captcha-reused');
    return stored.kind === 'accepted' ? { kind: 'accepted', id: sent.id, form } : stored;
  }

  /** Stores spam, or drops it. Either way, the visitor is told of a success. */
  async #storeAsSpam(sent: SentSubmission, form: LiveForm, reason: SpamReason): Promise<Result | Duplicate> {
    const { id } = sent;
    const stored = await this.#store.storeAsSpam(sent, reason, sent);
    if (stored.kind === 'accepted') return { kind: 'spam', id, form };
    // If the provider was not reached, it may be a person's: an answer of a success would lose it.
    if (stored.kind !== 'rate-limited' || reason === 'captcha-unavailable') return stored;
    return { kind: 'spam-dropped', id, form };
  }
}

/** The same submission under an id of its own. */
function withNewId(sent: SentSubmission): SentSubmission {
  const id = newSubmissionId();
  return { ...sent, id, data: sent.dataWithId?.(id) ?? sent.data, isRetry: false };
}
