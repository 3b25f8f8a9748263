import { type Response, Router } from 'express';
import type { Knex } from 'knex';
import { z } from 'zod';
import { createTestDelivery, type Delivery, listDeliveries, retryDelivery } from '../db/deliveries.ts';
import { isDeliveryId } from '../ids.ts';
import type { Authenticate } from './auth.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { deliveryId, submissionId, time, total } from './fields.ts';
import { noSuchWebhook, ownWebhook } from './own-deployment.ts';
import { paged, readPaging } from './paging.ts';

const Listed = z
  .strictObject({
    id: deliveryId,
    submission_id: submissionId.nullable().meta({ description: 'What is delivered; null for a test.' }),
    status: z.enum(['pending', 'succeeded', 'failed']),
    attempts: z.int().min(0).meta({ description: 'How many there have been, one that is under way included.' }),
    next_attempt_at: time.nullable().meta({
      description: "When it is tried next; null when it won't be, while it is under way, and while the webhook is off.",
    }),
    last_status: z.int().nullable().meta({ description: 'The HTTP status of the last attempt; null when none came.' }),
    last_error: z.string().nullable().meta({ description: 'Why the last attempt failed; null when it succeeded.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Delivery' });
export const Deliveries = z.strictObject({ deliveries: z.array(Listed), total, ...paged }).meta({ id: 'Deliveries' });
export const Sent = z.strictObject({ id: deliveryId }).meta({ id: 'DeliveryStarted' });
export const Retried = z.strictObject({ id: deliveryId, status: z.literal('pending') }).meta({ id: 'DeliveryRetried' });

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

/** A webhook's deliveries: their log, one more attempt, a test. */
export function deliveriesRouter({
  db,
  authenticate,
  reviewDeliveries,
}: {
  db: Knex;
  authenticate: Authenticate;
  /** Is told of a deployment whose deliveries, or where they go, have changed. */
  reviewDeliveries(deploymentId: string): void;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/webhooks/:deployId/:webhookId/test')
    .post(async (request, response: Response<z.infer<typeof Sent>>) => {
      const owner = await authenticate(request, response);
      const webhook = await ownWebhook(db, owner, request.params);
      const id = await createTestDelivery(db, webhook.id);
      if (id === undefined) throw noSuchWebhook();
      reviewDeliveries(webhook.deploymentId);
      response.status(202).json({ id });
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/webhooks/:deployId/:webhookId/deliveries')
    .get(async (request, response: Response<z.infer<typeof Deliveries>>) => {
      const owner = await authenticate(request, response);
      const webhook = await ownWebhook(db, owner, request.params);
      const paging = readPaging(request.url);
      const { deliveries, total } = await listDeliveries(db, webhook.id, paging);
      response.json({ deliveries: deliveries.map(toListed), total, ...paging });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/webhooks/:deployId/:webhookId/deliveries/:deliveryId/retry')
    .post(async (request, response: Response<z.infer<typeof Retried>>) => {
      const owner = await authenticate(request, response);
      const webhook = await ownWebhook(db, owner, request.params);
      const { deliveryId: id } = request.params;
      if (!isDeliveryId(id) || !(await retryDelivery(db, webhook.id, id))) {
        throw new HttpError(404, 'No such delivery: check the id.');
      }
      reviewDeliveries(webhook.deploymentId);
      response.status(202).json({ id, status: 'pending' });
    })
    .all(methodNotAllowed('POST'));

  return router;
}
