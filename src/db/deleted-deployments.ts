import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { announcePageChange } from './page-changes.ts';
import { isDuplicate } from './postgres/connect.ts';
import { execute, queryOne } from './postgres/query.ts';
import { listFiles, removeFiles } from './stored-files.ts';

/** The owner's plan, and how many live deployments the owner has now. */
type Undeleted = { slug: string; plan: string; liveDeployments: number };

/**
 * Restores a deleted deployment with all that it had, at its slug or at another. The plan's limit does not apply.
 * 'incomplete': its purge has begun.
 */
export async function undeleteDeployment(
  db: Knex,
  id: string,
  slug: string | undefined,
): Promise<Undeleted | 'not-deleted' | 'incomplete' | 'slug-taken'> {
  try {
    return await db.transaction(async (transaction) => {
      if (!(await lockDeleted(transaction, id))) return 'not-deleted';
      // Under the lock: a purge that had the lock before may have removed the page.
      if (!(await hasPage(transaction, id))) return 'incomplete';
      const restored = await queryOne<{ slug: string; owner_id: number }>(
        transaction,
        'undelete-deployment',
        'UPDATE deployments SET deleted_at = NULL, slug = coalesce(?, slug) WHERE id = ? RETURNING slug, owner_id',
        [slug ?? null, id],
      );
      await announcePageChange(transaction, restored.slug);
      const { plan, live } = await queryOne<{ plan: string; live: number }>(
        transaction,
        'count-deployments-of-owner',
        `SELECT plan, (SELECT count(*) FROM deployments WHERE owner_id = owners.id AND deleted_at IS NULL) AS live
           FROM owners WHERE id = ?`,
        [restored.owner_id],
      );
      return { slug: restored.slug, plan, liveDeployments: live };
    });
  } catch (error) {
    if (isDuplicate(error)) return 'slug-taken';
    throw error;
  }
}

/**
 * Tables with an unlimited number of rows for a deployment. Each has an index on deployment_id and `key`; every key is
 * greater than 0. One statement removes `batch` keys, which takes well under a second.
 */
const TABLES = [
  { table: 'submissions', key: 'number', batch: 500 },
  { table: 'removed_submissions', key: 'number', batch: 10_000 },
] as const;

const DELIVERIES_BATCH = 10_000;
const RETRY_MS = 50;

/**
 * Removes a deleted deployment and everything of it for good, a bounded number of rows at a time; false when it isn't
 * deleted. When it is interrupted it can be run again; until then the deployment stays deleted.
 */
export async function purgeDeployment(db: Knex, id: string): Promise<boolean> {
  const begun = await db.transaction(async (transaction) => {
    // The page before the deployment, as when a page is replaced, so that there is no deadlock.
    await execute(transaction, 'lock-page', 'SELECT FROM pages WHERE deployment_id = ? FOR UPDATE', [id]);
    if (!(await lockDeleted(transaction, id))) return false;
    // Without its page it can't be restored; without webhooks no more deliveries are made.
    await transaction('pages').where({ deployment_id: id }).delete();
    await transaction('webhooks').where({ deployment_id: id }).delete();
    return true;
  });
  if (!begun) return false;
  for (const table of TABLES) await removeRows(db, id, table);
  await removeFiles(db, listFiles(db, id));
  await removeDeliveries(db, id);
  // In one statement: the rate limit bounds how many there are.
  await db('idempotency_keys').where({ deployment_id: id }).delete();
  await db('deployments').where({ id }).whereNotNull('deleted_at').delete();
  return true;
}

/** Locks a deployment if it is deleted; whether it is. */
async function lockDeleted(transaction: Knex, id: string): Promise<boolean> {
  const sql = 'SELECT FROM deployments WHERE id = ? AND deleted_at IS NOT NULL FOR UPDATE';
  return (await execute(transaction, 'lock-deleted-deployment', sql, [id])) === 1;
}

const hasPage = async (transaction: Knex, id: string): Promise<boolean> =>
  (await execute(transaction, 'has-page', 'SELECT FROM pages WHERE deployment_id = ?', [id])) === 1;

async function removeRows(db: Knex, id: string, { table, key, batch }: (typeof TABLES)[number]): Promise<void> {
  // Each batch begins after the last key of the one before: from the start, it would scan everything that has been
  // removed.
  for (let after: number | null = 0; after !== null; ) {
    const removed: { last: number | null } = await queryOne(
      db,
      `remove-${table}`,
      `WITH batch AS MATERIALIZED (
         SELECT ${key} AS key FROM ${table} WHERE deployment_id = :id AND ${key} > :after ORDER BY ${key} LIMIT :batch
       ), removed AS (
         DELETE FROM ${table} WHERE deployment_id = :id AND ${key} = ANY (ARRAY(SELECT key FROM batch))
       )
       SELECT max(key) AS last FROM batch`,
      { id, after, batch },
    );
    after = removed.last;
  }
}

/** Reads all deliveries of all deployments: an index by deployment would make every submission slower. */
async function removeDeliveries(db: Knex, id: string): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    const batch: { last: string | null; found: number; removed: number } = await queryOne(
      db,
      'remove-deliveries',
      `WITH batch AS MATERIALIZED (
         SELECT id, deployment_id FROM deliveries WHERE id > :after ORDER BY id LIMIT :batch
       ), removed AS (
         -- Locked rows are passed over, and tried again later: as nothing is waited for, there is no deadlock.
         DELETE FROM deliveries WHERE id = ANY (ARRAY(
           SELECT id FROM deliveries WHERE id = ANY (ARRAY(SELECT id FROM batch WHERE deployment_id = :id))
              FOR UPDATE SKIP LOCKED))
         RETURNING id
       )
       SELECT max(id) AS last, count(*) FILTER (WHERE deployment_id = :id) AS found,
              (SELECT count(*) FROM removed) AS removed
         FROM batch`,
      { id, after, batch: DELIVERIES_BATCH },
    );
    if (batch.removed < batch.found) await delay(RETRY_MS);
    else after = batch.last;
  }
}
