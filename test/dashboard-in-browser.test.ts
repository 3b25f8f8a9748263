import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard, tabTo } from './support/dashboard-in-browser.ts';

/* The dashboard as people use it. Each view has tests of its own: dashboard-<view>.test.ts. */

describe.skipIf(!findChromium())('the dashboard', { tags: 'slow', timeout: 60_000 }, () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  describe('Sign in', () => {
    it('signs in with a key, by mouse, and stays signed in after a reload', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(undefined, '/dashboard/account');
      await page.getByLabel('API key').fill(owner.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/account`);
      expect(await page.evaluate('document.cookie')).toBe('');
    });

    it('signs in and out by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(undefined, '/dashboard');
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type(owner.key);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await tabTo(page, page.getByRole('link', { name: 'Trash' }));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
      expect(await page.locator('h1:focus').innerText()).toBe('Trash');
      await tabTo(page, page.getByRole('button', { name: 'Sign out' }));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    });

    it('says what is wrong with a key, and keeps it', async () => {
      const page = await dashboard.open(undefined, '/dashboard');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').innerText()).toBe('Enter your key: it begins with fh_.');
      await page.getByLabel('API key').fill('fh_wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('send Authorization').or(page.getByText('The API key is')).first().waitFor();
      expect(await page.getByLabel('API key').inputValue()).toBe('fh_wrong');
      await expectAccessible(page);
    });

    it('says which command creates a key', async () => {
      const page = await dashboard.open(undefined, '/dashboard');
      await page.getByText('You have no key yet?').click();
      await page.getByText('npm run --silent keys -- create --email').waitFor();
      await expectAccessible(page);
    });
  });
});
