import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { globSync, openSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { accountFor, detached } from '../../src/db/postgres/postgres-account.ts';
import { runSql } from './database.ts';
import { childrenOf } from './postgres-server.ts';
import { isAlive, serverPid } from './postmaster.ts';
import { freePort, PROJECT } from './process.ts';

const NAMES = ['h1', 'h2', 'h3'] as const;
type Name = (typeof NAMES)[number];

const USER = 'patroni:REST_SECRET';
const SUPERUSER = 'postgres:POSTGRES_SECRET';

/** The programs of the newest Postgres of Debian. */
const POSTGRES = globSync('/usr/lib/postgresql/*/bin/pg_basebackup')
  .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .at(-1);

/** Whether there is a Patroni with all that it needs. Where there is none, prints which tests are left out. */
export function hasPatroni(tests: string): boolean {
  const missing = ['patroni', 'etcd'].find((each) => spawnSync('sh', ['-c', `command -v ${each}`]).status !== 0);
  const name = missing ?? (POSTGRES === undefined ? 'a Postgres of Debian' : undefined);
  if (name !== undefined) process.stderr.write(`${name} is not installed: ${tests} are left out.\n`);
  return name === undefined;
}

/** Replaces something in the shipped configuration; it has to be there. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`deploy/patroni.yml does not match ${pattern}`);
  return text.replace(pattern, by);
}

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });

async function untilGone(pids: readonly number[]): Promise<void> {
  await until(async () => {
    if (pids.some(isAlive)) throw new Error('a process is still there');
  });
}

type Listed = { members: { name: string; role: string; state: string; timeline?: number }[] };

export type Member = {
  name: Name;
  port: number;
  apiPort: number;
  url: string;
  start(): void;
  /** Stops Patroni and Postgres for the moment, with all their processes. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  kill(): Promise<void>;
};

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Three servers with deploy/patroni.yml as it is, except for addresses, folders and the watchdog, which this machine
 * may not have, and a single etcd. The programs are those of the PATH.
 */
export async function startCluster() {
  const account = await accountFor('/nonexistent');
  const folder = await mkdtemp(join(tmpdir(), 'formhost-patroni-'));
  await chown(folder, account.uid, account.gid);
  const log = openSync(join(folder, 'log'), 'a');
  const shipped = await readFile(join(PROJECT, 'deploy/patroni.yml'), 'utf8');
  const patroni = spawnSync('sh', ['-c', 'command -v patroni']).stdout.toString().trim();

  /** Such as 4.0.7. */
  const version = spawnSync(patroni, ['--version']).stdout.toString().trim().split(' ').at(-1) ?? '';

  const run = (file: string, args: string[]): ChildProcess => {
    const [command, argv, options] = detached(account, file, args);
    return spawn(command, argv, { ...options, stdio: ['ignore', log, log] });
  };

  const [client, peer] = [await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${client}`;
  const etcd = run(spawnSync('sh', ['-c', 'command -v etcd']).stdout.toString().trim(), [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
  ]);

  async function memberOf(name: Name): Promise<Member> {
    const [port, apiPort] = [await freePort(), await freePort()];
    const home = join(folder, name);
    await mkdir(home);
    await chown(home, account.uid, account.gid);
    let text = shipped;
    text = replaced(text, /name: h1/, `name: ${name}`);
    text = replaced(text, /listen: 0\.0\.0\.0:8008/, `listen: 127.0.0.1:${apiPort}`);
    text = replaced(text, /connect_address: h1:8008/, `connect_address: 127.0.0.1:${apiPort}`);
    text = replaced(text, /hosts: \[.*\]/, `hosts: ['127.0.0.1:${client}']`);
    text = replaced(text, /listen: 0\.0\.0\.0:5432/, `listen: 127.0.0.1:${port}`);
    text = replaced(text, /connect_address: h1:5432/, `connect_address: 127.0.0.1:${port}`);
    const sockets = `\n  pgpass: ${home}/pgpass\n  parameters: { unix_socket_directories: ${home} }`;
    text = replaced(text, /data_dir: .*/, `data_dir: ${home}/postgres${sockets}`);
    text = replaced(text, /bin_dir: .*/, `bin_dir: ${dirname(POSTGRES ?? '')}`);
    text = replaced(text, /10\.0\.0\.0\/24/g, '127.0.0.1/32');
    text = replaced(text, /mode: required/, 'mode: off');
    const file = join(home, 'patroni.yml');
    await writeFile(file, text);
    let child: ChildProcess | undefined;

    /** Sends a signal to Patroni, then to the postmaster and to all of its processes. */
    async function signal(sent: NodeJS.Signals): Promise<number[]> {
      const pids = [child?.pid, await serverPid(home)].filter((pid) => pid !== undefined);
      // What is stopped starts no new process.
      if (sent !== 'SIGCONT') for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGSTOP');
      const all = [...pids, ...(await Promise.all(pids.map(childrenOf))).flat()];
      for (const pid of all) if (isAlive(pid)) process.kill(pid, sent);
      return all;
    }

    return {
      name,
      port,
      apiPort,
      url: `postgres://${SUPERUSER}@127.0.0.1:${port}/formhost`,
      start: () => {
        child = run(patroni, [file]);
      },
      freeze: async () => void (await signal('SIGSTOP')),
      thaw: async () => void (await signal('SIGCONT')),
      kill: async () => untilGone(await signal('SIGKILL')),
    };
  }

  const members = await Promise.all(NAMES.map(memberOf));

  async function close(): Promise<void> {
    for (const member of members) await member.kill();
    etcd.kill('SIGKILL');
    await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }

  /** What the first Patroni that answers says of all. */
  async function list(): Promise<Listed['members']> {
    const asked = members.map(async ({ apiPort }): Promise<Listed> => {
      const response = await fetch(`http://127.0.0.1:${apiPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
      return JSON.parse(await response.text());
    });
    return (await Promise.any(asked)).members;
  }

  /** The member that has a role, according to the list. */
  async function the(role: 'leader' | 'sync_standby'): Promise<Member> {
    const named = (await list()).find((each) => each.role === role)?.name;
    const member = members.find(({ name }) => name === named);
    if (!member) throw new Error(`There is no ${role}`);
    return member;
  }

  /** Settles when Patroni names a leader, a synchronous standby and another one. */
  const settled = (): Promise<void> =>
    until(async () => {
      const listed = await list();
      const roles = listed.map(({ role }) => role).toSorted();
      const isSame = listed.every(({ timeline }) => timeline === listed[0]?.timeline);
      const isRunning = listed.every(({ state }) => state === 'running' || state === 'streaming');
      if (roles.join() !== 'leader,replica,sync_standby' || !isSame || !isRunning) {
        throw new Error(JSON.stringify(listed));
      }
    });

  /** Settles when both of the others follow the leader. */
  const followed = (): Promise<void> =>
    until(async () => {
      const { url } = await the('leader');
      await runSql(url, "SELECT 1 / (count(*) / 2) FROM pg_stat_replication WHERE state = 'streaming'");
    });

  try {
    for (const member of members) member.start();
    await settled();
    const leader = await the('leader');
    const postgres = leader.url.replace(/formhost$/, 'postgres');
    await runSql(postgres, "CREATE ROLE formhost LOGIN PASSWORD 'SECRET'");
    await runSql(postgres, 'CREATE DATABASE formhost OWNER formhost');
  } catch (error) {
    const lines = await readFile(join(folder, 'log'), 'utf8');
    await close();
    throw new Error(`The cluster does not start: ${lines.slice(-4_000)}`, { cause: error });
  }

  return {
    version,
    members,
    settled,
    followed,
    the,
    /** All three, as the service's role. */
    databaseUrl: `postgres://formhost:SECRET@${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/formhost?target_session_attrs=read-write`,
    /** Has Patroni make the synchronous standby the leader; settles when it is. */
    switchover: (): Promise<void> =>
      until(async () => {
        const [leader, candidate] = [await the('leader'), await the('sync_standby')];
        const response = await fetch(`http://127.0.0.1:${leader.apiPort}/switchover`, {
          method: 'POST',
          headers: { Authorization: `Basic ${btoa(USER)}` },
          body: JSON.stringify({ leader: leader.name, candidate: candidate.name }),
        });
        if (response.status !== 200) throw new Error(await response.text());
      }),
    close,
  };
}
