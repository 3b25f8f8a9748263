import type { Knex } from 'knex';
import { audited } from '../account/audit-queries.ts';
import { TITLE } from '../deployments/live-deployment-queries.ts';
import { listSubmissionFiles, REMOVED_BYTES, removeFiles } from '../files/stored-file-queries.ts';
import { execute, query } from '../postgres/query.ts';
import { extraPlacesOf } from './place-counts.ts';

/** Submissions that one statement deletes. */
const DELETED_SUBMISSIONS_BATCH = 100;

/** `data`: the JSON text that was submitted. `form`: the name of the form, among several of the page; null where that is not known. */
export type Submission = { id: string; data: string; ipAddress: string; createdAt: Date; form: string | null };

/** `number`: 1, 2, 3 and so on, in the order in which a deployment accepted them; of imported ones 0, -1, -2 and so on, backwards. */
export type NumberedSubmission = Submission & { number: number };

/** The columns of a NumberedSubmission; `from` has those of submissions. */
export const submissionColumns = (from: string): string =>
  `${from}.number, ${from}.id, ${from}.data, ${from}.ip_address AS "ipAddress", ${from}.created_at AS "createdAt", ${from}.form`;

/**
 * A submission as the API lists it. The stored text is sent unchanged: parsed and serialized again, it could differ.
 */
export const submissionJson = ({ id, data, ipAddress, createdAt }: Omit<Submission, 'form'>): string =>
  `{"id":"${id}","data":${data},"ip_address":${JSON.stringify(ipAddress)},"created_at":"${createdAt.toISOString()}"}`;

/** Returns a submission in one line. Line ends in a JSON text are white space between tokens: in strings they are escaped. */
export const submissionLine = (submission: Submission): string => submissionJson(submission).replaceAll(/[\r\n]/g, '');

/** A submission of a live deployment of this owner. */
export async function findSubmission(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<NumberedSubmission | undefined> {
  const [row] = await query<NumberedSubmission>(
    db,
    'find-submission',
    `SELECT ${submissionColumns('submissions')}
       FROM submissions JOIN deployments ON deployments.id = deployment_id
      WHERE submissions.id = ? AND deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, deploymentId, ownerId],
  );
  return row;
}

/** A submission of a live deployment, for a link in a mail about it. */
export async function findLinkedSubmission(
  db: Knex,
  deploymentId: string,
  id: string,
): Promise<{ id: string; deploymentId: string; ownerId: number; slug: string; title: string | null } | undefined> {
  const [row] = await query<{ ownerId: number; slug: string; title: string | null }>(
    db,
    'find-linked-submission',
    `SELECT owner_id AS "ownerId", slug, ${TITLE} FROM submissions JOIN deployments ON deployments.id = deployment_id
      WHERE submissions.id = ? AND deployment_id = ? AND deleted_at IS NULL`,
    [id, deploymentId],
  );
  return row && { id, deploymentId, ...row };
}

/**
 * A statement that deletes submissions of one deployment by their ids, with their files, where `isDeployment` holds of
 * the deployment and `isGone` of `named`, which is the submission, and of `deployment`.
 *
 * - The deployment's row is locked first, as by the statement that stores submissions, which passes over a locked row. So
 *   there is no deadlock. A submission that has been deleted by the time of the lock is not found.
 * - Rows are found by lists of keys: joined, a plan that was made for small tables would read all of a deployment's.
 */
export const removal = (isDeployment: string, isGone: string): string => `
  WITH deployment AS MATERIALIZED (
    SELECT id, retention_days, places_field FROM deployments WHERE id = :deploymentId AND ${isDeployment} FOR NO KEY UPDATE
  ), named AS MATERIALIZED (
    SELECT deployment_id, number, created_at FROM submissions WHERE id = ANY (CAST(:ids AS text[]))
  ), removed AS (
    DELETE FROM submissions
     WHERE deployment_id = :deploymentId AND number = ANY (ARRAY(
             SELECT number FROM named JOIN deployment ON deployment_id = deployment.id WHERE ${isGone}))
    RETURNING submissions.deployment_id, submissions.id, data
  ), files AS (
    DELETE FROM submission_files
     WHERE deployment_id = :deploymentId AND submission_id = ANY (ARRAY(SELECT id FROM removed))
  ), counted AS (
    UPDATE deployments
       SET submission_count = submission_count - (SELECT count(*) FROM removed),
           extra_places = extra_places - ${extraPlacesOf('removed', 'deployment')}
     WHERE id = :deploymentId AND EXISTS (SELECT FROM removed)
  )
  SELECT FROM removed`;

const DELETE = removal('owner_id = :ownerId AND deleted_at IS NULL', 'true');

/**
 * Deletes submissions of a live deployment of this owner, with their files; how many there were. Their numbers are not
 * used again, and they still count for the rate limit. Their pending deliveries are deleted when they are leased.
 */
export async function deleteSubmissions(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<number> {
  const target = ids.length === 1 ? (ids[0] ?? deploymentId) : deploymentId;
  let deleted = 0;
  for (let from = 0; from < ids.length; from += DELETED_SUBMISSIONS_BATCH) {
    const some = ids.slice(from, from + DELETED_SUBMISSIONS_BATCH);
    const files = await listSubmissionFiles(db, { ownerId, deploymentId, submissionIds: some });
    // Large files first: with them, the statement could take too long. If it fails then, it is to be sent again.
    if (files.reduce((sum, { size }) => sum + size, 0) > REMOVED_BYTES) await removeFiles(db, files);
    deleted += await audited(
      db,
      (connection) => execute(connection, 'delete-submissions', DELETE, { deploymentId, ownerId, ids: some }),
      (count) => (count > 0 ? { target, deploymentId, count } : undefined),
    );
  }
  return deleted;
}
