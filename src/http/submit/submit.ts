import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { FormRules } from '../../db/form-rules.ts';
import type { IdempotencyKey } from '../../db/idempotency-keys.ts';
import { isOutOfReach } from '../../db/postgres/connect.ts';
import { DELIVERY_HEADER } from '../../delivery-header.ts';
import { isDeploymentId, newSubmissionId } from '../../ids.ts';
import type { Intake } from '../../intake/intake.ts';
import type { Source } from '../../intake/judge.ts';
import type { Limits } from '../../limits.ts';
import { networkOf } from '../../public-address.ts';
import type { BodyReader } from '../body.ts';
import type { ClientAddress } from '../client-address.ts';
import { submissionId } from '../fields.ts';
import { bodyHashOf, dataHashOf, keyHashOf } from './idempotency-key.ts';
import { FilesRefused } from './multipart.ts';
import { createReadSubmission, fileUrl, type ParsedSubmission, type Sender } from './read-submission.ts';
import { errorOf, noSuchForm, SubmissionError, webhookLoop } from './refusals.ts';
import { attemptOf } from './sent-again.ts';
import { createShareLargeWork } from './time-share.ts';
import type { VisitedPages } from './visited-pages.ts';
import { type Visitor, type VisitorPages, visitorOf } from './visitors.ts';

/*
 * The hot path. It runs on node:http, ahead of Express, and writes its one answer itself: through Express' router and
 * res.json a submission takes about a quarter longer.
 */

/** `pageSlug` is set when the form was posted to its own page. Otherwise, pages of any origin may read the answer. */
type Target = { deploymentId: string; requestId: string; pageSlug: string | undefined };

export type Submit = {
  /** Receives a submission and answers it. Throws SubmissionError, which dispatch answers. */
  handle(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void>;
};

export const Received = z.strictObject({ message: z.string(), id: submissionId }).meta({ id: 'SubmissionReceived' });

/** The headers of every answer of POST /submit: pages of any origin may read it. */
export const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' } as const;
const CORS_LIST = Object.entries(CORS).flat();

const sourceOf = ({ headers }: IncomingMessage): Source => ({
  origin: headers.origin,
  isSameOrigin: headers['sec-fetch-site'] === 'same-origin',
});

export function createSubmit({
  intake,
  visited,
  visitorPages,
  body,
  clientAddress,
  maxSubmissionBytes,
  maxFileBytes,
  maxFilesBytes,
  limits,
}: {
  intake: Pick<Intake, 'submit'>;
  visited: Pick<VisitedPages, 'find' | 'inMemory'>;
  visitorPages: VisitorPages;
  body: BodyReader;
  clientAddress: ClientAddress;
  maxSubmissionBytes: number;
  maxFileBytes: number;
  maxFilesBytes: number;
  limits: Limits;
}): Submit {
  const shareLargeWork = createShareLargeWork();
  const readSubmission = createReadSubmission({
    body,
    shareLargeWork,
    maxSubmissionBytes,
    maxFileBytes,
    maxFilesBytes,
    limits,
  });

  /** What the page that answers a refusal needs to know: how to get back, in which language, what was filled in. */
  async function recognize(
    visitor: Visitor,
    request: IncomingMessage,
    sender: Sender,
    error: unknown,
  ): Promise<Visitor> {
    const { deploymentId, network } = sender;
    // Where the database is out of reach, the answer does not wait for it once more.
    const found = isOutOfReach(error) ? undefined : await visited.find(deploymentId, network);
    const page = found === 'absent' ? undefined : (found ?? visited.inMemory(deploymentId));
    const recognized = { ...visitor, page, slug: visitor.slug ?? page?.slug };
    if (!(error instanceof FilesRefused)) return recognized;
    const { form } = error;
    return { ...recognized, form, attempt: attemptOf(request, form)?.id ?? newSubmissionId() };
  }

  async function keyOf(
    request: IncomingMessage,
    { deploymentId, network }: Sender,
    { id, text, files = [] }: ParsedSubmission,
    hash: Buffer,
  ): Promise<IdempotencyKey> {
    const urlOf = (fileId: string): string => fileUrl(deploymentId, id, fileId);
    const dataHash = await shareLargeWork(request, network, text.length, () => dataHashOf(text, files, urlOf));
    return { hash, bodyHash: await bodyHashOf(dataHash, files) };
  }

  function answer(response: ServerResponse, { requestId, pageSlug }: Target, id: string): void {
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

  function redirect(
    response: ServerResponse,
    { deploymentId, requestId, pageSlug }: Target,
    visitor: Visitor,
    rules: FormRules | undefined,
  ): void {
    const cors = pageSlug === undefined ? CORS : {};
    visitorPages.redirect(response, visitor, { deploymentId, rules }, { ...cors, 'x-request-id': requestId });
  }

  return {
    async handle(request, response, target) {
      const { deploymentId, pageSlug } = target;
      let visitor = visitorOf(request, pageSlug);
      let sender: Sender | undefined;
      try {
        if (request.headers[DELIVERY_HEADER] !== undefined) throw webhookLoop();
        // Before the first await: a socket that has closed has no address.
        const ipAddress = clientAddress(request);
        // Only ids reach Postgres, which refuses some texts (NUL).
        if (!isDeploymentId(deploymentId)) throw noSuchForm();
        sender = { deploymentId, network: networkOf(ipAddress), isVisitor: visitor !== undefined };
        // Files are in memory until they are stored.
        using reservation = body.reserve(sender.network);
        const parsed = await readSubmission(request, sender, reservation);
        const { id, text: data, form, files, isSentAgain } = parsed;
        if (visitor) visitor = { ...visitor, form, attempt: id };

        const keyHash = keyHashOf(request);
        const isAlone = keyHash !== undefined || isSentAgain || (files !== undefined && files.length > 0);
        const { timeout = 0 } = request.socket;
        if (isAlone) request.socket.setTimeout(limits.submissions.aloneSocketTimeoutMs);
        const key = keyHash && (await keyOf(request, sender, parsed, keyHash));
        const submission = { id, deploymentId, data, ipAddress, source: sourceOf(request) };
        const outcome = await intake.submit(submission, parsed, key);
        if (isAlone) request.socket.setTimeout(timeout);
        if (visitor) visitor = { ...visitor, slug: outcome.slug ?? visitor.slug, attempt: outcome.id };
        // There is no page to get back to, or to ask for its language.
        if (outcome.kind === 'no-deployment') sender = undefined;

        if (outcome.kind !== 'stored') throw errorOf(outcome);
        if (visitor) redirect(response, target, visitor, outcome.rules);
        else answer(response, target, outcome.id);
      } catch (error) {
        throw new SubmissionError(
          error,
          visitor && sender ? await recognize(visitor, request, sender, error) : visitor,
        );
      }
    },
  };
}
