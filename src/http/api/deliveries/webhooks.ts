import { z } from 'zod';
import { retryFailedDeliveries } from '../../../db/deliveries/delivery-log.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhookSecret,
  listWebhookHealth,
  listWebhooks,
  rotateWebhookSecret,
} from '../../../db/deliveries/webhooks.ts';
import { EVENTS } from '../../../lib/events.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import {
  answerObject,
  countField,
  deploymentId,
  flagField,
  textOrNull,
  time,
  uriField,
  webhookId,
} from '../../request/fields.ts';
import { answerOnce, idempotencyKey, keyReused } from '../../request/idempotency-key.ts';
import { errorKind, HttpError, noSuchDeployment } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { foundOr404, noSuchWebhook, ownDeployment, ownWebhook } from '../deployments/own-deployment.ts';
import { changeBody, checkReceiver, creationBody, DEFAULT_TYPE, TYPES } from './webhook-fields.ts';

const { healthDeliveries, maxRetried } = SIZES.webhook;

const exampleUrl = 'https://hooks.example.org/forms';

const target = uriField('The address that receives the POST.', exampleUrl);

const Created = answerObject('WebhookCreated', {
  id: webhookId,
  deployment_id: deploymentId,
  url: target,
  type: z.enum(TYPES),
});
const Listed = answerObject('Webhook', {
  id: webhookId,
  url: target,
  type: z.enum(TYPES),
  events: z.array(z.string()).meta({ description: 'The events that it receives.', example: [...EVENTS] }),
  active: flagField('Whether it gets deliveries. It is switched off when its receiver is gone.', true),
  created_at: time,
});
const Webhooks = answerObject('Webhooks', { webhooks: z.array(Listed) });
const Deleted = answerObject('WebhookDeleted', { message: z.literal('Webhook deleted') });
const Secret = answerObject('WebhookSecret', {
  secret: z
    .string()
    .regex(/^whsec_[0-9A-Za-z+/]{43}=$/)
    .meta({
      description: 'The key that signs the deliveries (Standard Webhooks 1.0): `whsec_` and 32 bytes in base64.',
      example: 'whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4=',
    }),
});

const Health = answerObject('WebhookHealth', {
  id: webhookId,
  failing_since: time.nullable().meta({ description: 'When it failed first since it last succeeded; null: it works.' }),
  last_error: textOrNull('Why it failed last; null while it works.', 'the receiver answered 503'),
  failed: countField(`How many of its last ${healthDeliveries} deliveries have failed, and are not tried again.`, 2),
});
const AllHealth = answerObject('WebhooksHealth', { webhooks: z.array(Health) });
const Retried = answerObject('FailedDeliveriesRetried', {
  retried: countField('How many deliveries will be tried.', 2),
});

const tooManyWebhooks = errorKind(
  { id: 'WebhookLimit', description: `The deployment has ${SIZES.webhook.maxPerDeployment} webhooks.` },
  () => new HttpError(409, `The deployment has ${SIZES.webhook.maxPerDeployment} webhooks: delete one first.`),
);

const createOperation = operation('POST', '/webhooks/:deployId', 'createWebhook', {
  tool: {
    name: 'add_webhook',
    description:
      'Posts each submission from now on to an address that the user has given, and to no other: it may be personal data. ' +
      'Then call test_webhook.',
    fields: ['url', 'type'],
  },
  summary: 'Create a webhook',
  description: `Each submission from now on is posted to its address. At most ${SIZES.webhook.maxPerDeployment} a deployment.`,
  find: (owner, { deployId }, app) => ownDeployment(app.db, owner, deployId),
  requestHeaders: idempotencyKey,
  body: (settings) => ({ schema: creationBody(settings), example: { url: exampleUrl, type: 'generic' as const } }),
  answer: { status: 201, description: 'The webhook is created.', schema: Created },
  errors: [tooManyWebhooks, keyReused],
  async handle({ owner, resource: deployment, headers, body }, app) {
    checkReceiver(body.url, body.type);
    const wanted = { ...body, type: body.type ?? DEFAULT_TYPE, deploymentId: deployment.id };
    const request = { key: headers['Idempotency-Key'], path: `/webhooks/${deployment.id}`, body };
    return answerOnce(app.db, owner, request, async (db) => {
      const webhook = await createWebhook(db, wanted);
      if (webhook === 'no-deployment') throw noSuchDeployment();
      if (webhook === 'limit-reached') throw tooManyWebhooks();
      return toWire(Created, webhook);
    });
  },
});

const listOperation = operation('GET', '/webhooks/:deployId', 'listWebhooks', {
  tool: {
    name: 'list_webhooks',
    description: 'The webhooks of a page with their ids, oldest first, and whether they are active.',
    isBounded: true,
  },
  summary: 'List the webhooks of a deployment',
  description: 'Oldest first.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  answer: { description: 'All webhooks.', schema: Webhooks },
  handle: async ({ resource: { id } }, { db }) => ({
    webhooks: (await listWebhooks(db, id)).map((one) => toWire(Listed, one)),
  }),
});

const changeOperation = operation('PATCH', '/webhooks/:deployId/:webhookId', 'changeWebhook', {
  summary: 'Change a webhook, switch it off or on',
  description: 'Fields that are left out stay as they are.',
  find: (owner, ids, app) => ownWebhook(app.db, owner, ids),
  body: (settings) => ({ schema: changeBody(settings), example: { active: true } }),
  answer: { description: 'The webhook as it is now.', schema: Listed },
  errors: [noSuchWebhook],
  async handle({ resource: { id, type }, body: changes }, app) {
    if (changes.url !== undefined) checkReceiver(changes.url, type);
    return toWire(Listed, foundOr404(await changeWebhook(app.db, id, changes), noSuchWebhook));
  },
});

const deleteOperation = operation('DELETE', '/webhooks/:deployId/:webhookId', 'deleteWebhook', {
  tool: {
    name: 'remove_webhook',
    description: 'Ends the deliveries to a webhook, those that wait included. Ask the user before you call this.',
  },
  summary: 'Delete a webhook',
  description: 'Its pending deliveries are deleted too.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The webhook is deleted.', schema: Deleted },
  errors: [noSuchWebhook],
  async handle({ resource: { id } }, { db }) {
    if (!(await deleteWebhook(db, id))) throw noSuchWebhook();
    return { message: 'Webhook deleted' as const };
  },
});

const getSecretOperation = operation('GET', '/webhooks/:deployId/:webhookId/secret', 'getWebhookSecret', {
  summary: 'Get the secret of a webhook',
  scope: 'full',
  description: 'The secret that signs its deliveries now. Receivers need it to verify them.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The secret.', schema: Secret },
  errors: [noSuchWebhook],
  handle: async ({ resource: { id } }, { db }) => ({
    secret: foundOr404(await findWebhookSecret(db, id), noSuchWebhook),
  }),
});

const rotateSecretOperation = operation('POST', '/webhooks/:deployId/:webhookId/secret/rotate', 'rotateWebhookSecret', {
  summary: 'Rotate the secret of a webhook',
  description: 'For 24 hours the previous secret signs as well. At most three secrets sign at a time.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The new secret.', schema: Secret },
  errors: [noSuchWebhook],
  handle: async ({ resource: { id } }, { db }) => ({
    secret: foundOr404(await rotateWebhookSecret(db, id), noSuchWebhook),
  }),
});

const healthOperation = operation('GET', '/webhooks/:deployId/health', 'getWebhooksHealth', {
  summary: 'See which webhooks of a deployment fail',
  description: 'All webhooks, oldest first.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  answer: { description: 'How each webhook works.', schema: AllHealth },
  handle: async ({ resource: { id } }, { db }) => ({
    webhooks: (await listWebhookHealth(db, id)).map((one) => toWire(Health, one)),
  }),
});

const retryFailedOperation = operation('POST', '/webhooks/:deployId/:webhookId/retry', 'retryWebhook', {
  summary: 'Try the failed deliveries of a webhook again',
  description: `At once, or when the webhook is switched on again. One request tries at most ${maxRetried.toLocaleString('en')}, the oldest first.`,
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { status: 202, description: 'They will be tried.', schema: Retried },
  errors: [noSuchWebhook],
  handle: async ({ resource }, { db }) => ({ retried: await retryFailedDeliveries(db, resource) }),
});

/** The webhooks of a deployment: the addresses to which its submissions are posted. */
export const webhookOperations = [
  listOperation,
  createOperation,
  deleteOperation,
  changeOperation,
  getSecretOperation,
  rotateSecretOperation,
  healthOperation,
  retryFailedOperation,
];
