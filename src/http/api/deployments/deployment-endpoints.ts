import type { Knex } from 'knex';
import { z } from 'zod';
import { type Config, pageUrl } from '../../../config.ts';
import {
  createDeployment,
  type Deployment,
  deleteDeployment,
  findHtml,
  listDeployments,
} from '../../../db/deployments/deployment-queries.ts';
import type { PageChange } from '../../../db/deployments/page-version-queries.ts';
import { etagOf } from '../../../db/deployments/page-version-queries.ts';
import type { SiteFile } from '../../../db/deployments/site-file-queries.ts';
import { newDeploymentId } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import { literal } from '../../../problems/sentence.ts';
import { checkLimits, type SentFiles } from '../../../sites/sent-files.ts';
import { INDEX } from '../../../sites/site-paths.ts';
import { isReserved, proposeSlugs, RESERVED, SLUG } from '../../../sites/slugs.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { Settings, ToolCall } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { ADDS } from '../../operation/tool.ts';
import { changedMeanwhile, ETAG_HEADER, ifMatch, ifNoneMatch, wantedTags } from '../../request/conditions.ts';
import { answerOnce, idempotencyKey, keyReused } from '../../request/idempotency-key.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, countField, deploymentId, time, uriField } from '../../request/shared-fields.ts';
import { errorKind, HttpError, storageFull } from '../../response/errors.ts';
import { NOTICE_HEADER, takeDownNotices } from '../../response/notice-header.ts';
import { notModified } from '../../response/static-file.ts';
import { toWire } from '../../response/to-wire.ts';
import { foundOr404, ownDeployment } from './own-deployment.ts';
import { HTML_PATH, Html, htmlAsJson, siteBody } from './page-html.ts';
import { publishPage, publishPreview, withContents } from './publish-page.ts';

export const ownSlug = z
  .string()
  .regex(SLUG)
  .meta({ description: "The label of the page's host.", example: 'spring-sale' });
export const urlField = uriField('The address of the page.', 'https://spring-sale.pages.example.net');

export const submissionCount = countField('How many submissions it has.', 3);

export const Deployed = answerObject('Deployed', { id: deploymentId, url: urlField, slug: ownSlug });
export const toDeployed = (
  { id, slug }: Pick<Deployment, 'id' | 'slug'>,
  config: Config,
): z.infer<typeof Deployed> => ({ id, url: pageUrl(config, slug), slug });
const Replaced = answerObject('Replaced', {
  id: deploymentId,
  url: urlField,
  slug: ownSlug,
  version: countField('The number of the preview among the versions.', 7).optional(),
  preview_url: uriField(
    'The secret address of the preview.',
    'https://preview-kqzmwyhtrnbvdxcgjpflsaoeiu.pages.example.net',
  ).optional(),
});
const Status = answerObject('Deployment', {
  id: deploymentId,
  slug: ownSlug,
  status: z.literal('active'),
  url: urlField,
  submission_count: submissionCount,
  created_at: time,
  updated_at: time.meta({ description: 'When its HTML or its settings were last changed.' }),
});
const Deployments = answerObject('Deployments', { deployments: z.array(Status), ...paged });
const Deleted = answerObject('DeploymentDeleted', { message: z.literal('Deployment deleted'), id: deploymentId });

export const planLimitReached = errorKind(
  {
    id: 'PlanLimit',
    description: "The plan's limit of live deployments is reached, or the API key has the scope `read`.",
  },
  (plan: string, limit: number) =>
    new HttpError(
      403,
      limit === 0
        ? `Your plan (${literal(plan)}) allows no pages: ask the operator for a larger plan.`
        : `Your plan (${literal(plan)}) allows ${limit} ${limit === 1 ? 'page' : 'pages'}: delete one, or ask the operator for a larger plan.`,
    ),
  ...(['free', 3] as const),
);
export const slugTaken = errorKind(
  {
    id: 'SlugTaken',
    description: `Another live deployment has the slug, or had it in the last ${SIZES.formerSlug.keptDays} days.`,
  },
  () => new HttpError(409, '{slug} is taken: choose another, or leave it out.'),
);

/** A slug that an owner chooses. `ifAbsent`: what happens when it is left out. */
export const slugField = (reservedSlugs: readonly string[], ifAbsent: string) =>
  z
    .string('slug is not one string: send it once, or leave it out.')
    .regex(
      SLUG,
      `slug is invalid: use lowercase letters a to z and hyphens only, no digits, 1 to ${SIZES.slug.maxChars} of them, with a letter at both ends and no -- at the third and fourth place.`,
    )
    .refine((slug) => !isReserved(slug, reservedSlugs), refused('not-allowed', 'slug is reserved: choose another.'))
    .meta({
      description:
        `1 to ${SIZES.slug.maxChars} lowercase letters a to z and hyphens, no digits, a letter at both ends, no \`--\` at the third and fourth place, ` +
        `none of ${[...RESERVED, ...reservedSlugs].join(', ')}. ${ifAbsent}`,
      short: 'In its address: letters a to z and hyphens.',
    });

const toStatus = (deployment: Deployment, config: Config) =>
  toWire(Status, { ...deployment, status: 'active', url: pageUrl(config, deployment.slug) });

const listOperation = operation('GET', '/deploy', 'listDeployments', {
  scope: 'any',
  tool: {
    name: 'list_pages',
    description: 'Newest first.',
    isBounded: true,
  },
  command: {
    usage: 'list',
    help: ['$ list', '$ list | cut -f1'],
    table: {
      columns: ['ID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL'],
      rows: ({ deployments }) =>
        deployments.map((page) => [page.id, page.slug, page.submission_count, page.updated_at, page.url]),
    },
  },
  summary: 'List your {deployment}s',
  description: 'Newest first, without deleted ones.',
  query: Paging,
  answer: { description: 'A page of deployments.', schema: Deployments },
  async handle({ owner, query: paging }, { db, config }) {
    const { rows: deployments, total } = await listDeployments(db, owner, paging);
    return { deployments: deployments.map((one) => toStatus(one, config)), total, ...paging };
  },
});

function creationBody(settings: Settings) {
  const body = siteBody(settings);
  const { reservedSlugs } = settings.config;
  const slug = slugField(reservedSlugs, "Made from the page's title when left out.").optional();
  return { ...body, schema: body.schema.extend({ slug }), example: { ...body.example, slug: 'spring-sale' } };
}

const createOperation = operation('POST', '/deploy', 'createDeployment', {
  isOfAccount: true,
  scope: 'publish',
  audit: 'page.publish',
  needsAccount: true,
  tool: {
    name: 'publish_page',
    description:
      'Publishes an HTML page at an address of its own. It receives forms with <form method="post" action="{{FORM_ACTION}}"> and a ' +
      'name for each field. Returns the id for the other tools, the url to give to people, and the problems of its forms (null: not ' +
      'checked): correct those of the severity error with edit_page.',
    followUp: { operation: 'checkDeployment', field: 'problems' },
  },
  noCommand: '`formhost deploy` calls it with a file, a folder or a zip.',
  summary: 'Create a {deployment}',
  description:
    'Publishes an HTML page, or a site with files, at a host of its own. The body is JSON, the page itself as `text/html`, ' +
    'or the site as `application/zip`, with the slug in the query; or the files as `multipart/form-data`, each with its path as ' +
    'its filename. An absent body reads as `{}`, and unknown fields are ignored.',
  requestHeaders: idempotencyKey,
  body: creationBody,
  answer: { status: 201, description: 'The page is live.', schema: Deployed },
  errors: [planLimitReached, storageFull, slugTaken, keyReused],
  async handle({ owner, response, headers, body: { html, slug, files: sent } }, app) {
    const {
      db,
      config,
      compute,
      pages: { renderer, limitWrites: limitPageWrites },
      lifecycle: { onDeploymentChange },
    } = app;
    const slugs = slug === undefined ? await proposeSlugs(html, config.reservedSlugs) : [slug];
    const limit = config.planLimits.get(owner.plan) ?? 0;
    const id = newDeploymentId();
    const given = { deploymentId: id, slug: '', html: Buffer.from(html), hasAltcha: false, hasFormTools: false };
    const page = await renderer.prepare(owner.id, given);
    const files = sent?.list ?? [];
    if (sent) checkLimits([{ path: INDEX, bytes: given.html.length }, ...files], config);
    const wanted = { id, ownerId: owner.id, limit, storageLimits: config.storageLimits, slugs, page, files };
    const request = { key: headers['Idempotency-Key'], path: '/deploy', body: { html, slug, files: sent?.list } };
    async function create(connection: Knex): Promise<z.infer<typeof Deployed>> {
      const deployment = await createDeployment(connection, wanted);
      if (deployment === 'limit-reached') throw planLimitReached(owner.plan, limit);
      if (deployment === 'slug-taken') throw slugTaken();
      return toDeployed(deployment, config);
    }
    const deployed = await withContents(app, { owner, response }, { sent, htmlBytes: given.html.length }, () =>
      limitPageWrites(() => answerOnce(db, owner, request, create)),
    );
    await onDeploymentChange({ deploymentId: deployed.id, slug: deployed.slug });
    await compute.readFormsAhead(deployed.id);
    return deployed;
  },
});

const getOperation = operation('GET', '/deploy/:id', 'getDeployment', {
  scope: 'any',
  guests: 'reader',
  tool: {
    name: 'get_page',
    description: 'The address, the number of submissions, and when it was made and changed.',
  },
  noCommand: '`formhost open` prints the address of a page, and `formhost page show` all of its state.',
  summary: 'Get the status of a {deployment}',
  description: 'With the number of its submissions. `GET /deploy/{id}/html` returns the page itself.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The deployment.', headers: NOTICE_HEADER, schema: Status },
  async handle({ resource: deployment, notify }, { config }) {
    if (deployment.takenDownAt) notify(takeDownNotices(config.abuseContact?.text).page);
    return toStatus(deployment, config);
  },
});

/** A page that replaces another, with the files of its site. */
type Replacement = Pick<ToolCall, 'owner' | 'response' | 'notify'> & {
  resource: Deployment;
  body: { html: string; files?: SentFiles | undefined };
};

/** Makes this the live page. `files`: those of the site, made of those that it has; left out, those that were sent. */
async function replacePage(
  app: App,
  { owner, response, resource, body: { html, files: sent }, notify }: Replacement,
  { files, etags }: { files?: PageChange['files']; etags?: readonly string[] | undefined },
): Promise<z.infer<typeof Deployed>> {
  const { config } = app;
  const deployment = await publishPage(
    app,
    { owner, response, notify },
    resource,
    { html: Buffer.from(html), sent, files },
    etags,
  );
  if (deployment.takenDownAt) notify(takeDownNotices(config.abuseContact?.text).newHtml);
  return toDeployed(deployment, config);
}

const PreviewQuery = z.object({
  preview: z.literal('1', 'preview is not known: send 1, or leave it out.').optional().meta({
    description: 'The live page stays, and this becomes a preview: a version at a secret address of its own.',
  }),
});

/** Makes a preview, whose address only the answer has. */
async function previewPage(
  app: App,
  { owner, response, resource, body: { html, files: sent }, notify }: Replacement,
  etags?: readonly string[],
): Promise<z.infer<typeof Replaced>> {
  const { config } = app;
  const page = { html: Buffer.from(html), sent };
  const { version, label } = await publishPreview(app, { owner, response }, resource, page, etags);
  if (resource.takenDownAt) notify(takeDownNotices(config.abuseContact?.text).page);
  return { ...toDeployed(resource, config), version, preview_url: pageUrl(config, label) };
}

const replaceHtmlOperation = operation('PUT', '/deploy/:id', 'replaceHtml', {
  scope: 'publish',
  audit: 'page.publish',
  guests: 'editor',
  tool: {
    name: 'update_page',
    description:
      'Replaces the whole HTML of a page; edit_page changes parts of it. Address and submissions stay. files replace all other ' +
      'files, and removed_files names those that are gone; left out, they stay. Returns problems, as publish_page does.',
    followUp: { operation: 'checkDeployment', field: 'problems' },
  },
  furtherTools: [
    {
      name: 'preview_page',
      description:
        'As update_page, but the live page stays: show the user preview_url (secret; its forms send tests). restore_version makes version live.',
      sends: { preview: '1' },
      hints: ADDS,
    },
  ],
  noCommand: '`formhost deploy` calls it with a file, a folder or a zip.',
  summary: 'Replace the HTML of a {deployment}',
  description:
    'Address and slug stay the same. The new page is live at once. The body is JSON, the page itself as `text/html`, or a ' +
    'site as `application/zip`, or its files as `multipart/form-data`. Without `files`, or with an HTML file alone, the files of ' +
    'a site stay; with them, or in a zip, all are replaced. With `preview=1` the live page stays: the new one is a version with a ' +
    'secret address (`preview_url`), which search engines leave out. Its forms send tests, whatever the settings of the form say. ' +
    '`POST /deploy/{id}/versions/{version}/restore` makes it live.',
  query: PreviewQuery,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: ifMatch(HTML_PATH),
  body: siteBody,
  answer: {
    description: 'The new page is live, or the preview is there.',
    headers: { ETag: { ...ETAG_HEADER.ETag, required: false } },
    schema: Replaced,
  },
  errors: [storageFull, changedMeanwhile],
  async handle({ headers, setHeaders, query, ...call }, app) {
    const etags = wantedTags(headers['If-Match']);
    if (query.preview) return previewPage(app, call, etags);
    const replaced = await replacePage(app, call, { etags });
    setHeaders({ ETag: etagOf(call.body.html) });
    return replaced;
  },
  /** Also names the files that are gone: an agent may not know which ones the page had. */
  async handleTool(call, app) {
    if (call.query.preview) return previewPage(app, call);
    const { files: sent } = call.body;
    if (!sent) return replacePage(app, call, {});
    let removed: string[] = [];
    const files = (now: readonly SiteFile[]): readonly SiteFile[] => {
      const kept = new Set(sent.list.map(({ path }) => path));
      removed = now.map(({ path }) => path).filter((path) => !kept.has(path));
      return sent.list;
    };
    const replaced = await replacePage(app, call, { files });
    return { ...replaced, removed_files: removed };
  },
});

const deleteOperation = operation('DELETE', '/deploy/:id', 'deleteDeployment', {
  audit: 'page.delete',
  tool: {
    name: 'delete_page',
    description:
      'Takes a page offline, into the trash with its submissions. Ask the user before. restore_page undoes it.',
  },
  noCommand: '`formhost delete` calls it, after a question about the page and its submissions.',
  summary: 'Delete a {deployment}',
  description:
    'The page goes offline. Its slug becomes free, and it no longer counts for the limit of the plan. For some days ' +
    '(TRASH_DAYS) it is in the trash, with its submissions.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The page is offline.', schema: Deleted },
  async handle({ owner, resource: { id, slug } }, { db, lifecycle: { onDeploymentChange } }) {
    foundOr404(await deleteDeployment(db, owner.id, id));
    await onDeploymentChange({ deploymentId: id, slug });
    return { message: 'Deployment deleted' as const, id };
  },
});

const getHtmlOperation = operation('GET', HTML_PATH, 'getHtml', {
  scope: 'any',
  guests: 'editor',
  tool: {
    name: 'get_html',
    description:
      'The HTML of a page as it was sent. A long one comes in parts: read on at next_offset until it is null.',
    inParts: 'html',
  },
  command: {
    usage: 'page html <id>',
    text: 'Print the HTML of a page as it was sent',
    help: ['$ page html contact > contact.html', '$ page html contact --of-version 3'],
    shows: 'html',
  },
  summary: 'Get the HTML of a {deployment}',
  description: 'As it was sent, including `{{FORM_ACTION}}`.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: ifNoneMatch,
  answer: { description: 'The page.', headers: ETAG_HEADER, schema: Html },
  otherAnswers: { 304: notModified },
  async handle({ owner, resource: { id }, setHeaders }, { db }) {
    const html = foundOr404(await findHtml(db, owner.id, id));
    setHeaders({ ETag: etagOf(html) });
    return htmlAsJson(html);
  },
});

/** Deployments: pages and their addresses. */
export const deploymentOperations = [
  ...[createOperation, replaceHtmlOperation, listOperation],
  ...[getOperation, getHtmlOperation, deleteOperation],
];
