import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import * as service from '../../migrations/0001-service.ts';
import * as deliveries from '../../migrations/0002-deliveries.ts';
import * as takeDowns from '../../migrations/0003-take-downs.ts';
import * as files from '../../migrations/0004-files.ts';
import * as removedSubmissions from '../../migrations/0005-removed-submissions.ts';
import type { Connection } from './connect.ts';

/** `config`: `{ transaction: false }` for one that builds an index concurrently, which Postgres does in no transaction. */
type Migration = { name: string; up: (db: Knex) => Promise<void>; config?: { transaction: boolean } };

// Names end in BREAKING where an older version can't work with what the migration leaves.
const migrations: readonly Migration[] = [
  { name: '0001-service', up: service.up },
  { name: '0002-deliveries', up: deliveries.up },
  { name: '0003-take-downs', up: takeDowns.up },
  { name: '0004-files', up: files.up },
  { name: '0005-removed-submissions', up: removedSubmissions.up },
];

// Any number, as long as every formhost process takes the same.
const LOCK = 7_265_113_420;
const POLL_MS = 100;
const ANSWER_MS = 2_000;
const BREAKING = '-breaking';

const sourceOf = (list: readonly Migration[]) => ({
  getMigrations: async () => [...list],
  getMigrationName: ({ name }: Migration) => name,
  getMigration: async ({ up, config }: Migration) => ({
    up,
    down: () => Promise.reject(new Error('Migrations only go forward.')),
    ...(config && { config }),
  }),
});

/** What this version's migrations make of those that a database has run. */
export type MigrationState = {
  /** Known, and not run yet. */
  missing: readonly string[];
  /** Run by a newer version. */
  unknown: readonly string[];
};

export function compareMigrations(run: readonly string[]): MigrationState {
  const known = migrations.map(({ name }) => name);
  return { missing: known.filter((name) => !run.includes(name)), unknown: run.filter((name) => !known.includes(name)) };
}

/**
 * Brings the schema up to date, or as far as `only` says; any number of processes may ask at once, one works and the
 * others wait. Polls for the lock: a waiting pg_advisory_lock would be a transaction that CREATE INDEX CONCURRENTLY waits
 * for.
 *
 * A database that a newer version has migrated is taken as it is, for what migrations add does not disturb an older
 * version: processes of both run side by side during an update, and it can be taken back. Throws where one was breaking.
 */
export async function migrate(
  connection: Connection,
  { signal, only }: { signal?: AbortSignal; only?: readonly string[] } = {},
): Promise<void> {
  const holder = new pg.Client({
    ...connection,
    application_name: 'formhost migrations',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  // A lost connection shows in the query under way; without a listener it would end the process.
  holder.on('error', () => undefined);
  await holder.connect();
  try {
    const { rows } = await holder.query("SELECT current_setting('server_encoding') AS encoding");
    if (rows[0].encoding !== 'UTF8') {
      throw new Error(`the database is encoded in ${rows[0].encoding}: make one with ENCODING 'UTF8'`);
    }
    const wanted = migrations.filter(({ name }) => only === undefined || only.includes(name));
    // Most starts find it all done, and need not wait for one another to see that.
    if (await isDone(holder, wanted)) return;
    while (!(await holder.query('SELECT pg_try_advisory_lock($1) AS held', [LOCK])).rows[0].held) {
      await delay(POLL_MS, undefined, { signal });
    }
    if (await isDone(holder, wanted)) return;
    // The server drops the lock with its holder, so knex' own, kept in a table, can only be left by a dead process.
    const silent = { warn: () => undefined, error: () => undefined };
    const db = knex({ client: 'pg', connection, pool: { min: 0, max: 2 }, compileSqlOnError: false, log: silent });
    try {
      const config = { migrationSource: sourceOf(wanted), disableMigrationsListValidation: true };
      await db.migrate.forceFreeMigrationsLock(config);
      await db.migrate.latest(config);
    } finally {
      await db.destroy();
    }
  } finally {
    await holder.end();
  }
}

/** Whether all of these have been run. Throws where a newer version has run one that breaks this one. */
async function isDone(client: pg.Client, wanted: readonly Migration[]): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('knex_migrations') IS NOT NULL AS begun");
  if (!rows[0].begun) return false;
  const completed: { rows: { name: string }[] } = await client.query('SELECT name FROM knex_migrations');
  const run = completed.rows.map(({ name }) => name);
  const breaking = compareMigrations(run).unknown.find((name) => name.endsWith(BREAKING));
  if (breaking !== undefined) {
    throw new Error(
      `a newer version has made a change (${breaking}) that this version does not work with: run the newer version`,
    );
  }
  return wanted.every(({ name }) => run.includes(name));
}

/** Whether every migration that this version knows has been run. Throws when the database is out of reach. */
export async function isMigrated(db: Knex): Promise<boolean> {
  const { rows } = await db.raw('SELECT count(*) AS run FROM knex_migrations WHERE name = ANY(?)', [
    migrations.map((migration) => migration.name),
  ]);
  return rows[0].run === migrations.length;
}
