import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { type Account, accountFor, run, withReach } from '../../src/db/postgres/postgres-account.ts';

/** A cluster of Postgres that no service starts, and the account that runs its `postgres`. */
export type Cluster = { data: string; postgres: string; account: Account };

/** The folder of the programs of an installed Postgres, which tests use instead of the embedded one; undefined where they use that. */
export const installedPostgres = (): string | undefined => process.env.TEST_POSTGRES_BIN || undefined;

/** Makes a cluster of an installed Postgres in `root`, and starts it: it listens on a socket in the folder `socket` only. */
export async function startInstalled(programs: string, root: string, settings = '') {
  const { data, account } = await makeCluster(root);
  const socket = join(root, 'socket');
  await mkdir(socket, { mode: 0o700 });
  await chown(socket, account.uid, account.gid);
  const pgCtl = (...args: string[]): Promise<void> =>
    run(account, join(programs, 'pg_ctl'), [...args, '-w', '-D', data]);
  const options = `-c listen_addresses= -c unix_socket_directories=${socket} ${settings}`;
  await pgCtl('start', '-l', join(data, 'log'), '-o', options);
  return { socket, stop: () => pgCtl('stop', '-m', 'fast') };
}

/** Makes a cluster in `root`, and does not start it. */
export async function makeCluster(root: string): Promise<Cluster> {
  const data = join(root, 'postgres');
  const programs = installedPostgres();
  if (programs === undefined) {
    const { close } = await openEmbeddedPostgres(root);
    await close();
    const { postgres }: { postgres: string } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
    return { data, postgres, account: await withReach(await accountFor(data), postgres, root) };
  }
  const postgres = join(programs, 'postgres');
  // Postgres refuses to run as root, so root needs another account for it.
  const account = await withReach(await accountFor(data), postgres, root);
  await mkdir(data, { mode: 0o700 });
  await chown(data, account.uid, account.gid);
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions'];
  await run(account, join(programs, 'initdb'), ['-D', data, ...options]);
  return { data, postgres, account };
}
