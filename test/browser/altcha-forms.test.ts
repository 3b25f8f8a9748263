import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { startReceiver } from '../support/receivers.ts';
import { snippetOf } from '../support/snippets.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/* Visitors of forms with the snippet of docs/spam.md. */
describe.skipIf(!hasChromium())("ALTCHA in a visitor's browser", () => {
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let browser: Browser;
  beforeAll(async () => {
    service = await startLocalService();
    owner = await service.owner();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await service?.close();
  });

  /** A page with the guide's snippet in its form, for this service. */
  const pageOf = (action: string): string =>
    `<!doctype html><html lang="en"><title>Contact</title><main><h1>Contact</h1><form method="post" action="${action}">
      <label>Name <input name="name" required></label>
      ${snippetOf('docs/spam.md').replaceAll('http://localhost:3000', service.origin).replaceAll('{{FORM_ACTION}}', action)}
      <button>Send</button></form></main></html>`;

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const problems: string[] = [];
    context.on('console', (message) => problems.push(message.text()));
    context.on('weberror', (error) => problems.push(String(error.error())));
    onTestFinished(async () => {
      await context.close();
      expect(problems.filter((text) => !/favicon/.test(text))).toEqual([]);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(url);
    return page;
  }

  const deploy = async (html: string): Promise<{ id: string; url: string }> => {
    const { id, url } = await owner.deploy({ html });
    const spam = { captcha: { provider: 'altcha' } };
    await owner.patch(`/deploy/${id}`).send({ spam }).expect(200);
    return { id, url };
  };
  const namesIn = async (path: string): Promise<unknown[]> =>
    (await owner.get(path)).body.submissions.map(
      ({ data, reason }: { data: { name: string; altcha?: string }; reason?: string }) => [
        data.name,
        typeof data.altcha,
        reason,
      ],
    );

  it('solves, submits and thanks, on a page that is hosted here', async () => {
    const { id, url } = await deploy(pageOf('{{FORM_ACTION}}'));
    const page = await open(url, { locale: 'de' });
    await page.getByRole('textbox').first().fill('Ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL('**/thanks');
    expect(await namesIn(`/submissions/${id}`)).toEqual([['Ada', 'string', undefined]]);
    expect(await namesIn(`/deploy/${id}/spam`)).toEqual([]);
    // Back, and once more: another solution.
    await page.goto(url);
    await page.getByRole('textbox').first().fill('Grace');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/thanks');
    expect(await namesIn(`/submissions/${id}`)).toEqual([
      ['Grace', 'string', undefined],
      ['Ada', 'string', undefined],
    ]);
  });

  it('is put into a form of a page that is hosted here without it', async () => {
    const { id, url } = await deploy(
      '<!doctype html><html lang="en"><title>Contact</title><main><h1>Contact</h1><form method="post" action="{{FORM_ACTION}}"><label>Name <input name="name"></label> <button>Send</button></form></main>',
    );
    const page = await open(url);
    await page.locator('altcha-widget').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('textbox').first().fill('Ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL('**/thanks');
    expect(await namesIn(`/submissions/${id}`)).toEqual([['Ada', 'string', undefined]]);
    expect(await namesIn(`/deploy/${id}/spam`)).toEqual([]);
  });

  it('stands above the button, as wide as the fields, also after the window has another width', async () => {
    const { url } = await deploy(
      `<!doctype html><html lang="en"><title>Contact</title><style>form{width:min(90%,44rem)}input,textarea{box-sizing:border-box;width:100%}</style>
      <form method="post" action="{{FORM_ACTION}}"><input type="hidden" name="page"><label>Name <input name="name"></label>
      <label>Text <textarea name="text"></textarea></label><p><button>Send</button></p></form>`,
    );
    const page = await open(url, { viewport: { width: 1000, height: 800 } });
    const box = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? { width: 0, y: 0, height: 0 };
    const isFit = async () => Math.abs((await box('.altcha-main')).width - (await box('textarea')).width) <= 1;
    await page.locator('.altcha-main').waitFor();
    await expect.poll(isFit).toBe(true);
    const [field, widget, button] = await Promise.all(['textarea', '.altcha-main', 'button'].map(box));
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(widget?.y ?? 0);
    expect((widget?.y ?? 0) + (widget?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
    await page.setViewportSize({ width: 400, height: 800 });
    await expect.poll(isFit).toBe(true);
  });

  it('works on a page of another site, also where that isolates itself and allows scripts of few origins', async () => {
    const { id } = await deploy('<p>The form is elsewhere.');
    const other = await startReceiver((response) =>
      response
        .writeHead(200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Cross-Origin-Embedder-Policy': 'require-corp',
          'Cross-Origin-Opener-Policy': 'same-origin',
          'Content-Security-Policy': `default-src 'none'; script-src ${service.origin}; connect-src ${service.origin}; worker-src blob:; style-src 'unsafe-inline'; form-action ${service.origin}`,
        })
        .end(pageOf(`${service.origin}/submit/${id}`)),
    );
    const page = await open(`http://127.0.0.1:${other.port}/`);
    await page.getByRole('textbox').first().fill('Ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL('**/thanks');
    expect(await namesIn(`/submissions/${id}`)).toEqual([['Ada', 'string', undefined]]);
  });

  it('says without JavaScript that it is needed; what is sent nevertheless is kept apart', async () => {
    const { id, url } = await deploy(pageOf('{{FORM_ACTION}}'));
    const page = await open(url, { javaScriptEnabled: false });
    expect(await page.locator('noscript').innerText()).toContain('JavaScript');
    await page.getByRole('textbox').first().fill('Ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL('**/thanks');
    expect(await namesIn(`/submissions/${id}`)).toEqual([]);
    expect(await namesIn(`/deploy/${id}/spam`)).toEqual([['Ada', 'undefined', 'captcha-missing']]);
  });
});
