import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Owner } from '../support/service.ts';

/* Views while their data comes, when it can't be read, and when the session has ended; each view when it is full. */

const FORM = `<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><label>Name <input name=name></label><button>Send</button></form>`;

/** A view with a list of its own, and one with several parts: what they show once all of it is there. */
const VIEWS: { name: string; path: string; ready: string; hasPage: boolean; options: BrowserContextOptions }[] = [
  // The page itself can't be read.
  { name: 'Inbox', path: '/dashboard/pages/:id/inbox', ready: '1 submission', hasPage: false, options: PHONE },
  {
    name: 'Notifications',
    path: '/dashboard/pages/:id/notifications',
    ready: 'Add webhook',
    // Its parts can't be read.
    hasPage: true,
    options: { colorScheme: 'dark' },
  },
];

type Mode = 'pass' | 'hold' | 'broken' | 'busy' | 'over';

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  let owner: Owner;
  let id: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.owner();
    ({ id } = await owner.deploy({ html: FORM, slug: 'contact' }));
    await owner.send('POST', `/submit/${id}`, '{"name":"Ada"}');
    const { id: old } = await owner.deploy({ html: FORM, slug: 'old-page' });
    await owner.delete(`/deploy/${old}`).expect(200);
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/orders' }).expect(201);
  });
  afterAll(() => dashboard?.close());

  /** What the dashboard asks for meets the mode that is set; what the browser loads comes as always. */
  async function opened(options: BrowserContextOptions) {
    const page = await dashboard.open(owner, '/dashboard/nowhere', options);
    await page.getByRole('heading', { level: 1, name: 'Nothing here' }).waitFor();
    const held: (() => void)[] = [];
    let mode: Mode = 'pass';
    /** Whether the page itself comes: then the parts of its views meet the mode. */
    let isPageThere = false;
    await page.route(/^http:\/\/[^/]+\/(?!dashboard|session|me$|readyz)/, async (route) => {
      const request = route.request();
      const isPage = isPageThere && new URL(request.url()).pathname === `/deploy/${id}`;
      if (isPage || mode === 'pass' || new URL(request.url()).origin !== dashboard.origin) return route.continue();
      if (mode === 'hold') {
        await new Promise<void>((resolve) => held.push(resolve));
        return route.continue();
      }
      const [status, error] = { broken: [500, 'Internal server error'], busy: [503, 'Busy.'], over: [401, 'Ended.'] }[
        mode
      ];
      return route.fulfill({ status: Number(status), json: { error } });
    });
    return {
      page,
      set(next: Mode, hasPage: boolean): void {
        mode = next;
        isPageThere = hasPage;
        for (const release of held.splice(0)) release();
      },
    };
  }

  /** Everything that appears has appeared. */
  const settled = (page: Page): Promise<unknown> =>
    page.evaluate(
      `Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished))`,
    );

  it.each(VIEWS)('shows how it is about $name', async ({ path, ready, hasPage, options }) => {
    const address = dashboard.origin + path.replace(':id', id);
    const { page, set } = await opened(options);
    const isReady = () => page.getByText(ready).filter({ visible: true }).first().waitFor();
    set('hold', hasPage);
    await page.goto(address);
    // On a phone the list behind an open submission is not shown, and so is its sign.
    await page.locator('#main .spinner').filter({ visible: true }).first().waitFor();
    await settled(page);
    await expectAccessible(page);
    set('pass', hasPage);
    await isReady();

    set('broken', hasPage);
    await page.goto(address);
    const again = page.getByRole('button', { name: 'Try again' });
    await again.first().waitFor();
    expect(await page.locator('.spinner').count()).toBe(0);
    await expectAccessible(page);
    set('pass', hasPage);
    for (let left = await again.count(); left > 0; left = await again.count()) {
      await again.first().click();
      await expect.poll(() => again.count()).toBeLessThan(left);
    }
    await isReady();

    set('busy', hasPage);
    await page.goto(address);
    await page.getByText('The service is busy or starting. It is tried again by itself').waitFor();
    await settled(page);
    await expectAccessible(page);
    set('pass', hasPage);
    await isReady();
    await page.getByText('The service is busy').waitFor({ state: 'detached' });

    set('over', hasPage);
    await page.goto(address);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await settled(page);
    await expectAccessible(page);
    set('pass', hasPage);
    await dialog.getByLabel('API key').fill(owner.key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await isReady();
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

  /** On a phone as it is, and in the dark, where it has other colors. */
  async function expectAccessibleInAllColors(page: Page): Promise<void> {
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await settled(page);
    await expectAccessible(page, 'color-contrast');
    await page.emulateMedia({ colorScheme: 'light' });
    await settled(page);
  }

  it('is full: of pages, submissions, keys, versions, webhooks and deliveries', async () => {
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
    await full
      .patch(`/deploy/${filled}`)
      .send({ spam: { blocklist: ['casino'], captcha: { provider: 'altcha' } } })
      .expect(200);
    await expect.poll(() => receiver.received.length).toBeGreaterThan(3);
    const page = await dashboard.open(full, '/dashboard', PHONE);
    await page.getByText('6 pages', { exact: true }).waitFor();
    await expectAccessibleInAllColors(page);
    for (const [path, shown] of [
      [`new?replace=${filled}`, 'Publish'],
      ['account', 'Key 4'],
      [`pages/${filled}/inbox`, 'Visitor 4'],
      [`pages/${filled}/inbox?view=spam`, 'casino'],
      [`pages/${filled}/charts`, 'long-path'],
      [`pages/${filled}/page`, 'Version 6'],
      [`pages/${filled}/page?version=6&since=5`, 'lines added'],
      [`pages/${filled}/notifications`, 'two@example.org'],
      [`pages/${filled}/settings`, 'altcha-widget'],
    ] as const) {
      await page.goto(`${dashboard.origin}/dashboard/${path}`);
      await page.getByText(shown).filter({ visible: true }).first().waitFor();
      await page.locator('.spinner').filter({ visible: true }).first().waitFor({ state: 'detached' });
      await expectAccessibleInAllColors(page);
    }
    await page.goto(`${dashboard.origin}/dashboard/pages/${filled}/notifications`);
    await page.getByRole('button', { name: 'Add webhook' }).waitFor();
    for (const log of await page.locator('summary').filter({ hasText: 'Log' }).all()) await log.click();
    await page.getByText('last answered 500').first().waitFor();
    await page.getByRole('button', { name: 'Show secret' }).first().click();
    await page.locator('.secret').waitFor();
    await expectAccessibleInAllColors(page);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog', { name: 'Rotate the secret?' }).waitFor();
    await expectAccessibleInAllColors(page);
    await receiver.close();
  });

  it('has forms and dialogs open', async () => {
    const page = await dashboard.open(owner, '/dashboard/new', PHONE);
    await page.getByText('My page is elsewhere').click();
    await expectAccessible(page);
    const dialogs = [
      { path: '/dashboard', button: 'Delete Contact', title: 'Delete this page?' },
      { path: '/dashboard/trash', button: 'Delete for good', title: 'Delete for good?' },
      { path: '/dashboard/account', button: 'Revoke', title: 'Revoke this key?' },
      { path: '/dashboard/account', button: 'End all sessions', title: 'End all sessions?' },
      { path: `/dashboard/pages/${id}/inbox`, button: 'Shortcuts', title: 'Keyboard shortcuts' },
      { path: `/dashboard/pages/${id}/notifications`, button: 'Delete http', title: 'Delete this webhook?' },
      { path: `/dashboard/pages/${id}/settings`, button: 'Delete all data', title: 'Delete all data?' },
    ];
    for (const { path, button, title } of dialogs) {
      await page.goto(dashboard.origin + path);
      await page.getByRole('button', { name: button }).first().click();
      await page.getByRole('dialog', { name: title }).waitFor();
      await expectAccessible(page);
    }
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/charts`);
    await page.getByText('Own dates', { exact: true }).click();
    await page.getByLabel('First day').waitFor();
    await expectAccessible(page);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await page.getByRole('button', { name: 'Dates' }).click();
    await page.getByLabel('From').waitFor();
    await expectAccessible(page);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/settings`);
    for (const captcha of ['ALTCHA (of this service, no third party)', 'hCaptcha']) {
      await page.getByLabel('Captcha').selectOption(captcha);
      await page.getByText('Put this into').waitFor();
      await expectAccessible(page);
    }
  });
});
