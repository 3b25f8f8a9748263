import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/service.ts';

/* The account and the settings of a page, as an owner uses them; and what the dashboard does when it can't go on. */

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const signIn = async (page: Page, { key }: Owner): Promise<void> => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  describe('Account', () => {
    it('shows the owner, the plan and its use', async () => {
      const owner = await dashboard.owner('free');
      await owner.deploy();
      const page = await dashboard.open(owner, '/dashboard/account');
      await page.getByText('1 of 3 pages').waitFor();
      await page.getByText('This service has no mail server').waitFor();
    });

    it('creates a key, shows it once, and revokes it', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/account');
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
    });

    it('says why a key could not be created or revoked', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/account');
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('Not saved: name is empty: send 1 to 100 characters.').waitFor();
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
    const open = async (owner: Owner, options = {}) => {
      const { id } = await owner.deploy();
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`, options);
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
      await page.getByLabel('Send me a mail').check();
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
        email_notifications: true,
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
      await page.getByText('Not saved: spam.captcha.secret is missing').waitFor();
    });

    it('says what is wrong, and keeps what was typed', async () => {
      const owner = await dashboard.owner();
      const { page, settings } = await open(owner);
      await page.getByLabel('Redirect URL').fill('javascript:alert(1)');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved: redirect_url is not an absolute http or https URL').waitFor();
      expect(await page.getByLabel('Redirect URL').inputValue()).toBe('javascript:alert(1)');
      expect(await settings()).toMatchObject({ redirect_url: null });
    });

    it('keeps the retention when what is typed is no number of days', async () => {
      const owner = await dashboard.owner();
      const { id, page, settings } = await open(owner);
      await owner.patch(`/deploy/${id}`).send({ retention_days: 30 }).expect(200);
      await page.reload();
      const days = page.getByLabel('Delete submissions after days');
      await days.press('End');
      await days.pressSequentially('e');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Enter a number of days, such as 365.').waitFor();
      expect(await settings()).toMatchObject({ retention_days: 30 });
      await days.fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await settings()).toMatchObject({ retention_days: null });
    });

    it('has what was not saved again after a look at another view', async () => {
      const owner = await dashboard.owner();
      const { page } = await open(owner);
      await page.getByLabel('Redirect URL').fill('https://example.org/later');
      await page.getByRole('link', { name: 'Charts' }).click();
      await heading(page, 'Charts');
      await page.goBack();
      expect(await page.getByLabel('Redirect URL').inputValue()).toBe('https://example.org/later');
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

  describe('when it cannot go on', () => {
    const openSettings = async (owner: Owner) => {
      const { id } = await owner.deploy();
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
      await page.getByLabel('Redirect URL').fill('https://example.org/kept');
      const settings = async () => (await owner.get(`/deploy/${id}/settings`)).body;
      return { page, settings };
    };

    it('asks to sign in again when the session has ended, and goes on with what was asked for', async () => {
      const owner = await dashboard.owner();
      const { page, settings } = await openSettings(owner);
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await dialog.waitFor();
      await signIn(page, owner);
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await page.getByLabel('Redirect URL').inputValue()).toBe('https://example.org/kept');
      expect(await settings()).toMatchObject({ redirect_url: 'https://example.org/kept' });
    });

    it('asks another owner who signs in then for nothing of the one before', async () => {
      const [owner, other] = [await dashboard.owner(), await dashboard.owner()];
      const { page, settings } = await openSettings(owner);
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Save' }).click();
      await signIn(page, other);
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      expect(await settings()).toMatchObject({ redirect_url: null });
    });

    it('says that it is offline, keeps what was typed, and saves it when the connection is back', async () => {
      const owner = await dashboard.owner();
      const { page, settings } = await openSettings(owner);
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved: There is no connection to the service. It is tried again by itself.').waitFor();
      await page.getByText('nothing that you typed is lost').waitFor();
      expect(await settings()).toMatchObject({ redirect_url: null });
      await page.context().setOffline(false);
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await page.getByText('nothing that you typed is lost').count()).toBe(0);
      expect(await settings()).toMatchObject({ redirect_url: 'https://example.org/kept' });
    });

    it('loads a view by itself once the service answers again', async () => {
      const owner = await dashboard.owner();
      await owner.deploy();
      let refused = 0;
      const page = await dashboard.open(owner, '/dashboard/new');
      await heading(page, 'New page');
      await page.route(
        ({ pathname }) => pathname === '/overview',
        (route) => {
          refused += 1;
          return refused < 3
            ? route.fulfill({ status: 503, json: { error: 'Busy.' }, headers: { 'Retry-After': '1' } })
            : route.continue();
        },
      );
      await page.getByRole('link', { name: 'Pages', exact: true }).click();
      await page.getByText('The service is busy or starting.').waitFor();
      await expectAccessible(page);
      await page.getByText('1 page', { exact: true }).waitFor();
      expect(await page.getByText('The service is busy or starting.').count()).toBe(0);
    });

    it('says what the service says when a view cannot be read, and tries again when asked to', async () => {
      const owner = await dashboard.owner();
      await owner.deploy();
      const page = await dashboard.open(owner, '/dashboard/new');
      await heading(page, 'New page');
      let isBroken = true;
      await page.route(
        ({ pathname }) => pathname === '/overview',
        (route) =>
          isBroken ? route.fulfill({ status: 404, json: { error: 'A sentence of the service.' } }) : route.continue(),
      );
      await page.getByRole('link', { name: 'Pages', exact: true }).click();
      await page.getByText('A sentence of the service.').waitFor();
      isBroken = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('1 page', { exact: true }).waitFor();
    });
  });

  describe('with hostile data', () => {
    const HOSTILE = `</title><script>alert(1)</script><img src=x onerror=alert(2)>‮evil${'W'.repeat(2000)}`;

    it('runs nothing of it, and keeps its layout', async () => {
      const owner = await dashboard.owner();
      const title = HOSTILE.replaceAll('<', '&lt;');
      const { id } = await owner.deploy({ html: `<title>${title}</title>` });
      await owner.deploy({ html: '<title>__proto__</title>' });
      await owner.post('/keys').send({ name: '<img src=x onerror=alert(3)>' }).expect(201);
      const page = await dashboard.open(owner, '/dashboard', { viewport: { width: 320, height: 600 } });
      page.on('dialog', () => {
        throw new Error('A script of the data ran.');
      });
      await page.getByRole('link', { name: '__proto__', exact: true }).waitFor();
      expect(await page.locator('main script, main img').count()).toBe(0);
      for (const path of [
        '/dashboard/account',
        `/dashboard/pages/${id}/settings`,
        '/dashboard/new?replace=%3Cscript%3E',
      ]) {
        await page.goto(dashboard.origin + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
      }
    });
  });
});
