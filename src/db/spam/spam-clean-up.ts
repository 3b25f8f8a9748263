import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { REMOVED_BYTES, REMOVED_FILES, removeFiles, type SizedFile } from '../files/stored-file-queries.ts';
import { execute, query, queryOne } from '../postgres/query.ts';

/** Spam that one statement removes. */
const REMOVED_SPAM_BATCH = 100;

/** A minute later than IS_KEPT in spam-queries.ts: a release that has just found one can end. */
const IS_EXPIRED = `kept_at < statement_timestamp() - interval '${SIZES.spam.lifetimeDays} days 1 minute'`;

/* Expires the spam of the next deployment that is beyond the newest `max`, or older than its retention_days. */
const EXPIRE = `
  WITH next AS MATERIALIZED (
    SELECT deployment_id FROM spam_submissions WHERE deployment_id > ? ORDER BY deployment_id LIMIT 1
  ), expired AS (
    UPDATE spam_submissions SET kept_at = '-infinity'
     WHERE deployment_id = (SELECT deployment_id FROM next) AND kept_at <> '-infinity' AND (
       created_at < now() - interval '24 hours' * (
         SELECT retention_days FROM deployments WHERE id = (SELECT deployment_id FROM next))
       OR number <= (
         SELECT number FROM spam_submissions
          WHERE deployment_id = (SELECT deployment_id FROM next) AND kept_at <> '-infinity'
          ORDER BY number DESC OFFSET ${SIZES.spam.max} LIMIT 1))
  )
  SELECT (SELECT deployment_id FROM next) AS last`;

/** Expires spam that is too much for the folder of its deployment, live or deleted, or older than its retention_days. */
export async function expireSpam(db: Knex, signal: AbortSignal): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted();
    const { last }: { last: string | null } = await queryOne(db, 'expire-spam', EXPIRE, [after]);
    after = last;
  }
}

/** Removes some of the spam that has expired, with its files; how many. */
export async function removeExpiredSpam(db: Knex, signal: AbortSignal): Promise<number> {
  const rows = await query<{ deployment_id: string; id: string }>(
    db,
    'find-expired-spam',
    `SELECT deployment_id, id FROM spam_submissions WHERE ${IS_EXPIRED} ORDER BY kept_at LIMIT ${REMOVED_SPAM_BATCH}`,
  );
  const ids = rows.map(({ id }) => id);
  const files = await query<SizedFile>(
    db,
    'list-files-of-spam',
    'SELECT id, size FROM submission_files WHERE deployment_id = ANY (?::text[]) AND submission_id = ANY (?::text[])',
    [[...new Set(rows.map((row) => row.deployment_id))], ids],
  );
  await removeFiles(db, files, signal);
  return execute(db, 'remove-spam', 'DELETE FROM spam_submissions WHERE id = ANY (?::text[])', [ids]);
}

/*
 * Removes files of the oldest spam: those with which the newest would have more than `maxFilesBytes`. One statement
 * removes a bounded number of bytes, unless one file has more. Submissions that were accepted before keep theirs, with which they are
 * restored.
 */
const TRIM = `
  WITH file AS MATERIALIZED (
    SELECT kept.id, size, sum(size) OVER (ORDER BY number DESC, kept.id) AS newest_bytes
      FROM spam_submissions CROSS JOIN LATERAL (
        -- One look-up each: a join that the planner chooses could read all files of the deployment.
        SELECT id, size FROM submission_files
         WHERE deployment_id = spam_submissions.deployment_id AND submission_id = spam_submissions.id OFFSET 0
      ) AS kept
     WHERE deployment_id = :deploymentId AND kept_at <> '-infinity' AND accepted_number IS NULL
  ), excess AS MATERIALIZED (
    SELECT id, size, sum(size) OVER (ORDER BY newest_bytes DESC, id) AS removed_bytes,
           row_number() OVER (ORDER BY newest_bytes DESC, id) AS position
      FROM file WHERE newest_bytes > ${SIZES.spam.maxFilesBytes} AND size > 0
  )
  DELETE FROM submission_files WHERE id = ANY (ARRAY(
    SELECT id FROM excess
     WHERE position = 1 OR removed_bytes <= ${REMOVED_BYTES} AND position <= ${REMOVED_FILES}))`;

/** Locks the row of a deployment, as what stores submissions does, so that counts are true until the commit. */
export const lockDeployment = (transaction: Knex, deploymentId: string): Promise<number> =>
  execute(transaction, 'lock-deployment', 'SELECT FROM deployments WHERE id = ? FOR NO KEY UPDATE', [deploymentId]);

/** Removes the files of the oldest spam, of which the data stays, while all files have more than `maxFilesBytes`. */
export async function trimSpamFiles(db: Knex, deploymentId: string): Promise<void> {
  let removed: number;
  do {
    removed = await db.transaction(async (transaction) => {
      // In a statement of its own: what is released meanwhile is seen by the next.
      await lockDeployment(transaction, deploymentId);
      return execute(transaction, 'trim-spam-files', TRIM, { deploymentId });
    });
  } while (removed > 0);
}
