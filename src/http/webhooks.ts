import { isIP } from 'node:net';
import { type Response, Router } from 'express';
import type { Knex } from 'knex';
import { z } from 'zod';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhookSecret,
  listWebhooks,
  rotateWebhookSecret,
  type Webhook,
} from '../db/webhooks.ts';
import { type Cidr, isReachable } from '../public-address.ts';
import type { Authenticate } from './auth.ts';
import { type BodyReader, SETTINGS_BYTES } from './body.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { deploymentId, time, webhookId } from './fields.ts';
import { noSuchDeployment, noSuchWebhook, ownDeployment, ownWebhook } from './own-deployment.ts';

const EVENTS = ['submission'] as const;
const TYPES = ['generic', 'slack'] as const;

const target = z.string().meta({
  format: 'uri',
  description: 'The address that receives the POST.',
  example: 'https://hooks.example.org/forms',
});

export const Created = z
  .strictObject({
    id: webhookId,
    deployment_id: deploymentId,
    url: target,
    type: z.enum(TYPES),
  })
  .meta({ id: 'WebhookCreated' });
export const Listed = z
  .strictObject({
    id: webhookId,
    url: target,
    type: z.enum(TYPES),
    events: z.array(z.string()).meta({ description: 'What it listens for.', example: [...EVENTS] }),
    active: z.boolean().meta({ description: 'Whether it gets deliveries; a receiver that is gone switches it off.' }),
    created_at: time,
  })
  .meta({ id: 'Webhook' });
export const Webhooks = z.strictObject({ webhooks: z.array(Listed) }).meta({ id: 'Webhooks' });
export const Deleted = z.strictObject({ message: z.string() }).meta({ id: 'WebhookDeleted' });
export const Secret = z
  .strictObject({
    secret: z
      .string()
      .regex(/^whsec_[0-9A-Za-z+/]{43}=$/)
      .meta({
        description: 'What signs the deliveries, as Standard Webhooks 1.0 says: `whsec_` and 32 bytes in base64.',
        example: 'whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4=',
      }),
  })
  .meta({ id: 'WebhookSecret' });

const toListed = ({ id, url, type, events, active, createdAt }: Webhook): z.infer<typeof Listed> => ({
  id,
  url,
  type,
  events,
  active,
  created_at: createdAt.toISOString(),
});

/** What a statement found of a webhook that was there a moment ago. */
function still<T>(found: T | undefined): T {
  if (found === undefined) throw noSuchWebhook();
  return found;
}

const WEBHOOKS_PER_DEPLOYMENT = 50;
const URL_LENGTH = 2_048;
// A list is measured before it is read: each wrong name in it would be a complaint.
const MAX_EVENTS = 50;

/** An absolute http or https URL; no white space, controls or lone surrogates, which URL would quietly mend. */
const parseUrl = (text: string): URL | undefined =>
  /^https?:\/\/[^/\\\s\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$/iu.test(text) ? (URL.parse(text) ?? undefined) : undefined;

/** What POST and PATCH take; `allowedNetworks` may be reached although they are not public. */
export function webhookBodies({ allowedNetworks }: { allowedNetworks: readonly Cidr[] }) {
  /** Whether a URL names no address outright, or one that may be reached. URL has read 127.1 and its like by now. */
  function isReachableLiteral({ hostname }: URL): boolean {
    const host = hostname.replace(/^\[|\]$/g, '');
    return isIP(host) === 0 || isReachable(host, allowedNetworks);
  }

  const url = z
    .string('url is no string: send the address that receives the webhook.')
    .max(URL_LENGTH, `url is too long: use at most ${URL_LENGTH} characters.`)
    .refine((text) => parseUrl(text) !== undefined, 'url is invalid: send an absolute http or https URL.')
    .refine((text) => !/^https?:\/\/[^/?#\\]*@/i.test(text), 'url carries a user or a password: leave them out.')
    .refine((text) => {
      const parsed = parseUrl(text);
      return parsed === undefined || isReachableLiteral(parsed);
    }, 'url is an address that webhooks may not reach: use a public one.')
    .meta({
      format: 'uri',
      description: 'Absolute, http or https, without a user or a password; an address in it must be a public one.',
    });
  const events = z
    .preprocess(
      (names, context) => {
        if (Array.isArray(names) && names.length > MAX_EVENTS) context.addIssue('events is too long: name each once.');
        return names;
      },
      z
        .array(
          z.enum(EVENTS, 'events has an unknown name: use submission.'),
          'events is not a list: send names in a list.',
        )
        .min(1, 'events is empty: name at least one, or leave it out.')
        .max(MAX_EVENTS),
    )
    .transform((names): string[] => [...new Set(names)]);
  const Creation = z.object({
    url,
    type: z
      .enum(TYPES, 'type is invalid: use generic or slack.')
      .meta({ description: "`generic` posts the fields as JSON, signed; `slack` posts a message in Slack's blocks." })
      .default('generic'),
    events: events.prefault([...EVENTS]).meta({ description: 'What to listen for; all events when left out.' }),
  });
  const Change = z.object({
    url: url.optional(),
    events: events.meta({ description: 'What to listen for.' }).optional(),
    active: z
      .boolean('active is not a boolean: send true or false.')
      .meta({ description: 'While it is off, what is pending is held, and new submissions are not delivered to it.' })
      .optional(),
  });
  return { Creation, Change };
}

export function webhooksRouter({
  db,
  authenticate,
  body,
  reviewDeliveries,
  allowedNetworks,
}: {
  db: Knex;
  authenticate: Authenticate;
  body: BodyReader;
  /** Is told of a deployment whose deliveries, or where they go, have changed. */
  reviewDeliveries(deploymentId: string): void;
  /** Networks that webhooks may reach although they are not public. */
  allowedNetworks: readonly Cidr[];
}): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { Creation, Change } = webhookBodies({ allowedNetworks });

  router
    .route('/webhooks/:deployId')
    .post(async (request, response: Response<z.infer<typeof Created>>) => {
      const owner = await authenticate(request, response);
      const { id: deploymentId } = await ownDeployment(db, owner, request.params.deployId);
      const wanted = await body.json(request, Creation, SETTINGS_BYTES);
      const webhook = await createWebhook(db, { ...wanted, deploymentId, limit: WEBHOOKS_PER_DEPLOYMENT });
      if (webhook === 'no-deployment') throw noSuchDeployment();
      if (webhook === 'limit-reached') {
        throw new HttpError(409, `The deployment has ${WEBHOOKS_PER_DEPLOYMENT} webhooks: delete one first.`);
      }
      const { id, url, type } = webhook;
      response.status(201).json({ id, deployment_id: deploymentId, url, type });
    })
    .get(async (request, response: Response<z.infer<typeof Webhooks>>) => {
      const owner = await authenticate(request, response);
      const { id } = await ownDeployment(db, owner, request.params.deployId);
      const webhooks = await listWebhooks(db, id);
      response.json({ webhooks: webhooks.map(toListed) });
    })
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/webhooks/:deployId/:webhookId')
    .patch(async (request, response: Response<z.infer<typeof Listed>>) => {
      const owner = await authenticate(request, response);
      const { id, deploymentId } = await ownWebhook(db, owner, request.params);
      const changes = await body.json(request, Change, SETTINGS_BYTES);
      const webhook = still(await changeWebhook(db, id, changes));
      reviewDeliveries(deploymentId);
      response.json(toListed(webhook));
    })
    .delete(async (request, response: Response<z.infer<typeof Deleted>>) => {
      const owner = await authenticate(request, response);
      const { id, deploymentId } = await ownWebhook(db, owner, request.params);
      if (!(await deleteWebhook(db, id))) throw noSuchWebhook();
      reviewDeliveries(deploymentId);
      response.json({ message: 'Webhook deleted' });
    })
    .all(methodNotAllowed('DELETE, PATCH'));

  router
    .route('/webhooks/:deployId/:webhookId/secret')
    .get(async (request, response: Response<z.infer<typeof Secret>>) => {
      const owner = await authenticate(request, response);
      const { id } = await ownWebhook(db, owner, request.params);
      response.json({ secret: still(await findWebhookSecret(db, id)) });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/webhooks/:deployId/:webhookId/secret/rotate')
    .post(async (request, response: Response<z.infer<typeof Secret>>) => {
      const owner = await authenticate(request, response);
      const { id, deploymentId } = await ownWebhook(db, owner, request.params);
      const secret = still(await rotateWebhookSecret(db, id));
      reviewDeliveries(deploymentId);
      response.json({ secret });
    })
    .all(methodNotAllowed('POST'));

  return router;
}
