import type { Database } from '../db/postgres/connect.ts';
import { isOutOfReach } from '../db/postgres/out-of-reach.ts';
import type { SpamReason } from '../db/spam/spam-queries.ts';
import type { DailyCounts } from '../db/submissions/daily-count-queries.ts';
import { findStored } from '../db/submissions/find-stored.ts';
import { type LiveForm, NO_RULES } from '../db/submissions/form-queries.ts';
import type { NewSubmission, StoreOutcome } from '../db/submissions/store-submissions.ts';
import type { NewFile } from '../db/submissions/submission-file-queries.ts';
import { findByKey, type IdempotencyKey } from '../db/submissions/submission-key-queries.ts';
import { BucketError } from '../files/bucket-error.ts';
import { markOf } from '../forms/foreign-mark.ts';
import type { PageForm } from '../forms/forms-of-page.ts';
import { matchForm, mayHaveFormName } from '../forms/match-form.ts';
import { asListed, HIDDEN_ORIGIN, webOriginOf } from '../forms/origins.ts';
import { createBoundedCache } from '../lib/bounded-cache.ts';
import { BusyError, FairQueue } from '../lib/fair-queue.ts';
import { DEPLOYMENT_ID, newSubmissionId } from '../lib/ids.ts';
import { networkOf } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';
import type { Forms } from './live-forms.ts';
import { type FileLimit, isSuccess, type NotReceived, type SubmissionOutcome } from './outcomes.ts';
import type { SpamCheck } from './spam-check.ts';
import type { SubmissionStore } from './submission-store.ts';

/** Ours, or one of another service: see `ControlKind`. */
export type Honeypot = 'honeypot' | 'spam-honeypot';

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

/**
 * A submission that arrives. `network`: of its sender. `isDelivery`: one of the service's own deliveries sends it. `isSmall`: to
 * read it costs no more than to look its form up. `read`: reads the rest of it.
 */
export type Arrival = {
  deploymentId: string;
  network: string;
  isDelivery: boolean;
  isSmall: boolean;
  sentFrom: SentFrom;
  read(): Promise<SentSubmission>;
};

/** An outcome, or that another submission has the key or the id, or had it just now; or that nobody has judged it by the form's rules. */
type Attempt = SubmissionOutcome | { kind: 'duplicate' | 'has-rules' };

const isFinal = (attempt: Attempt): attempt is SubmissionOutcome =>
  attempt.kind !== 'duplicate' && attempt.kind !== 'has-rules';

const NO_FORM = { kind: 'no-form' } as const;

/** Networks that have sent something to a form that is not there, and how long these are remembered. */
const MAX_STRAY_NETWORKS = 10_000;
const STRAY_MS = 60_000;

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
  /** The forms of a deployment's page. */
  formsOf(deploymentId: string): Promise<readonly PageForm[]>;
};

/** Decides what becomes of submissions, and stores those that their forms accept. */
export class SubmissionIntake {
  readonly #rooms: Rooms;
  /** Returns whether an origin is that of the service, or of the page with this slug. */
  readonly #isOwnOrigin: (slug: string, origin: string) => boolean;
  /** Queries for submissions that may have been stored before. */
  readonly #lookUps: FairQueue<string>;
  /** Networks that have sent to a form that is not there: a flood of such submissions costs no reading, and no place in a batch. */
  readonly #strayNetworks: ReturnType<typeof createBoundedCache<string, true>>;

  constructor(rooms: Rooms, isOwnOrigin: (slug: string, origin: string) => boolean) {
    this.#rooms = rooms;
    this.#isOwnOrigin = isOwnOrigin;
    this.#lookUps = new FairQueue({ slots: 2, maxWaiting: 1_000 });
    this.#strayNetworks = createBoundedCache(MAX_STRAY_NETWORKS, { ttlMs: STRAY_MS });
  }

  /** Receives a submission. Settles after its transaction has ended. Rejects only with what `read` rejects with. */
  async receive(arrival: Arrival): Promise<SubmissionOutcome> {
    const { forms, turnedAway } = this.#rooms;
    const { deploymentId, network } = arrival;
    if (arrival.isDelivery) return { kind: 'loop' };
    if (!DEPLOYMENT_ID.test(deploymentId)) return NO_FORM;
    const mayReadFirst = arrival.isSmall && !forms.inMemory(deploymentId) && !this.#strayNetworks.has(network);
    const outcome = await (mayReadFirst ? this.#readFirst(arrival) : this.#findFirst(arrival));
    if (outcome.kind === 'no-form') this.#strayNetworks.set(network, true);
    if (outcome.kind === 'rate-limited') turnedAway.add(deploymentId);
    return outcome;
  }

  /** Stores a submission without looking its form up, unless the form has rules, or the submission is no plain one. */
  async #readFirst(arrival: Arrival): Promise<SubmissionOutcome> {
    const { deploymentId } = arrival;
    let sent: SentSubmission;
    try {
      sent = await arrival.read();
    } catch (error) {
      // A mistake in a submission to no form is not told.
      if (!(await this.#find(deploymentId))) return NO_FORM;
      throw error;
    }
    const attempt = isPlain(sent) ? await this.#storeUnjudged(sent) : undefined;
    // A form that is not found may be that of an owner who is suspended.
    if (attempt && isFinal(attempt) && attempt.kind !== 'no-form') return attempt;
    return this.#findFirst({ ...arrival, read: async () => sent });
  }

  async #storeUnjudged(sent: SentSubmission): Promise<Attempt> {
    try {
      const stored = await this.#rooms.store.store({ ...sent, isUnjudged: true }, sent);
      return toAttempt(stored, sent, undefined);
    } catch (error) {
      return notWorking(error, undefined);
    }
  }

  /** Looks the form up before the body costs anything. */
  async #findFirst({ deploymentId, sentFrom, read }: Arrival): Promise<SubmissionOutcome> {
    const found = this.#rooms.forms.inMemory(deploymentId) ?? (await this.#find(deploymentId));
    if (!found) return NO_FORM;
    const form = 'kind' in found ? undefined : found;
    const sent = await read();
    if (sent.exceeded) return { kind: 'files-refused', exceeded: sent.exceeded, form };
    // The form was read all the same, so that its visitor gets it back and can send it again.
    if ('kind' in found) return found;
    if (found.isSuspended) return { kind: 'suspended', form: found };
    try {
      return await this.#decide(sent, sentFrom);
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
    if (form.isSuspended) return { kind: 'suspended', form };
    const origin = this.#refusedOrigin(sentFrom, form);
    if (origin !== undefined) return { kind: 'origin-refused', origin, form };
    if (sent.honeypot === 'honeypot') {
      // A robot gets the answer of a success, and nothing is stored.
      honeypotHits.add(deploymentId);
      return { kind: 'honeypot', id, form };
    }
    const named = form.tellsFormsApart || mayHaveFormName(sent.data) ? await this.#withForm(sent, form) : sent;
    const attempt =
      named.key || named.isRetry ? await this.#storeOnce(named, form) : await this.#checkAndStore(named, form);
    // Two with one id or one solution of a captcha may come at once: the second can be sent again.
    return isFinal(attempt) ? attempt : { kind: 'unavailable', error: new BusyError(), form };
  }

  /** Returns the submission with the name and the honeypot of its form. A page that can't be read now is no reason to refuse it. */
  async #withForm(sent: SentSubmission, { deploymentId, forms: known }: LiveForm): Promise<SentSubmission> {
    const { forms, formsOf } = this.#rooms;
    const read = async (): Promise<readonly PageForm[]> => {
      const found = await formsOf(deploymentId);
      forms.invalidate(deploymentId);
      return found;
    };
    const ofPage =
      known ??
      (await read().catch((error: unknown) => {
        if (isOutOfReach(error)) throw error;
        return [];
      }));
    const { name, isHoneypotFilled } = matchForm(ofPage, sent.data);
    return { ...sent, form: name, honeypot: isHoneypotFilled ? 'spam-honeypot' : sent.honeypot };
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

/** `form`: undefined for a submission that nobody has judged. */
function toAttempt(stored: StoreOutcome, { id, deploymentId }: SentSubmission, form: LiveForm | undefined): Attempt {
  switch (stored.kind) {
    case 'no-deployment':
      return NO_FORM;
    case 'duplicate':
    case 'solution-used':
      return { kind: 'duplicate' };
    case 'has-rules':
      return stored;
    case 'accepted':
      return { kind: stored.kind, id, form: form ?? { deploymentId, slug: stored.slug ?? '', rules: NO_RULES } };
    default:
      return { ...stored, form };
  }
}

/** Returns whether a submission can be stored without its form being known, where that has no rules. */
const isPlain = ({ exceeded, honeypot, key, isRetry, files, data }: SentSubmission): boolean =>
  !exceeded && !honeypot && !key && !isRetry && files.length === 0 && !mayHaveFormName(data);

/** The outcome of a submission in which something has failed. */
export const notWorking = (error: unknown, form: LiveForm | undefined): NotReceived => {
  const isTemporary = error instanceof BusyError || error instanceof BucketError || isOutOfReach(error);
  return { kind: isTemporary ? 'unavailable' : 'failed', error, form };
};

/** Returns a copy of a submission with a new id. */
function withNewId(sent: SentSubmission): SentSubmission {
  const id = newSubmissionId(markOf(sent.id));
  return { ...sent, id, data: dataWithId(id, sent.deploymentId, sent), isRetry: false };
}
