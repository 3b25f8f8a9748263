import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { publishSite } from '../support/publish-site.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * Service workers of pages that are gone, in the browsers of earlier visitors.
 */

/** Keeps the page, and answers everything with it from then on. */
const WORKER = `
  self.addEventListener('install', (event) => {
    self.skipWaiting();
    event.waitUntil(caches.open('kept').then((cache) => cache.add('/')));
  });
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener('fetch', (event) => event.respondWith(caches.match('/')));
`;
const register = (path: string, options = '') =>
  `<script>navigator.serviceWorker.register('${path}'${options}).catch((error) => { document.title = error.message })</script>`;

/** Has the state of its worker as its title. */
const MISSING = `<title>A page</title><script>
  navigator.serviceWorker.register('/missing.js').then(({ installing: worker }) => {
    worker.onstatechange = () => { document.title = worker.state };
  });
</script>`;

describe.skipIf(!hasChromium())('a service worker of an earlier page', () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let next: Owner;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    next = await service.owner();
    browser = await openBrowser();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(() => context?.close());
  afterAll(() => service?.close());

  /** A page of a visitor that an earlier owner's worker controls, and the address and the slug that are free now. */
  async function visitAndDelete(html: string, worker: Record<string, string>) {
    const { id, slug } = await publishSite(owner, { 'index.html': html, ...worker });
    const url = service.origin.replace('://', `://${slug}.`);
    await page.goto(url);
    await page.waitForFunction('navigator.serviceWorker.controller !== null');
    await owner.delete(`/deploy/${id}`).expect(200);
    return { slug, url };
  }
  const registrations = () => page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => length)');
  const caches = () => page.evaluate('caches.keys()');

  it.each([
    ['/worker.js', ''],
    ['/scripts/worker.js', ", { scope: '/scripts/' }"],
    ['/module.mjs', ", { type: 'module' }"],
  ])('%s is removed at the next visit, which then shows the page of the next owner', async (path, options) => {
    const folder = path.startsWith('/scripts/') ? 'scripts/' : '';
    const html = `<h1>First owner</h1>${register(path, options)}`;
    const { id, slug } = await publishSite(owner, {
      ...{ 'index.html': html, [path.slice(1)]: WORKER },
      ...(folder && { 'scripts/index.html': html }),
    });
    const url = `${service.origin.replace('://', `://${slug}.`)}/${folder}`;
    await page.goto(url);
    await page.waitForFunction('navigator.serviceWorker.controller !== null');
    await owner.delete(`/deploy/${id}`).expect(200);
    await next.deploy({ html: '<h1>Next owner</h1>', slug, files: { 'scripts/index.html': '<h1>Next owner</h1>' } });
    const answer = await page.goto(url);
    // The worker still answers, until the browser has looked for its script.
    expect(answer?.fromServiceWorker()).toBe(true);
    await page.getByText('Next owner').waitFor();
    await expect.poll(registrations).toBe(0);
    expect(await caches()).toEqual([]);
    expect((await page.goto(url))?.fromServiceWorker()).toBe(false);
  });

  it('is removed where no page is any more', async () => {
    const { url } = await visitAndDelete(`<h1>First owner</h1>${register('/worker.js')}`, { 'worker.js': WORKER });
    await page.goto(url);
    await page.getByText('There is no page').waitFor();
    expect((await page.goto(url))?.status()).toBe(404);
  });

  it('does not load a page again and again whose own worker is missing', async () => {
    const { slug } = await owner.deploy({ html: MISSING });
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.goto(service.origin.replace('://', `://${slug}.`));
    await page.waitForFunction("document.title === 'redundant'");
    expect(await registrations()).toBe(0);
    expect(loads).toBe(1);
    expect(await page.evaluate('navigator.serviceWorker.controller')).toBeNull();
  });
});
