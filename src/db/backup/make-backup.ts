import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BACKUP_LOCK } from '../files/bucket-file-queries.ts';
import type { ReadObject } from '../files/file-content-queries.ts';
import { migrationsRun } from '../postgres/migrate.ts';
import { type Connection, openClient } from '../postgres/servers.ts';
import { encode, FIRST_LINE, type Header, type Table } from './backup-file.ts';
import { NOT_IN_BACKUPS, OBJECT_COLUMNS, ROWS_WITHOUT_OBJECT, rowsOfBucket } from './bucket-rows.ts';

const CONNECT_TIMEOUT_MS = 10_000;

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
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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
  const migrations = await migrationsRun(client);
  const { rows: tables } = await client.query<Table>(
    `SELECT relname AS name, (
              SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute
               WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
       FROM pg_class
      WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p') AND NOT relispartition
        -- A standby has no rows of unlogged tables.
        AND (relpersistence = 'p' OR NOT pg_is_in_recovery())
        AND relname ${NOT_OF_KNEX}
        AND relname <> ALL ($1)
      ORDER BY relname`,
    [NOT_IN_BACKUPS],
  );
  const { rows: sequences } = await client.query<Header['sequences'][number]>(
    `SELECT sequencename AS name, CAST(last_value AS text) AS last FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL AND sequencename NOT LIKE 'knex\\_%'
      ORDER BY sequencename`,
  );
  return { migrations, tables, sequences };
}

export const columnsOf = ({ columns }: Table): string => columns.map(pg.escapeIdentifier).join(', ');

/** How files in the bucket are read. `onDamaged`: called with a file that is missing there, or is not whole. */
export type BucketReading = { readObject: ReadObject; onDamaged(name: string): void };

/** The number of rows of each table, by its name. */
export type RowCounts = Map<string, number>;

/** The rows of a table, as if the content of all files were in the database. */
async function* readTable(
  client: pg.Client,
  table: Table,
  reading: BucketReading,
  counts: RowCounts,
): AsyncGenerator<Buffer> {
  const columns = table.columns.map((name) => {
    const column = pg.escapeIdentifier(name);
    return OBJECT_COLUMNS[table.name]?.includes(name) ? `NULL AS ${column}` : column;
  });
  const from = `${pg.escapeIdentifier(table.name)} WHERE ${ROWS_WITHOUT_OBJECT[table.name] ?? true}`;
  const rows = `SELECT ${columns.join(', ')} FROM ${from}`;
  // A query, because COPY reads no partitioned table.
  const copied = client.query(copyTo(`COPY (${rows}) TO STDOUT`));
  yield* copied;
  counts.set(table.name, copied.rowCount);
  yield* rowsOfBucket(client, table, reading.readObject, reading.onDamaged);
}

/** The whole database, as the client's transaction sees it; the service may go on working. */
async function* readDatabase(client: pg.Client, reading: BucketReading, counts: RowCounts): AsyncGenerator<Buffer> {
  // Objects of files that are removed meanwhile stay in the bucket.
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [BACKUP_LOCK]);
  const header = await describe(client);
  yield* encode(header, (table) => readTable(client, table, reading, counts));
}

/**
 * Writes a backup in the format of backup-file.ts of the database at one moment, with the content of files in the bucket;
 * `out` is not ended. The database has been migrated. Returns what it has written.
 */
export async function backUp(connection: Connection, out: Writable, reading: BucketReading): Promise<RowCounts> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  const client = await openLongTransaction(connection, 'formhost backup', begin);
  // When nothing can be written any more, this ends a query that Postgres has not answered.
  out.once('close', () => void client.end());
  const counts: RowCounts = new Map();
  try {
    out.write(FIRST_LINE);
    await pipeline(readDatabase(client, reading, counts), createGzip(), out, { end: false });
    return counts;
  } finally {
    await client.end();
  }
}
