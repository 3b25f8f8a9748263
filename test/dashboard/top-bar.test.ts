import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';

/* The bar above every view, its account menu, and the theme. */

const FORM = '<title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';
const LIGHT = 'rgb(248, 248, 250)';
const DARK = 'rgb(17, 19, 23)';
const BACKGROUND = 'getComputedStyle(document.body).backgroundColor';

describe.skipIf(!hasChromium())('the bar of the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const submit = (id: string) =>
    fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });

  it('has the views, with the number of unread submissions of all pages, which follows what is read', async () => {
    const owner = await dashboard.owner();
    const [one, two] = [await owner.deploy({ html: FORM }), await owner.deploy({ html: FORM })];
    for (const { id } of [one, one, two]) await submit(id);
    const page = await dashboard.open(owner, '/dashboard/account');
    const links = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link');
    await page.getByRole('link', { name: 'Inbox 3 unread' }).waitFor();
    expect(await links.allInnerTexts()).toEqual([
      'Pages',
      expect.stringMatching(/^Inbox\s3\sunread$/),
      'Statistics',
      'Help',
    ]);
    await page.getByRole('link', { name: 'Inbox 3 unread' }).click();
    await page.getByText('Ada', { exact: true }).first().click();
    await page.getByRole('link', { name: 'Inbox 2 unread' }).waitFor();
    for (const { id } of [one, two]) {
      const { submissions } = (await owner.get(`/submissions/${id}/search`)).body;
      await owner
        .post(`/submissions/${id}/bulk`)
        .send({ action: 'read', ids: submissions.map((each: { id: string }) => each.id) });
    }
    await page.goto(`${dashboard.origin}/dashboard`);
    await page.getByText('2 pages', { exact: true }).waitFor();
    await expect.poll(() => links.allInnerTexts()).toEqual(['Pages', 'Inbox', 'Statistics', 'Help']);
  });

  it.each([
    ['a desktop', {}],
    ['a phone', PHONE],
  ])('is one line on %s, with everything in sight', async (_name, options) => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    for (let count = 0; count < 10; count += 1) await submit(id);
    const page = await dashboard.open(owner, '/dashboard/account', options);
    await page.getByRole('link', { name: 'Inbox 10 unread' }).waitFor();
    const bar = page.getByRole('banner');
    expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(56);
    const width = page.viewportSize()?.width ?? 0;
    for (const control of await bar.locator('a:visible, button:visible').all()) {
      const box = await control.boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? width) <= width).toBe(true);
    }
    await expectAccessible(page);
  });

  it('has the account, the trash, the theme and the way out in a menu, by the keyboard alone', async () => {
    const owner = await dashboard.owner();
    const { email } = (await owner.get('/me')).body;
    const page = await dashboard.open(owner, '/dashboard/help');
    const button = page.getByRole('button', { name: `Account menu: ${email}` });
    const openMenu = async (): Promise<void> => {
      await tabTo(page, button);
      await page.keyboard.press('Enter');
    };
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor();
    await openMenu();
    await page.getByText(`Signed in as ${email}`).waitFor();
    await expectAccessible(page);
    await tabTo(page, page.getByRole('link', { name: 'Trash' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
    await openMenu();
    await page.keyboard.press('Escape');
    await page.getByText(`Signed in as ${email}`).waitFor({ state: 'hidden' });
    expect(await button.and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Sign out' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('is dark or light as chosen, in all tabs, from the first paint on, and as the system again', async () => {
    const owner = await dashboard.owner();
    const page = await dashboard.open(owner, '/dashboard/account', { colorScheme: 'light' });
    const other = await page.context().newPage();
    await other.goto(`${dashboard.origin}/dashboard/help`);
    await other.getByRole('heading', { level: 1, name: 'Help' }).waitFor();
    expect(await page.evaluate(BACKGROUND)).toBe(LIGHT);
    await page.getByRole('button', { name: 'Account menu' }).click();
    const themes = page.getByRole('group', { name: 'Dark mode' });
    expect(await themes.getByRole('radio', { name: 'System' }).isChecked()).toBe(true);
    await themes.getByText('Dark', { exact: true }).click();
    await expect.poll(() => page.evaluate(BACKGROUND)).toBe(DARK);
    await expect.poll(() => other.evaluate(BACKGROUND)).toBe(DARK);
    await expectAccessible(page);
    // Whatever the modules do comes too late.
    await other.route('**/assets/shell-*.js', (route) => route.abort());
    await other.reload();
    expect(await other.evaluate(BACKGROUND)).toBe(DARK);
    await page.reload();
    await page.getByRole('button', { name: 'Account menu' }).click();
    await themes.getByText('System', { exact: true }).click();
    await expect.poll(() => page.evaluate(BACKGROUND)).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(BACKGROUND)).toBe(DARK);
    await themes.getByText('Light', { exact: true }).click();
    await expect.poll(() => page.evaluate(BACKGROUND)).toBe(LIGHT);
  });
});
