import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Database } from '../src/db/connect.ts';

const ROUNDS = 5;
export const SECONDS = 4;
const CONNECTIONS = 64;
export const DEPLOYMENTS = 10_000;

export const run = promisify(execFile);
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Runs `a` and `b` in turn and prints b's rate as a ratio to a's; both answer with operations a second. */
export async function compare(name: string, a: () => Promise<number>, b: () => Promise<number>): Promise<void> {
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

/** Requests a second that wrk gets through with a script, and how long they take (p99, in milliseconds). */
export async function wrk(script: string, port: number): Promise<{ rate: number; failures: number; p99: number }> {
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${SECONDS}s`,
    '--latency',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ]);
  const [, p99, unit] = /99%\s+([0-9.]+)(us|ms|s)/.exec(stdout) ?? [];
  return {
    rate: Number(/Requests\/sec:\s+([0-9.]+)/.exec(stdout)?.[1]),
    failures: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
    p99: Number(p99) * (unit === 's' ? 1_000 : unit === 'us' ? 0.001 : 1),
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}

export async function start(args: readonly string[], env: Record<string, string>, url: string): Promise<ChildProcess> {
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

export async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

export async function seed(db: Database): Promise<void> {
  await db.raw("INSERT INTO owners (email, plan) VALUES ('bench@test.example', 'unlimited')");
  await db.raw(
    `INSERT INTO deployments (id, owner_id, slug)
     SELECT 'd_' || lpad(n::text, 24, '0'), 1, 'bench-' || translate(n::text, '0123456789', 'abcdefghij') FROM generate_series(0, ?) AS n`,
    [DEPLOYMENTS - 1],
  );
  await db.raw('ANALYZE deployments');
}

/** Empties what a round filled, the window of every deployment too, while no batch is under way. */
export async function reset(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE deployments IN EXCLUSIVE MODE');
    await transaction.raw(
      "UPDATE deployments SET recent_submissions = '{}', submission_count = 0, last_submission_number = 0",
    );
    await transaction.raw('TRUNCATE submissions');
  });
  // What the rounds leave behind is not what is measured.
  await db.raw('VACUUM deployments');
}

export async function stored(db: Database): Promise<number> {
  const { rows } = await db.raw(
    'SELECT (SELECT count(*) FROM submissions) AS rows, sum(submission_count)::bigint AS counted FROM deployments',
  );
  if (rows[0].rows !== rows[0].counted) throw new Error(`${rows[0].rows} rows, but ${rows[0].counted} counted.`);
  return rows[0].rows;
}
