import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SETTING_NAMES } from '../../src/config.ts';
import { emptyDatabase } from '../support/fresh-database.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { freePort, PROJECT } from '../support/process.ts';
import { asOwner, getPage, PAGES_DOMAIN } from '../support/service.ts';

/*
 * What can be known of the image and of the stack without an engine. test/compose/run tries them for real.
 */

const shell = promisify(execFile);
const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name))].toSorted();

describe('the stack', () => {
  /** The lines of a service of docker-compose.yml under `environment`. */
  const environmentOf = (compose: string, service: string): string =>
    new RegExp(`^  ${service}:\\n(?: {4}.*\\n)*? {4}environment:\\n((?: {6}.*\\n)+)`, 'm').exec(compose)?.[1] ?? '';
  const KEY = /^ {6}([A-Z_]+):/gm;

  it('sets nothing for the service but settings that it has', async () => {
    const names = namesIn(environmentOf(await read('docker-compose.yml'), 'app'), KEY);
    expect(names).toEqual(['BASE_URL', 'DATABASE_URL', 'HOST', 'PAGES_DOMAIN', 'PORT', 'TRUST_PROXY']);
    expect(names.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
  });

  it('reads from .env what .env.example has, and has the rest there', async () => {
    const used = namesIn(await read('docker-compose.yml'), /\$\{([A-Z_]+)/g);
    const offered = namesIn(await read('.env.example'), /^#?([A-Z][A-Z0-9_]*)=/gm);
    expect(used.filter((name) => !offered.includes(name))).toEqual([]);
    expect(offered.filter((name) => !SETTING_NAMES.includes(name))).toEqual(
      used.filter((name) => !SETTING_NAMES.includes(name)),
    );
  });

  it('has the defaults of .env.example', async () => {
    const defaults = Array.from((await read('docker-compose.yml')).matchAll(/\$\{([A-Z_]+):-([^}]+)\}/g));
    const lines = (await read('.env.example')).split('\n');
    const meaningful = defaults.filter(([, , value = '']) => /\w/.test(value));
    expect(meaningful.length).toBeGreaterThan(4);
    for (const [, name, value] of meaningful) expect(lines).toContain(`#${name}=${value}`);
  });

  it('gives deploy/Caddyfile each value that it reads, and no other', async () => {
    const given = namesIn(environmentOf(await read('docker-compose.yml'), 'caddy'), KEY);
    expect(namesIn(await read('deploy/Caddyfile'), /\{\$([A-Z_]+)\}/g)).toEqual(given);
  });

  it('ships no password', async () => {
    const lines = (await read('.env.example')).split('\n');
    expect(lines.filter((line) => line.startsWith('#POSTGRES_PASSWORD='))).toEqual(['#POSTGRES_PASSWORD=']);
    const uses = (await read('docker-compose.yml')).match(/\$\{POSTGRES_PASSWORD[^}]*\}/g) ?? [];
    expect(uses.filter((use) => !/^\$\{POSTGRES_PASSWORD:\?\w.+\}$/.test(use))).toEqual([]);
  });

  it('gets a .env from deploy/make-env, for its owner alone, which leaves one that is there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'formhost-env-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(join(PROJECT, 'deploy/make-env'), join(folder, 'deploy/make-env'), { recursive: true });
    await copyFile(join(PROJECT, '.env.example'), join(folder, '.env.example'));
    const make = () => shell(join(folder, 'deploy/make-env'));
    await make();
    const made = await readFile(join(folder, '.env'), 'utf8');
    const [password = ''] = /^POSTGRES_PASSWORD=[0-9a-f]{48}$/m.exec(made) ?? [];
    expect(made.replace(password, '#POSTGRES_PASSWORD=')).toBe(await read('.env.example'));
    expect((await shell('stat', ['-c', '%a', join(folder, '.env')])).stdout).toBe('600\n');
    await expect(make()).rejects.toMatchObject({ code: 1 });
    expect(await readFile(join(folder, '.env'), 'utf8')).toBe(made);
  });
});

type Instruction = { name: string; rest: string };

/** A Dockerfile's instructions, a list for each stage. */
async function stages(): Promise<Instruction[][]> {
  const [, ...parts] = (await read('Dockerfile')).split(/^FROM .*$/m);
  return parts.map((part) =>
    Array.from(part.matchAll(/^([A-Z]+) (.*)$/gm), ([, name = '', rest = '']) => ({ name, rest })),
  );
}

/** The number of the image's user `node`, who owns no files, if the tests may switch users. */
const user = process.getuid?.() === 0 ? { uid: 1_000, gid: 1_000 } : {};

describe('the image', () => {
  let folder: string;
  let tree: string;
  let hasPackages = true;
  let database: { url: string; drop(): Promise<void> };
  let proxy: { url: string; close(): Promise<void> };
  let image: { env: Record<string, string>; command: string[]; healthCheck: string[] };
  const ended: Promise<unknown>[] = [];

  // Does to a folder what the Dockerfile does to the image.
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'formhost-image-')));
    tree = join(folder, 'app');
    await mkdir(tree);
    // The one that runs this test may lie where nobody else may look.
    await mkdir(join(folder, 'bin'));
    await copyFile(process.execPath, join(folder, 'bin/node'));
    await chmod(folder, 0o755);
    const [build = [], final = []] = await stages();
    for (const { name, rest } of build) {
      if (name === 'COPY') {
        const sources = rest.split(' ').slice(0, -1);
        const target = rest.split(' ').at(-1) ?? '';
        const isFolder = target.endsWith('/');
        for (const source of sources) {
          await cp(join(PROJECT, source), join(tree, target, isFolder ? source : ''), { recursive: true });
        }
      } else if (name === 'RUN') {
        const env = {
          ...process.env,
          PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
          npm_config_prefer_offline: 'true',
          npm_config_fetch_retries: '0',
        };
        try {
          await shell('sh', ['-c', rest], { cwd: tree, env });
        } catch (error) {
          const isCutOff = /E(?:NOTFOUND|CONNREFUSED|CONNRESET|AI_AGAIN|TIMEDOUT|NOTCACHED)|network/.test(
            String(error),
          );
          if (!isCutOff) throw error;
          hasPackages = false;
          return;
        }
      }
    }
    const last = (name: string): string => final.findLast((instruction) => instruction.name === name)?.rest ?? '';
    image = {
      env: Object.fromEntries(
        last('ENV')
          .split(' ')
          .map((pair): [string, string] => [pair.replace(/=.*/, ''), pair.replace(/^[^=]*=/, '')]),
      ),
      command: JSON.parse(last('CMD')),
      healthCheck: JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, '')),
    };
    database = await emptyDatabase();
    proxy = await proxyTo(
      database.url,
      () => ({}),
      ({ client, postgres }) => void client.pipe(postgres).pipe(client),
    );
  });
  afterAll(async () => {
    await Promise.all(ended);
    await proxy?.close();
    await database?.drop();
    await shell('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  });

  /** Runs a program in the image's place, as somebody who may write nothing there. */
  function run([file = '', ...args]: readonly string[], more: Record<string, string>) {
    const env = { ...image.env, PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, DATABASE_URL: proxy.url, ...more };
    const child = spawn(file, args, { cwd: tree, env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
    const finished = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const result = finished.then(([out, err]) => ({ code: child.exitCode, out, err }));
    ended.push(result);
    return { child, result };
  }
  const withPackages = (skip: (why: string) => void): void => {
    if (!hasPackages) skip('npm ci reaches no registry, and has nothing in its cache');
  };

  it('is given by .dockerignore what it copies, and nothing else', async () => {
    const [build = []] = await stages();
    const copied = build.flatMap(({ name, rest }) => (name === 'COPY' ? rest.split(' ').slice(0, -1) : []));
    const lines = (await read('.dockerignore')).trim().split('\n');
    expect([lines[0], ...lines.slice(1).toSorted()]).toEqual(['*', ...copied.map((name) => `!${name}`).toSorted()]);
  });

  it('has the packages that the service needs, and no others', async ({ skip }) => {
    withPackages(skip);
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(await read('package.json'));
    const has = async (name: string) => (await readdir(join(tree, 'node_modules', name)).catch(() => [])).length > 0;
    const missing = await Promise.all(Object.keys(dependencies).map(async (name) => ((await has(name)) ? [] : [name])));
    const { packages } = JSON.parse(await read('package-lock.json'));
    // A package that tests use may come with one that the service needs: then the lock says that it is not for them only.
    const surplus = Object.keys({ ...devDependencies, ...optionalDependencies }).filter((name) => {
      const { dev, optional, devOptional } = packages[`node_modules/${name}`];
      return dev || optional || devOptional;
    });
    const present = await Promise.all(surplus.map(async (name) => ((await has(name)) ? [name] : [])));
    expect([...missing.flat(), ...present.flat()]).toEqual([]);
  });

  it('can be written to by nobody', async ({ skip }) => {
    withPackages(skip);
    const { stdout } = await shell('find', [tree, '-perm', '/222', '!', '-type', 'l']);
    expect(stdout).toBe('');
    const { code } = await run(['touch', 'src/x'], {}).result;
    expect(code).not.toBe(0);
  });

  it('starts, serves, makes keys and stops as somebody who may write nothing; its health check tells', async ({
    skip,
  }) => {
    withPackages(skip);
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const settings = { PORT: port, BASE_URL: 'http://api.test', PAGES_DOMAIN, LOG_LEVEL: 'warn' };
    const health = async () => (await run(image.healthCheck, settings).result).code;
    expect(await health()).toBe(1);
    const { child, result } = run(image.command, settings);
    onTestFinished(() => void child.kill('SIGKILL'));
    await vi.waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`It has ended: ${(await result).err}`);
        await request(url).get('/readyz').expect(200);
      },
      { timeout: 60_000, interval: 50 },
    );
    expect(await health()).toBe(0);

    const { scripts } = JSON.parse(await read('package.json'));
    const made = await run(['sh', '-c', `${scripts.keys} create --email you@example.org`], settings).result;
    expect(made).toEqual({ code: 0, out: expect.stringMatching(/^fh_\w{40,}\n$/), err: '' });
    const { slug } = await asOwner(url, made.out.trim()).deploy({ html: 'the page' });
    const listed = await run(['bin/formhost', 'admin', 'keys', 'list'], settings).result;
    expect(listed).toEqual({ code: 0, out: expect.stringContaining('\tyou@example.org\t'), err: '' });
    const account = { FORMHOST_URL: url, FORMHOST_KEY: made.out.trim() };
    const pages = await run(['bin/formhost', 'list'], account).result;
    expect(pages).toEqual({ code: 0, out: expect.stringContaining(`\t${slug}\t`), err: '' });
    await getPage(url, slug).expect(200, 'the page');
    const { text: dashboard } = await request(url).get('/dashboard').expect(200);
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(dashboard) ?? [];
    await request(url).get(script).expect(200).expect('Content-Type', 'text/javascript; charset=utf-8');
    // Made ready in a thread.
    const large = await asOwner(url, made.out.trim()).deploy({ html: '{{FORM_ACTION}}'.repeat(10_000) });
    await getPage(url, large.slug).expect(200, `http://api.test/submit/${large.id}`.repeat(10_000));

    child.kill();
    expect((await result).code).toBe(0);
    expect(await health()).toBe(1);
  });
});
