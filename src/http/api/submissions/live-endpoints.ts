import type { Response } from 'express';
import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import { lastNumbers } from '../../../db/submissions/new-submission-queries.ts';
import { type NumberedSubmission, submissionJson, submissionLine } from '../../../db/submissions/submission-queries.ts';
import { type Range, type RunRead, readBatch } from '../../../db/submissions/submission-reader.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { jsonText, perService } from '../../operation/declaration.ts';
import { exampleOf } from '../../operation/example.ts';
import { operation } from '../../operation/operation.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { pathOf } from '../../request/hosts.ts';
import { LINK_HEADER, nextLink } from '../../request/link-header.ts';
import { fromDigits, Paging } from '../../request/paging.ts';
import { answerObject, textField } from '../../request/shared-fields.ts';
import { HttpError, noSuchDeployment, retryAfter } from '../../response/errors.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { Listed, noSuchCursor, numberAt } from './submission-endpoints.ts';
import { accessEnded, credentialsOf, SubmissionWatch, type WaitEnd, type Watched } from './submission-watch.ts';

/** Requests of one owner that may wait at a time. */
const MAX_WAITING_OF_OWNER = 2_000;
const INVALID_WAIT = `wait is invalid: send a whole number from 0 to ${SIZES.live.maxWaitSeconds}{once}.`;

const wait = z
  .preprocess(
    fromDigits,
    z.int(INVALID_WAIT).min(0, INVALID_WAIT).max(SIZES.live.maxWaitSeconds, INVALID_WAIT).default(0),
  )
  .meta({ description: 'Seconds to wait while there is no new submission.' });

const Answer = answerObject('NewSubmissions', {
  submissions: z.array(Listed),
  cursor: textField('Where the next request goes on.', '17'),
});

const tooManyWaiting = (): HttpError =>
  new HttpError(429, `More than ${MAX_WAITING_OF_OWNER} requests are waiting: end some of them.`, retryAfter(30_000));

/** A request for new submissions. */
type Reader = { response: Response; owner: Owner; queue: RunRead; resource: Deployment };

/** Where reading begins, how much is read, and for how long a request waits while there is nothing. */
type Wanted = { after: number; last: number; limit: number; ms: number };

/** The submissions after a number. `after`: where reading goes on; `last`: the last number that is known. */
type Found = { found: NumberedSubmission[]; after: number; last: number };

/** New submissions, and the requests that wait for them. They share one query a second. */
class NewSubmissions {
  readonly #app: App;
  readonly #watch: SubmissionWatch;
  readonly #ownerIds: number[] = [];

  constructor(app: App) {
    this.#app = app;
    this.#watch = new SubmissionWatch((...of) => lastNumbers(app.db, ...of), app.limits);
  }

  /** Counts a request that may wait, until its answer is closed; throws 429. */
  add(response: Response, ownerId: number): void {
    // Its end would not be noticed any more.
    if (response.closed) return;
    const ofOwner = this.#ownerIds.filter((id) => id === ownerId).length;
    if (ofOwner >= MAX_WAITING_OF_OWNER) throw tooManyWaiting();
    this.#ownerIds.push(ownerId);
    response.once('close', () => this.#ownerIds.splice(this.#ownerIds.indexOf(ownerId), 1));
  }

  /** Reads what comes after a number, and waits while there is nothing. Throws 401 and 404 when the key or the deployment ends. */
  async read(
    { response, owner, queue, resource: { id: deploymentId } }: Reader,
    { after, last, limit, ms }: Wanted,
  ): Promise<Found> {
    const until = performance.now() + ms;
    const credentialIds = credentialsOf(owner);
    let [from, to] = [after, last];
    for (;;) {
      const range: Range = { order: 'oldest', after: from, limit };
      const found = from < to ? await queue(() => readBatch(this.#app.db, deploymentId, range)) : [];
      // Without one, what was new has been deleted.
      from = found.at(-1)?.number ?? Math.max(from, to);
      const leftMs = found.length === 0 ? Math.ceil(until - performance.now()) : 0;
      const watched = { deploymentId, credentialIds, after: from };
      const end = leftMs > 0 ? await this.#wait(response, watched, leftMs) : 'over';
      if (end === 'revoked') throw accessEnded(owner);
      if (end === 'deleted') throw noSuchDeployment();
      if (end === 'over') return { found, after: from, last: to };
      to = end;
    }
  }

  /** Waits up to `ms` without the deadline of other requests. */
  async #wait(response: Response, watched: Watched, ms: number): Promise<WaitEnd> {
    const {
      limits,
      lifecycle: { stopping },
    } = this.#app;
    const closed = new AbortController();
    const onClose = (): void => closed.abort();
    response.once('close', onClose);
    const resumeDeadline = pauseDeadline(response);
    response.req.socket.setTimeout(limits.reads.waitingSocketTimeoutMs);
    try {
      const signal = AbortSignal.any([closed.signal, stopping, AbortSignal.timeout(ms)]);
      return await this.#watch.wait({ ...watched, signal });
    } finally {
      response.off('close', onClose);
      resumeDeadline();
    }
  }
}

/** A tool waits as long when the agent does not say: less than clients wait for an answer. */
const TOOL_WAIT_SECONDS = 20;

const newSubmissions = perService((app) => new NewSubmissions(app));

/** The number after which new submissions are read. Imported ones, which are before the first, are never new. */
const startAt = async (...of: Parameters<typeof numberAt>): Promise<number> => Math.max(0, await numberAt(...of));

const listAfter = operation('GET', '/submissions/:deployId/after/:cursor', 'listSubmissionsAfter', {
  guests: 'reader',
  tool: {
    name: 'wait_for_submission',
    description:
      'Submissions after a cursor, oldest first; waits so many seconds while there are none. Without a cursor it begins ' +
      'with the first; for new ones, give the id of the newest. Then give `next` of each answer, also of an empty one.',
    defaults: { cursor: '0', wait: TOOL_WAIT_SECONDS },
    isBounded: true,
    readsVisitors: true,
  },
  noCommand: '`formhost tail` shows the submissions after a cursor as they come, by another operation.',
  summary: 'Get the submissions after a cursor, and wait for new ones',
  description:
    'Oldest first: what was accepted after the cursor, which is `0`, the id of a submission, or the `cursor` of the last ' +
    'answer. A client that goes on from each cursor gets every submission once. A response may have fewer than `limit` large ' +
    `submissions. Imported submissions are not among them. At most ${MAX_WAITING_OF_OWNER} requests of an owner wait.`,
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: z.object({ wait, limit: Paging.shape.limit }),
  takesLong: true,
  answer: { description: 'New submissions; none when the time is over.', headers: LINK_HEADER, schema: Answer },
  errors: [noSuchCursor],
  async handle({ request, params: { cursor }, query, setHeaders, ...reader }, app) {
    const submissions = newSubmissions(app);
    const { response, owner, queue, resource } = reader;
    const start = await queue(() => startAt(app.db, owner, resource, { name: 'cursor', cursor }));
    const ms = request.method === 'HEAD' ? 0 : query.wait * 1_000;
    if (ms > 0) submissions.add(response, owner.id);
    const wanted = { after: start, last: resource.lastSubmissionNumber, limit: query.limit, ms };
    const { found, after, last } = await submissions.read(reader, wanted);
    const path = pathOf(request).replace(/[^/]*$/, String(after));
    const text = `{"submissions":[${found.map(submissionJson).join(',')}],"cursor":"${after}"}`;
    if (after < last) setHeaders(nextLink(request, { path }));
    return jsonText(text);
  },
});

/** An event of a stream. */
const toEvent = (submission: NumberedSubmission): string =>
  `event: submission\nid: ${submission.number}\ndata: ${submissionLine(submission)}\n\n`;

/** The events after a number, until the client, the key, the deployment or the service has ended. */
async function* eventsAfter(app: App, reader: Reader, start: number): AsyncGenerator<string> {
  const {
    requests: { responseWriter },
    lifecycle: { stopping },
  } = app;
  const { response, owner, resource } = reader;
  // With the id, a client that comes back before the first event misses nothing: it is stored without an event.
  yield `: new submissions follow\nid: ${start}\n\n`;
  const wanted = { limit: 100, ms: app.limits.reads.streamCommentMs };
  let place = { after: start, last: resource.lastSubmissionNumber };
  while (!response.destroyed && !stopping.aborted) {
    const read = await newSubmissions(app)
      .read(reader, { ...wanted, ...place })
      .catch(() => undefined);
    // The client comes back with its cursor, and learns the reason.
    if (!read) return;
    const text = read.found.length > 0 ? read.found.map(toEvent).join('') : ':\n\n';
    using reservation = responseWriter.tryReserve(owner.id, text.length);
    // Too many read slowly: the client comes back with its cursor.
    if (!reservation) return;
    yield text;
    place = { after: read.after, last: read.last };
  }
}

const stream = operation('GET', '/submissions/:deployId/stream', 'streamSubmissions', {
  guests: 'reader',
  noCommand: '`formhost tail` reads it, and goes on after a broken connection.',
  summary: 'Stream new submissions',
  description:
    'Server-Sent Events: `event: submission`, `id:` a cursor, `data:` the submission as it is listed; and comments. Begins after ' +
    'the `Last-Event-ID` that browsers send when they connect again, else now. It ends when the key or the deployment ends, or ' +
    'the service restarts.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  answer: {
    description: 'The stream.',
    type: 'text/event-stream',
    schema: z.string(),
    example: `: new submissions follow\nid: 2\n\nevent: submission\nid: 3\ndata: ${JSON.stringify(exampleOf(Listed))}\n\n`,
  },
  errors: [noSuchCursor],
  takesLong: true,
  async handle({ request, ...reader }, app) {
    const { response, owner, queue, resource } = reader;
    const cursor = request.headers['last-event-id'];
    const header = 'Last-Event-ID';
    const start =
      typeof cursor === 'string'
        ? await queue(() => startAt(app.db, owner, resource, { name: header, cursor, place: { header } }))
        : resource.lastSubmissionNumber;
    newSubmissions(app).add(response, owner.id);
    response.type('text/event-stream');
    // nginx would keep events back until its buffer is full.
    response.set('X-Accel-Buffering', 'no');
    if (request.method === 'HEAD') response.end();
    else await app.requests.responseWriter.stream(response, eventsAfter(app, reader, start));
  },
});

/** New submissions as they come. */
export const liveOperations = [listAfter, stream];
