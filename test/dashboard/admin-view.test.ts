import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { textsOf } from '../support/dashboard-texts.ts';
import type { Owner } from '../support/test-service.ts';

/* The service as its operators see it, in a browser. */

/** That of the first owner. */
const OPERATOR = 'owner1@test.example';
const PARTS = ['', '/pages', '/deliveries', '/health', '/audit'];

describe.skipIf(!hasChromium())('Admin', () => {
  let dashboard: DashboardUnderTest;
  let operator: Owner;
  beforeAll(async () => {
    dashboard = await startDashboard({ ADMIN_EMAILS: OPERATOR });
    operator = await dashboard.owner();
  });
  afterAll(() => dashboard?.close());

  const emailOf = async (owner: Owner): Promise<string> => (await owner.get('/me').expect(200)).body.email;

  /** The status of a page for its visitors. */
  const statusOf = async (url: string): Promise<number> =>
    (await request(dashboard.origin).get('/').set('Host', new URL(url).host)).status;

  it('is nothing for others, and the bar does not lead to it', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard');
    await page.getByRole('link', { name: 'Statistics' }).waitFor();
    expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
    for (const part of PARTS) {
      await page.goto(`${dashboard.origin}/dashboard/admin${part}`);
      await heading(page, 'Nothing here');
      expect(await page.getByText(OPERATOR).count()).toBe(0);
    }
  });

  it('finds an owner, changes the plan, suspends with the pages, resumes, and deletes with everything', async () => {
    const owner = await dashboard.owner('free');
    const email = await emailOf(owner);
    const { url } = await owner.deploy();
    const page = await dashboard.open(operator, '/dashboard');
    await page.getByRole('link', { name: 'Admin' }).click();
    await heading(page, 'Admin: Owners');
    // Nobody suspends or deletes themselves.
    await page.getByText(OPERATOR).filter({ visible: true }).last().waitFor();
    expect(await page.getByRole('button', { name: `Suspend ${OPERATOR}` }).count()).toBe(0);
    await page.getByLabel('Search').fill(email.toUpperCase());
    await page.getByRole('button', { name: `Delete ${OPERATOR}` }).waitFor({ state: 'detached' });
    const row = page.getByRole('listitem').filter({ hasText: email });
    await expect.poll(() => page.locator('main').getByRole('listitem').count()).toBe(1);
    await row.getByText('1 page').waitFor();

    await page.getByRole('button', { name: `Change the plan of ${email}` }).click();
    await page.getByLabel('Plan', { exact: true }).selectOption('pro');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await row.getByText('pro', { exact: true }).waitFor();
    expect((await owner.get('/me').expect(200)).body.plan).toBe('pro');

    await page.getByRole('button', { name: `Suspend ${email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await row.getByText('Suspended', { exact: true }).waitFor();
    await expect.poll(() => statusOf(url)).toBe(403);
    await expectAccessible(page);
    await page.getByRole('button', { name: `Resume ${email}` }).click();
    await page.getByRole('button', { name: `Suspend ${email}` }).waitFor();
    await expect.poll(() => statusOf(url)).toBe(200);

    await page.getByRole('button', { name: `Delete ${email}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete everything' }).click();
    await dialog.getByText(`Type the name: ${email}`).waitFor();
    await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
    await dialog.getByRole('button', { name: 'Delete everything' }).click();
    await page.getByText('No owner has such an address.').waitFor();
    await expect.poll(() => statusOf(url)).toBe(404);
  });

  it('finds a page, takes it down with a reason that its owner reads, and restores it', async () => {
    const owner = await dashboard.owner();
    const { id, url } = await owner.deploy({ html: '<title>Quarterly Wombats</title><p>a' });
    await owner.deploy({ html: '<title>Other</title>' });
    const page = await dashboard.open(operator, '/dashboard/admin/pages', PHONE);
    await page.getByLabel('Search').fill('wombats');
    await expect.poll(() => page.locator('main').getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Take down Quarterly Wombats' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Take down' }).click();
    await dialog.getByText('Reason is empty').waitFor();
    await dialog.getByLabel('Reason').fill('Phishing, reported on Monday');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Take down' }).click();
    await page.getByText('Taken down').waitFor();
    await expect.poll(() => statusOf(url)).toBe(451);
    expect((await owner.get(`/overview/${id}`).expect(200)).body.take_down_reason).toBe('Phishing, reported on Monday');
    await page.getByRole('button', { name: 'Restore Quarterly Wombats' }).click();
    await page.getByRole('button', { name: 'Take down Quarterly Wombats' }).waitFor();
    await expect.poll(() => statusOf(url)).toBe(200);
    await expectAccessible(page);
  });

  it('lists deliveries that fail, what the doctor finds, and the audit, page by page', async () => {
    const owner = await dashboard.owner();
    const email = await emailOf(owner);
    const { id } = await owner.deploy();
    await dashboard.db.raw(
      `INSERT INTO deliveries (id, deployment_id, owner_id, event, status, attempts, next_attempt_at, last_status, last_error, created_at, updated_at)
       SELECT 'dl_00VbbZC2bC3dD4eE5fF6g' || n, id, owner_id, 'submission', 'failed', 8, 'infinity', 500, 'answered 500', now(), now()
         FROM deployments, generate_series(100, 159) AS n WHERE id = ?`,
      [id],
    );
    const page = await dashboard.open(operator, '/dashboard/admin/deliveries');
    await page.getByText('50 of 60 deliveries').waitFor();
    await page.getByText('answered 500').first().waitFor();
    await page.getByText(`of ${email}`).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => page.locator('main').getByText('answered 500').count()).toBe(60);

    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('all migrations have been run').waitFor();
    await page.getByText('mail is off: SMTP_URL is not set').waitFor();
    await expectAccessible(page);
    await dashboard.db.raw("INSERT INTO last_backup (taken_at) VALUES (now() - interval '3 days')");
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('the last backup is 72 hours old').waitFor();
    await page.getByText('make one every night').waitFor();
    const { checks } = (await operator.get('/admin/health').expect(200)).body;
    const inPolish = await dashboard.open(operator, '/dashboard/admin/health', { locale: 'pl' });
    const names = inPolish.locator('main li strong');
    await names.first().waitFor();
    const { names: texts } = textsOf('pl').admin.health;
    const known = new Map(Object.entries(texts));
    expect(await names.allInnerTexts()).toEqual(checks.map(({ name }: { name: string }) => known.get(name)));
    // The rest is English, and says so.
    expect(await inPolish.locator('bdi[lang=en]', { hasText: 'make one every night' }).count()).toBe(1);

    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('Published a page').first().waitFor();
    await page.getByText(id).first().waitFor();
    await expectAccessible(page);
  });
});
