import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { takeDown } from '../../src/db/deployments/take-down-queries.ts';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';

/* The charts and the HTML of one page, as an owner uses them. */

const FORM =
  '<!doctype html>\n<title>Contact</title>\n<form method=post action={{FORM_ACTION}}>\n<input name=name>\n<button>Send</button>\n</form>\n';

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const submit = (id: string) =>
    fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
  const viewOf = (id: string, view: string): string => `/dashboard/pages/${id}/${view}`;
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

  it('has the title of the page as its heading, and all of its views in sight on a phone', async () => {
    const owner = await dashboard.owner();
    const { id, url } = await owner.deploy({ html: FORM, slug: 'ask' });
    const page = await dashboard.open(owner, viewOf(id, 'settings'), PHONE);
    await page.getByLabel('Redirect URL').waitFor();
    const title = page.getByRole('heading', { level: 1, name: 'Settings: Contact' });
    expect(await title.locator(':scope > :not(.unseen)').allInnerTexts()).toEqual(['Contact']);
    expect(await page.title()).toBe('Settings · Contact · formhost');
    expect(await page.getByRole('link', { name: new URL(url).host }).getAttribute('href')).toBe(url);
    const views = page.getByRole('navigation', { name: 'This page' }).getByRole('link');
    expect(await views.allInnerTexts()).toEqual(['Inbox', 'Charts', 'Page', 'Notifications', 'Settings']);
    for (const view of await views.all()) {
      const { x = -1, width = 0 } = (await view.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(PHONE.viewport?.width ?? 0);
    }
  });

  it('Charts: takes own dates, and says which are wrong', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, viewOf(id, 'charts'), PHONE);
    await heading(page, 'Nothing came in this time');
    await page.getByText('Own dates', { exact: true }).click();
    await page.getByLabel('From').fill('2026-02-02');
    await page.getByLabel('To').fill('2026-01-31');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('alert').getByText('from is not before to').waitFor();
    await page.getByLabel('From').fill('2026-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-01-01&to=2026-01-31');
  });

  it('Charts: counts the deliveries of all webhooks by result', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const add = (url: string) => owner.post(`/webhooks/${id}`).send({ url }).expect(201);
    await add(receiver.url);
    await submit(id);
    const [{ id: webhookId }] = (await owner.get(`/webhooks/${id}`)).body.webhooks;
    await expect
      .poll(async () => (await owner.get(`/webhooks/${id}/${webhookId}/deliveries`)).body.deliveries[0]?.status)
      .toBe('succeeded');
    const unused = Array.from({ length: 30 }, (_, index) => `http://127.0.0.1:9/hook-${index}`);
    for (const url of unused) await add(url);
    const page = await dashboard.open(owner, viewOf(id, 'charts'), { ...PHONE, colorScheme: 'dark' });
    const results = page.getByRole('region', { name: 'Deliveries as a table' });
    await results.waitFor();
    const names = await results.getByRole('rowheader').allInnerTexts();
    expect(names.toSorted()).toEqual(['Mail', receiver.url, ...unused].toSorted());
    const row = results.getByRole('row').filter({ hasText: receiver.url });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['1', '0', '0']);
  });

  it('says in each view that the operator has taken the page down, why, and whom to ask', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    await takeDown(dashboard.db, id, 'It asks for "passwords"');
    const page = await dashboard.open(owner, viewOf(id, 'settings'), PHONE);
    await page
      .getByText('To ask why, contact the operator. The operator’s reason: It asks for "passwords"', { exact: false })
      .waitFor();
  });

  describe('Page', () => {
    it('leads from what the check finds to its line', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: `${'<p>\n'.repeat(300)}${FORM.replace('name=name', '')}` });
      const page = await dashboard.open(owner, viewOf(id, 'page'));
      const source = page.getByRole('textbox', { name: 'Source' });
      expect(await source.inputValue()).toContain('<input >');
      expect(await source.isEditable()).toBe(false);
      await page.getByRole('button', { name: 'line 304' }).click();
      // The heading is there before the HTML.
      await expect.poll(() => page.evaluate('getSelection().toString()')).toBe('<input >');
    });

    it('hints at forms that are no tools of agents, and switches the setting on', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'page'), PHONE);
      await page.getByText('Nothing to correct.').waitFor();
      await page.getByText('Agents in browsers do not know the forms of this page.').waitFor();
      expect(await page.locator('.notice').count()).toBe(0);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Offer the forms to agents in browsers' }).tap();
      await page.getByText('Agents in browsers know the forms now.').waitFor();
      await page.getByText('Agents in browsers do not know the forms of this page.').waitFor({ state: 'detached' });
      expect((await owner.get(`/deploy/${id}/settings`)).body.form_tools).toBe(true);
      await page.reload();
      await page.getByText('Nothing to correct.').waitFor();
      expect(await page.getByRole('button', { name: 'Offer the forms to agents in browsers' }).count()).toBe(0);
    });

    it('does not hint at tools where a form is to be corrected, or has one', async () => {
      const owner = await dashboard.owner();
      const known = FORM.replace('<form', '<form toolname=contact');
      for (const [html, found] of [
        [known, 'Nothing to correct.'],
        [FORM.replace('name=name', ''), '1 thing to correct:'],
      ] as const) {
        const { id } = await owner.deploy({ html });
        const page = await dashboard.open(owner, viewOf(id, 'page'));
        await page.getByText(found).waitFor();
        expect(await page.getByText('Agents in browsers').count()).toBe(0);
      }
    });

    it('shows what changed, and restores the version before, on a phone', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      await owner
        .put(`/deploy/${id}`)
        .send({ html: FORM.replace('<button>Send', '\n<button>\u202ednes <b>') })
        .expect(200);
      const page = await dashboard.open(owner, viewOf(id, 'page'), PHONE);
      await page.getByRole('link', { name: 'Changes in version 2' }).tap();
      await page.getByText('1 file changed.').waitFor();
      await page.getByText('2 lines added, 1 line removed.').waitFor();
      const lines = page.getByRole('region', { name: 'Lines that changed' }).locator('.removed bdi, .added bdi');
      expect((await lines.allInnerTexts()).at(-1)).toBe('<button>⟨U+202E⟩dnes <b></button>');
      await page.getByRole('button', { name: 'Restore version 1' }).tap();
      await page.getByText('Version 1 is live again.').waitFor();
      await page.getByText('Version 3', { exact: true }).waitFor();
      const htmlOf = async () => (await owner.get(`/deploy/${id}/html`)).body.html;
      expect(await htmlOf()).toBe(FORM);
      await page.getByRole('button', { name: 'Undo' }).tap();
      await page.getByText('Version 4', { exact: true }).waitFor();
      expect(await htmlOf()).not.toBe(FORM);
    });

    it('renames it: the title in its HTML, and its address', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, slug: 'old-name' });
      await owner.deploy({ html: FORM, slug: 'taken-name' });
      const page = await dashboard.open(owner, viewOf(id, 'page'), PHONE);
      const save = page.getByRole('region', { name: 'How people find it' }).getByRole('button', { name: 'Save' });
      await page.getByLabel('Name').fill(' Tea  & <cake> ');
      await save.tap();
      await page.getByRole('heading', { level: 1, name: 'Page: Tea & <cake>' }).waitFor();
      expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({
        html: FORM.replace('Contact', 'Tea &amp; &lt;cake&gt;'),
      });
      const address = page.getByLabel('Address', { exact: true });
      await address.fill('Taken Name');
      await save.tap();
      await page.getByText('taken-name', { exact: false }).first().waitFor();
      await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
      await address.fill('New Name');
      await save.tap();
      await page.getByText('The page has its new address.').waitFor();
      await page
        .getByRole('link', { name: /^new-name\./ })
        .first()
        .waitFor();
      expect((await owner.get(`/deploy/${id}`)).body.slug).toBe('new-name');
    });

    it('shows people who may only read what there is, and no button that changes it', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, files: { 'a.txt': 'a' } });
      await owner
        .put(`/deploy/${id}`)
        .send({ html: `${FORM}.` })
        .expect(200);
      const { body } = await owner.post('/keys').send({ name: 'Reader', scope: 'read' }).expect(201);
      const page = await dashboard.open({ ...owner, key: String(body.key) }, viewOf(id, 'page'));
      await page.getByRole('link', { name: 'Changes in version 2' }).waitFor();
      await page.getByRole('link', { name: 'a.txt' }).waitFor();
      const changes = /^(?:Add files|Choose|Edit|Remove|Replace|Restore|Save)/;
      expect(await page.getByRole('button', { name: changes }).count()).toBe(0);
      expect(await page.getByRole('link', { name: changes }).count()).toBe(0);
      for (const view of ['page/live', 'page/edit']) {
        await page.goto(dashboard.origin + viewOf(id, view));
        await page.getByText(view === 'page/live' ? 'You’re live at' : 'You may only read here').waitFor();
        expect(await page.getByRole('button', { name: /^(?:Send a test|Turn on mail|Publish)/ }).count()).toBe(0);
        expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
      }
    });
  });
});
