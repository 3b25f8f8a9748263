import type { Response } from 'express';
import { z } from 'zod';
import type { Owner } from '../../../db/account/owners.ts';
import type { Deployment } from '../../../db/deployments/deployments.ts';
import { lastNumbers } from '../../../db/submissions/new-submissions.ts';
import { type Range, type RunRead, readBatch } from '../../../db/submissions/submission-reader.ts';
import { type NumberedSubmission, submissionJson, submissionLine } from '../../../db/submissions/submissions.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { keyRefused } from '../../request/auth.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { jsonText, WithHeaders } from '../../request/declaration.ts';
import { endpoint } from '../../request/endpoint.ts';
import { exampleOf } from '../../request/example.ts';
import { answerObject, textField } from '../../request/fields.ts';
import { pathOf } from '../../request/hosts.ts';
import { LINK_HEADER, nextLink } from '../../request/links.ts';
import { fromDigits, Paging } from '../../request/paging.ts';
import { HttpError, noSuchDeployment, retryAfter } from '../../response/errors.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { noSuchCursor, numberAt } from './submission-cursor.ts';
import { SubmissionWatch, type WaitEnd, type Watched } from './submission-watch.ts';
import { Listed } from './submissions.ts';

const INVALID_WAIT = `wait is invalid: send a whole number from 0 to ${SIZES.live.maxWaitSeconds}, once.`;

const wait = z
  .preprocess(
    fromDigits,
    z.int(INVALID_WAIT).min(0, INVALID_WAIT).max(SIZES.live.maxWaitSeconds, INVALID_WAIT).default(0),
  )
  .meta({ description: 'Seconds to wait while there is no new submission.' });

const NewSubmissions = answerObject('NewSubmissions', {
  submissions: z.array(Listed),
  cursor: textField('Where the next request goes on.', '17'),
});

const tooManyWaiting = (): HttpError =>
  new HttpError(
    429,
    `More than ${SIZES.live.maxWaitingOfOwner} requests are waiting: end some of them.`,
    retryAfter(30_000),
  );

/** Requests that wait for new submissions. They share one query a second. */
class WaitingRequests {
  readonly #watch: SubmissionWatch;
  readonly #limits: App['limits'];
  readonly #stopping: AbortSignal;
  readonly #ownerIds: number[] = [];

  constructor({ db, limits, stopping }: App) {
    this.#watch = new SubmissionWatch((...of) => lastNumbers(db, ...of), limits);
    this.#limits = limits;
    this.#stopping = stopping;
  }

  /** Counts a request that may wait, until its answer is closed; throws 429. */
  add(response: Response, ownerId: number): void {
    // Its end would not be noticed any more.
    if (response.closed) return;
    const ofOwner = this.#ownerIds.filter((id) => id === ownerId).length;
    if (ofOwner >= SIZES.live.maxWaitingOfOwner) throw tooManyWaiting();
    this.#ownerIds.push(ownerId);
    response.once('close', () => this.#ownerIds.splice(this.#ownerIds.indexOf(ownerId), 1));
  }

  /** Waits up to `ms` without the deadline of other requests. */
  async wait(response: Response, watched: Watched, ms: number): Promise<WaitEnd> {
    const closed = new AbortController();
    const onClose = (): void => closed.abort();
    response.once('close', onClose);
    const resumeDeadline = pauseDeadline(response);
    response.req.socket.setTimeout(this.#limits.reads.waitingSocketTimeoutMs);
    try {
      const signal = AbortSignal.any([closed.signal, this.#stopping, AbortSignal.timeout(ms)]);
      return await this.#watch.wait({ ...watched, signal });
    } finally {
      response.off('close', onClose);
      resumeDeadline();
    }
  }
}

const afterEndpoint = ({ db, ownerQueue }: App, waiting: WaitingRequests) =>
  endpoint({
    method: 'GET',
    path: '/submissions/:deployId/after/:cursor',
    name: 'listSubmissionsAfter',
    summary: 'Get the submissions after a cursor, and wait for new ones',
    description:
      'Oldest first: what was accepted after the cursor, which is `0`, the id of a submission, or the `cursor` of the last ' +
      'answer. Who goes on from the cursor of each answer gets every submission once. An answer may have fewer than `limit` where ' +
      `submissions are large. At most ${SIZES.live.maxWaitingOfOwner} requests of an owner wait at a time.`,
    find: (owner, { deployId }) => ownDeployment(db, owner, deployId),
    query: z.object({ wait, limit: Paging.shape.limit }),
    queuesItself: true,
    answer: {
      status: 200,
      description: 'New submissions; none when the time is over.',
      headers: LINK_HEADER,
      schema: NewSubmissions,
    },
    errors: [noSuchCursor],
    async handle({ request, response, owner, params: { cursor }, resource, query }) {
      const queued: RunRead = (read) => ownerQueue.run(owner.id, response, read);
      const watched = { deploymentId: resource.id, credentialId: owner.credentialId };
      let after = await queued(() => numberAt(db, owner, resource, { name: 'cursor', cursor }));
      let last = resource.lastSubmissionNumber;
      const mayWait = query.wait > 0 && request.method !== 'HEAD';
      if (mayWait) waiting.add(response, owner.id);
      const until = performance.now() + query.wait * 1_000;
      for (;;) {
        const range: Range = { order: 'oldest', after, limit: query.limit };
        const found = after < last ? await queued(() => readBatch(db, resource.id, range)) : [];
        // Without one, what was new has been deleted.
        after = found.at(-1)?.number ?? Math.max(after, last);
        const ms = mayWait && found.length === 0 ? Math.ceil(until - performance.now()) : 0;
        const end = ms > 0 ? await waiting.wait(response, { ...watched, after }, ms) : 'over';
        if (end === 'revoked') throw keyRefused();
        if (end === 'deleted') throw noSuchDeployment();
        if (end === 'over') {
          const path = pathOf(request).replace(/[^/]*$/, String(after));
          const text = `{"submissions":[${found.map(submissionJson).join(',')}],"cursor":"${after}"}`;
          return new WithHeaders(after < last ? nextLink(request, { path }) : {}, jsonText(text));
        }
        last = end;
      }
    },
  });

/** An event of a stream. */
const toEvent = (submission: NumberedSubmission): string =>
  `event: submission\nid: ${submission.number}\ndata: ${submissionLine(submission)}\n\n`;

/** Sends what comes after a number until the client, the key, the deployment or the service has ended. */
async function sendEvents(
  { db, limits: { reads }, ownerQueue, responseWriter, stopping }: App,
  waiting: WaitingRequests,
  response: Response,
  { owner, resource, start }: { owner: Owner; resource: Deployment; start: number },
): Promise<void> {
  const watched = { deploymentId: resource.id, credentialId: owner.credentialId };
  // With the id, a client that comes back before the first event misses nothing: it is stored without an event.
  await responseWriter.write(response, `: new submissions follow\nid: ${start}\n\n`);
  let [after, last] = [start, resource.lastSubmissionNumber];
  while (!response.destroyed && !stopping.aborted) {
    if (after >= last) {
      const end = await waiting.wait(response, { ...watched, after }, reads.streamCommentMs);
      if (end === 'revoked' || end === 'deleted') return;
      if (end !== 'over') last = end;
      else if (!response.destroyed) await responseWriter.write(response, ':\n\n');
      continue;
    }
    const range: Range = { order: 'oldest', after, limit: reads.streamBatch };
    const read = () => readBatch(db, resource.id, range);
    const found = await ownerQueue.run(owner.id, response, read).catch(() => undefined);
    // The database is out of reach: the client comes back with its cursor.
    if (!found) return;
    const text = found.map(toEvent).join('');
    using reservation = responseWriter.tryReserve(owner.id, text.length);
    // Too many read slowly: the client comes back with its cursor.
    if (!reservation) return;
    await responseWriter.write(response, text);
    // None: they have been deleted.
    after = found.at(-1)?.number ?? last;
  }
}

const streamEndpoint = (app: App, waiting: WaitingRequests) =>
  endpoint({
    method: 'GET',
    path: '/submissions/:deployId/stream',
    name: 'streamSubmissions',
    summary: 'Stream new submissions',
    description:
      'As Server-Sent Events (`event: submission`, `id:` a cursor, `data:` the submission as it is listed), oldest first, with a ' +
      'comment line every few seconds. Begins after the `Last-Event-ID` of the request, which browsers send when they connect ' +
      'again, or with what comes from now on. It ends when the key is revoked or expires, the deployment is deleted, or the service restarts.',
    find: (owner, { deployId }) => ownDeployment(app.db, owner, deployId),
    answer: {
      status: 200,
      description: 'The stream.',
      type: 'text/event-stream',
      schema: z.string(),
      example: `: new submissions follow\nid: 2\n\nevent: submission\nid: 3\ndata: ${JSON.stringify(exampleOf(Listed))}\n\n`,
    },
    errors: [noSuchCursor],
    async handle({ request, owner, resource }) {
      const cursor = request.headers['last-event-id'];
      const start =
        typeof cursor === 'string'
          ? await numberAt(app.db, owner, resource, { name: 'Last-Event-ID', cursor })
          : resource.lastSubmissionNumber;
      return async (response) => {
        waiting.add(response, owner.id);
        response.type('text/event-stream');
        // nginx would keep events back until its buffer is full.
        response.set('X-Accel-Buffering', 'no');
        response.flushHeaders();
        if (request.method !== 'HEAD') await sendEvents(app, waiting, response, { owner, resource, start });
        response.end();
      };
    },
  });

/** New submissions as they come. */
export function liveEndpoints(app: App) {
  const waiting = new WaitingRequests(app);
  return [afterEndpoint(app, waiting), streamEndpoint(app, waiting)];
}
