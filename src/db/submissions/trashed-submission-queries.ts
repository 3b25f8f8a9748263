import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { audited } from '../account/audit-queries.ts';
import { removeFiles, type SizedFile } from '../files/stored-file-queries.ts';
import { execute, query, readAll } from '../postgres/query.ts';
import { type BatchedPage, type DataBatch, inBatches } from './data-batches.ts';
import { bringBack, type Folder, moveSubmissions, moving, OWN } from './moved-submission-queries.ts';
import { type NumberedSubmission, submissionColumns } from './submission-queries.ts';
import { BEFORE_ALL } from './submission-reader.ts';

/** Trashed submissions that one statement removes. */
const REMOVED_BATCH = 100;
/** Trashed submissions that one statement reads. */
const READ_BATCH = 20;

export type TrashedSubmission = NumberedSubmission & { deletedAt: Date };

/** The condition for a row that an owner sees. Others are being removed, or will be soon. */
const IS_KEPT = `trashed_submissions.deleted_at > statement_timestamp() - interval '${SIZES.trash.submissionDays} days'`;
/** A minute later than IS_KEPT: what restores one that it has just found can end. */
const IS_OVER = `deleted_at < statement_timestamp() - interval '${SIZES.trash.submissionDays} days 1 minute'`;

const FOLDER: Folder = { name: 'trash', table: 'trashed_submissions', isKept: IS_KEPT };

const MOVE = moving(`
  INSERT INTO trashed_submissions (deployment_id, number, id, data, ip_address, created_at, form, read, starred, note, status,
                                   deleted_at)
  SELECT deployment_id, number, id, data, ip_address, created_at, form, read, starred, note, status, (SELECT clock_timestamp())
    FROM removed`);

/**
 * Moves submissions of a live deployment of this owner to its trash; how many there were. Their pending deliveries are deleted when
 * they are leased.
 */
export const trashSubmissions = (
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<number> =>
  moveSubmissions(db, { ownerId, deploymentId }, ids, { name: 'trash-submissions', statement: MOVE, isDeletion: true });

/** A page of the trash of a live deployment of this owner, the last deleted first; undefined where there is no such deployment. */
export async function listTrashedSubmissions(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  { page, limit }: { page: number; limit: number },
): Promise<BatchedPage | undefined> {
  const rows = await query<{ total: number } & ({ number: number; bytes: number } | { number: null })>(
    db,
    'list-trashed-submissions',
    `SELECT total, trashed.number, bytes
       FROM deployments CROSS JOIN LATERAL (
         SELECT count(*) AS total FROM trashed_submissions WHERE deployment_id = deployments.id AND ${IS_KEPT}
       ) AS counted LEFT JOIN LATERAL (
         SELECT number, octet_length(CAST(data AS text)) AS bytes, trashed_submissions.deleted_at FROM trashed_submissions
          WHERE deployment_id = deployments.id AND ${IS_KEPT}
          ORDER BY trashed_submissions.deleted_at DESC, number DESC LIMIT :limit OFFSET CAST(:offset AS bigint)
       ) AS trashed ON true
      WHERE ${OWN} ORDER BY trashed.deleted_at DESC, number DESC`,
    { deploymentId, ownerId, limit, offset: (page - 1) * limit },
  );
  const [row] = rows;
  return row && { total: row.total, batches: inBatches(rows.filter((one) => one.number !== null)) };
}

/** The submissions of a batch, without those that have been restored or removed since. */
export const readTrashedBatch = (
  db: Knex,
  deploymentId: string,
  { numbers }: DataBatch,
): Promise<TrashedSubmission[]> =>
  query(
    db,
    'read-trashed-batch',
    `SELECT ${submissionColumns('trashed_submissions')}, deleted_at AS "deletedAt" FROM trashed_submissions
      WHERE deployment_id = ? AND number = ANY (?::bigint[]) AND ${IS_KEPT} ORDER BY deleted_at DESC, number DESC`,
    [deploymentId, numbers],
  );

/** The whole trash of a deployment, live or deleted, oldest first. */
export const readTrashed = (db: Knex, deploymentId: string): AsyncGenerator<TrashedSubmission> =>
  readAll((last) =>
    query(
      db,
      'read-trashed',
      `SELECT ${submissionColumns('trashed_submissions')}, deleted_at AS "deletedAt" FROM trashed_submissions
        WHERE deployment_id = ? AND number > ? AND ${IS_KEPT} ORDER BY number LIMIT ?`,
      [deploymentId, last?.number ?? BEFORE_ALL, READ_BATCH],
    ),
  );

/** Brings a submission back from the trash of a live deployment of this owner, as it was. 'full': its places are taken. */
export const restoreSubmission = (
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<'done' | 'full' | 'missing'> => bringBack(db, FOLDER, { ownerId, deploymentId, id }, 'number');

/** Puts submissions in the trash out of reach, and removes them with their files; how many there were. */
async function eraseRows(
  db: Knex,
  deploymentId: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  // Out of reach first: none is restored whose files are gone.
  const mark = (connection: Knex): Promise<{ id: string }[]> =>
    query(
      connection,
      'mark-trashed',
      `UPDATE trashed_submissions SET deleted_at = '-infinity'
        WHERE deployment_id = ? AND id = ANY (?::text[]) RETURNING id`,
      [deploymentId, [...ids]],
    );
  const marked = await audited(db, mark, ([first]) => first && { target: first.id, deploymentId });
  const gone = marked.map(({ id }) => id);
  const files = await query<SizedFile>(
    db,
    'list-files-of-trashed',
    'SELECT id, size FROM submission_files WHERE deployment_id = ? AND submission_id = ANY (?::text[])',
    [deploymentId, gone],
  );
  await removeFiles(db, files, signal);
  return execute(
    db,
    'erase-trashed',
    `DELETE FROM trashed_submissions
      WHERE deployment_id = ? AND id = ANY (?::text[]) AND deleted_at = '-infinity'`,
    [deploymentId, gone],
  );
}

/** Erases a submission in the trash of a live deployment of this owner, with its files; false where there is none. */
export async function eraseTrashed(db: Knex, ownerId: number, deploymentId: string, id: string): Promise<boolean> {
  const found = await execute(
    db,
    'find-trashed',
    `SELECT FROM trashed_submissions JOIN deployments ON deployments.id = deployment_id
      WHERE trashed_submissions.id = :id AND ${OWN} AND ${IS_KEPT}`,
    { deploymentId, ownerId, id },
  );
  return found === 1 && (await eraseRows(db, deploymentId, [id])) === 1;
}

/** Erases what has been in the trash for long enough, and what was not erased to its end. */
export async function removeOldTrash(db: Knex, signal: AbortSignal): Promise<void> {
  let found: { deployment_id: string; id: string }[];
  do {
    signal.throwIfAborted();
    found = await query(
      db,
      'find-old-trash',
      `SELECT deployment_id, id FROM trashed_submissions WHERE ${IS_OVER} ORDER BY deleted_at LIMIT ${REMOVED_BATCH}`,
    );
    for (const [deploymentId, rows] of Map.groupBy(found, (row) => row.deployment_id)) {
      const ids = rows.map(({ id }) => id);
      await eraseRows(db, deploymentId, ids, signal);
    }
  } while (found.length === REMOVED_BATCH);
}

/**
 * Erases what is in the trash and is older by `now` than the retention_days of its deployment, live or deleted. Times rise
 * with numbers: what has expired comes first.
 */
export async function removeExpiredTrash(db: Knex, now: Date, signal: AbortSignal): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    signal.throwIfAborted();
    const [next]: { deployment_id: string; ids: string[] }[] = await query(
      db,
      'find-expired-in-trash',
      `SELECT deployments.id AS deployment_id, ARRAY(
                SELECT id FROM (
                  SELECT id, created_at FROM trashed_submissions
                   WHERE deployment_id = deployments.id ORDER BY number LIMIT ${REMOVED_BATCH}
                ) AS oldest
                 WHERE created_at < CAST(:now AS timestamptz) - retention_days * interval '24 hours') AS ids
         FROM deployments
        WHERE retention_days IS NOT NULL AND id > :after
          AND EXISTS (SELECT FROM trashed_submissions WHERE deployment_id = deployments.id)
        ORDER BY id LIMIT 1`,
      { now, after },
    );
    if (next && next.ids.length > 0) await eraseRows(db, next.deployment_id, next.ids, signal);
    // A full batch may have left more of this deployment.
    if (!next || next.ids.length < REMOVED_BATCH) after = next?.deployment_id;
  }
}
