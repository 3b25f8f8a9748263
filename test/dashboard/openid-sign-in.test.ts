import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import { TestOpenidProvider } from '../support/openid-provider.ts';

describe.skipIf(!hasChromium())('the dashboard with OpenID Connect', () => {
  const provider = new TestOpenidProvider();
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    await provider.start();
    dashboard = await startDashboard({ ...provider.settings, OIDC_DOMAINS: 'team.example' });
    provider.register(dashboard.origin);
  });
  afterAll(async () => {
    await dashboard?.close();
    await provider.stop();
  });

  it('signs a new person in, leads back to the view, and makes the first key', async () => {
    provider.person = { email: 'new@team.example', email_verified: true };
    const page = await dashboard.open(undefined, '/dashboard/account');
    const button = page.getByRole('button', { name: 'Sign in with OpenID Connect' });
    await button.waitFor();
    await expectAccessible(page);
    await button.click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.getByText('new@team.example').first().waitFor();
    await page.getByText('There is no key yet').waitFor();
    await page.getByText('This browser', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name').fill('First');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    const key = await dialog.getByText(/^fh_/).innerText();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    const get = async () =>
      (await fetch(`${dashboard.origin}/me`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect(await get()).toBe(200);
    // The session needs no key: its last one can go.
    await page.getByRole('button', { name: 'Revoke First' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key is revoked.').waitFor();
    expect(await get()).toBe(401);
    await page.getByText('There is no key yet').waitFor();
  });

  it('says why nobody is signed in, and leads back', async () => {
    provider.person = { email: 'a@elsewhere.example', email_verified: true };
    const page = await dashboard.open(undefined, '/dashboard');
    await page.getByRole('button', { name: 'Sign in with OpenID Connect' }).click();
    await page.getByText('a@elsewhere.example has no account here.').waitFor();
    await page.getByRole('link', { name: 'Open the dashboard' }).click();
    await page.getByRole('button', { name: 'Sign in with OpenID Connect' }).waitFor();
  });
});
