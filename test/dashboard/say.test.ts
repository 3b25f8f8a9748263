import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';

/* The messages at the lower edge, and what they take back. */

describe.skipIf(!hasChromium())('messages of the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** The list of pages with two of three pages deleted. */
  async function openWithTwoDeleted(options = {}): Promise<{ page: Page; slugs(): Promise<string[]> }> {
    const owner = await dashboard.owner();
    for (const title of ['One', 'Two', 'Three']) await owner.deploy({ html: `<title>${title}</title>` });
    const page = await dashboard.open(owner, '/dashboard', options);
    for (const title of ['One', 'Three']) {
      const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
      await deleteFrom(row, title);
      await row.waitFor({ state: 'detached' });
    }
    return {
      page,
      slugs: async () => (await owner.get('/overview')).body.deployments.map(({ title }: { title: string }) => title),
    };
  }

  async function deleteFrom(row: Locator, title: string): Promise<void> {
    await row.getByRole('button', { name: `More for ${title}` }).click();
    await row.getByRole('button', { name: `Delete ${title}` }).click();
  }

  it('keeps the way back of each change, though another one was made since', async () => {
    const { page, slugs } = await openWithTwoDeleted();
    const messages = page.locator('.toast');
    expect(await messages.count()).toBe(2);
    await expectAccessible(page);
    await messages.first().getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'One', exact: true }).waitFor();
    expect(await slugs()).toEqual(['Two', 'One']);
    await messages.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Three', exact: true }).waitFor();
    await expect.poll(async () => (await slugs()).toSorted()).toEqual(['One', 'Three', 'Two']);
  });

  it.each([
    ['a desktop', {}],
    ['a phone', PHONE],
  ])('are at the lower left, over no control: %s', async (_name, options) => {
    const { page } = await openWithTwoDeleted(options);
    const covered = `(() => {
      const box = document.querySelector('.said').getBoundingClientRect();
      const isBelow = (element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return right > left && left < box.right && right > box.left && top < box.bottom && bottom > box.top;
      };
      const controls = [...document.querySelectorAll('a, button, input, summary')].filter((one) => !one.closest('.said, [popover], .skip'));
      return [box.left, box.top > innerHeight / 2, controls.filter(isBelow).map((one) => one.textContent)];
    })()`;
    await expect.poll(() => page.evaluate(covered)).toEqual([16, true, []]);
  });

  it('fade in unless motion is reduced', async () => {
    const { page } = await openWithTwoDeleted();
    const duration = `parseFloat(getComputedStyle(document.querySelector('.toast')).animationDuration)`;
    const seconds = Number(await page.evaluate(duration));
    expect(seconds).toBeGreaterThanOrEqual(0.12);
    expect(seconds).toBeLessThanOrEqual(0.16);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(Number(await page.evaluate(duration))).toBeLessThan(0.001);
  });
});
