import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* Each view is a script of its own, which comes when the view is opened, or a little before. */

const HELP = '**/assets/help-view-*.js';

describe.skipIf(!hasChromium())('the scripts of views', () => {
  let dashboard: DashboardUnderTest;
  let owner: Owner;
  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.owner();
  });
  afterAll(() => dashboard?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const help = (page: Page) => page.getByRole('link', { name: 'Help' });
  const isLoaded = (page: Page, name: string): Promise<boolean> =>
    page.evaluate(`performance.getEntriesByType('resource').some(({ name }) => name.includes('/${name}-'))`);
  const gone = (route: Route) => route.fulfill({ status: 404, json: { error: 'Gone.' } });

  it('loads no view but its own, and the next one when its link is pointed at, or has the focus', async () => {
    const page = await dashboard.open(owner, '/dashboard/account');
    await heading(page, 'Account');
    expect(await isLoaded(page, 'account-view')).toBe(true);
    expect(await isLoaded(page, 'help-view')).toBe(false);
    await help(page).hover();
    await expect.poll(() => isLoaded(page, 'help-view')).toBe(true);
    await heading(page, 'Account');
    await page.getByRole('link', { name: 'Statistics' }).focus();
    await expect.poll(() => isLoaded(page, 'statistics-view')).toBe(true);
    // Those that most people open next come by themselves.
    await expect.poll(() => isLoaded(page, 'inbox-view')).toBe(true);
  });

  it('is not waited for where an address has no view', async () => {
    const page = await dashboard.open(owner, '/dashboard/no-such-view');
    await heading(page, 'Nothing here');
    await page.locator('main[aria-busy], .loading').first().waitFor({ state: 'detached' });
  });

  it('keeps the view before until the next one is there, which gets the focus and the title', async () => {
    const held = Promise.withResolvers<void>();
    const page = await dashboard.open(owner, '/dashboard/account');
    await heading(page, 'Account');
    await page.route(HELP, async (route) => {
      await held.promise;
      await route.continue();
    });
    await help(page).click();
    await page.locator('main[aria-busy]').waitFor();
    await heading(page, 'Account');
    expect(await page.title()).toBe('Account · formhost');
    held.resolve();
    await heading(page, 'Help');
    await page.locator('main:not([aria-busy])').waitFor();
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Help');
    expect(await page.title()).toBe('Help · formhost');
    await page.goBack();
    await heading(page, 'Account');
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Account');
  });

  it('loads the page anew when the service has another version, and opens the view', async () => {
    const page = await dashboard.open(owner, '/dashboard/account');
    await heading(page, 'Account');
    await page.evaluate('globalThis.before = true');
    let isGone = true;
    await page.route(HELP, (route) => (isGone ? gone(route) : route.continue()));
    page.on('request', (request) => {
      // The new page has names that are there.
      if (request.isNavigationRequest()) isGone = false;
    });
    await help(page).click();
    await heading(page, 'Help');
    expect(await page.evaluate('globalThis.before')).toBeUndefined();
    expect(page.url()).toBe(`${dashboard.origin}/dashboard/help`);
  });

  it('does so once, says that the view is missing, and tries again when it is asked to', async () => {
    const page = await dashboard.open(owner, '/dashboard/account');
    await heading(page, 'Account');
    let navigations = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) navigations += 1;
    });
    await page.route(HELP, gone);
    await help(page).click();
    await page.getByText('This view could not be loaded.').waitFor();
    await expectAccessible(page);
    expect(navigations).toBe(1);
    await page.unroute(HELP);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Help');
    expect(navigations).toBe(2);
  });

  it('waits for a connection that is lost, without a new page', async () => {
    const page = await dashboard.open(owner, '/dashboard/account');
    await heading(page, 'Account');
    await page.evaluate('globalThis.before = true');
    await page.context().setOffline(true);
    await help(page).click();
    await page.getByText('There is no connection to the service.').waitFor();
    await heading(page, 'Account');
    await page.context().setOffline(false);
    await heading(page, 'Help');
    expect(await page.evaluate('globalThis.before')).toBe(true);
  });
});
