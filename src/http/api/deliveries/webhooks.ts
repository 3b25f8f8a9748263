import { isIP } from 'node:net';
import { z } from 'zod';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhookSecret,
  listWebhooks,
  rotateWebhookSecret,
  type Webhook,
} from '../../../db/deliveries/webhooks.ts';
import { EVENTS } from '../../../lib/events.ts';
import { isReachable } from '../../../lib/public-address.ts';
import { receiverProblem } from '../../../lib/webhook-receivers.ts';
import { SIZES } from '../../../limits.ts';
import type { App } from '../../app.ts';
import { endpoint } from '../../request/endpoint.ts';
import { deploymentId, time, webhookId } from '../../request/fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import {
  noSuchDeployment,
  noSuchWebhook,
  ownDeployment,
  ownWebhook,
  webhookOr404,
} from '../deployments/own-deployment.ts';

const TYPES = ['generic', 'slack'] as const;
const DEFAULT_TYPE = 'generic';

const target = z.string().meta({
  format: 'uri',
  description: 'The address that receives the POST.',
  example: 'https://hooks.example.org/forms',
});

const Created = z
  .strictObject({
    id: webhookId,
    deployment_id: deploymentId,
    url: target,
    type: z.enum(TYPES),
  })
  .meta({ id: 'WebhookCreated' });
const Listed = z
  .strictObject({
    id: webhookId,
    url: target,
    type: z.enum(TYPES),
    events: z.array(z.string()).meta({ description: 'The events that it receives.', example: [...EVENTS] }),
    active: z
      .boolean()
      .meta({ description: 'Whether it gets deliveries. It is switched off when its receiver is gone.' }),
    created_at: time,
  })
  .meta({ id: 'Webhook' });
const Webhooks = z.strictObject({ webhooks: z.array(Listed) }).meta({ id: 'Webhooks' });
const Deleted = z.strictObject({ message: z.string() }).meta({ id: 'WebhookDeleted' });
const Secret = z
  .strictObject({
    secret: z
      .string()
      .regex(/^whsec_[0-9A-Za-z+/]{43}=$/)
      .meta({
        description: 'The key that signs the deliveries (Standard Webhooks 1.0): `whsec_` and 32 bytes in base64.',
        example: 'whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4=',
      }),
  })
  .meta({ id: 'WebhookSecret' });

const tooManyWebhooks = errorKind(
  { id: 'WebhookLimit', description: `The deployment has ${SIZES.webhook.maxPerDeployment} webhooks.` },
  () => new HttpError(409, `The deployment has ${SIZES.webhook.maxPerDeployment} webhooks: delete one first.`),
);

const exampleId = 'wh_0VbbZC1mQ4nRr8sTtUvWxYzA';
const exampleUrl = 'https://hooks.example.org/forms';
const exampleSecret = { secret: 'whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4=' };
const example: z.infer<typeof Listed> = {
  id: exampleId,
  url: exampleUrl,
  type: 'generic',
  events: ['submission'],
  active: true,
  created_at: '2026-11-21T11:09:12.004Z',
};

const toListed = ({ id, url, type, events, active, createdAt }: Webhook): z.infer<typeof Listed> => ({
  id,
  url,
  type,
  events,
  active,
  created_at: createdAt.toISOString(),
});

/** An absolute http or https URL; no white space, controls or lone surrogates, which URL would correct silently. */
const parseUrl = (text: string): URL | undefined =>
  /^https?:\/\/[^/\\\s\p{Cc}\p{Cs}][^\s\p{Cc}\p{Cs}]*$/iu.test(text) ? (URL.parse(text) ?? undefined) : undefined;

/** Throws 400 for an address that can't use what a webhook of this type sends. */
function checkReceiver(url: string, type: Webhook['type'] | undefined): void {
  const problem = receiverProblem(new URL(url), type);
  if (problem !== undefined) throw new HttpError(400, problem);
}

/** The bodies of POST and PATCH. */
function webhookBodies(mayDeliverTo: (url: URL) => boolean, isOwnUrl: (url: URL) => boolean) {
  /** Accepts a text that is not a URL: another check refuses it. */
  const isUrlThat = (isFine: (url: URL) => boolean) => (text: string) => {
    const url = parseUrl(text);
    return url === undefined || isFine(url);
  };
  const url = z
    .string('url is required: send the address that receives the webhook, as a string.')
    // No other check runs on one that is too long: parsing may take time quadratic in its length.
    .max(SIZES.webhook.maxUrlChars, {
      error: `url is too long: use at most ${SIZES.webhook.maxUrlChars} characters.`,
      abort: true,
    })
    .refine((text) => parseUrl(text) !== undefined, 'url is invalid: send an absolute http or https URL.')
    .refine((text) => !/^https?:\/\/[^/?#\\]*@/i.test(text), 'url carries a user or a password: leave them out.')
    .refine(isUrlThat(mayDeliverTo), 'url is an address that webhooks may not reach: use a public one.')
    .refine(
      isUrlThat((address) => !isOwnUrl(address)),
      'url leads back to this service: use the address of a receiver of your own.',
    )
    .meta({
      format: 'uri',
      description:
        'Absolute, http or https, without a user or a password; an address in it must be a public one. It must not lead back ' +
        'to this service: to the API, or to a page. An address of Slack needs the type `slack`; addresses of Discord and ' +
        'Microsoft Teams are refused, because they take neither type.',
    });
  const events = z
    .preprocess(
      (names, context) => {
        if (Array.isArray(names) && names.length > SIZES.webhook.maxEventNames)
          context.addIssue('events is too long: name each once.');
        return names;
      },
      z
        .array(
          z.enum(EVENTS, `events has an unknown name: use ${EVENTS.join(' or ')}.`),
          'events is not a list: send a list of names.',
        )
        .min(1, 'events is empty: name at least one, or leave it out.')
        .max(SIZES.webhook.maxEventNames),
    )
    .transform((names) => [...new Set(names)]);
  const Creation = z.object({
    url,
    type: z
      .enum(TYPES, `type is invalid: use ${TYPES.join(' or ')}.`)
      .meta({
        description: "`generic` posts the fields as JSON, signed; `slack` posts a message in Slack's blocks.",
        default: DEFAULT_TYPE,
      })
      // Whether it was sent makes a difference: see receiverProblem.
      .optional(),
    events: events.prefault([...EVENTS]).meta({ description: 'The events to receive; all events when left out.' }),
  });
  const Change = z.object({
    url: url.optional(),
    events: events.meta({ description: 'The events to receive.' }).optional(),
    active: z
      .boolean('active is not a boolean: send true or false.')
      .meta({ description: 'While it is off, pending deliveries wait, and new submissions are not delivered to it.' })
      .optional(),
  });
  return { Creation, Change };
}

/** The webhooks of a deployment: the addresses to which its submissions are posted. */
export function webhookEndpoints({ db, config, isOwnUrl }: App) {
  /** Whether a URL has a name for a host, or an address that may be reached. URL has normalised 127.1 and the like. */
  function mayDeliverTo({ hostname }: URL): boolean {
    const host = hostname.replace(/^\[|\]$/g, '');
    return isIP(host) === 0 || isReachable(host, config.webhookAllowCidrs);
  }
  const { Creation, Change } = webhookBodies(mayDeliverTo, isOwnUrl);

  return {
    create: endpoint({
      method: 'POST',
      path: '/webhooks/:deployId',
      name: 'createWebhook',
      tag: 'Webhooks',
      summary: 'Create a webhook',
      description: `Each submission from now on is posted to its address. At most ${SIZES.webhook.maxPerDeployment} a deployment.`,
      find: (owner, { deployId }) => ownDeployment(db, owner, deployId),
      body: { schema: Creation, example: { url: exampleUrl, type: 'generic' }, maxBytes: SIZES.body.settingsBytes },
      answer: {
        status: 201,
        description: 'The webhook is created.',
        schema: Created,
        example: { id: exampleId, deployment_id: 'd_0VbbZBZKKTcBD17YQfyDgVGm', url: exampleUrl, type: 'generic' },
      },
      errors: [noSuchDeployment, tooManyWebhooks],
      async handle({ resource: deployment, body }) {
        checkReceiver(body.url, body.type);
        const webhook = await createWebhook(db, {
          ...body,
          type: body.type ?? DEFAULT_TYPE,
          deploymentId: deployment.id,
          limit: SIZES.webhook.maxPerDeployment,
        });
        if (webhook === 'no-deployment') throw noSuchDeployment();
        if (webhook === 'limit-reached') throw tooManyWebhooks();
        const { id, url, type } = webhook;
        return { id, deployment_id: deployment.id, url, type };
      },
    }),

    list: endpoint({
      method: 'GET',
      path: '/webhooks/:deployId',
      name: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List the webhooks of a deployment',
      description: 'Oldest first.',
      find: (owner, { deployId }) => ownDeployment(db, owner, deployId),
      answer: { status: 200, description: 'All webhooks.', schema: Webhooks, example: { webhooks: [example] } },
      errors: [noSuchDeployment],
      handle: async ({ resource: { id } }) => ({ webhooks: (await listWebhooks(db, id)).map(toListed) }),
    }),

    change: endpoint({
      method: 'PATCH',
      path: '/webhooks/:deployId/:webhookId',
      name: 'changeWebhook',
      tag: 'Webhooks',
      summary: 'Change a webhook, switch it off or on',
      description: 'What is left out stays as it is.',
      find: (owner, ids) => ownWebhook(db, owner, ids),
      body: { schema: Change, example: { active: false }, maxBytes: SIZES.body.settingsBytes },
      answer: {
        status: 200,
        description: 'The webhook as it is now.',
        schema: Listed,
        example: { ...example, active: false },
      },
      errors: [noSuchWebhook],
      async handle({ resource: { id, type }, body: changes }) {
        if (changes.url !== undefined) checkReceiver(changes.url, type);
        const webhook = webhookOr404(await changeWebhook(db, id, changes));
        return toListed(webhook);
      },
    }),

    delete: endpoint({
      method: 'DELETE',
      path: '/webhooks/:deployId/:webhookId',
      name: 'deleteWebhook',
      tag: 'Webhooks',
      summary: 'Delete a webhook',
      description: 'Its pending deliveries are deleted too.',
      find: (owner, ids) => ownWebhook(db, owner, ids),
      answer: {
        status: 200,
        description: 'The webhook is deleted.',
        schema: Deleted,
        example: { message: 'Webhook deleted' },
      },
      errors: [noSuchWebhook],
      async handle({ resource: { id } }) {
        if (!(await deleteWebhook(db, id))) throw noSuchWebhook();
        return { message: 'Webhook deleted' };
      },
    }),

    getSecret: endpoint({
      method: 'GET',
      path: '/webhooks/:deployId/:webhookId/secret',
      name: 'getWebhookSecret',
      tag: 'Webhooks',
      summary: 'Get the secret of a webhook',
      scope: 'full',
      description: 'The secret that signs its deliveries now. Receivers need it to verify them.',
      find: (owner, ids) => ownWebhook(db, owner, ids),
      answer: { status: 200, description: 'The secret.', schema: Secret, example: exampleSecret },
      errors: [noSuchWebhook],
      handle: async ({ resource: { id } }) => ({ secret: webhookOr404(await findWebhookSecret(db, id)) }),
    }),

    rotateSecret: endpoint({
      method: 'POST',
      path: '/webhooks/:deployId/:webhookId/secret/rotate',
      name: 'rotateWebhookSecret',
      tag: 'Webhooks',
      summary: 'Rotate the secret of a webhook',
      description: 'For 24 hours the previous secret signs as well. At most three secrets sign at a time.',
      find: (owner, ids) => ownWebhook(db, owner, ids),
      answer: { status: 200, description: 'The new secret.', schema: Secret, example: exampleSecret },
      errors: [noSuchWebhook],
      async handle({ resource: { id } }) {
        const secret = webhookOr404(await rotateWebhookSecret(db, id));
        return { secret };
      },
    }),
  };
}
