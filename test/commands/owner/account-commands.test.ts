import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readAccount, storeAccount } from '../../../src/commands/owner/stored-account.ts';
import { pathWithNode } from '../../support/another-node.ts';
import { freePort, PROJECT, startInTerminal } from '../../support/process.ts';
import { startReceiver } from '../../support/receivers.ts';
import { backedUp, done, failed, formhost, misusedFor, refusedFor } from '../../support/run-command.ts';
import { emptyFolder, environment, FORMHOST, startBreakingProxy, startFormhost } from '../../support/run-formhost.ts';
import { ownerCommands, wait } from '../../support/run-owner-commands.ts';
import { UNKNOWN_ID, UNKNOWN_KEY } from '../../support/test-service.ts';

const { service, owner, account, run, onTerminal, apiText, filled } = await ownerCommands();

describe('formhost', () => {
  it.each([
    ['open', []],
    ['tail', []],
    ['export', ['--format', 'csv']],
  ])('%s prints an error of the service with exit code 1', async (name, more) => {
    const { error } = (await owner.get(`/deploy/${UNKNOWN_ID}`)).body;
    const sentence = error.replace('deployment', 'page');
    const next = '`formhost list` has the ids and slugs of the pages, `formhost trash list` those of deleted ones.';
    expect(await run([name, UNKNOWN_ID, ...more])).toEqual(failed(`formhost: ${sentence} ${next}\n`));
  });

  it('prints an error as JSON on standard error with --json', async () => {
    const { stderr, ...rest } = await run(['open', UNKNOWN_ID, '--json']);
    expect(rest).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining('No such page') });
  });

  it('names what to do where the service is away, is another, or leads elsewhere', async () => {
    const { url: other } = await startReceiver((response, { path }) => {
      if (path === '/me') response.writeHead(302, { Location: 'https://elsewhere.example/' }).end();
      else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works!</h1>');
    });
    const at = (url: string, ...args: string[]) => formhost(args, { settings: { ...account, FORMHOST_URL: url } });
    const away = `http://127.0.0.1:${await freePort()}`;
    for (const args of [['list'], ['tail', UNKNOWN_ID]]) {
      expect(await at(away, ...args)).toEqual(refusedFor('cannot be reached .*ECONNREFUSED.*check the address'));
      expect(await at(other, ...args)).toEqual(refusedFor('does not answer as formhost does'));
    }
    for (const text of ['null', '"', '7']) {
      const { url } = await startReceiver((response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
      });
      expect(await at(url, 'list')).toEqual(refusedFor('does not answer as formhost does'));
    }
    const settings = { XDG_CONFIG_HOME: await emptyFolder() };
    expect(await formhost(['login', other], { settings, input: owner.key })).toEqual(
      refusedFor('leads to https://elsewhere.example/'),
    );
  });

  it.each([UNKNOWN_KEY, 'fh_with space', 'fh_ünicode'])('refuses the key %s, and never shows it', async (key) => {
    const result = await formhost(['list'], { settings: { ...account, FORMHOST_KEY: key } });
    expect(result).toEqual(refusedFor('FORMHOST_KEY'));
    expect(result.stderr).not.toContain(key.slice(0, 7));
  });

  it('ends quietly when its output is not read to the end', async () => {
    const id = await filled(100, (n) => JSON.stringify({ n, text: 'x'.repeat(5_000) }));
    const pipe = `'${FORMHOST}' search ${id} '' | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pipe], { env: environment(account) });
    expect({ lines: stdout.split('\n').slice(1), stderr }).toEqual({ lines: ['0', ''], stderr: '' });
  });

  it('runs from another folder through links, also where the first node of the PATH is old', async () => {
    const folder = await emptyFolder();
    await symlink(FORMHOST, join(folder, 'formhost'));
    await symlink('formhost', join(folder, 'fh'));
    const env = environment({ ...account, PATH: await pathWithNode({ version: '20.0.0' }) });
    const { stdout } = await promisify(execFile)(join(folder, 'fh'), ['--version'], { env, cwd: folder });
    expect(stdout).toBe('0.1.0\n');
  });

  it('says that the libraries are missing in a clone where npm has not run', async () => {
    const clone = await emptyFolder();
    await cp(join(PROJECT, 'bin'), join(clone, 'bin'), { recursive: true, verbatimSymlinks: true });
    await copyFile(join(PROJECT, 'package.json'), join(clone, 'package.json'));
    const run = promisify(execFile)(join(clone, 'bin/formhost'), ['list'], { env: environment(account) });
    expect(await run.catch((error) => error)).toMatchObject(
      failed(`formhost: the libraries are not installed: run npm ci in ${clone}\n`),
    );
  });

  it('runs a command of operators on the database of the settings, from any folder, with files of that folder', async () => {
    const cwd = await emptyFolder();
    const settings = { DATABASE_URL: service.databaseUrl };
    expect(await startFormhost(['admin', 'backup', 'x.backup'], { settings, cwd }).result).toEqual(backedUp);
    expect(await readdir(cwd)).toEqual(['x.backup']);
  });
});

describe('formhost login', () => {
  it('stores the key that it reads from a pipe, for its owner only, after the service has accepted it', async () => {
    const home = await emptyFolder();
    const settings = { XDG_CONFIG_HOME: home };
    const [folder, file] = [join(home, 'formhost'), join(home, 'formhost/credentials.json')];
    const login = (input: string, ...args: string[]) => formhost(['login', ...args], { settings, input });
    expect(await login(`${UNKNOWN_KEY}\n`, service.url)).toEqual(refusedFor('not valid'));
    expect(await readdir(home)).toEqual([]);
    expect(await formhost(['list'], { settings })).toEqual(refusedFor('formhost login'));
    const { email } = (await owner.get('/me')).body;
    expect(await login(`${owner.key}\n`, `${service.url}/`)).toEqual(
      done(`Logged in at ${service.url} as ${email}\n`, `formhost: the key is stored in ${file}\n`),
    );
    expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(await readdir(folder)).toEqual(['credentials.json']);
    expect(await formhost(['list'], { settings })).toMatchObject({ code: 0 });
    expect((await login(owner.key, service.url, '--json')).stdout).toBe(`${await apiText('/me')}\n`);
  });

  it('reads the key on a terminal without showing it', async () => {
    const home = await emptyFolder();
    const { child, screen, ended } = startInTerminal(`'${FORMHOST}' login`, { XDG_CONFIG_HOME: home });
    await wait(() => expect(screen.text).toContain('Address of the service [http://localhost:3000]: '));
    child.stdin.write(`${service.url}\n`);
    await wait(() => expect(screen.text).toContain('API key'));
    child.stdin.write(`${owner.key}\n`);
    expect(await ended).toBe(0);
    expect(screen.text).toContain(`Logged in at ${service.url}`);
    expect(screen.text).not.toContain(owner.key.slice(3));
    expect(JSON.parse(await readFile(join(home, 'formhost/credentials.json'), 'utf8'))).toEqual({
      default: { url: service.url, key: owner.key },
    });
  });

  it('ends at Ctrl-C with 130, and stores nothing', async () => {
    const home = await emptyFolder();
    const { err, type, result } = onTerminal(['login', service.url], { XDG_CONFIG_HOME: home });
    await wait(() => expect(err.text).toContain('API key'));
    type('\u0003');
    expect((await result).code).toBe(130);
    expect(await readdir(home)).toEqual([]);
  });

  it('stores nothing in the folder where it was called, whatever XDG_CONFIG_HOME is', async () => {
    const [home, cwd] = [await emptyFolder(), await emptyFolder()];
    const settings = { HOME: home, XDG_CONFIG_HOME: 'settings' };
    expect(await formhost(['login', service.url], { settings, cwd, input: owner.key })).toMatchObject({ code: 0 });
    expect([await readdir(cwd), await readdir(home)]).toEqual([[], [expect.any(String)]]);
  });

  it('refuses addresses that are none, an empty key, and a file that is damaged', async () => {
    const settings = { XDG_CONFIG_HOME: await emptyFolder() };
    for (const url of ['forms.example.org', 'ftp://x', 'http://a:b@x', 'http://x/path']) {
      expect(await formhost(['login', url], { settings, input: owner.key })).toEqual(refusedFor('is not the address'));
    }
    expect(await formhost(['login', service.url], { settings })).toEqual(misusedFor('standard input'));
    await mkdir(join(settings.XDG_CONFIG_HOME, 'formhost'));
    const file = join(settings.XDG_CONFIG_HOME, 'formhost/credentials.json');
    await writeFile(file, `{"default":{"url":"${service.url}","key":"${owner.key}`);
    const damaged = await formhost(['list'], { settings });
    expect(damaged).toEqual(refusedFor('damaged'));
    expect(damaged.stderr).not.toContain(owner.key);
  });

  it('sends the key to no other service than its own', async () => {
    const settings = { XDG_CONFIG_HOME: await emptyFolder() };
    expect(await formhost(['login', service.url], { settings, input: owner.key })).toMatchObject({ code: 0 });
    const proxy = await startBreakingProxy(service.url);
    const other = { ...settings, FORMHOST_URL: proxy.url };
    expect(await formhost(['list'], { settings: other })).toEqual(refusedFor('set FORMHOST_KEY too'));
    expect(proxy.state.connections).toBe(0);
    expect(await formhost(['list'], { settings: { ...other, FORMHOST_KEY: owner.key } })).toMatchObject({ code: 0 });
  });
});

describe('formhost --profile', () => {
  it('keeps the keys of several services in one file, until logout', async () => {
    const home = await emptyFolder();
    const settings = { XDG_CONFIG_HOME: home };
    const other = await service.owner();
    const login = (key: string, ...args: string[]) =>
      formhost(['login', service.url, ...args], { settings, input: key });
    await login(owner.key);
    await login(other.key, '--profile', 'other');
    expect(await readdir(join(home, 'formhost'))).toEqual(['credentials.json']);
    const whoami = async (args: string[], more = {}) =>
      (await formhost(['whoami', '--json', ...args], { settings: { ...settings, ...more } })).stdout;
    const [mine, others] = [`${await apiText('/me')}\n`, `${(await other.get('/me')).text}\n`];
    expect(await whoami([])).toBe(mine);
    expect(await whoami(['--profile', 'other'])).toBe(others);
    expect(await whoami([], { FORMHOST_PROFILE: 'other' })).toBe(others);
    expect(await formhost(['list', '--profile', 'none'], { settings })).toEqual(
      refusedFor('run formhost login --profile none'),
    );

    const logout = ['logout', '--profile', 'other'];
    expect(await formhost(logout, { settings })).toEqual(
      done(`Logged out of ${service.url}\n`, expect.stringContaining('the key stays valid')),
    );
    expect(await formhost(logout, { settings })).toEqual(refusedFor('not logged in'));
    expect(await whoami(['--profile', 'other'])).toBe('');
    expect(await whoami([])).toBe(mine);
  });

  it('keeps the keys of logins that run at the same time', async () => {
    const env = { XDG_CONFIG_HOME: await emptyFolder() };
    const profiles = ['a', 'b', 'c', 'd'];
    const login = (profile: string) => storeAccount(env, { url: service.url, key: `fh_${profile}` }, profile);
    await Promise.all(profiles.map(login));
    const stored = await Promise.all(profiles.map((profile) => readAccount(env, profile)));
    expect(stored.map(({ key }) => key)).toEqual(profiles.map((profile) => `fh_${profile}`));
  });
});

describe('formhost whoami', () => {
  it('prints the service, the owner and what the plan allows', async () => {
    const other = await service.owner({ email: 'ada@whoami.example', plan: 'free' });
    await other.deploy();
    const { version } = (await other.get('/me')).body;
    const settings = { ...account, FORMHOST_KEY: other.key };
    expect(await formhost(['whoami'], { settings })).toEqual(
      done(
        `service\t${service.url}\nemail\tada@whoami.example\nplan\tfree\npages\t1 of 3\n` +
          `storage\t0.0 MB of 1000.0 MB\nmail\tno\nversion\t${version}\n`,
      ),
    );
  });
});

describe('formhost keys', () => {
  it('makes, lists and revokes keys of the owner', async () => {
    const other = await service.owner();
    const keys = (...args: string[]) =>
      formhost(['keys', ...args], { settings: { ...account, FORMHOST_KEY: other.key } });
    const made = await keys('create', '--name', 'CI', '--scope', 'read', '--expires', '2099-01-01');
    const listed = (await other.get('/keys')).body.keys;
    const [{ id, prefix, created_at: created }] = listed;
    expect(made).toEqual(done(expect.stringMatching(`^${prefix}\\S+\n$`), expect.stringContaining(id)));
    const expires = '2099-01-01T00:00:00.000Z';
    const lines = (await keys('list')).stdout.split('\n');
    expect(lines[0]).toBe([id, 'CI', prefix, 'read', created, '-', expires, '-'].join('\t'));
    expect(lines).toHaveLength(listed.length + 1);
    expect((await keys('create', '--name', 'x', '--json')).stdout).toMatch(/^\{"id":.*"key":"fh_.*\}\n$/);

    expect(await keys('revoke', id)).toEqual(done(`${id}\n`, expect.any(String)));
    expect(await keys('revoke', id)).toEqual(refusedFor('No such key: choose one that `formhost keys list`'));
    expect(await keys('create', '--name', ' ')).toEqual(refusedFor('--name is empty: give'));
    expect(await keys('create', '--name', 'x', '--expires', 'never')).toEqual(
      refusedFor('--expires is invalid: give a time'),
    );
  });
});
