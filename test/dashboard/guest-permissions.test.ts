import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/db/account/guest-queries.ts';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, heading, startDashboard } from '../support/dashboard-in-browser.ts';
import { openAsGuest } from '../support/guest-in-browser.ts';
import { ADA, FORM, GRACE, newInbox } from '../support/inbox-in-browser.ts';

/* The dashboard as guests see it: it offers what the service allows their role, and nothing else. */

/** Times that all buttons are pressed: some are in a dialog, or in a menu, that another one opens. */
const ROUNDS = 3;

/** Presses every button of the view, and of what is open over it. */
const PRESS_ALL = `for (const button of document.querySelectorAll('main button, dialog[open] button')) if (button.isConnected) button.click()`;

const NOT_FOR_ROLE = 'You are a guest of this page.';

describe.skipIf(!hasChromium())('the dashboard of a guest', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** A page with submissions in all folders, and a guest of it. */
  async function shared(role: Role) {
    const inbox = await newInbox(dashboard, FORM, [
      ADA,
      GRACE,
      { name: 'Spam' },
      { name: 'Deleted' },
      { name: 'Mary' },
    ]);
    const { owner, id } = inbox;
    const { submissions } = (await owner.get(`/submissions/${id}`).expect(200)).body;
    const idOf = (name: string): string =>
      submissions.find(({ data }: { data: { name: string } }) => data.name === name).id;
    await owner.mark(id, 'spam', [idOf('Spam')]);
    await owner.mark(id, 'delete', [idOf('Deleted')]);
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/orders' }).expect(201);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: FORM, files: { 'more.html': '<p>More' } })
      .expect(200);
    const guest = { pageId: id, email: `${role}-${id.toLowerCase()}@test.example`, role };
    const page = await openAsGuest(dashboard, guest, '/dashboard');
    await page.getByRole('heading', { name: 'Shared with you' }).waitFor();
    return { owner, id, page, openId: idOf('Ada') };
  }

  const viewsOf = (id: string, submissionId: string): string[] =>
    [
      ...['inbox', `inbox/${submissionId}`, 'inbox?view=spam', 'inbox?view=trash', 'charts', 'page', 'page/live'],
      ...['page/edit', 'settings', 'notifications', 'import'],
    ].map((view) => `/dashboard/pages/${id}/${view}`);

  /** Follows the requests of a page: those that change something, those that are refused by the role, and those that wait. */
  function follow(page: Page) {
    const pending = new Set<Request>();
    const changes = new Set<string>();
    const refused: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(dashboard.origin)) return;
      pending.add(request);
      const { pathname } = new URL(request.url());
      const place = pathname.replaceAll(/\/(?:d|sub)_\w+/g, '').replace(/\/versions\/\d+/, '/versions');
      if (request.method() !== 'GET') changes.add(`${request.method()} ${place}`);
    });
    page.on('requestfinished', async (request) => {
      const response = await request.response();
      if (response?.status() === 403) refused.push(`${request.method()} ${request.url()}`);
      pending.delete(request);
    });
    page.on('requestfailed', (request) => pending.delete(request));
    /** Waits for all requests that are on their way now: views ask for what is new all the time. */
    const settle = async (): Promise<void> => {
      const waitedFor = [...pending];
      await expect
        .poll(() => waitedFor.filter((request) => pending.has(request)).map((request) => request.url()))
        .toEqual([]);
    };
    return { pending, changes, refused, settle };
  }

  /** Opens every view, and presses all that can be pressed there. */
  async function pressEverything(page: Page, views: readonly string[]) {
    const { pending, changes, refused, settle } = follow(page);
    // Headless browsers print nothing, and complain when they are asked to often.
    await page.addInitScript('window.print = () => undefined');
    for (const view of views) {
      // The requests of the view before have no end.
      pending.clear();
      await page.goto(dashboard.origin + view);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settle();
      for (let round = 0; round < ROUNDS; round += 1) {
        await page.evaluate(PRESS_ALL);
        await settle();
      }
    }
    return { changes: [...changes].toSorted(), refused };
  }

  // It opens every view.
  it('offers a reader nothing that is refused', { timeout: 600_000 }, async () => {
    const { id, page, openId } = await shared('reader');
    const { changes, refused } = await pressEverything(page, viewsOf(id, openId));
    expect(refused).toEqual([]);
    expect(changes).toEqual(['PATCH /submissions', 'POST /submissions/bulk']);
  });

  it('shows a reader the inbox and the charts alone', async () => {
    const { id, page, openId } = await shared('reader');
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox/${openId}`);
    await page.getByRole('button', { name: 'Done' }).waitFor();
    await expectAccessible(page);
    const links = page.getByRole('navigation', { name: 'This page' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['Inbox', 'Charts']);
    expect(await page.getByRole('button', { name: /^(?:Delete|Spam)$/ }).count()).toBe(0);
    for (const view of ['settings', 'page', 'notifications', 'import']) {
      await page.goto(`${dashboard.origin}/dashboard/pages/${id}/${view}`);
      await page.getByText(NOT_FOR_ROLE).waitFor();
    }
    await expectAccessible(page);
  });

  it('shows an editor the settings, those of the owner alone with the reason', async () => {
    const { owner, id, page } = await shared('editor');
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/settings#deletion`);
    await page.getByText('Only the owner of the page changes this.').waitFor();
    expect(await page.getByLabel('Delete submissions after days').isDisabled()).toBe(true);
    const panels = await page.locator('.panel-title').allInnerTexts();
    expect(panels).toEqual([
      ...['After sending', 'Mail to visitors', 'When it is open', 'Places', 'Who may send', 'Spam', 'Keep or delete'],
    ]);
    await expectAccessible(page);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/settings`);
    await page.getByLabel('Thank-you message').fill('Thank you!');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await owner.get(`/deploy/${id}/settings`)).body.thanks_message).toBe('Thank you!');
    const links = page.getByRole('navigation', { name: 'This page' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['Inbox', 'Charts', 'Page', 'Notifications', 'Settings']);
  });

  it('lets an editor set mail, without the webhooks and the feeds of the owner', async () => {
    const { owner, id, page } = await shared('editor');
    await owner
      .patch(`/deploy/${id}`)
      .send({ recipients: ['ada@example.org'] })
      .expect(200);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/settings`);
    const link = page.getByRole('link', { name: 'Who is told' });
    await link.waitFor();
    expect(await link.innerText()).toBe('Who is told');
    await link.click();
    await heading(page, 'Notifications');
    await page.getByText('The owner of the page').waitFor();
    expect(await page.locator('main h2').allInnerTexts()).toEqual(['Mail']);
    await expectAccessible(page);
    await page.getByLabel('Send mail about submissions').check();
    await page.getByRole('button', { name: 'Remove the owner’s address' }).click();
    await page.getByLabel('Add a recipient').fill('grace@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    const mail = async () => {
      const {
        email_notifications: isOn,
        notify_owner: hasOwner,
        recipients,
      } = (await owner.get(`/deploy/${id}/settings`)).body;
      return [isOn, hasOwner, ...recipients.map(({ email }: { email: string }) => email)];
    };
    await expect.poll(mail).toEqual([true, false, 'ada@example.org', 'grace@example.org']);
    const { changes, refused } = await pressEverything(page, [`/dashboard/pages/${id}/notifications`]);
    expect(refused).toEqual([]);
    expect(changes).toContain('POST /deploy/mails/test');
  });

  it('lets a guest leave', async () => {
    const { owner, id, page } = await shared('reader');
    await page.getByRole('button', { name: /^More for/ }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Leave / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('There are no pages yet').waitFor();
    expect((await owner.get(`/deploy/${id}/guests`)).body.total).toBe(0);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await heading(page, 'Nothing here');
  });
});
