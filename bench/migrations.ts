/*
 * Measures an update: the version before, in FOLDER, serves a database with a million submissions while the migrations
 * of this version run, one after another. Prints for each how long it took, and the slowest request meanwhile.
 *
 *   node bench/migrations.ts FOLDER
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { compareMigrations, migrate } from '../src/db/postgres/migrate.ts';
import { freePort, onStage, sql } from './stage.ts';

const SUBMISSIONS = 1_000_000;
const BATCH = 50_000;
const DEPLOYMENTS = 5_000;
/** Of them all, the first one has half. */
const CLIENTS = 4;
/** Before and after each migration, so that what waits for its locks is counted too. */
const MARGIN_MS = 1_000;

async function fill(connection: pg.ClientConfig, hasMarks: boolean): Promise<void> {
  await sql(
    connection,
    `INSERT INTO deployments (id, owner_id, slug)
     SELECT 'd_' || lpad(n::text, 24, '0'), 1, 'bench-' || translate(n::text, '0123456789', 'abcdefghij')
       FROM generate_series(0, ${DEPLOYMENTS - 1}) AS n;
     INSERT INTO pages (deployment_id, html) SELECT id, '<h1>Bench</h1>' FROM deployments;
     INSERT INTO webhooks (id, deployment_id, url, type, events, receiver, active)
     SELECT 'wh_' || substr(id, 3), id, 'http://127.0.0.1:9/', 'generic', '{submission}', '127.0.0.1:9', false FROM deployments`,
  );
  for (let from = 0; from < SUBMISSIONS; from += BATCH) {
    const rows = `generate_series(${from}, ${from + BATCH - 1}) AS n, LATERAL (
      SELECT CASE WHEN n % 2 = 0 THEN 0 ELSE n / 2 % ${DEPLOYMENTS} END AS deployment) AS chosen`;
    await sql(
      connection,
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT 'd_' || lpad(deployment::text, 24, '0'), n + 1, 'sub_' || lpad(n::text, 24, '0'),
              json_build_object('name', 'Person ' || n, 'message', repeat('some words ', 10)), '192.0.2.1',
              timestamptz '2026-01-01' + n * interval '1 second'
         FROM ${rows};
       INSERT INTO deliveries (id, deployment_id, submission_id, webhook_id, status, next_attempt_at, created_at, updated_at)
       SELECT 'dl_' || lpad(n::text, 24, '0'), 'd_' || lpad(deployment::text, 24, '0'), 'sub_' || lpad(n::text, 24, '0'),
              'wh_' || lpad(deployment::text, 24, '0'), CASE n % 10 WHEN 0 THEN 'pending' ELSE 'succeeded' END,
              'infinity', now(), now()
         FROM ${rows};
       ${hasMarks ? `INSERT INTO submission_marks SELECT deployment_id, number, true, false FROM submissions WHERE number BETWEEN ${from} + 1 AND ${from + BATCH}` : ''}`,
    );
  }
  await sql(
    connection,
    `UPDATE deployments SET submission_count = counted.count, last_submission_number = ${SUBMISSIONS}
       FROM (SELECT deployment_id, count(*) FROM submissions GROUP BY 1) AS counted WHERE counted.deployment_id = deployments.id`,
  );
  await sql(connection, 'VACUUM ANALYZE');
}

type Took = { what: string; from: number; ms: number; status: number };

/** Requests of all kinds, until the signal fires. */
async function load(port: number, key: string, signal: AbortSignal): Promise<Took[]> {
  const took: Took[] = [];
  let n = 0;
  const request = async (what: string, path: string, init: RequestInit): Promise<void> => {
    const from = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    await response.arrayBuffer();
    took.push({ what, from, ms: performance.now() - from, status: response.status });
  };
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      n += 1;
      const id = `d_${String((n * 7) % DEPLOYMENTS).padStart(24, '0')}`;
      await request('submit', `/submit/${id}`, { method: 'POST', body: new URLSearchParams({ n: String(n) }) });
      const headers = { Authorization: `Bearer ${key}` };
      if (n % 3 === 0) await request('list', `/submissions/${id}`, { headers });
      if (n % 3 === 1) await request('get', `/deploy/${id}`, { headers });
      if (n % 3 === 2)
        await request('settings', `/deploy/${id}`, {
          method: 'PATCH',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: '{"email_notifications":false}',
        });
      await delay(2);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return took;
}

async function runMigrations(connection: pg.ClientConfig): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations');
  await client.end();
  return rows.map(({ name }) => name);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node bench/migrations.ts FOLDER (of the version before, with its node_modules)\n');
  process.exit(2);
}

await onStage(async (stage) => {
  await sql(stage.connection, 'CREATE DATABASE before');
  const url = new URL(stage.url);
  url.pathname = '/before';
  const connection = { connectionString: url.href };
  const port = await freePort();
  const settings = {
    ...{ PORT: String(port), DATABASE_URL: url.href, LOG_LEVEL: 'fatal', DATA_DIR: join(stage.folder, 'data') },
  };
  const command = ['sh', '-c', `cd ${folder} && exec node src/main.ts`];
  await stage.start(command, `http://127.0.0.1:${port}/readyz`, settings);
  const run = await runMigrations(connection);
  const made = await promisify(execFile)(
    'npm',
    ['run', '--silent', 'keys', '--', 'create', '--email', 'a@test.example'],
    {
      ...{ cwd: folder, env: { ...process.env, ...settings } },
    },
  );
  const key = made.stdout.trim();
  await fill(connection, run.includes('0017-submission-marks'));
  console.log(`${SUBMISSIONS} submissions, filled by the version of ${run.at(-1)}`);

  const over = new AbortController();
  const loading = load(port, key, over.signal);
  await delay(5_000);
  const windows: { name: string; from: number; to: number }[] = [];
  for (const name of compareMigrations(run).missing) {
    await delay(MARGIN_MS);
    const from = performance.now();
    await migrate(connection, { only: [name] });
    windows.push({ name, from, to: performance.now() });
  }
  await delay(5_000);
  over.abort();
  const took = await loading;
  const slowest = (of: readonly Took[]): string =>
    of.length === 0 ? '-' : `${Math.max(...of.map(({ ms }) => ms)).toFixed(0)} ms`;
  for (const { name, from, to } of windows) {
    const during = took.filter((one) => one.from < to && one.from + one.ms > from);
    console.log(
      `${name}: ${(to - from).toFixed(0)} ms; slowest of ${during.length} requests ${slowest(during)}, ` +
        `of submissions ${slowest(during.filter(({ what }) => what === 'submit'))}`,
    );
  }
  const byStatus = Map.groupBy(took, ({ status }) => status);
  const statuses = Array.from(byStatus, ([status, of]) => `${of.length} answered ${status}`);
  console.log(`all: slowest of ${took.length} requests ${slowest(took)}; ${statuses.join(', ')}`);
});
