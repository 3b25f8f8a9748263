import type { Owner } from '../../../db/account/owners.ts';
import { findWebhook, type Webhook } from '../../../db/deliveries/webhooks.ts';
import { type Deployment, findDeployment } from '../../../db/deployments/deployments.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { isDeploymentId, isWebhookId } from '../../../lib/ids.ts';
import { errorKind, HttpError, noSuchDeployment } from '../../response/errors.ts';

export const noSuchWebhook = errorKind(
  {
    id: 'NoSuchWebhook',
    description: "There is no such deployment of the key's owner, or no such webhook of it.",
  },
  () => new HttpError(404, 'No such webhook: check the id.'),
);

/** The row that a query found of a deployment; throws 404 where it found nothing. */
export function deploymentOr404<T>(found: T | undefined): T {
  if (found === undefined) throw noSuchDeployment();
  return found;
}

/** The row that a query found of a webhook; throws 404 where it found nothing. */
export function webhookOr404<T>(found: T | undefined): T {
  if (found === undefined) throw noSuchWebhook();
  return found;
}

/** The owner's live deployment with this id; throws 404. */
export async function ownDeployment(db: Database, owner: Owner, id: string): Promise<Deployment> {
  // Only ids reach Postgres, which refuses some texts (NUL).
  return deploymentOr404(isDeploymentId(id) ? await findDeployment(db, owner.id, id) : undefined);
}

/** The webhook with these ids, of the owner's live deployment; throws 404. */
export async function ownWebhook(
  db: Database,
  owner: Owner,
  { deployId, webhookId }: { deployId: string; webhookId: string },
): Promise<Webhook> {
  const { id } = await ownDeployment(db, owner, deployId);
  return webhookOr404(isWebhookId(webhookId) ? await findWebhook(db, id, webhookId) : undefined);
}
