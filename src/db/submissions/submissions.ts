import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { listSubmissionFiles, removeFiles } from '../files/stored-files.ts';
import { execute, query } from '../postgres/query.ts';

/** `data`: the JSON text that was submitted. */
export type Submission = { id: string; data: string; ipAddress: string; createdAt: Date };

export type SubmissionRow = { id: string; data: string; ip_address: string; created_at: Date };

export const toSubmission = (row: SubmissionRow): Submission => ({
  id: row.id,
  data: row.data,
  ipAddress: row.ip_address,
  createdAt: row.created_at,
});

/**
 * A statement that reads what `:deploymentId` has accepted after the number `:after`, oldest first: at most `count`
 * submissions, and `maxBytes` of their data, but always one. `isIn`: whether a `number` belongs to what is read.
 */
export const selectSubmissionsAfter = (count: string, maxBytes: number, isIn = 'true'): string =>
  // One after the other: to measure all that the limit allows would read a hundred times as much of large ones.
  `WITH RECURSIVE next (number, position, bytes) AS (
     SELECT CAST(:after AS bigint), 0, CAST(0 AS bigint)
     UNION ALL
     SELECT following.number, position + 1, next.bytes + following.bytes
       FROM next, LATERAL (
         SELECT number, octet_length(CAST(data AS text)) AS bytes FROM submissions
          WHERE deployment_id = :deploymentId AND number > next.number AND ${isIn} ORDER BY number LIMIT 1
       ) AS following
      WHERE position < ${count} AND next.bytes < ${maxBytes}
   )
   SELECT submissions.number, id, data, ip_address, created_at
     FROM next JOIN submissions ON deployment_id = :deploymentId AND submissions.number = next.number
    WHERE position = 1 OR position > 1 AND next.bytes <= ${maxBytes} ORDER BY submissions.number`;

/** A live deployment's slug, and the submission that was looked up in it, if it has been stored. */
export type Found<T> = { slug: string; first: T | undefined };

/** A submission of a live deployment of this owner. */
export async function findSubmission(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<Submission | undefined> {
  const [row] = await query<SubmissionRow>(
    db,
    'find-submission',
    `SELECT submissions.id, data, ip_address, submissions.created_at
       FROM submissions JOIN deployments ON deployments.id = deployment_id
      WHERE submissions.id = ? AND deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, deploymentId, ownerId],
  );
  return row && toSubmission(row);
}

/**
 * A statement that deletes submissions of one deployment by their ids, with their files, where `isDeployment` holds of
 * the deployment and `isGone` of `named`, which is the submission, and of `deployment`.
 *
 * - The deployment's row is locked first, as by the statement that stores submissions, which passes over a locked row. So
 *   there is no deadlock. What has been deleted by the time of the lock is not found.
 * - Rows are found by lists of keys: joined, a plan that was made for small tables would read all of a deployment's.
 */
export const removal = (isDeployment: string, isGone: string): string => `
  WITH deployment AS MATERIALIZED (
    SELECT id, retention_days FROM deployments WHERE id = :deploymentId AND ${isDeployment} FOR NO KEY UPDATE
  ), named AS MATERIALIZED (
    SELECT deployment_id, number, created_at FROM submissions WHERE id = ANY (CAST(:ids AS text[]))
  ), removed AS (
    DELETE FROM submissions
     WHERE deployment_id = :deploymentId AND number = ANY (ARRAY(
             SELECT number FROM named JOIN deployment ON deployment_id = deployment.id WHERE ${isGone}))
    RETURNING submissions.id, number
  ), files AS (
    DELETE FROM submission_files
     WHERE deployment_id = :deploymentId AND submission_id = ANY (ARRAY(SELECT id FROM removed))
  ), hole AS (
    INSERT INTO removed_submissions (deployment_id, number) SELECT :deploymentId, number FROM removed
  ), counted AS (
    UPDATE deployments SET submission_count = submission_count - (SELECT count(*) FROM removed)
     WHERE id = :deploymentId AND EXISTS (SELECT FROM removed)
  )
  SELECT FROM removed`;

const DELETE = removal('owner_id = :ownerId AND deleted_at IS NULL', 'true');

/**
 * Deletes submissions of a live deployment of this owner, with their files; how many there were. Their numbers are not
 * used again, and they still count for the rate limit. Their pending deliveries are deleted when they are claimed.
 */
export async function deleteSubmissions(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<number> {
  let deleted = 0;
  for (let from = 0; from < ids.length; from += SIZES.internal.deletedSubmissionsBatch) {
    const some = ids.slice(from, from + SIZES.internal.deletedSubmissionsBatch);
    const files = await listSubmissionFiles(db, { ownerId, deploymentId, submissionIds: some });
    // Large files first: with them, the statement could take too long. If it fails then, it is to be sent again.
    if (files.reduce((sum, { size }) => sum + size, 0) > SIZES.internal.removedFilesBytes) await removeFiles(db, files);
    deleted += await execute(db, 'delete-submissions', DELETE, { deploymentId, ownerId, ids: some });
  }
  return deleted;
}
