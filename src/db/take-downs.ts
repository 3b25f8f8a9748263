import type { Knex } from 'knex';
import { announcePageChange } from './page-changes.ts';

/** A deployment as the operator sees it, whoever owns it and whatever has become of it. */
export type AnyDeployment = {
  id: string;
  slug: string;
  /** The owner's e-mail. */
  owner: string;
  /** One that was taken down and deleted is deleted. */
  status: 'active' | 'taken down' | 'deleted';
  emailNotifications: boolean;
  submissionCount: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
  takenDownAt: Date | null;
  takeDownReason: string | null;
};

type Row = {
  id: string;
  slug: string;
  email: string;
  email_notifications: boolean;
  submission_count: number;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  taken_down_at: Date | null;
  take_down_reason: string | null;
};

const SELECT_ANY = `
  SELECT deployments.id, slug, email, email_notifications, submission_count, deployments.created_at, updated_at, deleted_at,
         taken_down_at, take_down_reason
    FROM deployments JOIN owners ON owners.id = owner_id`;

const fromRow = (row: Row): AnyDeployment => ({
  id: row.id,
  slug: row.slug,
  owner: row.email,
  status: row.deleted_at ? 'deleted' : row.taken_down_at ? 'taken down' : 'active',
  emailNotifications: row.email_notifications,
  submissionCount: row.submission_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
  takenDownAt: row.taken_down_at,
  takeDownReason: row.take_down_reason,
});

const AT_ONCE = 1_000;

/** All deployments, oldest first, a bounded number at a time. */
export async function* listAllDeployments(db: Knex): AsyncGenerator<AnyDeployment> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: Row[] } = await db.raw(
      `${SELECT_ANY} WHERE deployments.id > ? ORDER BY deployments.id LIMIT ?`,
      [after, AT_ONCE],
    );
    yield* rows.map(fromRow);
    after = rows.at(-1)?.id;
  }
}

/** The deployment with this id, or the one that holds this slug. */
export async function findAnyDeployment(db: Knex, slugOrId: string): Promise<AnyDeployment | undefined> {
  const { rows } = await db.raw(`${SELECT_ANY} WHERE deployments.id = :name OR slug = :name AND deleted_at IS NULL`, {
    name: slugOrId,
  });
  const [row] = rows;
  return row && fromRow(row);
}

/** The HTML of a deployment, live or not, as its owner gave it; undefined when it has been purged. */
export async function findAnyHtml(db: Knex, deploymentId: string): Promise<string | undefined> {
  const row = await db('pages').where({ deployment_id: deploymentId }).first('html');
  return row?.html.toString('utf8');
}

/** Takes a live deployment's page down, in every process; whether it was up. Its owner is shown what it was. */
export const takeDown = (db: Knex, id: string, reason: string): Promise<boolean> =>
  change(
    db,
    `UPDATE deployments SET taken_down_at = clock_timestamp(), take_down_reason = :reason
      WHERE id = :id AND deleted_at IS NULL AND taken_down_at IS NULL RETURNING slug`,
    { id, reason },
  );

/** Puts it up again; whether it was live and taken down. */
export const restore = (db: Knex, id: string): Promise<boolean> =>
  change(
    db,
    `UPDATE deployments SET taken_down_at = NULL, take_down_reason = NULL
      WHERE id = :id AND deleted_at IS NULL AND taken_down_at IS NOT NULL RETURNING slug`,
    { id },
  );

const change = (db: Knex, statement: string, values: Record<string, string>): Promise<boolean> =>
  db.transaction(async (transaction) => {
    const { rows } = await transaction.raw(statement, values);
    const [row] = rows;
    if (!row) return false;
    await announcePageChange(transaction, row.slug);
    return true;
  });
