import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { newSubmissionId } from '../../lib/ids.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage.ts';
import { removeFiles, type SizedFile } from '../files/stored-files.ts';
import type { Database } from '../postgres/connect.ts';
import { execute, query, queryOne } from '../postgres/query.ts';
import { storeKey } from '../submissions/idempotency-keys.ts';
import { IS_MAILED, type NewSubmission, storeAccepted } from '../submissions/store-submissions.ts';
import { bytesOf, insertFiles, NotAccepted, type SubmissionOptions } from '../submissions/submission-files.ts';
import { type Submission, type SubmissionRow, toSubmission } from '../submissions/submissions.ts';
import { trimSpamFiles } from './spam-files.ts';

/*
 * Submissions that are kept apart as spam, until their owner releases or deletes them, or they expire.
 */

/** Why a submission is kept apart. `marked`: its owner has put it there. */
export const SPAM_REASONS = [
  'blocklist',
  'captcha-missing',
  'captcha-failed',
  'captcha-reused',
  'captcha-misconfigured',
  'captcha-unavailable',
  'marked',
] as const;
export type SpamReason = (typeof SPAM_REASONS)[number];

/** What an owner sees. Others are removed soon. */
export const IS_KEPT = `kept_at > statement_timestamp() - interval '${SIZES.spam.lifetimeDays} days'`;
/** A minute later than IS_KEPT: a release that has just found one, has ended. */
const IS_EXPIRED = `kept_at < statement_timestamp() - interval '${SIZES.spam.lifetimeDays} days 1 minute'`;

export type SpamSubmission = Submission & { reason: SpamReason };

type SpamRow = SubmissionRow & { reason: SpamReason };

const toSpam = (row: SpamRow): SpamSubmission => ({ ...toSubmission(row), reason: row.reason });

/** Spam that came by itself in the last `rateSeconds`, as of `now`: how many, and when the first came. */
const RECENT = `
  SELECT count(*) AS count,
         greatest(1, ceil(1000 * extract(epoch FROM min(kept_at) - max(now) + interval '${SIZES.spam.rateSeconds} s')))::int
           AS retry_after_ms
    FROM (
      SELECT kept_at, now FROM spam_submissions, clock
       WHERE deployment_id = :deploymentId AND reason <> 'marked'
         AND kept_at > now - interval '${SIZES.spam.rateSeconds} s' AND kept_at < now + interval '${SIZES.spam.rateSeconds} s'
       ORDER BY number DESC LIMIT ${SIZES.spam.rateMax}
    ) AS last`;

/*
 * Keeps one, and expires the oldest beyond `SIZES.spam.max`. The deployment's row is locked: the counts are true.
 */
const KEEP = `
  WITH clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now
  ), recent AS MATERIALIZED (${RECENT}
  ), stored AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM submissions WHERE id = :id) OR EXISTS (SELECT FROM spam_submissions WHERE id = :id) AS is_stored
  ), kept AS (
    INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
    SELECT :deploymentId, :id, CAST(:data AS json), :ipAddress, now, now, :reason
      FROM clock, recent, stored WHERE count < ${SIZES.spam.rateMax} AND NOT is_stored
    RETURNING number
  ), expired AS (
    UPDATE spam_submissions SET kept_at = '-infinity'
     WHERE deployment_id = :deploymentId AND EXISTS (SELECT FROM kept) AND kept_at <> '-infinity' AND number <= (
       SELECT number FROM spam_submissions WHERE deployment_id = :deploymentId ORDER BY number DESC OFFSET ${SIZES.spam.max - 1} LIMIT 1)
    RETURNING id
  )
  SELECT is_stored, count, retry_after_ms, (SELECT count(*) FROM expired) AS expired FROM recent, stored`;

type KeptRow = { is_stored: boolean; count: number; retry_after_ms: number | null; expired: number };

/** How long until the deployment keeps another; undefined when it would keep one now. */
async function untilNextKept(db: Knex, deploymentId: string): Promise<number | undefined> {
  const { count, retry_after_ms: retryAfterMs } = await queryOne<{ count: number; retry_after_ms: number | null }>(
    db,
    'recent-spam',
    `WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now) ${RECENT}`,
    { deploymentId },
  );
  return count < SIZES.spam.rateMax ? undefined : (retryAfterMs ?? 1);
}

/**
 * Locks the row of a live deployment, as what stores submissions does: a locked one is passed over, so that there is no
 * deadlock.
 */
async function lockLive(transaction: Knex, deploymentId: string, { submissions: limits }: Limits): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const [row] = await query<{ is_locked: boolean }>(
      transaction,
      'lock-deployment-for-spam',
      `WITH locked AS MATERIALIZED (
         SELECT FROM deployments
          WHERE id = :deploymentId AND coalesce(deleted_at, taken_down_at) IS NULL
            FOR NO KEY UPDATE SKIP LOCKED
       )
       SELECT EXISTS (SELECT FROM locked) AS is_locked FROM deployments
        WHERE id = :deploymentId AND coalesce(deleted_at, taken_down_at) IS NULL`,
      { deploymentId },
    );
    if (!row) throw new NotAccepted({ kind: 'no-deployment' });
    if (row.is_locked) return;
    if (performance.now() - startedAt > limits.lockedWaitTimeoutMs) throw new NotAccepted({ kind: 'busy' });
    await delay(limits.lockedPollMs);
  }
}

/**
 * Stores a submission as spam, with its files and its key. What is then too much for the folder is removed. Throws
 * NotAccepted, and StorageFull when the files are too much for the owner's plan.
 */
export async function storeSpam(
  db: Database,
  submission: NewSubmission,
  reason: SpamReason,
  { files, key }: SubmissionOptions,
  { limits, storageLimits }: { limits: Limits; storageLimits: StorageLimits },
): Promise<void> {
  const { deploymentId, id, data, ipAddress } = submission;
  if (files.length > 0) await checkStorage(db, { deploymentId }, bytesOf(files), storageLimits);
  const expired = await db.longTransaction(async (transaction) => {
    if (files.length > 0) {
      // Before the files: what is dropped writes none.
      const waitMs = await untilNextKept(transaction, deploymentId);
      if (waitMs !== undefined) throw new NotAccepted({ kind: 'rate-limited', retryAfterMs: waitMs });
      await insertFiles(transaction, submission, files, limits);
    }
    await lockLive(transaction, deploymentId, limits);
    const kept = await queryOne<KeptRow>(transaction, 'keep-spam', KEEP, { deploymentId, id, data, ipAddress, reason });
    if (kept.is_stored) throw new NotAccepted({ kind: 'duplicate' });
    if (kept.count >= SIZES.spam.rateMax) {
      throw new NotAccepted({ kind: 'rate-limited', retryAfterMs: kept.retry_after_ms ?? 1 });
    }
    if (key && !(await storeKey(transaction, submission, key))) throw new NotAccepted({ kind: 'duplicate' });
    if (files.length > 0) await settleStorage(transaction, { deploymentId }, storageLimits);
    return kept.expired;
  });
  if (expired > 0) await removeNow(db, deploymentId, expired);
  // If that fails, the next spam with files does it.
  if (files.length > 0) await trimSpamFiles(db, deploymentId).catch(() => undefined);
}

/*
 * Accepts a submission that was kept apart as spam, as if it came now: its deliveries too. It keeps its id, which is in
 * the URLs of its files; its deliveries get new ones, because it may have been accepted before. It does not count for
 * the rate limit. The row is locked first, as by the statements above.
 */
const RELEASE = `
  WITH deployment AS MATERIALIZED (
    SELECT id FROM deployments WHERE id = ? AND owner_id = ? AND deleted_at IS NULL FOR NO KEY UPDATE
  ), released AS MATERIALIZED (
    DELETE FROM spam_submissions USING deployment
     WHERE spam_submissions.id = ? AND deployment_id = deployment.id AND ${IS_KEPT}
    RETURNING deployment_id, spam_submissions.id, data, ip_address
  ), accepted AS MATERIALIZED (
    UPDATE deployments
       SET submission_count = submission_count + 1,
           last_submission_number = last_submission_number + 1
      FROM released
     WHERE deployments.id = released.deployment_id
    RETURNING released.deployment_id, last_submission_number AS number, released.id, data::text AS data, ip_address,
              clock_timestamp() AS now, owner_id, ${IS_MAILED} AS is_mailed, notify_owner,
              ?::text AS seed
  ), ${storeAccepted('seed')}
  SELECT FROM accepted`;

/** Accepts a submission that a live deployment of this owner keeps as spam; false when there is none. */
export async function releaseSpam(db: Knex, ownerId: number, deploymentId: string, id: string): Promise<boolean> {
  const values = [deploymentId, ownerId, id, newSubmissionId()];
  return (await execute(db, 'release-spam', RELEASE, values)) === 1;
}

/*
 * Moves submissions of a live deployment of this owner here. The row is locked first, and rows are found by lists of
 * keys, as by what deletes submissions. Their numbers are not used again; their marks are removed.
 */
const MARK = `
  WITH deployment AS MATERIALIZED (
    SELECT id FROM deployments WHERE id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL FOR NO KEY UPDATE
  ), named AS MATERIALIZED (
    SELECT deployment_id, number FROM submissions WHERE id = ANY (CAST(:ids AS text[]))
  ), removed AS (
    DELETE FROM submissions
     WHERE deployment_id = :deploymentId AND number = ANY (ARRAY(
             SELECT number FROM named JOIN deployment ON deployment_id = deployment.id))
    RETURNING deployment_id, number, id, data, ip_address, created_at
  ), counted AS (
    UPDATE deployments SET submission_count = submission_count - (SELECT count(*) FROM removed)
     WHERE id = :deploymentId AND EXISTS (SELECT FROM removed)
  ), kept AS (
    INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
    SELECT deployment_id, id, data, ip_address, created_at, clock_timestamp(), 'marked' FROM removed ORDER BY number
  ), pending AS (
    -- An id begins with that of its submission. One that is locked has no submission when it is claimed next.
    DELETE FROM deliveries WHERE id = ANY (ARRAY(
      SELECT deliveries.id FROM deliveries JOIN removed
          ON deliveries.id >= 'dl_' || substr(removed.id, 5) AND deliveries.id < 'dl_' || substr(removed.id, 5) || '~'
       WHERE status = 'pending' FOR UPDATE OF deliveries SKIP LOCKED))
  )
  SELECT FROM removed`;

/**
 * Puts submissions of a live deployment of this owner here; how many there were. What is then too much for the folder
 * expires.
 */
export async function markAsSpam(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<number> {
  let marked = 0;
  for (let from = 0; from < ids.length; from += SIZES.internal.markedSpamBatch) {
    const some = ids.slice(from, from + SIZES.internal.markedSpamBatch);
    marked += await execute(db, 'mark-as-spam', MARK, { deploymentId, ownerId, ids: some });
    await expireSpam(db, deploymentId, SIZES.spam.max);
    await trimSpamFiles(db, deploymentId);
  }
  return marked;
}

/** Expires all but the last `kept`. */
async function expireSpam(db: Knex, deploymentId: string, kept: number): Promise<void> {
  await execute(
    db,
    'expire-spam',
    `UPDATE spam_submissions SET kept_at = '-infinity'
      WHERE deployment_id = :deploymentId AND kept_at <> '-infinity' AND number <= (
        SELECT number FROM spam_submissions WHERE deployment_id = :deploymentId ORDER BY number DESC OFFSET :kept LIMIT 1)`,
    { deploymentId, kept },
  );
}

/** Submissions that are still to be read, and the bytes of their data. */
type Batch = { numbers: number[]; bytes: number };

/** Divides the rest of a page into batches. */
function inBatches(rows: readonly { number: number; bytes: number }[]): Batch[] {
  const batches: Batch[] = [];
  for (const { number, bytes } of rows) {
    const last = batches.at(-1);
    if (last && last.bytes + bytes <= SIZES.internal.listBatchBytes) {
      last.numbers.push(number);
      last.bytes += bytes;
    } else batches.push({ numbers: [number], bytes });
  }
  return batches;
}

/** A page of what is kept, newest first: those that are `first`, then those of the batches; and how many there are. */
type SpamPage = { total: number; first: SpamSubmission[]; firstBytes: number; rest: Batch[] };

type ListedRow = Omit<SpamRow, 'data'> & { number: number; bytes: number; data: string | null };

/** Undefined when this owner has no such live deployment. Of a large page `readSpamBatch` reads the rest. */
export async function listSpam(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  { page, limit }: { page: number; limit: number },
): Promise<SpamPage | undefined> {
  const rows = await query<{ total: number } & (ListedRow | { number: null })>(
    db,
    'list-spam',
    `SELECT total, spam.*
       FROM deployments CROSS JOIN LATERAL (
         SELECT count(*) AS total FROM spam_submissions WHERE deployment_id = deployments.id AND ${IS_KEPT}
       ) AS counted LEFT JOIN LATERAL (
         SELECT id, number, bytes, ip_address, created_at, reason,
                CASE WHEN sum(bytes) OVER (ORDER BY number DESC) <= :batchBytes THEN data END AS data
           FROM (
             SELECT id, number, octet_length(CAST(data AS text)) AS bytes, data, ip_address, created_at, reason
               FROM spam_submissions
              WHERE deployment_id = deployments.id AND ${IS_KEPT}
              ORDER BY number DESC LIMIT :limit OFFSET CAST(:offset AS bigint)
           ) AS on_page
          ORDER BY number DESC
       ) AS spam ON true
      WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL`,
    { deploymentId, ownerId, limit, offset: (page - 1) * limit, batchBytes: SIZES.internal.listBatchBytes },
  );
  const [row] = rows;
  if (!row) return undefined;
  const listed = rows.filter((one) => one.number !== null);
  const first = listed.flatMap(({ data, ...one }) => (data === null ? [] : [toSpam({ ...one, data })]));
  return {
    total: row.total,
    first,
    firstBytes: first.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0),
    rest: inBatches(listed.slice(first.length)),
  };
}

/** What a batch has, newest first, without what has been released or removed since. */
export async function readSpamBatch(db: Knex, deploymentId: string, { numbers }: Batch): Promise<SpamSubmission[]> {
  const rows = await query<SpamRow>(
    db,
    'read-spam-batch',
    `SELECT number, id, data, ip_address, created_at, reason FROM spam_submissions
      WHERE deployment_id = ? AND number = ANY (?::bigint[]) AND ${IS_KEPT} ORDER BY number DESC`,
    [deploymentId, numbers],
  );
  return rows.map(toSpam);
}

/** All that a deployment keeps, live or deleted, oldest first. */
export async function* readSpam(db: Knex, deploymentId: string): AsyncGenerator<SpamSubmission> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: (SpamRow & { number: number })[] = await query(
      db,
      'read-spam',
      `SELECT number, id, data, ip_address, created_at, reason FROM spam_submissions
        WHERE deployment_id = ? AND number > ? AND ${IS_KEPT} ORDER BY number LIMIT ?`,
      [deploymentId, after, SIZES.internal.readSpamBatch],
    );
    yield* rows.map(toSpam);
    after = rows.at(-1)?.number;
  }
}

/**
 * Expires what a live deployment of this owner keeps: all of it, or the one with `id`; how many there were. It can't be
 * released any more; `removeExpiredSpam` removes it.
 */
export const deleteSpam = (db: Knex, ownerId: number, deploymentId: string, id?: string): Promise<number> =>
  execute(
    db,
    'delete-spam',
    `UPDATE spam_submissions SET kept_at = '-infinity'
       FROM deployments
      WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
        AND deployment_id = deployments.id AND spam_submissions.id = coalesce(:id, spam_submissions.id) AND ${IS_KEPT}`,
    { deploymentId, ownerId, id: id ?? null },
  );

/** Removes what has just expired. If that fails, the clean-up does it. */
const removeNow = (db: Knex, deploymentId: string, count: number): Promise<number> =>
  removeExpiredSpam(db, count, { deploymentId }).catch(() => 0);

/** Expires spam that is older than the retention_days of its deployment, live or deleted. */
export async function expireRetainedSpam(db: Knex): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    const batch: { last: string | null } = await queryOne(
      db,
      'expire-retained-spam',
      `WITH retained AS MATERIALIZED (
         SELECT id, retention_days FROM deployments
          WHERE retention_days IS NOT NULL AND id > ? ORDER BY id LIMIT ${SIZES.internal.expiringSpamDeploymentsBatch}
       ), expired AS (
         UPDATE spam_submissions SET kept_at = '-infinity'
           FROM retained
          WHERE deployment_id = retained.id AND kept_at <> '-infinity'
            AND spam_submissions.created_at < now() - retention_days * interval '24 hours'
       )
       SELECT max(id) AS last FROM retained`,
      [after],
    );
    after = batch.last;
  }
}

/**
 * Removes up to `limit` that have expired, with their files, in pieces; answers how many. `deploymentId`: of that one
 * only.
 */
export async function removeExpiredSpam(
  db: Knex,
  limit: number,
  { deploymentId, signal }: { deploymentId?: string; signal?: AbortSignal } = {},
): Promise<number> {
  let removed = 0;
  while (removed < limit) {
    signal?.throwIfAborted();
    const rows = await query<{ deployment_id: string; id: string }>(
      db,
      'find-expired-spam',
      `SELECT deployment_id, id FROM spam_submissions
        WHERE ${IS_EXPIRED} AND deployment_id = coalesce(:deploymentId, deployment_id) ORDER BY kept_at LIMIT :limit`,
      { deploymentId: deploymentId ?? null, limit: Math.min(limit - removed, SIZES.internal.removedSpamBatch) },
    );
    if (rows.length === 0) break;
    const ids = rows.map(({ id }) => id);
    await removeLargeFiles(
      db,
      rows.map((row) => row.deployment_id),
      ids,
      signal,
    );
    await execute(
      db,
      'remove-spam',
      `WITH removed AS (
         DELETE FROM spam_submissions WHERE id = ANY (?::text[]) RETURNING deployment_id, id
       ), files AS (
         DELETE FROM submission_files USING removed
          WHERE submission_files.deployment_id = removed.deployment_id AND submission_id = removed.id
       )
       SELECT FROM removed`,
      [ids],
    );
    removed += rows.length;
  }
  return removed;
}

/** Removes the files of spam first where they are so large that one statement would take too long. */
async function removeLargeFiles(
  db: Knex,
  deploymentIds: readonly string[],
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const files = await query<SizedFile>(
    db,
    'list-spam-files',
    `SELECT id, size FROM submission_files
      WHERE deployment_id = ANY (?::text[]) AND submission_id = ANY (?::text[])`,
    [[...new Set(deploymentIds)], [...ids]],
  );
  if (files.reduce((sum, { size }) => sum + size, 0) > SIZES.internal.removedFilesBytes)
    await removeFiles(db, files, signal);
}
