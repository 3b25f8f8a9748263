import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { firstDeliveryId } from '../../lib/ids.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { listFiles, removeFiles } from '../files/stored-files.ts';
import { isDuplicate } from '../postgres/out-of-reach.ts';
import { execute, query, queryOne, queryPage } from '../postgres/query.ts';
import { countLive, type DeploymentRow } from './deployments.ts';

/** A deleted deployment whose page is still there. */
type TrashedDeployment = { id: string; slug: string; submissionCount: number; deletedAt: Date };

type TrashedRow = { id: string; slug: string; submission_count: number; deleted_at: Date };

const toTrashed = ({ id, slug, submission_count, deleted_at }: TrashedRow): TrashedDeployment => ({
  id,
  slug,
  submissionCount: submission_count,
  deletedAt: deleted_at,
});

/** Deployments of an owner that are deleted, but not for good: the page is the first that a purge removes. */
const TRASHED = `owner_id = :ownerId AND deleted_at IS NOT NULL
            AND EXISTS (SELECT FROM pages WHERE deployment_id = deployments.id)`;

/** A page of an owner's deleted deployments, the last deleted first, and how many there are in all. */
export async function listTrash(
  db: Knex,
  ownerId: number,
  paging: { page: number; limit: number },
): Promise<{ deployments: TrashedDeployment[]; total: number }> {
  const { total, rows } = await queryPage<TrashedRow>(
    db,
    'list-trash',
    {
      total: `SELECT count(*) AS total FROM deployments WHERE ${TRASHED}`,
      rows: `
        SELECT id, slug, submission_count, deleted_at FROM deployments
         WHERE ${TRASHED} ORDER BY deleted_at DESC, id DESC LIMIT :limit OFFSET :offset`,
    },
    { ownerId },
    paging,
  );
  return { total, deployments: rows.map(toTrashed) };
}

/** A deleted deployment of this owner, unless its purge has begun. */
export async function findTrashed(db: Knex, ownerId: number, id: string): Promise<TrashedDeployment | undefined> {
  const [row] = await query<TrashedRow>(
    db,
    'find-trashed',
    `SELECT id, slug, submission_count, deleted_at FROM deployments WHERE id = :id AND ${TRASHED}`,
    { ownerId, id },
  );
  return row && toTrashed(row);
}

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
        'UPDATE deployments SET deleted_at = NULL, slug = coalesce(?, slug) WHERE id = ? RETURNING slug',
        [slug ?? null, id],
      );
      return { slug: restored.slug, plan: owner.plan, liveDeployments: live + 1 };
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
  { table: 'submissions', key: 'number', batch: SIZES.internal.purgedSubmissionsBatch },
  { table: 'spam_submissions', key: 'number', batch: SIZES.internal.purgedSubmissionsBatch },
  { table: 'removed_submissions', key: 'number', batch: SIZES.internal.purgedRemovalsBatch },
  { table: 'page_versions', key: 'version', batch: SIZES.internal.purgedVersionsBatch },
] as const;

/**
 * Begins to remove a deleted deployment for good: from now on it can't be restored. False when it isn't deleted.
 * `finishPurge` removes the rest; until then the deployment stays deleted.
 */
export function beginPurge(db: Knex, id: string): Promise<boolean> {
  return db.transaction(async (transaction) => {
    // The page before the deployment, as when a page is replaced, so that there is no deadlock.
    await execute(transaction, 'lock-page', 'SELECT FROM pages WHERE deployment_id = ? FOR UPDATE', [id]);
    if (!(await lockDeleted(transaction, id))) return false;
    // Without its page it can't be restored; without webhooks no more deliveries are made.
    await transaction('pages').where({ deployment_id: id }).delete();
    await transaction('webhooks').where({ deployment_id: id }).delete();
    await transaction('deployments').where({ id }).update({ purging: true });
    return true;
  });
}

/**
 * Removes everything of a deployment whose purge has begun, a bounded number of rows at a time. Throws when the signal
 * fires. When it is interrupted it can be run again.
 */
export async function finishPurge(db: Knex, id: string, limits: Limits, signal?: AbortSignal): Promise<void> {
  for (const table of TABLES) await removeRows(db, id, table, signal);
  await removeFiles(db, listFiles(db, id), signal);
  await removeDeliveries(db, id, limits, signal);
  // In one statement: the rate limit bounds how many there are.
  await db('idempotency_keys').where({ deployment_id: id }).delete();
  await db('deployments').where({ id }).whereNotNull('deleted_at').delete();
}

/** Up to `limit` deployments that were deleted before a time, and whose purge has not begun. */
export async function findExpiredTrash(db: Knex, before: Date, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'find-expired-trash',
    'SELECT id FROM deployments WHERE deleted_at < ? AND NOT purging LIMIT ?',
    [before, limit],
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

async function removeRows(
  db: Knex,
  id: string,
  { table, key, batch }: (typeof TABLES)[number],
  signal: AbortSignal | undefined,
): Promise<void> {
  // Each batch begins after the last key of the one before: from the start, it would scan everything that has been
  // removed.
  for (let after: number | null = 0; after !== null; ) {
    signal?.throwIfAborted();
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

/** Clocks of processes, by which ids of deliveries are made, may differ from the database's by less. */
const CLOCK_MARGIN_MS = 24 * 60 * 60 * 1_000;

/**
 * Reads all deliveries of all deployments up to the deletion, few of which are left when the trash expires: an index by
 * deployment would make every submission slower.
 */
async function removeDeliveries(
  db: Knex,
  id: string,
  { cleanUp: { lockedDeliveriesPauseMs } }: Limits,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deployment = await db<DeploymentRow>('deployments').where({ id }).first('deleted_at');
  if (!deployment?.deleted_at) return;
  const end = firstDeliveryId(new Date(deployment.deleted_at.getTime() + CLOCK_MARGIN_MS));
  for (let after: string | null = ''; after !== null; ) {
    signal?.throwIfAborted();
    const batch: { last: string | null; found: number; removed: number } = await queryOne(
      db,
      'remove-deliveries',
      `WITH batch AS MATERIALIZED (
         SELECT id, deployment_id FROM deliveries WHERE id > :after AND id < :end ORDER BY id LIMIT :batch
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
      { id, after, end, batch: SIZES.internal.purgedDeliveriesBatch },
    );
    if (batch.removed < batch.found) await delay(lockedDeliveriesPauseMs);
    else after = batch.last;
  }
}
