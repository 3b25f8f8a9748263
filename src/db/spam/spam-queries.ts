import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { audited } from '../account/audit-queries.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage-queries.ts';
import type { Database } from '../postgres/connect.ts';
import { execute, query, queryOne, readAll } from '../postgres/query.ts';
import { type BatchedPage, type DataBatch, inBatches } from '../submissions/data-batches.ts';
import { NotAccepted, refuseEarly, type SubmissionOptions } from '../submissions/store-in-transaction.ts';
import type { NewSubmission } from '../submissions/store-submissions.ts';
import { bytesOf, insertFiles } from '../submissions/submission-file-queries.ts';
import { storeKey } from '../submissions/submission-key-queries.ts';
import { type NumberedSubmission, submissionColumns } from '../submissions/submission-queries.ts';
import { lockDeployment, trimSpamFiles } from './spam-clean-up.ts';

/** Spam that one statement reads. */
const READ_SPAM_BATCH = 20;

/*
 * Submissions that are kept apart as spam, until their owner releases or deletes them, or they expire.
 */

/** Why a submission is kept apart. `marked`: its owner has put it there. */
export const SPAM_REASONS = [
  'blocklist',
  'honeypot',
  'captcha-missing',
  'captcha-failed',
  'captcha-reused',
  'captcha-misconfigured',
  'captcha-unavailable',
  'marked',
] as const;
export type SpamReason = (typeof SPAM_REASONS)[number];

/** The condition for a row that an owner sees, if it is among the newest of its deployment. Others are removed soon. */
export const IS_KEPT = `kept_at > statement_timestamp() - interval '${SIZES.spam.lifetimeDays} days'`;

/** The spam folder of a deployment. `deployment`: an expression for its id. */
export const folderOf = (deployment: string): string => `(
  SELECT * FROM spam_submissions WHERE deployment_id = ${deployment} AND ${IS_KEPT}
   ORDER BY number DESC LIMIT ${SIZES.spam.max}) AS folder`;

export type SpamSubmission = NumberedSubmission & { reason: SpamReason };

/** Throws NotAccepted where the deployment has kept too much in the last `rateSeconds`, apart from what was marked. */
async function checkRate(db: Knex, deploymentId: string): Promise<void> {
  const { count, retry_after_ms: retryAfterMs } = await queryOne<{ count: number; retry_after_ms: number }>(
    db,
    'recent-spam',
    `SELECT count(*) AS count, greatest(1, ceil(1000 * extract(epoch FROM
              min(kept_at) + interval '${SIZES.spam.rateSeconds} s' - clock_timestamp())))::int AS retry_after_ms
       FROM (
         SELECT kept_at FROM spam_submissions
          WHERE deployment_id = ? AND reason <> 'marked'
            AND kept_at > clock_timestamp() - interval '${SIZES.spam.rateSeconds} s'
          ORDER BY number DESC LIMIT ${SIZES.spam.rateMax}
       ) AS recent`,
    [deploymentId],
  );
  if (count >= SIZES.spam.rateMax) throw new NotAccepted({ kind: 'rate-limited', retryAfterMs });
}

/** Returns whether the spam is stored. It is not if a submission, in the trash or not, or spam has its id already. */
const insertSpam = async (
  transaction: Knex,
  { deploymentId, id, data, ipAddress, form = null }: NewSubmission,
  reason: SpamReason,
): Promise<boolean> =>
  (await execute(
    transaction,
    'insert-spam',
    `INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason, form)
     SELECT :deploymentId, :id, CAST(:data AS json), :ipAddress, now, now, :reason, :form FROM clock_timestamp() AS now
      WHERE NOT EXISTS (SELECT FROM submissions WHERE id = :id)
        AND NOT EXISTS (SELECT FROM trashed_submissions WHERE id = :id)
     ON CONFLICT (id) DO NOTHING`,
    { deploymentId, id, data, ipAddress, reason, form },
  )) === 1;

/**
 * Stores a submission as spam, with its files and its key. Throws NotAccepted, and StorageFull when the files are too much
 * for the owner's plan.
 */
export async function storeSpam(
  db: Database,
  submission: NewSubmission,
  reason: SpamReason,
  { files, key }: SubmissionOptions,
  storageLimits: StorageLimits,
): Promise<void> {
  const { deploymentId } = submission;
  const hasFiles = files.length > 0;
  if (hasFiles) await checkStorage(db, { deploymentId }, bytesOf(files), storageLimits);
  await db.longTransaction(async (transaction) => {
    if (hasFiles) {
      // Before the lock, because it takes time; what is refused or dropped writes none.
      await refuseEarly(transaction, submission, true);
      await checkRate(transaction, deploymentId);
      await insertFiles(transaction, submission, files);
    }
    await lockDeployment(transaction, deploymentId);
    // A robot learns nothing: a form that is closed or full refuses spam as it refuses the rest.
    await refuseEarly(transaction, submission, true);
    await checkRate(transaction, deploymentId);
    const isNew = await insertSpam(transaction, submission, reason);
    if (!isNew || (key && !(await storeKey(transaction, submission, key))))
      throw new NotAccepted({ kind: 'duplicate' });
    if (hasFiles) await settleStorage(transaction, { deploymentId }, storageLimits);
  });
  // If that fails, the next spam with files does it.
  if (hasFiles) await trimSpamFiles(db, deploymentId).catch(() => undefined);
}

/** A page of what is kept, newest first; undefined when this owner has no such live deployment. `readSpamBatch` reads what is on it. */
export async function listSpam(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  { page, limit }: { page: number; limit: number },
): Promise<BatchedPage | undefined> {
  const rows = await query<{ total: number } & ({ number: number; bytes: number } | { number: null })>(
    db,
    'list-spam',
    `SELECT total, spam.*
       FROM deployments CROSS JOIN LATERAL (
         SELECT count(*) AS total FROM ${folderOf('deployments.id')}
       ) AS counted LEFT JOIN LATERAL (
         SELECT number, octet_length(CAST(data AS text)) AS bytes FROM ${folderOf('deployments.id')}
          ORDER BY number DESC LIMIT :limit OFFSET CAST(:offset AS bigint)
       ) AS spam ON true
      WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
      ORDER BY number DESC`,
    { deploymentId, ownerId, limit, offset: (page - 1) * limit },
  );
  const [row] = rows;
  return row && { total: row.total, batches: inBatches(rows.filter((one) => one.number !== null)) };
}

/** The spam of a batch, newest first, without what has been released or removed since. */
export function readSpamBatch(db: Knex, deploymentId: string, { numbers }: DataBatch): Promise<SpamSubmission[]> {
  return query<SpamSubmission>(
    db,
    'read-spam-batch',
    `SELECT ${submissionColumns('spam_submissions')}, reason FROM spam_submissions
      WHERE deployment_id = ? AND number = ANY (?::bigint[]) AND ${IS_KEPT} ORDER BY number DESC`,
    [deploymentId, numbers],
  );
}

/** All that a deployment keeps, live or deleted, oldest first. */
export const readSpam = (db: Knex, deploymentId: string): AsyncGenerator<SpamSubmission> =>
  readAll((last) =>
    query(
      db,
      'read-spam',
      `SELECT ${submissionColumns('spam_submissions')}, reason FROM spam_submissions
        WHERE deployment_id = ? AND number > ? AND ${IS_KEPT} ORDER BY number LIMIT ?`,
      [deploymentId, last?.number ?? 0, READ_SPAM_BATCH],
    ),
  );

/**
 * Expires what a live deployment of this owner keeps: all of it, or the one with `id`; how many there were. It can't be
 * released any more; the clean-up removes it.
 */
export const deleteSpam = (db: Knex, ownerId: number, deploymentId: string, id?: string): Promise<number> =>
  audited(
    db,
    (connection) =>
      execute(
        connection,
        'delete-spam',
        `UPDATE spam_submissions SET kept_at = '-infinity'
       FROM deployments
      WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
        AND deployment_id = deployments.id AND spam_submissions.id = coalesce(:id, spam_submissions.id) AND ${IS_KEPT}`,
        { deploymentId, ownerId, id: id ?? null },
      ),
    (count) => (count > 0 ? { target: id ?? deploymentId, deploymentId, count } : undefined),
  );
