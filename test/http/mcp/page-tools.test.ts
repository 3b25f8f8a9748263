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
    expect(await answerOf('whoami')).toEqual({ ...body, scope: 'full' });
    const { body: key } = await owner.post('/keys').send({ name: 'agent', scope: 'read' }).expect(201);
    const reader = await startAgent(service.url, key.key);
    expect(await reader.answerOf('whoami')).toEqual({ ...body, scope: 'read' });
    expect(await errorOf('whoami', { id: 'x' })).toMatch(/^An argument is not known: whoami takes none\. Correct/);
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
