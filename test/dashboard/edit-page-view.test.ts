import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { openCode, typedCode } from '../support/typed-code.ts';

/* Changing the HTML of a page, as an owner does it. */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';

describe.skipIf(!hasChromium())('the dashboard, Edit', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('begins at the body of the page, and says its title', async () => {
    const owner = await dashboard.owner();
    const style = `<style>\n${'p { margin: 0 }\n'.repeat(100)}</style>`;
    const { id } = await owner.deploy({ html: `<title>Ask us</title>\n${style}\n<body>\n${'<p>\n'.repeat(100)}` });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByText('Browsers and the list of your pages call it Ask us,').waitFor();
    const top = () => page.locator('.code-editor .cm-scroller').evaluate((scroller) => scroller.scrollTop);
    const [lineHeight, line] = [20, 104];
    await expect.poll(top).toBeGreaterThan((line - 10) * lineHeight);
  });

  const HTML = '<title>Mine</title>';

  it('changes the HTML of a page, on a phone', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM, slug: 'edited' });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page`, PHONE);
    await page.getByRole('link', { name: 'Edit', exact: true }).tap();
    await heading(page, 'Edit');
    await openCode(page);
    await expect.poll(() => typedCode(page)).toBe(FORM);
    await page.getByLabel('HTML').fill(HTML);
    await page.getByRole('button', { name: 'Publish' }).tap();
    await page.getByText('The new version is live.').waitFor();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: HTML });
  });

  it('shows the secret address of a preview, and leaves the live page', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByLabel('HTML').fill(HTML);
    await page.getByRole('button', { name: 'Preview link' }).click();
    const link = page.getByRole('link', { name: 'Open the preview' });
    // Browsers find hosts below localhost, and Node does not.
    const preview = await page.context().newPage();
    const shown = await preview.goto(`${await link.getAttribute('href')}`);
    expect(await shown?.text()).toBe(HTML);
    await preview.close();
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: FORM });
    await expectAccessible(page);
    // The link is of what was typed then.
    await page.getByLabel('HTML').fill(`${HTML}2`);
    await link.waitFor({ state: 'detached' });
  });

  it('asks before it replaces what somebody else has published meanwhile', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByLabel('HTML').fill(HTML);
    await owner.put(`/deploy/${id}`).send({ html: '<title>Theirs</title>' }).expect(200);
    // It still knows what it began with.
    await page.reload();
    await openCode(page);
    expect(await typedCode(page)).toBe(HTML);
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this page' });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Publish mine' }).click();
    await heading(page, 'Page');
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: HTML });
  });

  it('forgets what was typed when it is cancelled', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/page/edit`);
    await openCode(page);
    await page.getByLabel('HTML').fill(HTML);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await openCode(page);
    expect(await typedCode(page)).toBe(FORM);
  });
});
