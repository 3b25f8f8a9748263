import type { Knex } from 'knex';
import { query } from '../postgres/query.ts';
import type { DeploymentChange } from './change-feed.ts';

/** `isAnonymous`: nobody has claimed it, and the next clean-up erases it. */
type Expired = DeploymentChange & { isAnonymous: boolean };

/** Pages that one statement puts into the trash. */
const BATCH = 100;

/** Puts pages into the trash whose time is over, and returns them. Leaves those that others have locked to the next call. */
export const trashExpired = (db: Knex): Promise<Expired[]> =>
  query<Expired>(
    db,
    'trash-expired-deployments',
    `UPDATE deployments SET deleted_at = clock_timestamp()
      WHERE id IN (
              SELECT id FROM deployments WHERE expires_at <= clock_timestamp() AND deleted_at IS NULL
               ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING id AS "deploymentId", slug, EXISTS (SELECT FROM anonymous_pages WHERE deployment_id = id) AS "isAnonymous"`,
  );
