import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * Pages for which a browser sends `Origin: null`, and the setting allowed_origins: those with a referrer policy that hides it,
 * in a sandbox, and files.
 */

const HIDING = ['no-referrer', 'same-origin'];
const POLICIES = [
  ...HIDING,
  ...['no-referrer-when-downgrade', 'origin', 'origin-when-cross-origin', 'strict-origin'],
  ...['strict-origin-when-cross-origin', 'unsafe-url'],
];
const LISTED = { allowed_origins: ['https://example.org'] };

const form = (attributes: string): string =>
  `<form method="post" ${attributes}><input name="name" value="Ada"><button>Send</button></form>`;

describe.skipIf(!hasChromium())('a page that hides its origin', () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let site: Server;
  let siteUrl: string;
  let html = '';
  let redirectTo = '';
  let browser: Browser;
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    site = createServer((request, response) => {
      if (request.url === '/redirect') return void response.writeHead(307, { Location: redirectTo }).end();
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(html);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const address = site.address();
    siteUrl = `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    site?.close();
    await service?.close();
  });

  async function open(url: string): Promise<Page> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(url);
    return page;
  }

  async function deploy(page: string, settings: object = LISTED) {
    const deployed = await owner.deploy({ html: `<!doctype html><title>Own</title>${page}` });
    await owner.change(deployed.id, settings);
    return { ...deployed, action: `${service.origin}/submit/${deployed.id}` };
  }

  /** Sends the first form of a page, or of a frame in it; the status of the answer of the service. */
  async function send(page: Page, within: Page | FrameLocator = page): Promise<number> {
    const answered = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.status() !== 307,
    );
    await within.getByRole('button', { name: 'Send', exact: true }).first().click();
    return (await answered).status();
  }

  const countOf = async (id: string): Promise<number> => (await owner.get(`/submissions/${id}`)).body.total;

  it.each(POLICIES)("is the deployment's own with the policy %s: accepted at its own address", async (policy) => {
    const { id, url, action } = await deploy(`<meta name="referrer" content="${policy}">${form('')}`);
    expect([await send(await open(url)), await countOf(id)]).toEqual([303, 1]);
    const other = `<meta name="referrer" content="${policy}">${form(`action="${action}"`)}`;
    await owner.put(`/deploy/${id}`).send({ html: other }).expect(200);
    // At the address of the service, nothing tells the page from any other that hides its origin.
    const expected = HIDING.includes(policy) ? [403, 1] : [303, 2];
    expect([await send(await open(url)), await countOf(id)]).toEqual(expected);
    await owner.change(id, { allowed_origins: ['null'] });
    expect([await send(await open(url)), await countOf(id)]).toEqual([303, (expected[1] ?? 0) + 1]);
  });

  it('shows a visitor why it is refused', async () => {
    const { id, url } = await deploy(`<meta name="referrer" content="same-origin">${form('action="{{FORM_ACTION}}"')}`);
    const page = await open(url);
    expect(await send(page)).toBe(403);
    expect(await page.getByRole('heading').innerText()).toBe('This form cannot be sent from this site');
    expect(await page.locator('p').allInnerTexts()).toContain(
      'The page does not say which site it is on. Please tell the people who run it: its referrer policy or a sandboxed frame hides its origin. Nothing was sent.',
    );
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await countOf(id)).toBe(0);
  });

  it('is in a sandbox: accepted with allow-same-origin, or where the owner lists "null"', async () => {
    const { id, url, action } = await deploy('');
    const sendFrom = async (address: string): Promise<number> => {
      const page = await open(address);
      return send(page, page.frameLocator('iframe'));
    };
    const frame = (sandbox: string): string =>
      `<!doctype html><iframe sandbox="${sandbox}" srcdoc='${form(`action="${action}"`)}'></iframe>`;
    const publish = (page: string) => owner.put(`/deploy/${id}`).send({ html: page }).expect(200);
    await publish(frame('allow-forms'));
    expect(await sendFrom(url)).toBe(403);
    await publish(frame('allow-forms allow-same-origin'));
    expect(await sendFrom(url)).toBe(303);
    html = frame('allow-forms allow-same-origin');
    expect(await sendFrom(siteUrl)).toBe(403);
    html = frame('allow-forms');
    await owner.change(id, { allowed_origins: [siteUrl] });
    expect(await sendFrom(siteUrl)).toBe(403);
    await owner.change(id, { allowed_origins: ['null'] });
    expect(await sendFrom(siteUrl)).toBe(303);
    expect(await countOf(id)).toBe(2);
  });

  it('is hidden by a redirect of another site: accepted from the page itself, and from no other', async () => {
    const { id, url, action } = await deploy('');
    redirectTo = action;
    html = form(`action="${siteUrl}/redirect"`);
    await owner.put(`/deploy/${id}`).send({ html }).expect(200);
    expect([await send(await open(url)), await countOf(id)]).toEqual([303, 1]);
    const other = `${siteUrl.replace('localhost', 'other.localhost')}/`;
    expect([await send(await open(other)), await countOf(id)]).toEqual([403, 1]);
  });

  it('is a file or a data: address: accepted only where the owner lists "null"', async () => {
    const { id, action } = await deploy('');
    const folder = await mkdtemp(join(tmpdir(), 'formhost-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'page.html');
    await writeFile(file, form(`action="${action}"`));
    const data = `data:text/html,${encodeURIComponent(form(`action="${action}"`))}`;
    const addresses = [pathToFileURL(file).href, data];
    for (const address of addresses) expect([address, await send(await open(address))]).toEqual([address, 403]);
    await owner.change(id, { allowed_origins: ['null'] });
    for (const address of addresses) expect([address, await send(await open(address))]).toEqual([address, 303]);
    expect(await countOf(id)).toBe(2);
  });

  it('is known to a script, whose requests have an origin whatever the policy', async () => {
    const { id, url, action } = await deploy('<meta name="referrer" content="no-referrer">');
    const page = await open(url);
    const status = await page.evaluate(
      async (address) => (await fetch(address, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) })).status,
      action,
    );
    expect([status, await countOf(id)]).toEqual([200, 1]);
  });
});
