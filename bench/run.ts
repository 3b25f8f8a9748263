import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect, type Database } from '../src/db/connect.ts';
import { openEmbeddedPostgres } from '../src/db/embedded-postgres.ts';
import { migrate } from '../src/db/migrate.ts';

/*
 * Measures the two hot paths, each as a ratio to something plain in the same run: rounds alternate, medians are
 * compared. Needs wrk and pgbench (Debian: wrk, postgresql-contrib). `npm run bench`, or `npm run bench -- submit`.
 */

const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 64;
const DEPLOYMENTS = 10_000;
const HOSTS = 1_000;
const PAGE_BYTES = 8_192;

const run = promisify(execFile);
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Runs `a` and `b` in turn and prints b's rate as a ratio to a's; both answer with operations a second. */
async function compare(name: string, a: () => Promise<number>, b: () => Promise<number>): Promise<void> {
  const rates: [number, number][] = [];
  for (let round = 0; round <= ROUNDS; round += 1) rates.push([await a(), await b()]);
  const counted = rates.slice(1); // the first round warms up
  const ratios = counted.map(([plain, ours]) => ours / plain);
  const plain = median(counted.map(([rate]) => rate));
  const ours = median(counted.map(([, rate]) => rate));
  console.log(
    `${name}: ${ours.toFixed(0)}/s to ${plain.toFixed(0)}/s, ratio ${(ours / plain).toFixed(2)} (rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
  );
}

/** Requests a second that wrk gets through, from a script of its own. */
async function wrk(script: string, port: number): Promise<{ rate: number; failures: number; p99: string }> {
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${SECONDS}s`,
    '--latency',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ]);
  return {
    rate: Number(/Requests\/sec:\s+([0-9.]+)/.exec(stdout)?.[1]),
    failures: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
    p99: /99%\s+(\S+)/.exec(stdout)?.[1] ?? '',
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}

async function start(args: readonly string[], env: Record<string, string>, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return child;
    await delay(100);
  }
  throw new Error(`${args.join(' ')} did not start.`);
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function seed(db: Database): Promise<void> {
  await db.raw("INSERT INTO owners (email, plan) VALUES ('bench@test.example', 'unlimited')");
  await db.raw(
    `INSERT INTO deployments (id, owner_id, slug)
     SELECT 'd_' || lpad(n::text, 24, '0'), 1, 'bench-' || translate(n::text, '0123456789', 'abcdefghij') FROM generate_series(0, ?) AS n`,
    [DEPLOYMENTS - 1],
  );
  await db.raw('ANALYZE deployments');
}

/** Empties what a round filled, the window of every deployment too; in this order, for a last batch may be under way. */
async function reset(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.raw(
      "UPDATE deployments SET recent_submissions = '{}', submission_count = 0, last_submission_number = 0",
    );
    await transaction.raw('TRUNCATE submissions');
  });
  // What the rounds leave behind is not what is measured.
  await db.raw('VACUUM deployments');
}

async function stored(db: Database): Promise<number> {
  const { rows } = await db.raw(
    'SELECT (SELECT count(*) FROM submissions) AS rows, sum(submission_count)::bigint AS counted FROM deployments',
  );
  if (rows[0].rows !== rows[0].counted) throw new Error(`${rows[0].rows} rows, but ${rows[0].counted} counted.`);
  return rows[0].rows;
}

async function submit(folder: string): Promise<void> {
  const embedded = await openEmbeddedPostgres(join(folder, 'submit'));
  const { host, port, user, database } = embedded.connection;
  await migrate(embedded.connection);
  const db = connect(embedded.connection);
  await seed(db);

  const insert = join(folder, 'insert.sql');
  await writeFile(
    insert,
    String.raw`\set n random(0, ${DEPLOYMENTS - 1})
WITH counted AS (
  UPDATE deployments SET submission_count = submission_count + 1, last_submission_number = last_submission_number + 1
   WHERE id = 'd_' || lpad((:n)::text, 24, '0') RETURNING id, last_submission_number
) INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
  SELECT id, last_submission_number, 'sub_' || gen_random_uuid(), '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}', '127.0.0.1', clock_timestamp() FROM counted;
`,
  );
  const script = join(folder, 'submit.lua');
  await writeFile(
    script,
    `local n = 0
local body = '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}'
local headers = { ["Content-Type"] = "application/json" }
request = function()
  n = (n + 1) % ${DEPLOYMENTS}
  return wrk.format("POST", string.format("/submit/d_%024d", n), headers, body)
end
`,
  );

  const httpPort = await freePort();
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const service = await start(
    ['src/main.ts'],
    { PORT: String(httpPort), DATABASE_URL: url, LOG_LEVEL: 'warn' },
    `http://127.0.0.1:${httpPort}/healthz`,
  );
  const p99: string[] = [];
  try {
    await compare(
      'submit, JSON, to pgbench',
      async () => {
        await reset(db);
        await run('pgbench', [
          '-n',
          '-M',
          'prepared',
          '-c',
          '16',
          '-j',
          '1',
          '-T',
          String(SECONDS),
          '-f',
          insert,
          '-h',
          host,
          '-p',
          String(port),
          '-U',
          user,
          database,
        ]);
        return (await stored(db)) / SECONDS;
      },
      async () => {
        await reset(db);
        const { failures, p99: slow } = await wrk(script, httpPort);
        p99.push(slow);
        if (failures > 0) console.log(`(${failures} answers were not 2xx)`);
        return (await stored(db)) / SECONDS;
      },
    );
    console.log(`submit, p99 of the rounds: ${p99.slice(1).join(' ')}`);
  } finally {
    await stop(service);
    await db.close();
    await embedded.close();
  }
}

async function pages(folder: string): Promise<void> {
  const embedded = await openEmbeddedPostgres(join(folder, 'pages'));
  const { host, port, user, database } = embedded.connection;
  await migrate(embedded.connection);
  const db = connect(embedded.connection);
  await seed(db);
  await db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(repeat('x', ?), 'UTF8') FROM deployments LIMIT ?",
    [PAGE_BYTES, HOSTS],
  );
  const script = join(folder, 'pages.lua');
  await writeFile(
    script,
    `local requests = {}
for n = 0, ${HOSTS - 1} do
  local name = tostring(n):gsub("%d", function(digit) return string.char(97 + tonumber(digit)) end)
  requests[n] = "GET / HTTP/1.1\\r\\nHost: bench-" .. name .. ".localhost\\r\\n\\r\\n"
end
local n = 0
request = function()
  n = (n + 1) % ${HOSTS}
  return requests[n]
end
`,
  );
  const [barePort, httpPort] = [await freePort(), await freePort()];
  const bare = await start(
    ['bench/bare-pages.ts', String(barePort), String(HOSTS), String(PAGE_BYTES)],
    {},
    `http://127.0.0.1:${barePort}`,
  );
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const service = await start(
    ['src/main.ts'],
    { PORT: String(httpPort), DATABASE_URL: url, LOG_LEVEL: 'warn' },
    `http://127.0.0.1:${httpPort}/readyz`,
  );
  const measure = async (port: number): Promise<number> => {
    const { rate, failures } = await wrk(script, port);
    if (failures > 0) throw new Error(`${failures} answers were not 2xx.`);
    return rate;
  };
  try {
    await compare(
      'pages, 8 KB, to bare node:http',
      () => measure(barePort),
      () => measure(httpPort),
    );
  } finally {
    await Promise.all([stop(bare), stop(service)]);
    await db.close();
    await embedded.close();
  }
}

const CASES: Readonly<Record<string, (folder: string) => Promise<void>>> = { submit, pages };

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'formhost-bench-'));
try {
  for (const [name, measure] of Object.entries(CASES)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure(folder);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
