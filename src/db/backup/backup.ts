import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BACKUP_LOCK } from '../bucket-files.ts';
import type { ReadObject } from '../file-content.ts';
import type { Connection } from '../postgres/connect.ts';
import { encode, FIRST_LINE, type Header, type Table } from './backup-file.ts';
import { CHUNKS, FILES, NOT_IN_BACKUPS, OBJECT_COLUMNS, rowsOfBucket } from './bucket-rows.ts';

/**
 * A connection without a limit on the time of statements, whatever the defaults of the role or the database are. COPY
 * writes values that every version of Postgres reads as the same.
 */
export async function openLongConnection(connection: Connection, name: string): Promise<pg.Client> {
  const settings = {
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    DateStyle: 'ISO',
    IntervalStyle: 'iso_8601',
    extra_float_digits: 3,
    client_encoding: 'UTF8',
    timezone: 'UTC',
  };
  const options = Object.entries(settings).map(([key, value]) => `-c ${key}=${value}`);
  const client = new pg.Client({
    ...connection,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: options.join(' '),
  });
  // A lost connection rejects the current query; without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  // Since Postgres 17.
  await client.query("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'");
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
      WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r' AND relname ${NOT_OF_KNEX}
        AND relname <> ALL ($1)
      ORDER BY relname`,
    [NOT_IN_BACKUPS],
  );
  const { rows: sequences } = await client.query<Header['sequences'][number]>(
    `SELECT sequencename AS name, CAST(last_value AS text) AS last FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL AND sequencename NOT LIKE 'knex\\_%'
      ORDER BY sequencename`,
  );
  return { migrations: migrations.map(({ name }) => name), tables, sequences };
}

export const columnsOf = ({ columns }: Table): string => columns.map(pg.escapeIdentifier).join(', ');

/** How files in the bucket are read. `onDamaged`: called with a file that is missing there, or is not whole. */
export type BucketReading = { readObject: ReadObject; onDamaged(fileId: string): void };

/** The rows of a table, as if the content of all files were in the database. */
async function* readTable(client: pg.Client, table: Table, reading: BucketReading): AsyncGenerator<Buffer> {
  const columns = table.columns.map((name) => {
    const column = pg.escapeIdentifier(name);
    return table.name === FILES && OBJECT_COLUMNS.includes(name) ? `NULL AS ${column}` : column;
  });
  const rows = `SELECT ${columns.join(', ')} FROM ${pg.escapeIdentifier(table.name)}`;
  yield* client.query(copyTo(`COPY (${rows}) TO STDOUT`));
  if (table.name === CHUNKS) yield* rowsOfBucket(client, table, reading.readObject, reading.onDamaged);
}

/** The whole database at one moment; the service may go on working. */
async function* readDatabase(client: pg.Client, reading: BucketReading): AsyncGenerator<Buffer> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // Objects of files that are removed meanwhile stay in the bucket.
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [BACKUP_LOCK]);
  const header = await describe(client);
  yield* encode(header, (table) => readTable(client, table, reading));
}

/**
 * Writes a backup in the format of backup-file.ts of the database at one moment, with the content of files in the bucket;
 * `out` is not ended. The database has been migrated.
 */
export async function backUp(connection: Connection, out: Writable, reading: BucketReading): Promise<void> {
  const client = await openLongConnection(connection, 'formhost backup');
  // When nothing can be written any more, this ends a query that Postgres has not answered.
  out.once('close', () => void client.end());
  try {
    out.write(FIRST_LINE);
    await pipeline(readDatabase(client, reading), createGzip(), out, { end: false });
  } finally {
    await client.end();
  }
}
