import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';

/* The guides. */

describe.skipIf(!hasChromium())('the dashboard, Help', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('has guides with pictures', async () => {
    const page = await dashboard.open(await dashboard.owner(), '/dashboard', PHONE);
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Help' }).tap();
    await heading(page, 'Help');
    const guides = page.getByRole('listitem').getByRole('link');
    const titles = await guides.allInnerTexts();
    expect(titles).toHaveLength(7);
    for (const title of titles) {
      await guides.filter({ hasText: title }).tap();
      await heading(page, title);
      await expect.poll(() => page.evaluate("document.querySelector('main img').naturalWidth")).toBeGreaterThan(300);
      await expectAccessible(page);
      await page.goBack();
      await heading(page, 'Help');
    }
    await page.goto(`${dashboard.origin}/dashboard/help/other`);
    await heading(page, 'Nothing here');
  });

  it('finds guides by any of their words', async () => {
    const page = await dashboard.open(await dashboard.owner(), '/dashboard/help');
    const search = page.getByLabel('Search the guides');
    const titles = page.getByRole('listitem').getByRole('link');
    await search.fill('DNS records');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Your own domain']);
    await search.fill('places');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['A registration with places']);
    await search.fill('zeppelin');
    await page.getByRole('heading', { name: 'No guide is found' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show all guides' }).click();
    await expect.poll(() => titles.count()).toBe(7);
  });
});
