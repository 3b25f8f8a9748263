import type { Owner } from '../../../db/account/owner-queries.ts';
import { findWebhook, type Webhook } from '../../../db/deliveries/webhook-queries.ts';
import { type Deployment, findDeployment } from '../../../db/deployments/deployment-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { errorKind, HttpError, noSuchDeployment } from '../../response/errors.ts';

/** A 404 about a part of a deployment. `what` is missing when the deployment is not. */
export const missing = (id: string, what: string, message: string) =>
  errorKind(
    { id, description: `There is no such deployment of the key's owner, ${what}.` },
    () => new HttpError(404, message),
  );

export const noSuchWebhook = missing('NoSuchWebhook', 'or no such webhook of it', 'No such webhook: check the id.');

/** The row that a query has found; throws a 404 where it has found none. */
export function foundOr404<T>(row: T | undefined, error: () => HttpError = noSuchDeployment): T {
  if (row === undefined) throw error();
  return row;
}

/** The owner's live deployment with this id; throws 404. */
export const ownDeployment = async (db: Database, owner: Owner, id: string): Promise<Deployment> =>
  foundOr404(await findDeployment(db, owner.id, id));

/** The webhook with these ids, of the owner's live deployment; throws 404. */
export async function ownWebhook(
  db: Database,
  owner: Owner,
  { deployId, webhookId }: { deployId: string; webhookId: string },
): Promise<Webhook> {
  const { id } = await ownDeployment(db, owner, deployId);
  return foundOr404(await findWebhook(db, id, webhookId), noSuchWebhook);
}
