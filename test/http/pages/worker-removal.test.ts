import { expect, it } from 'vitest';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { type BareAnswer, bareRequest } from '../../support/bare-request.ts';
import { publishSite } from '../../support/publish-site.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const WORKER = "self.addEventListener('fetch', () => undefined);";

/** Asks for the script of a service worker, as browsers do. */
const ask = (host: string, path = '/sw.js', more: { method?: string; headers?: Record<string, string> } = {}) =>
  bareRequest(service.url + path, { ...more, headers: { Host: host, 'Service-Worker': 'script', ...more.headers } });
const hostOf = ({ slug }: { slug: string }): string => `${slug}.${PAGES_DOMAIN}`;

function expectRemoval({ status, headers, body }: BareAnswer): void {
  expect([status, headers]).toEqual([
    200,
    expect.objectContaining({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-store',
      'service-worker-allowed': '/',
      'x-content-type-options': 'nosniff',
      'content-length': String(body.length),
    }),
  ]);
  expect(headers.etag).toBeUndefined();
  for (const call of ['skipWaiting()', 'caches.delete(', 'unregister()']) expect(String(body)).toContain(call);
}

const site = await publishSite(owner, {
  ...{ 'index.html': 'x', 'sw.js': WORKER, 'module.mjs': WORKER, '404.html': 'lost', 'folder/index.html': 'x' },
  ...{ 'page.js.html': 'x', 'worker.txt': WORKER },
});
const single = await owner.deploy({ html: 'x' });

it('removes the worker whose script a site does not have, instead of its 404.html', async () => {
  for (const path of [
    '/old.js',
    '/a/b/sw.js?v=2',
    '/SW.js',
    '/',
    '/folder',
    '/page.js',
    '/worker.txt',
    '/%ff.js'.slice(0, 1),
  ]) {
    expectRemoval(await ask(hostOf(site), path));
  }
  expectRemoval(await ask(hostOf(single)));
  expectRemoval(await ask(hostOf(single), '/', { headers: { 'If-None-Match': '*', Range: 'bytes=0-3' } }));
});

it('sends the script that a site has', async () => {
  for (const path of ['/sw.js', '/module.mjs']) {
    const { status, headers, body } = await ask(hostOf(site), path);
    expect([status, headers['service-worker-allowed'], String(body)]).toEqual([200, undefined, WORKER]);
    const etag = String(headers.etag);
    expect((await ask(hostOf(site), path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  }
});

it('is asked by the header alone, for reading', async () => {
  expect((await ask(hostOf(site), '/old.js', { headers: { 'Service-Worker': 'none' } })).status).toBe(404);
  expect((await ask(hostOf(site), '/old.js', { method: 'POST' })).status).toBe(404);
  const head = await ask(hostOf(site), '/old.js', { method: 'HEAD' });
  expect([head.status, head.body.length, Number(head.headers['content-length'])]).toEqual([200, 0, expect.any(Number)]);
});

it('removes it where no page is: a free slug, no slug at all, a deleted page, one that was taken down', async () => {
  expectRemoval(await ask(`free-slug.${PAGES_DOMAIN}`));
  expectRemoval(await ask(`no--slug-1.${PAGES_DOMAIN}`));
  const deleted = await publishSite(owner, { 'index.html': 'x', 'sw.js': WORKER });
  await owner.delete(`/deploy/${deleted.id}`).expect(200);
  expectRemoval(await ask(hostOf(deleted)));
  const down = await publishSite(owner, { 'index.html': 'x', 'sw.js': WORKER });
  await takeDown(service.db, down.id, 'phishing');
  await expect.poll(async () => (await bareRequest(service.url, { headers: { Host: hostOf(down) } })).status).toBe(451);
  expectRemoval(await ask(hostOf(down)));
});

it('removes it at custom domains, live, of another page by now, and no longer known', async () => {
  const page = await publishSite(owner, { 'index.html': 'x', 'sw.js': WORKER });
  const domain = 'forms.shop.example';
  expectRemoval(await ask(domain));
  await service.db('domains').insert({ deployment_id: page.id, domain, status: 'live' });
  await expect.poll(async () => String((await ask(domain)).body)).toBe(WORKER);
  expectRemoval(await ask(domain, '/old.js'));
  await owner.delete(`/deploy/${page.id}`).expect(200);
  expectRemoval(await ask(domain));
  // A stranger has the slug, and a script under the same name.
  await owner.deploy({ html: 'x', slug: page.slug, files: { 'sw.js': 'stranger' } });
  expectRemoval(await ask(domain));
});

it('leaves the host of the API alone', async () => {
  expect((await ask('api.test')).status).toBe(404);
  expect((await ask('api.test', '/healthz')).status).toBe(200);
});
