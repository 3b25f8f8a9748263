import type { Knex } from 'knex';
import { newDeploymentId } from '../ids.ts';
import { announcePageChange } from './page-changes.ts';

export type Deployment = {
  id: string;
  slug: string;
  submissionCount: number;
  createdAt: Date;
  updatedAt: Date;
};

export type Page = { deploymentId: string; version: number; html: Buffer };

type Row = {
  id: string;
  owner_id: number;
  slug: string;
  email_notifications: boolean;
  submission_count: number;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
};

const COLUMNS = ['id', 'slug', 'submission_count', 'created_at', 'updated_at'] as const;
type Shown = Pick<Row, (typeof COLUMNS)[number]>;

const fromRow = (row: Shown): Deployment => ({
  id: row.id,
  slug: row.slug,
  submissionCount: row.submission_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** A live deployment of this owner. */
export async function findDeployment(db: Knex, ownerId: number, id: string): Promise<Deployment | undefined> {
  const row = await db<Row>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .first(...COLUMNS);
  return row && fromRow(row);
}

/**
 * A page of an owner's live deployments, newest first, and how many there are in all. Only the index is walked down to where
 * the page begins.
 */
export async function listDeployments(
  db: Knex,
  ownerId: number,
  { page, limit }: { page: number; limit: number },
): Promise<{ deployments: Deployment[]; total: number }> {
  const { rows } = await db
    .raw(
      `SELECT counted.total, deployment.*
         FROM (SELECT count(*) AS total FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL) AS counted
         LEFT JOIN LATERAL (
           SELECT id, slug, submission_count, created_at, updated_at FROM deployments
            WHERE owner_id = :ownerId AND deleted_at IS NULL ORDER BY id DESC LIMIT :limit OFFSET :offset
         ) AS deployment ON true`,
      { ownerId, limit, offset: (page - 1) * limit },
    )
    .options({ name: 'list-deployments' });
  return {
    total: rows[0].total,
    deployments: rows.filter((row: { id: string | null }) => row.id !== null).map(fromRow),
  };
}

/** The HTML of a live deployment of this owner, as it was given. */
export async function findHtml(db: Knex, ownerId: number, id: string): Promise<string | undefined> {
  const { rows } = await db.raw(
    `SELECT html FROM pages JOIN deployments ON deployments.id = deployment_id
      WHERE deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, ownerId],
  );
  const [row]: { html: Buffer }[] = rows;
  return row?.html.toString();
}

/** The slug of the live deployment with this id that isn't taken down, whoever owns it. */
export async function findSlug(db: Knex, id: string): Promise<string | undefined> {
  const { rows } = await db
    .raw(
      'SELECT CASE WHEN deleted_at IS NULL AND taken_down_at IS NULL THEN slug END AS slug FROM deployments WHERE id = ?',
      [id],
    )
    .options({ name: 'find-slug' });
  return rows[0]?.slug ?? undefined;
}

/**
 * Makes a deployment unless the owner has `limit` live ones. `slugs` are tried in turn: the first that no live
 * deployment holds is taken.
 */
export async function createDeployment(
  db: Knex,
  { ownerId, limit, slugs, html }: { ownerId: number; limit: number; slugs: readonly string[]; html: Buffer },
): Promise<Deployment | 'limit-reached' | 'slug-taken'> {
  return db.transaction(async (transaction) => {
    if (limit !== Number.POSITIVE_INFINITY) {
      // Creations of this owner go one at a time, so that the count is still true when the row goes in.
      await transaction.raw('SELECT FROM owners WHERE id = ? FOR UPDATE', [ownerId]);
      const { rows } = await transaction.raw(
        'SELECT count(*) AS live FROM deployments WHERE owner_id = ? AND deleted_at IS NULL',
        [ownerId],
      );
      if (rows[0].live >= limit) return 'limit-reached';
    }
    for (const slug of slugs) {
      const [row] = await transaction<Row>('deployments')
        .insert({ id: newDeploymentId(), owner_id: ownerId, slug })
        .onConflict(transaction.raw('(slug) WHERE deleted_at IS NULL'))
        .ignore()
        .returning([...COLUMNS]);
      if (!row) continue;
      await transaction('pages').insert({ deployment_id: row.id, html });
      await announcePageChange(transaction, slug);
      return fromRow(row);
    }
    return 'slug-taken';
  });
}

/** Replaces the HTML of a deployment known to be this owner's; undefined when it has been deleted. */
export async function replaceHtml(
  db: Knex,
  ownerId: number,
  id: string,
  html: Buffer,
): Promise<Deployment | undefined> {
  const gone = new Error('The deployment has been deleted.');
  try {
    return await db.transaction(async (transaction) => {
      // The page first, which is slow: the deployment's row is what submissions wait for.
      await transaction('pages')
        .where({ deployment_id: id })
        .update({ html, version: transaction.raw('version + 1') });
      const deployment = await touch(transaction, ownerId, id, {});
      // What is deleted keeps the page that it had.
      if (!deployment) throw gone;
      await announcePageChange(transaction, deployment.slug);
      return deployment;
    });
  } catch (error) {
    if (error === gone) return undefined;
    throw error;
  }
}

/** Changes settings; undefined when this owner has no such live deployment. */
export const changeSettings = (
  db: Knex,
  ownerId: number,
  id: string,
  settings: { emailNotifications: boolean | undefined },
): Promise<Deployment | undefined> =>
  touch(
    db,
    ownerId,
    id,
    settings.emailNotifications === undefined ? {} : { email_notifications: settings.emailNotifications },
  );

async function touch(
  db: Knex,
  ownerId: number,
  id: string,
  changes: Partial<Pick<Row, 'email_notifications'>>,
): Promise<Deployment | undefined> {
  const [row] = await db<Row>('deployments')
    .where({ id, owner_id: ownerId, deleted_at: null })
    .update({ ...changes, updated_at: db.raw('clock_timestamp()') })
    .returning([...COLUMNS]);
  return row && fromRow(row);
}

/** Takes the page offline and frees its slug; what it stored stays. Its deliveries end where they are claimed. */
export async function deleteDeployment(db: Knex, ownerId: number, id: string): Promise<Deployment | undefined> {
  return db.transaction(async (transaction) => {
    const [row] = await transaction<Row>('deployments')
      .where({ id, owner_id: ownerId, deleted_at: null })
      .update({ deleted_at: transaction.raw('clock_timestamp()') })
      .returning([...COLUMNS]);
    if (!row) return undefined;
    await announcePageChange(transaction, row.slug);
    return fromRow(row);
  });
}

/** The page that is live under this slug; 'taken-down' when the operator has taken it down. */
export async function findPage(db: Knex, slug: string): Promise<Page | 'taken-down' | undefined> {
  const { rows } = await db
    .raw(
      `SELECT pages.deployment_id, pages.version, CASE WHEN taken_down_at IS NULL THEN pages.html END AS html
         FROM deployments JOIN pages ON pages.deployment_id = deployments.id
        WHERE deployments.slug = ? AND deployments.deleted_at IS NULL`,
      [slug],
    )
    .options({ name: 'find-page' });
  const [row] = rows;
  if (row?.html === null) return 'taken-down';
  return row && { deploymentId: row.deployment_id, version: row.version, html: row.html };
}

/** What `findPage` would find, without its HTML; undefined when that is no page. */
export async function findPageVersion(db: Knex, slug: string): Promise<Omit<Page, 'html'> | undefined> {
  const { rows } = await db
    .raw(
      `SELECT pages.deployment_id, pages.version
         FROM deployments JOIN pages ON pages.deployment_id = deployments.id
        WHERE deployments.slug = ? AND deployments.deleted_at IS NULL AND taken_down_at IS NULL`,
      [slug],
    )
    .options({ name: 'find-page-version' });
  const [row] = rows;
  return row && { deploymentId: row.deployment_id, version: row.version };
}
