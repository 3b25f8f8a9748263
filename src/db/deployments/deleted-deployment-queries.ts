import type { Knex } from 'knex';
import { record } from '../account/audit-queries.ts';
import { listFiles, removeFiles } from '../files/stored-file-queries.ts';
import { deleteInBatches, deleteOfDeployment } from '../old-rows.ts';
import { isDuplicate } from '../postgres/out-of-reach.ts';
import { execute, type ListPage, type Paging, query, queryOne, queryPage } from '../postgres/query.ts';
import { countLive } from './deployment-queries.ts';
import { claimSlug, SlugInUse } from './former-slug-queries.ts';
import { IS_REACHED, type Reach, reachOf, TITLE } from './live-deployment-queries.ts';
import { releaseContentsOf } from './site-file-queries.ts';

/** Rows of a purged deployment that one statement removes. */
const PURGED_VERSIONS_BATCH = 10;

/** A deleted deployment whose page is still there. */
type TrashedDeployment = { id: string; slug: string; title: string | null; submissionCount: number; deletedAt: Date };

/** Deployments of an owner that are deleted, but not for good: the page is the first that a purge removes. */
const TRASHED = `owner_id = :ownerId AND deleted_at IS NOT NULL
            AND EXISTS (SELECT FROM pages WHERE deployment_id = deployments.id)`;

/** A page of an owner's deleted deployments, the last deleted first, and how many there are in all. */
export const listTrash = (db: Knex, reach: Reach, paging: Paging): Promise<ListPage<TrashedDeployment>> =>
  queryPage(
    db,
    'list-trash',
    {
      total: `SELECT count(*) AS total FROM deployments WHERE ${TRASHED} AND ${IS_REACHED}`,
      rows: `
        SELECT id, slug, ${TITLE},
               submission_count AS "submissionCount", deleted_at AS "deletedAt"
          FROM deployments
         WHERE ${TRASHED} AND ${IS_REACHED} ORDER BY deleted_at DESC, id DESC LIMIT :limit OFFSET :offset`,
    },
    reachOf(reach),
    paging,
  );

/** Returns whether this owner has a deleted deployment with this id, whose purge has not begun. */
export const isTrashed = async (db: Knex, ownerId: number, id: string): Promise<boolean> =>
  (await execute(db, 'is-trashed', `SELECT FROM deployments WHERE id = :id AND ${TRASHED}`, { ownerId, id })) === 1;

/** The owner's plan, and how many live deployments the owner has now. */
type Undeleted = { slug: string; plan: string; liveDeployments: number };

/**
 * Restores a deleted deployment with all that it had, at its slug or at another, unless its owner then has more than
 * `limitOf` the owner's plan. 'incomplete': its purge has begun.
 */
export async function undeleteDeployment(
  db: Knex,
  id: string,
  { slug, limitOf = () => Number.POSITIVE_INFINITY }: { slug: string | undefined; limitOf?: (plan: string) => number },
): Promise<Undeleted | 'not-deleted' | 'incomplete' | 'slug-taken' | 'limit-reached'> {
  try {
    return await db.transaction(async (transaction) => {
      // The owner first, as where a deployment is made: the count is still true when this one is live.
      const [owner] = await query<{ id: number; plan: string }>(
        transaction,
        'lock-owner-of-deployment',
        'SELECT id, plan FROM owners WHERE id = (SELECT owner_id FROM deployments WHERE id = ?) FOR NO KEY UPDATE',
        [id],
      );
      if (!owner || !(await lockDeleted(transaction, id))) return 'not-deleted';
      // Under the lock: a purge that had the lock before may have removed the page.
      if (!(await hasPage(transaction, id))) return 'incomplete';
      const live = await countLive(transaction, owner.id);
      if (live >= limitOf(owner.plan)) return 'limit-reached';
      const restored = await queryOne<{ slug: string }>(
        transaction,
        'undelete-deployment',
        'UPDATE deployments SET deleted_at = NULL, expires_at = NULL, slug = coalesce(?, slug) WHERE id = ? RETURNING slug',
        [slug ?? null, id],
      );
      if (!(await claimSlug(transaction, id, restored.slug))) throw new SlugInUse();
      // A deleted deployment's domains are not looked up: their proofs may have gone.
      await execute(
        transaction,
        'look-up-domains',
        'UPDATE domains SET next_check_at = now() WHERE deployment_id = ?',
        [id],
      );
      await record(transaction, { target: id, deploymentId: id });
      return { slug: restored.slug, plan: owner.plan, liveDeployments: live + 1 };
    });
  } catch (error) {
    if (isDuplicate(error) || error instanceof SlugInUse) return 'slug-taken';
    throw error;
  }
}

/** Tables with an unlimited number of rows of a deployment, and what tells these apart. */
const TABLES: readonly { table: string; key: string; batch?: number }[] = [
  { table: 'submissions', key: 'number' },
  { table: 'spam_submissions', key: 'number' },
  { table: 'trashed_submissions', key: 'number' },
  { table: 'test_submissions', key: 'number' },
  // Each may be as large as a page.
  { table: 'page_versions', key: 'version', batch: PURGED_VERSIONS_BATCH },
];
/** The deliveries of a deployment, by the indexes of its logs. */
const DELIVERIES = [
  'webhook_id IN (SELECT id FROM webhooks WHERE deployment_id = :id)',
  'deployment_id = :id AND webhook_id IS NULL',
];

/**
 * Begins to remove a deleted deployment for good: from now on it can't be restored. False when it isn't deleted.
 * `finishPurge` removes the rest; until then the deployment stays deleted.
 */
export function beginPurge(db: Knex, id: string): Promise<boolean> {
  return db.transaction(async (transaction) => {
    // The page before the deployment, as when a page is replaced, so that there is no deadlock.
    await execute(transaction, 'lock-page', 'SELECT FROM pages WHERE deployment_id = ? FOR UPDATE', [id]);
    if (!(await lockDeleted(transaction, id))) return false;
    await releaseContentsOf(transaction, id);
    // Without its page it can't be restored.
    await transaction('pages').where({ deployment_id: id }).delete();
    await transaction('deployments').where({ id }).update({ purging: true });
    await record(transaction, { target: id, deploymentId: id });
    return true;
  });
}

/**
 * Removes everything of a deployment whose purge has begun, a bounded number of rows at a time. Throws when the signal
 * fires. When it is interrupted it can be run again.
 */
export async function finishPurge(db: Knex, id: string, signal?: AbortSignal): Promise<void> {
  for (const { batch, ...table } of TABLES) {
    await deleteOfDeployment(db, table, id, { batch, signal });
  }
  await removeFiles(db, listFiles(db, id, { tests: true }), signal);
  for (const [n, isOld] of DELIVERIES.entries()) {
    // One that is pending and locked is deleted when it is claimed next.
    await deleteInBatches(
      db,
      { name: `purge-deliveries-${n}`, table: 'deliveries', key: 'id', isOld },
      { id },
      { signal },
    );
  }
  // In one statement: limits bound how many there are.
  await db('webhooks').where({ deployment_id: id }).delete();
  await db('page_drafts').where({ deployment_id: id }).delete();
  await db('idempotency_keys').where({ deployment_id: id }).delete();
  await db('visitor_confirmations').where({ deployment_id: id }).delete();
  await db('deployments').where({ id }).whereNotNull('deleted_at').delete();
}

/** Up to `limit` deployments that were deleted before a time, or that nobody has claimed, and whose purge has not begun. */
export async function findExpiredTrash(db: Knex, before: Date, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'find-expired-trash',
    `SELECT id FROM deployments WHERE deleted_at < :before AND NOT purging
      UNION
     SELECT id FROM anonymous_pages
       JOIN LATERAL (SELECT id, deleted_at, purging FROM deployments WHERE id = deployment_id LIMIT 1) AS page ON true
      WHERE deleted_at IS NOT NULL AND NOT purging
      LIMIT :limit`,
    { before, limit },
  );
  return rows.map(({ id }) => id);
}

/** A deployment whose purge has begun and not ended, if there is one. */
export async function findUnfinishedPurge(db: Knex): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    db,
    'find-unfinished-purge',
    'SELECT id FROM deployments WHERE purging LIMIT 1',
  );
  return row?.id;
}

/** Locks a deployment if it is deleted; whether it is. */
async function lockDeleted(transaction: Knex, id: string): Promise<boolean> {
  const sql = 'SELECT FROM deployments WHERE id = ? AND deleted_at IS NOT NULL FOR UPDATE';
  return (await execute(transaction, 'lock-deleted-deployment', sql, [id])) === 1;
}

const hasPage = async (transaction: Knex, id: string): Promise<boolean> =>
  (await execute(transaction, 'has-page', 'SELECT FROM pages WHERE deployment_id = ?', [id])) === 1;
