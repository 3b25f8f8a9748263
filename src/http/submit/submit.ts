import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { IdempotencyKey } from '../../db/idempotency-keys.ts';
import { DELIVERY_HEADER } from '../../delivery-header.ts';
import { isDeploymentId } from '../../ids.ts';
import type { Intake } from '../../intake/intake.ts';
import { networkOf } from '../../public-address.ts';
import type { BodyReader } from '../body.ts';
import type { ClientAddress } from '../client-address.ts';
import { submissionId } from '../fields.ts';
import type { MemoryReservation } from '../memory-budget.ts';
import { bodyHashOf, dataHashOf, keyHashOf } from './idempotency-key.ts';
import { createReadSubmission, fileUrl, type ParsedSubmission, type Sender } from './read-submission.ts';
import { errorOf, noSuchForm, SubmissionError, webhookLoop } from './refusals.ts';
import { createShareLargeWork } from './time-share.ts';
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

/**
 * The time-out of the connection of a submission that is stored alone. Waiting for a transaction, storing and
 * committing take less; nothing is sent or received meanwhile.
 */
const ALONE_TIMEOUT_MS = 40_000;

export function createSubmit({
  intake,
  findSlug,
  visitorPages,
  body,
  clientAddress,
  maxSubmissionBytes,
  maxFileBytes,
  maxFilesBytes,
}: {
  intake: Pick<Intake, 'submit'>;
  findSlug(deploymentId: string): Promise<string | undefined>;
  visitorPages: VisitorPages;
  body: BodyReader;
  clientAddress: ClientAddress;
  maxSubmissionBytes: number;
  maxFileBytes: number;
  maxFilesBytes: number;
}): Submit {
  const shareLargeWork = createShareLargeWork();
  const readSubmission = createReadSubmission({
    body,
    shareLargeWork,
    maxSubmissionBytes,
    maxFileBytes,
    maxFilesBytes,
  });

  /** Reads what a visitor has sent. When that fails, the error page still leads back to the form's page. */
  async function readFromVisitor(
    visitor: Visitor,
    request: IncomingMessage,
    sender: Sender,
    reservation: MemoryReservation,
  ): Promise<ParsedSubmission> {
    try {
      return await readSubmission(request, sender, reservation);
    } catch (error) {
      const slug = visitor.slug ?? (await findSlug(sender.deploymentId).catch(() => undefined));
      throw new SubmissionError(error, { ...visitor, slug });
    }
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

  function thank(response: ServerResponse, { requestId, pageSlug }: Target, visitor: Visitor): void {
    const cors = pageSlug === undefined ? CORS : {};
    visitorPages.thank(response, visitor, { ...cors, 'x-request-id': requestId });
  }

  return {
    async handle(request, response, target) {
      const { deploymentId, pageSlug } = target;
      let visitor = visitorOf(request, pageSlug);
      try {
        if (request.headers[DELIVERY_HEADER] !== undefined) throw webhookLoop();
        // Before the first await: a socket that has closed has no address.
        const ipAddress = clientAddress(request);
        // Only ids reach Postgres, which refuses some texts (NUL).
        if (!isDeploymentId(deploymentId)) throw noSuchForm();
        const sender = { deploymentId, network: networkOf(ipAddress) };
        // Files are in memory until they are stored.
        using reservation = body.reserve(sender.network);
        const parsed = await (visitor
          ? readFromVisitor(visitor, request, sender, reservation)
          : readSubmission(request, sender, reservation));
        const { id, text: data, form, files, isSentAgain } = parsed;
        if (visitor) visitor = { ...visitor, form, attempt: id };

        const keyHash = keyHashOf(request);
        if (keyHash || isSentAgain || (files && files.length > 0)) request.socket.setTimeout(ALONE_TIMEOUT_MS);
        const key = keyHash && (await keyOf(request, sender, parsed, keyHash));
        const outcome = await intake.submit({ id, deploymentId, data, ipAddress }, parsed, key);
        if (visitor) visitor = { ...visitor, slug: outcome.slug ?? visitor.slug, attempt: outcome.id };

        if (outcome.kind !== 'stored') throw errorOf(outcome);
        if (visitor) thank(response, target, visitor);
        else answer(response, target, outcome.id);
      } catch (error) {
        throw error instanceof SubmissionError ? error : new SubmissionError(error, visitor);
      }
    },
  };
}
