import { describe, expect, it, vi } from 'vitest';
import { startAgent } from '../../support/agent.ts';
import { startDnsServer } from '../../support/dns-server.ts';
import { startReceiver } from '../../support/receivers.ts';
import { testService } from '../../support/test-service.ts';

/*
 * The tools for what a page has besides its HTML and its submissions: files, webhooks and domains.
 */

const PATIENCE = { timeout: 60_000 };

const dns = await startDnsServer();
const service = await testService({ DNS_SERVERS: dns.address, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const { answerOf, errorOf } = await startAgent(service.url, owner.key);

const SITE = { html: '<p>', files: { 'css/a.css': 'a{}', 'b.txt': 'b' } };

describe('whoami', () => {
  it('returns the account, and what the key may do', async () => {
    await owner.deploy();
    const { body } = await owner.get('/me').expect(200);
    expect(await answerOf('whoami')).toEqual({ ...body, scope: 'full', pages: null });
    const { body: key } = await owner.post('/keys').send({ name: 'agent', scope: 'read' }).expect(201);
    const reader = await startAgent(service.url, key.key);
    expect(await reader.answerOf('whoami')).toEqual({ ...body, scope: 'read', pages: null });
    const { id } = await owner.deploy();
    const { body: narrow } = await owner
      .post('/keys')
      .send({ name: 'one', scope: 'publish', pages: [id] })
      .expect(201);
    const publisher = await startAgent(service.url, narrow.key);
    expect(await publisher.answerOf('whoami')).toMatchObject({ scope: 'publish', pages: [id] });
    expect(await errorOf('whoami', { id: 'x' })).toMatch(/^An argument is not known: whoami takes none\. Correct/);
  });
});

describe('a key with the scope publish', () => {
  it('has the tools of pages and their files, and no others', async () => {
    const { body: key } = await owner.post('/keys').send({ name: 'agent', scope: 'publish' }).expect(201);
    const publisher = await startAgent(service.url, key.key);
    const { tools } = await publisher.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['whoami', 'publish_page', 'edit_page', 'update_page', 'check_html', 'list_versions', 'restore_version'],
        ...['list_files', 'read_page_file', 'write_page_file', 'remove_page_file'],
      ]),
    );
    expect(
      tools.map(({ name }) => name).filter((name) => /submission|webhook|domain|spam|settings|mail|delete/.test(name)),
    ).toEqual([]);
    const { id } = await publisher.answerOf('publish_page', { html: '<p>one' });
    await publisher.answerOf('edit_page', { id, edits: [{ find: 'one', replace: 'two' }] });
    expect(await publisher.answerOf('get_html', { id })).toMatchObject({ html: '<p>two' });
    expect(await publisher.errorOf('list_submissions', { id })).toMatch(/^This API key may only publish pages/);
  });
});

describe('overview', () => {
  it('returns all pages at a glance', async () => {
    const { id } = await owner.deploy();
    await service.submit(id);
    const { body } = await owner.get('/overview?limit=1').expect(200);
    expect(body.deployments).toMatchObject([{ id, unread: 1 }]);
    expect(await answerOf('overview', { limit: 1 })).toEqual({ ...body, next: 'page=2&limit=1' });
  });
});

describe('files', () => {
  it('are listed and removed one by one', async () => {
    const { id, slug } = await owner.deploy(SITE);
    expect(await answerOf('list_files', { id: slug })).toEqual((await owner.get(`/deploy/${id}/files`)).body);
    expect(await answerOf('remove_page_file', { id: slug, path: 'css/a.css' })).toEqual({
      message: 'File removed',
      path: 'css/a.css',
    });
    const { files } = await answerOf('list_files', { id });
    expect(files.map(({ path }: { path: string }) => path)).toEqual(['index.html', 'b.txt']);
    expect(await errorOf('remove_page_file', { id, path: 'css/a.css' })).toMatch(
      /^No such file: choose one that list_files lists\. list_pages has the ids/,
    );
    expect(await errorOf('remove_page_file', { id, path: 'index.html' })).toBe(
      'The file "index.html" can\'t be removed: delete the page. Correct the arguments, then call the tool again.',
    );
    expect(await errorOf('remove_page_file', { id })).toMatch(/^path is required/);
    await answerOf('restore_version', { id, version: 1 });
    expect((await answerOf('list_files', { id })).files.length).toBe(3);
  });
});

describe('a webhook', () => {
  it('is paused and changed, and a delivery is sent again', async () => {
    const { id } = await owner.deploy();
    const [before, after] = [await startReceiver(), await startReceiver()];
    const { id: webhook_id } = await answerOf('add_webhook', { id, url: before.url });
    const hook = { id, webhook_id };
    expect(await answerOf('change_webhook', { ...hook, active: false })).toMatchObject({ active: false });
    await service.submit(id, '{"n":1}');
    expect((await answerOf('list_deliveries', hook)).deliveries).toEqual([]);
    const changed = await answerOf('change_webhook', { ...hook, url: `${after.url}/new`, active: true });
    expect(changed).toEqual((await owner.get(`/webhooks/${id}/${webhook_id}`)).body);
    expect(changed).toMatchObject({ url: `${after.url}/new`, active: true });
    await service.submit(id, '{"n":2}');
    const succeeded = async (): Promise<string> => {
      const { deliveries } = await answerOf('list_deliveries', hook);
      expect(deliveries).toMatchObject([{ status: 'succeeded' }]);
      return deliveries[0].id;
    };
    const delivery_id = await vi.waitFor(succeeded, PATIENCE);
    expect(await answerOf('retry_delivery', { ...hook, delivery_id })).toEqual({ id: delivery_id, status: 'pending' });
    await vi.waitFor(() => expect(after.received.length).toBe(2), PATIENCE);
    expect(before.received).toEqual([]);
    expect(await errorOf('retry_delivery', { ...hook, delivery_id: 'dl_x' })).toMatch(
      /^No such delivery: .*list_deliveries/,
    );
    expect(await errorOf('change_webhook', { ...hook, active: 'maybe' })).toMatch(/^active is not a boolean/);
    expect(await errorOf('change_webhook', { ...hook, url: 'ftp://example.org' })).toMatch(/^url is invalid/);
  });
});

describe('a domain', () => {
  it('is added, checked, listed and removed', async () => {
    const { id, slug } = await owner.deploy();
    const added = await answerOf('add_domain', { id: slug, domain: 'Forms.Shop.example' });
    expect(added).toMatchObject({ domain: 'forms.shop.example', status: 'pending' });
    const page = { id, domain: 'forms.shop.example' };
    expect(await answerOf('check_domain', page)).toMatchObject({ status: 'pending', problem: expect.any(String) });
    for (const { type, name, value } of added.records) dns.replies.set(`${type} ${name}`, [value]);
    const checked = await answerOf('check_domain', page);
    expect(checked).toMatchObject({ status: 'live', problem: null });
    expect(await answerOf('list_domains', { id })).toEqual((await owner.get(`/deploy/${id}/domains`)).body);
    expect((await answerOf('list_domains', { id })).domains).toEqual([checked]);
    expect(await answerOf('remove_domain', page)).toEqual({ message: 'Domain removed', domain: page.domain });
    expect(await errorOf('check_domain', page)).toMatch(/^No such domain: choose one that list_domains lists\. /);
    expect(await errorOf('add_domain', { id, domain: 'github.io' })).toMatch(/^domain is a public suffix/);
    expect(await errorOf('add_domain', { id })).toMatch(/^domain is required/);
  });
});

describe('a file', () => {
  it('is written and read, as a text or in base64', async () => {
    const { id, slug } = await owner.deploy(SITE);
    const page = { id: slug };
    const written = await answerOf('write_page_file', { ...page, path: 'css/a.css', content: 'a { color: "é🙂" }' });
    expect(written).toEqual((await owner.get(`/deploy/${id}/files`)).body.files[2]);
    expect(await answerOf('read_page_file', { ...page, path: 'css/a.css' })).toEqual({
      ...written,
      ...{ content: 'a { color: "é🙂" }', next_offset: null },
    });
    const picture = Buffer.from([0x89, 0x50, 0, 0xff]).toString('base64');
    const path = 'new/ada.png';
    await answerOf('write_page_file', { ...page, path, content: picture, encoding: 'base64' });
    expect(await answerOf('read_page_file', { ...page, path })).toMatchObject({
      ...{ path, bytes: 4, content_type: 'image/png' },
      ...{ content: picture, encoding: 'base64', next_offset: null },
    });
    const { files } = (await owner.get(`/deploy/${id}/files`)).body;
    expect(files.map((file: { path: string }) => file.path)).toEqual(['index.html', 'b.txt', 'css/a.css', path]);
    // A text that is JSON stays a text.
    await answerOf('write_page_file', { ...page, path: 'a.json', content: '{"a":1}' });
    expect((await answerOf('read_page_file', { ...page, path: 'a.json' })).content).toBe('{"a":1}');
    await answerOf('write_page_file', { ...page, path: 'empty.txt', content: '' });
    expect((await answerOf('read_page_file', { ...page, path: 'empty.txt' })).content).toBe('');
    await answerOf('write_page_file', { ...page, path: 'index.html', content: '<p>new' });
    expect((await answerOf('read_page_file', { ...page, path: 'index.html' })).content).toBe('<p>new');
    expect(await answerOf('get_html', page)).toEqual({ html: '<p>new', next_offset: null });
  });

  it('is read in parts where it is long', async () => {
    // Longer than a piece of the database.
    const content = `${'🙂é"'.repeat(80_000)}.`;
    const { id } = await owner.deploy({ html: '<p>', files: { 'a.txt': content } });
    const parts: string[] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const part: { content: string; next_offset: number | null } = await answerOf('read_page_file', {
        ...{ id, path: 'a.txt', offset, max_chars: 100_000 },
      });
      expect(part.content.isWellFormed()).toBe(true);
      parts.push(part.content);
      offset = part.next_offset;
    }
    expect(parts.join('') === content).toBe(true);
    expect(parts.length).toBe(4);
  });

  it('is refused where its path or its content is wrong', async () => {
    const { id } = await owner.deploy(SITE);
    const write = (args: object) => errorOf('write_page_file', { id, path: 'a.txt', content: 'a', ...args });
    expect(await write({ path: '../a' })).toMatch(/^The file "\.\.\/a" is refused/);
    expect(await write({ content: undefined })).toMatch(/^content is required: send it as a text\./);
    expect(await write({ content: 1 })).toMatch(/^content is required/);
    expect(await write({ content: 'é', encoding: 'base64' })).toMatch(/^content is not base64/);
    expect(await write({ content: '\ud800' })).toMatch(/^content has a lone surrogate/);
    expect(await write({ encoding: 'hex' })).toMatch(/^encoding is not known/);
    expect(await write({ path: 'index.html', content: '' })).toMatch(/^The file "index\.html" is empty/);
    expect(await errorOf('read_page_file', { id, path: 'x.css' })).toMatch(/^No such file: .* list_files lists\./);
    const large = Buffer.alloc(3 * 1024 * 1024);
    await owner.send('PUT', `/deploy/${id}/files/large.bin`, large, { 'Content-Type': 'application/octet-stream' });
    expect(await errorOf('read_page_file', { id, path: 'large.bin' })).toBe(
      'The file has more than 2097152 bytes: read it over the HTTP API.',
    );
    expect((await owner.get(`/deploy/${id}/files`)).body.files.length).toBe(4);
  });
});
