import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGE_COOKIE } from '../../src/lib/dashboard-paths.ts';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  openSections,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* The account and the settings of a page, as an owner uses them. */

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  describe('Account', () => {
    it('creates a key, shows it once, and revokes it; says why it could not', async () => {
      const owner = await dashboard.owner('free');
      await owner.deploy();
      const page = await dashboard.open(owner, '/dashboard/account');
      await page.getByText('1 of 3 pages').waitFor();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('Name is empty: enter 1 to 100 characters.').waitFor();
      expect(await page.getByText('Not saved: 1 field needs attention.').count()).toBe(1);
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

    it('says who has changed what, and leads to pages that are there', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: '<title>Bakery</title><p>Bread' });
      const gone = await owner.deploy({ html: '<title>Garden</title><p>Roses' });
      await owner.delete(`/deploy/${gone.id}`).expect(200);
      for (let count = 0; count < 20; count += 1) {
        await owner.change(id, { thanks_message: `Thank you ${count}` });
      }
      const page = await dashboard.open(owner, '/dashboard/account');
      const audit = page.getByRole('region', { name: 'Audit' });
      await audit.getByText('Signed in').waitFor();
      await audit.getByText('Changed the settings of a page').first().waitFor();
      const link = audit.getByRole('link', { name: 'Bakery' }).first();
      await expect.poll(() => link.getAttribute('href')).toBe(`/dashboard/pages/${id}/inbox`);
      await audit.getByText('20 of ').waitFor();
      await audit.getByRole('button', { name: 'Show more' }).click();
      const deleted = audit.getByRole('listitem').filter({ hasText: 'Deleted a page' });
      const { email } = (await owner.get('/me').expect(200)).body;
      await expect
        .poll(() => deleted.innerText())
        .toMatch(new RegExp(`^Deleted a page ${gone.id}\\s+${email} with a key, .+, from 127\\.0\\.0\\.1$`));
      expect(await deleted.getByRole('link').count()).toBe(0);
      await expectAccessible(page);
    });

    it('creates a key that publishes some pages, and shows what it reaches', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: '<title>Bakery</title><p>Bread' });
      await owner.deploy({ html: '<title>Garden</title><p>Roses' });
      const page = await dashboard.open(owner, '/dashboard/account');
      await page.getByLabel('Name').fill('Agent');
      await page.getByLabel('What it may do').selectOption('Publish pages only');
      await page.getByLabel('Pages', { exact: true }).selectOption('Some');
      await page.getByLabel('Bakery').check();
      await page.getByRole('button', { name: 'Create a key' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your new key' });
      const key = await dialog.getByText(/^fh_/).innerText();
      await dialog.getByRole('button', { name: 'I have it' }).click();
      await page.locator('.badge', { hasText: 'Publish pages only' }).waitFor();
      await page.getByText('1 page only').waitFor();
      const listed = await fetch(`${dashboard.origin}/deploy`, { headers: { Authorization: `Bearer ${key}` } });
      expect(await listed.json()).toMatchObject({ deployments: [{ id }], total: 1 });
    });

    it('shows the newest sessions after that of this browser, all when asked, and ends all others', async () => {
      const owner = await dashboard.owner();
      for (const browser of [
        'Firefox/130.0',
        'iPhone Safari/604.1',
        'Edg/120',
        'OPR/99',
        'Chrome/1',
        'Windows Chrome/2',
      ]) {
        await owner.post('/session').set('User-Agent', browser).send({ key: owner.key }).expect(200);
      }
      const page = await dashboard.open(owner, '/dashboard/account');
      // The newest by its sign-in is not the one that was used last.
      await dashboard.db('sessions').where('user_agent', 'Firefox/130.0').update({ last_used_at: '2099-01-01' });
      await page.reload();
      const sessions = page.getByRole('listitem').filter({ hasText: /signed in/ });
      await expect.poll(() => sessions.count()).toBe(5);
      expect(await sessions.nth(0).innerText()).toContain('This browser');
      expect(await sessions.nth(1).innerText()).toContain('Firefox');
      await page.getByRole('button', { name: 'Show all 7 sessions' }).click();
      await expect.poll(() => sessions.count()).toBe(7);
      await page.getByRole('button', { name: 'End all others' }).click();
      await page.getByText('6 other browsers are signed out.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
      await page.getByText('All other sessions have ended.').waitFor();
      await expect.poll(() => sessions.count()).toBe(1);
      expect((await owner.get('/sessions')).body.total).toBe(1);
      expect(await page.getByRole('button', { name: 'End all others' }).count()).toBe(0);
    });

    it('lists the sessions, and ends one or all', async () => {
      const owner = await dashboard.owner();
      const there = await dashboard.open(owner, '/dashboard');
      const here = await dashboard.open(owner, '/dashboard/account');
      const others = here
        .getByRole('listitem')
        .filter({ hasText: /signed in/ })
        .filter({ hasNotText: 'This browser' });
      await others.getByRole('button', { name: /^End the session/ }).click();
      await others.waitFor({ state: 'detached' });
      await there.reload();
      await there.getByLabel('API key').fill(owner.key);
      await there.getByRole('button', { name: 'Sign in' }).click();
      await there.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await here.reload();
      await others.getByText(/^Chrome, /).waitFor();
      await others.getByText('Used in the last hour').waitFor();
      await here.getByRole('button', { name: 'End all sessions' }).click();
      await here.getByRole('button', { name: 'End all', exact: true }).click();
      await heading(here, 'Sign in');
      await there.reload();
      await heading(there, 'Sign in');
    });

    it('has all time zones, that of the browser first, and says which setting a new address needs', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/account', { timezoneId: 'America/Lima' });
      const zone = page.getByLabel('Zone', { exact: true });
      expect(await zone.inputValue()).toBe('America/Lima');
      expect(await zone.getByRole('option').first().innerText()).toBe('America/Lima (this browser)');
      await zone.selectOption('Asia/Tokyo');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await owner.get('/me')).body.time_zone).toBe('Asia/Tokyo');
      const change = page.getByRole('button', { name: 'Change the address' });
      await page.getByLabel('New address').fill('ada');
      await change.click();
      await page.getByText('Enter an address such as ada@example.org.').waitFor();
      await page.getByLabel('New address').fill('ada@example.org');
      await change.click();
      await page.getByRole('alert').getByText('the operator must set SMTP_URL').waitFor();
    });

    it('is in the language that is chosen there, in this browser, until it is that of the browser again', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/account');
      // Languages have their own names, whatever the language of the view.
      const form = page.locator('form').filter({ has: page.locator('option[value="de"]') });
      const language = form.locator('select');
      expect(await language.inputValue()).toBe('browser');
      await page.getByRole('region', { name: 'Language' }).getByText('Of this dashboard, in this browser.').waitFor();
      await language.selectOption('Deutsch');
      await page.getByRole('button', { name: 'Change the language' }).click();
      await page.locator('html[lang="de"][dir="ltr"]').waitFor();
      await expect.poll(() => language.inputValue()).toBe('de');
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name === LANGUAGE_COOKIE);
      expect(cookie).toMatchObject({ value: 'de', path: '/', sameSite: 'Lax', secure: false, httpOnly: false });
      await page.goto(`${dashboard.origin}/dashboard`);
      await page.locator('html[lang="de"]').waitFor();
      await page.goto(`${dashboard.origin}/dashboard/account`);
      await language.selectOption({ index: 0 });
      await form.getByRole('button').click();
      await page.locator('html[lang="en"]').waitFor();
      await page.getByRole('button', { name: 'Change the language' }).waitFor();
      expect((await page.context().cookies()).map(({ name }) => name)).not.toContain(LANGUAGE_COOKIE);
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
      await openSections(page, 'Who may send', 'Spam', 'Keep or delete');
      await page.getByLabel('Redirect URL').fill('https://example.org/thanks');
      await page
        .getByLabel('Allowed sites')
        .fill('https://example.org\n\n www.Example.org/contact \nnull\ncapacitor://localhost');
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
        allowed_origins: ['https://example.org', 'https://www.example.org', 'null', 'capacitor://localhost'],
        language: 'de',
        retention_days: 365,
        spam: { blocklist: ['casino', 'viagra'], captcha: { provider: 'hcaptcha', site_key: 'site-1' } },
      });
      expect(await page.getByLabel('Secret').inputValue()).toBe('');
      // A change that another user has made meanwhile stays.
      await owner.patch(`/deploy/${id}`).send({ language: 'fr' }).expect(200);
      await page.getByLabel('Redirect URL').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(settings).toMatchObject({ redirect_url: before.redirect_url, language: 'fr' });
      expect(await page.getByLabel('Language').inputValue()).toBe('fr');
    });

    it('sets up a registration: opens on a day, has places, and thanks by mail', async () => {
      const owner = await dashboard.owner();
      const html =
        '<form method=post><label>Your mail <input name=mail type=email></label><button>Send</button></form>';
      const { id } = await owner.deploy({ html });
      const options = { timezoneId: 'Asia/Kolkata' };
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`, options);
      await openSections(page, 'When it is open', 'Places', 'Mail to visitors');
      await page.getByLabel('Opens').fill('2030-01-07T09:00');
      await page.getByLabel('Closes').fill('2030-01-01T09:00');
      await page.getByLabel('Places', { exact: true }).fill('40');
      await page.getByLabel('Message while it is closed').fill('Come back on Monday.');
      await page.getByLabel('Thank visitors by mail').selectOption('Your mail');
      await page.getByLabel('Subject of the mail').fill('Welcome to {{page}}');
      await page.getByLabel('Text of the mail').fill('Dear {{name}}');
      await page.getByLabel('Submissions a minute').fill('60');
      const save = page.getByRole('button', { name: 'Save', exact: true });
      await save.click();
      await page.getByText('Not saved: 2 fields need attention.').waitFor();
      const wrong = await page.locator('[aria-invalid]').all();
      expect(await Promise.all(wrong.map((field) => field.evaluate((input) => input.labels[0].textContent)))).toEqual([
        'Text of the mail',
        'Opens',
      ]);
      await page.getByLabel('Text of the mail').fill('Your number is {{reference}}.');
      await page.getByLabel('Closes').fill('');
      await page.getByLabel('Opens').fill('2030-01-07T09:00');
      await save.click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await owner.get(`/deploy/${id}/settings`)).body).toMatchObject({
        opens_at: '2030-01-07T03:30:00.000Z',
        closes_at: null,
        max_submissions: 40,
        closed_message: 'Come back on Monday.',
        submissions_per_minute: 60,
        confirmation: { field: 'mail', subject: 'Welcome to {{page}}', text: 'Your number is {{reference}}.' },
      });
      await page.reload();
      await openSections(page, 'When it is open', 'Mail to visitors');
      expect(await page.getByLabel('Opens').inputValue()).toBe('2030-01-07T09:00');
      await page.getByRole('button', { name: 'Send me a preview' }).click();
      await page.getByText('Not saved: ').waitFor();
      await page.getByLabel('Thank visitors by mail').selectOption('No mail');
      await save.click();
      await save.waitFor({ state: 'detached' });
      expect((await owner.get(`/deploy/${id}/settings`)).body).toMatchObject({
        confirmation: null,
        max_submissions: 40,
      });
    });

    it('shows what to put into the form for ALTCHA, which needs no keys', async () => {
      const owner = await dashboard.owner();
      const { id, page, settings } = await open(owner);
      await openSections(page, 'Spam');
      await page.getByLabel('Captcha').selectOption('ALTCHA (of this service, no third party)');
      expect(await page.getByLabel('Secret').count()).toBe(0);
      await page.getByText(`challenge?deployment=${id}"`).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await settings()).toMatchObject({ spam: { blocklist: [], captcha: { provider: 'altcha' } } });
      await page.getByLabel('Captcha').selectOption('Cloudflare Turnstile');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Enter the secret that the provider gave you.').waitFor();
      expect(await page.getByText('Not saved: 1 field needs attention.').count()).toBe(1);
    });

    it('says what is wrong, and keeps what was typed, also over a look at another view', async () => {
      const owner = await dashboard.owner();
      const { id, page, settings } = await open(owner);
      await owner.patch(`/deploy/${id}`).send({ retention_days: 30 }).expect(200);
      await page.reload();
      await openSections(page, 'Keep or delete');
      const url = page.getByLabel('Redirect URL');
      const days = page.getByLabel('Delete submissions after days');
      await url.fill('javascript:alert(1)');
      await days.press('End');
      await days.pressSequentially('e');
      await page.getByRole('button', { name: 'Save' }).click();
      const errors = page.locator('.field .error');
      await errors.first().waitFor();
      expect(await errors.allTextContents()).toEqual([
        'Enter the address of a page, such as https://example.org/thanks, or leave it empty.',
        'Enter a whole number such as 365, or leave it empty.',
      ]);
      await url.and(page.locator(':focus')).waitFor();
      for (const field of [url, days]) expect(await field.getAttribute('aria-invalid')).toBe('true');
      await url.fill('https://example.org');
      await days.fill('');
      expect(await settings()).toMatchObject({ redirect_url: null, retention_days: 30 });
      await page.getByRole('link', { name: 'Charts' }).click();
      await heading(page, 'Charts');
      await page.goBack();
      expect(await url.inputValue()).toBe('https://example.org');
      await page.getByText('2 changes', { exact: true }).waitFor();
      await url.fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await settings()).toMatchObject({ redirect_url: null, retention_days: null });
    });

    it('deletes everything, once the slug is typed', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ slug: 'all-of-it' });
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
      await openSections(page, 'Delete all data');
      await page.getByRole('button', { name: 'Delete all data now' }).click();
      await page.getByLabel('Type all-of-it to confirm').fill('all-of-it');
      await page.getByRole('button', { name: 'Delete everything' }).click();
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      expect((await owner.get('/trash')).body.total).toBe(0);
    });
  });
});
