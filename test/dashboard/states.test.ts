import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Owner } from '../support/service.ts';

/* Views while their data comes, when it can't be read, and when the session has ended; each view when it is full. */

const FORM = `<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><label>Name <input name=name></label><button>Send</button></form>`;

type State = 'hold' | 'broken' | 'busy' | 'over';
type Mode = 'pass' | State;

/** A view with a list of its own, and one with several parts: what they show once all of it is there. */
const VIEWS: {
  name: string;
  path: string;
  ready: string;
  hasPage: boolean;
  options: BrowserContextOptions;
  states: readonly State[];
}[] = [
  {
    name: 'Inbox',
    path: '/dashboard/pages/:id/inbox',
    ready: 'Ada',
    // The page itself can't be read.
    hasPage: false,
    options: PHONE,
    states: ['hold', 'over'],
  },
  {
    name: 'Notifications',
    path: '/dashboard/pages/:id/notifications',
    ready: 'Add webhook',
    // Its parts can't be read.
    hasPage: true,
    options: { colorScheme: 'dark' },
    states: ['broken', 'busy'],
  },
];

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
      const isPage = isPageThere && new URL(request.url()).pathname === `/overview/${id}`;
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

  /** What a view shows in each state, and how it goes on from there. */
  const STATES: Record<State, { isShown(page: Page): Promise<void>; goOn?(page: Page): Promise<void> }> = {
    hold: {
      // On a phone the list behind an open submission is not shown, and so is its sign.
      isShown: (page) => page.locator('#main .loading').filter({ visible: true }).first().waitFor(),
    },
    broken: {
      async isShown(page) {
        await page.getByRole('button', { name: 'Try again' }).first().waitFor();
        expect(await page.locator('.loading').count()).toBe(0);
      },
      async goOn(page) {
        const again = page.getByRole('button', { name: 'Try again' });
        for (let left = await again.count(); left > 0; left = await again.count()) {
          await again.first().click();
          await expect.poll(() => again.count()).toBeLessThan(left);
        }
      },
    },
    busy: {
      isShown: (page) => page.getByText('The service is busy or starting. It is tried again by itself').waitFor(),
      goOn: (page) => page.getByText('The service is busy').waitFor({ state: 'detached' }),
    },
    over: {
      isShown: (page) => page.getByRole('dialog', { name: 'Your session has ended' }).waitFor(),
      async goOn(page) {
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.getByLabel('API key').fill(owner.key);
        await dialog.getByRole('button', { name: 'Sign in' }).click();
        await dialog.waitFor({ state: 'hidden' });
      },
    },
  };

  it.each(VIEWS)('shows how it is about $name', async ({ path, ready, hasPage, options, states }) => {
    const { page, set } = await opened(options);
    for (const state of states) {
      set(state, hasPage);
      await page.goto(dashboard.origin + path.replace(':id', id));
      await STATES[state].isShown(page);
      await settled(page);
      await expectAccessible(page);
      set('pass', hasPage);
      await STATES[state].goOn?.(page);
      await page.getByText(ready).filter({ visible: true }).first().waitFor();
    }
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

  let looked = 0;
  /** Light and dark in turn: views share their colors. */
  async function expectAccessibleInTurn(page: Page): Promise<void> {
    looked += 1;
    await page.emulateMedia({ colorScheme: looked % 2 === 0 ? 'light' : 'dark' });
    await settled(page);
    await expectAccessible(page);
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
      [`pages/${filled}/settings`, 'altcha-widget'],
      ['trash', 'gone'],
    ] as const) {
      await page.goto(`${dashboard.origin}/dashboard/${path}`);
      await page.getByText(shown).filter({ visible: true }).first().waitFor();
      await page.locator('.loading').filter({ visible: true }).first().waitFor({ state: 'detached' });
      await expectAccessibleInTurn(page);
    }
    await page.goto(`${dashboard.origin}/dashboard/pages/${filled}/notifications`);
    await page.getByRole('button', { name: 'Add webhook' }).waitFor();
    for (const log of await page.locator('summary').filter({ hasText: 'Log' }).all()) await log.click();
    await page.getByText('last answer: HTTP 500').first().waitFor();
    await page.getByRole('button', { name: 'Show secret' }).first().click();
    await page.locator('.secret').waitFor();
    await expectAccessibleInTurn(page);
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
