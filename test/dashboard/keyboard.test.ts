import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, startDashboard, tabTo } from '../support/dashboard-in-browser.ts';
import { FORM, names, row } from '../support/inbox-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* The way from a new page to its settings, with the keys that everybody knows: Tab, Enter, Space, Escape and letters. */

describe.skipIf(!hasChromium())('the dashboard by the keyboard alone', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** A page of a browser, and what finds and presses its controls. */
  async function openAt(owner: Owner, path: string) {
    const page = await dashboard.open(owner, path);
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    async function press(target: Locator, key = 'Enter'): Promise<void> {
      await target.waitFor();
      await tabTo(page, target);
      await page.keyboard.press(key);
    }
    const tab = (name: string) => page.getByRole('navigation', { name: 'This page' }).getByRole('link', { name });
    return { page, keyboard: page.keyboard, button, press, tab };
  }

  it('publishes a page', async () => {
    const owner = await dashboard.owner();
    const { page, keyboard, button, press } = await openAt(owner, '/dashboard');
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await press(link('New page').or(link('Use your own HTML')).first());
    await tabTo(page, page.getByLabel('HTML'));
    await keyboard.insertText(FORM);
    await press(button('Publish'));
    await page.getByRole('heading', { level: 1, name: 'You’re live: Ask us' }).waitFor();
  });

  it('works in the inbox of a page', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    for (const name of ['Ada', 'Grace']) {
      await owner.send('POST', `/submit/${id}`, JSON.stringify({ name, email: `${name}@example.org` }));
    }
    const { page, keyboard, button, press, tab } = await openAt(owner, `/dashboard/pages/${id}/page`);
    await press(tab('Inbox'));
    await press(row(page, 'Ada').getByRole('link').first());
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    await press(button('Star'), 'Space');
    await press(button('Done'), 'Space');
    await tabTo(page, page.getByLabel('Note'));
    await keyboard.type('Called her d#u');
    const stored = async () => (await owner.get(`/submissions/${id}/search?status=done`)).body.submissions;
    await expect.poll(stored).toMatchObject([{ data: { name: 'Ada' }, starred: true, note: 'Called her d#u' }]);
    await press(button('Delete'));
    await expect.poll(() => names(page)).toEqual(['Grace']);
    await press(button('Undo'));
    await expect.poll(() => names(page)).toEqual(['Grace', 'Ada']);
  });

  it('saves settings that another tab has changed', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const { page, keyboard, button, press, tab } = await openAt(owner, `/dashboard/pages/${id}/inbox`);
    await press(tab('Settings'));
    const thanks = page.getByLabel('Thank-you message');
    await thanks.waitFor();
    await tabTo(page, thanks);
    await keyboard.type('See you!');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Thank-you message').fill('Thanks from elsewhere');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await press(button('Keep my change of Thank-you message'));
    await press(button('Save'));
    await button('Save').waitFor({ state: 'detached' });
    expect((await owner.get(`/deploy/${id}/settings`)).body.thanks_message).toBe('See you!');
  });

  it('adds a receiver, and deletes it', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    const { page, keyboard, button, press, tab } = await openAt(owner, `/dashboard/pages/${id}/settings`);
    await press(tab('Notifications'));
    await tabTo(page, page.getByLabel('Webhook URL'));
    await keyboard.type('https://hooks.example.org/orders');
    await keyboard.press('Enter');
    await press(page.getByRole('button', { name: /^A program\s*hooks/ }));
    await press(button('Delete https://hooks.example.org/orders'));
    await press(button('Dismiss'));
    await expect.poll(async () => (await owner.get(`/webhooks/${id}`)).body.webhooks).toEqual([]);
  });
});
