import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Connection, openClient } from '../postgres/servers.ts';
import { encode, FIRST_LINE, type Header, type Table } from './backup-file.ts';

const SETTINGS = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  // Since Postgres 17.
  transaction_timeout: '0',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  extra_float_digits: '3',
  timezone: 'UTC',
};

/**
 * A connection in a transaction without a limit on its time, whatever the defaults of the role or the database are; ends
 * with the connection. COPY writes values that every version of Postgres reads as the same.
 */
export async function openLongTransaction(connection: Connection, name: string, begin = 'BEGIN'): Promise<pg.Client> {
  const client = await openClient(connection, {
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  await client.query(begin);
  await client.query(
    `SELECT set_config(pg_settings.name, value, true)
       FROM json_each_text($1) AS wanted (name, value) JOIN pg_settings ON lower(pg_settings.name) = lower(wanted.name)`,
    [JSON.stringify(SETTINGS)],
  );
  return client;
}

/** The migrations create and fill knex' own tables. */
const NOT_OF_KNEX = "NOT IN ('knex_migrations', 'knex_migrations_lock')";

async function describe(client: pg.Client): Promise<Header> {
  const { rows: migrations } = await client.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id');
  const { rows: tables } = await client.query<Table>(
    `SELECT relname AS name, (
              SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute
               WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
       FROM pg_class
      WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p') AND NOT relispartition
        -- A standby has no rows of unlogged tables.
        AND (relpersistence = 'p' OR NOT pg_is_in_recovery())
        AND relname ${NOT_OF_KNEX}
      ORDER BY relname`,
  );
  const { rows: sequences } = await client.query<Header['sequences'][number]>(
    `SELECT sequencename AS name, CAST(last_value AS text) AS last FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL AND sequencename NOT LIKE 'knex\\_%'
      ORDER BY sequencename`,
  );
  return { migrations: migrations.map(({ name }) => name), tables, sequences };
}

export const columnsOf = ({ columns }: Table): string => columns.map(pg.escapeIdentifier).join(', ');

/** The whole database, as the client's transaction sees it; the service may go on working. */
async function* readDatabase(client: pg.Client): AsyncGenerator<Buffer> {
  const header = await describe(client);
  yield* encode(header, (table) =>
    // A query, because COPY reads no partitioned table.
    client.query(copyTo(`COPY (SELECT ${columnsOf(table)} FROM ${pg.escapeIdentifier(table.name)}) TO STDOUT`)),
  );
}

/**
 * Writes a backup in the format of backup-file.ts of the database at one moment; `out` is not ended. The database has
 * been migrated.
 */
export async function backUp(connection: Connection, out: Writable): Promise<void> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  const client = await openLongTransaction(connection, 'formhost backup', begin);
  // When nothing can be written any more, this ends a query that Postgres has not answered.
  out.once('close', () => void client.end());
  try {
    out.write(FIRST_LINE);
    await pipeline(readDatabase(client), createGzip(), out, { end: false });
  } finally {
    await client.end();
  }
}
