import type { Knex } from 'knex';
import { record } from '../account/audit-queries.ts';
import { execute, query } from '../postgres/query.ts';
import { extraPlacesOf, PLACES_LEFT, placesOf } from './place-counts.ts';

/*
 * Submissions that their owner moves out of the inbox, into the trash or the spam folder, and back. A row is moved with its marks, so
 * that what stores and reads submissions knows nothing of these. Its files stay where they are.
 */

/** Submissions that one statement moves. */
const MOVED_BATCH = 100;

/** The condition for a live deployment of an owner. */
export const OWN = 'deployments.id = :deploymentId AND owner_id = :ownerId AND deployments.deleted_at IS NULL';

/** Submissions of a deployment of this owner. */
type Owned = { ownerId: number; deploymentId: string };

/*
 * Locks the deployment's row first, as the statement that stores submissions does, then the submissions in the order of their
 * numbers, as what marks them does. So the next statement sees each mark, and there is no deadlock.
 */
const LOCK = `
  WITH deployment AS MATERIALIZED (
    SELECT id FROM deployments WHERE ${OWN} FOR NO KEY UPDATE
  )
  SELECT number FROM submissions JOIN deployment ON deployment.id = deployment_id
   WHERE submissions.id = ANY (CAST(:ids AS text[])) ORDER BY number FOR UPDATE OF submissions`;

/**
 * A statement that takes the submissions with some `numbers` out of the inbox; `insert` stores what was `removed`, with its marks.
 * Rows are found by lists of keys: joined, a plan that was made for small tables would read all of a deployment's.
 */
export const moving = (insert: string): string => `
  WITH deleted AS (
    DELETE FROM submissions WHERE deployment_id = :deploymentId AND number = ANY (CAST(:numbers AS bigint[]))
    RETURNING deployment_id, number, id, data, ip_address, created_at, form
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count - (SELECT count(*) FROM deleted),
           extra_places = extra_places - ${extraPlacesOf('deleted', 'deployments')}
     WHERE id = :deploymentId
  ), removed AS MATERIALIZED (
    SELECT deleted.*, coalesce(read, false) AS read, coalesce(starred, false) AS starred, coalesce(note, '') AS note,
           coalesce(status, 'open') AS status
      FROM deleted LEFT JOIN LATERAL (
        SELECT read, starred, note, status FROM submission_marks
         WHERE submission_marks.deployment_id = deleted.deployment_id AND submission_marks.number = deleted.number LIMIT 1
      ) AS marks ON true
  ) ${insert}`;

/**
 * Moves submissions of a live deployment of this owner with a statement of `moving`; how many there were. Their places are free at
 * once, their numbers are not used again, and they still count for the rate limit.
 */
export async function moveSubmissions(
  db: Knex,
  { ownerId, deploymentId }: Owned,
  ids: readonly string[],
  { name, statement, isDeletion = false }: { name: string; statement: string; isDeletion?: boolean },
): Promise<number> {
  const target = ids.length === 1 ? (ids[0] ?? deploymentId) : deploymentId;
  let moved = 0;
  for (let from = 0; from < ids.length; from += MOVED_BATCH) {
    const some = ids.slice(from, from + MOVED_BATCH);
    moved += await db.transaction(async (transaction) => {
      const rows = await query<{ number: number }>(transaction, 'lock-submissions', LOCK, {
        ...{ deploymentId, ownerId, ids: some },
      });
      if (rows.length === 0) return 0;
      const numbers = rows.map(({ number }) => number);
      await execute(transaction, name, statement, { deploymentId, numbers });
      if (isDeletion) await record(transaction, { target, deploymentId, count: rows.length });
      return rows.length;
    });
  }
  return moved;
}

/** Where submissions are kept apart. `name`: of its statements. `isKept`: the condition for a row that can come back. */
export type Folder = { name: string; table: 'trashed_submissions' | 'spam_submissions'; isKept: string };

/** A moved submission. */
export type KeptSubmission = Owned & { id: string };

const findKept = (
  db: Knex,
  { name, table, isKept }: Folder,
  kept: KeptSubmission,
  lock = '',
): Promise<{ isFull: boolean }[]> =>
  query(
    db,
    lock === '' ? `find-in-${name}` : `lock-in-${name}`,
    `SELECT coalesce(${placesOf('data')} > ${PLACES_LEFT}, false) AS "isFull"
       FROM ${table} JOIN deployments ON deployments.id = deployment_id
      WHERE ${table}.id = :id AND ${OWN} AND ${isKept} ${lock}`,
    kept,
  );

/**
 * Lets a submission of a folder into the inbox with a `statement`, if its places are free. 'full': they are not. Neither the times of
 * the form nor its rate limit refuse it, because its owner has decided.
 */
export const letIn = (
  db: Knex,
  folder: Folder,
  kept: KeptSubmission,
  { name, statement, values = {} }: { name: string; statement: string; values?: Knex.ValueDict },
): Promise<'done' | 'full' | 'missing'> =>
  db.transaction(async (transaction) => {
    const lock = `SELECT FROM deployments WHERE ${OWN} FOR NO KEY UPDATE`;
    const { ownerId, deploymentId, id } = kept;
    await execute(transaction, 'lock-own-deployment', lock, { ownerId, deploymentId });
    // In a statement of its own, which sees what others have changed until the lock. It is not removed meanwhile.
    const [found] = await findKept(transaction, folder, kept, `FOR UPDATE OF ${folder.table}`);
    if (!found) return 'missing';
    if (found.isFull) return 'full';
    await execute(transaction, name, statement, { deploymentId, id, ...values });
    await record(transaction, { target: id, deploymentId });
    return 'done';
  });

/** Ends the deliveries of a submission that was moved, which would go on when it is back. */
const endDeliveries = (db: Knex, id: string): Promise<number> =>
  execute(
    db,
    'end-deliveries',
    `DELETE FROM deliveries WHERE id = ANY (ARRAY(
       SELECT id FROM deliveries
        WHERE id >= 'dl_' || substr(:id, 5) AND id < 'dl_' || substr(:id, 5) || '~' AND submission_id = :id
          AND status = 'pending' ORDER BY id FOR UPDATE))`,
    { id },
  );

/* The marks have a row only where they say more than no row. */
const restoring = (table: Folder['table'], number: string): string => `
  WITH restored AS (
    DELETE FROM ${table} WHERE deployment_id = :deploymentId AND id = :id
    RETURNING deployment_id, ${number} AS number, id, data, ip_address, created_at, form, read, starred, note, status
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           extra_places = extra_places + ${extraPlacesOf('restored', 'deployments')}
     WHERE id = :deploymentId
  ), stored AS (
    INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at, form)
    SELECT deployment_id, number, id, data, ip_address, created_at, form FROM restored
  )
  INSERT INTO submission_marks (deployment_id, number, read, starred, note, status)
  SELECT deployment_id, number, read, starred, note, status FROM restored
   WHERE read OR starred OR note <> '' OR status <> 'open'`;

/**
 * Brings a submission back from a folder as it was, if its places are free. `number`: the column that has its number. Nothing is
 * delivered again.
 */
export async function bringBack(
  db: Knex,
  folder: Folder,
  kept: KeptSubmission,
  number: string,
): Promise<'done' | 'full' | 'missing'> {
  if ((await findKept(db, folder, kept)).length === 0) return 'missing';
  // Before the lock on the deployment's row: it waits for what settles them.
  await endDeliveries(db, kept.id);
  return letIn(db, folder, kept, { name: `restore-from-${folder.name}`, statement: restoring(folder.table, number) });
}
