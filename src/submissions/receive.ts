import type { Database } from '../db/postgres/connect.ts';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import type { SpamReason } from '../db/spam/spam-queries.ts';
import type { DailyCounts } from '../db/submissions/daily-count-queries.ts';
import { findStored } from '../db/submissions/find-stored.ts';
import type { LiveForm } from '../db/submissions/form-queries.ts';
import type { Closing, NewSubmission, StoreOutcome } from '../db/submissions/store-submissions.ts';
import type { NewFile } from '../db/submissions/submission-file-queries.ts';
import { findByKey, type IdempotencyKey } from '../db/submissions/submission-key-queries.ts';
import { BucketError } from '../files/bucket-error.ts';
import { asListed, HIDDEN_ORIGIN, webOriginOf } from '../forms/origins.ts';
import { BusyError, FairQueue } from '../lib/fair-queue.ts';
import { DEPLOYMENT_ID, newSubmissionId } from '../lib/ids.ts';
import { networkOf } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';
import type { Forms } from './live-forms.ts';
import type { SpamCheck } from './spam-check.ts';
import type { SubmissionStore } from './submission-store.ts';

/** Ours, or one of another service: see `ControlKind`. */
export type Honeypot = 'honeypot' | 'spam-honeypot';

/** Why files were refused. `limit`: in bytes, or a count. */
export type FileLimit = { kind: 'count' | 'file' | 'files'; limit: number };

/** A submission as it was sent. Its `id` is that under which it was sent first, when it `isRetry`. */
export type SentSubmission = NewSubmission & {
  isRetry: boolean;
  key: IdempotencyKey | undefined;
  /** The kind of honeypot that is filled in. */
  honeypot: Honeypot | undefined;
  files: readonly NewFile[];
  /** Set when its files are too large, or too many: there are none in `files` then, and no data. */
  exceeded?: FileLimit | undefined;
  /** Returns the data, with `urlOf(id)` as the URL of each file. */
  dataWith(urlOf: (fileId: string) => string): string;
};

/** The page from which a browser has sent a form (RFC 6454). A client without `origin` is no browser. */
export type SentFrom = {
  origin: string | undefined;
  /** The URL of the page, or the part of it that the page shows. */
  referer: string | undefined;
  isSameOrigin: boolean;
};

/** A submission that arrives. `isDelivery`: one of the service's own deliveries sends it. `read`: reads the rest of it. */
export type Arrival = {
  deploymentId: string;
  isDelivery: boolean;
  sentFrom: SentFrom;
  read(): Promise<SentSubmission>;
};

/** An outcome that a visitor sees as a success. `id`: the submission's, or that of the first one when it is `repeated`. */
type Success = { kind: 'accepted' | 'repeated' | 'honeypot' | 'spam' | 'spam-dropped'; id: string; form: LiveForm };

/** Why a submission was not stored. `form`: undefined where it is not known. */
export type NotReceived =
  | { kind: 'loop' | 'no-form' }
  | { kind: 'origin-refused'; origin: string; form: LiveForm }
  | { kind: 'closed'; closing: Closing; form: LiveForm }
  | { kind: 'rate-limited'; retryAfterMs: number; form: LiveForm }
  /** Its key was used with another submission. */
  | { kind: 'key-reused'; form: LiveForm }
  /** The files are more than the owner's plan allows. */
  | { kind: 'storage-full'; form: LiveForm }
  | { kind: 'files-refused'; exceeded: FileLimit; form: LiveForm | undefined }
  /** `unavailable`: it can be sent again. `failed`: nobody has foreseen the error. */
  | { kind: 'unavailable' | 'failed'; error: unknown; form: LiveForm | undefined };

export type SubmissionOutcome = Success | NotReceived;

/** An outcome, or that another submission has the key or the id, or had it just now. */
type Attempt = SubmissionOutcome | { kind: 'duplicate' };

const NO_FORM = { kind: 'no-form' } as const;

export const isSuccess = (outcome: { kind: string }): outcome is Success => 'id' in outcome;

/** The data of a submission under an id, which is in the paths of the API at which its files are downloaded. */
export const dataWithId = (id: string, deploymentId: string, { dataWith }: Pick<SentSubmission, 'dataWith'>): string =>
  dataWith((fileId) => `/submissions/${deploymentId}/${id}/files/${fileId}`);

type Rooms = {
  db: Database;
  limits: Limits;
  forms: Forms;
  spamCheck: SpamCheck;
  store: SubmissionStore;
  honeypotHits: Pick<DailyCounts, 'add'>;
  turnedAway: Pick<DailyCounts, 'add'>;
};

/** Decides what becomes of submissions, and stores those that their forms accept. */
export class SubmissionIntake {
  readonly #rooms: Rooms;
  /** Returns whether an origin is that of the service, or of the page with this slug. */
  readonly #isOwnOrigin: (slug: string, origin: string) => boolean;
  /** Queries for submissions that may have been stored before. */
  readonly #lookUps: FairQueue<string>;

  constructor(rooms: Rooms, isOwnOrigin: (slug: string, origin: string) => boolean) {
    this.#rooms = rooms;
    this.#isOwnOrigin = isOwnOrigin;
    this.#lookUps = new FairQueue({ slots: 2, maxWaiting: 1_000 });
  }

  /** Receives a submission. Settles after its transaction has ended. Rejects only with what `read` rejects with. */
  async receive({ deploymentId, isDelivery, sentFrom, read }: Arrival): Promise<SubmissionOutcome> {
    const { forms, turnedAway } = this.#rooms;
    if (isDelivery) return { kind: 'loop' };
    if (!DEPLOYMENT_ID.test(deploymentId)) return NO_FORM;
    // Before the body costs anything.
    const found = forms.inMemory(deploymentId) ?? (await this.#find(deploymentId));
    if (!found) return NO_FORM;
    const form = 'kind' in found ? undefined : found;
    const sent = await read();
    if (sent.exceeded) return { kind: 'files-refused', exceeded: sent.exceeded, form };
    // The form was read all the same, so that its visitor gets it back and can send it again.
    if ('kind' in found) return found;
    try {
      const outcome = await this.#decide(sent, sentFrom);
      if (outcome.kind === 'rate-limited') turnedAway.add(deploymentId);
      return outcome;
    } catch (error) {
      return notWorking(error, form);
    }
  }

  /** The form; undefined when there is none; or why it can't be read. */
  async #find(deploymentId: string): Promise<LiveForm | NotReceived | undefined> {
    try {
      return await this.#rooms.forms.get(deploymentId);
    } catch (error) {
      return notWorking(error, undefined);
    }
  }

  async #decide(sent: SentSubmission, sentFrom: SentFrom): Promise<SubmissionOutcome> {
    const { forms, honeypotHits } = this.#rooms;
    const { id, deploymentId } = sent;
    // Its owner may have changed it while the body came.
    const form = forms.inMemory(deploymentId) ?? (await forms.get(deploymentId));
    if (!form) return NO_FORM;
    const origin = this.#refusedOrigin(sentFrom, form);
    if (origin !== undefined) return { kind: 'origin-refused', origin, form };
    if (sent.honeypot === 'honeypot') {
      // A robot gets the answer of a success, and nothing is stored.
      honeypotHits.add(deploymentId);
      return { kind: 'honeypot', id, form };
    }
    const attempt =
      sent.key || sent.isRetry ? await this.#storeOnce(sent, form) : await this.#checkAndStore(sent, form);
    // Two with one id or one solution of a captcha may come at once: the second can be sent again.
    return attempt.kind === 'duplicate' ? { kind: 'unavailable', error: new BusyError(), form } : attempt;
  }

  /**
   * Returns the origin from which the form accepts nothing. A page whose origin is hidden, by its referrer policy or by a redirect,
   * may still be known: scripts can change neither Sec-Fetch-Site nor the origin in Referer.
   */
  #refusedOrigin(
    { origin, referer = '', isSameOrigin }: SentFrom,
    { slug, rules: { allowedOrigins } }: LiveForm,
  ): string | undefined {
    if (allowedOrigins.length === 0 || origin === undefined || isSameOrigin) return undefined;
    const isAllowed = (each: string): boolean =>
      // The service's own error pages send a form again.
      this.#isOwnOrigin(slug, each) || allowedOrigins.includes(asListed(each));
    if (isAllowed(origin)) return undefined;
    const named = origin === HIDDEN_ORIGIN ? webOriginOf(referer) : undefined;
    return named !== undefined && isAllowed(named) ? undefined : origin;
  }

  /** Stores a submission that may have been stored before: once, and the outcome is that of the first one. */
  async #storeOnce(sent: SentSubmission, form: LiveForm): Promise<Attempt> {
    const earlier = await this.#findEarlier(sent, form);
    if (earlier === 'other-files') return this.#checkAndStore(withNewId(sent), form);
    if (earlier) return earlier;
    const attempt = await this.#checkAndStore(sent, form);
    if (isSuccess(attempt)) return attempt;
    // Any process may have stored the first one meanwhile, as the last that the form accepts.
    const meanwhile = await this.#findEarlier(sent, form);
    if (meanwhile && meanwhile !== 'other-files') return meanwhile;
    // Its id is that of a deleted submission, or of one to another deployment. With a key that has expired just now, it is refused.
    const isTaken = attempt.kind === 'duplicate' && sent.isRetry;
    return isTaken ? this.#checkAndStore(withNewId(sent), form) : attempt;
  }

  /** Finds the submission that was stored under this one's key or id. 'other-files': one with the same id, and without all of its files. */
  async #findEarlier(sent: SentSubmission, form: LiveForm): Promise<SubmissionOutcome | 'other-files' | undefined> {
    const { db, limits } = this.#rooms;
    const { id, deploymentId, ipAddress, key, files } = sent;
    return this.#lookUps.run(networkOf(ipAddress), limits.submissions.lookUpWaitTimeoutMs, async () => {
      if (key) {
        const first = await findByKey(db, deploymentId, key.hash);
        if (!first) return undefined;
        return first.bodyHash.equals(key.bodyHash)
          ? { kind: 'repeated', id: first.id, form }
          : { kind: 'key-reused', form };
      }
      const first = await findStored(db, sent, files);
      if (!first) return undefined;
      return first.hasFiles ? { kind: 'repeated', id, form } : 'other-files';
    });
  }

  async #checkAndStore(sent: SentSubmission, form: LiveForm): Promise<Attempt> {
    const { spamCheck, store } = this.#rooms;
    if (sent.honeypot) return this.#storeAsSpam(sent, form, 'honeypot');
    const check = await spamCheck.run(sent, form.rules);
    if (check.kind === 'spam') return this.#storeAsSpam(sent, form, check.reason);
    let stored: StoreOutcome | undefined;
    try {
      stored = await store.store(sent, check.solution ? { ...sent, solution: check.solution } : sent);
    } finally {
      if (stored?.kind !== 'accepted' && check.token !== undefined) spamCheck.giveBack(check.token);
    }
    return stored.kind === 'solution-used'
      ? this.#storeAsSpam(sent, form, 'captcha-reused')
      : toAttempt(stored, sent, form);
  }

  /** Stores spam, or drops it. Either way, the visitor is told of a success. */
  async #storeAsSpam(sent: SentSubmission, form: LiveForm, reason: SpamReason): Promise<Attempt> {
    const { id } = sent;
    const stored = await this.#rooms.store.store(sent, sent, reason);
    if (stored.kind === 'accepted') return { kind: 'spam', id, form };
    // If the provider was not reached, it may be a person's: an answer of a success would lose it.
    if (stored.kind !== 'rate-limited' || reason === 'captcha-unavailable') return toAttempt(stored, sent, form);
    return { kind: 'spam-dropped', id, form };
  }
}

function toAttempt(stored: StoreOutcome, { id }: SentSubmission, form: LiveForm): Attempt {
  switch (stored.kind) {
    case 'no-deployment':
      return NO_FORM;
    case 'duplicate':
    case 'solution-used':
      return { kind: 'duplicate' };
    case 'accepted':
      return { kind: stored.kind, id, form };
    default:
      return { ...stored, form };
  }
}

/** The outcome of a submission in which something has failed. */
const notWorking = (error: unknown, form: LiveForm | undefined): NotReceived => {
  const isTemporary = error instanceof BusyError || error instanceof BucketError || isOutOfReach(error);
  return { kind: isTemporary ? 'unavailable' : 'failed', error, form };
};

/** Returns a copy of a submission with a new id. */
function withNewId(sent: SentSubmission): SentSubmission {
  const id = newSubmissionId();
  return { ...sent, id, data: dataWithId(id, sent.deploymentId, sent), isRetry: false };
}
