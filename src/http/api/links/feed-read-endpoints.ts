import { createHash } from 'node:crypto';
import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import {
  type FeedContent,
  findFeedByToken,
  findFeedContent,
  noteFeedRead,
  type ReadFeed,
} from '../../../db/submissions/feed-queries.ts';
import { type Range, readSubmissions, withRetries } from '../../../db/submissions/submission-reader.ts';
import { type Labels, labelsOf } from '../../../forms/forms-of-page.ts';
import { FairQueue } from '../../../lib/fair-queue.ts';
import { TOKEN } from '../../../lib/ids.ts';
import { VERSION } from '../../../lib/project.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { publicOperation } from '../../operation/operation.ts';
import { ETAG_HEADER, ifNoneMatch } from '../../request/conditions.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { limitField } from '../../request/paging.ts';
import { badQuery, readQuery } from '../../request/query-values.ts';
import { RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';
import { LINK_HEADERS } from '../../response/link-page.ts';
import { notModified } from '../../response/static-file.ts';
import { toCsv } from '../submissions/exports/csv.ts';
import { CSV_TYPE, labelsField } from '../submissions/exports/export-fields.ts';
import { inParts } from '../submissions/exports/export-parts.ts';
import { hasSeveralForms } from '../submissions/exports/several-forms.ts';
import type { TableSource } from '../submissions/exports/submission-table.ts';

const { maxRows, reads } = SIZES.feed;

/**
 * Feeds that are written at a time, in this process and of one owner: apart from the exports of owners, which no spreadsheet
 * keeps from them. Others wait, because a spreadsheet shows an error for a 503.
 */
const MAX_CONCURRENT = 4;
const MAX_CONCURRENT_OF_OWNER = 2;
const MAX_WAITING = 200;
const MAX_WAIT_MS = 15_000;

const FeedQuery = z.object({
  ...labelsField,
  limit: limitField(maxRows, maxRows).meta({
    description: `Rows besides the header. More than ${maxRows} counts as ${maxRows}.`,
  }),
});

/** A replaced address, a deleted feed and an address that never existed get the same error. */
const noSuchAddress = errorKind(
  {
    id: 'NoSuchFeedAddress',
    description: 'The address was changed, replaced or deleted, or its deployment was deleted or taken down.',
  },
  () =>
    new HttpError(
      404,
      'Check that the address is complete. If it is, it was replaced or deleted: ask the owner of the page for the new one.',
    ),
);
const tooManyReads = errorKind(
  {
    id: 'TooManyFeedReads',
    description:
      `The feed was read ${reads.max} times in ${reads.seconds} seconds, or one network has tried ${SIZES.unknownKeys.max} ` +
      `unknown addresses in ${SIZES.unknownKeys.seconds} seconds.`,
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(429, `It is read too often: try again in ${inSeconds(leftMs)}.`, retryAfter(leftMs)),
  reads.seconds * 1_000,
);

/** The content of a feed, as its ETag says. */
type Content = FeedContent & { labels: Labels; hasForms: boolean };

/** A tag that is the same while the CSV is: another version of this program may write it in another way. */
function etagOf({ hash, labels, hasForms }: Content, feed: ReadFeed): string {
  const parts = JSON.stringify([VERSION, feed.deploymentId, hash, [...labels], hasForms]);
  // Weak, because the same tag stands for compressed answers.
  return `W/"${createHash('sha256').update(parts).digest('base64url')}"`;
}

/** The feeds of a process, and what bounds how they are read. */
class FeedReads {
  readonly #app: App;
  readonly #writing = new FairQueue<number>({
    slots: MAX_CONCURRENT,
    slotsOfKey: MAX_CONCURRENT_OF_OWNER,
    maxWaiting: MAX_WAITING,
  });
  /** For all who read feeds: the pool has ten connections, and other requests need some. */
  readonly #lookUp = limitConcurrency(3);
  readonly #ofFeed = new RateLimit({ name: 'feed-reads', ...reads, refusal: tooManyReads });
  readonly #unknown = new RateLimit({ name: 'unknown-feeds', ...SIZES.unknownKeys, refusal: tooManyReads });

  constructor(app: App) {
    this.#app = app;
  }

  async send(request: EndpointRequest, response: Response): Promise<void> {
    const { db } = this.#app;
    const token = request.params.token ?? '';
    const feed = await this.#find(token, request, response);
    const query = readQuery(request.url, FeedQuery);
    const content = await this.#contentOf(feed, query, response);
    response.set({ ...LINK_HEADERS, 'X-Robots-Tag': 'noindex', 'Cache-Control': 'private, no-cache' });
    response.set({ ETag: etagOf(content, feed), 'X-Content-Type-Options': 'nosniff' });
    if (request.method === 'GET' && !feed.isReadNoted) await this.#lookUp(() => noteFeedRead(db, token));
    // Clients send `no-cache` along, and Express would not compare then.
    delete request.headers['cache-control'];
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', CSV_TYPE);
    response.setHeader('Content-Disposition', `attachment; filename="${feed.slug}.csv"`);
    if (request.method === 'HEAD') response.end();
    else await this.#write(feed, content, response);
  }

  /** The feed of an address; throws 404, and 429 where it is read, or unknown addresses are tried, too often. */
  async #find(token: string, request: EndpointRequest, response: Response): Promise<ReadFeed> {
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(this.#app.requests.clientAddress(request));
    const feed = TOKEN.test(token) ? await this.#lookUp(() => findFeedByToken(this.#app.db, token)) : undefined;
    if (feed) {
      await this.#ofFeed.count(feed.id, { request, response });
      return feed;
    }
    await this.#unknown.count(network, { request, response });
    throw noSuchAddress();
  }

  async #contentOf(
    feed: ReadFeed,
    { labels: isLabelled, limit }: z.infer<typeof FeedQuery>,
    response: Response,
  ): Promise<Content> {
    const { db, compute } = this.#app;
    // Reading a page for its labels, once after each change, has limits of its own.
    const resumeDeadline = pauseDeadline(response);
    try {
      const labels = isLabelled !== undefined ? labelsOf(await compute.formsOf(feed.deploymentId)) : new Map();
      const hasForms = await hasSeveralForms(this.#app, feed.deploymentId);
      const content = await this.#lookUp(() => findFeedContent(db, feed.deploymentId, limit));
      return { ...content, labels, hasForms };
    } finally {
      resumeDeadline();
    }
  }

  async #write(feed: ReadFeed, content: Content, response: Response): Promise<void> {
    const resumeDeadline = pauseDeadline(response);
    await this.#writing
      .run(feed.ownerId, MAX_WAIT_MS, () =>
        this.#app.requests.responseWriter.stream(response, toCsv(this.#sourceOf(feed, content))),
      )
      .finally(resumeDeadline);
  }

  /** Columns are in the order in which fields first came, so that a new one is the last. Rows begin with the newest. */
  #sourceOf({ deploymentId }: ReadFeed, { first, last, labels, hasForms }: Content): TableSource {
    const { db, limits } = this.#app;
    const read = (order: Range['order']) => () =>
      inParts(readSubmissions(db, deploymentId, { order, after: first - 1, before: last + 1 }, withRetries(limits)));
    return { read: read('oldest'), readRows: read('newest'), labels, hasForms };
  }
}

const feedReadsOf = perService((app) => new FeedReads(app));

/** The address at which a spreadsheet reads the newest submissions of a deployment. */
export const feedReadOperation = publicOperation('GET', '/feeds/:token.csv', 'readFeed', {
  summary: 'Read a feed',
  description:
    `The newest ${maxRows.toLocaleString('en')} submissions as CSV, newest first, with the columns of \`export.csv\`: the fields in the order in which ` +
    'they first came. The address is a secret, and needs no key. 304 where the client has this version.',
  requestHeaders: ifNoneMatch,
  query: FeedQuery,
  answer: {
    description: 'The newest submissions.',
    headers: {
      ...ETAG_HEADER,
      ...RATE_LIMIT_HEADERS,
      'Content-Disposition': { description: 'A filename made of the slug.', schema: { type: 'string' } },
    },
    type: 'text/csv',
    schema: z.string(),
    example:
      'id,created_at,ip_address,name\r\nsub_0VbbZBZeswpZ5bGpjxVeCiYz,2026-11-21T11:08:48.298Z,203.0.113.7,Ada\r\n',
  },
  otherAnswers: { 304: { ...notModified, headers: { ...ETAG_HEADER, ...RATE_LIMIT_HEADERS } } },
  errors: [badQuery, noSuchAddress, tooManyReads],
  handle: (request, response, app) => feedReadsOf(app).send(request, response),
});
