import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { takeDown } from '../../src/db/deployments/take-down-queries.ts';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, PHONE, startDashboard, tabTo } from '../support/dashboard-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';

/* The charts, the HTML and the notifications of one page, as an owner uses them. */

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

  describe('Notifications', () => {
    it('adds a webhook, tests it, shows its secret, switches it off and deletes it, on a phone', async () => {
      const receiver = await startReceiver();
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'), PHONE);
      const press = (name: string | RegExp) => page.getByRole('button', { name }).tap();
      await page.getByLabel('Webhook URL').fill(`${receiver.url}/orders`);
      await press('Add webhook');
      await press(/^A program/);
      await press(/^Send a test to/);
      await page.getByText('Delivered', { exact: true }).waitFor();
      expect(receiver.received).toHaveLength(1);
      await press('Show secret');
      const secret = await page.locator('.secret').innerText();
      const leftOf = async (part: Locator): Promise<number | undefined> => (await part.boundingBox())?.x;
      expect(await leftOf(page.locator('.secret'))).toBe(
        await leftOf(page.getByRole('button', { name: /^Send a test to/ })),
      );
      await press('Copy secret');
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret);
      await press('Rotate secret');
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).tap();
      await expect.poll(() => page.locator('.secret').innerText()).not.toBe(secret);
      await press('Switch off');
      await page.getByText('Off', { exact: true }).waitFor();
      const isActive = async (): Promise<unknown> => (await owner.get(`/webhooks/${id}`)).body.webhooks[0]?.active;
      await expect.poll(isActive).toBe(false);
      await press('Delete');
      await page.getByText('gets nothing any more.').waitFor();
      await press('Dismiss');
      await expect.poll(isActive).toBe(undefined);
    });

    it('says for each receiver where its address is found, and offers none that takes other messages', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'));
      const receiver = page.getByLabel('Receiver');
      await receiver.selectOption('Slack');
      await page.getByText('In Slack, make an app with an incoming webhook').waitFor();
      const offered = await receiver.locator('option').allInnerTexts();
      expect(offered).toEqual(['A program of your own', 'Slack', 'Zapier', 'Make', 'n8n']);
    });

    it('says since when and why a webhook fails, and sends all that failed again', async () => {
      let status = 500;
      const receiver = await startReceiver((response) => void response.writeHead(status).end());
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const { id: webhookId } = (await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201)).body;
      await submit(id);
      const failingSince = async () => (await owner.get(`/webhooks/${id}/health`)).body.webhooks[0].failing_since;
      await expect.poll(failingSince).not.toBe(null);
      await dashboard.db('deliveries').where({ webhook_id: webhookId }).update({ status: 'failed' });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'));
      const row = page.getByRole('button', { name: 'A program' });
      await row.getByText('Failing').and(page.locator('.badge.warn')).waitFor();
      await row.click();
      const failures = page.getByText('It began to fail');
      expect(await failures.innerText()).toMatch(/^It began to fail (now|\d+ minutes? ago): .*500/);
      status = 200;
      await page.getByRole('button', { name: `Replay all failed to ${receiver.url}` }).click();
      await expect.poll(failingSince).toBe(null);
      expect(receiver.received).toHaveLength(2);
      await page.reload();
      await row.click();
      await page.getByRole('button', { name: `Send a test to ${receiver.url}` }).waitFor();
      expect(await failures.count()).toBe(0);
    });

    it('recognises addresses of Slack and Discord, by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'), { ...PHONE, colorScheme: 'dark' });
      const url = page.getByLabel('Webhook URL');
      await url.waitFor();
      await tabTo(page, url);
      await page.keyboard.type('https://discord.com/api/webhooks/1/a');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Webhook URL is a webhook of Discord').waitFor();
      await page.getByText('Not saved: 1 field needs attention.').waitFor();
      await url.and(page.locator(':focus')).waitFor();
      // Only a flow that the owner has made for JSON can use what is sent there.
      await page.getByLabel('Receiver').selectOption('Zapier');
      await url.selectText();
      await page.keyboard.type('https://prod-1.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Webhook URL starts a workflow of Microsoft').waitFor();
      await url.selectText();
      await page.keyboard.type('https://hooks.slack.com/services/T000/B000/XXXX');
      await page.keyboard.press('Enter');
      const row = page.getByRole('button', { name: 'Slack' });
      await row.waitFor();
      await tabTo(page, row);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Send a test to https://hooks.slack.com' }).waitFor();
      // Slack's messages are not signed.
      expect(await page.getByText('Show secret').count()).toBe(0);
      expect((await owner.get(`/webhooks/${id}`)).body.webhooks).toMatchObject([{ type: 'slack', active: true }]);
    });

    it('saves who gets mail and how often; without a connection nothing typed is lost', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'));
      await page.getByLabel('Send mail about submissions').check();
      await page.getByLabel('How often').selectOption('day');
      await page.getByLabel('Add a recipient').fill('Grace@example.org');
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved').waitFor();
      expect(await page.getByLabel('Add a recipient').inputValue()).toBe('Grace@example.org');
      await page.context().setOffline(false);
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.getByText('Not confirmed yet').waitFor();
      expect((await owner.get(`/deploy/${id}/settings`)).body).toMatchObject({
        email_notifications: true,
        notify_every: 'day',
        recipients: [{ email: 'grace@example.org', confirmed: false }],
      });
      await page.getByRole('button', { name: 'Remove your address' }).click();
      await page.getByText('Nobody else has confirmed: you get the mail until somebody has.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
      expect((await owner.get(`/deploy/${id}/settings`)).body.notify_owner).toBe(false);
      await page.getByLabel('Add a recipient').fill('not an address');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('“not an address”: Enter an e-mail address such as ada@example.org.').waitFor();
      expect(await page.getByLabel('Add a recipient').inputValue()).toBe('not an address');
    });
  });
});
