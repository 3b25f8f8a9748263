import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startReceiver } from '../../support/receivers.ts';
import { done, formhost, misusedFor, refusedFor, startCommand } from '../../support/run-command.ts';
import { emptyFolder, startBreakingProxy } from '../../support/run-formhost.ts';
import { FORM, ownerCommands, wait } from '../../support/run-owner-commands.ts';

const { service, owner, account, run, inFolder, onTerminal, apiText } = await ownerCommands();

const NO_FORM = '<h1>Hello</h1>';

/** About FORM, in a check that was asked for; deploy does not say it. */
const HINT =
  'formhost: Agents in browsers can have the form in line 1 as a tool: write toolname and tooldescription into its tag, or give form_tools true in the settings of the page\n';

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
    expect(again).toEqual(done(again.stdout, `{"message":"updated first-page (${ids['a.html']})"}\n`));
    expect(JSON.parse(again.stdout)).toEqual({
      id: ids['a.html'],
      url: 'https://first-page.pages.test',
      slug: 'first-page',
    });
    expect(await htmlOf(ids['a.html'])).toBe(`${FORM}<!-- 2 -->`);
    expect(await idsIn(folder)).toEqual(ids);
    expect((await readdir(folder)).toSorted()).toEqual(['.formhost.json', 'a.html', 'b.html']);

    const renamed = ['deploy', 'a.html', '--slug', 'other-page'];
    expect(await inFolder(folder, ...renamed)).toEqual(misusedFor('--new'));
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
    expect(await deploy(FORM, '--slug', 'from-stdin')).toEqual(
      refusedFor('the slug from-stdin is taken.*--id from-stdin'),
    );
    expect(await deploy(FORM, '--slug', 'No')).toEqual(refusedFor('--slug is invalid'));
    expect(await deploy('')).toEqual(refusedFor('the page is empty'));
    expect(await deploy(NO_FORM, '--id', 'from-stdin')).toMatchObject({ code: 0 });
    expect(await htmlOf(id)).toBe(NO_FORM);
  });

  it('fails in one line for a file that is not there, a page that is gone, and a list that is damaged', async () => {
    const folder = await emptyFolder();
    const deploy = (...args: string[]) => inFolder(folder, 'deploy', ...args);
    expect(await deploy('a.html')).toEqual(refusedFor('there is no file a.html'));
    await writeFile(join(folder, 'a.html'), NO_FORM);
    await deploy('a.html');
    const { 'a.html': id } = await idsIn(folder);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await deploy('a.html')).toEqual(refusedFor(`${id}.*--new`));
    await writeFile(join(folder, '.formhost.json'), '{"x":');
    expect(await deploy('a.html')).toEqual(refusedFor('damaged'));
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
    // A new file replaces the old one, as when vim saves it.
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
    expect(await run(['check', '-'], FORM)).toEqual(done('', `${HINT}formhost: 1 form, 0 problems\n`));
    // A form that is a tool already.
    const tool = FORM.replace('<form', '<form toolname="ask" tooldescription="Asks"');
    expect(await run(['check', '-'], tool)).toEqual(done('', 'formhost: 1 form, 0 problems\n'));
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
    expect(warned).toEqual(done(warned.stdout, expect.any(String)));
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
    expect(await formhost(['list'], { settings })).toEqual(done(`${lines.join('\n')}\n`));
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
    expect(await formhost(['open', 'one'], { settings })).toEqual(done('https://one.pages.test\n'));
    expect(await formhost(['open', 'four'], { settings })).toEqual(refusedFor('there is no page four'));
  });

  it('open runs a browser on a terminal only, and no shell', async () => {
    const folder = await emptyFolder();
    const opened = join(folder, 'opened');
    const script = `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${opened}.new'; mv '${opened}.new' '${opened}'\n`;
    await writeFile(join(folder, 'xdg-open'), script);
    await chmod(join(folder, 'xdg-open'), 0o755);
    const { id, url } = await owner.deploy();
    const settings = { ...account, PATH: `${folder}:${process.env.PATH}` };
    expect(await formhost(['open', id], { settings })).toEqual(done(`${url}\n`));
    expect(await readdir(folder)).toEqual(['xdg-open']);
    expect(await onTerminal(['open', id], settings).result).toEqual(done(`${url}\n`));
    await wait(async () => expect(await readFile(opened, 'utf8')).toBe(`1\n${url}/\n`));
  });

  it('rollback makes the version before live again, or the one that is named', async () => {
    const { id, url } = await owner.deploy({ html: 'one' });
    expect(await run(['rollback', id])).toEqual(refusedFor('no version before'));
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
    expect(await run(['delete', id], 'y\n')).toEqual(misusedFor('--yes'));
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

describe('formhost webhooks', () => {
  it('adds, lists, tests, shows the log and retries', async () => {
    const { url, received } = await startReceiver(
      (response) => void response.writeHead(received.length === 1 ? 200 : 500).end(),
    );
    const webhooks = (...args: string[]) => run(['webhooks', ...args]);
    const { id } = await owner.deploy();
    const added = await webhooks('add', id, url);
    expect(added).toEqual(done(added.stdout, expect.any(String)));
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
    expect(await webhooks('add', id, 'ftp://x')).toEqual(refusedFor('<url> is invalid: give an absolute'));
  });

  it('shows and rotates the secret, disables, enables and removes', async () => {
    const { id } = await owner.deploy();
    const { id: webhook } = (await owner.post(`/webhooks/${id}`).send({ url: 'https://e.example/' }).expect(201)).body;
    const webhooks = (name: string, ...more: string[]) => run(['webhooks', name, id, webhook, ...more]);
    const secretOf = async () => (await owner.get(`/webhooks/${id}/${webhook}/secret`)).body.secret;
    const isActive = async () => (await owner.get(`/webhooks/${id}`)).body.webhooks[0]?.active;
    const before = await secretOf();
    expect(await webhooks('secret')).toEqual(done(`${before}\n`));
    const rotated = await webhooks('secret', '--rotate');
    expect(rotated).toEqual(done(`${await secretOf()}\n`, expect.stringContaining('24 hours')));
    expect(rotated.stdout).not.toContain(before);
    expect([(await webhooks('disable')).stdout, await isActive()]).toEqual([`${webhook}\n`, false]);
    expect([(await webhooks('enable', '--json')).stdout, await isActive()]).toEqual([
      expect.stringMatching(/^\{"id"/),
      true,
    ]);
    expect([(await webhooks('remove')).stdout, await isActive()]).toEqual([`${webhook}\n`, undefined]);
    expect(await webhooks('remove')).toEqual(
      refusedFor('No such webhook: check the id. `formhost webhooks list` has the ids of the webhooks of a page'),
    );
  });
});

describe('a page that was renamed', () => {
  it('is found by each slug that it had, and by no other owner', async () => {
    const { id, slug } = await owner.deploy();
    for (const next of [`${slug}-b`, `${slug}-c`]) expect(await run(['rename', slug, next])).toMatchObject({ code: 0 });
    for (const name of [slug, `${slug}-b`, `${slug}-c`, id]) {
      expect(JSON.parse((await run(['page', 'show', name, '--json'])).stdout)).toMatchObject({
        ...{ id, slug: `${slug}-c`, former_slugs: [slug, `${slug}-b`] },
      });
    }
    expect(await run(['search', slug, '""', '--json'])).toMatchObject({ code: 0 });
    await service
      .db('former_slugs')
      .where({ slug })
      .update({ until: new Date(0) });
    expect(await run(['page', 'show', slug])).toEqual(refusedFor(`there is no page ${slug}: `));
    const other = await (await service.owner()).deploy();
    expect(await run(['page', 'show', other.slug])).toEqual(refusedFor(`there is no page ${other.slug}: `));
  });
});
