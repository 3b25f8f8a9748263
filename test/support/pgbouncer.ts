import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { accountFor, detached, withReach } from '../../src/db/postgres/postgres-account.ts';
import { runSql } from './database.ts';
import { freePort } from './process.ts';

/** Debian installs it where only root's PATH leads. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const BINARY = FOLDERS.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));

/** Returns whether pgbouncer is installed, and warns on standard error if it is not. */
export function hasPgbouncer(): boolean {
  if (BINARY === undefined) console.warn('pgbouncer is not installed: the tests behind it were left out');
  return BINARY !== undefined;
}

/**
 * A pgbouncer in front of a database, with a connection to Postgres for each transaction; ends with the test. Answers
 * the URL through it. It accepts no start-up parameters besides those of every client, as its default is.
 */
export async function startPgbouncer(databaseUrl: string, more = ''): Promise<string> {
  if (BINARY === undefined) throw new Error('There is no pgbouncer');
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const folder = await mkdtemp(join(tmpdir(), 'formhost-pgbouncer-'));
  const listenPort = await freePort();
  const auth = password === '' ? '' : ` password=${decodeURIComponent(password)}`;
  const server = `host=${searchParams.get('host') ?? hostname} port=${port || 5432} user=${username}${auth}`;
  const ini = join(folder, 'pgbouncer.ini');
  await writeFile(
    ini,
    `[databases]
${name} = ${server} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
${more}
`,
  );
  // It refuses to run as root.
  const socketFolder = searchParams.get('host') ?? folder;
  await chmod(folder, 0o755);
  const account = await withReach(await accountFor(join(folder, 'none')), BINARY, socketFolder);
  const [file, args, options] = detached(account, BINARY, [ini]);
  const child = spawn(file, args, { ...options, stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const url = `postgres://${username}@127.0.0.1:${listenPort}/${name}`;
  await vi.waitFor(() => runSql(url, 'SELECT 1'), { timeout: 60_000, interval: 50 });
  return url;
}
