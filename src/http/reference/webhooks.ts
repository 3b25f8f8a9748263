import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { Deliveries, Retried, Sent } from '../deliveries.ts';
import { deliveryId, deploymentId, webhookId } from '../fields.ts';
import { Paging } from '../paging.ts';
import { Created, Deleted, Listed, Secret, Webhooks, webhookBodies } from '../webhooks.ts';
import { answer, badQuery, keyed, noDelivery, noDeployment, noWebhook, webhookLimit, withBody } from './answers.ts';

const tags = ['Webhooks'];
const deliveryTags = ['Deliveries'];
const deployment = z.object({ deployId: deploymentId });
const webhook = z.object({ deployId: deploymentId, webhookId });
const delivery = z.object({ deployId: deploymentId, webhookId, deliveryId });

const id = 'wh_0VbbZC1mQ4nRr8sTtUvWxYzA';
const url = 'https://hooks.example.org/forms';
const listed = {
  id,
  url,
  type: 'generic',
  events: ['submission'],
  active: true,
  created_at: '2026-11-21T11:09:12.004Z',
};
const secret = { secret: 'whsec_Tm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZy4=' };

export function webhookPaths(networks: Parameters<typeof webhookBodies>[0]): ZodOpenApiPathsObject {
  const { Creation, Change } = webhookBodies(networks);
  return {
    '/webhooks/{deployId}': {
      post: {
        operationId: 'createWebhook',
        tags,
        summary: 'Create a webhook',
        description: 'Each submission from now on is posted to its address. At most 50 a deployment.',
        requestParams: { path: deployment },
        requestBody: {
          required: true,
          content: { 'application/json': { schema: Creation, example: { url, type: 'generic' } } },
        },
        responses: {
          201: answer('The webhook is there.', Created, {
            id,
            deployment_id: 'd_0VbbZBZKKTcBD17YQfyDgVGm',
            url,
            type: 'generic',
          }),
          ...keyed,
          ...withBody,
          404: noDeployment,
          409: webhookLimit,
        },
      },
      get: {
        operationId: 'listWebhooks',
        tags,
        summary: 'List the webhooks of a deployment',
        description: 'Oldest first.',
        requestParams: { path: deployment },
        responses: {
          200: answer('All of them.', Webhooks, { webhooks: [listed] }),
          ...keyed,
          404: noDeployment,
        },
      },
    },
    '/webhooks/{deployId}/{webhookId}': {
      patch: {
        operationId: 'changeWebhook',
        tags,
        summary: 'Change a webhook, switch it off or on',
        description: 'What is left out stays as it is.',
        requestParams: { path: webhook },
        requestBody: { content: { 'application/json': { schema: Change, example: { active: false } } } },
        responses: {
          200: answer('The webhook as it is now.', Listed, { ...listed, active: false }),
          ...keyed,
          ...withBody,
          404: noWebhook,
        },
      },
      delete: {
        operationId: 'deleteWebhook',
        tags,
        summary: 'Delete a webhook',
        description: 'Its pending deliveries end.',
        requestParams: { path: webhook },
        responses: {
          200: answer('The webhook is gone.', Deleted, { message: 'Webhook deleted' }),
          ...keyed,
          404: noWebhook,
        },
      },
    },
    '/webhooks/{deployId}/{webhookId}/secret': {
      get: {
        operationId: 'getWebhookSecret',
        tags,
        summary: 'Get the secret that signs the deliveries',
        requestParams: { path: webhook },
        responses: { 200: answer('The secret.', Secret, secret), ...keyed, 404: noWebhook },
      },
    },
    '/webhooks/{deployId}/{webhookId}/secret/rotate': {
      post: {
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Make a new secret',
        description: 'For 24 hours the one before it signs as well; at most three sign at a time.',
        requestParams: { path: webhook },
        responses: { 200: answer('The new secret.', Secret, secret), ...keyed, 404: noWebhook },
      },
    },
    '/webhooks/{deployId}/{webhookId}/test': {
      post: {
        operationId: 'testWebhook',
        tags,
        summary: 'Send a sample submission to a webhook',
        description:
          'It goes the way of any delivery, and is held while the webhook is off. No submission is stored. Its outcome is ' +
          'in the list of deliveries.',
        requestParams: { path: webhook },
        responses: {
          202: answer('The delivery is under way.', Sent, { id: 'dl_0VbbZC2bC3dD4eE5fF6gG7hH' }),
          ...keyed,
          404: noWebhook,
        },
      },
    },
    '/webhooks/{deployId}/{webhookId}/deliveries': {
      get: {
        operationId: 'listDeliveries',
        tags: deliveryTags,
        summary: 'List the deliveries of a webhook',
        description:
          'Newest first. Finished ones are kept for DELIVERY_LOG_DAYS (30, unless the operator says otherwise).',
        requestParams: { path: webhook, query: Paging },
        responses: {
          200: answer('A page of deliveries.', Deliveries, {
            deliveries: [
              {
                id: 'dl_0VbbZC2bC3dD4eE5fF6gG7hH',
                submission_id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
                status: 'pending',
                attempts: 1,
                next_attempt_at: '2026-11-21T11:14:12.004Z',
                last_status: 503,
                last_error: 'the receiver answered 503',
                created_at: '2026-11-21T11:09:12.004Z',
                updated_at: '2026-11-21T11:09:12.104Z',
              },
            ],
            total: 1,
            page: 1,
            limit: 50,
          }),
          ...keyed,
          400: badQuery,
          404: noWebhook,
        },
      },
    },
    '/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry': {
      post: {
        operationId: 'retryDelivery',
        tags: deliveryTags,
        summary: 'Try a delivery again',
        description:
          'At once, or when the webhook is switched on again; also one that has succeeded or failed, or that would be tried ' +
          'later. One that is being attempted stays as it is.',
        requestParams: { path: delivery },
        responses: {
          202: answer('It will be tried.', Retried, { id: 'dl_0VbbZC2bC3dD4eE5fF6gG7hH', status: 'pending' }),
          ...keyed,
          404: noDelivery,
        },
      },
    },
  };
}
