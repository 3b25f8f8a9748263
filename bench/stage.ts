import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connect, type Database } from '../src/db/postgres/connect.ts';
import { openEmbeddedPostgres } from '../src/db/postgres/embedded-postgres.ts';
import { migrate } from '../src/db/postgres/migrate.ts';
import { LIMITS } from '../src/limits.ts';
import { SIZES } from '../src/sizes.ts';
import { installedPostgres, startInstalled } from '../test/support/cluster.ts';
import type { Row } from './measure.ts';

export const DEPLOYMENTS = 10_000;
/** The rate limit of a deployment whose owner has not changed it. */
export const SUBMISSIONS_A_MINUTE: number = SIZES.submissionRate.max;
/** 16 MB each. */
const LOG_FILES = 40;

const { scripts }: { scripts: { start: string } } = JSON.parse(readFileSync('package.json', 'utf8'));
/** The command of `npm start`. */
export const START: readonly string[] = ['sh', '-c', scripts.start];

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}

/** Starts a program and waits until `url` is answered, and not with an error of the server's. */
async function start(
  [file = '', ...args]: readonly string[],
  url: string,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt += 1) {
    const isUp = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status < 500;
      },
      () => false,
    );
    if (isUp) return child;
    await delay(100);
  }
  child.kill('SIGKILL');
  throw new Error(`${[file, ...args].join(' ')} did not start.`);
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** A database with an owner, deployments and nothing else. */
export type Stage = {
  /** For files; it goes with the stage. */
  folder: string;
  db: Database;
  /** For DATABASE_URL. */
  url: string;
  connection: pg.ClientConfig;
  /** The arguments with which pgbench and psql reach the database. */
  reach: readonly string[];
  postmaster: number;
  /** Starts a program that is stopped with the stage; its process id. */
  start(command: readonly string[], url: string, env?: Record<string, string>): Promise<number>;
  /** Starts the service on it. */
  serve(env?: Record<string, string>): Promise<{ port: number; pid: number }>;
};

/** Measures on a stage of its own: gives rows, and says what it leaves out. */
export type Case = (stage: Stage, leaveOut: (what: string) => void) => Promise<Row[]>;

/** The server of a stage in `folder`: that of TEST_POSTGRES_BIN, else the embedded one. */
async function startPostgres(folder: string) {
  const programs = installedPostgres();
  if (programs === undefined) return openEmbeddedPostgres(folder);
  const { socket, stop } = await startInstalled(programs, folder);
  const connection = { host: socket, port: 5432, user: 'postgres', database: 'postgres', ssl: false };
  return { connection, close: stop };
}

/** Prepares a stage, and removes it when `play` has ended. */
export async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-bench-'));
  const children: ChildProcess[] = [];
  const server = await startPostgres(folder);
  const { host, port, user, database } = server.connection;
  const db = connect(server.connection, { limits: LIMITS });
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;

  async function run(...args: Parameters<typeof start>): Promise<number> {
    const child = await start(...args);
    children.push(child);
    return child.pid ?? 0;
  }
  try {
    await migrate(server.connection);
    await seed(server.connection);
    await makeLogFiles(server.connection);
    return await play({
      folder,
      db,
      url,
      connection: server.connection,
      reach: ['-h', host, '-p', String(port), '-U', user, database],
      postmaster: Number.parseInt(await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8'), 10),
      start: run,
      async serve(env = {}) {
        const httpPort = await freePort();
        const settings = { PORT: String(httpPort), DATABASE_URL: url, LOG_LEVEL: 'error', ...env };
        const pid = await run(START, `http://127.0.0.1:${httpPort}/readyz`, settings);
        return { port: httpPort, pid };
      },
    });
  } finally {
    await Promise.all(children.map(stop));
    await db.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const seed = async (connection: pg.ClientConfig): Promise<void> => {
  await sql(connection, "INSERT INTO owners (email, plan) VALUES ('bench@test.example', 'unlimited')");
  await addDeployments(connection, 0, DEPLOYMENTS);
};

/** Adds deployments of the owner, with numbers in their ids and slugs. */
export const addDeployments = (connection: pg.ClientConfig, from: number, to: number): Promise<void> =>
  sql(
    connection,
    // Without triggers: every process would read all of these changes.
    `SET session_replication_role = replica;
     INSERT INTO deployments (id, owner_id, slug)
     SELECT 'd_' || lpad(n::text, 24, '0'), 1, 'bench-' || translate(n::text, '0123456789', 'abcdefghij')
       FROM generate_series(${from}, ${to - 1}) AS n;
     ANALYZE deployments`,
  );

/**
 * Makes the files of the write-ahead log that some rounds fill. A server that has been running has them: it uses the old
 * ones again after a checkpoint. To make one takes 50 ms, in which no commit ends.
 */
async function makeLogFiles(connection: pg.ClientConfig): Promise<void> {
  await sql(connection, "ALTER SYSTEM SET min_wal_size = '1GB'");
  await sql(connection, 'SELECT pg_reload_conf()');
  await sql(connection, 'CHECKPOINT');
  await sql(
    connection,
    `DO $$ BEGIN
       FOR file IN 1..${LOG_FILES} LOOP
         PERFORM pg_logical_emit_message(false, 'bench', '');
         PERFORM pg_switch_wal();
       END LOOP;
     END $$`,
  );
  await sql(connection, 'CHECKPOINT');
}

/** Runs statements that take longer than the service's pool allows. */
export async function sql(connection: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/**
 * Empties what a round filled, including the window of every deployment, while no batch is in progress. A process that has
 * refused submissions still refuses them for a minute.
 */
export async function reset(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE deployments IN EXCLUSIVE MODE');
    await transaction.raw(
      `UPDATE deployments SET recent_submissions = '{}', submission_count = 0, last_submission_number = 0
        WHERE submission_count > 0 OR recent_submissions <> '{}'`,
    );
    await transaction.raw('TRUNCATE submissions CASCADE');
  });
  // Dead rows of earlier rounds are not to be measured.
  await db.raw('VACUUM deployments');
}

/** How many submissions there are; throws when a counter says otherwise, or a deployment took more than it may. */
export async function stored(db: Database, mostOfForm = SUBMISSIONS_A_MINUTE): Promise<number> {
  const { rows } = await db.raw(
    `SELECT (SELECT count(*) FROM submissions) AS rows, sum(submission_count)::bigint AS counted,
            max(cardinality(recent_submissions)) AS most FROM deployments`,
  );
  const [{ rows: count, counted, most }] = rows;
  if (count !== counted) throw new Error(`${count} rows, but ${counted} counted.`);
  if (most > mostOfForm) throw new Error(`A deployment took ${most} submissions.`);
  return count;
}
