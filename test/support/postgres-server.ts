import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { detached } from '../../src/db/postgres/postgres-account.ts';
import { type Cluster, makeCluster } from './cluster.ts';
import { runSql } from './database.ts';
import { isAlive } from './postmaster.ts';
import { freePort } from './process.ts';

const shell = promisify(execFile);

const newFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'formhost-faults-')));

/** The processes that this one has started (Linux). */
export async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.split(' ').filter(Boolean).map(Number);
}

type Replica = {
  url: string;
  port: number;
  freeze(): Promise<unknown>;
  thaw(): Promise<unknown>;
  close(): Promise<void>;
};

export type PostgresServer = Awaited<ReturnType<typeof serve>>;

/**
 * A Postgres for one test, which no service restarts, always at the same address; runs until `close`. `prepare` may write
 * files into its folder, and answers settings.
 */
export async function startPostgresServer(prepare: (data: string) => Promise<string[]> = async () => []) {
  const root = await newFolder();
  const cluster = await makeCluster(root);
  return serve(root, cluster, await prepare(cluster.data));
}

async function serve(root: string, cluster: Cluster, settings: readonly string[]) {
  const { data, postgres, account } = cluster;
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const where = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='];
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = ['-D', data, ...[...where, ...settings].flatMap((setting) => ['-c', setting])];
    const [file, argv, options] = detached(account, postgres, args);
    server = spawn(file, argv, { ...options, stdio: 'ignore' });
    await vi.waitFor(() => runSql(url, 'SELECT 1'), { timeout: 60_000, interval: 20 });
  }

  /** Sends a signal to the postmaster and to all of its processes, none of which is in its group. */
  async function signal(name: NodeJS.Signals): Promise<readonly number[]> {
    const pid = server?.pid;
    if (pid === undefined) return [];
    // While it is stopped, it starts no new process.
    if (name !== 'SIGCONT') process.kill(pid, 'SIGSTOP');
    const all = [pid, ...(await childrenOf(pid))];
    for (const each of all) if (isAlive(each)) process.kill(each, name);
    return all;
  }

  async function end(name: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    await signal('SIGCONT');
    const ended = once(server, 'exit');
    server.kill(name);
    await ended;
  }

  await start();
  return {
    url,
    port,
    start,
    /** Stops the server as `pg_ctl stop -m immediate` does. */
    stop: () => end('SIGQUIT'),
    /** Freezes all of its processes. */
    async kill(): Promise<void> {
      const all = await signal('SIGKILL');
      await vi.waitFor(
        () => {
          if (all.some(isAlive)) throw new Error('Postgres is still there');
        },
        { timeout: 60_000, interval: 10 },
      );
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** A server that follows this one, which is stopped for a moment, until it is promoted. */
    async replica(): Promise<Replica> {
      await end('SIGINT');
      const copy = await newFolder();
      const copied = join(copy, 'postgres');
      await shell('cp', ['-a', data, copied]);
      await start();
      await writeFile(join(copied, 'standby.signal'), '', { mode: 0o644 });
      return serve(copy, { ...cluster, data: copied }, [`primary_conninfo=host=127.0.0.1 port=${port} user=postgres`]);
    },
    async close(): Promise<void> {
      await end('SIGINT');
      await rm(root, { recursive: true });
    },
  };
}
