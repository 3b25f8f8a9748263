import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { removeFiles, type SizedFile } from '../files/stored-file-queries.ts';
import { execute, query } from '../postgres/query.ts';
import { removal } from './submission-queries.ts';
import { BEFORE_ALL } from './submission-reader.ts';

/** Deployments that one statement looks at for expired submissions. */
const EXPIRING_DEPLOYMENTS_BATCH = 1_000;
/** Submissions that one statement removes. */
const EXPIRED_BATCH = 100;

/*
 * Submissions that are older than the retention_days of their deployment, live or deleted. The times of a deployment's
 * submissions rise with their numbers: what has expired is at the beginning, and needs no index on created_at.
 */

/** Days of 24 hours, whatever the time zone of the connection. */
const IS_EXPIRED = "created_at < CAST(:now AS timestamptz) - retention_days * interval '24 hours'";

/** Deployments with submissions that have expired by `now`. */
export async function* findExpiring(db: Knex, now: Date): AsyncGenerator<string> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: { id: string; expires: boolean }[] = await query(
      db,
      'find-expiring',
      `SELECT id, coalesce((
                SELECT ${IS_EXPIRED} FROM submissions WHERE deployment_id = retained.id ORDER BY number LIMIT 1
              ), false) AS expires
         FROM (
           SELECT id, retention_days FROM deployments
            WHERE retention_days IS NOT NULL AND id > :after ORDER BY id LIMIT ${EXPIRING_DEPLOYMENTS_BATCH}
         ) AS retained`,
      { now, after },
    );
    for (const { id, expires } of rows) if (expires) yield id;
    after = rows.at(-1)?.id;
  }
}

type Expired = { id: string; number: number; files: readonly SizedFile[] };

/** The oldest that have expired, after a number; at most `expiredBatch`. */
async function findExpired(db: Knex, deploymentId: string, now: Date, after: number): Promise<Expired[]> {
  const rows = await query<{ id: string; number: number; files: string }>(
    db,
    'find-expired',
    `SELECT submissions.id, number, (
              SELECT coalesce(json_agg(json_build_object('id', id, 'size', size)), '[]') FROM submission_files
               WHERE deployment_id = :deploymentId AND submission_id = submissions.id) AS files
       FROM (
         SELECT id, number, created_at FROM submissions
          WHERE deployment_id = :deploymentId AND number > :after ORDER BY number LIMIT ${EXPIRED_BATCH}
       ) AS submissions, (SELECT retention_days FROM deployments WHERE id = :deploymentId) AS deployment
      WHERE ${IS_EXPIRED} ORDER BY number`,
    { deploymentId, now, after },
  );
  return rows.map(({ files, ...row }) => ({ ...row, files: JSON.parse(files) }));
}

const REMOVE = removal('true', IS_EXPIRED);

/**
 * A statement locks the deployment's row, for which new submissions to it wait. Then the row is left alone for so many
 * times as long.
 */
const PAUSE_RATIO = 4;

/**
 * Removes the submissions of a deployment that have expired by `now`, the oldest first, with their files, in pieces; after
 * each it tells `onRemoved` how many. Their pending deliveries are deleted when they are leased. Throws when the signal
 * fires. It may be interrupted, and run in several processes at once.
 */
export async function removeExpired(
  db: Knex,
  deploymentId: string,
  { now, signal, onRemoved }: { now: Date; signal: AbortSignal; onRemoved(count: number): void },
): Promise<void> {
  // Each search begins after the last number of the one before: from the start, it would scan everything that has been
  // removed.
  for (let after: number | undefined = BEFORE_ALL; after !== undefined; ) {
    const expired: Expired[] = await findExpired(db, deploymentId, now, after);
    // Apart: with large files, the statement that removes submissions could take too long.
    await removeFiles(
      db,
      expired.flatMap(({ files }) => files),
      signal,
    );
    signal.throwIfAborted();
    const startedAt = performance.now();
    onRemoved(await execute(db, 'remove-expired', REMOVE, { deploymentId, now, ids: expired.map(({ id }) => id) }));
    await delay(PAUSE_RATIO * (performance.now() - startedAt), undefined, { signal });
    after = expired.length < EXPIRED_BATCH ? undefined : expired.at(-1)?.number;
  }
}
