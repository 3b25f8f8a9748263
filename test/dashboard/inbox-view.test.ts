import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';
import {
  ADA,
  doneOf,
  FORM,
  fillInbox,
  focusedText,
  GRACE,
  type Inbox,
  marksOf,
  names,
  newInbox,
  ROW_HEIGHT,
  row,
  rows,
  search,
} from '../support/inbox-in-browser.ts';

/** In pixels. */
const CARD_HEIGHT = 72;

describe.skipIf(!hasChromium())('the inbox', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const inbox = (...sent: (object | string)[]): Promise<Inbox> => newInbox(dashboard, FORM, sent);
  const fill = (id: string, count: number): Promise<void> => fillInbox(dashboard, id, { count });

  it('has the address of the visitor in a column, as forms of other services name its field', async () => {
    const moved = (name: string): string =>
      `<!doctype html><title>Moved</title><form action="{{FORM_ACTION}}" method="post"><input type="hidden" name="access_key"
       value="k"><label>Your address <input name="${name}"></label><label>Note <textarea name="note"></textarea></label>
       <input type="hidden" name="_subject" value="x"><button>Send</button></form>`;
    for (const [name, html, headers] of [
      ['_replyto', moved('_replyto'), ['Your address', 'Note']],
      ['replyto', moved('replyto'), ['Your address', 'Note']],
      ['_replyto', '<!doctype html><title>Without a form</title>', ['note', '_replyto']],
    ] as const) {
      const sent = { access_key: 'k', note: 'When do you open?', [name]: 'ada@home.example', _subject: 'Hello' };
      const { owner, path } = await newInbox(dashboard, html, [sent]);
      const page = await dashboard.open(owner, path);
      await expect
        .poll(() => page.getByRole('columnheader').allInnerTexts())
        .toEqual(['', 'Star', ...headers, 'More fields', 'Received']);
      await row(page, 'ada@home.example').getByRole('link').click();
      await page.getByText('Details', { exact: true }).waitFor();
      await page.locator('.fields').first().getByRole('link', { name: 'ada@home.example' }).waitFor();
    }
  });

  it('shows what came in, newest first, and opens it: with the mouse', async () => {
    const { owner, path, id, send } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, '/dashboard');
    await page.getByRole('link', { name: 'Ask us', exact: true }).click();
    await row(page, 'Ada').waitFor();
    expect(await names(page)).toEqual(['Grace', 'Ada']);
    await expect
      .poll(() => page.getByRole('columnheader').allInnerTexts())
      .toEqual(['', 'Star', 'Your name', 'E-mail', 'Message', 'More fields', 'Received']);

    await row(page, 'Ada').getByRole('link', { name: 'Unread: Ada' }).click();
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    expect(page.url()).toContain(`${path}/sub_`);
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('Version 1').waitFor();
    await row(page, 'Ada').getByRole('link', { name: 'Ada', exact: true }).waitFor();
    expect(await marksOf(owner, id)).toEqual([
      ['Grace', false, false],
      ['Ada', true, false],
    ]);

    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('heading', { level: 2, name: 'Grace' }).waitFor();
    await expect
      .poll(() => marksOf(owner, id))
      .toEqual([
        ['Grace', true, false],
        ['Ada', true, false],
      ]);
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor({ state: 'detached' });

    await send({ name: 'Edsger', message: 'Live' });
    await row(page, 'Edsger').waitFor();
    expect(await names(page)).toEqual(['Edsger', 'Grace', 'Ada']);
    await expect.poll(() => page.title()).toMatch(/^\(1\) Inbox/);
  });

  it('does everything with the keyboard alone', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE, { name: 'Edsger' });
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').waitFor();
    const { keyboard } = page;
    await keyboard.press('j');
    await expect.poll(() => focusedText(page)).toContain('Edsger');
    await keyboard.press('j');
    await expect.poll(() => focusedText(page)).toContain('Grace');
    await keyboard.press('s');
    await keyboard.press('e');
    await expect
      .poll(() => marksOf(owner, id))
      .toEqual([
        ['Edsger', false, false],
        ['Grace', true, true],
        ['Ada', false, false],
      ]);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Grace' }).waitFor();
    await keyboard.press('j');
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(() => focusedText(page)).toContain('Ada');

    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });

    await keyboard.press('/');
    await keyboard.type('e#jx grace');
    expect(await search(page).inputValue()).toBe('e#jx grace');
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    await search(page).fill('grace');
    await row(page, 'Grace').waitFor();
    expect(page.url()).toContain('?q=grace');
    await search(page).fill('');
    await row(page, 'Edsger').waitFor();
    await search(page).blur();

    await keyboard.press('k');
    await keyboard.press('x');
    await keyboard.press('j');
    await keyboard.press('x');
    await page.getByText('2 submissions selected').waitFor();
    await keyboard.press('#');
    await page.getByText('2 submissions deleted.').waitFor();
    expect(await marksOf(owner, id)).toHaveLength(1);
    await keyboard.press('u');
    await expect.poll(() => names(page)).toEqual(['Edsger', 'Grace', 'Ada']);
    expect(await marksOf(owner, id)).toEqual([
      ['Edsger', false, false],
      ['Grace', true, true],
      ['Ada', true, false],
    ]);
    await keyboard.press('Escape');
    await expect.poll(() => focusedText(page)).toContain('Edsger');
    await keyboard.press('d');
    await expect.poll(() => doneOf(owner, id)).toEqual(['Edsger']);
    await row(page, 'Edsger').getByText('Done: ').waitFor();
    await keyboard.press('d');
    await expect.poll(() => doneOf(owner, id)).toEqual([]);
    const star = page.getByRole('button', { name: 'Star Ada' });
    await tabTo(page, star);
    await keyboard.press('Space');
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
  });

  it('selects from where one began, and only what is shown; clears the dates', async () => {
    const { owner, path, send } = await inbox({ name: 'One' }, { name: 'Two' }, { name: 'Three' });
    const page = await dashboard.open(owner, path);
    await row(page, 'Two').getByRole('checkbox').check();
    await send({ name: 'Four' });
    await row(page, 'Four').waitFor();
    await row(page, 'One')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('2 submissions selected').waitFor();
    expect(await row(page, 'Three').getByRole('checkbox').isChecked()).toBe(false);
    await search(page).fill('three');
    await page.getByText('1 found').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.goto(`${dashboard.origin}${path}?from=2020-01-01&to=2020-01-31`);
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await row(page, 'One').waitFor();
    await page.getByRole('button', { name: 'Dates' }).click();
    expect(await page.getByLabel('From').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('');
  });

  it('reads on while one scrolls, and keeps the rows where they are', async () => {
    const { owner, path, id, send } = await inbox();
    await fill(id, 300);
    const page = await dashboard.open(owner, path);
    await row(page, 'Visitor 300').waitFor();
    await page.getByPlaceholder('Search 300 submissions').waitFor();
    expect(await rows(page).count()).toBeLessThan(200);
    await row(page, 'Visitor 300').getByRole('checkbox').check();
    for (const place of [100, 150, 200]) {
      await expect
        .poll(async () => {
          await page.evaluate(`scrollTo(0, ${place * ROW_HEIGHT})`);
          return row(page, `Visitor ${300 - place}`).isVisible();
        })
        .toBe(true);
    }
    const top = async (): Promise<number> => Math.round((await row(page, 'Visitor 100').boundingBox())?.y ?? 0);
    const before = await top();
    await send({ name: 'Visitor 301' });
    await row(page, 'Visitor 301').waitFor();
    expect(await top()).toBe(before);
    await row(page, 'Visitor 60').getByRole('checkbox').check();
    await page.getByText('2 submissions selected').waitFor();
    await page.keyboard.press('End');
    await row(page, 'Visitor 1').last().waitFor();
    // The text of rows that are not on the screen is not rendered.
    expect(await rows(page).locator('a .line').allTextContents()).toEqual(
      Array.from({ length: 301 }, (_, index) => `Visitor ${301 - index}`),
    );
  });

  it('is made of cards on a phone, and one submission has the screen', async () => {
    const { owner, path } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, path, PHONE);
    await row(page, 'Ada').waitFor();
    await row(page, 'Ada').getByRole('link').tap();
    await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor();
    expect(await row(page, 'Grace').isVisible()).toBe(false);
    await page.goBack();
    await row(page, 'Grace').waitFor();
    await row(page, 'Grace').getByRole('button', { name: 'Star Grace' }).tap();
    await page.locator('.folder-menu').getByRole('button', { name: 'Inbox' }).tap();
    await page.getByRole('link', { name: 'Starred' }).tap();
    await expect.poll(() => names(page)).toEqual(['Grace']);
  });

  it('is where one left it, when one comes back on a phone', async () => {
    const { owner, path, id } = await inbox();
    await fill(id, 200);
    const page = await dashboard.open(owner, path, PHONE);
    await row(page, 'Visitor 200').waitFor();
    await expect.poll(() => rows(page).count()).toBe(50);
    await page.evaluate(`scrollTo(0, ${49 * CARD_HEIGHT})`);
    await row(page, 'Visitor 153').getByRole('link').tap();
    await page.getByRole('heading', { level: 2, name: 'Visitor 153' }).waitFor();
    await page.getByRole('link', { name: 'Older' }).tap();
    await page.getByRole('heading', { level: 2, name: 'Visitor 152' }).waitFor();
    // Beyond what the list had read when it was hidden.
    for (let number = 151; number > 97; number -= 1) {
      await page.keyboard.press('j');
      await page.getByRole('heading', { level: 2, name: `Visitor ${number}`, exact: true }).waitFor();
    }
    await page.getByRole('link', { name: 'Back to the list' }).tap();
    await expect.poll(() => row(page, 'Visitor 98').isVisible()).toBe(true);
    const { y = -1, height = 0 } = (await row(page, 'Visitor 98').boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(await page.evaluate<number>('innerHeight'));
  });

  it('says what was not saved, and comes back by itself', async () => {
    const { owner, path, send } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, path);
    await row(page, 'Ada').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Star Ada' }).click();
    await page.getByText('Not saved: There is no connection to the service.').waitFor();
    expect(await page.getByRole('button', { name: 'Star Ada' }).getAttribute('aria-pressed')).toBe('false');
    await search(page).fill('grace');
    await page.getByText('There is no connection to the service. It is tried again').waitFor();
    await page.waitForURL(/q=grace/);
    await send({ name: 'While away' });
    await page.context().setOffline(false);
    await row(page, 'Grace').waitFor();
    expect(await search(page).inputValue()).toBe('grace');
    await search(page).fill('');
    await row(page, 'While away').waitFor();
  });

  it('says that visitors were turned away, and leads to the setting', async () => {
    const { owner, path, id } = await inbox();
    await dashboard.db('turned_away').insert({ deployment_id: id, day: new Date(), count: 12 });
    const page = await dashboard.open(owner, path);
    await page.getByText('About 12 visitors could not send in the last 7 days').waitFor();
    // The list, too, has come.
    await page.getByRole('heading', { name: 'Nothing was sent yet' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Accept more a minute' }).click();
    await page.getByLabel('Submissions a minute').waitFor();
  });

  it('says what to do while nothing was sent, and shows the first submission', async () => {
    const { owner, path, send } = await inbox();
    const page = await dashboard.open(owner, path);
    await page.getByRole('heading', { name: 'Nothing was sent yet' }).waitFor();
    await send(ADA);
    await row(page, 'Ada').waitFor();
    await page.goto(`${page.url()}/sub_000000000000000000000000`);
    await page.getByRole('heading', { name: 'This submission is not there' }).waitFor();
  });

  it('shows how far a search has come', async () => {
    const { owner, path, id } = await inbox();
    await fill(id, 100);
    const { body } = await owner.get(`/submissions/${id}?limit=60`).expect(200);
    const page = await dashboard.open(owner, path);
    await row(page, 'Visitor 100').waitFor();
    // The search takes long: a part of its answer comes at once, and the rest only later.
    const cursor: string = body.submissions.at(-1).id;
    const shown = Promise.withResolvers<void>();
    const asked: (string | null)[] = [];
    await page.route(/\/search\?.*\bq=nobody/, async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('cursor'));
      if (asked.length === 2) await shown.promise;
      const part = { submissions: [], next_cursor: asked.length === 1 ? cursor : null, searched: 60, total: 100 };
      return route.fulfill({ json: part });
    });
    await search(page).fill('nobody');
    await page.getByText(/^0 found, 60 of 100 searched$/).waitFor();
    shown.resolve();
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    await page.getByText(/^0 found$/).waitFor();
    expect(asked).toEqual([null, cursor]);
    await page.getByRole('button', { name: 'Clear' }).click();
    await row(page, 'Visitor 100').first().waitFor();
  });
});
