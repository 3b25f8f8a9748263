import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMMAND_LIMITS } from '../../src/limits.ts';
import {
  emptyFolder,
  environment,
  FORMHOST,
  formhost,
  formhostInTerminal,
  startBreakingProxy,
  startFormhost,
} from '../support/formhost.ts';
import { freePort } from '../support/process.ts';
import { type Owner, startTestService, type TestService, UNKNOWN_ID, UNKNOWN_KEY } from '../support/service.ts';

const FORM =
  '<!doctype html><title>Contact</title><form method="post" action="{{FORM_ACTION}}"><input name="a"><button>Send</button></form>';
const NO_FORM = '<h1>Hello</h1>';
const ESCAPES = '{"title":"\\u001b]0;owned\\u0007","rtl":"\u202egnp","c1":"\u009b31m","n":12345678901234567890}';

let service: TestService;
let owner: Owner;
/** The account of the owner. */
let account: Record<string, string>;
const { firstPauseMs } = COMMAND_LIMITS.requests;
beforeAll(async () => {
  // A command tries again at once.
  Object.assign(COMMAND_LIMITS.requests, { firstPauseMs: 5 });
  service = await startTestService();
  owner = await service.owner();
  account = { FORMHOST_URL: service.url, FORMHOST_KEY: owner.key };
});
afterAll(async () => {
  Object.assign(COMMAND_LIMITS.requests, { firstPauseMs });
  await service.close();
});

const run = (args: readonly string[], input = '') => formhost(args, { settings: account, input });

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

describe('formhost', { timeout: 60_000 }, () => {
  it('answers errors of the service with its sentence and exit code 1', async () => {
    const sentence = (await owner.get(`/deploy/${UNKNOWN_ID}`)).body.error;
    for (const args of [
      ['open'],
      ['tail'],
      ['stats'],
      ['export', '--format', 'csv'],
      ['delete', '--yes'],
      ['webhooks', 'list'],
    ]) {
      expect(await run([...args, UNKNOWN_ID])).toEqual(failed(`formhost: ${sentence}\n`));
    }
  });

  it('names what to do where the service is away, is another, or leads elsewhere', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const server = createServer((request, response) => {
      if (request.url === '/me') response.writeHead(302, { Location: 'https://elsewhere.example/' }).end();
      else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works!</h1>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const other = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    const at = (url: string, ...args: string[]) => formhost(args, { settings: { ...account, FORMHOST_URL: url } });
    for (const args of [
      ['list'],
      ['tail', UNKNOWN_ID],
      ['export', UNKNOWN_ID, '--format', 'csv'],
      ['search', UNKNOWN_ID, 'x'],
    ]) {
      expect(await at(away, ...args)).toEqual(failed(oneLine('cannot be reached .*ECONNREFUSED.*check the address')));
    }
    for (const args of [['list'], ['tail', UNKNOWN_ID]])
      expect(await at(other, ...args)).toEqual(failed(oneLine('does not answer as formhost does')));
    const redirected = await formhost(['login', other], {
      settings: { XDG_CONFIG_HOME: await emptyFolder() },
      input: owner.key,
    });
    expect(redirected).toEqual(failed(oneLine('leads to https://elsewhere.example/')));
  });

  it('refuses a key that is not valid, and never shows it', async () => {
    const invalid = [UNKNOWN_KEY, 'fh_with space', 'fh_line\nfeed', 'fh_ünicode'];
    for (const key of invalid) {
      const result = await formhost(['list'], { settings: { ...account, FORMHOST_KEY: key } });
      expect(result).toEqual(failed(oneLine('FORMHOST_KEY')));
      expect(result.stderr).not.toContain(key.slice(0, 7));
    }
    expect(await formhost(['list'], { settings: { HOME: await emptyFolder() } })).toEqual(
      failed(oneLine('formhost login')),
    );
  });

  it('lets a read-only key read, and names its scope otherwise', async () => {
    const { id } = await owner.deploy();
    const { key } = (await owner.post('/keys').send({ name: 'r', scope: 'read' }).expect(201)).body;
    const settings = { ...account, FORMHOST_KEY: key };
    expect(await formhost(['open', id], { settings })).toMatchObject({ code: 0 });
    expect(await formhost(['deploy', '-'], { settings, input: NO_FORM })).toEqual(failed(oneLine('read')));
    expect(await formhost(['delete', id, '--yes'], { settings })).toEqual(failed(oneLine('read')));
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const id = await filled(300, (n) => JSON.stringify({ n, text: 'x'.repeat(2_000) }));
    const pipe = `set -o pipefail; '${FORMHOST}' search ${id} '' | head -1; echo "\${PIPESTATUS[0]}"; '${FORMHOST}' export ${id} --format csv | head -1`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pipe], { env: environment(account) }).catch(
      (error) => error,
    );
    expect({
      lines: stdout.split('\n').slice(1, 3),
      stderr: stderr.replaceAll(/formhost: \d+ submissions? found\n/g, ''),
    }).toEqual({
      lines: ['0', 'id,created_at,ip_address,n,text\r'],
      stderr: '',
    });
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
    expect(await run.catch((error) => error)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `formhost: the libraries are not installed: run npm ci in ${clone}\n`,
    });
  });
});

describe('formhost login', { timeout: 60_000 }, () => {
  it('stores the key that it reads from a pipe, for its owner only, after the service has accepted it', async () => {
    const home = await emptyFolder();
    const settings = { XDG_CONFIG_HOME: home };
    const [folder, file] = [join(home, 'formhost'), join(home, 'formhost/account.json')];
    const refused = await formhost(['login', service.url], { settings, input: `${UNKNOWN_KEY}\n` });
    expect(refused).toEqual(failed(oneLine('not valid')));
    expect(await readdir(home)).toEqual([]);
    const stored = await formhost(['login', `${service.url}/`], { settings, input: `${owner.key}\n` });
    const { email } = (await owner.get('/me')).body;
    expect(stored).toEqual(
      done(`Logged in at ${service.url} as ${email}\n`, `formhost: the key is stored in ${file}\n`),
    );
    expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(await readdir(folder)).toEqual(['account.json']);
    expect(await formhost(['list', '--json'], { settings })).toEqual(
      done(`${await apiText('/deploy?limit=100')}\n`, ''),
    );
    const json = await formhost(['login', '--json'], {
      settings: { ...settings, FORMHOST_URL: service.url },
      input: owner.key,
    });
    expect(json.stdout).toBe(`${await apiText('/me')}\n`);
  });

  it('reads the key on a terminal without showing it', async () => {
    const home = await emptyFolder();
    const { child, screen, ended } = formhostInTerminal(['login'], { XDG_CONFIG_HOME: home });
    await vi.waitFor(() => expect(screen.text).toContain('Address of the service [http://localhost:3000]: '), 60_000);
    child.stdin.write(`${service.url}\n`);
    await vi.waitFor(() => expect(screen.text).toContain('API key'), 60_000);
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
    const { child, screen, ended } = formhostInTerminal(['login', service.url], { XDG_CONFIG_HOME: home });
    await vi.waitFor(() => expect(screen.text).toContain('API key'), 60_000);
    child.stdin.write('\u0003');
    expect(await ended).toBe(130);
    expect(await readdir(home)).toEqual([]);
  });

  it('stores nothing in the folder where it was called, whatever XDG_CONFIG_HOME is', async () => {
    const [home, cwd] = [await emptyFolder(), await emptyFolder()];
    const settings = { HOME: home, XDG_CONFIG_HOME: 'settings' };
    const { code } = await formhost(['login', service.url], { settings, cwd, input: owner.key });
    expect({ code, here: await readdir(cwd), home: await readdir(home) }).toMatchObject({
      code: 0,
      here: [],
      home: [expect.any(String)],
    });
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
    await writeFile(
      join(settings.XDG_CONFIG_HOME, 'formhost/account.json'),
      `{"url":"${service.url}","key":"${owner.key}`,
    );
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

describe('formhost deploy', { timeout: 60_000 }, () => {
  const inFolder = (cwd: string, ...args: string[]) => formhost(['deploy', ...args], { settings: account, cwd });
  const idsIn = async (folder: string, url = service.url) =>
    JSON.parse(await readFile(join(folder, '.formhost.json'), 'utf8'))[url];
  const htmlOf = async (id: string): Promise<string> => (await owner.get(`/deploy/${id}/html`)).body.html;

  it('publishes a file, and updates its page from then on, each file of a folder its own', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'a.html'), `\ufeff${FORM}`);
    await writeFile(join(folder, 'b.html'), NO_FORM);
    const [first, second] = await Promise.all([
      inFolder(folder, 'a.html', '--slug', 'first-page'),
      inFolder(folder, 'b.html'),
    ]);
    expect([first.code, second.code, first.stdout]).toEqual([
      0,
      0,
      'http://first-page.pages.test\n'.replace('http:', 'https:'),
    ]);
    const ids = await idsIn(folder);
    expect(ids).toEqual({ 'a.html': expect.stringMatching(/^d_/), 'b.html': expect.stringMatching(/^d_/) });
    expect(first.stderr).toBe(`formhost: published first-page (${ids['a.html']})\n`);
    expect(second.stderr).toContain('b.html:1:1 warning no-form: ');
    expect(await htmlOf(ids['a.html'])).toBe(`\ufeff${FORM}`);
    await writeFile(join(folder, 'a.html'), `${FORM}<!-- 2 -->`);
    // By another path.
    const again = await formhost(['deploy', join(folder, 'a.html'), '--json'], { settings: account });
    expect(again).toEqual(done(again.stdout, `formhost: updated first-page (${ids['a.html']})\n`));
    expect(JSON.parse(again.stdout)).toEqual({
      id: ids['a.html'],
      url: 'https://first-page.pages.test',
      slug: 'first-page',
    });
    expect(await htmlOf(ids['a.html'])).toBe(`${FORM}<!-- 2 -->`);
    expect(await idsIn(folder)).toEqual(ids);
    expect((await readdir(folder)).toSorted()).toEqual(['.formhost.json', 'a.html', 'b.html']);
    expect(await inFolder(folder, 'a.html', '--slug', 'other-page')).toEqual(misused(oneLine('--new')));
    await inFolder(folder, 'a.html', '--slug', 'other-page', '--new');
    const other = await idsIn(folder);
    expect(other['a.html']).not.toBe(ids['a.html']);
    expect(other['b.html']).toBe(ids['b.html']);
    await inFolder(folder, 'b.html', '--id', 'first-page');
    expect(await idsIn(folder)).toEqual({ ...other, 'b.html': ids['a.html'] });
  });

  it('publishes standard input, and remembers nothing', async () => {
    const folder = await emptyFolder();
    const result = await formhost(['deploy', '-', '--slug', 'from-stdin', '--json'], {
      settings: account,
      cwd: folder,
      input: FORM,
    });
    expect(result.code).toBe(0);
    expect(await htmlOf(JSON.parse(result.stdout).id)).toBe(FORM);
    expect(await readdir(folder)).toEqual([]);
    const taken = await formhost(['deploy', '-', '--slug', 'from-stdin'], {
      settings: account,
      cwd: folder,
      input: FORM,
    });
    expect(taken).toEqual(failed(oneLine('')));
    const updated = await formhost(['deploy', '-', '--id', 'from-stdin'], {
      settings: account,
      cwd: folder,
      input: NO_FORM,
    });
    expect(updated.code).toBe(0);
    expect(await htmlOf(JSON.parse(result.stdout).id)).toBe(NO_FORM);
  });

  it('fails in one line for a file that is not there, a page that is gone, and a list that is damaged', async () => {
    const folder = await emptyFolder();
    expect(await inFolder(folder, 'a.html')).toEqual(failed(oneLine('there is no file a.html')));
    expect(await inFolder(folder, '.')).toEqual(failed(oneLine('')));
    await writeFile(join(folder, 'a.html'), NO_FORM);
    await inFolder(folder, 'a.html');
    const { 'a.html': id } = await idsIn(folder);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await inFolder(folder, 'a.html')).toEqual(failed(oneLine(`${id}.*--new`)));
    const { error } = (await owner.get(`/deploy/${UNKNOWN_ID}`)).body;
    expect(await inFolder(folder, 'a.html', '--id', UNKNOWN_ID)).toEqual(failed(`formhost: ${error}\n`));
    await writeFile(join(folder, '.formhost.json'), '{"x":');
    expect(await inFolder(folder, 'a.html')).toEqual(failed(oneLine('damaged')));
    expect(await readFile(join(folder, '.formhost.json'), 'utf8')).toBe('{"x":');
  });

  it('updates the page at every change with --watch, whatever the editor does, until Ctrl-C', {
    timeout: 60_000,
  }, async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'page.html');
    await writeFile(file, 'one');
    const proxy = await startBreakingProxy(service.url);
    const { child, written, result } = startFormhost(['deploy', 'page.html', '--watch'], {
      settings: { ...account, FORMHOST_URL: proxy.url },
      cwd: folder,
    });
    await vi.waitFor(() => expect(written.err).toContain('Ctrl-C ends'), 60_000);
    const { 'page.html': id } = await idsIn(folder, proxy.url);
    const isLive = (html: string) => vi.waitFor(async () => expect(await htmlOf(id)).toBe(html), 60_000);
    await isLive('one');
    await writeFile(file, 'two');
    await isLive('two');
    // As vim: a new file takes the place of the old one.
    await writeFile(`${file}~`, 'three');
    await rename(`${file}~`, file);
    await isLive('three');
    // Not UTF-8: the service refuses it.
    await writeFile(file, Buffer.from([0xff, 0xfe, 0xff]));
    await vi.waitFor(() => expect(written.err).toContain('saving the file again tries again'), 60_000);
    await writeFile(file, 'four');
    await isLive('four');
    // The check of each page that was published is over.
    await vi.waitFor(() => expect(written.err.match(/ no-form: /g)).toHaveLength(4), 60_000);
    const release = proxy.hold();
    await writeFile(file, 'five');
    await vi.waitFor(() => expect(written.err).toContain('; trying again'), 60_000);
    release();
    await isLive('five');
    child.kill('SIGINT');
    expect((await result).code).toBe(130);
  });
});

describe('formhost check', { timeout: 60_000 }, () => {
  it('prints problems as compilers do, with exit code 1 for errors', async () => {
    const good = await run(['check', '-'], FORM);
    expect(good).toEqual(done('', 'formhost: 1 form, 0 problems\n'));
    const wrong = FORM.replace('{{FORM_ACTION}}', '{{ FORM_ACTION }}');
    const bad = await run(['check', '-'], wrong);
    expect(bad).toEqual({ code: 1, stdout: bad.stdout, stderr: 'formhost: 1 form, 1 problem\n' });
    expect(bad.stdout).toMatch(/^stdin:1:38 error placeholder-misspelt: .*\n$/);
    const { text } = await owner.post('/check').send({ html: wrong });
    expect(await run(['check', '-', '--json'], wrong)).toEqual({ code: 1, stdout: `${text}\n`, stderr: '' });
    const folder = await emptyFolder();
    await writeFile(join(folder, 'x.html'), NO_FORM);
    const warned = await formhost(['check', 'x.html'], { settings: account, cwd: folder });
    expect(warned).toEqual(done(warned.stdout));
    expect(warned.stdout).toMatch(/^x.html:1:1 warning no-form: /);
  });
});

describe('formhost list, open, rollback and delete', { timeout: 60_000 }, () => {
  it('list has all pages: as columns on a terminal, with tabs in a pipe, unchanged with --json', async () => {
    const other = await service.owner();
    for (let count = 0; count < 101; count += 1) await other.deploy({ html: `page ${count}` });
    const settings = { ...account, FORMHOST_KEY: other.key };
    const pages = await Promise.all([1, 2].map((page) => other.get(`/deploy?page=${page}&limit=100`)));
    const rows = pages.flatMap(({ body }) => body.deployments);
    expect(rows).toHaveLength(101);
    const lines = rows.map(({ id, slug, submission_count, updated_at, url }) =>
      [id, slug, submission_count, updated_at, url].join('\t'),
    );
    expect(await formhost(['list'], { settings })).toEqual(done(`${lines.join('\n')}\n`, ''));
    expect(await formhost(['list', '--json'], { settings })).toEqual(
      done(pages.map(({ text }) => `${text}\n`).join(''), ''),
    );
    const { screen, ended } = formhostInTerminal(['list'], settings);
    expect(await ended).toBe(0);
    const [header = '', first = ''] = screen.text.split('\n');
    expect(header.split(/ +/)).toEqual(['\u001b[1mID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL\u001b[22m']);
    expect(first.split(/ +/)).toEqual(lines[0]?.split('\t'));
    const plain = formhostInTerminal(['list'], { ...settings, NO_COLOR: '1' });
    await plain.ended;
    expect(plain.screen.text).not.toContain('\u001b');
    // By slug, also beyond the first page.
    const { slug, url } = rows[100];
    expect(await formhost(['open', slug], { settings })).toEqual(done(`${url}\n`, ''));
    expect(await formhost(['open', 'no-such-slug'], { settings })).toEqual(
      failed(oneLine('there is no page no-such-slug')),
    );
  });

  it('open runs a browser on a terminal only, and no shell', async () => {
    const folder = await emptyFolder();
    const opened = join(folder, 'opened');
    await writeFile(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${opened}.new'; mv '${opened}.new' '${opened}'\n`,
    );
    await chmod(join(folder, 'xdg-open'), 0o755);
    const { id, url } = await owner.deploy();
    const settings = { ...account, PATH: `${folder}:${process.env.PATH}` };
    expect(await formhost(['open', id], { settings })).toEqual(done(`${url}\n`, ''));
    expect(await readdir(folder)).toEqual(['xdg-open']);
    const { screen, ended } = formhostInTerminal(['open', id], settings);
    expect([await ended, screen.text]).toEqual([0, `${url}\n`]);
    await vi.waitFor(async () => expect(await readFile(opened, 'utf8')).toBe(`1\n${url}/\n`), 60_000);
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
    expect((await run(['rollback', id, '99'])).code).toBe(1);
  });

  it('delete asks on a terminal, and needs --yes in a pipe', async () => {
    const [first, second] = [await owner.deploy(), await owner.deploy()];
    const status = async ({ id }: { id: string }) => (await owner.get(`/deploy/${id}`)).status;
    expect(await run(['delete', first.id], 'y\n')).toEqual(misused(oneLine('--yes')));
    const answer = async (text: string) => {
      const { child, screen, ended } = formhostInTerminal(['delete', first.slug], account);
      await vi.waitFor(() => expect(screen.text).toContain('with 0 submissions? [y/N]'), 60_000);
      child.stdin.write(text);
      return await ended;
    };
    expect([await answer('n\n'), await status(first)]).toEqual([1, 200]);
    expect([await answer('\u0003'), await status(first)]).toEqual([130, 200]);
    expect([await answer('y\n'), await status(first)]).toEqual([0, 404]);
    const deleted = await run(['delete', second.id, '--yes', '--json']);
    expect([deleted.code, JSON.parse(deleted.stdout).id, await status(second)]).toEqual([0, second.id, 404]);
  });
});

describe('formhost search', { timeout: 60_000 }, () => {
  it('goes on to the end, and shows fields as they were submitted', async () => {
    const id = await filled(250, (n) => (n % 2 ? `{"n":${n}}` : `{"n":${n},"city":"London\\nUK"}`));
    const [first, second] = [await owner.get(`/submissions/${id}/search?q=london&limit=100`), undefined];
    expect(second).toBeUndefined();
    const next = await owner.get(`/submissions/${id}/search?q=london&limit=100&cursor=${first.body.next_cursor}`);
    expect(await run(['search', id, 'LONDON', '--json'])).toEqual(done(`${first.text}\n${next.text}\n`, ''));
    const shown = await run(['search', id, 'london']);
    expect(shown).toEqual(done(shown.stdout, 'formhost: 125 submissions found\n'));
    expect(shown.stdout.match(/ {2}city: London\n {8}UK\n/g)).toHaveLength(125);
    expect(await run(['search', id, 'Paris'])).toEqual(done('', 'formhost: 0 submissions found\n'));
    expect((await run(['search', id, '', '--from', 'yesterday'])).code).toBe(1);
  });

  it('lets no submission control the terminal, and changes nothing in a pipe with --json', async () => {
    const id = await filled(1, () => ESCAPES);
    const controls = /\p{Bidi_Control}|(?!\n)\p{Cc}/u;
    const plain = { ...account, NO_COLOR: '1' };
    for (const args of [
      ['search', id, ''],
      ['search', id, '', '--json'],
      ['export', id, '--format', 'csv'],
      ['export', id, '--json'],
      ['tail', id, '--after', '0'],
    ]) {
      const { child, screen, ended } = formhostInTerminal(args, plain);
      await vi.waitFor(() => expect(screen.text).toContain('12345678901234567890'), 60_000);
      if (args[0] === 'tail') child.stdin.write('\u0003');
      await ended;
      expect({ args, found: controls.exec(screen.text.replaceAll('\r\u001b[K', ''))?.[0] }).toEqual({
        args,
        found: undefined,
      });
      expect(screen.text).toContain('\\u202egnp');
    }
    expect((await run(['search', id, '', '--json'])).stdout).toContain(ESCAPES);
    expect((await run(['export', id, '--json'])).stdout).toContain(ESCAPES);
  });
});

describe('formhost tail', { timeout: 60_000 }, () => {
  it('prints submissions as they come, each once, across broken connections', async () => {
    const { id } = await owner.deploy();
    const proxy = await startBreakingProxy(service.url);
    const before = await submit(id, '{"n":0}');
    const tail = startFormhost(['tail', id, '--json'], { settings: { ...account, FORMHOST_URL: proxy.url } });
    await vi.waitFor(() => expect(tail.written.err).toContain('new submissions follow'), 60_000);
    const ids = () =>
      tail.written.out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id);
    const expected: string[] = [];
    for (const n of [1, 2, 3]) {
      // While there is no connection, also before the first submission.
      proxy.breakNow();
      expected.push(await submit(id, `{ "n":${n} }`));
      await vi.waitFor(() => expect(ids()).toEqual(expected), 60_000);
    }
    expect(tail.written.out.split('\n')[0]).toContain('"data":{ "n":1 }');
    expect(ids()).not.toContain(before);
    expect(tail.written.err).toContain('trying again');
    tail.child.kill('SIGINT');
    expect((await tail.result).code).toBe(130);
  });

  it('ends with 1 when the page is deleted, and begins where --after says', async () => {
    const { id } = await owner.deploy();
    const first = await submit(id, '{"n":1}');
    const second = await submit(id, '{"n":2}');
    const tail = startFormhost(['tail', id, '--after', first], { settings: account });
    await vi.waitFor(() => expect(tail.written.out).toContain(second), 60_000);
    expect(tail.written.out).not.toContain(first);
    expect(tail.written.out).toMatch(new RegExp(`^${second} {2}\\S+Z {2}127.0.0.1\\n {2}n: 2\\n\\n$`));
    await owner.delete(`/deploy/${id}`).expect(200);
    expect((await tail.result).code).toBe(1);
    expect((await run(['tail', id, '--after', 'x'])).code).toBe(1);
  });

  it('ends with 1 when the key is revoked', async () => {
    const { id } = await owner.deploy();
    const made = (await owner.post('/keys').send({ name: 'tail' }).expect(201)).body;
    const tail = startFormhost(['tail', id], { settings: { ...account, FORMHOST_KEY: made.key } });
    await vi.waitFor(() => expect(tail.written.err).toContain('new submissions follow'), 60_000);
    await owner.delete(`/keys/${made.id}`).expect(200);
    const { code, stderr } = await tail.result;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\nformhost: the API key of FORMHOST_KEY is not valid at .*: set another\n$/),
    ]);
  });
});

describe('formhost export', { timeout: 60_000 }, () => {
  const COUNT = 4_000;
  let id: string;
  beforeAll(async () => {
    id = await filled(COUNT, (n) =>
      JSON.stringify({ n, text: `"a",\r\n${n % 7 ? 'é' : '"'}`.repeat(1 + (n % 40)), ...(n > 3_900 && { late: n }) }),
    );
  });
  const exported = async (format: string): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${owner.key}` };
    return Buffer.from(
      await (await fetch(`${service.url}/submissions/${id}/export.${format}`, { headers })).arrayBuffer(),
    );
  };

  it.each(['csv', 'ndjson'])('writes %s to standard output and to a file as the API has it', async (format) => {
    const folder = await emptyFolder();
    const whole = (await exported(format)).toString();
    const printed = await run(['export', id, '--format', format]);
    expect(printed.stdout === whole && printed.code === 0).toBe(true);
    const named = await formhost(['export', id, '--format', format, '--output', '-'], {
      settings: account,
      cwd: folder,
    });
    expect(named.stdout === whole && named.code === 0).toBe(true);
    await writeFile(join(folder, 'all'), 'before', { mode: 0o640 });
    const saved = await formhost(['export', id, '--format', format, '--output', 'all'], {
      settings: account,
      cwd: folder,
    });
    expect(saved).toEqual(done('', expect.stringMatching(/^formhost: wrote [\d.]+ MB to all\n$/)));
    expect((await stat(join(folder, 'all'))).mode & 0o777).toBe(0o640);
    expect((await readFile(join(folder, 'all'), 'utf8')) === whole).toBe(true);
    expect(await readdir(folder)).toEqual(['all']);
  });

  it('writes a workbook to a file and to a pipe, and none on a terminal', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'all.xlsx');
    expect(await run(['export', id, '--format', 'xlsx', '--output', file])).toEqual(
      done('', expect.stringMatching(/^formhost: wrote 0\.\d MB to .*all\.xlsx\n$/)),
    );
    expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK');
    await promisify(execFile)('sh', ['-c', `'${FORMHOST}' export ${id} --format xlsx > '${file}2'`], {
      env: environment(account),
    });
    expect((await stat(`${file}2`)).size).toBe((await stat(file)).size);
    const { screen, ended } = formhostInTerminal(['export', id, '--format', 'xlsx'], account);
    expect([await ended, screen.text]).toEqual([2, expect.stringContaining('--output FILE')]);
  });

  it.each(['a file', 'a pipe'])(
    'goes on with NDJSON into %s where a connection broke: nothing is missing, nothing twice',
    async (into) => {
      const folder = await emptyFolder();
      const whole = (await exported('ndjson')).toString();
      const proxy = await startBreakingProxy(service.url);
      // The first answer is that of GET /deploy/:id.
      proxy.breakAfter(9_000, 150, 20_000, 5_001);
      const args = into === 'a file' ? ['--output', join(folder, 'all')] : [];
      const result = await formhost(['export', id, '--format', 'ndjson', ...args], {
        settings: { ...account, FORMHOST_URL: proxy.url },
      });
      expect([result.code, result.stderr]).toEqual([0, expect.stringContaining('the connection broke')]);
      const text = into === 'a file' ? await readFile(join(folder, 'all'), 'utf8') : result.stdout;
      expect(text === whole).toBe(true);
      expect(proxy.state.connections).toBeGreaterThan(4);
    },
  );

  it.each(['csv', 'xlsx'])('fails where the connection of %s breaks', async (format) => {
    const proxy = await startBreakingProxy(service.url);
    proxy.breakAfter(9_000);
    const folder = await emptyFolder();
    const result = await formhost(['export', id, '--format', format, '--output', 'all'], {
      settings: { ...account, FORMHOST_URL: proxy.url },
      cwd: folder,
    });
    expect(result).toEqual(failed(oneLine('the connection broke')));
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves nothing behind when it fails or is interrupted, and keeps the file that was there', async () => {
    const folder = await emptyFolder();
    const file = join(folder, 'all.csv');
    await writeFile(file, 'before');
    expect((await run(['export', UNKNOWN_ID, '--format', 'csv', '--output', file])).code).toBe(1);
    const proxy = await startBreakingProxy(service.url);
    proxy.holdAfter(9_000);
    const settings = { ...account, FORMHOST_URL: proxy.url };
    const running = startFormhost(['export', id, '--format', 'ndjson', '--output', file], { settings });
    await vi.waitFor(() => expect(running.written.err).toContain('going on'), 60_000);
    running.child.kill('SIGINT');
    expect((await running.result).code).toBe(130);
    expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['all.csv'], 'before']);
    expect((await run(['export', id, '--format', 'csv', '--output', folder])).stderr).toContain('is a folder');
    expect((await run(['export', id, '--format', 'csv', '--output', '/dev/null'])).code).toBe(0);
    expect((await stat('/dev/null')).isFile()).toBe(false);
  });
});

describe('formhost stats', { timeout: 60_000 }, () => {
  it('draws a chart as wide as the terminal; a pipe gets lines, and --json the answer', async () => {
    const id = await filled(30, () => '{}');
    const range = ['--from', '2026-01-01', '--to', '2026-01-03'];
    await service.db.raw(
      `UPDATE submissions SET created_at = '2026-01-01T12:00:00Z' WHERE deployment_id = ? AND number <= 20`,
      [id],
    );
    await service.db.raw(
      `UPDATE submissions SET created_at = '2026-01-02T12:00:00Z' WHERE deployment_id = ? AND number > 20`,
      [id],
    );
    const lines = '2026-01-01T00:00:00.000Z\t20\n2026-01-02T00:00:00.000Z\t10\n';
    expect(await run(['stats', id, ...range])).toEqual(done(lines, ''));
    const text = await apiText(`/deploy/${id}/stats?from=2026-01-01&to=2026-01-03`);
    expect(await run(['stats', id, ...range, '--json'])).toEqual(done(`${text}\n`, ''));
    const { screen, ended } = formhostInTerminal(['stats', id, ...range], { ...account, NO_COLOR: '1' });
    expect(await ended).toBe(0);
    const bars = 60 - '2026-01-01 20 '.length - 1;
    expect(screen.text).toBe(
      `2026-01-01 20 ${'█'.repeat(bars)}\n2026-01-02 10 ${'█'.repeat(Math.round(bars / 2))}\ntotal      30\n`,
    );
  });
});

describe('formhost webhooks', { timeout: 60_000 }, () => {
  it('adds, lists, tests, shows the log and retries', async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      response.writeHead(received.length === 1 ? 200 : 500).end();
      request.resume();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
    const own = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    onTestFinished(() => own.close());
    const who = await own.owner();
    const settings = { FORMHOST_URL: own.url, FORMHOST_KEY: who.key };
    const webhooks = (...args: string[]) => formhost(['webhooks', ...args], { settings });
    const { id } = await who.deploy();
    const added = await webhooks('add', id, url);
    expect(added).toEqual(done(added.stdout));
    expect(added.stdout).toMatch(/^wh_\w+\n$/);
    const webhook = added.stdout.trim();
    const text = async (path: string) => (await who.get(path)).text;
    expect((await webhooks('list', id, '--json')).stdout).toBe(`${await text(`/webhooks/${id}`)}\n`);
    expect((await webhooks('list', id)).stdout).toMatch(
      new RegExp(`^${webhook}\tgeneric\tactive\tsubmission\t\\S+\t${url}\n$`),
    );
    const tested = await webhooks('test', id, webhook);
    expect(tested).toEqual(done(tested.stdout, 'formhost: the receiver has answered 200\n'));
    expect((await webhooks('test', id, webhook)).code).toBe(1);
    const log = await webhooks('log', id, webhook, '--limit', '1');
    expect(log.stdout.split('\n')).toHaveLength(2);
    expect(log.stderr).toContain('1 of 2 deliveries');
    expect((await webhooks('log', id, webhook, '--json')).stdout).toBe(
      `${await text(`/webhooks/${id}/${webhook}/deliveries?limit=20`)}\n`,
    );
    const first = tested.stdout.trim();
    expect(JSON.parse((await webhooks('retry', id, webhook, first, '--json')).stdout)).toEqual({
      id: first,
      status: 'pending',
    });
    expect((await webhooks('add', id, 'ftp://x')).code).toBe(1);
  });
});

describe('the commands of operators as formhost', { timeout: 60_000 }, () => {
  it('work on the database of the settings, from any folder, with files of that folder', async () => {
    const cwd = await emptyFolder();
    const settings = { DATABASE_URL: service.databaseUrl };
    const operate = (...args: string[]) => startFormhost(args, { settings, cwd }).result;
    const made = await operate('keys', 'create', '--email', 'formhost@operator.example');
    expect(made).toEqual(done(made.stdout, ''));
    expect(made.stdout).toMatch(/^fh_\S{43}\n$/);
    expect((await operate('backup', 'x.backup')).code).toBe(0);
    expect(await readdir(cwd)).toEqual(['x.backup']);
  });
});
