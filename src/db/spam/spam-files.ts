import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { execute } from '../postgres/query.ts';

/*
 * Removes files of the oldest spam: those with which the newest would have more than `maxFilesBytes`. One statement
 * removes a bounded number of bytes, unless one file has more.
 */
const TRIM = `
  WITH file AS MATERIALIZED (
    SELECT kept.id, size, sum(size) OVER (ORDER BY number DESC, kept.id) AS newest_bytes
      FROM spam_submissions CROSS JOIN LATERAL (
        -- One look-up each: a join that the planner chooses could read all files of the deployment.
        SELECT id, size FROM submission_files
         WHERE deployment_id = spam_submissions.deployment_id AND submission_id = spam_submissions.id OFFSET 0
      ) AS kept
     WHERE deployment_id = :deploymentId AND kept_at <> '-infinity'
  ), excess AS MATERIALIZED (
    SELECT id, size, sum(size) OVER (ORDER BY newest_bytes DESC, id) AS removed_bytes,
           row_number() OVER (ORDER BY newest_bytes DESC, id) AS position
      FROM file WHERE newest_bytes > ${SIZES.spam.maxFilesBytes} AND size > 0
  )
  DELETE FROM submission_files WHERE id = ANY (ARRAY(
    SELECT id FROM excess
     WHERE position = 1 OR removed_bytes <= ${SIZES.internal.removedFilesBytes} AND position <= ${SIZES.internal.removedFilesBatch}))`;

/** Removes the files of the oldest spam, of which the data stays, while all files have more than `maxFilesBytes`. */
export async function trimSpamFiles(db: Knex, deploymentId: string): Promise<void> {
  let removed: number;
  do {
    removed = await db.transaction(async (transaction) => {
      // In a statement of its own: what is released meanwhile is seen by the next.
      const lock = 'SELECT FROM deployments WHERE id = ? FOR NO KEY UPDATE';
      await execute(transaction, 'lock-deployment-of-spam', lock, [deploymentId]);
      return execute(transaction, 'trim-spam-files', TRIM, { deploymentId });
    });
  } while (removed > 0);
}
