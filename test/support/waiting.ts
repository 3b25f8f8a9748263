import { expect } from 'vitest';
import type { Database } from '../../src/db/postgres/connect.ts';

/*
 * Requests that wait for submissions, seen in the database: each process with such requests asks it once in
 * `watchIntervalMs`.
 */

const ASKED = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND query LIKE '%json_object_agg(id, last_submission_number)%'`;

/** Settles once so many connections have asked for new submissions, after this call: requests wait, then. */
export async function untilWaiting(db: Database, connections = 1): Promise<void> {
  const { rows } = await db.raw('SELECT clock_timestamp() AS since');
  const asked = async () => (await db.raw(`SELECT ${ASKED} AND query_start > ?`, [rows[0].since])).rows.length;
  await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThanOrEqual(connections);
}

/** Settles once nobody has asked for some time, longer than the interval of the watch: no request waits any more. */
export async function untilNobodyWaits(db: Database, quietMs = 3_000): Promise<void> {
  const asking = async () =>
    (await db.raw(`SELECT ${ASKED} AND query_start > clock_timestamp() - ? * interval '1 ms'`, [quietMs])).rows.length;
  await expect.poll(asking, { timeout: 60_000, interval: 100 }).toBe(0);
}
