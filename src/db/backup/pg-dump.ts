import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { libpqEnvironment, parseDatabaseUrl } from '../../lib/database-url.ts';
import type { Limits } from '../../limits.ts';
import type { Connection } from '../postgres/servers.ts';
import { openLongTransaction } from './backup.ts';
import { BackupError } from './backup-file.ts';
import { hasFilesInBucket, NOT_IN_BACKUPS } from './bucket-rows.ts';
import { bringUpToDate, checkMigrations, checkTarget } from './restore.ts';

/*
 * Runs Postgres' own tools, if they are on the PATH. They get the password by the environment: other users can see
 * arguments.
 */

type Environment = Readonly<Record<string, string | undefined>>;

const SCHEMA = 'public';

/** The environment with which libpq connects to the same database. */
function libpq(connection: Connection, env: Environment): Environment {
  const url = 'connectionString' in connection ? parseDatabaseUrl(connection.connectionString) : undefined;
  const [server] = url?.servers ?? [];
  const { host, port, user, database, password } = new pg.Client(
    server ? { connectionString: server.url } : connection,
  );
  const settings = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';
  return {
    ...env,
    PGHOST: host,
    PGPORT: String(port),
    ...(url && libpqEnvironment(url)),
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password ?? undefined,
    PGCONNECT_TIMEOUT: '10',
    PGOPTIONS: url?.options === undefined ? settings : `${url.options} ${settings}`,
  };
}

/**
 * Runs a tool; answers its output, or writes it to `out`. Throws a BackupError with the first line of its errors when
 * it fails.
 */
async function run(tool: string, args: readonly string[], env: Environment, out?: Writable): Promise<string> {
  const child = spawn(tool, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = out ? pipeline(child.stdout, out, { end: false }).then(() => '') : text(child.stdout);
  const [result, errors] = await Promise.all([output, text(child.stderr), once(child, 'close')]);
  // Only the first line: what follows may quote rows.
  if (child.exitCode !== 0) throw new BackupError(`${tool} failed: ${errors.split('\n')[0]}`);
  return result;
}

async function majorOf(tool: string, env: Environment): Promise<number | undefined> {
  const version = await run(tool, ['--version'], env).catch(() => '');
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(version) ?? [];
  return major === undefined ? undefined : Number(major);
}

/**
 * Whether pg_dump can make a whole backup: there is one of the database's major version, and no file is in a bucket, which
 * it does not know. An older one refuses, and a server of this version may refuse what a newer one writes, because that
 * pg_restore sets parameters that the server does not know. None works through a transaction pooler: both set parameters
 * of the session.
 */
export async function canDump(connection: Connection, env: Environment): Promise<boolean> {
  if (connection.pooler === 'transaction') return false;
  const major = await majorOf('pg_dump', env);
  if (major === undefined) return false;
  const client = await openLongTransaction(connection, 'formhost backup');
  try {
    const { rows } = await client.query<{ major: number; schema: string }>(
      "SELECT current_setting('server_version_num')::int / 10000 AS major, current_schema() AS schema",
    );
    return rows[0]?.major === major && rows[0].schema === SCHEMA && !(await hasFilesInBucket(client));
  } finally {
    await client.end();
  }
}

/** Writes a dump in pg_dump's custom format; `out` is not ended. Throws a BackupError. */
export async function dump(connection: Connection, env: Environment, out: Writable): Promise<void> {
  const args = ['--format=custom', '--no-owner', '--no-privileges', `--schema=${SCHEMA}`, '--no-password'];
  const without = NOT_IN_BACKUPS.map((table) => `--exclude-table-data=${SCHEMA}.${table}`);
  await run('pg_dump', [...args, ...without], libpq(connection, env), out);
}

/** The migrations of the database in a dump. */
async function migrationsIn(file: string, env: Environment): Promise<string[]> {
  const args = ['--data-only', `--schema=${SCHEMA}`, '--table=knex_migrations', '--file=-', file];
  const sql = await run('pg_restore', args, env);
  const [, columns = '', rows = ''] = /^COPY \S+ \(([^)]*)\) FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(sql) ?? [];
  const at = columns.split(', ').indexOf('name');
  return rows.split('\n').flatMap((row) => row.split('\t')[at] ?? []);
}

/** Restores a dump into an empty database, all of it or nothing. Throws a BackupError with the reason. */
export async function restoreDump(
  connection: Connection,
  env: Environment,
  file: string,
  limits: Limits,
): Promise<void> {
  if (connection.pooler === 'transaction') {
    throw new BackupError(
      "the backup is in pg_dump's format, which can't be restored through a transaction pooler: set DATABASE_URL to the " +
        'server itself, and DATABASE_POOLER to none, for this command',
    );
  }
  if ((await majorOf('pg_restore', env)) === undefined) {
    throw new BackupError(
      "the backup is in pg_dump's format, and there is no pg_restore here: install Postgres' clients",
    );
  }
  const migrations = await migrationsIn(file, env);
  if (migrations.length === 0) throw new BackupError('there is no formhost in this dump: nothing was restored');
  checkMigrations(migrations);
  await checkTarget(connection);
  const settings = libpq(connection, env);
  const args = ['--clean', '--if-exists', '--no-owner', '--no-privileges', `--schema=${SCHEMA}`, '--no-password'];
  const whole = ['--single-transaction', '--exit-on-error', `--dbname=${settings.PGDATABASE}`, file];
  await run('pg_restore', [...args, ...whole], settings);
  await bringUpToDate(connection, limits);
}
