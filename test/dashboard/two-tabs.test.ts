import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, startDashboard } from '../support/dashboard-in-browser.ts';
import { ADA, FORM, GRACE, names, newInbox, row } from '../support/inbox-in-browser.ts';

/* Two tabs of one browser: what is changed in one shows up in the other. */

describe.skipIf(!hasChromium())('two tabs of the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  async function another(page: Page, path = page.url().replace(dashboard.origin, '')): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto(dashboard.origin + path);
    return other;
  }

  it('show the same marks, notes and submissions', async () => {
    const { owner, path } = await newInbox(dashboard, FORM, [ADA, GRACE]);
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').getByRole('button', { name: 'Star' }).waitFor();
    const other = await another(page);
    await row(other, 'Ada').getByRole('button', { name: 'Star' }).click();
    await row(page, 'Ada').getByRole('button', { name: 'Star', pressed: true }).waitFor();
    await row(page, 'Ada').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Done', exact: true }).waitFor();
    await row(other, 'Ada').getByRole('link').first().click();
    await other.getByLabel('Note').fill('Called her on Monday');
    await expect.poll(() => page.getByLabel('Note').inputValue()).toBe('Called her on Monday');
    await other.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByRole('button', { name: 'Done', exact: true, pressed: true }).waitFor();
    // The text that is typed here stays, though the note is read again.
    await page.getByLabel('Note').fill('Called her on Monday, and again');
    await other.getByRole('button', { name: 'Star', exact: true, pressed: true }).click();
    await page.getByRole('button', { name: 'Star', exact: true, pressed: false }).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('Called her on Monday, and again');
    await expect.poll(() => other.getByLabel('Note').inputValue()).toBe('Called her on Monday, and again');
    await other.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(['Grace']);
    await other.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(page)).toEqual(['Grace', 'Ada']);
  });

  it('show the same pages', async () => {
    const owner = await dashboard.owner();
    await owner.deploy({ html: '<title>First</title>' });
    const page = await dashboard.open(owner, '/dashboard');
    await page.getByRole('heading', { name: 'First' }).waitFor();
    const other = await another(page);
    await other.getByRole('button', { name: 'More for First' }).click();
    await other.getByRole('button', { name: 'Delete First' }).click();
    await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
    await other.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'First' }).waitFor();
  });

  it('show the same receivers, and keep what is typed', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/notifications`);
    await page.getByLabel('Add a recipient').fill('ada@exa');
    const other = await another(page);
    await other.getByLabel('Webhook URL').fill('https://one.example/');
    await other.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('button', { name: /^A program\s*one\.example/ }).waitFor();
    expect(await page.getByLabel('Add a recipient').inputValue()).toBe('ada@exa');
  });

  it('read again what was changed while nobody saw them, once somebody does', async () => {
    const owner = await dashboard.owner();
    await owner.deploy({ html: '<title>First</title>' });
    const page = await dashboard.open(owner, '/dashboard');
    await page.getByRole('heading', { name: 'First' }).waitFor();
    const hide = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await hide(true);
    const told = page.evaluate(
      "new Promise((done) => { new BroadcastChannel('changes').onmessage = () => done(true); })",
    );
    const other = await another(page);
    await other.getByRole('button', { name: 'More for First' }).click();
    await other.getByRole('button', { name: 'Delete First' }).click();
    await told;
    expect(await page.getByRole('heading', { name: 'First' }).count()).toBe(1);
    await hide(false);
    await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
  });
});
