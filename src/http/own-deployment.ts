import type { Knex } from 'knex';
import { type Deployment, findDeployment } from '../db/deployments.ts';
import type { Owner } from '../db/owners.ts';
import { isDeploymentId } from '../ids.ts';
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
