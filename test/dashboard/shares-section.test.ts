import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  openSections,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { ADA, FORM, newInbox } from '../support/inbox-in-browser.ts';

/* Settings, Links to read along: secret addresses at which people without a sign-in read submissions. */

describe.skipIf(!hasChromium())('the dashboard, Links to read along', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('makes a link, shows it once, and ends it', async () => {
    const { owner, id } = await newInbox(dashboard, FORM, [ADA]);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
    await page.getByText('No link', { exact: true }).waitFor();
    await openSections(page, 'Links to read along');
    await page.getByLabel('Ends by itself').selectOption('In 30 days');
    await page.getByRole('button', { name: 'Make a link' }).click();
    const dialog = page.getByRole('dialog', { name: 'The new link' });
    const url = await dialog.getByText(/\/shares\//).innerText();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(url);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByText('1 link', { exact: true }).waitFor();
    await page.getByRole('listitem').getByText('Ends by itself').waitFor();
    expect(await page.getByText(url).count()).toBe(0);
    await expectAccessible(page);

    const reader = await dashboard.open(undefined, new URL(url).pathname);
    await reader.getByText(ADA.message).waitFor();
    await page.getByRole('button', { name: /^End the link of/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await page.getByText('The link has ended.').waitFor();
    await page.getByText('No link', { exact: true }).waitFor();
    expect((await fetch(url)).status).toBe(404);
  });

  it('shows a link that has ended by itself, and takes it off the list, on a phone', async () => {
    const { owner, id } = await newInbox(dashboard, FORM);
    await owner.post(`/deploy/${id}/shares`).send({}).expect(201);
    await dashboard.db('shares').where({ deployment_id: id }).update({ expires_at: '2026-01-01' });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings#shares`, {
      ...PHONE,
      colorScheme: 'dark',
    });
    await page.getByText('Ended', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Remove the link of/ }).tap();
    await page.getByText('The link is removed from the list.').waitFor();
    expect((await owner.get(`/deploy/${id}/shares`)).body.total).toBe(0);
  });
});
