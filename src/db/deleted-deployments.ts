import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isDuplicate } from './connect.ts';
import { announcePageChange } from './page-changes.ts';

/** The owner's plan, and how many live deployments the owner has now. */
export type Undeleted = { slug: string; plan: string; liveDeployments: number };

/**
 * Brings a deleted deployment back with all that it had, at its slug or at another, whatever the plan's limit.
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
      // Only now, for a purge that held the row may have removed it.
      if (!(await transaction('pages').where({ deployment_id: id }).first('version'))) return 'incomplete';
      const { rows } = await transaction.raw(
        `UPDATE deployments SET deleted_at = NULL, slug = coalesce(?, slug) WHERE id = ? RETURNING slug, owner_id`,
        [slug ?? null, id],
      );
      const [row] = rows;
      await announcePageChange(transaction, row.slug);
      const { rows: owners } = await transaction.raw(
        `SELECT plan, (SELECT count(*) FROM deployments WHERE owner_id = owners.id AND deleted_at IS NULL) AS live
           FROM owners WHERE id = ?`,
        [row.owner_id],
      );
      return { slug: row.slug, plan: owners[0].plan, liveDeployments: owners[0].live };
    });
  } catch (error) {
    if (isDuplicate(error)) return 'slug-taken';
    throw error;
  }
}

/**
 * What hangs on a deployment in numbers without bound. Each table has an index on deployment_id and `key`; no key is as low as
 * `below`; so many go at once, which takes well under a second.
 */
const HELD = [
  { table: 'submissions', key: 'number', below: 0, atOnce: 500 },
  { table: 'removed_submissions', key: 'number', below: 0, atOnce: 10_000 },
  // Each with as much as a submission's files hold.
  { table: 'submission_files', key: 'submission_id', below: '', atOnce: 4 },
] as const;

const DELIVERIES_AT_ONCE = 10_000;
const AGAIN_MS = 50;

/**
 * Removes a deleted deployment and everything of it for good, a bounded number of rows at a time; false when it isn't
 * deleted. Stopped in the middle, it is to be run again: what is left stays deleted.
 */
export async function purgeDeployment(db: Knex, id: string): Promise<boolean> {
  const begun = await db.transaction(async (transaction) => {
    if (!(await lockDeleted(transaction, id))) return false;
    // Without its page it can't be brought back; without webhooks no delivery is made any more.
    await transaction('pages').where({ deployment_id: id }).delete();
    await transaction('webhooks').where({ deployment_id: id }).delete();
    return true;
  });
  if (!begun) return false;
  for (const held of HELD) await removeHeld(db, id, held);
  await removeDeliveries(db, id);
  await db('deployments').where({ id }).whereNotNull('deleted_at').delete();
  return true;
}

/** Whether there is such a deployment and it is deleted, which it stays until the transaction ends. */
async function lockDeleted(transaction: Knex, id: string): Promise<boolean> {
  const row = await transaction('deployments').where({ id }).whereNotNull('deleted_at').forUpdate().first('id');
  return row !== undefined;
}

async function removeHeld(db: Knex, id: string, { table, key, below, atOnce }: (typeof HELD)[number]): Promise<void> {
  // From key to key: from the start, each batch would have to pass all that those before it removed.
  for (let after: number | string | null = below; after !== null; ) {
    const answer: { rows: [{ last: number | string | null }] } = await db.raw(
      `WITH batch AS MATERIALIZED (
         SELECT ${key} AS key FROM ${table} WHERE deployment_id = :id AND ${key} > :after ORDER BY ${key} LIMIT :atOnce
       ), removed AS (
         DELETE FROM ${table} WHERE deployment_id = :id AND ${key} = ANY (ARRAY(SELECT key FROM batch))
       )
       SELECT max(key) AS last FROM batch`,
      { id, after, atOnce },
    );
    after = answer.rows[0].last;
  }
}

/** Deliveries have no index by deployment, which every submission would pay for: this looks through all there are. */
async function removeDeliveries(db: Knex, id: string): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    const answer: { rows: [{ last: string | null; found: number; removed: number }] } = await db.raw(
      `WITH batch AS MATERIALIZED (
         SELECT id, deployment_id FROM deliveries WHERE id > :after ORDER BY id LIMIT :atOnce
       ), removed AS (
         -- What a process has in hand is passed over, for the moment: nobody waits, so that nobody can deadlock.
         DELETE FROM deliveries WHERE id = ANY (ARRAY(
           SELECT id FROM deliveries WHERE id = ANY (ARRAY(SELECT id FROM batch WHERE deployment_id = :id))
              FOR UPDATE SKIP LOCKED))
         RETURNING id
       )
       SELECT max(id) AS last, count(*) FILTER (WHERE deployment_id = :id) AS found, (SELECT count(*) FROM removed) AS removed
         FROM batch`,
      { id, after, atOnce: DELIVERIES_AT_ONCE },
    );
    const [{ last, found, removed }] = answer.rows;
    if (removed < found) await delay(AGAIN_MS);
    else after = last;
  }
}
