import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import { findFile } from '../../../db/files/stored-file-queries.ts';
import { findShareByHash, type ReadShare } from '../../../db/submissions/share-queries.ts';
import { findLinkedSubmission } from '../../../db/submissions/submission-queries.ts';
import { readSubmissions } from '../../../db/submissions/submission-reader.ts';
import { hashOfKey, TOKEN } from '../../../lib/ids.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { pageName } from '../../../sites/page-name.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { pageAnswer, publicOperation } from '../../operation/operation.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { badQuery, readQuery } from '../../request/query-values.ts';
import { RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../../response/errors.ts';
import { LINK_HEADERS } from '../../response/link-page.ts';
import { fileAnswer, sendFile } from '../submissions/submission-file-endpoints.ts';
import { linkErrors } from './link-endpoint.ts';
import { SHARE_POLICY, sharePage } from './share-page.ts';

const { reads, pageRows } = SIZES.share;

/** The numbers of submissions, which are below 1 where they were imported. */
const NUMBER = /^-?[0-9]{1,15}$/;

const ShareQuery = z.object({
  before: z
    .string()
    .regex(NUMBER, 'before is invalid: follow the link to older submissions{once}.')
    .optional()
    .meta({ description: 'The place after which to go on, as the link to older submissions has it.', example: '21' }),
});

/** An expired share, a deleted one, and an address that never existed get the same error. */
const noSuchShare = errorKind(
  {
    id: 'NoSuchShareAddress',
    description:
      'The address was changed, the share was deleted or has expired, or its deployment was deleted or taken down; or there is no such file.',
  },
  () =>
    new HttpError(
      404,
      'Check that the address is complete. If it is, it works no longer: ask the owner of the page for another one.',
    ),
);
const tooManyReads = errorKind(
  {
    id: 'TooManyShareReads',
    description:
      `The share was read ${reads.max} times in ${reads.seconds} seconds, or one network has tried ${SIZES.unknownKeys.max} ` +
      `unknown addresses in ${SIZES.unknownKeys.seconds} seconds.`,
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(429, `It is read too often: try again in ${inSeconds(leftMs)}.`, retryAfter(leftMs)),
  reads.seconds * 1_000,
);

/** Search engines keep out, also of the pages of errors. */
const HEADERS = { ...LINK_HEADERS, 'X-Robots-Tag': 'noindex', 'Cache-Control': 'private, no-store' };

/** What bounds how the shares of a process are read. */
class ShareReads {
  readonly #app: App;
  /** For all who read shares: the pool has ten connections, and other requests need some, as of the bucket. */
  readonly limits = { database: limitConcurrency(3), bucket: limitConcurrency(8) };
  readonly #ofShare = new RateLimit({ name: 'share-reads', ...reads, refusal: tooManyReads });
  readonly #unknown = new RateLimit({ name: 'unknown-shares', ...SIZES.unknownKeys, refusal: tooManyReads });

  constructor(app: App) {
    this.#app = app;
  }

  /** The share of an address, and the network that reads it; throws 404, and 429 where it is read, or unknown ones are tried, too often. */
  async find(request: EndpointRequest, response: Response): Promise<{ share: ReadShare; client: string }> {
    // Before the first await: a socket that has closed has no address.
    const client = networkOf(this.#app.requests.clientAddress(request));
    response.set(HEADERS);
    const { token = '' } = request.params;
    const share = TOKEN.test(token)
      ? await this.limits.database(() => findShareByHash(this.#app.db, hashOfKey(token)))
      : undefined;
    if (share) {
      await this.#ofShare.count(share.id, { request, response });
      return { share, client };
    }
    await this.#unknown.count(client, { request, response });
    throw noSuchShare();
  }
}

const shareReadsOf = perService((app) => new ShareReads(app));

const pageOperation = publicOperation('GET', '/shares/:token', 'readShare', {
  ...linkErrors,
  summary: 'Read the submissions of a share',
  description:
    `A page for people, with ${pageRows} submissions, newest first, their files, and a link to older ones. It has no IP addresses, notes or marks. ` +
    'The address is a secret, and needs no key. Errors are small HTML pages.',
  query: ShareQuery,
  answer: { ...pageAnswer('The submissions.'), headers: RATE_LIMIT_HEADERS },
  errors: [badQuery, noSuchShare, tooManyReads],
  async handle(request, response, app) {
    const { db, compute, requests } = app;
    const { share, client } = await shareReadsOf(app).find(request, response);
    const { before } = readQuery(request.url, ShareQuery);
    const { limits } = shareReadsOf(app);
    // Reading a page for its labels, once after each change, has limits of its own.
    const resumeDeadline = pauseDeadline(response);
    const forms = await compute.formsOf(share.deploymentId).finally(resumeDeadline);
    requests.responseWriter.reserve(response, client, SIZES.internal.listBatchBytes);
    response.set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': SHARE_POLICY,
      'X-Content-Type-Options': 'nosniff',
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const range = {
      order: 'newest',
      limit: pageRows + 1,
      ...(before !== undefined && { before: Number(before) }),
    } as const;
    const page = {
      ...{ ...share, forms, name: pageName(share) },
      path: `/shares/${request.params.token}`,
      isOlder: before !== undefined,
    };
    const submissions = readSubmissions(db, share.deploymentId, range, limits.database);
    await requests.responseWriter.stream(response, sharePage(page, submissions));
  },
});

const fileOperation = publicOperation('GET', '/shares/:token/:submissionId/:fileId', 'getSharedFile', {
  ...linkErrors,
  summary: 'Get a file of a share',
  description: 'As with an API key, while the share works. Errors are small HTML pages.',
  answer: { ...fileAnswer, headers: { ...fileAnswer.headers, ...RATE_LIMIT_HEADERS } },
  errors: [noSuchShare, tooManyReads],
  async handle(request, response, app) {
    const { db, files, requests } = app;
    const { share, client } = await shareReadsOf(app).find(request, response);
    const { limits } = shareReadsOf(app);
    const { submissionId = '', fileId = '' } = request.params;
    const ids = { deploymentId: share.deploymentId, submissionId, fileId };
    // A file of spam has a submission that no share shows.
    const isListed = await limits.database(() => findLinkedSubmission(db, share.deploymentId, submissionId));
    const file = isListed && (await limits.database(() => findFile(db, ids)));
    if (!file) throw noSuchShare();
    const read = files.openFile(file, limits);
    const first = await read(0);
    if (!first) throw noSuchShare();
    await sendFile(response, { responseWriter: requests.responseWriter, client }, { file, first, read });
  },
});

/** The addresses at which people without an account read the submissions of a deployment. */
export const shareReadOperations = [pageOperation, fileOperation];
