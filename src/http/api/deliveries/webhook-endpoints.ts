import { z } from 'zod';
import { retryFailedDeliveries } from '../../../db/deliveries/delivery-log-queries.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhookSecret,
  listWebhookHealth,
  listWebhooks,
  rotateWebhookSecret,
  type Webhook,
} from '../../../db/deliveries/webhook-queries.ts';
import { EVENTS } from '../../../lib/events.ts';
import { FORMATS, formatOf } from '../../../lib/webhook-receivers.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { answerOnce, idempotencyKey, keyReused } from '../../request/idempotency-key.ts';
import {
  answerObject,
  countField,
  deploymentId,
  flagField,
  textOrNull,
  time,
  uriField,
  webhookId,
} from '../../request/shared-fields.ts';
import { errorKind, HttpError, noSuchDeployment } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { foundOr404, noSuchWebhook, ownDeployment, ownWebhook } from '../deployments/own-deployment.ts';
import { changeBody, creationBody, DEFAULT_TYPE, TYPES, targetOf } from './webhook-fields.ts';

const { healthDeliveries, maxRetried } = SIZES.webhook;

const HEADERS_HELP = "'Name: value' of a header of your own; '' for none";

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
const Detailed = answerObject('WebhookDetails', {
  ...Listed.shape,
  format: z.enum(FORMATS).meta({ description: 'The format of its messages, also where its address sets it.' }),
  chat_id: textOrNull('The chat, for Telegram; null for other formats.', '-1001234567890'),
  headers: z.array(z.string()).meta({ description: "The names of the owner's headers.", example: ['authorization'] }),
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
  () => new HttpError(409, `The {deployment} has ${SIZES.webhook.maxPerDeployment} webhooks: delete one first.`),
);

/** A webhook with all that its owner may read. The values of headers are secrets. */
const toDetails = ({ headers, ...webhook }: Webhook): z.infer<typeof Detailed> =>
  toWire(Detailed, { ...webhook, format: formatOf(webhook), headers: headers.map(([name]) => name) });

const createOperation = operation('POST', '/webhooks/:deployId', 'createWebhook', {
  audit: 'webhook.create',
  tool: {
    name: 'add_webhook',
    description:
      'Posts each new submission, which may be personal data, to an address that the user has given, and to no other. Then ' +
      'test_webhook.',
    fields: ['url', 'type', 'format', 'chat_id'],
  },
  command: {
    usage: 'webhooks add <id> <url>',
    text: 'Add a webhook, and print its id',
    help: [
      '$ webhooks add contact https://example.org/hook',
      "$ webhooks add contact https://example.org/hook --format standard --header 'Authorization: Bearer abc'",
    ],
    as: { events: '--events <event...>', headers: '--header <header...>' },
    texts: {
      url: 'where submissions are sent',
      type: 'generic or slack',
      events: 'what is sent (all)',
      headers: HEADERS_HELP,
    },
    prints: ({ id }) => id,
    says: (webhook, { id }) => `try it: formhost webhooks test ${id} ${webhook.id}`,
  },
  summary: 'Create a webhook',
  description: `Each submission from now on is posted to its address. At most ${SIZES.webhook.maxPerDeployment} a deployment.`,
  find: (owner, { deployId }, app) => ownDeployment(app.db, owner, deployId),
  requestHeaders: idempotencyKey,
  body: (settings) => ({ schema: creationBody(settings), example: { url: exampleUrl, type: 'generic' as const } }),
  answer: { status: 201, description: 'The webhook is created.', schema: Created },
  errors: [tooManyWebhooks, keyReused],
  async handle({ owner, resource: deployment, headers, body }, app) {
    const { url, events, headers: own = [] } = body;
    const type = body.type ?? DEFAULT_TYPE;
    const wanted = { url, type, events, ...targetOf(body), headers: own, deploymentId: deployment.id };
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
    description: 'With their ids, and whether they are active.',
    isBounded: true,
  },
  command: {
    usage: 'webhooks list <id>',
    text: 'List the webhooks of a page',
    table: {
      columns: ['ID', 'TYPE', 'STATE', 'EVENTS', 'CREATED', 'URL'],
      rows: ({ webhooks }) =>
        webhooks.map(({ id, type, active, events, created_at, url }) => {
          return [id, type, active ? 'active' : 'off', events.join(','), created_at, url];
        }),
    },
  },
  summary: 'List the webhooks of a {deployment}',
  description: 'Oldest first.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  answer: { description: 'All webhooks.', schema: Webhooks },
  handle: async ({ resource: { id } }, { db }) => ({
    webhooks: (await listWebhooks(db, id)).map((one) => toWire(Listed, one)),
  }),
});

const getOperation = operation('GET', '/webhooks/:deployId/:webhookId', 'getWebhook', {
  command: { usage: 'webhooks show <id> <webhook>', text: 'Show a webhook, with its format and its headers' },
  summary: 'Get a webhook',
  description: 'Values of headers are not returned.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The webhook.', schema: Detailed },
  errors: [noSuchWebhook],
  handle: async ({ resource }) => toDetails(resource),
});

const changeOperation = operation('PATCH', '/webhooks/:deployId/:webhookId', 'changeWebhook', {
  audit: 'webhook.change',
  tool: {
    name: 'change_webhook',
    description:
      'Changes a webhook, or pauses it with active false: it gets no new submissions then. Its url is one that the user has given.',
    fields: ['url', 'active', 'format', 'chat_id'],
  },
  command: [
    {
      usage: 'webhooks change <id> <webhook>',
      text: 'Change the address of a webhook, or what it gets',
      help: ['$ webhooks change contact wh_0Vbb… --url https://example.org/hook'],
      as: { events: '--events <event...>', headers: '--header <header...>' },
      fields: ['url', 'events', 'format', 'chat_id', 'headers'],
      texts: { url: 'where submissions are sent', events: 'what is sent', headers: HEADERS_HELP },
      prints: ({ id }) => id,
      says: ({ url }) => `changed: submissions are sent to ${url}`,
    },
    {
      usage: 'webhooks disable <id> <webhook>',
      text: 'Send nothing for a time',
      fields: [],
      sends: { active: false },
      prints: ({ id }) => id,
      says: () => 'disabled: pending deliveries wait, and new submissions are not sent',
    },
    {
      usage: 'webhooks enable <id> <webhook>',
      text: 'Send again',
      fields: [],
      sends: { active: true },
      prints: ({ id }) => id,
      says: () => 'enabled: pending deliveries are sent',
    },
  ],
  summary: 'Change a webhook, switch it off or on',
  description: 'Fields that are left out stay as they are.',
  find: (owner, ids, app) => ownWebhook(app.db, owner, ids),
  body: (settings) => ({ schema: changeBody(settings), example: { active: true } }),
  answer: { description: 'The webhook as it is now.', schema: Detailed },
  errors: [noSuchWebhook],
  async handle({ resource: webhook, body: { url, events, active, headers, format, ...chat } }, app) {
    // Otherwise they stay, also where another request changes them at this moment.
    const isTargetSent = [url, format, chat.chat_id].some((value) => value !== undefined);
    const target = isTargetSent ? targetOf({ url, format, ...chat }, webhook) : {};
    const changes = { url, events, active, headers, ...target };
    return toDetails(foundOr404(await changeWebhook(app.db, webhook.id, changes), noSuchWebhook));
  },
});

const deleteOperation = operation('DELETE', '/webhooks/:deployId/:webhookId', 'deleteWebhook', {
  audit: 'webhook.delete',
  tool: {
    name: 'remove_webhook',
    description: 'Ends all deliveries to a webhook. Ask the user before.',
  },
  command: {
    usage: 'webhooks remove <id> <webhook>',
    text: 'Remove a webhook',
    prints: (_answer, { webhook = '' }) => webhook,
    says: () => 'removed, with its pending deliveries',
  },
  summary: 'Delete a webhook',
  description: 'Its pending deliveries are deleted too.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The webhook is deleted.', schema: Deleted },
  errors: [noSuchWebhook],
  async handle({ resource: webhook }, { db }) {
    if (!(await deleteWebhook(db, webhook))) throw noSuchWebhook();
    return { message: 'Webhook deleted' as const };
  },
});

const getSecretOperation = operation('GET', '/webhooks/:deployId/:webhookId/secret', 'getWebhookSecret', {
  command: {
    usage: 'webhooks secret <id> <webhook>',
    text: 'Print the secret that signs what is sent',
    prints: ({ secret }) => secret,
  },
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
  audit: 'webhook.change',
  command: {
    usage: 'webhooks secret <id> <webhook> --rotate',
    text: 'make a new one; for 24 hours the old one signs as well',
    prints: ({ secret }) => secret,
    says: () => 'for 24 hours the secret before signs as well',
  },
  summary: 'Rotate the secret of a webhook',
  description: 'For 24 hours the previous secret signs as well. At most three secrets sign at a time.',
  find: (owner, ids, { db }) => ownWebhook(db, owner, ids),
  answer: { description: 'The new secret.', schema: Secret },
  errors: [noSuchWebhook],
  handle: async ({ resource: webhook }, { db }) => ({
    secret: foundOr404(await rotateWebhookSecret(db, webhook), noSuchWebhook),
  }),
});

const healthOperation = operation('GET', '/webhooks/:deployId/health', 'getWebhooksHealth', {
  command: {
    usage: 'webhooks health <id>',
    text: 'List which webhooks of a page fail, and why',
    table: {
      columns: ['ID', 'FAILING SINCE', 'FAILED', 'ERROR'],
      rows: ({ webhooks }) => webhooks.map((one) => [one.id, one.failing_since, one.failed, one.last_error]),
    },
  },
  summary: 'See which webhooks of a {deployment} fail',
  description: 'All webhooks, oldest first.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  answer: { description: 'How each webhook works.', schema: AllHealth },
  handle: async ({ resource: { id } }, { db }) => ({
    webhooks: (await listWebhookHealth(db, id)).map((one) => toWire(Health, one)),
  }),
});

const retryFailedOperation = operation('POST', '/webhooks/:deployId/:webhookId/retry', 'retryWebhook', {
  noAudit: 'The log of deliveries has the attempts.',
  command: {
    usage: 'webhooks retry-all <id> <webhook>',
    text: 'Send all deliveries again that have failed',
    prints: ({ retried }) => String(retried),
    says: ({ retried }, { id, webhook }) =>
      retried === 0
        ? 'no delivery has failed'
        : `they are sent again: formhost webhooks log ${id} ${webhook} shows what becomes of them`,
  },
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
  getOperation,
  deleteOperation,
  changeOperation,
  getSecretOperation,
  rotateSecretOperation,
  healthOperation,
  retryFailedOperation,
];
