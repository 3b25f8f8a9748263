import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  expectFitting,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';
import { ADA, FORM, names, newInbox, row, rows } from '../support/inbox-in-browser.ts';

const FAIR = `<!doctype html><html lang="en"><title>Fair</title>
<form name="visit" action="{{FORM_ACTION}}" method="post"><label>Your name <input name="name"></label>
<label>Day <input name="day"></label><button>Send</button></form>
<form name="stand" action="{{FORM_ACTION}}" method="post"><label>Company <input name="name"></label>
<label>Size <input name="size"></label><button>Send</button></form></html>`;
const SENT = [{ name: 'Ada', day: 'Monday' }, { name: 'Looms Ltd', size: '3 m' }, { other: 'Nobody knows' }];

describe.skipIf(!hasChromium())('the inbox of a page with several forms', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const headers = (page: Page): Promise<string[]> => page.locator('.inbox-head .cell').allInnerTexts();
  const menu = (page: Page, name: string) => page.locator('.inbox-bar').getByRole('button', { name });

  it('shows the form of each row, and those of one by a menu, which the address keeps', async () => {
    const { owner, path } = await newInbox(dashboard, FAIR, SENT);
    const page = await dashboard.open(owner, path);
    await menu(page, 'Forms').waitFor();
    await row(page, 'Ada').getByRole('cell', { name: 'visit' }).waitFor();
    await row(page, 'Looms Ltd').getByRole('cell', { name: 'stand' }).waitFor();
    await expectAccessible(page);
    await tabTo(page, menu(page, 'Forms'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'stand' }).click();
    await expect.poll(() => names(page)).toEqual(['Looms Ltd']);
    await expect.poll(() => headers(page)).toEqual(['Company', 'Size']);
    expect(new URL(page.url()).searchParams.get('form')).toBe('stand');
    await page.reload();
    await row(page, 'Looms Ltd').waitFor();
    expect(await rows(page).count()).toBe(1);
    await menu(page, 'stand').click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'All forms' }).click();
    await row(page, 'Ada').waitFor();
    expect(new URL(page.url()).searchParams.has('form')).toBe(false);
  });

  it('shows a submission with its form, and with the labels of that', async () => {
    const { owner, path } = await newInbox(dashboard, FAIR, SENT);
    const page = await dashboard.open(owner, path);
    await row(page, 'Looms Ltd').getByRole('link').click();
    const detail = page.getByRole('region', { name: 'Submission', exact: true });
    await detail.getByText('Form: stand').waitFor();
    await detail.getByText('Company', { exact: true }).waitFor();
    expect(await detail.getByText('Your name').count()).toBe(0);
    await expectAccessible(page);
  });

  it('has a menu that stays narrow, whatever a form is called', async () => {
    const { owner, path } = await newInbox(dashboard, FAIR, [{ 'form-name': 'x'.repeat(200), name: 'Long' }]);
    const page = await dashboard.open(owner, path);
    await menu(page, 'Forms').click();
    const item = page.getByRole('button', { name: /^x{200}$/ });
    await item.waitFor();
    const { width = 0 } = (await item.boundingBox()) ?? {};
    expect(width).toBeLessThanOrEqual(384);
  });

  it('fits on a phone', async () => {
    const { owner, path } = await newInbox(dashboard, FAIR, SENT);
    const page = await dashboard.open(owner, path, PHONE);
    await row(page, 'Ada').getByText('visit').waitFor();
    await expectFitting(page);
    const search = page.getByRole('searchbox');
    await search.click();
    await expect.poll(async () => (await search.boundingBox())?.width).toBeGreaterThan(200);
    await expectFitting(page);
    await tabTo(page, menu(page, 'Forms'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'stand' }).click();
    await expect.poll(() => names(page)).toEqual(['Looms Ltd']);
  });

  it('has neither the menu nor the column where a page has one form', async () => {
    const { owner, path } = await newInbox(dashboard, FORM, [ADA]);
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').waitFor();
    await menu(page, 'Columns').waitFor();
    expect([await menu(page, 'Forms').count(), await headers(page)]).toEqual([0, expect.not.arrayContaining(['Form'])]);
  });
});
