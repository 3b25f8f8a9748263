import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/service.ts';

/* The list of pages, new pages, and the trash, as an owner uses them. */

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
    it('shows each page with its numbers, and leads to its inbox and back', async () => {
      const owner = await dashboard.owner();
      const { id, url } = await owner.deploy({ html: FORM, slug: 'shown-page' });
      for (const name of ['Ada', 'Grace']) await submit(id, name);
      const page = await dashboard.open(owner, '/dashboard');
      const card = page.getByRole('listitem');
      await card.getByRole('img', { name: '2 submissions in the last 30 days' }).waitFor();
      const shown = (await card.innerText()).split('\n').filter((line) => line.trim() !== '');
      expect(shown.slice(0, 6)).toEqual([
        'Contact',
        url.replace('http://', ''),
        '(opens in a new tab)',
        '2 submissions',
        '2 unread',
        expect.stringMatching(/^Last: \w{3} \d+, 20\d\d, \d+:\d\d\s[AP]M$/),
      ]);
      await card.getByRole('link', { name: 'Contact', exact: true }).click();
      await heading(page, 'Inbox');
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
      await page.goBack();
      await heading(page, 'Pages');
      await page.goForward();
      await heading(page, 'Inbox');
      await page.reload();
      await heading(page, 'Inbox');
    });

    it('copies the URL of the form', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByRole('button', { name: 'Copy form URL' }).click();
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(new RegExp(`^http://.*/submit/${id}$`));
    });

    it('deletes a page once its slug is typed, and undoes it, by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM, slug: 'gone-soon' });
      const page = await dashboard.open(owner, '/dashboard');
      const open = page.getByRole('button', { name: 'Delete' });
      await open.waitFor();
      await tabTo(page, open);
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Delete this page?' });
      await tabTo(page, dialog.getByLabel('Type gone-soon to delete it'));
      await page.keyboard.type('gone');
      await page.keyboard.press('Enter');
      expect(await dialog.getByRole('alert').getByText('Type').innerText()).toBe('Type gone-soon exactly.');
      expect(await slugsOf(owner)).toEqual(['gone-soon']);
      // The focus goes back to what opened the dialog.
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      expect(await page.locator(':focus').innerText()).toMatch(/^Delete\s+Contact$/);
      await page.keyboard.press('Enter');
      await tabTo(page, dialog.getByLabel('Type gone-soon to delete it'));
      await page.keyboard.type('gone-soon');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      expect(await slugsOf(owner)).toEqual([]);
      await tabTo(page, page.getByRole('button', { name: 'Undo' }));
      await page.keyboard.press('Enter');
      await page.getByText('gone-soon is live again.').waitFor();
      expect(await slugsOf(owner)).toEqual(['gone-soon']);
    });

    it('shows more than fit at once when asked to', async () => {
      const owner = await dashboard.owner();
      for (let page = 0; page < 52; page += 1) await owner.deploy();
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByText('50 of 52 pages').waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('52 pages', { exact: true }).waitFor();
      expect(await page.getByRole('listitem').count()).toBe(52);
    });

    it('shows what a page has: badges', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM });
      await owner.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByText('Mail on').waitFor();
    });

    it('shows how often the honeypot of a page was filled in, if it was', async () => {
      const owner = await dashboard.owner();
      const [{ id }] = [await owner.deploy({ html: FORM, slug: 'with-robots' }), await owner.deploy({ html: FORM })];
      await dashboard.db('honeypot_hits').insert({ deployment_id: id, day: new Date(), count: 3 });
      const page = await dashboard.open(owner, '/dashboard');
      const shown = page.getByText('filled-in honeypot');
      await shown.waitFor();
      expect(await shown.allInnerTexts()).toEqual([
        '3 filled-in honeypots in the last 7 days. The field _hp, which people don’t see, had a value: whoever sent it was taken for a robot, and nothing was stored.',
      ]);
      const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'with-robots' }) });
      expect(await card.getByText('filled-in honeypot').count()).toBe(1);
    });

    it('has no page of another owner: not in the list, and not by its address', async () => {
      const [one, other] = [await dashboard.owner(), await dashboard.owner()];
      const { id } = await other.deploy({ html: FORM });
      const page = await dashboard.open(one, '/dashboard');
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      for (const view of ['inbox', 'charts', 'page', 'notifications', 'settings']) {
        await page.goto(`${dashboard.origin}/dashboard/pages/${id}/${view}`);
        await heading(page, 'Nothing here');
      }
      await page.goto(`${dashboard.origin}/dashboard/new?replace=${id}`);
      await heading(page, 'Nothing here');
    });
  });

  describe('New page', () => {
    it('takes a file that is chosen or dropped', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page
        .getByLabel('Choose a file')
        .setInputFiles({ name: 'a.html', mimeType: 'text/html', buffer: Buffer.from(FORM) });
      await expect.poll(() => page.getByLabel('HTML').inputValue()).toBe(FORM);
      await page.getByText('a.html').waitFor();
      const transfer = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['<title>Dropped</title>'], 'b.html', { type: 'text/html' }));
        return transfer;
      })()`);
      await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
      await expect.poll(() => page.getByLabel('HTML').inputValue()).toBe('<title>Dropped</title>');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('dropped is live.').waitFor();
    });

    it('says what is wrong with a page before it is published, and where', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      const html = `<title>Form</title>\n${'<p>\n'.repeat(40)}<form method=post action={{FORM_ACTON}}><input name=a><button>Send</button></form>`;
      await page.getByLabel('HTML').fill(html);
      await page.getByRole('button', { name: 'line 42' }).first().click();
      expect(await page.evaluate('getSelection().toString()')).toMatch(/^<form .*<\/form>$/);
      await page.getByLabel('HTML').fill(FORM.replace('</form>', '<button>Send</button></form>'));
      await page.getByText('1 form, 1 field. Nothing to correct.').waitFor();
      expect((await owner.get('/deploy')).body.total).toBe(0);
    });

    it('says why a page could not be published, and keeps it, over a reload too', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM, slug: 'taken' });
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Paste the page, or choose its file.').waitFor();
      await page.getByLabel('HTML').fill(FORM);
      await page.getByLabel('Slug').fill('taken');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Not saved').waitFor();
      await page.reload();
      expect(await page.getByLabel('HTML').inputValue()).toBe(FORM);
      expect(await page.getByLabel('Slug').inputValue()).toBe('taken');
      await page.getByLabel('Slug').fill('free-one');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('free-one is live.').waitFor();
      await page.goto(`${dashboard.origin}/dashboard/new`);
      await heading(page, 'New page');
      expect(await page.getByLabel('HTML').inputValue()).toBe('');
    });

    it('says that the plan is full', async () => {
      const owner = await dashboard.owner('free');
      for (let page = 0; page < 3; page += 1) await owner.deploy();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByLabel('HTML').fill(FORM);
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Not saved').waitFor();
    });

    it('replaces the HTML of a page', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, slug: 'replaced' });
      const page = await dashboard.open(owner, '/dashboard');
      await page.getByRole('link', { name: 'Replace Contact' }).click();
      await heading(page, 'Replace replaced');
      await page.getByLabel('HTML').fill('<title>Second</title>');
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('replaced has the new HTML.').waitFor();
      expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: '<title>Second</title>' });
    });

    it('makes a form for a page that is elsewhere, which takes submissions of that site only', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.getByText('My page is elsewhere').click();
      await page.getByLabel('Name of the form').fill('Ask "us" <b>');
      await page.getByLabel('Address of your site').fill('https://shop.example/contact');
      await page.getByRole('button', { name: 'Get the form' }).click();
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      const snippet = String(await page.evaluate('navigator.clipboard.readText()'));
      const [, action = ''] = /action="([^"]+)"/.exec(snippet) ?? [];
      const send = (origin: string) =>
        fetch(action.replace(/^https?:\/\/[^/]+/, dashboard.origin), {
          method: 'POST',
          body: new URLSearchParams({ name: 'Ada' }),
          headers: { Origin: origin, Accept: 'application/json' },
        });
      expect((await send('https://shop.example')).status).toBe(200);
      expect((await send('https://other.example')).status).toBe(403);
      await page.getByRole('link', { name: 'To its inbox' }).click();
      await heading(page, 'Inbox');
      const [{ id }] = (await owner.get('/deploy')).body.deployments;
      expect((await owner.get('/overview')).body.deployments[0]).toMatchObject({ id, title: 'Ask "us" <b>' });
    });
  });

  describe('Statistics', () => {
    const submit = (id: string): Promise<Response> =>
      fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) });

    it('shows what came to all pages, by day, by hour and by page', async () => {
      const owner = await dashboard.owner();
      const html = (title: string): string => `<title>${title}</title>${FORM}`;
      const busy = await owner.deploy({ html: html('Busy') });
      const quiet = await owner.deploy({ html: html('Quiet') });
      await owner.deploy({ html: html('Unused') });
      for (const id of [busy.id, busy.id, busy.id, quiet.id]) await submit(id);
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
      await expect.poll(() => cells.count()).toBe(24);
      await byPage.getByRole('link', { name: 'Busy' }).click();
      await page.waitForURL(`**/dashboard/pages/${busy.id}/charts?range=24h`);
      await page.getByText('3 submissions in this time').waitFor();
      await page.goBack();
      await page.getByText('4 submissions in this time').waitFor();
      await page.goto(`${dashboard.origin}/dashboard/statistics?from=2026-01-01&to=2026-01-31`);
      await page.getByRole('heading', { name: 'Nothing came in this time' }).waitFor();
      expect((await rows()).map(([, inRange]) => inRange)).toEqual(['0', '0', '0']);

      const phone = await dashboard.open(owner, '/dashboard/statistics', { ...PHONE, colorScheme: 'dark' });
      await phone.getByText('4 submissions in this time').waitFor();
    });

    it('asks only for pages that are shown, and to which something was sent', async () => {
      const owner = await dashboard.owner();
      const ids: string[] = [];
      for (let count = 0; count < 60; count += 1) ids.push((await owner.deploy({ html: FORM })).id);
      const used = ids.filter((_, index) => index % 10 === 0);
      for (const id of used) await submit(id);
      const page = await dashboard.open(owner, '/dashboard/account');
      const asked: string[] = [];
      page.on('request', (request) => {
        const [, id] = /deploy\/(\w+)\/stats/.exec(request.url()) ?? [];
        if (id !== undefined) asked.push(id);
      });
      await page.goto(`${dashboard.origin}/dashboard/statistics`);
      await page.getByText('2 submissions in this time').waitFor();
      await page.getByText('To your 25 newest pages.').waitFor();
      expect(asked.toSorted()).toEqual(used.slice(-2).toSorted());
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('5 submissions in this time').waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('6 submissions in this time').waitFor();
      await page.getByText('60 pages', { exact: true }).waitFor();
      expect(asked.toSorted()).toEqual(used.toSorted());
    });

    it('says what to do while there are no pages', async () => {
      const page = await dashboard.open(await dashboard.owner(), '/dashboard/statistics');
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
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
      await page.getByText('was-deleted-again is live again.').waitFor();
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
      await page.getByText('for-good is gone for good.').waitFor();
      expect((await owner.get('/trash')).body.total).toBe(0);
    });
  });

  it.each([['dark', { viewport: { width: 320, height: 600 }, isMobile: true, hasTouch: true }]] as const)(
    'has no view that axe objects to: %s, %j',
    async (colorScheme, size) => {
      const owner = await dashboard.owner('free');
      const options = { ...size, colorScheme, bypassCSP: true };
      const empty = await dashboard.open(owner, '/dashboard', options);
      await empty.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await empty.goto(`${dashboard.origin}/dashboard/trash`);
      await empty.getByRole('heading', { name: 'The trash is empty' }).waitFor();

      const { id: deleted } = await owner.deploy({ html: FORM });
      await owner.delete(`/deploy/${deleted}`).expect(200);
      const { id } = await owner.deploy({ html: FORM });
      await submit(id, 'Ada');
      await owner.deploy({ html: `<title dir=rtl>مرحبا بكم ${'طويل '.repeat(40)}${'x'.repeat(200)}</title>` });
      const page = await dashboard.open(owner, '/dashboard', options);
      await page.getByText('1 unread').waitFor();
      await page.getByRole('button', { name: 'Delete' }).first().click();
      for (const [path, title] of [
        ['/dashboard/trash', 'Trash'],
        ['/dashboard/new', 'New page'],
        [`/dashboard/new?replace=${id}`, 'Replace contact'],
        ['/dashboard/account', 'Account'],
        [`/dashboard/pages/${id}/settings`, 'Settings'],
        [`/dashboard/pages/${id}/inbox`, 'Inbox'],
        ['/dashboard/nowhere', 'Nothing here'],
      ] as const) {
        await page.goto(dashboard.origin + path);
        await heading(page, title);
        await page.waitForLoadState('networkidle');
        await expectAccessible(page);
      }
    },
  );
});
