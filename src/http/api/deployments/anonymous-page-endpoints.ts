import type { Response } from 'express';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import {
  type AnonymousLimits,
  checkAnonymous,
  claimPage,
  createAnonymous,
  findAnonymousOwner,
  TooManyPages,
} from '../../../db/deployments/anonymous-page-queries.ts';
import { hashOfKey, newDeploymentId, newToken } from '../../../lib/ids.ts';
import { networkOf, numberOfClient } from '../../../lib/public-address.ts';
import { refused } from '../../../problems/refusal.ts';
import { checkLimits } from '../../../sites/sent-files.ts';
import { INDEX } from '../../../sites/site-paths.ts';
import { randomSlug } from '../../../sites/slugs.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { operation, publicOperation } from '../../operation/operation.ts';
import { answerObject, deploymentId, time, uriField } from '../../request/shared-fields.ts';
import { errorKind, HttpError, inSeconds, retryAfter, storageFull } from '../../response/errors.ts';
import { addNotice, NOTICE_HEADER } from '../../response/notice-header.ts';
import { foundByLink, tooManyUnknownLinks } from '../links/unknown-links.ts';
import { Deployed, ownSlug, planLimitReached, slugTaken, toDeployed, urlField } from './deployment-endpoints.ts';
import { exampleHtml, siteBody } from './page-html.ts';
import { withContents } from './publish-page.ts';

/*
 * Pages that are published without a key, for some hours, and are claimed by an owner. With ANONYMOUS_HOURS=0 there are none.
 */

const { maxOfNetwork, windowSeconds, maxPages, bodyPart } = SIZES.anonymous;
const LIMITS: AnonymousLimits = { limit: maxOfNetwork, seconds: windowSeconds, maxPages };
const MAX_TOKEN_CHARS = 100;

const Published = answerObject('AnonymousPage', {
  id: deploymentId,
  url: urlField,
  slug: ownSlug,
  claim_url: uriField(
    'The secret address at which a person signs in and keeps the page.',
    'https://forms.example.org/claim/0VbbZBZKKTcBD17YQfyDgVGm0VbbZBZKKTcBD17YQfy',
  ),
  expires_at: time.meta({ description: 'When it is erased, unless somebody has claimed it.' }),
});

const tooManyPages = errorKind(
  {
    id: 'TooManyAnonymousPages',
    description: `The network has published ${maxOfNetwork} pages within an hour, or there are too many pages that nobody has claimed.`,
  },
  (leftMs: number) =>
    new HttpError(
      429,
      `Too many pages were published without a key: try again in ${inSeconds(leftMs)}, or publish with a key.`,
      retryAfter(leftMs),
    ),
  windowSeconds * 1_000,
);
const noAnonymousPages = errorKind(
  { id: 'NoAnonymousPages', description: 'ANONYMOUS_HOURS is 0.' },
  () => new HttpError(404, 'This service publishes no pages without a key: ask its operator for one.'),
);
const noSuchClaim = errorKind(
  { id: 'NoSuchClaim', description: 'The token is not known, has been used, or its page has expired.' },
  () =>
    new HttpError(404, 'This claim link does not work: it was used, its page has expired, or it was copied in part.'),
);

/** The settings of a service, with smaller pages and sites: the whole request is bounded, and what a zip becomes. */
function smallerSites(config: Config): Config {
  const most = Math.max(1, Math.floor(config.maxHtmlBytes * bodyPart));
  return {
    ...config,
    maxHtmlBytes: most,
    maxSiteBytes: Math.min(most, config.maxSiteBytes),
    maxSiteFileBytes: Math.min(most, config.maxSiteFileBytes),
  };
}

/** The body of POST /deploy, smaller and without a slug. */
const bodyOf = perService(({ pages: { siteQueue }, limits, delivery, ...app }) => {
  const config = smallerSites(app.config);
  const body = siteBody({ config, limits, delivery, pages: { siteQueue } });
  const slug = z
    .unknown()
    .optional()
    .refine(
      (given) => given === undefined,
      refused(
        'not-allowed',
        'slug is not yours to choose without a key: leave it out, and rename the page once it is claimed.',
      ),
    );
  return {
    ...body,
    schema: body.schema.extend({ slug }),
    maxBytes: config.maxHtmlBytes,
    others: body.others.map((other) => ({ ...other, maxBytes: config.maxHtmlBytes })),
  };
});

async function publish(request: EndpointRequest, response: Response, app: App): Promise<z.infer<typeof Published>> {
  const { db, config, compute, requests, pages, lifecycle } = app;
  if (config.anonymousHours === 0) throw noAnonymousPages();
  // Before the first await: a socket that has closed has no address.
  const network = networkOf(requests.clientAddress(request));
  const refuse = (error: unknown): never => {
    throw error instanceof TooManyPages ? tooManyPages(error.retryAfterMs) : error;
  };
  const { html, files: sent } = await requests.bodyReader.fields(
    request,
    numberOfClient(network),
    bodyOf(app),
    (sentence) => addNotice(response, sentence),
  );
  const htmlBytes = Buffer.byteLength(html);
  const files = sent?.list ?? [];
  if (sent) checkLimits([{ path: INDEX, bytes: htmlBytes }, ...files], smallerSites(config));
  // Before files are stored.
  await checkAnonymous(db, network, LIMITS).catch(refuse);
  const token = newToken();
  const ownerId = await findAnonymousOwner(db);
  const page = {
    ...{ id: newDeploymentId(), ownerId, slugs: [randomSlug(), randomSlug()], html: Buffer.from(html), files },
    ...{ hash: hashOfKey(token), hours: config.anonymousHours },
  };
  // In the database even where there is a bucket: an object has one owner, and the page may get another one.
  const inDatabase = { ...app, files: { ...app.files, bucket: undefined } };
  const made = await withContents(inDatabase, { owner: { id: ownerId }, response }, { sent, htmlBytes }, () =>
    pages.limitWrites(() => createAnonymous(db, network, page, LIMITS)),
  ).catch(refuse);
  if (made === 'slug-taken') throw slugTaken();
  const { id } = page;
  await lifecycle.onDeploymentChange({ deploymentId: id, slug: made.slug });
  await compute.readFormsAhead(id);
  response.location(`/deploy/${id}`);
  return {
    ...toDeployed({ id, slug: made.slug }, config),
    claim_url: `${config.baseUrl}/claim/${token}`,
    expires_at: made.expiresAt.toISOString(),
  };
}

const bytes = { schema: z.string().meta({ format: 'binary' }), example: '' };
const json = z.object({
  html: z.string().meta({ description: 'The page.' }),
  files: z.record(z.string(), z.unknown()).optional().meta({ description: 'As the field of `POST /deploy`.' }),
});

const publishOperation = publicOperation('POST', '/publish', 'publishWithoutKey', {
  noCommand: '`formhost publish` calls it with a file, a folder or a zip.',
  summary: 'Publish a page without a key',
  description: ({ config: { anonymousHours, maxHtmlBytes } }) =>
    'Takes the bodies of `POST /deploy`, without a `slug`, and publishes the page at a random address for a limited time ' +
    `(ANONYMOUS_HOURS; here ${anonymousHours} hours). A person who opens \`claim_url\` signs in and keeps it, as \`POST /claims\` does; otherwise it ` +
    'is erased with its submissions. These are stored, and nobody is told of them. Search engines leave the page out, and a line at its ' +
    `bottom says that nobody has claimed it. A request has at most ${Math.floor(maxHtmlBytes * bodyPart)} bytes, and a network publishes at most ${maxOfNetwork} pages ` +
    'an hour. With ANONYMOUS_HOURS=0 it is a 404.',
  content: {
    'application/json': { schema: json, example: { html: exampleHtml } },
    'text/html': { schema: z.string(), example: exampleHtml },
    'application/zip': bytes,
    'multipart/form-data': {
      schema: z.object({ html: z.string().optional().meta({ description: 'The page, in place of a file.' }) }).meta({
        description: 'Any part with a filename is a file of the site, as in `POST /deploy`.',
      }),
      example: { html: exampleHtml },
    },
  },
  answer: {
    status: 201,
    description: 'The page is live.',
    headers: {
      ...NOTICE_HEADER,
      Location: { description: 'The path of what was created.', schema: { type: 'string' } },
    },
    schema: Published,
  },
  errors: [noAnonymousPages, tooManyPages, slugTaken],
  handle: publish,
});

const claimOperation = operation('POST', '/claims', 'claimPage', {
  audit: 'page.claim',
  needsAccount: true,
  isOfAccount: true,
  tool: { name: 'claim_page', description: 'Keeps a page that was published without a key.' },
  command: {
    usage: 'claim <token>',
    text: 'Keep a page that was published without a key',
    help: ['$ claim 0VbbZBZKKTcBD17YQfyDgVGm0VbbZBZKKTcBD17YQfy'],
    texts: { token: 'the end of the claim link' },
    prints: ({ url }) => url,
    says: ({ slug, id }) => `${slug} (${id}) is yours, and no longer expires`,
  },
  summary: 'Claim a page',
  description:
    'Gives a page that was published without a key to the owner of this key, once: it no longer expires, and it is a page like any other. ' +
    'The token is the end of its `claim_url`.',
  async find(_owner, _params, { config }) {
    if (config.anonymousHours === 0) throw noAnonymousPages();
  },
  body: {
    schema: z.object({
      token: z
        .string('token is missing: send the end of the claim link as a string.')
        .max(MAX_TOKEN_CHARS, `token is too long: send at most ${MAX_TOKEN_CHARS} characters.`)
        .meta({ description: 'The part of `claim_url` behind `/claim/`.', short: 'The end of claim_url.' }),
    }),
    example: { token: '0VbbZBZKKTcBD17YQfyDgVGm0VbbZBZKKTcBD17YQfy' },
  },
  answer: { description: 'The page is yours.', schema: Deployed },
  errors: [planLimitReached, storageFull, noAnonymousPages, noSuchClaim, tooManyUnknownLinks],
  async handle({ owner, body: { token }, request, response }, app) {
    const { db, config, lifecycle } = app;
    const limit = config.planLimits.get(owner.plan) ?? 0;
    const { storageLimits } = config;
    const find = () => claimPage(db, hashOfKey(token), { id: owner.id, limit, storageLimits });
    const claimed = await foundByLink(app, { request, response }, { find, noSuchLink: noSuchClaim });
    if (claimed === 'limit-reached') throw planLimitReached(owner.plan, limit);
    await lifecycle.onDeploymentChange({ deploymentId: claimed.id, slug: claimed.slug });
    return toDeployed(claimed, config);
  },
});

/** Pages without a key. */
export const anonymousPageOperations = [publishOperation, claimOperation];
