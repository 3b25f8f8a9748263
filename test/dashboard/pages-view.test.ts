import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard, tabTo } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* The list of pages, their statistics, and the trash, as an owner uses them. */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const submit = (id: string, name: string) =>
    fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name }) });
  const slugsOf = async (owner: Owner): Promise<string[]> =>
    (await owner.get('/deploy')).body.deployments.map(({ slug }: { slug: string }) => slug);

  describe('Pages', () => {
    it('shows each page with its numbers, copies its address, and leads to its inbox and back', async () => {
      const owner = await dashboard.owner();
      const { id, url } = await owner.deploy({ html: FORM, slug: 'shown-page' });
      for (const name of ['Ada', 'Grace']) await submit(id, name);
      await owner.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
      await dashboard.db('honeypot_hits').insert({ deployment_id: id, day: new Date(), count: 3 });
      const page = await dashboard.open(owner, '/dashboard');
      const card = page.getByRole('listitem');
      await card.getByRole('img', { name: '2 submissions in the last 30 days' }).waitFor();
      const shown = (await card.innerText()).split(/\s*\n/).filter((line) => line.trim() !== '');
      expect(await card.locator('time').getAttribute('title')).toMatch(/ 20\d\d at \d+:\d\d:\d\d/);
      expect(shown.slice(0, 8)).toEqual([
        'Contact',
        url.replace('http://', ''),
        '(opens in a new tab)',
        'Mail on',
        '3 filled-in honeypots in the last 7 days. The field _hp, which people don’t see, had a value: whoever sent it was taken for a robot, and nothing was stored.',
        '2 submissions',
        '2 unread',
        expect.stringMatching(/^Last: (?:now|\d+ minutes? ago)$/),
      ]);
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
      await card.getByRole('link', { name: 'Contact', exact: true }).click();
      await heading(page, 'Inbox');
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
      await page.goBack();
      await heading(page, 'Pages');
      await page.goForward();
      await heading(page, 'Inbox');
    });

    it('deletes a page at once, restores it, and says why it could not, by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM, slug: 'gone-soon' });
      const page = await dashboard.open(owner, '/dashboard');
      const press = async (name: string): Promise<void> => {
        await page.getByRole('button', { name }).waitFor();
        await tabTo(page, page.getByRole('button', { name }));
        await page.keyboard.press('Enter');
      };
      await press('Delete Contact');
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await page.getByText('gone-soon is in the trash.').waitFor();
      expect(await slugsOf(owner)).toEqual([]);
      await expectAccessible(page);
      await press('Undo');
      await page.getByText('gone-soon is live again.').waitFor();
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
      expect(await slugsOf(owner)).toEqual(['gone-soon']);
      await press('Delete Contact');
      await page.getByText('gone-soon is in the trash.').waitFor();
      await owner.deploy({ html: FORM, slug: 'gone-soon' });
      await press('Undo');
      await page.getByText('Not undone: slug is taken').waitFor();
    });
  });

  describe('Statistics', () => {
    it('shows what came to all pages, by day, by hour and by page', async () => {
      const owner = await dashboard.owner();
      const html = (title: string): string => `<title>${title}</title>${FORM}`;
      const busy = await owner.deploy({ html: html('Busy') });
      const quiet = await owner.deploy({ html: html('Quiet') });
      await owner.deploy({ html: html('Unused') });
      for (const id of [busy.id, busy.id, busy.id, quiet.id]) await submit(id, 'Ada');
      const page = await dashboard.open(owner, '/dashboard', { timezoneId: 'Asia/Kolkata' });
      await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Statistics' }).click();
      await page.getByText('4 submissions in this time, by day of Asia/').waitFor();
      const byPage = page.getByRole('region', { name: 'Submissions by page' });
      const rows = async (): Promise<string[][]> =>
        (await byPage.getByRole('row').allInnerTexts()).slice(1).map((text) => text.split(/\s+/));
      expect(await rows()).toEqual([
        ['Busy', '3', '3'],
        ['Quiet', '1', '1'],
        ['Unused', '0', '0'],
      ]);
      await page.getByText('As a table').click();
      const cells = page.getByRole('region', { name: 'Submissions as a table' }).getByRole('cell');
      await expect.poll(() => cells.allInnerTexts()).toEqual([...Array<string>(29).fill('0'), '4']);
      await page.getByText('24 hours', { exact: true }).click();
      await page.getByText('4 submissions in this time, by hour of Asia/').waitFor();
      await page.getByText('As a table').click();
      await expect.poll(() => cells.count()).toBe(24);
      await byPage.getByRole('link', { name: 'Busy' }).click();
      await page.waitForURL(`**/dashboard/pages/${busy.id}/charts?range=24h`);
      await page.getByText('3 submissions in this time').waitFor();
      await page.goBack();
      await page.getByText('4 submissions in this time').waitFor();
      await page.goto(`${dashboard.origin}/dashboard/statistics?from=2026-01-01&to=2026-01-31`);
      await page.getByRole('heading', { name: 'Nothing came in this time' }).waitFor();
      expect((await rows()).map(([, inRange]) => inRange)).toEqual(['0', '0', '0']);
    });

    it('shows more pages than fit when asked to, and asks only for those to which something was sent', async () => {
      const owner = await dashboard.owner();
      const ids: string[] = [];
      for (let count = 0; count < 52; count += 1) ids.push((await owner.deploy({ html: FORM })).id);
      const used = ids.filter((_, index) => index % 20 === 0);
      for (const id of used) await submit(id, 'Ada');
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByText('50 of 52 pages').waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('52 pages', { exact: true }).waitFor();
      expect(await page.getByRole('listitem').count()).toBe(52);
      // The list of pages asks for statistics too: its requests end with it.
      await page.goto(`${dashboard.origin}/dashboard/trash`);
      const asked: string[] = [];
      page.on('request', (request) => {
        const [, id] = /deploy\/(\w+)\/stats/.exec(request.url()) ?? [];
        if (id !== undefined) asked.push(id);
      });
      await page.goto(`${dashboard.origin}/dashboard/statistics`);
      await page.getByText('1 submission in this time').waitFor();
      await page.getByText('To your 25 newest pages.').waitFor();
      expect(asked).toEqual(used.slice(-1));
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('2 submissions in this time').waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('3 submissions in this time').waitFor();
      await page.getByText('52 pages', { exact: true }).waitFor();
      expect([...new Set(asked)].toSorted()).toEqual(used.toSorted());
    });
  });

  describe('Trash', () => {
    it('restores a page, under another slug if its own is taken', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, slug: 'was-deleted' });
      await owner.delete(`/deploy/${id}`).expect(200);
      await owner.deploy({ html: FORM, slug: 'was-deleted' });
      const page = await dashboard.open(owner, '/dashboard/trash');
      await page.getByRole('button', { name: 'Restore' }).click();
      const dialog = page.getByRole('dialog', { name: 'This address is taken' });
      expect(await dialog.getByLabel('New slug').inputValue()).toBe('was-deleted-again');
      await dialog.getByRole('button', { name: 'Restore it' }).click();
      await page.getByText('Contact is live again.').waitFor();
      await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
      expect(await slugsOf(owner)).toEqual(['was-deleted', 'was-deleted-again']);
    });

    it('deletes a page for good, by the keyboard alone, once its slug is typed', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, slug: 'for-good' });
      await owner.delete(`/deploy/${id}`).expect(200);
      const page = await dashboard.open(owner, '/dashboard/trash');
      await page.getByText('0 submissions').waitFor();
      await tabTo(page, page.getByRole('button', { name: 'Delete for good' }));
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByLabel('Type for-good'));
      await page.keyboard.type('for-good');
      await page.keyboard.press('Enter');
      await page.getByText('Contact is gone for good.').waitFor();
      expect((await owner.get('/trash')).body.total).toBe(0);
    });
  });
});
