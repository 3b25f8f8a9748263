import type { Knex } from 'knex';
import { execute, query } from './postgres/query.ts';
import { listSubmissionFiles, REMOVED_BYTES, removeFiles } from './stored-files.ts';

/** `data`: the JSON text that was submitted. */
export type Submission = { id: string; data: string; ipAddress: string; createdAt: Date };

export type SubmissionRow = { id: string; data: string; ip_address: string; created_at: Date };

export const toSubmission = (row: SubmissionRow): Submission => ({
  id: row.id,
  data: row.data,
  ipAddress: row.ip_address,
  createdAt: row.created_at,
});

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

/*
 * The deployment's row is locked first, as by the statement that stores submissions, which passes over a locked row. So
 * there is no deadlock. What has been deleted by the time of the lock is not found.
 */
const DELETE = `
  WITH deployment AS MATERIALIZED (
    SELECT id FROM deployments WHERE id = ? AND owner_id = ? AND deleted_at IS NULL FOR NO KEY UPDATE
  ), removed AS (
    DELETE FROM submissions USING deployment
     WHERE submissions.id = ANY (?::text[]) AND deployment_id = deployment.id
    RETURNING deployment_id, submissions.id, number
  ), files AS (
    DELETE FROM submission_files USING removed
     WHERE submission_files.deployment_id = removed.deployment_id AND submission_id = removed.id
  ), hole AS (
    INSERT INTO removed_submissions (deployment_id, number) SELECT deployment_id, number FROM removed
  ), counted AS (
    UPDATE deployments SET submission_count = submission_count - count
      FROM (SELECT deployment_id, count(*) AS count FROM removed GROUP BY deployment_id) AS gone
     WHERE deployments.id = gone.deployment_id
  )
  SELECT FROM removed`;

/** Submissions that one statement deletes. */
const DELETED_BATCH = 100;

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
  for (let from = 0; from < ids.length; from += DELETED_BATCH) {
    const some = ids.slice(from, from + DELETED_BATCH);
    const files = await listSubmissionFiles(db, { ownerId, deploymentId, submissionIds: some });
    // Large files first: with them, the statement could take too long. If it fails then, it is to be sent again.
    if (files.reduce((sum, { size }) => sum + size, 0) > REMOVED_BYTES) await removeFiles(db, files);
    deleted += await execute(db, 'delete-submissions', DELETE, [deploymentId, ownerId, some]);
  }
  return deleted;
}
