import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { StorageFull } from '../../db/account/storage.ts';
import { isOutOfReach } from '../../db/postgres/out-of-reach.ts';
import type { LiveForm } from '../../db/submissions/forms.ts';
import type { IdempotencyKey } from '../../db/submissions/idempotency-keys.ts';
import { DELIVERY_HEADER } from '../../lib/delivery-header.ts';
import { BusyError } from '../../lib/fair-queue.ts';
import { isDeploymentId, newSubmissionId } from '../../lib/ids.ts';
import { networkOf } from '../../lib/public-address.ts';
import type { Limits } from '../../limits.ts';
import type { Forms } from '../../submissions/forms.ts';
import type { Result, SubmissionService } from '../../submissions/submission-service.ts';
import type { BodyReader } from '../request/body.ts';
import type { ClientAddress } from '../request/client-address.ts';
import { submissionId } from '../request/fields.ts';
import { bodyHashOf, dataHashOf, keyHashOf } from './idempotency-key.ts';
import { FilesRefused } from './multipart.ts';
import { errorOf, noStorageForFiles, noSuchForm, SubmissionError, tooManyWaiting, webhookLoop } from './refusals.ts';
import { attemptOf } from './sent-again.ts';
import {
  fileUrl,
  type ParsedSubmission,
  type Sender,
  SubmissionParser,
  type SubmissionSizes,
} from './submission-parser.ts';
import { createShareLargeWork } from './time-share.ts';
import { type Visitor, type VisitorPages, visitorOf } from './visitors.ts';

/*
 * The hot path. It runs on node:http, ahead of Express, and writes its one answer itself: through Express' router and
 * res.json a submission takes about a quarter longer.
 */

/** `pageSlug` is set when the form was posted to its own page. Otherwise, pages of any origin may read the answer. */
type Target = { deploymentId: string; requestId: string; pageSlug: string | undefined };

export const Received = z.strictObject({ message: z.string(), id: submissionId }).meta({ id: 'SubmissionReceived' });

/** The headers of every answer of POST /submit: pages of any origin may read it. */
export const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' } as const;
const CORS_LIST = Object.entries(CORS).flat();

/** Answers POST /submit/:deployId, and forms that are posted to their own page. */
export class SubmissionHandler {
  readonly #submissions: Pick<SubmissionService, 'submit'>;
  readonly #forms: Pick<Forms, 'get' | 'inMemory'>;
  readonly #visitorPages: VisitorPages;
  readonly #body: BodyReader;
  readonly #clientAddress: ClientAddress;
  readonly #shareLargeWork = createShareLargeWork();
  readonly #parser: SubmissionParser;
  readonly #limits: Limits['submissions'];

  constructor(
    parts: {
      submissions: Pick<SubmissionService, 'submit'>;
      forms: Pick<Forms, 'get' | 'inMemory'>;
      visitorPages: VisitorPages;
      body: BodyReader;
      clientAddress: ClientAddress;
    },
    sizes: SubmissionSizes,
    limits: Limits,
  ) {
    this.#submissions = parts.submissions;
    this.#forms = parts.forms;
    this.#visitorPages = parts.visitorPages;
    this.#body = parts.body;
    this.#clientAddress = parts.clientAddress;
    this.#parser = new SubmissionParser({ body: parts.body, shareLargeWork: this.#shareLargeWork }, sizes, limits);
    this.#limits = limits.submissions;
  }

  /** Receives a submission and answers it. Throws SubmissionError, which dispatch answers. */
  async handle(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    const visitor = visitorOf(request, target.pageSlug);
    let parsed: ParsedSubmission | undefined;
    try {
      if (request.headers[DELIVERY_HEADER] !== undefined) throw webhookLoop();
      // Before the first await: a socket that has closed has no address.
      const ipAddress = this.#clientAddress(request);
      const sender = {
        deploymentId: target.deploymentId,
        network: networkOf(ipAddress),
        isVisitor: visitor !== undefined,
      };
      if (!isDeploymentId(sender.deploymentId)) throw noSuchForm();
      // Files are in memory until they are stored.
      using reservation = this.#body.reserve(sender.network);
      parsed = await this.#parser.read(request, sender, reservation);
      const result = await this.#submit(request, sender, ipAddress, parsed);
      if (!('form' in result)) throw errorOf(result);
      if (visitor) this.#redirect(response, target, { ...visitor, form: parsed.form }, result.form);
      else sendReceived(response, target, result.id);
    } catch (error) {
      throw new SubmissionError(error, visitor && (await this.#recognize(visitor, request, target, { parsed, error })));
    }
  }

  async #submit(
    request: IncomingMessage,
    sender: Sender,
    ipAddress: string,
    parsed: ParsedSubmission,
  ): Promise<Result> {
    const { id, text: data, honeypot, isRetry, files = [], dataWithId } = parsed;
    const keyHash = keyHashOf(request);
    const isAlone = keyHash !== undefined || isRetry || files.length > 0;
    const { timeout = 0 } = request.socket;
    if (isAlone) request.socket.setTimeout(this.#limits.aloneSocketTimeoutMs);
    const key = keyHash && (await this.#keyOf(request, sender, parsed, keyHash));
    const { deploymentId } = sender;
    const source = {
      origin: request.headers.origin,
      isSameOrigin: request.headers['sec-fetch-site'] === 'same-origin',
    };
    const sent = { id, deploymentId, data, ipAddress, source, honeypot, isRetry, files, key, dataWithId };
    try {
      return await this.#submissions.submit(sent);
    } catch (error) {
      if (error instanceof BusyError) throw tooManyWaiting();
      throw error instanceof StorageFull ? noStorageForFiles(parsed.form ?? []) : error;
    } finally {
      if (isAlone) request.socket.setTimeout(timeout);
    }
  }

  async #keyOf(
    request: IncomingMessage,
    { deploymentId, network }: Sender,
    { id, text, files = [] }: ParsedSubmission,
    hash: Buffer,
  ): Promise<IdempotencyKey> {
    const urlOf = (fileId: string): string => fileUrl(deploymentId, id, fileId);
    const dataHash = await this.#shareLargeWork(request, network, text.length, () => dataHashOf(text, files, urlOf));
    return { hash, bodyHash: await bodyHashOf(dataHash, files) };
  }

  #redirect(response: ServerResponse, { requestId, pageSlug }: Target, visitor: Visitor, form: LiveForm): void {
    const cors = pageSlug === undefined ? CORS : {};
    this.#visitorPages.redirect(response, visitor, form, { ...cors, 'x-request-id': requestId });
  }

  /** What the page that answers a refusal needs to know: how to get back, in which language, what was filled in. */
  async #recognize(
    visitor: Visitor,
    request: IncomingMessage,
    { deploymentId }: Target,
    { parsed, error }: { parsed: ParsedSubmission | undefined; error: unknown },
  ): Promise<Visitor> {
    const form = error instanceof FilesRefused ? error.form : parsed?.form;
    const attempt = parsed?.id ?? (form && (attemptOf(request, form)?.id ?? newSubmissionId()));
    // Where the database is out of reach, the answer does not wait for it once more.
    const page = isOutOfReach(error)
      ? this.#forms.inMemory(deploymentId)
      : await this.#forms.get(deploymentId).catch(() => undefined);
    return { ...visitor, form, attempt, page, slug: visitor.slug ?? page?.slug };
  }
}

function sendReceived(response: ServerResponse, { requestId, pageSlug }: Target, id: string): void {
  const text = `{"message":"Submission received","id":"${id}"}`;
  response.writeHead(200, [
    ...(pageSlug === undefined ? CORS_LIST : []),
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(text.length),
    'Cache-Control',
    'no-store',
    'x-request-id',
    requestId,
  ]);
  response.end(text);
}
