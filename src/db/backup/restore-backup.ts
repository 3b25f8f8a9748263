import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { compareMigrations, isBeforeReleases, migrate, migrationsRun, tableExists } from '../postgres/migrate.ts';
import type { Connection } from '../postgres/servers.ts';
import { BackupError, BackupReader, type Header } from './backup-file.ts';
import { columnsOf, openLongTransaction, type RowCounts } from './make-backup.ts';

/** Another transaction has locked a table that is restored. */
const LOCK_TIMEOUT_MS = 10_000;
/** A process of the service asks the database at least twice a second: then none has asked. */
const QUIET_MS = 3_000;

const NOT_EMPTY =
  'the database has owners already, and a backup is restored into an empty one only: make a new database, or move ' +
  'DATA_DIR away';

/** Throws a BackupError unless this version knows all migrations of a backup. */
function checkMigrations(names: readonly string[]): void {
  if (isBeforeReleases(names)) {
    throw new BackupError(
      'the backup was made by a development version from before the first release: no release restores it',
    );
  }
  const [unknown] = compareMigrations(names).unknown;
  if (unknown !== undefined) {
    throw new BackupError(
      `the backup was made by a newer version of formhost (it has migration ${unknown}): restore it with that version, ` +
        'or newer',
    );
  }
}

async function hasOwners(client: pg.Client): Promise<boolean> {
  return (await tableExists(client, 'owners')) && (await client.query('SELECT FROM owners LIMIT 1')).rows.length > 0;
}

/**
 * Returns whether the service runs on this database. A pooler keeps connections after the service has ended, with its name;
 * nobody works on those. It lends them to all its clients, under the name of the last one: a connection of a running service
 * may have another name for a moment.
 */
async function isInUse(client: pg.Client, { pooler }: Connection): Promise<boolean> {
  const find = async (since: string): Promise<number> => {
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'formhost'
          AND state_change > CAST($1 AS timestamptz) LIMIT 1`,
      [since],
    );
    return rowCount ?? 0;
  };
  if (pooler !== 'transaction') return (await find('-infinity')) > 0;
  const { rows } = await client.query<{ now: string }>('SELECT CAST(clock_timestamp() AS text) AS now');
  await delay(QUIET_MS);
  // Otherwise, the view of other connections stays the same within a transaction.
  await client.query('SELECT pg_stat_clear_snapshot()');
  return (await find(rows[0]?.now ?? '-infinity')) > 0;
}

/** Throws a BackupError when the service runs on this database, or it has data. */
async function checkTarget(connection: Connection): Promise<void> {
  const client = await openLongTransaction(connection, 'formhost restore');
  try {
    if (await hasOwners(client)) throw new BackupError(NOT_EMPTY);
    if (await isInUse(client, connection)) {
      throw new BackupError('the service is running on this database: stop it, and restore then');
    }
  } finally {
    await client.end();
  }
}

/** Reads a backup in our own format to its end. Throws a BackupError when it is damaged, or newer than this version. */
export async function checkBackup(source: AsyncIterable<Buffer>): Promise<void> {
  const backup = await open(source);
  for (const _table of backup.header.tables) for await (const _rows of backup.rows());
  await backup.verify();
}

/**
 * Restores a backup in our own format into an empty database, all of it or nothing. Returns what was restored. Throws a
 * BackupError with the reason.
 */
export async function restore(connection: Connection, source: AsyncIterable<Buffer>): Promise<RowCounts> {
  const backup = await open(source);
  await checkTarget(connection);
  await migrate(connection, { only: backup.header.migrations });
  const client = await openLongTransaction(connection, 'formhost restore');
  const counts: RowCounts = new Map();
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await fill(client, backup, counts);
    await client.query('ANALYZE');
    await client.query('COMMIT');
  } finally {
    // Without a COMMIT, nothing is restored.
    await client.end();
  }
  await bringUpToDate(connection);
  return counts;
}

/** After a restore: runs the migrations that the backup's version did not have. */
async function bringUpToDate(connection: Connection): Promise<void> {
  await migrate(connection).catch((error: Error) => {
    throw new BackupError(
      `everything was restored, and is yet to be brought up to this version, which failed (${error.message}): start the ` +
        'service, which tries again',
    );
  });
}

/**
 * Runs in a transaction. Foreign keys are dropped, and made again at the end: they may form a circle, which no order of
 * tables satisfies.
 */
async function fill(client: pg.Client, backup: BackupReader, counts: RowCounts): Promise<void> {
  const { header } = backup;
  const names = header.tables.map(({ name }) => pg.escapeIdentifier(name));
  await client.query(`LOCK TABLE ${['knex_migrations', ...names].join(', ')} IN ACCESS EXCLUSIVE MODE`);
  if (await hasOwners(client)) throw new BackupError(NOT_EMPTY);
  await checkSameMigrations(client, header);
  const { rows: keys } = await client.query<{ drop: string; add: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', CAST(conrelid AS regclass), conname) AS drop,
            format('ALTER TABLE %s ADD CONSTRAINT %I %s', CAST(conrelid AS regclass), conname, pg_get_constraintdef(oid)) AS add
       FROM pg_constraint
      WHERE contype = 'f' AND conparentid = 0 AND connamespace = CAST(current_schema() AS regnamespace)`,
  );
  for (const key of keys) await client.query(key.drop);
  // The backup has the rows that migrations made, too.
  await client.query(`TRUNCATE ${names.join(', ')}`);
  for (const table of header.tables) {
    const name = pg.escapeIdentifier(table.name);
    await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    const copied = client.query(copyFrom(`COPY ${name} (${columnsOf(table)}) FROM STDIN`));
    await pipeline(backup.rows(), copied);
    counts.set(table.name, copied.rowCount);
    await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  }
  await backup.verify();
  for (const key of keys) await client.query(key.add);
  for (const { name, last } of header.sequences) {
    await client.query('SELECT setval(CAST(quote_ident($1) AS regclass), CAST($2 AS bigint))', [name, last]);
  }
}

/** Throws unless the database has no later migrations than the backup. */
async function checkSameMigrations(client: pg.Client, { migrations }: Header): Promise<void> {
  const later = (await migrationsRun(client)).find((name) => !migrations.includes(name));
  if (later === undefined) return;
  throw new BackupError(
    `the database is empty, but its tables are newer (${later}) than the backup's: restore into a database in which the ` +
      'service has never been started',
  );
}

async function open(source: AsyncIterable<Buffer>): Promise<BackupReader> {
  const backup = await BackupReader.open(source);
  checkMigrations(backup.header.migrations);
  return backup;
}
