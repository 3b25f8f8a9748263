import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/*
 * The account that runs the embedded Postgres. Postgres refuses to run as root, and the account that root uses instead
 * cannot enter folders that are open to root only.
 */

/** The account, and the one capability that lets it enter folders that are closed to it. */
export type Account = { uid: number; gid: number; capability?: string | undefined };

/** This process's account. For root it is the owner of the database, or else `postgres` or `nobody`. */
export async function accountFor(data: string): Promise<Account> {
  const uid = process.geteuid?.();
  const gid = process.getegid?.();
  if (uid === undefined || gid === undefined) {
    throw new Error('The embedded Postgres does not run on this system: set DATABASE_URL.');
  }
  const owner = statSync(data, { throwIfNoEntry: false });
  const account = uid !== 0 ? { uid, gid } : owner && owner.uid !== 0 ? owner : await ordinaryUser();
  if (owner !== undefined && owner.uid !== account.uid) {
    throw new Error(
      `${data} belongs to the user with id ${owner.uid}, and Postgres would run as ${account.uid}: start as the user ` +
        `who owns it, or give it away (chown -R ${account.uid}).`,
    );
  }
  return { uid: account.uid, gid: account.gid };
}

async function ordinaryUser() {
  const users = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^postgres:.*?:(\d+):(\d+):/m.exec(users) ?? /^nobody:.*?:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new Error('Postgres refuses to run as root, and there is no user postgres or nobody: set DATABASE_URL.');
}

/**
 * The account with the capability that it needs to run the binary and to enter the folder, if any: root may have both
 * in a folder that is closed to others (a clone in /root). dac_read_search is enough for closed folders, but not for
 * binaries that root's umask closed, and root in a container does not have it.
 */
export async function withReach(account: Account, binary: string, folder: string): Promise<Account> {
  if (process.geteuid?.() !== 0) return account;
  for (const capability of [undefined, 'dac_read_search', 'dac_override']) {
    const able = { ...account, capability };
    const tried = run(able, 'sh', ['-c', 'cd "$1" && exec "$0" --version', binary, folder]);
    if (await tried.then(() => true).catch(() => false)) return able;
  }
  throw new Error(
    `Postgres refuses to run as root, and the user with id ${account.uid} cannot reach ${binary} and ${folder}: move ` +
      'the project to a folder open to all, start it as another user, or set DATABASE_URL.',
  );
}

/**
 * The arguments of spawn: in a session of its own, so that Ctrl-C does not reach it, and without our environment
 * (PGPORT, LANG).
 */
export function detached({ uid, gid, capability }: Account, file: string, args: string[]) {
  const options = { cwd: '/', detached: true, env: {} };
  if (capability === undefined) return [file, args, { ...options, uid, gid }] as const;
  const become = ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups'];
  // Without this bit access(2), by which Postgres checks its binaries, ignores capabilities.
  const keep = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--securebits=+no_setuid_fixup'];
  return ['setpriv', [...become, ...keep, '--', file, ...args], options] as const;
}

export async function run(account: Account, file: string, args: string[]) {
  const [command, argv, options] = detached(account, file, args);
  const child = spawn(command, argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`${file} failed: ${errors.trim()}`);
}
