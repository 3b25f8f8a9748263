import { z } from 'zod';
import {
  createTestDelivery,
  type Delivery,
  listDeliveries,
  retryDelivery,
  TEST_LIMIT,
  TEST_SECONDS,
} from '../../db/delivery-log.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { isDeliveryId } from '../../ids.ts';
import { endpoint } from '../endpoint.ts';
import { errorKind, HttpError, inSeconds, retryAfter } from '../errors.ts';
import { deliveryId, submissionId, time, total } from '../fields.ts';
import { Paging, paged } from '../paging.ts';
import { noSuchWebhook, ownWebhook } from './own-deployment.ts';

const Listed = z
  .strictObject({
    id: deliveryId,
    submission_id: submissionId.nullable().meta({ description: 'What is delivered; null for a test.' }),
    status: z.enum(['pending', 'succeeded', 'failed']),
    attempts: z.int().min(0).meta({ description: 'How many there have been, including one that is in progress.' }),
    next_attempt_at: time.nullable().meta({
      description:
        'When it is tried next; null when it will not be, while it is in progress, and while the webhook is off.',
    }),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the last attempt; null when there was no answer.' }),
    last_error: z.string().nullable().meta({ description: 'Why the last attempt failed; null when it succeeded.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Delivery' });
const Deliveries = z.strictObject({ deliveries: z.array(Listed), total, ...paged }).meta({ id: 'Deliveries' });
const Started = z.strictObject({ id: deliveryId }).meta({ id: 'DeliveryStarted' });
const Retried = z.strictObject({ id: deliveryId, status: z.literal('pending') }).meta({ id: 'DeliveryRetried' });

const noSuchDelivery = errorKind(
  {
    id: 'NoSuchDelivery',
    description: "There is no such deployment of the key's owner, no such webhook of it, or no such delivery.",
  },
  () => new HttpError(404, 'No such delivery: check the id.'),
);
const tooManyTests = errorKind(
  {
    id: 'TooManyTests',
    description: `The owner has sent ${TEST_LIMIT} tests in the last ${TEST_SECONDS} seconds; also for the reasons of any request with a key.`,
  },
  (retryAfterMs: number) =>
    new HttpError(429, `Too many tests: try again in ${inSeconds(retryAfterMs)}.`, retryAfter(retryAfterMs)),
  17_000,
);

const exampleId = 'dl_0VbbZC2bC3dD4eE5fF6gG7hH';
const example: z.infer<typeof Listed> = {
  id: exampleId,
  submission_id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
  status: 'pending',
  attempts: 1,
  next_attempt_at: '2026-11-21T11:14:12.004Z',
  last_status: 503,
  last_error: 'the receiver answered 503',
  created_at: '2026-11-21T11:09:12.004Z',
  updated_at: '2026-11-21T11:09:12.104Z',
};

const toListed = (delivery: Delivery): z.infer<typeof Listed> => ({
  id: delivery.id,
  submission_id: delivery.submissionId,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  created_at: delivery.createdAt.toISOString(),
  updated_at: delivery.updatedAt.toISOString(),
});

/** The deliveries of a webhook: the log, another attempt, a test. */
export function deliveryEndpoints({
  db,
  reviewDeliveries,
  logDays,
}: {
  db: Database;
  /** Called with a deployment whose deliveries, or their receivers, have changed. */
  reviewDeliveries(deploymentId: string): void;
  /** For how many days finished deliveries are kept. */
  logDays: number;
}) {
  return {
    test: endpoint({
      method: 'POST',
      path: '/webhooks/:deployId/:webhookId/test',
      name: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a sample submission to a webhook',
      description:
        'It is sent like any other delivery, and waits while the webhook is off. No submission is stored. The list of ' +
        `deliveries shows its outcome. An owner may send ${TEST_LIMIT} tests in any ${TEST_SECONDS} seconds, to all webhooks together.`,
      find: (owner, ids) => ownWebhook(db, owner, ids),
      answer: { status: 202, description: 'The delivery will be sent.', schema: Started, example: { id: exampleId } },
      errors: [noSuchWebhook, tooManyTests],
      async handle({ owner, resource: webhook }) {
        const made = await createTestDelivery(db, owner.id, webhook.id);
        if (made === undefined) throw noSuchWebhook();
        if ('retryAfterMs' in made) throw tooManyTests(made.retryAfterMs);
        reviewDeliveries(webhook.deploymentId);
        return { id: made.id };
      },
    }),

    list: endpoint({
      method: 'GET',
      path: '/webhooks/:deployId/:webhookId/deliveries',
      name: 'listDeliveries',
      tag: 'Deliveries',
      summary: 'List the deliveries of a webhook',
      description: `Newest first. Finished deliveries are kept for ${logDays} days (DELIVERY_LOG_DAYS).`,
      find: (owner, ids) => ownWebhook(db, owner, ids),
      query: Paging,
      answer: {
        status: 200,
        description: 'A page of deliveries.',
        schema: Deliveries,
        example: { deliveries: [example], total: 1, page: 1, limit: 50 },
      },
      errors: [noSuchWebhook],
      async handle({ resource: webhook, query: paging }) {
        const { deliveries, total } = await listDeliveries(db, webhook.id, paging);
        return { deliveries: deliveries.map(toListed), total, ...paging };
      },
    }),

    retry: endpoint({
      method: 'POST',
      path: '/webhooks/:deployId/:webhookId/deliveries/:deliveryId/retry',
      name: 'retryDelivery',
      tag: 'Deliveries',
      summary: 'Try a delivery again',
      description:
        'It is tried at once, or when the webhook is switched on again, even if it has succeeded or failed, or if it would be ' +
        'tried later. A delivery that is being attempted does not change.',
      find: (owner, ids) => ownWebhook(db, owner, ids),
      answer: {
        status: 202,
        description: 'It will be tried.',
        schema: Retried,
        example: { id: exampleId, status: 'pending' },
      },
      errors: [noSuchDelivery],
      async handle({ params: { deliveryId: id }, resource: webhook }) {
        if (!isDeliveryId(id) || !(await retryDelivery(db, webhook.id, id))) throw noSuchDelivery();
        reviewDeliveries(webhook.deploymentId);
        return { id, status: 'pending' as const };
      },
    }),
  };
}
