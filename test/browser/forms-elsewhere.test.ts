import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { PROJECT } from '../support/process.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * A site of somebody's own, with a page whose form posts to a deployment. Chromium takes localhost for this machine; another
 * port is another origin.
 */

describe.skipIf(!hasChromium())('a form on another site', () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let site: Server;
  let siteUrl: string;
  let html = '';
  let browser: Browser;
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    site = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(request.url === '/' ? html : `<!doctype html><title>At ${request.url}</title>`);
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

  /** The id of a deployment with these settings, and its form's page on the site, opened. */
  async function open(settings: object, page: (action: string) => string): Promise<{ id: string; page: Page }> {
    const { id } = await owner.deploy();
    await owner.patch(`/deploy/${id}`).send(settings).expect(200);
    html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Site</title>${page(`${service.origin}/submit/${id}`)}</html>`;
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const opened = await context.newPage();
    opened.setDefaultTimeout(30_000);
    await opened.goto(siteUrl);
    return { id, page: opened };
  }

  const stored = async (id: string): Promise<unknown[]> =>
    (await owner.get(`/submissions/${id}`)).body.submissions.map(({ data }: { data: unknown }) => data);

  const form = (attributes: string, more = ''): string =>
    `<form method="post" ${attributes}><input name="name" value="Ada">${more}<button>Send</button></form>`;
  const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();

  it('returns to its _redirect, with files', async () => {
    const { id, page } = await open({ allowed_origins: [siteUrl] }, (action) =>
      form(
        `action="${action}" enctype="multipart/form-data"`,
        `<input type="file" name="cv"><input type="hidden" name="_redirect" value="${siteUrl}/sent?a=b#c">`,
      ),
    );
    await page
      .locator('[type=file]')
      .setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('me') });
    await send(page);
    await page.waitForURL(`${siteUrl}/sent?a=b#c`);
    expect(await stored(id)).toEqual([
      { name: 'Ada', cv: expect.objectContaining({ filename: 'cv.txt', size: 2 }), _redirect: `${siteUrl}/sent?a=b#c` },
    ]);
  });

  it('works with the snippet of the guide, pasted', async () => {
    const guide = readFileSync(join(PROJECT, 'docs/your-site.md'), 'utf8');
    const [, snippet = ''] = /```html\n([\s\S]*?)```/.exec(guide) ?? [];
    const { id, page } = await open({ allowed_origins: [siteUrl], redirect_url: `${siteUrl}/thanks` }, (action) =>
      snippet.replace('http://localhost:3000/submit/YOUR_ID', action),
    );
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await send(page);
    await page.waitForURL(`${siteUrl}/thanks`);
    expect(await stored(id)).toEqual([{ name: 'Ada', email: 'ada@example.org', _hp: '' }]);
  });

  it('is thanked for by a page that leads back to the site', async () => {
    const { page } = await open({}, (action) => form(`action="${action}"`));
    await send(page);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await page.getByRole('link', { name: 'Back to the page' }).click();
    await page.waitForURL(`${siteUrl}/`);
  });

  it('is read by fetch: a success as JSON, and a refusal with its reason', async () => {
    const { id, page } = await open({ allowed_origins: [siteUrl] }, () => '<h1>Site</h1>');
    const fetched = () =>
      page.evaluate(async (url) => {
        const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
        return [response.status, await response.json()];
      }, `${service.origin}/submit/${id}`);
    expect(await fetched()).toEqual([200, { message: 'Submission received', id: expect.stringMatching(/^sub_/) }]);
    await owner
      .patch(`/deploy/${id}`)
      .send({ allowed_origins: ['https://example.org'] })
      .expect(200);
    expect(await fetched()).toEqual([
      403,
      { error: `This form accepts no submissions from ${siteUrl}: its owner must add ${siteUrl} to allowed_origins.` },
    ]);
    expect(await stored(id)).toEqual([{ name: 'Ada' }]);
  });

  it('shows a page that names the site when that is not allowed, and what was filled in is still there', async () => {
    const { id, page } = await open({ allowed_origins: ['https://example.org'] }, (action) =>
      form(`action="${action}"`),
    );
    await page.locator('[name=name]').fill('Grace');
    const answered = page.waitForResponse(`${service.origin}/submit/${id}`);
    await send(page);
    expect((await answered).status()).toBe(403);
    expect(await page.getByRole('heading').innerText()).toBe('This form cannot be sent from this site');
    // Above, the name of the page.
    expect((await page.locator('p').allInnerTexts()).slice(1)).toEqual([
      `The form accepts nothing from the site that it is on. Please tell the people who run ${siteUrl}: their site must be one of the form’s allowed origins. Nothing was sent.`,
      'Go back in your browser: what you filled in should still be there.',
      'Back to the page',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goBack();
    expect([await page.locator('[name=name]').inputValue(), await stored(id)]).toEqual(['Grace', []]);
  });
});
