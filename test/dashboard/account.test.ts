import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, startDashboard } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/service.ts';

/* The account and the settings of a page, as an owner uses them. */

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  describe('Account', () => {
    it('creates a key, shows it once, and revokes it; says why it could not', async () => {
      const owner = await dashboard.owner('free');
      await owner.deploy();
      const page = await dashboard.open(owner, '/dashboard/account');
      await page.getByText('1 of 3 pages').waitFor();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('Not saved: name is empty: send 1 to 100 characters.').waitFor();
      await page.getByLabel('Name').fill('Website build');
      await page.getByLabel('What it may do').selectOption('Read only');
      await page.getByLabel('Expires').selectOption('In 30 days');
      await page.getByRole('button', { name: 'Create a key' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your new key' });
      const key = await dialog.getByText(/^fh_/).innerText();
      await dialog.getByRole('button', { name: 'Copy' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key);
      await dialog.getByRole('button', { name: 'I have it' }).click();
      await page.getByText('Website build').first().waitFor();
      expect(await page.getByText(key).count()).toBe(0);
      const get = () => fetch(`${dashboard.origin}/me`, { headers: { Authorization: `Bearer ${key}` } });
      expect((await get()).status).toBe(200);
      await page.getByRole('button', { name: 'Revoke Website build' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('The key is revoked.').waitFor();
      expect((await get()).status).toBe(401);
      await page.getByRole('button', { name: 'Revoke Website build' }).waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Account');
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Not saved: This is your last full key').waitFor();
    });

    it('ends the sessions of all browsers', async () => {
      const owner = await dashboard.owner();
      const here = await dashboard.open(owner, '/dashboard/account');
      const there = await dashboard.open(owner, '/dashboard');
      await there.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await here.getByRole('button', { name: 'End all sessions' }).click();
      await here.getByRole('button', { name: 'End all', exact: true }).click();
      await heading(here, 'Sign in');
      await there.reload();
      await heading(there, 'Sign in');
    });
  });

  describe('Settings', () => {
    const open = async (owner: Owner) => {
      const { id } = await owner.deploy();
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
      await page.getByLabel('Redirect URL').waitFor();
      const settings = async () => (await owner.get(`/deploy/${id}/settings`)).body;
      return { id, page, settings };
    };

    it('saves what was changed, and only that', async () => {
      const owner = await dashboard.owner();
      const { id, page, settings } = await open(owner);
      const before = await settings();
      await page.getByLabel('Redirect URL').fill('https://example.org/thanks');
      await page.getByLabel('Allowed sites').fill('https://example.org\n\n https://www.example.org ');
      await page.getByLabel('Language').selectOption('German');
      await page.getByLabel('Delete submissions after days').fill('365');
      await page.getByLabel('Blocked words').fill('casino\nviagra');
      await page.getByLabel('Captcha').selectOption('hCaptcha');
      await page.getByLabel('Site key').fill('site-1');
      await page.getByLabel('Secret').fill('secret-1');
      await page.getByText('data-sitekey="site-1"').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await settings()).toMatchObject({
        redirect_url: 'https://example.org/thanks',
        allowed_origins: ['https://example.org', 'https://www.example.org'],
        language: 'de',
        retention_days: 365,
        spam: { blocklist: ['casino', 'viagra'], captcha: { provider: 'hcaptcha', site_key: 'site-1' } },
      });
      expect(await page.getByLabel('Secret').inputValue()).toBe('');
      // What another has changed meanwhile stays.
      await owner.patch(`/deploy/${id}`).send({ language: 'fr' }).expect(200);
      await page.getByLabel('Redirect URL').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await expect.poll(settings).toMatchObject({ redirect_url: before.redirect_url, language: 'fr' });
    });

    it('shows what to put into the form for ALTCHA, which needs no keys', async () => {
      const owner = await dashboard.owner();
      const { id, page, settings } = await open(owner);
      await page.getByLabel('Captcha').selectOption('ALTCHA (of this service, no third party)');
      expect(await page.getByLabel('Secret').count()).toBe(0);
      await page.getByText(`challenge?deployment=${id}"`).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await settings()).toMatchObject({ spam: { blocklist: [], captcha: { provider: 'altcha' } } });
      await page.getByLabel('Captcha').selectOption('Cloudflare Turnstile');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved: Secret is missing').waitFor();
    });

    it('says what is wrong, and keeps what was typed, also over a look at another view', async () => {
      const owner = await dashboard.owner();
      const { id, page, settings } = await open(owner);
      await owner.patch(`/deploy/${id}`).send({ retention_days: 30 }).expect(200);
      await page.reload();
      const url = page.getByLabel('Redirect URL');
      const days = page.getByLabel('Delete submissions after days');
      await url.fill('javascript:alert(1)');
      await days.press('End');
      await days.pressSequentially('e');
      await page.getByRole('button', { name: 'Save' }).click();
      const problem = (text: string) => page.getByRole('alert').getByText(text, { exact: false });
      await problem('Redirect URL is not an absolute http or https URL').first().waitFor();
      expect(await url.getAttribute('aria-invalid')).toBe('true');
      await url.fill('https://example.org');
      await page.getByRole('button', { name: 'Save' }).click();
      await problem('Delete submissions after days is not a whole number').first().waitFor();
      expect(await days.getAttribute('aria-invalid')).toBe('true');
      expect(await url.getAttribute('aria-invalid')).toBe(null);
      await days.fill('');
      expect(await settings()).toMatchObject({ redirect_url: null, retention_days: 30 });
      await page.getByRole('link', { name: 'Charts' }).click();
      await heading(page, 'Charts');
      await page.goBack();
      expect(await url.inputValue()).toBe('https://example.org');
      await url.fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await settings()).toMatchObject({ redirect_url: null, retention_days: null });
    });

    it('deletes everything, once the slug is typed', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ slug: 'all-of-it' });
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
      await page.getByRole('button', { name: 'Delete all data' }).click();
      await page.getByLabel('Type all-of-it to delete everything').fill('all-of-it');
      await page.getByRole('button', { name: 'Delete everything' }).click();
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      expect((await owner.get('/trash')).body.total).toBe(0);
    });
  });
});
