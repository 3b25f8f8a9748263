import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';
import { textsOf } from '../support/dashboard-texts.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Owner } from '../support/test-service.ts';

/* Notifications: who gets mail, the webhooks of a page, and how each receiver does. */

const FORM =
  '<!doctype html>\n<title>Contact</title>\n<form method=post action={{FORM_ACTION}}>\n<input name=name>\n<button>Send</button>\n</form>\n';

describe.skipIf(!hasChromium())('the dashboard, Notifications', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const submit = (id: string) =>
    fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
  const of = (id: string): string => `/dashboard/pages/${id}/notifications`;
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
  const view = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'This page' }).getByText(name).click();
  async function withRecipients(): Promise<{ owner: Owner; id: string; page: Page }> {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const recipients = ['one@example.org', 'two@example.org'];
    await owner.patch(`/deploy/${id}`).send({ email_notifications: true, recipients }).expect(200);
    return { owner, id, page: await dashboard.open(owner, of(id)) };
  }

  it('makes an address for a spreadsheet, copies it, shows when it was read, replaces and removes it', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, of(id), PHONE);
    const press = (name: string | RegExp) => page.getByRole('button', { name }).tap();
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    const urlOf = async (): Promise<string> => (await owner.get(`/deploy/${id}/feeds`)).body.feeds[0].url;
    await page.getByLabel('Name', { exact: true }).fill('Sheet of the team');
    await press('Make an address');
    await page.getByText('Not read yet').waitFor();
    await page.getByText('How to use an address').tap();
    await expectAccessible(page);
    const url = await urlOf();
    await press(/^Copy address/);
    await expect.poll(copied).toBe(url);
    await press(/^Copy for Google Sheets/);
    await expect.poll(copied).toBe(`=IMPORTDATA("${url}")`);
    expect((await fetch(url)).status).toBe(200);
    await page.reload();
    await page.getByText('Last read').waitFor();
    await press(/^Replace/);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).tap();
    await page.getByText('There is a new address.').waitFor();
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(await urlOf())).status).toBe(200);
    await press('Remove Sheet of the team');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).tap();
    await page.getByText('The address has ended.').waitFor();
    expect((await owner.get(`/deploy/${id}/feeds`)).body.feeds).toEqual([]);
  });

  it('adds a webhook, tests it, shows its secret, switches it off and deletes it, on a phone', async () => {
    const receiver = await startReceiver();
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, of(id), PHONE);
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

  it('offers the receivers that take its messages, and says for each where its address is found', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, of(id));
    const receiver = page.getByLabel('Receiver');
    await receiver.selectOption('Slack');
    await page.getByText('In Slack, make an app with an incoming webhook').waitFor();
    const offered = await receiver.locator('option').allInnerTexts();
    expect(offered).toEqual([
      ...['A program of your own', 'A program with Standard Webhooks', 'Slack', 'Discord', 'Microsoft Teams'],
      ...['Google Chat', 'Telegram', 'Zapier', 'Make', 'n8n'],
    ]);
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
    const page = await dashboard.open(owner, of(id));
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

  it('recognises addresses of services, by the keyboard alone', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, of(id), { ...PHONE, colorScheme: 'dark' });
    const url = page.getByLabel('Webhook URL');
    const receiver = page.getByLabel('Receiver');
    await url.waitFor();
    await tabTo(page, url);
    await page.keyboard.type('https://api.telegram.org/bot1:a/sendMessage');
    expect(await receiver.inputValue()).toBe('Telegram');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Chat is required for Telegram').waitFor();
    const chat = page.getByLabel('Chat', { exact: true });
    await chat.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('@my_channel');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Telegram' }).click();
    await page.getByText('It gets messages for Telegram in the chat @my_channel.').waitFor();
    const others = [
      ['Discord', 'https://discord.com/api/webhooks/1/a'],
      ['Microsoft Teams', 'https://prod-1.westeurope.logic.azure.com/workflows/a/triggers/manual/paths/invoke'],
      ['Google Chat', 'https://chat.googleapis.com/v1/spaces/a/messages?key=b'],
      ['Slack', 'https://hooks.slack.com/services/T000/B000/XXXX'],
    ] as const;
    for (const [name, address] of others) {
      await url.focus();
      await page.keyboard.type(address);
      expect(await receiver.inputValue()).toBe(name);
      await page.keyboard.press('Enter');
      await expect.poll(() => url.inputValue()).toBe('');
    }
    const row = page.getByRole('button', { name: 'Slack' });
    await tabTo(page, row);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send a test to https://hooks.slack.com' }).waitFor();
    // The messages of chats are signed for nobody.
    expect(await page.getByText('Show secret').count()).toBe(0);
    const { webhooks } = (await owner.get(`/webhooks/${id}`)).body;
    expect(webhooks.map(({ type }: { type: string }) => type)).toEqual([...Array(4).fill('generic'), 'slack']);
    await expectAccessible(page);
  });

  it('adds a program that knows Standard Webhooks, and shows what it has answered', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(500).end('<b>No disk space</b>'));
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, of(id));
    await page.getByLabel('Receiver').selectOption('A program with Standard Webhooks');
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('button', { name: 'A program' }).click();
    await page.getByText('It gets events of Standard Webhooks.').waitFor();
    await page.getByRole('button', { name: `Send a test to ${receiver.url}` }).click();
    await page.getByText('What was answered').first().click();
    await page.getByText('<b>No disk space</b>').waitFor();
    await page.getByText(/after \d+ ms: HTTP 500/).waitFor();
    expect(JSON.parse(receiver.received[0]?.body ?? '').type).toBe('submission.created');
    await expectAccessible(page);
  });

  it('saves who gets mail and how often; without a connection nothing typed is lost', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const page = await dashboard.open(owner, of(id));
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

  it('keeps a removed recipient removed over a look at another view, and counts it as a change', async () => {
    const { owner, id, page } = await withRecipients();
    await page.getByRole('button', { name: 'Remove one@example.org' }).click();
    await page.getByText('1 change', { exact: true }).waitFor();
    await view(page, 'Charts');
    await page.getByRole('heading', { name: 'Charts' }).waitFor();
    await view(page, 'Notifications');
    await page.getByText('1 change', { exact: true }).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'one@example.org' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove two@example.org' }).click();
    await page.getByText('2 changes', { exact: true }).waitFor();
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    expect((await owner.get(`/deploy/${id}/settings`)).body.recipients).toEqual([]);
  });

  it('has a row for each receiver, and is amber with the next attempt where one fails', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(503).end());
    onTestFinished(() => receiver.close());
    const { owner, id, page } = await withRecipients();
    const { id: webhookId } = (await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201)).body;
    await owner
      .post(`/webhooks/${id}`)
      .send({ url: 'https://hooks.slack.com/services/T/B/X', type: 'slack', active: false });
    await fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });
    const next = async () =>
      (await owner.get(`/webhooks/${id}/${webhookId}/deliveries`)).body.deliveries[0]?.last_error ?? null;
    await expect.poll(next).not.toBe(null);
    // In an hour, however long the test takes.
    await dashboard.db('deliveries').update({ next_attempt_at: new Date(Date.now() + 3_600_000 * 2.5) });
    await page.reload();
    const program = page.getByRole('button', { name: 'A program' });
    await program.getByText('Next attempt in 2 hours').waitFor();
    await page.getByRole('button', { name: 'Slack' }).waitFor();
    const people = await page.locator('.receiver bdi').allInnerTexts();
    expect(people.slice(1)).toEqual(['one@example.org', 'two@example.org']);
    await expectAccessible(page);
    await program.click();
    // The cause, and the log with the delivery, which is no grey one that waits.
    await page.getByText('the receiver answered 503').first().waitFor();
    await page.locator('.row .badge.warn', { hasText: 'Failing' }).first().waitFor();
    expect(await page.getByText('Waiting').count()).toBe(0);
  });

  it('says in the language of the person why an attempt has failed', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(503).end());
    onTestFinished(() => receiver.close());
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const { id: webhookId } = (await owner.post(`/webhooks/${id}`).send({ url: receiver.url }).expect(201)).body;
    await submit(id);
    const fates = async () => (await owner.get(`/webhooks/${id}/${webhookId}/deliveries`)).body.deliveries;
    await expect.poll(async () => (await fates())[0]?.last_error).toBe('the receiver answered 503');
    const page = await dashboard.open(owner, of(id), { locale: 'de' });
    const { notifications } = textsOf('de');
    await page.getByRole('button', { name: notifications.webhooks.aProgram }).click();
    // The notice of the webhook, and the row of the log.
    const answered = notifications.failures['receiver-status'].replace('{value}', '503');
    await expect.poll(() => page.getByText(answered).count()).toBe(2);
    // A sentence of an earlier version is shown as it is.
    await dashboard.db('deliveries').where({ deployment_id: id }).update({ last_error: 'answered 503' });
    await page.reload();
    await page.getByRole('button', { name: notifications.webhooks.aProgram }).click();
    await expect.poll(() => page.locator('bdi[lang=en]', { hasText: 'answered 503' }).count()).toBe(2);
  });

  it('adds an address that was pasted from a mail', async () => {
    const { owner, id, page } = await withRecipients();
    await page.getByLabel('Add a recipient').fill('Ada Lovelace <Ada@Example.org>');
    await page.getByRole('button', { name: 'Add the recipient' }).click();
    await page.getByRole('button', { name: 'Remove ada@example.org' }).waitFor();
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    const { recipients } = (await owner.get(`/deploy/${id}/settings`)).body;
    expect(recipients.map(({ email }: { email: string }) => email)).toContain('ada@example.org');
  });
});
