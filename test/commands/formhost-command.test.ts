import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { COMMAND_LIMITS } from '../../src/limits.ts';
import { formhost, startCommand } from '../support/command.ts';
import { emptyFolder, environment, FORMHOST, startBreakingProxy, startFormhost } from '../support/formhost.ts';
import { freePort, startInTerminal } from '../support/process.ts';
import { startReceiver } from '../support/receivers.ts';
import { type Owner, startTestService, type TestService, UNKNOWN_ID, UNKNOWN_KEY } from '../support/service.ts';

const FORM =
  '<!doctype html><title>Contact</title><form method="post" action="{{FORM_ACTION}}"><input name="a"><button>Send</button></form>';
const NO_FORM = '<h1>Hello</h1>';
const ESCAPES = '{"title":"\\u001b]0;owned\\u0007","rtl":"\u202egnp","c1":"\u009b31m","n":12345678901234567890}';

const wait = (assertion: () => unknown) => vi.waitFor(assertion, 60_000);
let service: TestService;
let owner: Owner;
/** The account of the owner. */
let account: Record<string, string>;
const before = structuredClone(COMMAND_LIMITS);
beforeAll(async () => {
  // A command tries again at once, and its lists have several pages.
  Object.assign(COMMAND_LIMITS.requests, { firstPauseMs: 5 });
  Object.assign(COMMAND_LIMITS.lists, { pageSize: 2, searchPageSize: 2 });
  service = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  owner = await service.owner();
  account = { FORMHOST_URL: service.url, FORMHOST_KEY: owner.key };
});
afterAll(async () => {
  Object.assign(COMMAND_LIMITS.requests, before.requests);
  Object.assign(COMMAND_LIMITS.lists, before.lists);
  await service.close();
});

const run = (args: readonly string[], input = '') => formhost(args, { settings: account, input });
const inFolder = (cwd: string, ...args: string[]) => formhost(args, { settings: account, cwd });
const onTerminal = (args: readonly string[], settings: Record<string, string> = {}) =>
  startCommand(args, { settings: { ...account, ...settings }, terminal: true });

/** What the API answers, as text. */
const apiText = async (path: string): Promise<string> => (await owner.get(path).expect(200)).text;

const submit = async (deployId: string, body: string): Promise<string> => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${service.url}/submit/${deployId}`, { method: 'POST', headers, body });
  const { id }: { id: string } = JSON.parse(await response.text());
  return id;
};

/** A deployment with many submissions; `text` makes each out of its number. */
async function filled(count: number, text: (number: number) => string): Promise<string> {
  const { id } = await owner.deploy();
  const texts = Array.from({ length: count }, (_, index) => text(index + 1));
  await service.db.raw(
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT CAST(:id AS text), n, 'sub_' || substr(:id, 3) || n, text::json, '192.0.2.1', now()
       FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS each (text, n)`,
    { id, texts },
  );
  await service.db('deployments').where({ id }).update({ submission_count: count, last_submission_number: count });
  return id;
}

const done = (stdout: string, stderr: unknown = expect.any(String)) => ({ code: 0, stdout, stderr });
const failed = (stderr: unknown) => ({ code: 1, stdout: '', stderr });
const misused = (stderr: unknown) => ({ code: 2, stdout: '', stderr });
const oneLine = (pattern: string) => expect.stringMatching(new RegExp(`^formhost: [^\\n]*${pattern}[^\\n]*\\n$`));

describe('formhost', () => {
  it.each([
    ['open', []],
    ['tail', []],
    ['export', ['--format', 'csv']],
  ])('%s prints an error of the service with exit code 1', async (name, more) => {
    const { error } = (await owner.get(`/deploy/${UNKNOWN_ID}`)).body;
    expect(await run([name, UNKNOWN_ID, ...more])).toEqual(failed(`formhost: ${error}\n`));
  });

  it('names what to do where the service is away, is another, or leads elsewhere', async () => {
    const { url: other } = await startReceiver((response, { path }) => {
      if (path === '/me') response.writeHead(302, { Location: 'https://elsewhere.example/' }).end();
      else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works!</h1>');
    });
    const at = (url: string, ...args: string[]) => formhost(args, { settings: { ...account, FORMHOST_URL: url } });
    const away = `http://127.0.0.1:${await freePort()}`;
    for (const args of [['list'], ['tail', UNKNOWN_ID]]) {
      expect(await at(away, ...args)).toEqual(failed(oneLine('cannot be reached .*ECONNREFUSED.*check the address')));
      expect(await at(other, ...args)).toEqual(failed(oneLine('does not answer as formhost does')));
    }
    const settings = { XDG_CONFIG_HOME: await emptyFolder() };
    expect(await formhost(['login', other], { settings, input: owner.key })).toEqual(
      failed(oneLine('leads to https://elsewhere.example/')),
    );
  });

  it.each([UNKNOWN_KEY, 'fh_with space', 'fh_ünicode'])('refuses the key %s, and never shows it', async (key) => {
    const result = await formhost(['list'], { settings: { ...account, FORMHOST_KEY: key } });
    expect(result).toEqual(failed(oneLine('FORMHOST_KEY')));
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
    await writeFile(join(folder, 'node'), '#!/bin/sh\necho v20.0.0\n', { mode: 0o755 });
    const env = environment({ ...account, PATH: `${folder}:${process.env.PATH}` });
    const { stdout } = await promisify(execFile)(join(folder, 'fh'), ['--version'], { env, cwd: folder });
    expect(stdout).toBe('0.1.0\n');
  });

  it('says that the libraries are missing in a clone where npm has not run', async () => {
    const clone = await emptyFolder();
    await mkdir(join(clone, 'bin'));
    await copyFile(FORMHOST, join(clone, 'bin/formhost'));
    const run = promisify(execFile)(join(clone, 'bin/formhost'), ['list'], { env: environment(account) });
    expect(await run.catch((error) => error)).toMatchObject(
      failed(`formhost: the libraries are not installed: run npm ci in ${clone}\n`),
    );
  });
});

describe('formhost login', () => {
  it('stores the key that it reads from a pipe, for its owner only, after the service has accepted it', async () => {
    const home = await emptyFolder();
    const settings = { XDG_CONFIG_HOME: home };
    const [folder, file] = [join(home, 'formhost'), join(home, 'formhost/account.json')];
    const login = (input: string, ...args: string[]) => formhost(['login', ...args], { settings, input });
    expect(await login(`${UNKNOWN_KEY}\n`, service.url)).toEqual(failed(oneLine('not valid')));
    expect(await readdir(home)).toEqual([]);
    expect(await formhost(['list'], { settings })).toEqual(failed(oneLine('formhost login')));
    const { email } = (await owner.get('/me')).body;
    expect(await login(`${owner.key}\n`, `${service.url}/`)).toEqual(
      done(`Logged in at ${service.url} as ${email}\n`, `formhost: the key is stored in ${file}\n`),
    );
    expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(await readdir(folder)).toEqual(['account.json']);
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
    expect(JSON.parse(await readFile(join(home, 'formhost/account.json'), 'utf8'))).toEqual({
      url: service.url,
      key: owner.key,
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
      expect(await formhost(['login', url], { settings, input: owner.key })).toEqual(
        failed(oneLine('is not the address')),
      );
    }
    expect(await formhost(['login', service.url], { settings })).toEqual(misused(oneLine('standard input')));
    await mkdir(join(settings.XDG_CONFIG_HOME, 'formhost'));
    const file = join(settings.XDG_CONFIG_HOME, 'formhost/account.json');
    await writeFile(file, `{"url":"${service.url}","key":"${owner.key}`);
    const damaged = await formhost(['list'], { settings });
    expect(damaged).toEqual(failed(oneLine('damaged')));
    expect(damaged.stderr).not.toContain(owner.key);
  });

  it('sends the key to no other service than its own', async () => {
    const settings = { XDG_CONFIG_HOME: await emptyFolder() };
    expect(await formhost(['login', service.url], { settings, input: owner.key })).toMatchObject({ code: 0 });
    const proxy = await startBreakingProxy(service.url);
    const other = { ...settings, FORMHOST_URL: proxy.url };
    expect(await formhost(['list'], { settings: other })).toEqual(failed(oneLine('set FORMHOST_KEY too')));
    expect(proxy.state.connections).toBe(0);
    expect(await formhost(['list'], { settings: { ...other, FORMHOST_KEY: owner.key } })).toMatchObject({ code: 0 });
  });
});

describe('formhost deploy', () => {
  const idsIn = async (folder: string, url = service.url) =>
    JSON.parse(await readFile(join(folder, '.formhost.json'), 'utf8'))[url];
  const htmlOf = async (id: string): Promise<string> => (await owner.get(`/deploy/${id}/html`)).body.html;

  it('publishes a file, and updates its page from then on, each file of a folder its own', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'a.html'), `\ufeff${FORM}`);
    await writeFile(join(folder, 'b.html'), NO_FORM);
    const first = await inFolder(folder, 'deploy', 'a.html', '--slug', 'first-page');
    const second = await inFolder(folder, 'deploy', 'b.html');
    const ids = await idsIn(folder);
    expect(ids).toEqual({ 'a.html': expect.stringMatching(/^d_/), 'b.html': expect.stringMatching(/^d_/) });
    expect(first).toEqual(
      done('https://first-page.pages.test\n', `formhost: published first-page (${ids['a.html']})\n`),
    );
    expect(second).toEqual(done(second.stdout, expect.stringContaining('b.html:1:1 warning no-form: ')));
    expect(await htmlOf(ids['a.html'])).toBe(`\ufeff${FORM}`);

    await writeFile(join(folder, 'a.html'), `${FORM}<!-- 2 -->`);
    // By another path.
    const again = await run(['deploy', join(folder, 'a.html'), '--json']);
    expect(again).toEqual(done(again.stdout, `formhost: updated first-page (${ids['a.html']})\n`));
    expect(JSON.parse(again.stdout)).toEqual({
      id: ids['a.html'],
      url: 'https://first-page.pages.test',
      slug: 'first-page',
    });
    expect(await htmlOf(ids['a.html'])).toBe(`${FORM}<!-- 2 -->`);
    expect(await idsIn(folder)).toEqual(ids);
    expect((await readdir(folder)).toSorted()).toEqual(['.formhost.json', 'a.html', 'b.html']);

    const renamed = ['deploy', 'a.html', '--slug', 'other-page'];
    expect(await inFolder(folder, ...renamed)).toEqual(misused(oneLine('--new')));
    await inFolder(folder, ...renamed, '--new');
    const other = await idsIn(folder);
    expect(other).toEqual({ ...ids, 'a.html': expect.not.stringMatching(ids['a.html']) });
    await inFolder(folder, 'deploy', 'b.html', '--id', 'first-page');
    expect(await idsIn(folder)).toEqual({ ...other, 'b.html': ids['a.html'] });
  });

  it('publishes standard input, and remembers nothing', async () => {
    const cwd = await emptyFolder();
    const deploy = (input: string, ...args: string[]) =>
      formhost(['deploy', '-', ...args], { settings: account, cwd, input });
    const { stdout } = await deploy(FORM, '--slug', 'from-stdin', '--json');
    const { id } = JSON.parse(stdout);
    expect(await htmlOf(id)).toBe(FORM);
    expect(await readdir(cwd)).toEqual([]);
    expect(await deploy(FORM, '--slug', 'from-stdin')).toEqual(failed(oneLine('')));
    expect(await deploy(NO_FORM, '--id', 'from-stdin')).toMatchObject({ code: 0 });
    expect(await htmlOf(id)).toBe(NO_FORM);
  });

  it('fails in one line for a file that is not there, a page that is gone, and a list that is damaged', async () => {
    const folder = await emptyFolder();
    const deploy = (...args: string[]) => inFolder(folder, 'deploy', ...args);
    expect(await deploy('a.html')).toEqual(failed(oneLine('there is no file a.html')));
    expect(await deploy('.')).toEqual(failed(oneLine('')));
    await writeFile(join(folder, 'a.html'), NO_FORM);
    await deploy('a.html');
    const { 'a.html': id } = await idsIn(folder);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await deploy('a.html')).toEqual(failed(oneLine(`${id}.*--new`)));
    await writeFile(join(folder, '.formhost.json'), '{"x":');
    expect(await deploy('a.html')).toEqual(failed(oneLine('damaged')));
    expect(await readFile(join(folder, '.formhost.json'), 'utf8')).toBe('{"x":');
  });

  it('updates the page at every change with --watch, whatever the editor does, until Ctrl-C', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'page.html');
    await writeFile(file, 'one');
    const proxy = await startBreakingProxy(service.url);
    const { err, result } = startCommand(['deploy', 'page.html', '--watch'], {
      settings: { ...account, FORMHOST_URL: proxy.url },
      cwd: folder,
    });
    await wait(() => expect(err.text).toContain('Ctrl-C ends'));
    const { 'page.html': id } = await idsIn(folder, proxy.url);
    const isLive = (html: string) => wait(async () => expect(await htmlOf(id)).toBe(html));
    await isLive('one');
    await writeFile(file, 'two');
    await isLive('two');
    // As vim: a new file takes the place of the old one.
    await writeFile(`${file}~`, 'three');
    await rename(`${file}~`, file);
    await isLive('three');
    // Not UTF-8: the service refuses it.
    await writeFile(file, Buffer.from([0xff, 0xfe, 0xff]));
    await wait(() => expect(err.text).toContain('saving the file again tries again'));
    await writeFile(file, 'four');
    await isLive('four');
    // The check of each page that was published is over.
    await wait(() => expect(err.text.match(/ no-form: /g)).toHaveLength(4));
    const release = proxy.hold();
    await writeFile(file, 'five');
    await wait(() => expect(err.text).toContain('; trying again'));
    release();
    await isLive('five');
    process.emit('SIGINT');
    expect((await result).code).toBe(130);
  });
});

describe('formhost check', () => {
  it('prints problems as compilers do, with exit code 1 for errors', async () => {
    expect(await run(['check', '-'], FORM)).toEqual(done('', 'formhost: 1 form, 0 problems\n'));
    const wrong = FORM.replace('{{FORM_ACTION}}', '{{ FORM_ACTION }}');
    expect(await run(['check', '-'], wrong)).toEqual({
      code: 1,
      stdout: expect.stringMatching(/^stdin:1:38 error placeholder-misspelt: .*\n$/),
      stderr: 'formhost: 1 form, 1 problem\n',
    });
    const { text } = await owner.post('/check').send({ html: wrong });
    expect(await run(['check', '-', '--json'], wrong)).toEqual({ code: 1, stdout: `${text}\n`, stderr: '' });
    const folder = await emptyFolder();
    await writeFile(join(folder, 'x.html'), NO_FORM);
    const warned = await inFolder(folder, 'check', 'x.html');
    expect(warned).toEqual(done(warned.stdout));
    expect(warned.stdout).toMatch(/^x.html:1:1 warning no-form: /);
  });
});

describe('formhost list, open, rollback and delete', () => {
  it('list has all pages: as columns on a terminal, with tabs in a pipe, unchanged with --json', async () => {
    const other = await service.owner();
    for (const slug of ['one', 'two', 'three']) await other.deploy({ slug });
    const settings = { ...account, FORMHOST_KEY: other.key };
    const pages = await Promise.all([1, 2].map((page) => other.get(`/deploy?page=${page}&limit=2`)));
    const lines = pages.flatMap(({ body }) =>
      body.deployments.map(({ id, slug, submission_count, updated_at, url }: Record<string, string>) =>
        [id, slug, submission_count, updated_at, url].join('\t'),
      ),
    );
    expect(lines).toHaveLength(3);
    expect(await formhost(['list'], { settings })).toEqual(done(`${lines.join('\n')}\n`, ''));
    expect((await formhost(['list', '--json'], { settings })).stdout).toBe(
      pages.map(({ text }) => `${text}\n`).join(''),
    );

    const { stdout } = await onTerminal(['list'], settings).result;
    const [header = '', first = ''] = stdout.split('\n');
    expect(header.split(/ +/)).toEqual(['\u001b[1mID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL\u001b[22m']);
    expect(first.split(/ +/)).toEqual(lines[0]?.split('\t'));
    const plain = await onTerminal(['list'], { ...settings, NO_COLOR: '1' }).result;
    expect(plain.stdout).not.toContain('\u001b');
    // By slug, also beyond the first page.
    expect(await formhost(['open', 'one'], { settings })).toEqual(done('https://one.pages.test\n', ''));
    expect(await formhost(['open', 'four'], { settings })).toEqual(failed(oneLine('there is no page four')));
  });

  it('open runs a browser on a terminal only, and no shell', async () => {
    const folder = await emptyFolder();
    const opened = join(folder, 'opened');
    const script = `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${opened}.new'; mv '${opened}.new' '${opened}'\n`;
    await writeFile(join(folder, 'xdg-open'), script);
    await chmod(join(folder, 'xdg-open'), 0o755);
    const { id, url } = await owner.deploy();
    const settings = { ...account, PATH: `${folder}:${process.env.PATH}` };
    expect(await formhost(['open', id], { settings })).toEqual(done(`${url}\n`, ''));
    expect(await readdir(folder)).toEqual(['xdg-open']);
    expect(await onTerminal(['open', id], settings).result).toEqual(done(`${url}\n`, ''));
    await wait(async () => expect(await readFile(opened, 'utf8')).toBe(`1\n${url}/\n`));
  });

  it('rollback makes the version before live again, or the one that is named', async () => {
    const { id, url } = await owner.deploy({ html: 'one' });
    expect(await run(['rollback', id])).toEqual(failed(oneLine('no version before')));
    for (const html of ['two', 'three']) await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    const live = async () => (await owner.get(`/deploy/${id}/html`)).body.html;
    expect(await run(['rollback', id])).toEqual(
      done(`${url}\n`, 'formhost: version 2 is live again, as a new version\n'),
    );
    expect(await live()).toBe('two');
    expect((await run(['rollback', id, '1', '--json'])).stdout).toMatch(/^\{"id":.*\}\n$/);
    expect(await live()).toBe('one');
  });

  it('delete asks on a terminal, and needs --yes in a pipe', async () => {
    const { id, slug } = await owner.deploy();
    const status = async () => (await owner.get(`/deploy/${id}`)).status;
    expect(await run(['delete', id], 'y\n')).toEqual(misused(oneLine('--yes')));
    const answer = async (text: string) => {
      const { err, type, result } = onTerminal(['delete', slug]);
      await wait(() => expect(err.text).toContain('with 0 submissions? [y/N]'));
      type(text);
      return (await result).code;
    };
    expect([await answer('n\n'), await status()]).toEqual([1, 200]);
    expect([await answer('\u0003'), await status()]).toEqual([130, 200]);
    expect([await answer('y\n'), await status()]).toEqual([0, 404]);
    const other = await owner.deploy();
    expect(JSON.parse((await run(['delete', other.id, '--yes', '--json'])).stdout).id).toBe(other.id);
    expect((await owner.get(`/deploy/${other.id}`)).status).toBe(404);
  });
});

describe('formhost search', () => {
  it('goes on to the end, and shows fields as they were submitted', async () => {
    const id = await filled(6, (n) => (n % 2 ? `{"n":${n},"city":"London\\nUK"}` : `{"n":${n}}`));
    const first = await owner.get(`/submissions/${id}/search?q=london&limit=2`);
    const next = await owner.get(`/submissions/${id}/search?q=london&limit=2&cursor=${first.body.next_cursor}`);
    expect(await run(['search', id, 'LONDON', '--json'])).toEqual(done(`${first.text}\n${next.text}\n`, ''));
    const shown = await run(['search', id, 'london']);
    expect(shown).toEqual(done(shown.stdout, 'formhost: 3 submissions found\n'));
    expect(shown.stdout.match(/ {2}city: London\n {8}UK\n/g)).toHaveLength(3);
    expect(await run(['search', id, 'Paris'])).toEqual(done('', 'formhost: 0 submissions found\n'));
    expect((await run(['search', id, '', '--from', 'yesterday'])).code).toBe(1);
  });

  it.each([
    ['search', ['']],
    ['search', ['', '--json']],
    ['export', ['--format', 'csv']],
    ['export', ['--json']],
    ['tail', ['--after', '0']],
  ])('%s %j lets no submission control the terminal, and changes nothing in a pipe with --json', async (name, more) => {
    const id = await filled(1, () => ESCAPES);
    const { out, err, result } = onTerminal([name, id, ...more], { NO_COLOR: '1' });
    await wait(() => expect(out.text).toContain('12345678901234567890'));
    if (name === 'tail') process.emit('SIGINT');
    await result;
    expect(/\p{Bidi_Control}|(?!\n)\p{Cc}/u.exec((out.text + err.text).replaceAll('\r\u001b[K', ''))).toBe(null);
    expect(out.text).toContain('\\u202egnp');
    if (more.includes('--json')) expect((await run([name, id, ...more])).stdout).toContain(ESCAPES);
  });
});

describe('formhost tail', () => {
  it('prints submissions as they come, each once, across broken connections', async () => {
    const { id } = await owner.deploy();
    const proxy = await startBreakingProxy(service.url);
    await submit(id, '{"n":0}');
    const tail = startFormhost(['tail', id, '--json'], { settings: { ...account, FORMHOST_URL: proxy.url } });
    await wait(() => expect(tail.written.err).toContain('new submissions follow'));
    const lines = () => tail.written.out.split('\n').slice(0, -1);
    const expected: string[] = [];
    for (const n of [1, 2, 3]) {
      // While there is no connection, also before the first submission.
      proxy.breakNow();
      expected.push(await submit(id, `{ "n":${n} }`));
      await wait(() => expect(lines().map((line) => JSON.parse(line).id)).toEqual(expected));
    }
    expect(lines()[0]).toContain('"data":{ "n":1 }');
    expect(tail.written.err).toContain('trying again');
    tail.child.kill('SIGINT');
    expect((await tail.result).code).toBe(130);
  });

  it('ends with 1 when the page is deleted, and begins where --after says', async () => {
    const { id } = await owner.deploy();
    const first = await submit(id, '{"n":1}');
    const second = await submit(id, '{"n":2}');
    const { out, result } = startCommand(['tail', id, '--after', first], { settings: account });
    await wait(() => expect(out.text).toContain(second));
    expect(out.text).toMatch(new RegExp(`^${second} {2}\\S+Z {2}127.0.0.1\\n {2}n: 2\\n\\n$`));
    await owner.delete(`/deploy/${id}`).expect(200);
    expect((await result).code).toBe(1);
    expect((await run(['tail', id, '--after', 'x'])).code).toBe(1);
  });

  it('ends with 1 when the key is revoked', async () => {
    const { id } = await owner.deploy();
    const made = (await owner.post('/keys').send({ name: 'tail' }).expect(201)).body;
    const { err, result } = startCommand(['tail', id], { settings: { ...account, FORMHOST_KEY: made.key } });
    await wait(() => expect(err.text).toContain('new submissions follow'));
    await owner.delete(`/keys/${made.id}`).expect(200);
    expect(await result).toEqual(
      failed(expect.stringMatching(/\nformhost: the API key of FORMHOST_KEY is not valid at .*: set another\n$/)),
    );
  });
});

describe('formhost export', () => {
  let id: string;
  beforeAll(async () => {
    // It can't be compressed to less than what passes before a connection breaks.
    const random = (): string => randomBytes(150).toString('base64');
    id = await filled(400, (n) =>
      JSON.stringify({ n, text: `"a",\r\n${n % 7 ? 'é' : '"'}${random()}`, ...(n > 390 && { late: n }) }),
    );
  });

  const exported = async (format: string): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${owner.key}` };
    const response = await fetch(`${service.url}/submissions/${id}/export.${format}`, { headers });
    return Buffer.from(await response.arrayBuffer());
  };
  const inTo = (cwd: string, format: string, output: string) =>
    inFolder(cwd, 'export', id, '--format', format, '--output', output);

  it.each(['csv', 'ndjson'])('writes %s to standard output and to a file as the API has it', async (format) => {
    const folder = await emptyFolder();
    const whole = (await exported(format)).toString();
    const printed = await run(['export', id, '--format', format]);
    expect(printed.stdout === whole && printed.code === 0).toBe(true);
    expect((await inTo(folder, format, '-')).stdout === whole).toBe(true);
    await writeFile(join(folder, 'all'), 'before', { mode: 0o640 });
    expect(await inTo(folder, format, 'all')).toEqual(
      done('', expect.stringMatching(/^formhost: wrote [\d.]+ MB to all\n$/)),
    );
    expect((await stat(join(folder, 'all'))).mode & 0o777).toBe(0o640);
    expect((await readFile(join(folder, 'all'), 'utf8')) === whole).toBe(true);
    expect(await readdir(folder)).toEqual(['all']);
  });

  it('writes a workbook to a file and to a pipe, and none on a terminal', async () => {
    const folder = await emptyFolder();
    expect((await inTo(folder, 'xlsx', 'all.xlsx')).code).toBe(0);
    const workbook = await readFile(join(folder, 'all.xlsx'));
    expect(workbook.toString('latin1', 0, 2)).toBe('PK');
    const args = ['export', id, '--format', 'xlsx'];
    const piped = startCommand(args, { settings: account });
    await piped.result;
    expect(piped.out.bytes.length).toBe(workbook.length);
    expect(await onTerminal(args).result).toEqual(misused(oneLine('--output FILE')));
  });

  it.each(['all', '-'])('goes on with NDJSON into %s where a connection broke', async (output) => {
    const folder = await emptyFolder();
    const whole = (await exported('ndjson')).toString();
    const proxy = await startBreakingProxy(service.url);
    // The first answer is that of GET /deploy/:id.
    proxy.breakAfter(9_000, 150, 20_000, 5_001);
    const { code, stdout, stderr } = await formhost(['export', id, '--format', 'ndjson', '--output', output], {
      settings: { ...account, FORMHOST_URL: proxy.url },
      cwd: folder,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('the connection broke')]);
    expect((output === '-' ? stdout : await readFile(join(folder, output), 'utf8')) === whole).toBe(true);
    expect(proxy.state.connections).toBeGreaterThan(4);
  });

  it.each(['csv', 'xlsx'])('fails where the connection of %s breaks', async (format) => {
    const proxy = await startBreakingProxy(service.url);
    proxy.breakAfter(5_000);
    const cwd = await emptyFolder();
    const settings = { ...account, FORMHOST_URL: proxy.url };
    expect(await formhost(['export', id, '--format', format, '--output', 'all'], { settings, cwd })).toEqual(
      failed(oneLine('the connection broke')),
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it('leaves nothing behind when it fails or is interrupted, and keeps the file that was there', async () => {
    const cwd = await emptyFolder();
    const file = join(cwd, 'all.csv');
    await writeFile(file, 'before');
    expect((await run(['export', UNKNOWN_ID, '--format', 'csv', '--output', file])).code).toBe(1);
    const proxy = await startBreakingProxy(service.url);
    proxy.holdAfter(9_000);
    const settings = { ...account, FORMHOST_URL: proxy.url };
    const { err, result } = startCommand(['export', id, '--format', 'ndjson', '--output', file], { settings });
    await wait(() => expect(err.text).toContain('going on'));
    process.emit('SIGINT');
    expect((await result).code).toBe(130);
    expect([await readdir(cwd), await readFile(file, 'utf8')]).toEqual([['all.csv'], 'before']);
    expect((await inTo(cwd, 'csv', cwd)).stderr).toContain('is a folder');
    expect((await inTo(cwd, 'csv', '/dev/null')).code).toBe(0);
    expect((await stat('/dev/null')).isFile()).toBe(false);
  });
});

describe('formhost stats', () => {
  it('draws a chart as wide as the terminal; a pipe gets lines, and --json the answer', async () => {
    const id = await filled(30, () => '{}');
    const range = ['--from', '2026-01-01', '--to', '2026-01-03'];
    await service.db.raw(
      `UPDATE submissions SET created_at = CASE WHEN number <= 20 THEN timestamptz '2026-01-01T12:00:00Z'
         ELSE timestamptz '2026-01-02T12:00:00Z' END WHERE deployment_id = ?`,
      [id],
    );
    const lines = '2026-01-01T00:00:00.000Z\t20\n2026-01-02T00:00:00.000Z\t10\n';
    expect(await run(['stats', id, ...range])).toEqual(done(lines, ''));
    const text = await apiText(`/deploy/${id}/stats?from=2026-01-01&to=2026-01-03`);
    expect(await run(['stats', id, ...range, '--json'])).toEqual(done(`${text}\n`, ''));
    const bars = 60 - '2026-01-01 20 '.length - 1;
    expect(await onTerminal(['stats', id, ...range], { NO_COLOR: '1' }).result).toEqual(
      done(`2026-01-01 20 ${'█'.repeat(bars)}\n2026-01-02 10 ${'█'.repeat(Math.round(bars / 2))}\ntotal      30\n`, ''),
    );
  });
});

describe('formhost webhooks', () => {
  it('adds, lists, tests, shows the log and retries', async () => {
    const { url, received } = await startReceiver(
      (response) => void response.writeHead(received.length === 1 ? 200 : 500).end(),
    );
    const webhooks = (...args: string[]) => run(['webhooks', ...args]);
    const { id } = await owner.deploy();
    const added = await webhooks('add', id, url);
    expect(added).toEqual(done(added.stdout));
    expect(added.stdout).toMatch(/^wh_\w+\n$/);
    const webhook = added.stdout.trim();
    expect((await webhooks('list', id, '--json')).stdout).toBe(`${await apiText(`/webhooks/${id}`)}\n`);
    expect((await webhooks('list', id)).stdout).toMatch(
      new RegExp(`^${webhook}\tgeneric\tactive\tsubmission\t\\S+\t${url}/?\n$`),
    );
    const tested = await webhooks('test', id, webhook);
    expect(tested).toEqual(done(tested.stdout, 'formhost: the receiver has answered 200\n'));
    expect((await webhooks('test', id, webhook)).code).toBe(1);
    const log = await webhooks('log', id, webhook, '--limit', '1');
    expect(log.stdout.split('\n')).toHaveLength(2);
    expect(log.stderr).toContain('1 of 2 deliveries');
    expect((await webhooks('log', id, webhook, '--json')).stdout).toBe(
      `${await apiText(`/webhooks/${id}/${webhook}/deliveries?limit=20`)}\n`,
    );
    const delivery = tested.stdout.trim();
    expect(JSON.parse((await webhooks('retry', id, webhook, delivery, '--json')).stdout)).toEqual({
      id: delivery,
      status: 'pending',
    });
    expect((await webhooks('add', id, 'ftp://x')).code).toBe(1);
  });
});

describe('a command of operators as formhost', () => {
  it('works on the database of the settings, from any folder, with files of that folder', async () => {
    const cwd = await emptyFolder();
    const settings = { DATABASE_URL: service.databaseUrl };
    expect(await startFormhost(['backup', 'x.backup'], { settings, cwd }).result).toEqual(done('', ''));
    expect(await readdir(cwd)).toEqual(['x.backup']);
  });
});
