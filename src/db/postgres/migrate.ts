import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import { PROJECT } from '../../lib/project.ts';
import { queryOne } from './query.ts';
import { ANSWER_TIMEOUTS, type Connection, openServer } from './servers.ts';

/**
 * `config`: `{ transaction: false }` for one that builds an index concurrently, which Postgres does in no transaction.
 */
type Migration = { up: (db: Knex) => Promise<void>; config?: { transaction: boolean } };

/** `.js` where this runs from a build, which has the migrations too. */
const EXTENSION = extname(import.meta.filename);
const FOLDER = new URL(EXTENSION === '.js' ? 'dist/service/migrations/' : 'migrations/', PROJECT);
/** In the order in which they run. A name ends in BREAKING when an older version does not work with the schema after it. */
const MIGRATIONS: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(EXTENSION))
  .map((file) => file.slice(0, -EXTENSION.length))
  .toSorted();

/** The first migration before the first release. A database made with it has other tables, under the same names. */
const BEFORE_RELEASES = '0001-service';

/** The key of the advisory lock: any number, the same in every version. */
const LOCK = 7_265_113_420;
const BREAKING = '-breaking';
/** A process asks again whether another still migrates, and says so after a time. */
const POLL_MS = 100;
const TELL_AFTER_MS = 5_000;

const sourceOf = (names: readonly string[]): Knex.MigrationSource<string> => ({
  getMigrations: async () => [...names],
  getMigrationName: (name) => name,
  async getMigration(name) {
    const migration: Migration = await import(new URL(`${name}${EXTENSION}`, FOLDER).href);
    return { ...migration, down: () => Promise.reject(new Error('Migrations only go forward.')) };
  },
});

/** The differences between the migrations of a database and those of this version. */
export type MigrationState = {
  /** Known, and not run yet. */
  missing: readonly string[];
  /** Run by a newer version. */
  unknown: readonly string[];
};

/** Returns whether a database or a backup with these migrations is from before the first release. */
export const isBeforeReleases = (run: readonly string[]): boolean => run.includes(BEFORE_RELEASES);

/** Compares the migrations of a database with those of this version. Throws when they are from before the first release. */
export function compareMigrations(run: readonly string[]): MigrationState {
  if (isBeforeReleases(run)) {
    throw new Error(
      'a development version from before the first release has made it: make another database, or move DATA_DIR away',
    );
  }
  return {
    missing: MIGRATIONS.filter((name) => !run.includes(name)),
    unknown: run.filter((name) => !MIGRATIONS.includes(name)),
  };
}

/**
 * Runs the migrations that are missing, or those of `only`. Any number of processes may call this at once: one runs
 * them, and the others wait. They poll for the lock, because CREATE INDEX CONCURRENTLY would wait for a transaction
 * that waits for the lock.
 *
 * A database that a newer version has migrated is used as it is: an older version works with what migrations add, so
 * that processes of both can run during an update, and an update can be undone. Throws when a newer version has run a
 * breaking migration. `onWait` is called when another process migrates for long.
 */
export async function migrate(
  connection: Connection,
  { signal, only, onWait }: { signal?: AbortSignal; only?: readonly string[]; onWait?: () => void } = {},
): Promise<void> {
  const { client: holder, config } = await openServer(connection, {
    application_name: 'formhost migrations',
    ...ANSWER_TIMEOUTS,
    keepAlive: true,
  });
  try {
    const encoding = await encodingOf(holder);
    if (encoding !== 'UTF8') throw new Error(`the database is encoded in ${encoding}: make one with ENCODING 'UTF8'`);
    const wanted = MIGRATIONS.filter((name) => only === undefined || only.includes(name));
    // Before the lock: most starts find nothing to do, and need not wait for one another.
    if (await isDone(holder, wanted)) return;
    const waitingSince = performance.now();
    let hasTold = false;
    while (!(await tryLock(holder))) {
      if (!hasTold && performance.now() - waitingSince > TELL_AFTER_MS) {
        hasTold = true;
        onWait?.();
      }
      await delay(POLL_MS, undefined, { signal });
    }
    if (await isDone(holder, wanted)) return;
    // A query without parameters leaves no snapshot behind, for whose end CREATE INDEX CONCURRENTLY would wait.
    await holder.query('SELECT 1');
    // Postgres releases our lock when its holder is gone. So knex' own lock, a row in a table, can only be left by a dead
    // process.
    const silent = { warn: () => undefined, error: () => undefined };
    const pool = { min: 0, max: 2 };
    const db = knex({ client: 'pg', connection: config, pool, compileSqlOnError: false, log: silent });
    try {
      const settings = { migrationSource: sourceOf(wanted), disableMigrationsListValidation: true };
      await db.migrate.forceFreeMigrationsLock(settings);
      await db.migrate.latest(settings);
    } finally {
      await db.destroy();
    }
  } finally {
    await holder.end();
  }
}

/** Returns whether there is a table of this name. */
export async function tableExists(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name]);
  return rows.some(({ found }) => found);
}

/** The migrations that have been run in a database, in the order of their names. */
export async function migrationsRun(client: pg.Client): Promise<string[]> {
  if (!(await tableExists(client, 'knex_migrations'))) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

/** Returns whether any migration of the service has been run in a database. Other programs have a table of this name, too. */
export async function hasMigrations(client: pg.Client): Promise<boolean> {
  const run = await migrationsRun(client);
  return compareMigrations(run).missing.length < MIGRATIONS.length;
}

async function encodingOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  return rows[0]?.encoding;
}

/**
 * The lock is that of a transaction, which stays open: behind a pooler, one of a session would stay with a connection
 * that others use.
 */
async function tryLock(client: pg.Client): Promise<boolean> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock($1) AS locked,
            (SELECT count(set_config(name, '0', true)) FROM pg_settings
              WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')) AS set`,
    [LOCK],
  );
  if (rows.some(({ locked }) => locked)) return true;
  await client.query('ROLLBACK');
  return false;
}

/** Returns whether all wanted migrations have been run. Throws if a newer version has run a breaking migration. */
async function isDone(client: pg.Client, wanted: readonly string[]): Promise<boolean> {
  const run = await migrationsRun(client);
  const breaking = compareMigrations(run).unknown.find((name) => name.endsWith(BREAKING));
  if (breaking !== undefined) {
    throw new Error(
      `a newer version has made a change (${breaking}) that this version does not work with: run the newer version`,
    );
  }
  return wanted.every((name) => run.includes(name));
}

/**
 * Returns whether every migration that this version knows has been run, on a server that is not a standby. Throws if the
 * database is out of reach.
 */
export async function isMigratedPrimary(db: Knex): Promise<boolean> {
  const sql = 'SELECT count(*) AS run, pg_is_in_recovery() AS standby FROM knex_migrations WHERE name = ANY(?)';
  const { run, standby } = await queryOne<{ run: number; standby: boolean }>(db, 'count-migrations', sql, [
    [...MIGRATIONS],
  ]);
  return run === MIGRATIONS.length && !standby;
}
