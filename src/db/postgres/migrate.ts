import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type pg from 'pg';
import * as service from '../../../migrations/0001-service.ts';
import * as deliveries from '../../../migrations/0002-deliveries.ts';
import * as takeDowns from '../../../migrations/0003-take-downs.ts';
import * as files from '../../../migrations/0004-files.ts';
import * as removedSubmissions from '../../../migrations/0005-removed-submissions.ts';
import * as idempotencyKeys from '../../../migrations/0006-idempotency-keys.ts';
import * as ownersTurns from '../../../migrations/0007-owners-turns.ts';
import * as unknownKeyTries from '../../../migrations/0008-unknown-key-tries.ts';
import * as deliveryEvents from '../../../migrations/0009-delivery-events.ts';
import * as linkSecret from '../../../migrations/0010-link-secret.ts';
import * as keyNames from '../../../migrations/0011-key-names.ts';
import * as languages from '../../../migrations/0012-languages.ts';
import * as trash from '../../../migrations/0014-trash.ts';
import * as pageVersions from '../../../migrations/0015-page-versions.ts';
import * as keyScopes from '../../../migrations/0016-key-scopes.ts';
import * as submissionMarks from '../../../migrations/0017-submission-marks.ts';
import * as formRules from '../../../migrations/0018-form-rules.ts';
import * as labels from '../../../migrations/0019-labels.ts';
import * as spam from '../../../migrations/0020-spam.ts';
import * as mailRecipients from '../../../migrations/0021-mail-recipients.ts';
import * as mailLog from '../../../migrations/0022-mail-log.ts';
import * as readUpTo from '../../../migrations/0023-read-up-to.ts';
import * as retention from '../../../migrations/0024-retention.ts';
import * as sessions from '../../../migrations/0025-sessions.ts';
import * as liveDeployments from '../../../migrations/0026-live-deployments.ts';
import * as bucketFiles from '../../../migrations/0028-bucket-files.ts';
import * as bucketFilesIndex from '../../../migrations/0029-bucket-files-index.ts';
import * as takeDownsIndex from '../../../migrations/0033-take-downs-index.ts';
import * as refusedMail from '../../../migrations/0034-refused-mail.ts';
import * as renderedPages from '../../../migrations/0035-rendered-pages.ts';
import * as notifyOwner from '../../../migrations/0036-notify-owner.ts';
import * as honeypotHits from '../../../migrations/0037-honeypot-hits.ts';
import * as deploymentChanges from '../../../migrations/0038-deployment-changes.ts';
import * as storage from '../../../migrations/0044-storage.ts';
import type { Limits } from '../../limits.ts';
import { queryOne } from './query.ts';
import { type Connection, openServer } from './servers.ts';
import { tableExists } from './table-exists.ts';

/**
 * `config`: `{ transaction: false }` for one that builds an index concurrently, which Postgres does in no transaction.
 */
type Migration = { name: string; up: (db: Knex) => Promise<void>; config?: { transaction: boolean } };

// A name ends in BREAKING when an older version does not work with the schema after the migration.
const migrations: readonly Migration[] = [
  { name: '0001-service', up: service.up },
  { name: '0002-deliveries', up: deliveries.up },
  { name: '0003-take-downs', up: takeDowns.up },
  { name: '0004-files', up: files.up },
  { name: '0005-removed-submissions', up: removedSubmissions.up },
  { name: '0006-idempotency-keys', up: idempotencyKeys.up },
  { name: '0007-owners-turns', up: ownersTurns.up, config: ownersTurns.config },
  { name: '0008-unknown-key-tries', up: unknownKeyTries.up },
  { name: '0009-delivery-events', up: deliveryEvents.up },
  { name: '0010-link-secret', up: linkSecret.up },
  { name: '0011-key-names', up: keyNames.up },
  { name: '0012-languages', up: languages.up, config: languages.config },
  { name: '0014-trash', up: trash.up, config: trash.config },
  { name: '0015-page-versions', up: pageVersions.up },
  { name: '0016-key-scopes', up: keyScopes.up },
  { name: '0017-submission-marks', up: submissionMarks.up },
  { name: '0018-form-rules', up: formRules.up },
  { name: '0019-labels', up: labels.up },
  { name: '0020-spam', up: spam.up },
  { name: '0021-mail-recipients', up: mailRecipients.up, config: mailRecipients.config },
  { name: '0022-mail-log', up: mailLog.up, config: mailLog.config },
  { name: '0023-read-up-to', up: readUpTo.up, config: readUpTo.config },
  { name: '0024-retention', up: retention.up, config: retention.config },
  { name: '0025-sessions', up: sessions.up },
  { name: '0026-live-deployments', up: liveDeployments.up, config: liveDeployments.config },
  { name: '0028-bucket-files', up: bucketFiles.up },
  { name: '0029-bucket-files-index', up: bucketFilesIndex.up, config: bucketFilesIndex.config },
  { name: '0033-take-downs-index', up: takeDownsIndex.up, config: takeDownsIndex.config },
  { name: '0034-refused-mail', up: refusedMail.up, config: refusedMail.config },
  { name: '0035-rendered-pages', up: renderedPages.up },
  { name: '0036-notify-owner', up: notifyOwner.up },
  { name: '0037-honeypot-hits', up: honeypotHits.up },
  { name: '0038-deployment-changes', up: deploymentChanges.up },
  { name: '0044-storage', up: storage.up, config: storage.config },
];

/** The key of the advisory lock: any number, the same in every version. */
const LOCK = 7_265_113_420;
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

/** How the migrations of a database differ from those of this version. */
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
  {
    limits: { database: limits },
    signal,
    only,
    onWait,
  }: { limits: Limits; signal?: AbortSignal; only?: readonly string[]; onWait?: () => void },
): Promise<void> {
  const { client: holder, config } = await openServer(connection, {
    application_name: 'formhost migrations',
    connectionTimeoutMillis: limits.migrationsAnswerTimeoutMs,
    query_timeout: limits.migrationsAnswerTimeoutMs,
    keepAlive: true,
  });
  try {
    const encoding = await encodingOf(holder);
    if (encoding !== 'UTF8') throw new Error(`the database is encoded in ${encoding}: make one with ENCODING 'UTF8'`);
    const wanted = migrations.filter(({ name }) => only === undefined || only.includes(name));
    // Before the lock: most starts find nothing to do, and need not wait for one another.
    if (await isDone(holder, wanted)) return;
    const waitingSince = performance.now();
    let hasTold = false;
    while (!(await tryLock(holder))) {
      if (!hasTold && performance.now() - waitingSince > limits.migrationsTellAfterMs) {
        hasTold = true;
        onWait?.();
      }
      await delay(limits.migrationsPollMs, undefined, { signal });
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

/**
 * Whether any migration has been run in a database, or is being run: 'missing' where no version of the service has been
 * started.
 */
export async function findMigrations(client: pg.Client): Promise<'run' | 'running' | 'missing'> {
  if (await tableExists(client, 'knex_migrations')) {
    // Other programs have a table of this name, too.
    const { rows } = await client.query('SELECT FROM knex_migrations WHERE name = $1', [migrations[0]?.name]);
    if (rows.length > 0) return 'run';
  }
  const { rows } = await client.query(
    `SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (CAST(classid AS bigint) << 32 | CAST(objid AS bigint)) = $1 LIMIT 1`,
    [LOCK],
  );
  return rows.length > 0 ? 'running' : 'missing';
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

/** Whether all of these have been run. Throws when a newer version has run a breaking migration. */
async function isDone(client: pg.Client, wanted: readonly Migration[]): Promise<boolean> {
  if (!(await tableExists(client, 'knex_migrations'))) return false;
  const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations');
  const run = rows.map(({ name }) => name);
  const breaking = compareMigrations(run).unknown.find((name) => name.endsWith(BREAKING));
  if (breaking !== undefined) {
    throw new Error(
      `a newer version has made a change (${breaking}) that this version does not work with: run the newer version`,
    );
  }
  return wanted.every(({ name }) => run.includes(name));
}

/**
 * Whether every migration that this version knows has been run, on a server that is no standby. Throws when the database
 * is out of reach.
 */
export async function isMigratedPrimary(db: Knex): Promise<boolean> {
  const sql = 'SELECT count(*) AS run, pg_is_in_recovery() AS standby FROM knex_migrations WHERE name = ANY(?)';
  const names = migrations.map(({ name }) => name);
  const { run, standby } = await queryOne<{ run: number; standby: boolean }>(db, 'count-migrations', sql, [names]);
  return run === names.length && !standby;
}
