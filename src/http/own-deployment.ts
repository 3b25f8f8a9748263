import type { Knex } from 'knex';
import { type Deployment, findDeployment } from '../db/deployments.ts';
import type { Owner } from '../db/owners.ts';
import { findWebhook, type Webhook } from '../db/webhooks.ts';
import { isDeploymentId, isWebhookId } from '../ids.ts';
import { HttpError } from './errors.ts';

/** The same for an id of another owner, of a deleted deployment and for one that never was. */
export const noSuchDeployment = (): HttpError =>
  new HttpError(404, 'No such deployment: check the id, and that it belongs to the owner of the API key.');

/** What a query found, or the 404 of a deployment. */
export function found<T>(result: T | undefined): T {
  if (result === undefined) throw noSuchDeployment();
  return result;
}

/** The owner's live deployment that a path names; throws 404. */
export async function ownDeployment(db: Knex, owner: Owner, id: string): Promise<Deployment> {
  // What is no id never reaches Postgres, which refuses some text (NUL).
  return found(isDeploymentId(id) ? await findDeployment(db, owner.id, id) : undefined);
}

export const noSuchWebhook = (): HttpError => new HttpError(404, 'No such webhook: check the id.');

/** The webhook that a path names, of the owner's live deployment that it names; throws 404. */
export async function ownWebhook(
  db: Knex,
  owner: Owner,
  { deployId, webhookId }: { deployId: string; webhookId: string },
): Promise<Webhook> {
  const { id } = await ownDeployment(db, owner, deployId);
  const webhook = isWebhookId(webhookId) ? await findWebhook(db, id, webhookId) : undefined;
  if (!webhook) throw noSuchWebhook();
  return webhook;
}
