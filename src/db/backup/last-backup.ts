import type { Knex } from 'knex';
import { query } from '../postgres/query.ts';
import { ANSWER_TIMEOUTS, type Connection, openClient } from '../postgres/servers.ts';

/**
 * Notes that a backup is complete, which shows the database as it was `ago` milliseconds before. Rejects where the database takes
 * no writes, as a standby.
 */
export async function noteBackup(connection: Connection, ago: number): Promise<void> {
  const client = await openClient(connection, { application_name: 'formhost backup', ...ANSWER_TIMEOUTS });
  try {
    await client.query(
      `INSERT INTO last_backup (taken_at) VALUES (now() - $1 * interval '1 ms')
       ON CONFLICT (only_row) DO UPDATE SET taken_at = greatest(last_backup.taken_at, excluded.taken_at)`,
      [Math.round(ago)],
    );
  } finally {
    await client.end();
  }
}

/** Returns whether a statement named a table that the database does not have. */
export const isUndefinedTable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42P01';

/** Returns the age of the last backup, in seconds; undefined: none was made. */
export async function backupAge(db: Knex): Promise<number | undefined> {
  const sql = 'SELECT CAST(extract(epoch FROM now() - taken_at) AS float8) AS age FROM last_backup';
  const [row] = await query<{ age: number }>(db, 'backup-age', sql);
  return row?.age;
}
