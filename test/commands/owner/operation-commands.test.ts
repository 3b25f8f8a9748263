import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishSite } from '../../support/publish-site.ts';
import { startReceiver } from '../../support/receivers.ts';
import { done, formhost, misusedFor, printed, refusedFor } from '../../support/run-command.ts';
import { emptyFolder } from '../../support/run-formhost.ts';
import { FORM, ownerCommands, wait } from '../../support/run-owner-commands.ts';

/*
 * Commands that follow from declarations of operations, beside those that other files test.
 */

const { service, owner, account, run, inFolder, onTerminal, apiText, filled } = await ownerCommands({
  DELIVERY_RETRY_DELAYS: '600',
});

const cells = (...values: unknown[]): string => `${values.map((value) => value ?? '-').join('\t')}\n`;

describe('formhost me', () => {
  it('shows the account, and changes it', async () => {
    const me = JSON.parse(await apiText('/me'));
    expect(await run(['me', 'show'])).toEqual(
      done(
        Object.entries(me)
          .map(([name, value]) => cells(name, value))
          .join(''),
      ),
    );
    const set = (...args: string[]) => run(['me', 'set', ...args]);
    expect((await set('--time-zone', 'Asia/Kolkata')).stdout).toContain(cells('time_zone', 'Asia/Kolkata'));
    expect((await set('--time-zone', 'null', '--json')).stdout).toBe(`${await apiText('/me')}\n`);
    expect(JSON.parse(await apiText('/me')).time_zone).toBe(null);
    expect(await set('--time-zone', 'Mars/Olympus')).toEqual(refusedFor('--time-zone is invalid'));
    expect(await set()).toEqual(misusedFor('nothing is to be changed: give an option'));
  });
});

describe('formhost feeds', () => {
  it('makes addresses for spreadsheets, lists, replaces and ends them', async () => {
    const { id } = await owner.deploy();
    const listed = async () => JSON.parse(await apiText(`/deploy/${id}/feeds`)).feeds;
    const added = await run(['feeds', 'add', id, '--name', 'Sheet']);
    const [feed] = await listed();
    const next = `formhost: made ${feed.id}; who has the address can read the submissions\n`;
    expect(added).toEqual(done(`${feed.url}\n`, next));
    expect(await run(['feeds', 'list', id])).toEqual(
      done(cells(feed.id, 'Sheet', feed.created_at, feed.last_read_at, feed.url)),
    );
    expect((await run(['feeds', 'list', id, '--json'])).stdout).toBe(`${await apiText(`/deploy/${id}/feeds`)}\n`);
    const rotated = await run(['feeds', 'rotate', id, feed.id]);
    const [{ url }] = await listed();
    const advice = 'formhost: the address before works no more: put this one into the spreadsheet\n';
    expect([rotated, url === feed.url]).toEqual([done(`${url}\n`, advice), false]);
    expect(await run(['feeds', 'remove', id, feed.id])).toEqual(
      done(`${feed.id}\n`, 'formhost: removed: its address works no more\n'),
    );
    expect(await listed()).toEqual([]);
  });
});

describe('formhost sessions', () => {
  it('lists browsers, and signs them out', async () => {
    const signIn = () =>
      fetch(`${service.url}/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'User-Agent': 'Firefox' },
        body: JSON.stringify({ key: owner.key }),
      });
    for (let n = 0; n < 3; n += 1) await signIn();
    const listed = async () => JSON.parse(await apiText('/sessions')).sessions;
    const sessions = await listed();
    const lines = sessions.map((one: Record<string, string>) =>
      cells(one.id, one.created_at, one.last_used_at, 'Firefox'),
    );
    expect(lines).toHaveLength(3);
    expect(await run(['sessions', 'list'])).toEqual(done(lines.join('')));
    const [{ id }] = sessions;
    expect(await run(['sessions', 'end', id])).toEqual(done(`${id}\n`, 'formhost: ended: the browser is signed out\n'));
    expect(await listed()).toHaveLength(2);
    expect(await run(['sessions', 'end-all'])).toEqual(done('Signed out everywhere\n'));
    expect(await listed()).toEqual([]);
  });
});

describe('formhost page', () => {
  it('shows a page, its HTML as it was sent, and that of a version', async () => {
    const before = '<p>Grüße\r\n</p>';
    const { id, slug } = await owner.deploy({ html: before });
    await owner.put(`/deploy/${id}`).send({ html: '<p>two</p>' }).expect(200);
    const { url, form_action: action } = JSON.parse(await apiText(`/overview/${id}`));
    const shown = await printed(run(['page', 'show', slug]));
    expect(shown).toContain(cells('url', url) + cells('title', null) + cells('form_action', action));
    expect(await run(['page', 'html', slug])).toEqual(done('<p>two</p>'));
    expect(await run(['page', 'html', slug, '--of-version', '1'])).toEqual(done(before));
    expect((await run(['page', 'html', id, '--of-version', '1', '--json'])).stdout).toBe(
      `${await apiText(`/deploy/${id}/versions/1/html`)}\n`,
    );
    expect(await run(['page', 'html', id, '--of-version', '7'])).toEqual(refusedFor('No such version'));
  });

  it('checks the forms of the live page, and exits with 1 where there is an error', async () => {
    const { id } = await owner.deploy({ html: FORM });
    expect(await run(['page', 'check', id])).toEqual(
      done('', expect.stringMatching(/^formhost: Agents in browsers can have the form in line 1 as a tool: [^\n]+\n$/)),
    );
    await owner
      .put(`/deploy/${id}`)
      .send({ html: FORM.replace('{{FORM_ACTION}}', '{{ FORM_ACTION }}') })
      .expect(200);
    const [problem] = JSON.parse(await apiText(`/deploy/${id}/check`)).problems;
    expect(await run(['page', 'check', id])).toEqual({
      ...{ code: 1, stderr: '' },
      stdout: cells(null, problem.line, problem.column, 'error', 'placeholder-misspelt', problem.message),
    });
    expect(await run(['page', 'check', id, '--json'])).toMatchObject({ code: 1, stderr: '' });
  });
});

describe('formhost overview', () => {
  it('lists all pages, and what needs attention', async () => {
    const other = await service.owner();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await other.deploy({ html: `<title>Page ${n}</title>` })).id);
    await service.submit(ids[0] ?? '', '{"n":1}');
    const { deployments } = (await other.get('/overview')).body;
    const lines = deployments.map((page: Record<string, string>) =>
      cells(
        ...[page.id, page.slug, page.submission_count, page.unread, 0, 0, page.last_submission_at, 'live', page.title],
      ),
    );
    expect(deployments.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(await formhost(['overview'], { settings: { ...account, FORMHOST_KEY: other.key } })).toEqual(
      done(lines.join('')),
    );
  });
});

describe('formhost site', () => {
  it('lists, gets, puts and removes files of a page, and nothing else', async () => {
    const cwd = await emptyFolder();
    const { id, slug } = await publishSite(owner, { 'index.html': FORM, 'a/50 % off é.css': 'p{}' });
    const listed = async () => JSON.parse(await apiText(`/deploy/${id}/files`)).files;
    const lines = (await listed()).map((file: Record<string, string>) =>
      cells(file.path, file.bytes, file.content_type, file.sha256),
    );
    expect(await run(['site', 'list', slug])).toEqual(done(lines.join('')));
    expect(await inFolder(cwd, 'site', 'get', slug, 'a/50 % off é.css')).toEqual(done('p{}'));

    const content = Buffer.from([0x89, 0x50, 0xff, 0x00]);
    await writeFile(join(cwd, 'logo'), content);
    const message = 'b/logo.png is live, as a new version of the page';
    expect(await inFolder(cwd, 'site', 'put', slug, 'b/logo.png', 'logo')).toEqual(
      done('b/logo.png\n', `formhost: ${message}\n`),
    );
    expect(await inFolder(cwd, 'site', 'get', id, 'b/logo.png', '--output', 'copy')).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, 'copy'))).toEqual(content);
    expect(await run(['site', 'list', slug, '--of-version', '1'])).toEqual(done(lines.join('')));
    expect(await run(['site', 'remove', slug, 'b/logo.png'])).toEqual(
      done('b/logo.png\n', `formhost: removed: formhost rollback ${slug} brings it back\n`),
    );
    const before = await listed();
    for (const path of ['..', 'a/../..', '../../d_x', '', 'a//b', './a']) {
      expect(await run(['site', 'remove', slug, path])).toMatchObject({ code: 2, stdout: '' });
      expect(await inFolder(cwd, 'site', 'put', slug, path, 'logo')).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await listed()).toEqual(before);
  });
});

describe('formhost trash purge', () => {
  it('deletes a page for good after a question, by its slug', async () => {
    const { id, slug } = await owner.deploy();
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await run(['trash', 'purge', slug])).toEqual(misusedFor('nobody can be asked here: add --yes'));
    const { err, type, result } = onTerminal(['trash', 'purge', slug]);
    await wait(() =>
      expect(err.text).toContain(`Delete ${slug} for good, with its submissions and their files? [y/N]`),
    );
    type('n\n');
    expect(await result).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was changed') });
    expect(await run(['trash', 'purge', slug, '--yes'])).toEqual(done(`${id}\n`, 'formhost: deleted for good\n'));
    expect(await run(['trash', 'purge', slug, '--yes'])).toEqual(refusedFor(`there is no page ${slug} in the trash`));
  });
});

describe('formhost submissions', () => {
  it('lists, shows, marks and deletes', async () => {
    const id = await filled(3, (n) => `{"n":${n},"big":12345678901234567890}`);
    const { submissions } = JSON.parse(await apiText(`/submissions/${id}`));
    const pages = await Promise.all([1, 2].map((page) => apiText(`/submissions/${id}?page=${page}&limit=2`)));
    expect(await run(['submissions', 'list', id, '--json'])).toEqual(done(`${pages.join('\n')}\n`));
    const [{ id: newest, created_at: at, ip_address: ip }] = submissions;
    const fields = '  n: 3\n  big: 12345678901234567890\n\n';
    expect((await printed(run(['submissions', 'list', id]))).startsWith(`${newest}  ${at}  ${ip}\n${fields}`)).toBe(
      true,
    );
    expect(await run(['submissions', 'show', id, newest])).toEqual(done(`${newest}  ${at}  ${ip}\n${fields}`));
    const mark = (...options: string[]) => run(['submissions', 'mark', id, newest, ...options]);
    expect(await mark('--read', '--starred')).toEqual(done(`${newest}  ${at}  ${ip}  starred\n${fields}`));
    expect(await mark('--no-read', '--no-starred')).toEqual(done(`${newest}  ${at}  ${ip}  unread\n${fields}`));
    const noted = 'done\n  n: 3\n  big: 12345678901234567890\n  note: Called\n        twice\n\n';
    expect(await mark('--status', 'done', '--note', 'Called\ntwice')).toEqual(
      done(`${newest}  ${at}  ${ip}  unread  ${noted}`),
    );
    expect(await mark('--status', 'open', '--note', '')).toEqual(done(`${newest}  ${at}  ${ip}  unread\n${fields}`));
    expect(await mark('--status', 'closed')).toEqual(misusedFor('Allowed choices are open, done'));
    await run(['submissions', 'test', id, '--fields', '{"n":"a test"}']);
    expect((await run(['search', id, 'a test'])).stdout).toMatch(/^sub_\w+ {2}\S+ {2}\S+ {2}test\n {2}n: a test\n/);
    expect(await mark()).toEqual(misusedFor('give an option'));
    expect(await run(['submissions', 'delete', id, newest])).toEqual(misusedFor('add --yes'));
    expect(await run(['submissions', 'delete', id, newest, '--yes'])).toMatchObject({ code: 0, stdout: `${newest}\n` });
    expect(JSON.parse(await apiText(`/submissions/${id}`)).total).toBe(2);
    expect(await printed(run(['submissions', 'trash', id]))).toBe(`${newest}  ${at}  ${ip}\n${fields}`);
    expect(await run(['submissions', 'restore', id, newest])).toEqual(
      done(`${newest}\n`, 'formhost: restored, with its files, note and marks\n'),
    );
    expect(await run(['submissions', 'purge', id, newest, '--yes'])).toMatchObject({ code: 1 });
    await run(['submissions', 'delete', id, newest, '--yes']);
    expect(await run(['submissions', 'purge', id, newest])).toEqual(misusedFor('add --yes'));
    expect(await run(['submissions', 'purge', id, newest, '--yes'])).toMatchObject({ code: 0, stdout: `${newest}\n` });
    const [{ id: next }] = JSON.parse(await apiText(`/submissions/${id}`)).submissions;
    await run(['submissions', 'delete', id, next, '--permanent', '--yes']);
    expect(JSON.parse(await apiText(`/submissions/${id}/trash`)).total).toBe(0);
    expect(JSON.parse(await apiText(`/submissions/${id}`)).total).toBe(1);
  });

  it('changes many, by their ids or by a filter', async () => {
    const id = await filled(5, (n) => `{"n":${n},"kind":"${n % 2 ? 'casino' : 'other'}"}`);
    const change = (...args: string[]) => run(['submissions', 'change', id, ...args]);
    const unread = async () => JSON.parse(await apiText(`/submissions/${id}/search?unread=true`)).submissions;
    const [first, second] = (await unread()).map((one: { id: string }) => one.id);
    expect(await change('read', first, second)).toEqual(done('2\n', 'formhost: 2 submissions changed\n'));
    expect(await unread()).toHaveLength(3);
    const filter = ['--filter', '{"q":"casino"}'];
    expect(await change('delete', ...filter)).toEqual(misusedFor('add --yes'));
    expect(await change('delete', ...filter, '--yes')).toEqual(done('3\n', 'formhost: 3 submissions changed\n'));
    expect((await change('star', '--filter', '{}', '--json')).stdout).toBe('{"done":2,"next_cursor":null}\n');
    expect(await change('read', '--filter', 'casino')).toEqual(misusedFor('--filter is not JSON'));
    expect(await change('paint', first)).toEqual(misusedFor('Allowed choices are read, unread'));
    expect(await change('read')).toEqual(refusedFor('<submission> and --filter are both given, or neither'));
  });

  it('stores a test', async () => {
    const { id } = await owner.deploy();
    const tested = await run(['submissions', 'test', id, '--fields', '{"name":"Ada"}']);
    const [{ id: stored, data, test }] = JSON.parse(await apiText(`/submissions/${id}/search`)).submissions;
    expect(tested).toEqual(done(`${stored}\n`, expect.stringContaining('received')));
    expect([data, test]).toEqual([{ name: 'Ada' }, true]);
    expect(await run(['submissions', 'test', id])).toMatchObject({ code: 0 });
  });
});

describe('formhost inbox', () => {
  it('finds submissions of all pages, to the end', async () => {
    const other = await service.owner();
    const inbox = (...args: string[]) =>
      formhost(['inbox', ...args], { settings: { ...account, FORMHOST_KEY: other.key } });
    const slugs: string[] = [];
    for (const n of [1, 2, 3]) {
      const { id, slug } = await other.deploy();
      slugs.unshift(slug);
      await service.submit(id, `{"n":${n},"city":"${n === 2 ? 'Paris' : 'London'}"}`);
    }
    const all = await inbox();
    expect(all).toEqual(done(all.stdout, 'formhost: 3 submissions found\n'));
    expect(Array.from(all.stdout.matchAll(/^ {2}n: (\d)/gm), ([, n]) => n)).toEqual(['3', '2', '1']);
    expect(Array.from(all.stdout.matchAll(/^sub_.* (\S+) {2}unread$/gm), ([, slug]) => slug)).toEqual(slugs);
    expect(await inbox('paris', '--unread')).toMatchObject({ code: 0, stderr: 'formhost: 1 submission found\n' });
    const texts = (await inbox('--json')).stdout.trimEnd().split('\n');
    expect(texts.map((text) => JSON.parse(text).submissions.length)).toEqual([2, 1]);
  });
});

describe('formhost spam', () => {
  it('deletes one, or all, and never more than is named', async () => {
    const { id, slug } = await owner.deploy();
    await owner.patch(`/deploy/${id}`).send({ spam: { blocklist: ['casino'] } });
    for (const n of [1, 2, 3]) await service.submit(id, `{"n":${n},"text":"casino"}`);
    const kept = async () => JSON.parse(await apiText(`/deploy/${id}/spam`)).submissions;
    const [{ id: one }] = await kept();
    for (const nothing of ['', '.', '..']) {
      expect(await run(['spam', 'delete', slug, nothing, '--yes'])).toEqual(
        misusedFor('is no submission: give another'),
      );
    }
    expect(await kept()).toHaveLength(3);
    expect(await run(['spam', 'delete', slug, one, '--yes'])).toMatchObject({ code: 0, stdout: `${one}\n` });
    expect(await kept()).toHaveLength(2);
    expect(await run(['spam', 'delete-all', slug])).toEqual(misusedFor('add --yes'));
    expect(await run(['spam', 'delete-all', slug, '--yes'])).toEqual(
      done(`${slug}\n`, 'formhost: deleted all spam for good\n'),
    );
    expect(await kept()).toEqual([]);
  });
});

describe('formhost webhooks', () => {
  it('changes a webhook, shows which ones fail, and sends again what has failed', async () => {
    const { url, received } = await startReceiver((response) => {
      response.writeHead(received.length === 1 ? 500 : 200).end();
    });
    const { id } = await owner.deploy();
    const { id: webhook } = (
      await owner
        .post(`/webhooks/${id}`)
        .send({ url: `${url}/old` })
        .expect(201)
    ).body;
    const webhooks = (name: string, ...args: string[]) => run(['webhooks', name, id, ...args]);
    expect(await webhooks('change', webhook, '--url', url, '--events', 'submission')).toEqual(
      done(`${webhook}\n`, `formhost: changed: submissions are sent to ${url}\n`),
    );
    expect(await webhooks('change', webhook)).toEqual(misusedFor('give an option'));
    expect(await webhooks('health')).toEqual(done(cells(webhook, null, 0, null)));
    await service.submit(id, '{"n":1}');
    const health = async () => JSON.parse(await apiText(`/webhooks/${id}/health`)).webhooks[0];
    await wait(async () => expect((await health()).failing_since).not.toBe(null));
    // As after its last attempt.
    await service.db('deliveries').where({ webhook_id: webhook }).update({ status: 'failed' });
    const { failing_since: since, last_error: error } = await health();
    expect(await webhooks('health')).toEqual(done(cells(webhook, since, 1, error)));
    expect(await webhooks('retry-all', webhook)).toEqual(
      done('1\n', `formhost: they are sent again: formhost webhooks log ${id} ${webhook} shows what becomes of them\n`),
    );
    await wait(() => expect(received).toHaveLength(2));
    expect(await webhooks('retry-all', webhook)).toEqual(done('0\n', 'formhost: no delivery has failed\n'));
  });
});

describe('formhost webhooks add, show and delivery', () => {
  it('make a webhook with a format and headers, and show what it has answered', async () => {
    const { url, received } = await startReceiver((response) => void response.writeHead(503).end('Full\ndisk'));
    const { id } = await owner.deploy();
    const headers = ['--header', 'X-Key: a b', '--header', 'X-Other:c'];
    const added = await run(['webhooks', 'add', id, url, '--format', 'telegram', '--chat-id', '-100', ...headers]);
    const webhook = added.stdout.trim();
    expect(added).toEqual(done(`${webhook}\n`, `formhost: try it: formhost webhooks test ${id} ${webhook}\n`));
    const { stdout: out } = await run(['webhooks', 'show', id, webhook, '--json']);
    expect(JSON.parse(out)).toMatchObject({ format: 'telegram', chat_id: '-100', headers: ['X-Key', 'X-Other'] });
    await owner.post(`/webhooks/${id}/${webhook}/test`).expect(202);
    const log = async () => JSON.parse(await apiText(`/webhooks/${id}/${webhook}/deliveries`)).deliveries[0];
    await wait(async () => expect((await log()).last_status).toBe(503));
    expect(received[0]?.headers).toMatchObject({ 'x-key': 'a b', 'x-other': 'c' });
    const delivery = (await log()).id;
    const [attempt] = JSON.parse(await apiText(`/webhooks/${id}/${webhook}/deliveries/${delivery}`)).attempts;
    const shown = await run(['webhooks', 'delivery', id, webhook, delivery]);
    expect(shown.stdout).toContain(`${attempt.at}\t${attempt.duration_ms}\t503\tthe receiver answered 503\tFull`);
    expect(await run(['webhooks', 'change', id, webhook, '--format', 'standard', '--header', ''])).toMatchObject({
      stdout: `${webhook}\n`,
    });
    const changed = await run(['webhooks', 'show', id, webhook, '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ format: 'standard', chat_id: null, headers: [] });
  });
});

describe('formhost mails', () => {
  it('says that nobody would get mail where the service sends none', async () => {
    const { id, slug } = await owner.deploy();
    expect(await run(['mails', 'test', slug])).toEqual(refusedFor('Nobody would get this mail'));
    expect(await run(['mails', 'preview', slug])).toEqual(refusedFor('Nobody would get this mail'));
    expect(await run(['mails', 'list', slug])).toEqual(done(''));
    expect((await run(['mails', 'list', id, '--limit', '3', '--json'])).stdout).toBe(
      `${await apiText(`/deploy/${id}/mails?limit=3`)}\n`,
    );
    expect(await run(['mails', 'retry', slug, 'dl_none'])).toEqual(refusedFor('No such delivery'));
    expect(await run(['mails', 'list', slug, '--limit', '0'])).toEqual(misusedFor('--limit is a number from 1 to 100'));
  });
});
