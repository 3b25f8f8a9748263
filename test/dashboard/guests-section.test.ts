import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  openSections,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { mailsWith } from '../support/mail.ts';
import { startSmtpServer } from '../support/smtp.ts';

/* Settings, Guests: the people whom an owner lets read or edit a page. */

const HTML = '<title>Fair</title><form action="{{FORM_ACTION}}" method="post"><input name="name"></form>';

describe.skipIf(!hasChromium())('the dashboard, Guests', () => {
  let dashboard: DashboardUnderTest;
  let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    dashboard = await startDashboard({ SMTP_URL: smtp.url });
  });
  afterAll(async () => {
    await dashboard?.close();
    await smtp?.close();
  });

  async function opened(...options: [Parameters<DashboardUnderTest['open']>[2]?]) {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: HTML });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`, ...options);
    await page.getByText('Nobody but you', { exact: true }).waitFor();
    await openSections(page, 'Guests');
    const guests = async () => (await owner.get(`/deploy/${id}/guests`).expect(200)).body.guests;
    async function invite(email: string): Promise<void> {
      await page.getByLabel('Address', { exact: true }).fill(email);
      await page.getByRole('button', { name: 'Invite' }).click();
    }
    return { owner, id, page, guests, invite };
  }

  it('invites by mail, changes what a guest may do, and removes the guest', async () => {
    const { page, guests, invite } = await opened({ colorScheme: 'dark' });
    await invite('grace@example.org');
    await page.getByText('A mail with a link is on its way to grace@example.org.').waitFor();
    await page.getByText('1 guest, 1 not signed in yet').waitFor();
    await page.getByText('Invited', { exact: true }).waitFor();
    expect((await mailsWith(smtp, 'Fair is shared with you', 1)).map(({ to }) => to)).toEqual(['grace@example.org']);
    expect(await guests()).toMatchObject([{ email: 'grace@example.org', role: 'reader' }]);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Let edit too (grace@example.org)' }).click();
    await page.getByText('grace@example.org may now edit the page too.').waitFor();
    await page.getByRole('button', { name: 'Let read only (grace@example.org)' }).waitFor();
    expect(await guests()).toMatchObject([{ role: 'editor' }]);

    await page.getByRole('button', { name: 'Remove grace@example.org' }).click();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('grace@example.org is no longer a guest.').waitFor();
    await page.getByText('Nobody but you', { exact: true }).waitFor();
    expect(await guests()).toEqual([]);
  });

  it('says at the field what is wrong, and why an address is refused, on a phone', async () => {
    const { page, guests, invite } = await opened(PHONE);
    await invite('grace');
    await page.getByText('Enter an address such as ada@example.org.').waitFor();
    expect(await guests()).toEqual([]);
    await page.getByLabel('What they may do').selectOption('Also edit the page');
    await invite(' Ada@example.org ');
    await page.getByText('Reads submissions and edits the page').waitFor();
    await invite('ada@example.org');
    await page.getByRole('alert').getByText('This address is a guest already').waitFor();
    expect(await guests()).toMatchObject([{ email: 'ada@example.org', role: 'editor' }]);
    await expectAccessible(page);
  });

  it('shows who has accepted', async () => {
    const { page, invite } = await opened();
    await invite('mary@example.org');
    await page.getByText('Invited', { exact: true }).waitFor();
    await dashboard.db('guests').where({ email: 'mary@example.org' }).update({ accepted_at: dashboard.db.fn.now() });
    await page.reload();
    await page.getByText('1 guest', { exact: true }).waitFor();
    await openSections(page, 'Guests');
    await page.getByText('Accepted', { exact: true }).waitFor();
  });
});

describe.skipIf(!hasChromium())('the dashboard, Guests, without a mail server', () => {
  it('says that nobody can be invited', async () => {
    const dashboard = await startDashboard();
    try {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: HTML });
      const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings#guests`);
      await page.locator('#guests').getByText('Nothing is mailed').waitFor();
      expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    } finally {
      await dashboard.close();
    }
  });
});
