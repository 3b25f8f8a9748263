import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { StorageFull } from '../../db/account/storage.ts';
import { isOutOfReach } from '../../db/postgres/out-of-reach.ts';
import type { SpamReason } from '../../db/spam/spam-submissions.ts';
import { findStored } from '../../db/submissions/find-stored.ts';
import type { LiveForm } from '../../db/submissions/forms.ts';
import { findByKey, type IdempotencyKey } from '../../db/submissions/idempotency-keys.ts';
import type { StoreOutcome } from '../../db/submissions/store-submissions.ts';
import { DELIVERY_HEADER } from '../../lib/delivery-header.ts';
import { BusyError, FairQueue } from '../../lib/fair-queue.ts';
import { DEPLOYMENT_ID, newSubmissionId } from '../../lib/ids.ts';
import { networkOf } from '../../lib/public-address.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { App } from '../app.ts';
import type { Exchange } from '../request/exchange.ts';
import { answerObject, submissionId } from '../request/fields.ts';
import { keyReused } from '../request/idempotency-key.ts';
import { ERROR_CODE, HttpError, tooManySubmissions } from '../response/errors.ts';
import { FormClosed, formClosed } from '../response/form-closed.ts';
import { bodyHashOf, keyHashOf } from './idempotency-key.ts';
import { FilesRefused } from './multipart.ts';
import { checkOrigin } from './origin.ts';
import { noStorageForFiles, noSuchForm, webhookLoop } from './refusals.ts';
import { firstIdOf } from './resubmit-query.ts';
import { dataWithId, type ParsedSubmission, SubmissionParser } from './submission-parser.ts';
import { type Visitor, type VisitorPages, visitorOf } from './visitor-pages.ts';

type Sent = ParsedSubmission & { deploymentId: string; ipAddress: string; key: IdempotencyKey | undefined };

/** An outcome that a visitor sees as a success. `id`: the submission's, or that of the first one when it is `repeated`. */
type Success = { kind: 'accepted' | 'repeated' | 'honeypot' | 'spam' | 'spam-dropped'; id: string; form: LiveForm };

/** Why a submission was not stored. */
type NotStored = Exclude<StoreOutcome, { kind: 'accepted' }>;

export const Received = answerObject('SubmissionReceived', {
  message: z.literal('Submission received'),
  id: submissionId,
});

/** The headers of every answer of POST /submit: pages of any origin may read it. */
export const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `Retry-After, ${ERROR_CODE}`,
} as const;

/** Says by its `cause` why a submission was refused. `visitor` is set when the answer is a page for a visitor. */
export class SubmissionError extends Error {
  readonly visitor: Visitor | undefined;

  constructor(cause: unknown, visitor: Visitor | undefined) {
    super('The submission was refused.', { cause });
    this.visitor = visitor;
  }
}

/**
 * Receives submissions: reads, decides, stores and answers. It runs on node:http, ahead of Express: through Express' router
 * and res.json a submission takes about a quarter longer.
 */
export class SubmissionService {
  readonly #app: App;
  readonly #visitorPages: VisitorPages;
  readonly #parser: SubmissionParser;
  /** Queries for submissions that may have been stored before. */
  readonly #lookUps: FairQueue<string>;

  constructor(app: App, visitorPages: VisitorPages) {
    this.#app = app;
    this.#visitorPages = visitorPages;
    this.#parser = new SubmissionParser(app);
    this.#lookUps = new FairQueue({ slots: 2, maxWaiting: 1_000 });
  }

  /** Answers a submission after its transaction has ended. Throws SubmissionError, which the listener answers. */
  async submit({ request, response, requestId, slug }: Exchange, deploymentId: string): Promise<void> {
    const visitor = visitorOf(request, slug);
    let parsed: ParsedSubmission | undefined;
    try {
      if (request.headers[DELIVERY_HEADER] !== undefined) throw webhookLoop();
      if (!DEPLOYMENT_ID.test(deploymentId)) throw noSuchForm();
      // Before the first await: a socket that has closed has no address.
      const ipAddress = this.#app.clientAddress(request);
      const outage = await this.#refuseAbsent(deploymentId);
      // Files are in memory until they are stored.
      using memory = this.#app.bodyReader.reserve(networkOf(ipAddress));
      parsed = await this.#parser.read(request, deploymentId, memory);
      if (outage) throw this.#count(outage.error, deploymentId);
      const keyHash = keyHashOf(request);
      // The server sets its own time-out again at the next request.
      if (keyHash || parsed.isRetry || parsed.files.length > 0) {
        request.socket.setTimeout(this.#app.limits.submissions.transactionSocketTimeoutMs);
      }
      const key = keyHash && { hash: keyHash, bodyHash: await bodyHashOf(parsed) };
      const result = await this.#acceptAndCount(request, { ...parsed, deploymentId, ipAddress, key });
      const headers = { ...(slug === undefined ? CORS : {}), 'x-request-id': requestId };
      if (visitor) this.#visitorPages.redirect(response, { ...visitor, fields: parsed.fields }, result.form, headers);
      else sendReceived(response, result.id, headers);
    } catch (error) {
      const cause = error instanceof StorageFull ? noStorageForFiles(parsed?.fields ?? []) : error;
      throw new SubmissionError(
        cause,
        visitor && (await this.#recognize(visitor, request, deploymentId, parsed, cause)),
      );
    }
  }

  /**
   * Throws 404 where there is no form, before the body costs anything. Returns the error when forms can't be read: the body is
   * read then, so that a visitor gets it back and can send it again.
   */
  async #refuseAbsent(deploymentId: string): Promise<{ error: unknown } | undefined> {
    const { forms } = this.#app;
    if (forms.inMemory(deploymentId)) return undefined;
    try {
      if (await forms.get(deploymentId)) return undefined;
    } catch (error) {
      return { error };
    }
    throw this.#count(noSuchForm(), deploymentId);
  }

  async #acceptAndCount(request: IncomingMessage, sent: Sent): Promise<Success> {
    try {
      const success = await this.#accept(request, sent);
      this.#app.metrics.submission(success.kind);
      return success;
    } catch (error) {
      throw this.#count(error, sent.deploymentId);
    }
  }

  /** Counts a submission that failed or was refused. Returns the error. */
  #count<E>(error: E, deploymentId: string): E {
    const { metrics, turnedAway } = this.#app;
    const outcome = outcomeOf(error);
    if (outcome === 'rate-limited') turnedAway.add(deploymentId);
    // Another body under a used key is a mistake of the client, and no submission.
    if (!(error instanceof HttpError && error.status === 422)) metrics.submission(outcome);
    return error;
  }

  /** Stores a submission, unless it is from a robot or was stored before. Throws when it is refused. */
  async #accept(request: IncomingMessage, sent: Sent): Promise<Success> {
    const { forms, honeypotHits } = this.#app;
    const form = await forms.get(sent.deploymentId);
    if (!form) throw noSuchForm();
    checkOrigin(request, form, this.#app);
    if (sent.honeypot === 'honeypot') {
      // A robot gets the answer of a success, and nothing is stored.
      honeypotHits.add(sent.deploymentId);
      return { kind: 'honeypot', id: sent.id, form };
    }
    if (!sent.key && !sent.isRetry) return toSuccess(await this.#checkAndStore(sent, form), form);
    return this.#storeOnce(sent, form);
  }

  /** Stores a submission that may have been stored before: once, and the answer is that of the first one. */
  async #storeOnce(sent: Sent, form: LiveForm): Promise<Success> {
    const earlier = await this.#findEarlier(sent, form);
    if (earlier === 'other-files') return toSuccess(await this.#checkAndStore(withNewId(sent), form), form);
    if (earlier) return earlier;
    const result = await this.#checkAndStore(sent, form);
    if ('form' in result) return result;
    // Any process may have stored the first one meanwhile, as the last that the form accepts.
    const meanwhile = await this.#findEarlier(sent, form);
    if (meanwhile && meanwhile !== 'other-files') return meanwhile;
    // Its id is that of a deleted submission, or of one to another deployment. With a key that has expired just now, it is refused.
    const isTaken = result.kind === 'duplicate' && sent.isRetry;
    return toSuccess(isTaken ? await this.#checkAndStore(withNewId(sent), form) : result, form);
  }

  /** The submission that was stored under this one's key or id. Throws 422. 'other-files': one with the same id, and without all of its files. */
  async #findEarlier(sent: Sent, form: LiveForm): Promise<Success | 'other-files' | undefined> {
    const { db, limits } = this.#app;
    const { id, deploymentId, ipAddress, key, files } = sent;
    return this.#lookUps.run(networkOf(ipAddress), limits.submissions.lookUpWaitTimeoutMs, async () => {
      if (key) {
        const first = await findByKey(db, deploymentId, key.hash);
        if (!first) return undefined;
        if (!first.bodyHash.equals(key.bodyHash)) throw keyReused();
        return { kind: 'repeated', id: first.id, form };
      }
      const first = await findStored(db, sent, files);
      if (!first) return undefined;
      return first.hasFiles ? { kind: 'repeated', id, form } : 'other-files';
    });
  }

  async #checkAndStore(sent: Sent, form: LiveForm): Promise<Success | NotStored> {
    const { spamCheck, submissions } = this.#app;
    if (sent.honeypot) return this.#storeAsSpam(sent, form, 'honeypot');
    const check = await spamCheck.run(sent, form.rules);
    if (check.kind === 'spam') return this.#storeAsSpam(sent, form, check.reason);
    let outcome: StoreOutcome | undefined;
    try {
      outcome = await submissions.store(sent, { ...sent, solution: check.solution });
    } finally {
      if (outcome?.kind !== 'accepted' && check.token !== undefined) spamCheck.giveBack(check.token);
    }
    if (outcome.kind === 'solution-used') return this.#storeAsSpam(sent, form, 'captcha-reused');
    return outcome.kind === 'accepted' ? { kind: 'accepted', id: sent.id, form } : outcome;
  }

  /** Stores spam, or drops it. Either way, the visitor is told of a success. */
  async #storeAsSpam(sent: Sent, form: LiveForm, reason: SpamReason): Promise<Success | NotStored> {
    const { id } = sent;
    const stored = await this.#app.submissions.store(sent, sent, reason);
    if (stored.kind === 'accepted') return { kind: 'spam', id, form };
    // If the provider was not reached, it may be a person's: an answer of a success would lose it.
    if (stored.kind !== 'rate-limited' || reason === 'captcha-unavailable') return stored;
    return { kind: 'spam-dropped', id, form };
  }

  /** Adds what the page that answers a refusal needs to know: how to get back, in which language, what was filled in. */
  async #recognize(
    visitor: Visitor,
    request: IncomingMessage,
    deploymentId: string,
    parsed: ParsedSubmission | undefined,
    error: unknown,
  ): Promise<Visitor> {
    const { forms } = this.#app;
    const fields = error instanceof FilesRefused ? error.fields : parsed?.fields;
    const links = await this.#app.links().catch(() => undefined);
    const firstId = links && firstIdOf(request, fields, links);
    const id = parsed?.id ?? firstId ?? newSubmissionId();
    const resubmission = links && { id, isRetry: firstId !== undefined, links };
    // Where the database is out of reach, the answer does not wait for it once more.
    const page = isOutOfReach(error)
      ? forms.inMemory(deploymentId)
      : await forms.get(deploymentId).catch(() => undefined);
    return { ...visitor, fields, resubmission, page, slug: visitor.slug ?? page?.slug };
  }
}

/** How metrics count a submission that failed or was refused. */
function outcomeOf(error: unknown): Parameters<Metrics['submission']>[0] {
  if (error instanceof StorageFull) return 'storage-full';
  if (error instanceof FormClosed) return 'form-closed';
  switch (error instanceof HttpError && error.status) {
    case 403:
      return 'origin-refused';
    case 404:
      return 'no-deployment';
    case 429:
      return 'rate-limited';
    default:
      return 'failed';
  }
}

/** The success, or throws the refusal. Two with one id or one solution of a captcha at once: the second can be sent again. */
function toSuccess(result: Success | NotStored, form: LiveForm): Success {
  switch (result.kind) {
    case 'no-deployment':
      throw noSuchForm();
    case 'rate-limited':
      throw tooManySubmissions(result.retryAfterMs);
    case 'closed':
      throw formClosed(result.closing, form.rules.closedMessage);
    case 'duplicate':
    case 'solution-used':
      throw new BusyError();
    default:
      return result;
  }
}

/** Returns a copy of a submission with a new id. */
function withNewId(sent: Sent): Sent {
  const id = newSubmissionId();
  return { ...sent, id, data: dataWithId(id, sent.deploymentId, sent), isRetry: false };
}

function sendReceived(response: ServerResponse, id: string, headers: Readonly<Record<string, string>>): void {
  const text = `{"message":"Submission received","id":"${id}"}`;
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': text.length,
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
