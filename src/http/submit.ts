import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { NewFile } from '../db/submission-files.ts';
import { QueueBusyError, type SubmissionQueue } from '../db/submission-queue.ts';
import type { UploadQueue } from '../db/upload-queue.ts';
import { isDeploymentId, newSubmissionId } from '../ids.ts';
import { type BodyReader, type Hold, mediaType } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import { HttpError } from './errors.ts';
import { submissionId } from './fields.ts';
import { readJson, readUrlencoded, type Submitted } from './form-body.ts';
import { MAX_FILES, mostMultipartBytes, readMultipart } from './multipart.ts';
import type { Visitor, VisitorPages } from './visitors.ts';

/*
 * The hot path. It runs on node:http, ahead of Express, and writes its one answer itself: through Express' router and
 * res.json a submission takes about a quarter longer.
 */

/** `cors`: whether pages of other origins may read a success. A `visitor` is shown a page. */
type Target = {
  deploymentId: string;
  requestId: string;
  cors: boolean;
  visitor: Visitor | undefined;
};

export type Submit = {
  /** Takes a submission and answers it. Throws HttpError. */
  take(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void>;
  /** A deployment has changed, or may have: what is remembered of them is looked up anew. */
  forget(): void;
};

export const Received = z.strictObject({ message: z.string(), id: submissionId }).meta({ id: 'SubmissionReceived' });

/** What every answer of POST /submit carries: pages on any origin may read it. */
export const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' } as const;
const CORS_LIST = Object.entries(CORS).flat();

export const MAX_FIELDS = 1_000;
// How many bytes one decoded byte can take in a body: \u0041 in JSON, %41 in a form; and the separators of a form.
const JSON_GROWTH = 6;
const FORM_GROWTH = 3;
const SEPARATOR_BYTES = 16 * 1024;
// A deployment that takes no more is said to be so from memory, so that a flood costs the others little: no slot can
// become free earlier than the database said. While changes of deployments can't be heard of, no longer than this.
const UNHEARD_MS = 1_000;
const MAX_REFUSALS = 10_000;
// Of one deployment's in a turn of the event loop: others' requests come in between, and a flood, which waits for its
// answers, sends no faster.
const REFUSALS_A_TURN = 4;
// Of all deployments' together.
const ALL_REFUSALS_A_TURN = 32;
// Waiting for its turn, being stored and committed, a submission with files takes less: until then nothing moves on its connection.
const UPLOAD_MS = 40_000;

/** A submission under the id that it is to have; `files` when there are any. */
type Taken = Submitted & { id: string; files?: readonly NewFile[] };

/** Answers a preflight (Fetch, 3.3.2): any origin, any header it asks for, no credentials. */
export const preflight: RequestHandler = (request, response) => {
  const asked = request.headers['access-control-request-headers'];
  response.set('Access-Control-Allow-Origin', '*').set('Access-Control-Allow-Methods', 'POST');
  if (asked) response.set('Access-Control-Allow-Headers', asked);
  response.set('Access-Control-Max-Age', '7200').vary('Access-Control-Request-Headers').status(204).end();
};

function tooMany(retryAfterMs: number): HttpError {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  return new HttpError(429, `Too many submissions: try again in ${seconds} seconds.`, { 'Retry-After': `${seconds}` });
}

const noSuchForm = (): HttpError =>
  new HttpError(404, 'No such deployment: check the id in the address that the form posts to.');

// The id is made when all of the body has come: ids rise in the order in which submissions are stored.
const taken = (submitted: Submitted): Taken => ({ id: newSubmissionId(), ...submitted });

/** Lets a few of each key, and of all, go on in each turn of the event loop. */
function createPacing({ ofEach, ofAll }: { ofEach: number; ofAll: number }): (key: string) => Promise<void> {
  const waiting = new Map<string, (() => void)[]>();
  function letGo(): void {
    let room = ofAll;
    let keys = waiting.size;
    for (const [key, all] of waiting) {
      if (keys === 0 || room === 0) break;
      keys -= 1;
      const some = all.splice(0, Math.min(ofEach, room));
      room -= some.length;
      for (const goOn of some) goOn();
      // What is left of it comes behind the others.
      waiting.delete(key);
      if (all.length > 0) waiting.set(key, all);
    }
    if (waiting.size > 0) setImmediate(letGo);
  }
  return (key) =>
    new Promise((resolve) => {
      if (waiting.size === 0) setImmediate(letGo);
      const all = waiting.get(key);
      if (all) all.push(resolve);
      else waiting.set(key, [resolve]);
    });
}

export function createSubmit({
  queue,
  uploads,
  findSlug,
  hearsOfChanges,
  visitorPages,
  body,
  clientAddress,
  maxSubmissionBytes,
  maxFileBytes,
  maxFilesBytes,
  count,
}: {
  queue: SubmissionQueue;
  /** For submissions with files. */
  uploads: UploadQueue;
  findSlug(deploymentId: string): Promise<string | undefined>;
  /** Whether every change of a deployment up to now has been heard of. */
  hearsOfChanges(): boolean;
  visitorPages: VisitorPages;
  body: BodyReader;
  clientAddress: ClientAddress;
  maxSubmissionBytes: number;
  maxFileBytes: number;
  maxFilesBytes: number;
  count(outcome: 'accepted' | 'rate-limited' | 'no-deployment' | 'honeypot' | 'failed'): void;
}): Submit {
  const limits = { maxBytes: maxSubmissionBytes, maxFields: MAX_FIELDS, maxFileBytes, maxFilesBytes };
  const mostOfFiles = Math.min(MAX_FILES * maxFileBytes, maxFilesBytes);

  const inTurn = createPacing({ ofEach: REFUSALS_A_TURN, ofAll: ALL_REFUSALS_A_TURN });

  /** When deployments that take no more will again, as performance.now() tells it. */
  const full = new LRUCache<string, { slug: string; since: number; until: number }>({ max: MAX_REFUSALS });
  /** How often deployments have changed: what was found before a change may not be remembered after it. */
  let changes = 0;

  /** Told before a byte is read, where the client says how many there will be. */
  const tooMuch = (): HttpError =>
    new HttpError(
      413,
      `The submission is too large: send at most ${maxSubmissionBytes} bytes of names and values and ${mostOfFiles} bytes of files.`,
    );

  async function read(request: IncomingMessage, deploymentId: string, hold: Hold): Promise<Taken> {
    const type = mediaType(request);
    switch (type?.essence) {
      case 'application/json':
        return taken(readJson(await body.bytes(request, maxSubmissionBytes * JSON_GROWTH, { hold }), limits));
      case 'application/x-www-form-urlencoded':
        return taken(
          readUrlencoded(
            await body.bytes(request, maxSubmissionBytes * FORM_GROWTH + SEPARATOR_BYTES, { hold }),
            limits,
          ),
        );
      case 'multipart/form-data': {
        const boundary = type.params.get('boundary');
        if (!boundary) throw new HttpError(400, 'The multipart body has no boundary: name it in the content type.');
        const most = mostMultipartBytes(maxSubmissionBytes);
        if (Number(request.headers['content-length']) > most + mostOfFiles) throw tooMuch();
        const bytes = await body.bytes(request, most + mostOfFiles, { decodedLimit: most, hold });
        const id = newSubmissionId();
        const urlOf = (fileId: string): string => `/submissions/${deploymentId}/${id}/files/${fileId}`;
        return { id, ...readMultipart(bytes, boundary, limits, urlOf) };
      }
      default:
        throw new HttpError(
          415,
          'The content type is not supported: send application/json, application/x-www-form-urlencoded or multipart/form-data.',
        );
    }
  }

  async function store(
    { deploymentId, visitor }: Target,
    ipAddress: string,
    submitted: Taken,
  ): Promise<{ id: string; slug: string }> {
    const { id, files = [] } = submitted;
    if (submitted.honeypot) {
      count('honeypot');
      const slug = await findSlug(deploymentId);
      if (slug !== undefined) return { id, slug };
      throw noSuchForm();
    }
    const refused = full.get(deploymentId);
    const now = performance.now();
    if (refused && refused.until > now && (hearsOfChanges() || now - refused.since < UNHEARD_MS)) {
      count('rate-limited');
      if (visitor) visitor.slug = refused.slug;
      await inTurn(deploymentId);
      throw tooMany(refused.until - now);
    }
    const submission = { id, deploymentId, data: submitted.text, ipAddress };
    const changesBefore = changes;
    const storing = files.length > 0 ? uploads.submit(submission, files) : queue.submit(submission);
    const outcome = await storing.catch((error) => {
      count('failed');
      if (!(error instanceof QueueBusyError)) throw error;
      throw new HttpError(503, 'Too many submissions are waiting: try again shortly.', { 'Retry-After': '1' });
    });
    count(outcome.kind);
    if (outcome.kind === 'no-deployment') throw noSuchForm();
    const { slug } = outcome;
    if (outcome.kind === 'accepted') return { id, slug };
    const since = performance.now();
    if (changes === changesBefore) full.set(deploymentId, { slug, since, until: since + outcome.retryAfterMs });
    if (visitor) visitor.slug = slug;
    throw tooMany(outcome.retryAfterMs);
  }

  /** Reads what a visitor has sent; where that fails, the way back is found all the same. */
  async function readFrom(
    visitor: Visitor,
    request: IncomingMessage,
    deploymentId: string,
    hold: Hold,
  ): Promise<Taken> {
    try {
      const submitted = await read(request, deploymentId, hold);
      visitor.form = submitted.form;
      return submitted;
    } catch (error) {
      visitor.slug ??= await findSlug(deploymentId).catch(() => undefined);
      throw error;
    }
  }

  const take: Submit['take'] = async (request, response, target) => {
    const { deploymentId, requestId, cors, visitor } = target;
    // Before anything is awaited: the address is gone once the client has.
    const ipAddress = clientAddress(request);
    // What is no id never reaches Postgres, which refuses some text (NUL).
    if (!isDeploymentId(deploymentId)) throw noSuchForm();
    // Its files are in memory until they are stored.
    using hold = body.hold();
    const submitted = await (visitor
      ? readFrom(visitor, request, deploymentId, hold)
      : read(request, deploymentId, hold));
    if (submitted.files && submitted.files.length > 0) request.socket.setTimeout(UPLOAD_MS);
    const { id, slug } = await store(target, ipAddress, submitted);
    if (visitor) {
      visitor.slug = slug;
      visitorPages.thank(response, visitor, { ...(cors ? CORS : {}), 'x-request-id': requestId });
      return;
    }
    const answer = `{"message":"Submission received","id":"${id}"}`;
    response.writeHead(200, [
      ...(cors ? CORS_LIST : []),
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(answer.length),
      'Cache-Control',
      'no-store',
      'x-request-id',
      requestId,
    ]);
    response.end(answer);
  };
  return {
    take,
    forget() {
      changes += 1;
      full.clear();
    },
  };
}
