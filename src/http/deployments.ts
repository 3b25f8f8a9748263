import { type Response, Router } from 'express';
import type { Knex } from 'knex';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import {
  changeSettings,
  createDeployment,
  type Deployment,
  deleteDeployment,
  findHtml,
  listDeployments,
  replaceHtml,
} from '../db/deployments.ts';
import type { Authenticate } from './auth.ts';
import { type BodyReader, OVER_LIMIT, SETTINGS_BYTES } from './body.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { deploymentId, time, total } from './fields.ts';
import { found, ownDeployment } from './own-deployment.ts';
import { paged, readPaging } from './paging.ts';
import { isReserved, proposeSlugs, RESERVED, SLUG } from './slugs.ts';

const ownSlug = z.string().regex(SLUG).meta({ description: "The label of the page's host.", example: 'spring-sale' });
const pageUrl = z
  .string()
  .meta({ format: 'uri', description: 'Where the page is.', example: 'https://spring-sale.pages.example.org' });

export const Deployed = z.strictObject({ id: deploymentId, url: pageUrl, slug: ownSlug }).meta({ id: 'Deployed' });
export const Status = z
  .strictObject({
    id: deploymentId,
    slug: ownSlug,
    status: z.literal('active'),
    url: pageUrl,
    submission_count: z.int().min(0).meta({ description: 'How many submissions it has.' }),
    created_at: time,
    updated_at: time.meta({ description: 'When its HTML or its settings were last changed.' }),
  })
  .meta({ id: 'Deployment' });
export const Deployments = z
  .strictObject({ deployments: z.array(Status), total, ...paged })
  .meta({ id: 'Deployments' });
export const Html = z
  .strictObject({ html: z.string().meta({ description: 'The page as it was given.' }) })
  .meta({ id: 'Html' });
export const Changed = z.strictObject({ success: z.literal(true), id: deploymentId }).meta({ id: 'SettingsChanged' });
export const Deleted = z.strictObject({ message: z.string(), id: deploymentId }).meta({ id: 'DeploymentDeleted' });

const PAGE_WRITES = 4;
/** JSON may escape every byte of a page as six characters. */
const JSON_GROWTH = 6;

export const Settings = z.object({
  email_notifications: z
    .boolean('email_notifications is not a boolean: send true or false.')
    .meta({
      description: 'Whether the owner gets a mail for each submission, if the service has a mail server. Off at first.',
    })
    .optional(),
});

/** What POST and PUT take, at most `maxHtmlBytes` of a page. */
export function deploymentBodies(limits: { maxHtmlBytes: number; reservedSlugs: readonly string[] }) {
  const { maxHtmlBytes, reservedSlugs } = limits;
  const html = z
    .string('html is required: send the page as a string.')
    .min(1, 'html is empty: send the page.')
    .refine((text) => Buffer.byteLength(text) <= maxHtmlBytes, {
      error: `html is too large: send at most ${maxHtmlBytes} bytes.`,
      params: OVER_LIMIT,
    })
    .refine((text) => text.isWellFormed(), 'html has a lone surrogate: send well-formed Unicode.')
    .meta({
      // In characters, none of which takes less than a byte.
      maxLength: maxHtmlBytes,
      description:
        `The page: at most ${maxHtmlBytes} bytes of UTF-8, no lone surrogates. Served byte for byte, but for ` +
        "`{{FORM_ACTION}}`: each occurrence becomes the address that takes the page's forms.",
    });
  const Replacement = z.object({ html });
  const Creation = Replacement.extend({
    slug: z
      .string('slug is not a string: send one, or leave it out.')
      .regex(SLUG, 'slug is invalid: use 1 to 63 lowercase letters and hyphens, with a letter at both ends.')
      .refine((slug) => !isReserved(slug, reservedSlugs), 'slug is reserved: choose another.')
      .meta({
        description:
          '1 to 63 lowercase letters and hyphens, a letter at both ends, no `--` at the third and fourth place, none of ' +
          `${[...RESERVED, ...reservedSlugs].join(', ')}. Made from the page's title when left out.`,
      })
      .optional(),
  });
  return { Creation, Replacement };
}

export function deploymentsRouter({
  db,
  authenticate,
  body,
  onPageChange,
  reviewDeliveries,
  urlOf,
  planLimits,
  reservedSlugs,
  maxHtmlBytes,
}: {
  db: Knex;
  authenticate: Authenticate;
  body: BodyReader;
  /** Called once a change of what is live under a slug is committed. */
  onPageChange(slug: string): void;
  /** Is told of a deployment whose deliveries, or where they go, have changed. */
  reviewDeliveries(deploymentId: string): void;
  urlOf(slug: string): string;
  planLimits: ReadonlyMap<string, number>;
  reservedSlugs: readonly string[];
  maxHtmlBytes: number;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // Pages are large, and may wait for one another: others shall find a connection free.
  const fewAtATime = limitConcurrency(PAGE_WRITES);
  const maxRequestBytes = maxHtmlBytes * JSON_GROWTH + SETTINGS_BYTES;

  const { Creation, Replacement } = deploymentBodies({ reservedSlugs, maxHtmlBytes });

  const deployed = ({ id, slug }: Deployment): z.infer<typeof Deployed> => ({ id, url: urlOf(slug), slug });
  const toStatus = ({ id, slug, submissionCount, createdAt, updatedAt }: Deployment): z.infer<typeof Status> => ({
    id,
    slug,
    status: 'active',
    url: urlOf(slug),
    submission_count: submissionCount,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  });

  router
    .route('/deploy')
    .post(async (request, response: Response<z.infer<typeof Deployed>>) => {
      const owner = await authenticate(request, response);
      const { html, slug } = await body.json(request, Creation, maxRequestBytes);
      const slugs = slug === undefined ? await proposeSlugs(html, reservedSlugs) : [slug];
      const limit = planLimits.get(owner.plan) ?? 0;
      const deployment = await fewAtATime(() =>
        createDeployment(db, { ownerId: owner.id, limit, slugs, html: Buffer.from(html) }),
      );
      if (deployment === 'limit-reached') {
        throw new HttpError(403, "The plan's deployment limit is reached: delete a deployment, or change the plan.");
      }
      if (deployment === 'slug-taken') throw new HttpError(409, 'slug is taken: choose another, or leave it out.');
      onPageChange(deployment.slug);
      response.status(201).json(deployed(deployment));
    })
    .get(async (request, response: Response<z.infer<typeof Deployments>>) => {
      const owner = await authenticate(request, response);
      const paging = readPaging(request.url);
      const { deployments, total } = await listDeployments(db, owner.id, paging);
      response.json({ deployments: deployments.map(toStatus), total, ...paging });
    })
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/deploy/:id')
    .get(async (request, response: Response<z.infer<typeof Status>>) => {
      const owner = await authenticate(request, response);
      response.json(toStatus(await ownDeployment(db, owner, request.params.id)));
    })
    .put(async (request, response: Response<z.infer<typeof Deployed>>) => {
      const owner = await authenticate(request, response);
      const { id } = await ownDeployment(db, owner, request.params.id);
      const { html } = await body.json(request, Replacement, maxRequestBytes);
      const deployment = found(await fewAtATime(() => replaceHtml(db, owner.id, id, Buffer.from(html))));
      onPageChange(deployment.slug);
      response.json(deployed(deployment));
    })
    .patch(async (request, response: Response<z.infer<typeof Changed>>) => {
      const owner = await authenticate(request, response);
      const { id } = await ownDeployment(db, owner, request.params.id);
      const settings = await body.json(request, Settings, SETTINGS_BYTES);
      found(await changeSettings(db, owner.id, id, { emailNotifications: settings.email_notifications }));
      reviewDeliveries(id);
      response.json({ success: true, id });
    })
    .delete(async (request, response: Response<z.infer<typeof Deleted>>) => {
      const owner = await authenticate(request, response);
      const { id, slug } = await ownDeployment(db, owner, request.params.id);
      found(await deleteDeployment(db, owner.id, id));
      onPageChange(slug);
      reviewDeliveries(id);
      response.json({ message: 'Deployment deleted', id });
    })
    .all(methodNotAllowed('GET, HEAD, PUT, PATCH, DELETE'));

  router
    .route('/deploy/:id/html')
    .get(async (request, response: Response<z.infer<typeof Html>>) => {
      const owner = await authenticate(request, response);
      const { id } = await ownDeployment(db, owner, request.params.id);
      response.json({ html: found(await findHtml(db, owner.id, id)) });
    })
    .all(methodNotAllowed('GET, HEAD'));

  return router;
}
