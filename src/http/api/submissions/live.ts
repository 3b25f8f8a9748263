import type { Response } from 'express';
import { z } from 'zod';
import type { Deployment } from '../../../db/deployments/deployments.ts';
import { lastNumbers } from '../../../db/submissions/new-submissions.ts';
import { readBatch } from '../../../db/submissions/submission-reader.ts';
import { type NumberedSubmission, submissionJson, submissionLine } from '../../../db/submissions/submissions.ts';
import { SIZES } from '../../../limits.ts';
import type { App } from '../../app.ts';
import { keyRefused } from '../../request/auth.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { type EndpointRequest, endpoint, jsonText } from '../../request/endpoint.ts';
import { Paging } from '../../request/paging.ts';
import { HttpError, retryAfter } from '../../response/errors.ts';
import { noSuchDeployment, ownDeployment } from '../deployments/own-deployment.ts';
import { noSuchCursor, numberAt } from './submission-cursor.ts';
import { createSubmissionWatch, type WaitEnd } from './submission-watch.ts';
import { exampleSubmission, Listed } from './submissions.ts';

const INVALID_WAIT = `wait is invalid: send a whole number from 0 to ${SIZES.live.maxWaitSeconds}, once.`;

const wait = z
  .preprocess(
    (text) => (typeof text === 'string' && /^[0-9]{1,3}$/.test(text) ? Number(text) : text),
    z.int(INVALID_WAIT).min(0, INVALID_WAIT).max(SIZES.live.maxWaitSeconds, INVALID_WAIT).default(0),
  )
  .meta({ description: 'Seconds to wait while there is no new submission.' });

const NewSubmissions = z
  .strictObject({
    submissions: z.array(Listed),
    cursor: z.string().meta({ description: 'Where the next request goes on.', example: '17' }),
  })
  .meta({ id: 'NewSubmissions' });

const tooManyWaiting = (): HttpError =>
  new HttpError(
    429,
    `More than ${SIZES.live.maxWaitingOfOwner} requests are waiting: end some of them.`,
    retryAfter(30_000),
  );

/** New submissions as they come. The requests that wait share one query a second. */
export function liveEndpoints({ db, limits, ownerQueue, responseWriter, stopping }: App) {
  const watch = createSubmissionWatch((...of) => lastNumbers(db, ...of), limits);
  const waitingOf = new Map<number, number>();

  /** Waits without the deadline of other requests. */
  async function waitFor(
    request: EndpointRequest,
    response: Response,
    {
      credentialId,
      deploymentId,
      after,
      ms,
    }: { credentialId: string; deploymentId: string; after: number; ms: number },
  ): Promise<WaitEnd> {
    const closed = new AbortController();
    const onClose = (): void => closed.abort();
    response.once('close', onClose);
    const resumeDeadline = pauseDeadline(response);
    request.socket.setTimeout(limits.reads.waitingSocketTimeoutMs);
    try {
      const signal = AbortSignal.any([closed.signal, stopping, AbortSignal.timeout(ms)]);
      return await watch.wait({ deploymentId, after, credentialId, signal });
    } finally {
      response.off('close', onClose);
      resumeDeadline();
    }
  }

  /** Counts a request that may wait, until its answer is closed; throws 429. */
  function countWaiting(response: Response, ownerId: number): void {
    // Its end would not be noticed any more.
    if (response.closed) return;
    const count = waitingOf.get(ownerId) ?? 0;
    if (count >= SIZES.live.maxWaitingOfOwner) throw tooManyWaiting();
    waitingOf.set(ownerId, count + 1);
    response.once('close', () => {
      const left = (waitingOf.get(ownerId) ?? 1) - 1;
      if (left > 0) waitingOf.set(ownerId, left);
      else waitingOf.delete(ownerId);
    });
  }

  async function streamTo(
    request: EndpointRequest,
    response: Response,
    owner: { id: number; credentialId: string },
    { id, lastSubmissionNumber }: Deployment,
    start: number,
  ): Promise<void> {
    response.type('text/event-stream');
    // nginx would keep events back until its buffer is full.
    response.set('X-Accel-Buffering', 'no');
    response.flushHeaders();
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    let after = start;
    // With the id, a client that comes back before the first event misses nothing: it is stored without an event.
    await responseWriter.write(response, `: new submissions follow\nid: ${start}\n\n`);
    let last = lastSubmissionNumber;
    while (!response.destroyed && !stopping.aborted) {
      if (after >= last) {
        const end = await waitFor(request, response, {
          credentialId: owner.credentialId,
          deploymentId: id,
          after,
          ms: limits.reads.streamCommentMs,
        });
        if (end === 'revoked' || end === 'deleted') break;
        if (typeof end === 'number') last = end;
        else if (!response.destroyed) await responseWriter.write(response, ':\n\n');
        continue;
      }
      const read = () => readBatch(db, id, { order: 'oldest', after, limit: limits.reads.streamBatch });
      const found = await ownerQueue.run(owner.id, response, read).catch(() => undefined);
      // The database is out of reach: the client comes back with its cursor.
      if (!found) break;
      const text = found.map(toEvent).join('');
      using reservation = responseWriter.tryReserve(owner.id, text.length);
      // Too many read slowly: the client comes back with its cursor.
      if (!reservation) break;
      await responseWriter.write(response, text);
      // None: they have been deleted.
      after = found.at(-1)?.number ?? last;
    }
    response.end();
  }

  return {
    after: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/after/:cursor',
      name: 'listSubmissionsAfter',
      tag: 'Submissions',
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
        schema: NewSubmissions,
        example: { submissions: [exampleSubmission], cursor: '3' },
      },
      errors: [noSuchCursor],
      async handle({ request, response, owner, params, resource, query }) {
        const { id } = resource;
        const queued = <T>(work: () => Promise<T>): Promise<T> => ownerQueue.run(owner.id, response, work);
        let after = await queued(() => numberAt(db, owner, resource, { name: 'cursor', cursor: params.cursor }));
        let last = resource.lastSubmissionNumber;
        let found: NumberedSubmission[] = [];
        const mayWait = query.wait > 0 && request.method !== 'HEAD';
        if (mayWait) countWaiting(response, owner.id);
        const until = performance.now() + query.wait * 1_000;
        for (;;) {
          const from = after;
          if (from < last)
            found = await queued(() => readBatch(db, id, { order: 'oldest', after: from, limit: query.limit }));
          if (found.length > 0) break;
          // What was new has been deleted.
          after = Math.max(after, last);
          const ms = Math.ceil(until - performance.now());
          if (!mayWait || ms <= 0) break;
          const end = await waitFor(request, response, {
            credentialId: owner.credentialId,
            deploymentId: id,
            after,
            ms,
          });
          if (end === 'revoked') throw keyRefused();
          if (end === 'deleted') throw noSuchDeployment();
          if (end === 'over') break;
          last = end;
        }
        const cursor = String(found.at(-1)?.number ?? after);
        const text = `{"submissions":[${found.map(submissionJson).join(',')}],"cursor":"${cursor}"}`;
        return jsonText(text);
      },
    }),

    stream: endpoint({
      method: 'GET',
      path: '/submissions/:deployId/stream',
      name: 'streamSubmissions',
      tag: 'Submissions',
      summary: 'Stream new submissions',
      description:
        'As Server-Sent Events (`event: submission`, `id:` a cursor, `data:` the submission as it is listed), oldest first, with a ' +
        'comment line every few seconds. Begins after the `Last-Event-ID` of the request, which browsers send when they connect ' +
        'again, or with what comes from now on. It ends when the key is revoked or expires, the deployment is deleted, or the service restarts.',
      find: (owner, { deployId }) => ownDeployment(db, owner, deployId),
      answer: {
        status: 200,
        description: 'The stream.',
        type: 'text/event-stream',
        schema: z.string(),
        example: `: new submissions follow\nid: 2\n\nevent: submission\nid: 3\ndata: ${JSON.stringify(exampleSubmission)}\n\n`,
      },
      errors: [noSuchCursor],
      async handle({ request, owner, resource }) {
        const lastEventId = request.headers['last-event-id'];
        const start =
          typeof lastEventId === 'string'
            ? await numberAt(db, owner, resource, { name: 'Last-Event-ID', cursor: lastEventId })
            : resource.lastSubmissionNumber;
        return async (response) => {
          countWaiting(response, owner.id);
          await streamTo(request, response, owner, resource, start);
        };
      },
    }),
  };
}

/** An event of a stream. Line ends in JSON are white space between tokens. */
const toEvent = (submission: NumberedSubmission): string =>
  `event: submission\nid: ${submission.number}\ndata: ${submissionLine(submission)}\n\n`;
