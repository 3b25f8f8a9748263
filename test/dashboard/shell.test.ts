import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  openSections,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { readMail, type SmtpServer, startSmtpServer } from '../support/smtp.ts';

/* The dashboard as people use it. Each view has tests of its own, in a file beside this one. */

/**
 * The requests of the list of pages: styles, icon, scripts, the user who is signed in, and the pages. With the scripts of the views
 * that are opened next, which come when there is nothing else to do.
 */
const MAX_REQUESTS = 24;

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  let smtp: SmtpServer;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    dashboard = await startDashboard({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}` });
  });
  afterAll(async () => {
    await dashboard?.close();
    await smtp?.close();
  });

  describe('Sign in', () => {
    it('says what is wrong with a key, signs in with another, and stays signed in after a reload', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(undefined, '/dashboard/account');
      await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email');
      const fields = page.locator('input');
      expect(await fields.first().getAttribute('name')).toBe('email');
      expect(await fields.last().getAttribute('name')).toBe('key');
      const signIn = page.getByRole('button', { name: 'Sign in' });
      await signIn.click();
      expect(await page.getByRole('alert').innerText()).toBe('Enter your key: it begins with fh_.');
      await page.getByLabel('API key').fill('fh_wrong');
      await signIn.click();
      await page.getByText('send Authorization').or(page.getByText('The API key is')).first().waitFor();
      expect(await page.getByLabel('API key').inputValue()).toBe('fh_wrong');
      await page.getByText('You have no key yet?').click();
      await page.getByText('npx formhost admin keys create --email').waitFor();
      await expectAccessible(page);
      await page.getByLabel('API key').fill(owner.key);
      await signIn.click();
      await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/account`);
      expect(await page.evaluate('document.cookie')).toBe('');
    });

    it('is in the language that is chosen below it, at once, and so is what follows', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(undefined, '/dashboard/account');
      await page.getByRole('combobox', { name: 'Language' }).selectOption('العربية');
      await page.locator('html[lang="ar"][dir="rtl"]').waitFor();
      await expect.poll(() => page.locator('select').inputValue()).toBe('ar');
      await page.locator('input[name="key"]').fill(owner.key);
      await page.locator('input[name="key"]').press('Enter');
      await page.locator('option[value="ar"]').waitFor({ state: 'attached' });
      await page.locator('input[name="key"]').waitFor({ state: 'detached' });
      expect(await page.locator('html').getAttribute('lang')).toBe('ar');
    });

    /** Asks for a link at a view, and opens the link in a tab of the same browser. */
    async function openLink(view: string) {
      const owner = await dashboard.owner();
      const { email } = (await owner.get('/me')).body;
      const before = smtp.received.length;
      const page = await dashboard.open(undefined, view);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.getByText('a mail is on its way').waitFor();
      await expect.poll(() => smtp.received.length).toBe(before + 1);
      const { raw = Buffer.alloc(0) } = smtp.received.at(-1) ?? {};
      const [link = ''] = /http:\/\/\S+\/session\/mail\/\w+/.exec(readMail(raw).parts[0]?.text ?? '') ?? [];
      const tab = await page.context().newPage();
      await tab.goto(dashboard.origin + new URL(link).pathname);
      return tab;
    }

    it('leads from the link to the view where it was asked for, once', async () => {
      const page = await openLink('/dashboard/trash?from=here');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/trash?from=here`);
      await page.goto(`${dashboard.origin}/dashboard`);
      await page.getByRole('heading', { level: 1, name: 'Pages' }).waitFor();
    });

    it('leads from the link to no other site', async () => {
      const page = await openLink('/dashboard/trash');
      const kept = JSON.stringify({ path: '//evil.example/dashboard', at: Date.now() });
      await page.evaluate(`localStorage.setItem('return-path', ${JSON.stringify(kept)})`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Pages' }).waitFor();
      expect(page.url()).toBe(`${dashboard.origin}/dashboard`);
    });

    it('signs in with a link by mail', async () => {
      const owner = await dashboard.owner();
      const { email } = (await owner.get('/me')).body;
      const before = smtp.received.length;
      const page = await dashboard.open(undefined, '/dashboard');
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.getByText('Enter your address, such as you@example.com.').waitFor();
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.getByText('a mail is on its way').waitFor();
      await expect.poll(() => smtp.received.length).toBe(before + 1);
      const { raw = Buffer.alloc(0) } = smtp.received.at(-1) ?? {};
      const [link = ''] = /http:\/\/\S+\/session\/mail\/\w+/.exec(readMail(raw).parts[0]?.text ?? '') ?? [];
      await page.goto(dashboard.origin + new URL(link).pathname);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Pages' }).waitFor();
      await page.getByText(email).waitFor();
    });
  });

  it('cannot be put into a frame by another page', async () => {
    const owner = await dashboard.owner();
    const { url } = await owner.deploy({
      html: `<title>Trap</title><iframe src="${dashboard.origin}/dashboard"></iframe>`,
    });
    const page = await dashboard.open(owner, '/dashboard');
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(`http://${new URL(url).hostname}:${new URL(dashboard.origin).port}`);
    await refused;
    expect(await page.frames()[1]?.title()).not.toBe('formhost');
  });

  it('can be used after few requests, moves the focus along, and lets one skip to the content', async () => {
    const owner = await dashboard.owner();
    await owner.deploy({ html: '<title>Quick</title>' });
    const page = await dashboard.open(owner, '/dashboard');
    await page.getByRole('link', { name: 'Quick', exact: true }).waitFor();
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType !== 'iframe').map(({ name }) => name)`,
    );
    // The sparkline of the page, and its miniature, come sooner or later.
    expect(loaded.filter((url) => !url.includes('/stats')).length).toBeLessThanOrEqual(MAX_REQUESTS);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Account');
    expect(await page.title()).toBe('Account · formhost');
  });

  it('shows the mails about a submission beside it, and sends them again', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy();
    await owner.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
    const { email } = (await owner.get('/me')).body;
    const before = smtp.received.length;
    const body = new URLSearchParams({ name: 'Ada' });
    await fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body });
    await expect.poll(() => smtp.received.length).toBe(before + 1);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/inbox`);
    await page.getByText('Ada', { exact: true }).first().click();
    await page.getByText('Details', { exact: true }).click();
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    await deliveries.getByText('last answer: SMTP 250').waitFor();
    await deliveries.getByRole('button', { name: `Send again to ${email}` }).click();
    await expect.poll(() => smtp.received.length).toBe(before + 2);
  });

  it('changes the address of the account by a mail to the new one', async () => {
    const owner = await dashboard.owner();
    const before = smtp.received.length;
    const page = await dashboard.open(owner, '/dashboard/account');
    await page.getByLabel('New address').fill('new@example.org');
    await page.getByRole('button', { name: 'Change the address' }).click();
    await page.getByText('A mail is on its way to the new address').waitFor();
    await expect.poll(() => smtp.received.length).toBe(before + 1);
    expect(smtp.received.at(-1)?.to).toEqual(['new@example.org']);
  });

  it('sends a preview of the mail to visitors', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy();
    const confirmation = { field: 'email', subject: 'Welcome', text: 'Your number is {{reference}}.' };
    await owner.patch(`/deploy/${id}`).send({ confirmation }).expect(200);
    const before = smtp.received.length;
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
    await openSections(page, 'Mail to visitors');
    await page.getByRole('button', { name: 'Send me a preview' }).click();
    await page.getByText('The preview is on its way to you.').waitFor();
    await expect.poll(() => smtp.received.length).toBe(before + 1);
    await page.getByLabel('Subject of the mail').fill('Hello');
    await page.getByText('Save to send yourself a preview of the mail.').waitFor();
  });
});
