import type { Knex } from 'knex';
import { compareMigrations, type MigrationState, migrationsRun } from './migrate.ts';
import { queryOne } from './query.ts';
import { ANSWER_TIMEOUTS, type Connection, openClient } from './servers.ts';

export type DatabaseFacts = MigrationState & {
  /** Such as 180004. */
  version: number;
  encoding: string;
  /** True if the server follows another one, and takes no writes. */
  standby: boolean;
  /** Bytes on the server's disk. */
  size: number;
};

/**
 * Returns what the doctor checks of a database; changes nothing. Throws when the database does not answer in time.
 */
export async function inspectDatabase(connection: Connection): Promise<DatabaseFacts> {
  const client = await openClient(connection, { application_name: 'formhost doctor', ...ANSWER_TIMEOUTS });
  try {
    const { rows } = await client.query<{ version: string; encoding: string; standby: boolean; size: string }>(
      `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
              pg_is_in_recovery() AS standby, pg_database_size(current_database()) AS size`,
    );
    const [facts] = rows;
    if (!facts) throw new Error('The database answered no row.');
    const [version, size] = [Number(facts.version), Number(facts.size)];
    return { ...facts, ...compareMigrations(await migrationsRun(client)), version, size };
  } finally {
    await client.end();
  }
}

/** Returns the bytes of the database on the server's disk. */
export async function databaseBytes(db: Knex): Promise<number> {
  const sql = 'SELECT pg_database_size(current_database()) AS bytes';
  return Number((await queryOne<{ bytes: number | string }>(db, 'database-bytes', sql)).bytes);
}
