import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

  describe('Charts', () => {
    it('shows submissions by day and by hour, as bars and as a table', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      for (let sent = 0; sent < 3; sent += 1) await submit(id);
      const page = await dashboard.open(owner, viewOf(id, 'charts'), { timezoneId: 'Asia/Kolkata' });
      await page.getByText('3 submissions in this time, by day of Asia/', { exact: false }).waitFor();
      await page.getByText('As a table').click();
      const cells = page.getByRole('region', { name: 'Submissions as a table' }).getByRole('cell');
      await expect.poll(() => cells.allInnerTexts()).toEqual([...Array<string>(29).fill('0'), '3']);
      await page.getByText('24 hours', { exact: true }).click();
      await page.getByText('by hour of', { exact: false }).waitFor();
      expect(new URL(page.url()).search).toBe('?range=24h');
      await expect.poll(() => cells.count()).toBe(24);
      await page.goBack();
      await expect.poll(() => cells.count()).toBe(30);
    });

    it('takes own dates, and says which are wrong', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'charts'), PHONE);
      await heading(page, 'Nothing came in this time');
      await page.getByText('Own dates', { exact: true }).click();
      await page.getByLabel('First day').fill('2026-02-02');
      await page.getByLabel('Last day').fill('2026-01-31');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('alert').getByText('Choose a first day that is not after the last one').waitFor();
      await page.getByLabel('First day').fill('2026-01-01');
      await page.getByRole('button', { name: 'Show' }).click();
      await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-01-01&to=2026-01-31');
    });

    it('counts deliveries by result', async () => {
      const receiver = await startReceiver();
      onTestFinished(() => receiver.close());
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201);
      await submit(id);
      await expect.poll(() => receiver.received.length).toBe(1);
      const page = await dashboard.open(owner, viewOf(id, 'charts'), { ...PHONE, colorScheme: 'dark' });
      const results = page.getByRole('region', { name: 'Deliveries as a table' });
      await expect
        .poll(async () => {
          await page.reload();
          await results.waitFor();
          return results.getByRole('cell').allInnerTexts();
        })
        .toEqual(['1', '0', '0']);
    });

    it('counts the deliveries of all webhooks', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const urls = Array.from({ length: 30 }, (_, index) => `http://127.0.0.1:9/hook-${index}`);
      for (const url of urls) await owner.post(`/webhooks/${id}`).send({ url }).expect(201);
      const page = await dashboard.open(owner, viewOf(id, 'charts'));
      const results = page.getByRole('region', { name: 'Deliveries as a table' });
      await results.waitFor();
      expect((await results.getByRole('rowheader').allInnerTexts()).toSorted()).toEqual(urls.toSorted());
    });
  });

  describe('Page', () => {
    it('shows the page in a frame that can do nothing to the dashboard', async () => {
      const owner = await dashboard.owner();
      const html = `${FORM}<p id=said></p><script>
try { said.textContent = localStorage.length; } catch { said.textContent = 'of no origin'; }</script>`;
      const { id, slug } = await owner.deploy({ html });
      const page = await dashboard.open(owner, viewOf(id, 'page'));
      const frame = page.locator('iframe');
      expect([await frame.getAttribute('sandbox'), await frame.getAttribute('title')]).toEqual([
        'allow-scripts',
        `Preview of ${slug}`,
      ]);
      await page.frameLocator('iframe').getByText('of no origin').waitFor();
      await heading(page, 'Page');
    });

    it('shows what changed between versions, and restores one, by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      await owner
        .put(`/deploy/${id}`)
        .send({ html: FORM.replace('Send', '\u202ednes <b>') })
        .expect(200);
      const page = await dashboard.open(owner, viewOf(id, 'page'), PHONE);
      const changes = page.getByRole('button', { name: 'Changes in version 2' });
      await changes.waitFor();
      await page.getByText('Nothing to correct.', { exact: false }).waitFor();
      await page.getByRole('region', { name: 'Lines of the source' }).waitFor();
      await tabTo(page, changes);
      await page.keyboard.press('Enter');
      await heading(page, 'Changes from version 1 to 2');
      await page.getByText('1 line added, 1 line removed.').waitFor();
      const lines = page.getByRole('region', { name: 'Lines that changed' });
      expect(await lines.locator('.removed bdi, .added bdi').allInnerTexts()).toEqual([
        '<button>Send</button>',
        '<button>⟨U+202E⟩dnes <b></button>',
      ]);
      await page.reload();
      await heading(page, 'Changes from version 1 to 2');
      await page.getByRole('button', { name: 'Restore version 1' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
      await dialog.waitFor();
      await tabTo(page, dialog.getByRole('button', { name: 'Restore' }));
      await page.keyboard.press('Enter');
      await page.getByText('Version 1 is live again.').waitFor();
      await page.getByText('Version 3', { exact: true }).waitFor();
      expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: FORM });
    });

    it('leads from what the check finds to its line', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: `${'<p>\n'.repeat(300)}${FORM.replace('name=name', '')}` });
      const page = await dashboard.open(owner, viewOf(id, 'page'));
      await page.getByRole('button', { name: 'line 304' }).click();
      const target = page.locator('.code-row.target');
      await target.waitFor();
      expect(await target.innerText()).toContain('<input >');
    });

    it('shows 2 MiB in one line and in many, without rendering them', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: `<p>${'long '.repeat(400_000)}` });
      const page = await dashboard.open(owner, viewOf(id, 'page'));
      const source = page.getByRole('region', { name: 'Lines of the source' });
      await source.waitFor();
      expect(await source.locator('.code-row').count()).toBeLessThan(120);
      await owner
        .put(`/deploy/${id}`)
        .send({ html: '<p>\n'.repeat(400_000) })
        .expect(200);
      await page.reload();
      await page.getByText('Only the first 200,000 lines are shown.', { exact: false }).waitFor();
      await source.focus();
      await page.keyboard.press('End');
      await source.getByText('200000', { exact: true }).waitFor();
      expect(await source.locator('.code-row').count()).toBeLessThan(120);
    });
  });

  describe('Notifications', () => {
    it('adds a webhook, tests it, shows its log and its secret, switches it off and deletes it', async () => {
      const receiver = await startReceiver();
      onTestFinished(() => receiver.close());
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'));
      await page.getByLabel('Webhook URL').fill(`${receiver.url}/orders`);
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByRole('button', { name: 'Send a test to' }).click();
      await page.getByText('Delivered', { exact: true }).waitFor();
      expect(receiver.received.length).toBe(1);
      await page.getByRole('button', { name: 'Show secret' }).click();
      const secret = await page.locator('.secret').innerText();
      await page.getByRole('button', { name: 'Copy secret' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret);
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await expect.poll(() => page.locator('.secret').innerText()).not.toBe(secret);
      await page.getByLabel('Switched on').uncheck();
      await page.getByText('Off', { exact: true }).waitFor();
      const isActive = async (): Promise<unknown> => (await owner.get(`/webhooks/${id}`)).body.webhooks[0]?.active;
      await expect.poll(isActive).toBe(false);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('The webhook is deleted.').waitFor();
      await expect.poll(isActive).toBe(undefined);
    });

    it('recognises addresses of Slack and Discord, by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, viewOf(id, 'notifications'), { ...PHONE, colorScheme: 'dark' });
      const url = page.getByLabel('Webhook URL');
      await url.waitFor();
      await tabTo(page, url);
      await page.keyboard.type('https://discord.com/api/webhooks/1/a');
      await page.getByRole('alert').getByText('Discord', { exact: false }).waitFor();
      await url.selectText();
      await page.keyboard.type('https://hooks.slack.com/services/T000/B000/XXXX');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Send a test to https://hooks.slack.com' }).waitFor();
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
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await owner.get(`/deploy/${id}/settings`)).body.notify_owner).toBe(false);
      await page.getByLabel('Add a recipient').fill('not an address');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved').waitFor();
      expect(await page.getByLabel('Add a recipient').inputValue()).toBe('not an address');
    });
  });
});
