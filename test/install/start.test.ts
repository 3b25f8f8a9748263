import { isAscii } from 'node:buffer';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { aTime } from '../support/answers.ts';
import { freePort, PROJECT, startInTerminal, startProgram } from '../support/process.ts';
import { asOwner, type Owner } from '../support/test-service.ts';

const shell = promisify(execFile);

/** A folder that is closed to all others, as mkdtemp makes it. */
const newFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'formhost-start-')));

const eventually = <T>(check: () => T) => vi.waitFor(check, { timeout: 240_000, interval: 50 });

const running = new Set<ChildProcess>();
const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Empty settings count as none, and keep a developer's .env out. */
const NO_SETTINGS = { HOST: '', BASE_URL: '', PAGES_DOMAIN: '', DATABASE_URL: '', LOG_LEVEL: '', DATA_DIR: '' };

/** `npm start` as a person runs it, with nothing set but what is given, in a group of processes of its own. */
async function npmStart(settings: Record<string, string>, cwd = PROJECT) {
  const port = settings.PORT ?? String(await freePort());
  const child = spawn('npm', ['start'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...NO_SETTINGS, ...settings, PORT: port },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text;
  });
  const ended = once(child, 'close').then(() => running.delete(child));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    output,
    async ready() {
      await eventually(async () => {
        if (hasEnded(child)) throw new Error(`npm start has ended: ${output.err}`);
        await request(url).get('/readyz').expect(200);
      });
    },
    /** Sends a signal, to npm or to all processes that it started, and waits for its end. */
    async end(signal: NodeJS.Signals, to: 'npm' | 'all') {
      if (child.pid !== undefined) process.kill(to === 'npm' ? child.pid : -child.pid, signal);
      await ended;
      return child.exitCode;
    },
  };
}

/** Processes that Postgres has in a folder of data, and the files in which it notes them. */
async function postgresIn(dataDir: string): Promise<string[]> {
  const files = await readdir(dataDir, { recursive: true });
  const notes = files.filter((name) => basename(name) === 'postmaster.pid');
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return [...notes, ...commands.filter((command) => command.includes(dataDir))];
}

/** Ends what a failed test has left, and removes it. */
async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (basename(name) !== 'postmaster.pid') continue;
    const pid = Number.parseInt(await readFile(join(folder, name), 'utf8'), 10);
    process.kill(pid, 'SIGQUIT');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
  }
  await rm(folder, { recursive: true, force: true });
}

const keysIn = (text: string): string[] => text.match(/fh_[0-9A-Za-z]{40,}/g) ?? [];
const commandsIn = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('curl '));
/** Neither a key nor a command that would carry one. */
const expectSilent = ({ out, err }: { out: string; err: string }): void =>
  expect([...keysIn(out + err), ...commandsIn(out + err)]).toEqual([]);

const folders: string[] = [];
afterAll(async () => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  await eventually(() => expect(running.size).toBe(0));
  await Promise.all(folders.map(clear));
});
async function temporary(): Promise<string> {
  const folder = await newFolder();
  folders.push(folder);
  return folder;
}

async function copyOfProject(): Promise<string> {
  const copy = await temporary();
  const left = ['node_modules', 'dist', 'data', '.git', '.env'];
  const isWanted = (path: string) => !left.some((name) => path === join(PROJECT, name));
  await cp(PROJECT, copy, { recursive: true, filter: isWanted });
  // Links where they can be made, which is quick; copies where the folder is on another disk. Without what others write
  // there meanwhile.
  const [from, to] = [join(PROJECT, 'node_modules'), join(copy, 'node_modules')];
  const copyPackages = `for how in -al -a; do rm -rf "$1" && mkdir "$1" && cp $how "$0"/* "$0/.bin" "$1" && break; done`;
  await shell('sh', ['-c', copyPackages, from, to]);
  await cp(join(from, '.package-lock.json'), join(to, '.package-lock.json'));
  return copy;
}

// One service from its first start to its last, as a person has it: the cases are its story, in order.
describe('npm start', () => {
  let dataDir: string;
  let service: Awaited<ReturnType<typeof npmStart>>;
  let owner: Owner;
  let deployment: { id: string; url: string; slug: string };

  const page = () => request(service.url).get('/').set('Host', new URL(deployment.url).host);

  beforeAll(async () => {
    dataDir = join(await temporary(), 'data');
    service = await npmStart({ DATA_DIR: dataDir });
    await service.ready();
    await eventually(() => expect(commandsIn(service.output.out).length).toBeGreaterThan(2));
  });

  it('prints an API key and three commands with it, on standard output and nowhere else', () => {
    const { out, err } = service.output;
    const [key = ''] = keysIn(out);
    expect(commandsIn(out).map(keysIn)).toEqual([[key], [], [key]]);
    expect(keysIn(out)).toEqual([key, key, key]);
    expectSilent({ out: '', err });
    owner = asOwner(service.url, key);
  });

  it('prints a link that signs a browser in once, and nowhere else', async () => {
    const links = service.output.out.match(/^http:\S+\/session\/mail\/[0-9A-Za-z]{43}$/gm) ?? [];
    expect(service.output.out).toMatch(/:\n\n.*\/session\/mail\/\w+\n$/);
    expect(service.output.err.split('\n').filter((line) => !/^(?:\{.*\})?$/.test(line))).toEqual([]);
    expect([links.length, service.output.err.includes('/session/mail/')]).toEqual([1, false]);
    const { pathname } = new URL(links[0] ?? '');
    const use = () => request(service.url).post(pathname).redirects(0);
    const { status, headers } = await use();
    expect([status, headers.location]).toEqual([303, '/dashboard']);
    const Cookie = String(headers['set-cookie']).replace(/;.*/, '');
    const { body } = await request(service.url).get('/me').set({ Cookie, 'Sec-Fetch-Site': 'same-origin' });
    expect(body.email).toBe('owner@localhost');
    expect((await use()).status).toBe(404);
  });

  it('prints commands that work as they are, pasted into a shell in their order', async () => {
    const answers: string[] = [];
    const commands = commandsIn(service.output.out);
    for (const command of commands) {
      const { stdout } = await shell('bash', ['-c', command], { env: { PATH: process.env.PATH } });
      answers.push(stdout);
    }
    const [deployed, submitted, listed] = answers.map((answer) => JSON.parse(answer));
    expect(deployed).toEqual({
      id: expect.stringMatching(/^d_[0-9A-Za-z]{20,}$/),
      url: `http://${deployed.slug}.localhost:${service.port}`,
      slug: expect.stringMatching(/^[a-z](?:[a-z-]{0,61}[a-z])?$/),
    });
    expect(submitted).toEqual({ message: expect.any(String), id: expect.stringMatching(/^sub_[0-9A-Za-z]{20,}$/) });
    const submission = { id: submitted.id, data: { name: 'Ada' }, ip_address: '127.0.0.1', created_at: aTime };
    expect(listed).toEqual({ submissions: [submission], total: 1, page: 1, limit: 50 });
    deployment = deployed;
    const [, html = ''] = / -d '([^']*)'/.exec(commands[0] ?? '') ?? [];
    const action = `http://localhost:${service.port}/submit/${deployed.id}`;
    expect((await page()).text).toBe(html.replaceAll('{{FORM_ACTION}}', action));
  });

  it('prints a command that sets the address for mail, which works as it is while the service runs', async () => {
    const [command = ''] = service.output.out.match(/^\S* \S*bin\/formhost admin owners set-email .*$/m) ?? [];
    const { stdout, stderr } = await shell('bash', ['-c', command], {
      cwd: '/',
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    expect([stdout, stderr]).toEqual(['owner@localhost is you@example.com now\n', '']);
  });

  it('ends at SIGTERM with exit code 0, and leaves no Postgres behind', async () => {
    expect((await postgresIn(dataDir)).length).toBeGreaterThan(0);
    expect(await service.end('SIGTERM', 'npm')).toBe(0);
    expect(await postgresIn(dataDir)).toEqual([]);
  });

  it('starts again with everything that was there, prints the key no more, and ends with all its processes', async () => {
    service = await npmStart({ DATA_DIR: dataDir, PORT: service.port });
    await service.ready();
    const list = await owner.get(`/submissions/${deployment.id}`);
    expect([list.status, list.body.total, (await page()).status]).toEqual([200, 1, 200]);
    expect(await service.end('SIGTERM', 'all')).toBe(0);
    expect(await postgresIn(dataDir)).toEqual([]);
    expectSilent(service.output);
  });
});

it('npm start in a terminal logs readable lines, ends with the link, and at Ctrl-C ends with all workers and Postgres', async () => {
  const [dataDir, port] = [join(await temporary(), 'data'), String(await freePort())];
  const { child, screen, ended } = startInTerminal('npm start', {
    ...NO_SETTINGS,
    DATA_DIR: dataDir,
    PORT: port,
    WORKERS: '2',
  });
  running.add(child);
  void ended.then(() => running.delete(child));
  // The link is there when both workers have started.
  await eventually(() => expect(screen.text).toMatch(/:\n\nhttp:\S+\/session\/mail\/\w{43}\n$/));
  await request(`http://127.0.0.1:${port}`).get('/readyz').expect(200);
  const [log = '', message = ''] = stripVTControlCharacters(screen.text).split('\nformhost runs at ');
  expect(log.match(/^\[\d\d:\d\d:\d\d\] INFO \(\d+\): ready$/gm)).toHaveLength(2);
  expect([log.includes('{"level"'), log.includes('/session/mail/'), keysIn(log)]).toEqual([false, false, []]);
  expect(new Set(keysIn(message)).size).toBe(1);
  child.stdin.write('\u0003');
  await ended;
  expect(await postgresIn(dataDir)).toEqual([]);
});

describe.concurrent('npm start elsewhere', () => {
  it('works from a copy in a folder that is closed to all others, builds it, and lets keys be made meanwhile', async ({
    expect,
  }) => {
    const copy = await copyOfProject();
    const service = await npmStart({}, copy);
    const args = ['run', '--silent', 'keys', '--', 'create', '--email', 'early@start.example'];
    const { code, stdout } = await startProgram('npm', args, { ...NO_SETTINGS }, copy).result;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}\n$/)]);
    await service.ready();
    await asOwner(service.url, stdout.trim()).deploy();
    const shell = await request(service.url).get('/dashboard').expect(200);
    const [script = ''] = /\/dashboard\/assets\/shell-[\w-]+\.js/.exec(shell.text) ?? [];
    await request(service.url).get(script).expect(200);
    expect(await service.end('SIGTERM', 'npm')).toBe(0);
    expect(await postgresIn(join(copy, 'data'))).toEqual([]);
    const { isBuilt } = await import('../../scripts/is-built.js');
    expect(isBuilt(copy)).toBe(true);
    await rm(join(copy, 'src/db/deployments/page-version-queries.ts'));
    expect(isBuilt(copy)).toBe(false);
  });

  it('npm run build writes ASCII and no import of node:http, and removes the migrations of an earlier build, which the service would run', async ({
    expect,
  }) => {
    const copy = await copyOfProject();
    const build = () => startProgram('npm', ['run', '--silent', 'build'], {}, copy).result;
    const migrations = () => readdir(join(copy, 'dist/service/migrations'));
    expect(await build()).toEqual({ code: 0, stdout: '', stderr: '' });
    // Node would keep it in twice the memory.
    expect(isAscii(await readFile(join(copy, 'dist/service/main.js')))).toBe(true);
    const files = (await readdir(join(copy, 'dist/service'))).filter((file) => file.endsWith('.js'));
    const programs = await Promise.all(files.map((file) => readFile(join(copy, 'dist/service', file), 'utf8')));
    // An import would load node:http's own fetch at every start.
    expect(programs.filter((program) => /^import .*["'](?:node:)?http["']/m.test(program))).toEqual([]);
    const built = await migrations();
    await writeFile(join(copy, 'dist/service/migrations/9999-other.js'), '');
    expect((await build()).code).toBe(0);
    expect(await migrations()).toEqual(built);
  });
});

describe('a setting that is wrong', () => {
  it.each([
    ['BASE_URL', 'https://forms.example.org/a\nb'],
    // Documentation's, so no address of this machine.
    ['HOST', '203.0.113.7'],
  ])('ends the start with one line that names it: %s', async (name, value) => {
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', LOG_LEVEL: 'error', [name]: value };
    const { child, result } = startProgram(process.execPath, ['src/main.ts'], env);
    onTestFinished(() => void child.kill('SIGKILL'));
    const { code, stdout, stderr } = await result;
    expect({ code, stdout, lines: stderr.split('\n') }).toEqual({
      code: 1,
      stdout: '',
      lines: [expect.stringContaining(name), ''],
    });
  });
});
