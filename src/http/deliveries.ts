import { type Response, Router } from 'express';
import type { Knex } from 'knex';
import { createTestDelivery, type Delivery, listDeliveries, retryDelivery } from '../db/deliveries.ts';
import { isDeliveryId } from '../ids.ts';
import type { Authenticate } from './auth.ts';
import { HttpError, methodNotAllowed } from './errors.ts';
import { noSuchWebhook, ownWebhook } from './own-deployment.ts';
import { readPaging } from './paging.ts';

type Listed = {
  id: string;
  submission_id: string | null;
  status: Delivery['status'];
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  updated_at: string;
};
type Page = { deliveries: Listed[]; total: number; page: number; limit: number };

const toListed = (delivery: Delivery): Listed => ({
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
    .post(async (request, response: Response<{ id: string }>) => {
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
    .get(async (request, response: Response<Page>) => {
      const owner = await authenticate(request, response);
      const webhook = await ownWebhook(db, owner, request.params);
      const paging = readPaging(request.url);
      const { deliveries, total } = await listDeliveries(db, webhook.id, paging);
      response.json({ deliveries: deliveries.map(toListed), total, ...paging });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/webhooks/:deployId/:webhookId/deliveries/:deliveryId/retry')
    .post(async (request, response: Response<{ id: string; status: Delivery['status'] }>) => {
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
