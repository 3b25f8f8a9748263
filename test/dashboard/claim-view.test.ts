import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, heading, startDashboard } from '../support/dashboard-in-browser.ts';

/* Keeping a page that was published without a key, from its claim link on. */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';

describe.skipIf(!hasChromium())('the dashboard, a claim link', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard({ ANONYMOUS_HOURS: '24' });
  });
  afterAll(() => dashboard?.close());

  it('leads through signing in to the page, which is then one of the owner', async () => {
    const response = await fetch(`${dashboard.origin}/publish`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'text/html' }, body: FORM },
    });
    const made: { claim_url: string; id: string } = JSON.parse(await response.text());
    const { claim_url: url, id } = made;
    const owner = await dashboard.owner();
    const page = await dashboard.open(undefined, new URL(url).pathname);
    await heading(page, 'Sign in');
    await page.getByLabel('API key').fill(owner.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Keep this page');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.waitForURL(`**/dashboard/pages/${id}**`);
    expect((await owner.get(`/deploy/${id}`)).status).toBe(200);
    // The link works once.
    await page.goto(url);
    await heading(page, 'Keep this page');
    expect(await page.getByText('is erased soon').count()).toBe(0);
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('This claim link does not work').waitFor();
    await expectAccessible(page);
    expect(await page.getByRole('button', { name: 'Claim' }).count()).toBe(0);
    expect(await page.getByText('is erased').count()).toBe(0);
    await page.getByRole('link', { name: 'your pages' }).click();
    await heading(page, 'Pages');
    await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
  });
});
