import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIEW_PATHS } from '../../src/lib/dashboard-paths.ts';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Owner } from '../support/test-service.ts';

/* A view while its data comes, and when it can't be read; each view when it is full. */

const FORM = `<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><label>Name <input name=name></label><button>Send</button></form>`;

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  let owner: Owner;
  let id: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.owner();
    ({ id } = await owner.deploy({ html: FORM, slug: 'contact' }));
    await owner.send('POST', `/submit/${id}`, '{"name":"Ada"}');
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/orders' }).expect(201);
  });
  afterAll(() => dashboard?.close());

  /** Everything that appears has appeared. */
  const settled = (page: Page): Promise<unknown> =>
    page.evaluate(
      `Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished))`,
    );

  it('shows that a view is read, and why it could not be, and reads it again', async () => {
    const held = Promise.withResolvers<void>();
    const page = await dashboard.open(owner, '/dashboard/nowhere', PHONE);
    let asked = 0;
    await page.route('**/settings', async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      await held.promise;
      return route.fulfill({ status: 500, json: { error: 'Internal server error' } });
    });
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/notifications`);
    await page.getByText('Loading the notifications').waitFor();
    await settled(page);
    await expectAccessible(page);
    held.resolve();
    await page.getByText('Internal server error').waitFor();
    expect(await page.locator('.loading').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Add webhook' }).waitFor();
  });

  it('waits for its first answer, and begins when it comes', async () => {
    const page = await dashboard.open(owner, '/dashboard/nowhere', PHONE);
    let isBusy = true;
    await page.route('**/me', (route) =>
      isBusy ? route.fulfill({ status: 503, json: { error: 'Busy.' } }) : route.continue(),
    );
    await page.goto(`${dashboard.origin}/dashboard`);
    await page.getByText('The service is busy or starting.').waitFor();
    await page.getByText('Loading the dashboard').waitFor();
    await settled(page);
    await expectAccessible(page);
    isBusy = false;
    await page.getByText('1 page', { exact: true }).waitFor();
  });

  it.each([
    ['texts', '**/assets/de-*.js'],
    ['main script', '**/assets/main-*.js'],
  ])('says that it is not loaded, where its %s cannot be read', async (_, script) => {
    const page = await dashboard.open(undefined, '/docs', { ...PHONE, locale: 'de' });
    await page.route(script, (route) => route.abort('internetdisconnected'));
    await page.goto(`${dashboard.origin}/dashboard`);
    await page.getByText('Das Dashboard ist noch nicht geladen').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await page.getByRole('link', { name: 'Erneut laden' }).click();
    await page.getByLabel('API-Schlüssel').waitFor();
    expect(await page.getByText('Das Dashboard ist noch nicht geladen').isVisible()).toBe(false);
  });

  it('says that it is not loaded, where no script comes for long', async () => {
    const page = await dashboard.open(undefined, '/docs', { ...PHONE, locale: 'de' });
    await page.route('**/assets/*.js', (route) => route.abort('internetdisconnected'));
    await page.goto(`${dashboard.origin}/dashboard`);
    const sentence = page.getByText('Das Dashboard ist noch nicht geladen');
    expect(await sentence.isVisible()).toBe(false);
    await page.evaluate('document.getAnimations().forEach((one) => one.finish())');
    expect(await sentence.isVisible()).toBe(true);
  });

  let looked = 0;
  /** Light and dark in turn: views share their colors. */
  async function expectAccessibleInTurn(page: Page): Promise<void> {
    looked += 1;
    await page.emulateMedia({ colorScheme: looked % 2 === 0 ? 'light' : 'dark' });
    await settled(page);
    await expectAccessible(page);
  }

  // It looks at every view: a busy machine needs more time for them than for one.
  it('is full: of pages, submissions, keys, versions, webhooks and deliveries', { timeout: 600_000 }, async () => {
    const receiver = await startReceiver((response) => void response.writeHead(500).end('no'));
    const full = await dashboard.owner();
    const { id: filled } = await full.deploy({ html: FORM, slug: 'full' });
    for (let count = 0; count < 5; count += 1) {
      await full.deploy({ html: `<title>Page ${count} ${'of many words '.repeat(count)}</title>` });
      await full
        .put(`/deploy/${filled}`)
        .send({ html: FORM.replace('Send', `Send ${count}\n`.repeat(40)) })
        .expect(200);
      await full
        .post('/keys')
        .send({ name: `Key ${count}` })
        .expect(201);
    }
    for (let count = 0; count < 3; count += 1) {
      await full
        .post(`/webhooks/${filled}`)
        .send({ url: `${receiver.url}/${'long-path/'.repeat(20)}${count}` })
        .expect(201);
    }
    await full
      .patch(`/deploy/${filled}`)
      .send({
        email_notifications: true,
        recipients: ['one@example.org', 'two@example.org'],
        allowed_origins: Array.from({ length: 10 }, (_, index) => `https://site-${index}.example.org`),
        spam: { blocklist: ['casino'] },
      })
      .expect(200);
    for (let count = 0; count < 5; count += 1) {
      await full.send(
        'POST',
        `/submit/${filled}`,
        JSON.stringify({ name: `Visitor ${count} ${'x'.repeat(count * 80)}` }),
      );
    }
    await full.send('POST', `/submit/${filled}`, '{"name":"casino"}');
    const spam = { blocklist: ['casino'], captcha: { provider: 'altcha' } };
    await full.patch(`/deploy/${filled}`).send({ spam }).expect(200);
    await full.delete(`/deploy/${(await full.deploy({ slug: 'gone' })).id}`).expect(200);
    await expect.poll(() => receiver.received.length).toBeGreaterThan(3);
    const page = await dashboard.open(full, '/dashboard', PHONE);
    await page.getByText('6 pages', { exact: true }).waitFor();
    await expectAccessibleInTurn(page);
    for (const [path, shown] of [
      [`pages/${filled}/page/edit`, 'Publish'],
      ['account', 'Key 4'],
      ['inbox', 'Visitor 4'],
      [`pages/${filled}/inbox`, 'Visitor 4'],
      [`pages/${filled}/inbox?view=spam`, 'casino'],
      [`pages/${filled}/charts`, 'long-path'],
      [`pages/${filled}/page`, 'Version 6'],
      [`pages/${filled}/page?version=6&since=5`, 'lines added'],
      [`pages/${filled}/settings#spam`, 'altcha-widget'],
      ['trash', 'gone'],
    ] as const) {
      await page.goto(`${dashboard.origin}/dashboard/${path}`);
      await page.getByText(shown).filter({ visible: true }).first().waitFor();
      await page.locator('.loading').filter({ visible: true }).first().waitFor({ state: 'detached' });
      await expectAccessibleInTurn(page);
    }
    await page.goto(`${dashboard.origin}/dashboard/pages/${filled}/notifications`);
    await page.getByRole('button', { name: 'Add webhook' }).waitFor();
    for (const webhook of await page.locator('.panel-head').all()) await webhook.click();
    // The logs of those that fail are open.
    const closed = page.locator('details:not([open]) > summary', { hasText: 'Log' });
    while ((await closed.count()) > 0) await closed.first().click();
    await page.getByText('last answer: HTTP 500').first().waitFor();
    await page.getByRole('button', { name: 'Show secret' }).first().click();
    await page.locator('.secret').waitFor();
    await expectAccessibleInTurn(page);
    const { body } = await full.get(`/submissions/${filled}`).expect(200);
    const values = { ':id': filled, ':part': 'audit', ':submissionId': body.submissions[0].id, ':topic': 'keys' };
    for (const path of Object.values(VIEW_PATHS)) {
      const filledIn = Object.entries(values).reduce<string>((text, [name, value]) => text.replace(name, value), path);
      await page.goto(dashboard.origin + filledIn);
      await page.locator('main').waitFor();
      await page.locator('.loading').filter({ visible: true }).first().waitFor({ state: 'detached' });
      await expectAccessibleInTurn(page);
    }
    await receiver.close();
  });

  it('has forms and dialogs open', async () => {
    const page = await dashboard.open(owner, '/dashboard', PHONE);
    await page.getByRole('link', { name: 'New page' }).click();
    await page.getByLabel('HTML').fill(FORM);
    await page.getByText('Nothing to correct.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'My form is on another site' }).click();
    await page.getByLabel('Name of the form').waitFor();
    await expectAccessible(page);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/charts`);
    await page.getByText('Own dates', { exact: true }).click();
    await page.getByLabel('From').waitFor();
    await expectAccessible(page);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await page.getByText('Ada').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page);
  });
});
