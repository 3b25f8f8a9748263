import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_LIMITS } from '../../src/dashboard/dashboard-limits.ts';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  openSections,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';
import { typedCode } from '../support/typed-code.ts';

/*
 * Forms of the dashboard without a connection, while the service is busy, and when the session has ended: what was typed is
 * kept, a message says what is wrong, and it goes on.
 */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';
const SLUG = 'contact';
const HTML = '<title>Typed</title><form method=post><input name=a><button>Send</button></form>';

type Form = {
  path: string;
  /** Types it, and answers how to read what is typed. */
  type(page: Page): Promise<() => Promise<string>>;
  press(page: Page): Promise<void>;
  /** The text that is shown when the form was saved. */
  done: string | RegExp;
  /** It is tried again without being asked to. */
  isRepeated?: boolean;
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog').filter({ hasNotText: 'Your session has ended' });

/** Fills in a field. */
const typed =
  (label: string, text: string): Form['type'] =>
  async (page) => {
    await page.getByLabel(label).fill(text);
    return () => page.getByLabel(label).inputValue();
  };

const NEW_PAGE: Form = {
  path: '/dashboard/new',
  async type(page) {
    await page.getByLabel('HTML').fill(HTML);
    // Else its check may be what meets the interruption.
    await page.getByText('Nothing to correct.').waitFor();
    return () => typedCode(page);
  },
  press: (page) => button(page, 'Publish').click(),
  done: 'You’re live',
};

const DELETE: Form = {
  path: '/dashboard/pages/:id/settings',
  async type(page) {
    await openSections(page, 'Delete all data');
    await page.getByRole('button', { name: 'Delete all data now' }).click();
    return typed(`Type ${SLUG} to confirm`, SLUG)(page);
  },
  press: (page) => dialog(page).getByRole('button', { name: 'Delete everything' }).click(),
  done: `${SLUG} and all of its data are gone.`,
};

const SETTINGS: Form = {
  path: '/dashboard/pages/:id/settings',
  type: typed('Redirect URL', 'https://example.org/kept'),
  press: (page) => button(page, 'Save').click(),
  done: 'Saved',
  isRepeated: true,
};

/** Ends all sessions, when the page has read what it shows: an answer to that would say so before anything is asked for. */
async function endSessions(owner: Owner, page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await owner.delete('/sessions').expect(200);
}

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** Opens a form for a new owner with a page that has everything, and types. */
  async function open({ path, type }: Form) {
    const owner: Owner = await dashboard.owner();
    // The slug of the test before becomes free again.
    await dashboard.db.raw("UPDATE deployments SET slug = 'x' || id WHERE slug = :slug", { slug: SLUG });
    const { id } = await owner.deploy({ html: FORM, slug: SLUG });
    const page = await dashboard.open(owner, path.replace(':id', id));
    const read = await type(page);
    return { owner, page, read };
  }
  const isDone = (page: Page, done: Form['done']) =>
    page
      .getByText(done, { exact: done === 'Saved' })
      .first()
      .waitFor();
  const banner = (page: Page) => page.getByText('nothing that you typed is lost');

  const INTERRUPTIONS = [
    {
      what: 'without a connection',
      form: SETTINGS,
      async begin(page: Page): Promise<() => Promise<void>> {
        await page.context().setOffline(true);
        return () => page.context().setOffline(false);
      },
    },
    {
      what: 'while the service is busy',
      form: NEW_PAGE,
      async begin(page: Page): Promise<() => Promise<void>> {
        await page.route(/./, (route) =>
          route.request().method() === 'GET' && !route.request().url().endsWith('/readyz')
            ? route.fallback()
            : route.fulfill({ status: 503, json: { error: 'The service is busy.' } }),
        );
        return () => page.unroute(/./);
      },
    },
  ];

  it.each(INTERRUPTIONS)('keeps what was typed $what, says so, and goes on', async ({ form, begin }) => {
    const { page, read } = await open(form);
    const before = await read();
    const end = await begin(page);
    await form.press(page);
    const problem = page.getByText('Not saved').first();
    await problem.waitFor();
    await banner(page).waitFor();
    expect(await read()).toBe(before);
    await expectAccessible(page);
    await end();
    await banner(page).waitFor({ state: 'detached' });
    if (!form.isRepeated) await form.press(page);
    await isDone(page, form.done);
    await problem.waitFor({ state: 'detached' });
  });

  it('says that the service is busy, also when what was sent before that is answered', async () => {
    const page = await dashboard.open(await dashboard.owner(), '/dashboard/new');
    await page.getByLabel('HTML').waitFor();
    await page.route(
      ({ pathname }) => !pathname.startsWith('/dashboard'),
      (route) => route.fulfill({ status: 503, json: { error: 'The service is busy.' } }),
    );
    const held = Promise.withResolvers<void>();
    // The first one alone: an answer to what is sent later says that the service is back.
    await page.route(
      /\/check$/,
      async (route) => {
        await held.promise;
        await route.continue();
      },
      { times: 1 },
    );
    const checked = page.waitForRequest(/\/check$/);
    await page.getByLabel('HTML').fill(HTML);
    await checked;
    await button(page, 'Publish').click();
    // The banner may be there already: the dashboard reads in the background.
    await page.getByText('Not saved').first().waitFor();
    await banner(page).waitFor();
    held.resolve();
    await page.getByText('Nothing to correct.').waitFor();
    expect(await banner(page).isVisible()).toBe(true);
    await page.unrouteAll();
    await banner(page).waitFor({ state: 'detached' });
  });

  it('publishes a page once when the answer was lost', async () => {
    const { owner, page } = await open(NEW_PAGE);
    await page.route(
      /\/deploy$/,
      async (route) => {
        await route.fetch();
        await route.abort('internetdisconnected');
      },
      { times: 1 },
    );
    await NEW_PAGE.press(page);
    await page.getByText('Not saved').first().waitFor();
    await NEW_PAGE.press(page);
    await isDone(page, NEW_PAGE.done);
    expect((await owner.get('/overview')).body.total).toBe(2);
  });

  describe('after the session has ended', () => {
    it('does what was asked for, once', async () => {
      const { owner, page, read } = await open(DELETE);
      const before = await read();
      await endSessions(owner, page);
      await DELETE.press(page);
      const ended = page.getByRole('dialog', { name: 'Your session has ended' });
      await ended.waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await ended.waitFor();
      expect(await read()).toBe(before);
      await ended.getByLabel('API key').fill(owner.key);
      await ended.getByRole('button', { name: 'Sign in' }).click();
      await ended.waitFor({ state: 'hidden' });
      await isDone(page, DELETE.done);
    });

    it('goes on with a session that begins in another tab', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/account');
      await page.getByLabel('Name').fill('Website build');
      await endSessions(owner, page);
      await button(page, 'Create a key').click();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
      const tab = await page.context().newPage();
      await tab.goto(`${dashboard.origin}/dashboard`);
      await tab.getByLabel('API key').fill(owner.key);
      await button(tab, 'Sign in').click();
      await tab.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await tab.close();
      // A browser sends this event when its tab is shown again.
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
      expect((await owner.get('/keys')).body.total).toBe(2);
    });

    it('does nothing as another owner who has signed in in another tab', async () => {
      const [owner, other] = [await dashboard.owner(), await dashboard.owner()];
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByLabel('HTML').fill(HTML);
      await page.getByText('Nothing to correct.').waitFor();
      const tab = await page.context().newPage();
      await tab.goto(`${dashboard.origin}/dashboard`);
      await tab.getByRole('button', { name: 'Account menu' }).click();
      await button(tab, 'Sign out').click();
      await tab.getByLabel('API key').fill(other.key);
      await button(tab, 'Sign in').click();
      await tab.getByRole('heading', { name: 'You have no pages yet' }).waitFor();

      const ended = page.getByRole('dialog', { name: 'Your session has ended' });
      await ended.waitFor();
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await ended.getByRole('button', { name: /^Go on as owner/ }).waitFor();
      await expectAccessible(page);
      expect(await typedCode(page)).toBe(HTML);
      await ended.getByLabel('API key').fill(owner.key);
      await ended.getByRole('button', { name: 'Sign in' }).click();
      await ended.waitFor({ state: 'hidden' });
      await button(page, 'Publish').click();
      await isDone(page, NEW_PAGE.done);
      expect((await owner.get('/deploy')).body.total).toBe(1);
      expect((await other.get('/deploy')).body.total).toBe(0);

      // The tab of the other owner has lost its session in turn, and goes on as the first.
      await tab.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
      await tab.evaluate("dispatchEvent(new Event('focus'))");
      await tab.getByRole('button', { name: /^Go on as owner/ }).click();
      await tab.getByText('1 page', { exact: true }).waitFor();
    });
  });

  describe('while nothing is answered', () => {
    it('says so, and asks again for what it reads', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByLabel('HTML').waitFor();
      // The bar reads the same for its number: once, and no more while nobody sees it.
      await expect
        .poll(
          () =>
            page.evaluate("performance.getEntriesByType('resource').some(({ name }) => name.includes('/overview?'))"),
          {
            timeout: 30_000,
          },
        )
        .toBe(true);
      await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })");
      await page.clock.install();
      let asked = 0;
      await page.route('**/overview?*', (route) => {
        asked += 1;
        return asked === 1 ? undefined : route.fallback();
      });
      const drafts = page.waitForResponse(/\/drafts$/);
      await page.getByRole('link', { name: 'Pages', exact: true }).click();
      await expect.poll(() => asked).toBe(1);
      // Any answer says that the service answers.
      await (await drafts).finished();
      await page.clock.fastForward(DASHBOARD_LIMITS.requests.slowMs);
      await page.getByText('The service has not answered yet.').waitFor();
      expect(asked).toBe(1);
      await page.clock.fastForward(DASHBOARD_LIMITS.requests.answerTimeoutMs);
      await page.getByText('1 page', { exact: true }).waitFor();
      await page.getByText('The service has not answered yet.').waitFor({ state: 'detached' });
      expect(asked).toBe(2);
    });

    it('says so while a change is made, and makes it once', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByLabel('HTML').fill(HTML);
      await page.getByText('Nothing to correct.').waitFor();
      await page.clock.install();
      let goOn: (() => Promise<void>) | undefined;
      await page.route('**/deploy', (route) => {
        goOn = () => route.continue();
      });
      await button(page, 'Publish').click();
      await expect.poll(() => goOn).toBeDefined();
      // A read would be given up by now, and sent again.
      await page.clock.fastForward(2 * DASHBOARD_LIMITS.requests.answerTimeoutMs);
      await page.getByText('The service has not answered yet.').waitFor();
      await expectAccessible(page);
      await goOn?.();
      await isDone(page, NEW_PAGE.done);
      await page.getByText('The service has not answered yet.').waitFor({ state: 'detached' });
      expect((await owner.get('/deploy')).body.total).toBe(1);
    });
  });
});
