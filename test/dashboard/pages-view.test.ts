import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* The list of pages, their statistics, and the trash, as an owner uses them. */

const FORM = '<!doctype html><title>Contact</title><form method=post action={{FORM_ACTION}}><input name=name></form>';

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const submit = (id: string, name: string) =>
    fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ name }) });
  const slugsOf = async (owner: Owner): Promise<string[]> =>
    (await owner.get('/deploy')).body.deployments.map(({ slug }: { slug: string }) => slug);

  describe('Pages', () => {
    const row = (page: Page, name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
    const more = (page: Page, name: string) => page.getByRole('button', { name: `More for ${name}`, exact: true });

    it('shows each page in a row of 72 px with its numbers, and leads to its inbox and back', async () => {
      const owner = await dashboard.owner();
      const { id, url } = await owner.deploy({ html: FORM, slug: 'shown-page' });
      for (const name of ['Ada', 'Grace']) await submit(id, name);
      const page = await dashboard.open(owner, '/dashboard');
      const shown = row(page, 'Contact');
      await shown.getByRole('img', { name: '2 submissions in the last 30 days' }).waitFor();
      expect((await shown.boundingBox())?.height).toBe(72);
      expect(await shown.locator('time').getAttribute('title')).toMatch(/ 20\d\d at \d+:\d\d:\d\d/);
      for (const text of [url.replace('http://', ''), '2 unread', '2 submissions'])
        await shown.getByText(text).waitFor();
      // The row opens the inbox wherever it is pressed.
      await shown.click({ position: { x: 500, y: 60 } });
      await heading(page, 'Inbox');
      expect(page.url()).toBe(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
      await page.goBack();
      await heading(page, 'Pages');
    });

    it('shows actions at the row that is pointed at, or has the focus, and all of them in a menu', async () => {
      const owner = await dashboard.owner();
      const { url } = await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, '/dashboard');
      const opacity = (): Promise<string> =>
        page.evaluate(`getComputedStyle(document.querySelector('.quick')).opacity`);
      await row(page, 'Contact').waitFor();
      await page.mouse.move(0, 0);
      await expect.poll(opacity).toBe('0');
      await row(page, 'Contact').hover();
      await expect.poll(opacity).toBe('1');
      await page.mouse.move(0, 0);
      await expect.poll(opacity).toBe('0');
      await tabTo(page, page.getByRole('button', { name: 'Copy address of Contact' }));
      await expect.poll(opacity).toBe('1');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
      await tabTo(page, more(page, 'Contact'));
      await page.keyboard.press('Enter');
      const menu = page.locator('.menu:popover-open');
      const actions = await menu.locator('.button').allInnerTexts();
      expect(actions.map((text) => text.split(/\s+(?:of )?Contact/)[0]?.trim())).toEqual([
        ...['Open page', 'Copy address', 'Rename', 'Duplicate', 'Settings', 'Delete'],
      ]);
      await expectAccessible(page);
    });

    it('shows the names of pages whole on a phone', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: '<title>Registration for the course</title>' });
      await submit(id, 'Ada');
      const page = await dashboard.open(owner, '/dashboard', PHONE);
      await page.getByText('1 unread', { exact: true }).waitFor();
      // On two lines: it is wider than what is left of one.
      const lines =
        "document.querySelector('.page-row h2').clientHeight / parseFloat(getComputedStyle(document.querySelector('.page-row h2')).lineHeight)";
      expect(Math.round(Number(await page.evaluate(lines)))).toBe(2);
      const hidden =
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.page-row h2'))";
      expect(await page.evaluate(hidden)).toBe(0);
      expect(await page.locator('.quick').isVisible()).toBe(false);
    });

    it('shows a miniature of the page that runs no script, and none for more than a dozen', async () => {
      const owner = await dashboard.owner();
      const html = `<title>Mini</title><script>document.title = 'ran'; top.ran = 1; fetch('/ran')</script><p id=said>text</p>`;
      for (let count = 0; count < 14; count += 1) await owner.deploy({ html });
      const page = await dashboard.open(owner, '/dashboard');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const frames = page.locator('.tile > iframe');
      await expect.poll(() => frames.count()).toBeGreaterThan(0);
      expect(await frames.first().getAttribute('sandbox')).toBe('');
      await page.mouse.wheel(0, 5_000);
      await page.frameLocator('.tile > iframe').first().getByText('text').waitFor();
      await expect.poll(() => frames.count()).toBe(12);
      expect(asked.filter((url) => url.endsWith('/ran'))).toEqual([]);
      expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    });

    it('finds pages by their titles and addresses, also those that are not listed yet', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: '<title>Café Zürich</title>', slug: 'eat-here' });
      await owner.deploy({ html: '<title>Bakery</title>', slug: 'bread' });
      for (let count = 0; count < 50; count += 1) await owner.deploy({ html: FORM });
      const page = await dashboard.open(owner, '/dashboard');
      const search = page.getByLabel('Search your pages');
      await search.fill('zurich CAFE');
      await page.getByText('1 page found').waitFor();
      await row(page, 'Café Zürich').waitFor();
      await search.fill('bread');
      await row(page, 'Bakery').waitFor();
      await page.getByText('1 page found').waitFor();
      await search.fill('nothing like this');
      await page.getByRole('heading', { name: 'No page is found' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Show all pages' }).click();
      await page.getByText('50 of 52 pages').waitFor();
      expect(await search.inputValue()).toBe('');
    });

    it('says what visitors find there, and which deliveries fail', async () => {
      const owner = await dashboard.owner();
      const states = { Closed: 'closed', Full: 'full', Open: 'open', Soon: 'not-open' };
      for (const title of Object.keys(states)) {
        const { id } = await owner.deploy({ html: `<title>${title}</title>` });
        await owner
          .patch(`/deploy/${id}`)
          .send({ ...(title === 'Soon' && { opens_at: '2099-11-30T09:00:00Z' }) })
          .expect(200);
      }
      const page = await dashboard.open(owner, '/dashboard/help', { timezoneId: 'Europe/Berlin', locale: 'en-GB' });
      await page.route('**/overview?*', async (route) => {
        const { body } = await owner.get('/overview');
        for (const each of body.deployments) {
          each.state = new Map(Object.entries(states)).get(each.title);
          each.places = each.title === 'Open' ? { taken: 12, of: 40 } : null;
          each.failing_webhooks = each.title === 'Closed' ? 2 : 0;
        }
        await route.fulfill({ json: body });
      });
      await page.goto(`${dashboard.origin}/dashboard`);
      const stateOf = async (name: string): Promise<string[]> =>
        (await row(page, name).locator('.page-state').innerText()).split('\n').filter((text) => text.trim() !== '');
      await expect.poll(() => stateOf('Soon')).toEqual(['Opens Mon 30 Nov, 10:00']);
      expect(await stateOf('Open')).toEqual(['Open', '12 of 40', 'places taken']);
      expect(await stateOf('Full')).toEqual(['Full']);
      expect(await stateOf('Closed')).toEqual(['Closed', '2 webhooks failing']);
      await row(page, 'Closed').getByRole('link', { name: '2 webhooks failing' }).click();
      await page.getByRole('heading', { level: 1, name: 'Notifications: Closed' }).waitFor();
    });

    it('gives people who may only read no button that they may not use', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM });
      const { key } = (await owner.post('/keys').send({ name: 'Reader', scope: 'read' })).body;
      const page = await dashboard.open(undefined, '/dashboard');
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await row(page, 'Contact').waitFor();
      expect(await page.getByRole('link', { name: 'New page' }).count()).toBe(0);
      await more(page, 'Contact').click();
      const actions = await page.locator('.menu:popover-open .button').allInnerTexts();
      expect(actions.map((text) => text.split(/\s+(?:of )?Contact/)[0]?.trim())).toEqual([
        'Open page',
        'Copy address',
        'Settings',
      ]);
    });

    it('gives a page another name, and keeps all else of its HTML', async () => {
      const owner = await dashboard.owner();
      const html = `<!doctype html><!-- <title>No</title> --><html><head><script>'<title>No</title>'</script><Title lang=en>Old &amp; gone</TITLE></head><p>Old &amp; gone`;
      const { id } = await owner.deploy({ html, slug: 'renamed' });
      const page = await dashboard.open(owner, '/dashboard');
      await more(page, 'Old & gone').click();
      await page.getByRole('button', { name: 'Rename Old & gone' }).click();
      const dialog = page.getByRole('dialog', { name: 'Rename' });
      expect(await dialog.getByLabel('Address').inputValue()).toBe('renamed');
      await expectAccessible(page);
      await dialog.getByLabel('Name').fill('  ');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.getByText('Enter a name.').waitFor();
      await dialog.getByLabel('Name').fill('Tea & <cake> $1');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await row(page, 'Tea & <cake> $1').waitFor();
      expect((await owner.get(`/deploy/${id}/html`)).body.html).toBe(
        html.replace('>Old &amp; gone</TITLE>', () => '>Tea &amp; &lt;cake&gt; $1</TITLE>'),
      );
    });

    it('gives a page another address, to which the old one leads, and says which is taken', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, slug: 'before-move' });
      await owner.deploy({ html: '<title>Other</title>', slug: 'taken-already' });
      const page = await dashboard.open(owner, '/dashboard');
      await more(page, 'Contact').click();
      await page.getByRole('button', { name: 'Rename Contact' }).click();
      const dialog = page.getByRole('dialog', { name: 'Rename' });
      await dialog.getByLabel('Address').fill('taken-already');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.getByText('is taken').first().waitFor();
      await dialog.getByLabel('Address').fill('After Move');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.waitFor({ state: 'detached' });
      await row(page, 'Contact').getByText('after-move.').waitFor();
      expect((await owner.get(`/overview/${id}`)).body).toMatchObject({ slug: 'after-move', title: 'Contact' });
      expect((await owner.get(`/deploy/${id}/versions`)).body.total).toBe(1);
    });

    it('duplicates a page with its files and settings, under an address of its own', async () => {
      const owner = await dashboard.owner();
      const html = FORM.replace('<title>', '<link rel=stylesheet href=look.css><title>');
      const { id } = await owner.deploy({ html, slug: 'first', files: { 'look.css': 'p{}', 'deep/ünï.txt': 'tief' } });
      const settings = {
        closed_message: 'Over.',
        max_submissions: 7,
        redirect_url: 'https://example.org/',
        spam: { blocklist: ['casino'], captcha: null },
      };
      await owner.patch(`/deploy/${id}`).send(settings).expect(200);
      await owner
        .put(`/deploy/${id}`)
        .send({ html: html.replace('{{FORM_ACTION}}', `"${dashboard.origin}/submit/${id}"`) })
        .expect(200);
      await owner.deploy({ html: FORM, slug: 'first-copy' });
      const page = await dashboard.open(owner, '/dashboard?q=first');
      await more(page, 'Contact').last().click();
      await page.getByRole('button', { name: 'Duplicate Contact' }).last().click();
      const dialog = page.getByRole('dialog', { name: 'Duplicate' });
      expect(await dialog.getByLabel('Name').inputValue()).toBe('Copy of Contact');
      await dialog.getByRole('button', { name: 'Duplicate' }).click();
      await dialog.getByText('is taken').first().waitFor();
      await expectAccessible(page);
      await dialog.getByLabel('Address').fill('first-again');
      await dialog.getByRole('button', { name: 'Duplicate' }).click();
      await page.getByText('Copy of Contact is live.').waitFor();
      const { deployments } = (await owner.get('/overview')).body;
      const copy = deployments.find(({ slug }: { slug: string }) => slug === 'first-again');
      expect(copy).toMatchObject({ title: 'Copy of Contact', submission_count: 0 });
      expect((await owner.get(`/deploy/${copy.id}/settings`)).body).toEqual(
        (await owner.get(`/deploy/${id}/settings`)).body,
      );
      const paths = async (of: string): Promise<string[]> =>
        (await owner.get(`/deploy/${of}/files`)).body.files.map(({ path }: { path: string }) => path);
      expect(await paths(copy.id)).toEqual(await paths(id));
      expect((await owner.get(`/deploy/${copy.id}/html`)).body.html).not.toContain(id);
    });

    it('deletes a page at once, restores it, and says why it could not, by the keyboard alone', async () => {
      const owner = await dashboard.owner();
      await owner.deploy({ html: FORM, slug: 'gone-soon' });
      const page = await dashboard.open(owner, '/dashboard');
      const press = async (name: string): Promise<void> => {
        await page.getByRole('button', { name }).first().waitFor();
        await tabTo(page, page.getByRole('button', { name }).first());
        await page.keyboard.press('Enter');
      };
      await press('More for Contact');
      await press('Delete Contact');
      await page.getByRole('heading', { name: 'You have no pages yet' }).waitFor();
      await page.getByText('Contact is in the trash.').waitFor();
      expect(await slugsOf(owner)).toEqual([]);
      await expectAccessible(page);
      await press('Undo');
      await page.getByText('Contact is live again.').waitFor();
      await page.getByRole('link', { name: 'Contact', exact: true }).waitFor();
      expect(await slugsOf(owner)).toEqual(['gone-soon']);
      await press('More for Contact');
      await press('Delete Contact');
      await page.getByText('Contact is in the trash.').waitFor();
      await owner.deploy({ html: FORM, slug: 'gone-soon' });
      await press('Undo');
      await page.getByText('Not undone: The address is taken').waitFor();
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
      expect(await dialog.getByLabel('New address').inputValue()).toBe('was-deleted-again');
      await dialog.getByRole('button', { name: 'Restore it' }).click();
      await page.getByText('Contact is live again.').waitFor();
      await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
      expect(await slugsOf(owner)).toEqual(['was-deleted', 'was-deleted-again']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Restore' }).waitFor();
      expect(await slugsOf(owner)).toEqual(['was-deleted']);
    });

    it('deletes a page for good, by the keyboard alone, once its name is typed', async () => {
      const owner = await dashboard.owner();
      const { id } = await owner.deploy({ html: FORM, slug: 'for-good' });
      await owner.delete(`/deploy/${id}`).expect(200);
      const page = await dashboard.open(owner, '/dashboard/trash');
      await page.getByText('0 submissions').waitFor();
      await tabTo(page, page.getByRole('button', { name: 'Delete for good' }));
      await page.keyboard.press('Enter');
      await tabTo(page, page.getByLabel('Type Contact to confirm'));
      await page.keyboard.type('contact ');
      await page.keyboard.press('Enter');
      await page.getByText('Contact is gone for good.').waitFor();
      expect((await owner.get('/trash')).body.total).toBe(0);
    });
  });
});
