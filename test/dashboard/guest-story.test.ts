import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, heading, openSections, startDashboard } from '../support/dashboard-in-browser.ts';
import { openAsGuest } from '../support/guest-in-browser.ts';
import { ADA, FORM, GRACE, newInbox, row } from '../support/inbox-in-browser.ts';
import { mailsWith } from '../support/mail.ts';
import { startSmtpServer } from '../support/smtp.ts';

/* People who work together: from the invitation to its end, in the browsers of both. */

const CLIENT = 'client@example.org';

describe.skipIf(!hasChromium())('a page that is shared', () => {
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

  /** Opens the link of an invitation as it came by mail, and presses its button. */
  async function accept(): Promise<Page> {
    const [mail] = await mailsWith(smtp, 'Ask us is shared with you', 1);
    const [link = ''] = /http\S+\/invitations\/\w+/.exec(mail?.text ?? '') ?? [];
    const page = await dashboard.open(undefined, new URL(link).pathname);
    await page.getByText(`You will be signed in as ${CLIENT}`).waitFor();
    await page.getByRole('button').click();
    return page;
  }

  // It is a whole story.
  it('a freelancer hands one inbox to a client, and takes it back', { timeout: 600_000 }, async () => {
    const { owner, id, send } = await newInbox(dashboard, FORM, [ADA]);
    const { id: otherId } = await owner.deploy({ html: '<title>Another client</title>' });
    const freelancer = await dashboard.open(owner, `/dashboard/pages/${id}/settings`);
    await openSections(freelancer, 'Guests');
    await freelancer.getByLabel('Address', { exact: true }).fill(CLIENT);
    await freelancer.getByRole('button', { name: 'Invite' }).click();
    await freelancer.getByText('Invited', { exact: true }).waitFor();

    // The client has no account. The link leads to the inbox.
    const client = await accept();
    await heading(client, 'Inbox');
    await row(client, ADA.name).getByRole('link').click();
    await client.getByText(ADA.message).last().waitFor();
    await client.getByRole('button', { name: 'Done' }).click();
    await client.getByLabel('Note').fill('I call her on Monday.');
    await client.getByText('Saved', { exact: true }).waitFor();
    await send(GRACE);
    await client.getByRole('link', { name: 'Back to the list' }).click();
    await row(client, GRACE.name).waitFor();

    // One page, under its heading; the other client's is not there.
    await client.goto(`${dashboard.origin}/dashboard`);
    const shared = client.getByRole('region', { name: 'Shared with you' });
    await shared.getByRole('link', { name: 'Ask us', exact: true }).waitFor();
    expect(await client.getByText('Another client').count()).toBe(0);
    expect(await client.getByRole('link', { name: 'New page' }).count()).toBe(0);
    await client.goto(`${dashboard.origin}/dashboard/pages/${otherId}/inbox`);
    await heading(client, 'Nothing here');
    await client.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await row(client, ADA.name).waitFor();

    // The freelancer sees what was done, and takes the page back.
    await freelancer.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await row(freelancer, ADA.name).getByRole('link').click();
    expect(await freelancer.getByLabel('Note').inputValue()).toBe('I call her on Monday.');
    await freelancer.goto(`${dashboard.origin}/dashboard/pages/${id}/settings#guests`);
    await freelancer.getByText('Accepted', { exact: true }).waitFor();
    await freelancer.getByRole('button', { name: `Remove ${CLIENT}` }).click();
    await freelancer.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await freelancer.getByText(`${CLIENT} is no longer a guest.`).waitFor();

    // The session goes on, and reaches nothing.
    const statusOf = (path: string) => client.evaluate(`fetch('${path}').then(({ status }) => status)`);
    await expect.poll(() => statusOf(`/submissions/${id}`)).toBe(404);
    expect(await statusOf('/me')).toBe(200);
    await client.reload();
    await heading(client, 'Nothing here');
    await client.goto(`${dashboard.origin}/dashboard`);
    await client.getByText('There are no pages yet').waitFor();
  });

  it('is gone for guests and readers of its links while its owner is suspended', async () => {
    const { owner, id } = await newInbox(dashboard, FORM, [ADA]);
    const { url } = (await owner.post(`/deploy/${id}/shares`).send({}).expect(201)).body;
    const { db } = dashboard;
    const guest = { pageId: id, email: 'mary@example.org', role: 'editor' } as const;
    const page = await openAsGuest(dashboard, guest, `/dashboard/pages/${id}/inbox`);
    await row(page, ADA.name).waitFor();
    const [{ owner_id: ownerId }] = await db('deployments').select('owner_id').where({ id });
    const suspend = async (suspended: boolean): Promise<void> => {
      await db('owners')
        .where({ id: ownerId })
        .update({ suspended_at: suspended ? db.fn.now() : null });
      await db('deployments').where({ owner_id: ownerId }).update({ suspended });
    };
    await suspend(true);
    await expect.poll(async () => (await fetch(url)).status).toBe(404);
    await page.reload();
    await heading(page, 'Nothing here');
    await page.goto(`${dashboard.origin}/dashboard`);
    await page.getByText('There are no pages yet').waitFor();
    await suspend(false);
    await page.reload();
    await page.getByRole('link', { name: 'Ask us', exact: true }).waitFor();
  });
});
