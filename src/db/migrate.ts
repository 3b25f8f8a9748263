import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import * as service from '../../migrations/0001-service.ts';
import * as deliveries from '../../migrations/0002-deliveries.ts';
import * as takeDowns from '../../migrations/0003-take-downs.ts';
import * as files from '../../migrations/0004-files.ts';
import * as removedSubmissions from '../../migrations/0005-removed-submissions.ts';
import type { Connection } from './connect.ts';

const migrations: readonly { name: string; up: (db: Knex) => Promise<void> }[] = [
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

const source = {
  getMigrations: async () => migrations.map((migration) => migration.name),
  getMigrationName: (name: string) => name,
  getMigration: async (name: string) => {
    const up = migrations.find((migration) => migration.name === name)?.up;
    if (!up)
      throw new Error(`The database has migration ${name}, which this version does not know: run a newer version.`);
    return { up, down: () => Promise.reject(new Error('Migrations only go forward.')) };
  },
};

/**
 * Brings the schema up to date; any number of processes may ask at once, one works and the others wait. Polls for the
 * lock: a waiting pg_advisory_lock would be a transaction that CREATE INDEX CONCURRENTLY waits for.
 */
export async function migrate(connection: Connection, signal?: AbortSignal): Promise<void> {
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
    while (!(await holder.query('SELECT pg_try_advisory_lock($1) AS held', [LOCK])).rows[0].held) {
      await delay(POLL_MS, undefined, { signal });
    }
    // The server drops the lock with its holder, so knex' own, kept in a table, can only be left by a dead process.
    const silent = { warn: () => undefined, error: () => undefined };
    const db = knex({ client: 'pg', connection, pool: { min: 0, max: 2 }, compileSqlOnError: false, log: silent });
    try {
      await db.migrate.forceFreeMigrationsLock({ migrationSource: source });
      await db.migrate.latest({ migrationSource: source });
    } finally {
      await db.destroy();
    }
  } finally {
    await holder.end();
  }
}

/** Whether every migration that this version knows has been run. Throws when the database is out of reach. */
export async function isMigrated(db: Knex): Promise<boolean> {
  const { rows } = await db.raw('SELECT count(*) AS run FROM knex_migrations WHERE name = ANY(?)', [
    migrations.map((migration) => migration.name),
  ]);
  return rows[0].run === migrations.length;
}
