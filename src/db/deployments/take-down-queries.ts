import type { Knex } from 'knex';
import { audited } from '../account/audit-queries.ts';
import { execute, query, readAll } from '../postgres/query.ts';
import { type Deployment, type DeploymentRow, toDeployment } from './deployment-queries.ts';
import type { SiteFile } from './site-file-queries.ts';

/** Deployments that one statement reads. */
const DEPLOYMENTS_BATCH = 1_000;

/** A deployment of any owner and in any state, as the operator sees it. */
export type AnyDeployment = Deployment & {
  /** The owner's e-mail. */
  owner: string;
  /** One that was taken down and deleted is deleted. */
  status: 'active' | 'taken down' | 'deleted';
  emailNotifications: boolean;
  deletedAt: Date | null;
  takeDownReason: string | null;
};

type Row = Omit<DeploymentRow, 'owner_id'> & {
  email: string;
  take_down_reason: string | null;
};

const SELECT_ANY = `
  SELECT deployments.id, slug, email, email_notifications, submission_count, last_submission_number, deployments.created_at,
         updated_at, deleted_at, taken_down_at, take_down_reason
    FROM deployments JOIN owners ON owners.id = owner_id`;

const toAnyDeployment = (row: Row): AnyDeployment => ({
  ...toDeployment(row),
  owner: row.email,
  status: row.deleted_at ? 'deleted' : row.taken_down_at ? 'taken down' : 'active',
  emailNotifications: row.email_notifications,
  deletedAt: row.deleted_at,
  takeDownReason: row.take_down_reason,
});

/** All deployments, oldest first, a bounded number at a time. */
export async function* listAllDeployments(db: Knex): AsyncGenerator<AnyDeployment> {
  const rows = readAll<Row>((last) =>
    query(db, 'list-all-deployments', `${SELECT_ANY} WHERE deployments.id > ? ORDER BY deployments.id LIMIT ?`, [
      last?.id ?? '',
      DEPLOYMENTS_BATCH,
    ]),
  );
  for await (const row of rows) yield toAnyDeployment(row);
}

/** The deployment with this id, or the live one with this slug. */
export async function findAnyDeployment(db: Knex, slugOrId: string): Promise<AnyDeployment | undefined> {
  const [row] = await query<Row>(
    db,
    'find-any-deployment',
    `${SELECT_ANY} WHERE deployments.id = :name OR slug = :name AND deleted_at IS NULL`,
    { name: slugOrId },
  );
  return row && toAnyDeployment(row);
}

/** The slug of the newest page that is up, of any owner; undefined where there is none. */
export async function findLiveSlug(db: Knex): Promise<string | undefined> {
  const sql = `
    SELECT slug FROM deployments WHERE deleted_at IS NULL AND taken_down_at IS NULL AND NOT suspended
     ORDER BY id DESC LIMIT 1`;
  return (await query<{ slug: string }>(db, 'find-live-slug', sql))[0]?.slug;
}

/** The page of a deployment, live or not, as its owner gave it; undefined when it has been purged. */
export async function findAnyPage(
  db: Knex,
  deploymentId: string,
): Promise<{ html: string; ownerId: number; files: readonly SiteFile[] } | undefined> {
  const [row] = await query<{ html: Buffer; ownerId: number; files: SiteFile[] | null }>(
    db,
    'find-any-page',
    `SELECT html, owner_id AS "ownerId", files FROM pages JOIN deployments ON deployments.id = deployment_id
      WHERE deployment_id = ?`,
    [deploymentId],
  );
  return row && { html: row.html.toString('utf8'), ownerId: row.ownerId, files: row.files ?? [] };
}

/** Takes a live deployment's page down, in every process; false when it was down. The owner can still read its HTML. */
export const takeDown = (db: Knex, id: string, reason: string): Promise<boolean> =>
  audited(
    db,
    async (connection) =>
      (await execute(
        connection,
        'take-down',
        `UPDATE deployments SET taken_down_at = clock_timestamp(), take_down_reason = :reason
          WHERE id = :id AND deleted_at IS NULL AND taken_down_at IS NULL`,
        { id, reason },
      )) === 1,
    (isDone) => (isDone ? { target: id, deploymentId: id } : undefined),
  );

/** Undoes `takeDown`; false when the deployment was not taken down, or is deleted. */
export const restore = (db: Knex, id: string): Promise<boolean> =>
  audited(
    db,
    async (connection) =>
      (await execute(
        connection,
        'restore',
        `UPDATE deployments SET taken_down_at = NULL, take_down_reason = NULL
          WHERE id = :id AND deleted_at IS NULL AND taken_down_at IS NOT NULL`,
        { id },
      )) === 1,
    (isDone) => (isDone ? { target: id, deploymentId: id } : undefined),
  );
