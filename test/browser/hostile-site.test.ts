import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { publishSite } from '../support/publish-site.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * A site that attacks the service and other pages, visited by an owner who is signed in.
 */

const WORKER = `
  self.addEventListener('install', () => self.skipWaiting());
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener('fetch', (event) => event.respondWith(new Response('taken over', { headers: { 'Content-Type': 'text/html' } })));
`;

describe.skipIf(!hasChromium())('a hostile site', () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let host = '';
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    browser = await openBrowser();
    const { slug } = await publishSite(owner, {
      'index.html': '<!doctype html><title>Hostile</title>',
      'worker.js': WORKER,
      'image.svg':
        '<svg xmlns="http://www.w3.org/2000/svg"><script>document.documentElement.id = origin</script></svg>',
    });
    host = service.origin.replace('://', `://${slug}.`);
    context = await browser.newContext();
    const { headers } = await owner.post('/session').send({ key: owner.key }).expect(200);
    const [name = '', value = ''] = String(headers['set-cookie']).split(';')[0]?.split('=') ?? [];
    await context.addCookies([{ name, value, url: service.origin, httpOnly: true, sameSite: 'Strict' }]);
    page = await context.newPage();
    await page.goto(host);
  });
  afterAll(async () => {
    await context?.close();
    await service?.close();
  });

  it('reads no answer of the API, and sends no cookie that would be of use', async () => {
    const ask = (url: string, init: object) =>
      page.evaluate(
        ([to, how]) =>
          fetch(to, how).then(
            (answer) => answer.type,
            () => 'refused',
          ),
        [url, init] as const,
      );
    for (const path of ['/me', '/deploy']) {
      expect(await ask(service.origin + path, { credentials: 'include' })).toBe('refused');
    }
    const body = JSON.stringify({ html: 'taken over' });
    expect(
      await ask(`${service.origin}/deploy`, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
    ).toBe('opaque');
    expect((await owner.get('/deploy')).body.total).toBe(1);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  it('runs the scripts of its images under its own origin', async () => {
    const image = await context.newPage();
    await image.goto(`${host}/image.svg`);
    expect(await image.locator('svg').getAttribute('id')).toBe(host);
    await image.close();
  });

  it('has a service worker for its own host alone', async () => {
    const other = await owner.deploy({ html: '<!doctype html><title>Another page</title>' });
    const register = "navigator.serviceWorker.register('/worker.js')";
    const scope = `${register}.then(({ scope }) => navigator.serviceWorker.ready.then(() => scope))`;
    expect(await page.evaluate(scope)).toBe(`${host}/`);
    await page.goto(`${host}/anything`);
    expect(await page.textContent('body')).toBe('taken over');
    await page.goto(service.origin.replace('://', `://${other.slug}.`));
    expect(await page.title()).toBe('Another page');
    const answer = await page.goto(`${service.origin}/healthz`);
    expect([answer?.status(), answer?.fromServiceWorker()]).toEqual([200, false]);
  });
});
