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
import { ADA, FORM, fillInbox, GRACE, names, newInbox, row, rows, search } from '../support/inbox-in-browser.ts';

const PARTY = `<!doctype html><html lang="en"><title>Party</title><form action="{{FORM_ACTION}}" method="post">
<label>Your name <input name="name"></label><label>Phone <input name="phone" type="tel"></label>
<label>Guests <input name="guests" type="number"></label><label>Donation <input name="donation" type="number" step="any"></label>
<label>Cakes <select name="cakes"><option>0</option><option>1</option><option>2</option></select></label>
<label>Size <select name="size"><option>S</option><option>40</option></select></label>
<label>Zip <input name="zip"></label><label>Message <textarea name="message"></textarea></label><button>Send</button></form></html>`;
const SENT = [
  { name: 'Ada', phone: '', guests: '2', donation: '0.1', cakes: '1', size: '40', zip: '10115', message: 'Hello' },
  { name: 'Grace', phone: '', guests: '3', donation: '0.2', cakes: '2', size: 'S', zip: '80331', message: 'Bye' },
  { name: 'Edsger', phone: ' ', guests: '', donation: '-1000000000.25', cakes: '0', size: '40', zip: '20095' },
  { name: 'Radia', guests: '1e3', donation: '', cakes: '', size: '' },
] as const;

describe.skipIf(!hasChromium())('the toolbar and the columns of the inbox', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const DESKTOP = { viewport: { width: 1280, height: 800 } };
  const headers = async (page: Page): Promise<string[]> =>
    (await page.getByRole('columnheader').allInnerTexts()).slice(2, -2);
  const menu = (page: Page, name: string) => page.locator('.inbox-bar').getByRole('button', { name });
  const foldersOf = (page: Page) => page.getByRole('navigation', { name: 'Folders' });

  it('is one row of 36 pixels: folders, the search, dates, columns and the export', async () => {
    const { owner, path, id } = await newInbox(dashboard, FORM, [ADA, GRACE]);
    await owner.mark(id, 'spam', [String((await owner.get(`/submissions/${id}/search`)).body.submissions[0].id)]);
    const page = await dashboard.open(owner, path, DESKTOP);
    await row(page, 'Ada').waitFor();
    const bar = page.locator('.inbox-bar');
    expect((await bar.boundingBox())?.height).toBe(36);
    expect(await foldersOf(page).getByRole('link').allTextContents()).toEqual([
      'Inbox ',
      'Unread ',
      'Starred ',
      'Spam 1',
    ]);
    const tops = await bar.locator('a, button, input').evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .map((one) => {
          const { top, height } = one.getBoundingClientRect();
          return `${top} ${height}`;
        }),
    );
    expect(new Set(tops).size).toBe(1);
    await expectAccessible(page);
    for (const name of ['Dates', 'Columns', 'Export', 'More folders', 'Shortcuts']) {
      await tabTo(page, menu(page, name));
    }
  });

  it('has a folder of what is unread, of what has a star, and of what is to do or done', async () => {
    const { owner, path, id } = await newInbox(dashboard, FORM, [ADA, GRACE, { name: 'Edsger' }]);
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    const [edsger, grace, ada] = Array.from(body.submissions, ({ id: one }) => String(one));
    await owner.mark(id, 'read', [ada, edsger]);
    await owner.mark(id, 'star', [ada]);
    await owner.mark(id, 'done', [edsger]);
    const page = await dashboard.open(owner, path, DESKTOP);
    await row(page, 'Ada').waitFor();
    const shows = (folder: string, wanted: string[]) =>
      expect
        .poll(async () => [await names(page), await foldersOf(page).locator('> [aria-current]').innerText()])
        .toEqual([wanted, folder]);
    await foldersOf(page).getByRole('link', { name: 'Unread' }).click();
    await shows('Unread', ['Grace']);
    await foldersOf(page).getByRole('link', { name: 'Starred' }).click();
    await shows('Starred', ['Ada']);
    for (const [folder, wanted] of [
      ['To do', ['Grace', 'Ada']],
      ['Done', ['Edsger']],
    ] as const) {
      await menu(page, 'More folders').click();
      await page.locator('.menu').getByRole('link', { name: folder, exact: true }).click();
      await shows(folder, [...wanted]);
    }
    await expectAccessible(page);
    await owner.mark(id, 'read', [grace]);
    await foldersOf(page).getByRole('link', { name: 'Unread' }).click();
    await page.getByRole('heading', { name: 'Nothing is unread' }).waitFor();
    await foldersOf(page).getByRole('link', { name: 'Inbox', exact: true }).click();
    await shows('Inbox', ['Edsger', 'Grace', 'Ada']);
  });

  it('keeps the search from one folder to another', async () => {
    const { owner, path, id } = await newInbox(dashboard, FORM, [ADA, GRACE]);
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    await owner.mark(id, 'star', [String(body.submissions[0].id), String(body.submissions[1].id)]);
    const page = await dashboard.open(owner, path, DESKTOP);
    await search(page).fill('grace');
    await page.getByText('1 found').waitFor();
    await foldersOf(page).getByRole('link', { name: 'Starred' }).click();
    await expect.poll(() => page.url()).toMatch(/\?q=grace&starred=1$/);
    await expect.poll(() => names(page)).toEqual(['Grace']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => names(page)).toEqual(['Grace', 'Ada']);
    expect(page.url()).toMatch(/\?starred=1$/);
  });

  it('shows the days of a preset, in the zone of the browser', async () => {
    const { owner, path, id } = await newInbox(dashboard, FORM);
    await fillInbox(dashboard, id, { count: 6 });
    const ages = [0, 6, 7, 29, 30, 400];
    // Noon in Auckland, whose day differs from that of UTC for half of the time.
    await dashboard.db.raw(
      `UPDATE submissions SET created_at = (date_trunc('day', now() AT TIME ZONE 'Pacific/Auckland') + interval '1 minute'
                                            - (CAST(:ages AS int[]))[7 - number] * interval '1 day') AT TIME ZONE 'Pacific/Auckland'
        WHERE deployment_id = :id`,
      { ages, id },
    );
    const page = await dashboard.open(owner, path, { ...DESKTOP, timezoneId: 'Pacific/Auckland' });
    await row(page, 'Visitor 6').waitFor();
    for (const [preset, count] of [
      ['Today', 1],
      ['Last 7 days', 2],
      ['Last 30 days', 4],
    ] as const) {
      await page.locator('.inbox-menus').getByRole('button').first().click();
      await page.getByRole('button', { name: preset, exact: true }).last().click();
      await page.getByText(`${count} found`).waitFor();
      await menu(page, preset).waitFor();
    }
    await page.locator('.inbox-menus').getByRole('button').first().click();
    await page.getByRole('button', { name: 'This month' }).click();
    const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')");
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(`${today.slice(0, 8)}01`);
    await page.locator('.inbox-menus').getByRole('button').first().click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'All dates' }).click();
    await expect.poll(() => rows(page).count()).toBe(6);
  });

  it('has columns that one chooses, in the order of the form, kept for the page', async () => {
    const { owner, path } = await newInbox(dashboard, PARTY, SENT);
    const other = await newInbox(dashboard, PARTY, SENT.slice(0, 1));
    const page = await dashboard.open(owner, path, DESKTOP);
    // Nobody has given a phone number: the column steps back.
    await expect.poll(() => headers(page)).toEqual(['Your name', 'Guests', 'Message']);
    await menu(page, 'Columns').click();
    const choices = page.getByRole('group', { name: 'Columns' });
    expect(await choices.locator('label, p').allInnerTexts()).toEqual([
      ...['Your name', 'Guests', 'Donation', 'Cakes', 'Size', 'Zip', 'Message', 'Empty in all submissions', 'Phone'],
    ]);
    await expectAccessible(page);
    await choices.getByLabel('Message').uncheck();
    await choices.getByLabel('Zip').check();
    await choices.getByLabel('Phone').check();
    expect(await headers(page)).toEqual(['Your name', 'Phone', 'Guests', 'Zip']);
    await page.keyboard.press('Escape');
    const widthOf = async (name: string): Promise<number> =>
      (await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0;
    expect(await widthOf('Phone')).toBeLessThan(await widthOf('Guests'));
    await page.reload();
    await expect.poll(() => headers(page)).toEqual(['Your name', 'Phone', 'Guests', 'Zip']);

    const elsewhere = await dashboard.open(other.owner, other.path, DESKTOP);
    await expect.poll(() => headers(elsewhere)).toEqual(['Your name', 'Guests', 'Message']);
    await menu(page, 'Columns').click();
    for (const name of ['Your name', 'Phone', 'Guests']) await choices.getByLabel(name).uncheck();
    // One stays: a list without a column would say nothing.
    await choices.getByLabel('Zip').click();
    expect(await headers(page)).toEqual(['Zip']);
    await page.getByRole('button', { name: 'Choose them for me' }).click();
    await expect.poll(() => headers(page)).toEqual(['Your name', 'Guests', 'Message']);
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  it('adds up number fields of what is shown, exactly, and no other fields and no tests', async () => {
    const { owner, path, id } = await newInbox(dashboard, PARTY, SENT);
    await owner
      .post(`/submissions/${id}/test`)
      .send({ fields: { name: 'Trial', guests: '500' } })
      .expect(200);
    const page = await dashboard.open(owner, path, { ...DESKTOP, locale: 'en' });
    const sums = page.getByRole('region', { name: 'Sums' });
    await row(page, 'Trial').waitFor();
    await expect
      .poll(() => sums.locator('dt, dd').allInnerTexts())
      .toEqual(['Guests', '5', 'Donation', '−999,999,999.95', 'Cakes', '3']);
    await expectAccessible(page);
    await search(page).fill('grace');
    await expect
      .poll(() => sums.locator('dt, dd').allInnerTexts())
      .toEqual(['Guests', '3', 'Donation', '0.2', 'Cakes', '2']);
  });

  it('says of how many the sums are, and adds up all', async () => {
    const { owner, path, id } = await newInbox(dashboard, PARTY);
    await fillInbox(dashboard, id, { count: 260 });
    await dashboard.db.raw(`UPDATE submissions SET data = '{"name":"A","guests":"2"}' WHERE deployment_id = ?`, [id]);
    const page = await dashboard.open(owner, path, { viewport: { width: 1280, height: 400 } });
    const sums = page.getByRole('region', { name: 'Sums' });
    await sums.getByText(/^Sum of the newest \d+/).waitFor();
    expect(Number(await sums.locator('dd').innerText())).toBeLessThan(520);
    await sums.getByRole('button', { name: 'Sum of all' }).click();
    await expect.poll(() => sums.locator('p, dd').allInnerTexts()).toEqual(['Sum', '520']);
    expect(await rows(page).count()).toBe(260);
  });

  it('leaves the first message of a phone within 220 pixels from the top', async () => {
    const { owner, path, id } = await newInbox(dashboard, FORM, [ADA]);
    const page = await dashboard.open(owner, path, { ...PHONE, viewport: { width: 390, height: 844 } });
    await row(page, 'Ada').waitFor();
    const topOf = async (): Promise<number> => (await rows(page).first().boundingBox())?.y ?? 999;
    await expect.poll(topOf).toBeLessThanOrEqual(220);
    await expectAccessible(page);
    await page.goto(`${dashboard.origin}/dashboard/inbox`);
    await row(page, 'Ada').waitFor();
    await expect.poll(topOf).toBeLessThanOrEqual(220);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/inbox`);
    await page.locator('.folder-menu').getByRole('button', { name: 'Inbox' }).tap();
    await expectAccessible(page);
    await page.locator('.menu').getByRole('link', { name: 'Starred' }).tap();
    await page.getByRole('heading', { name: 'Nothing has a star' }).waitFor();
  });

  it('keeps thousands of rows as they are when one of them changes', async () => {
    const { owner, path, id } = await newInbox(dashboard, PARTY);
    await fillInbox(dashboard, id, { count: 3_000 });
    await dashboard.db.raw(
      `UPDATE submissions SET data = CAST(json_build_object('name', 'Visitor ' || number, 'guests', '1') AS json) WHERE deployment_id = ?`,
      [id],
    );
    const page = await dashboard.open(owner, path, DESKTOP);
    // By classes: finding roles among so many rows takes long.
    await page.locator('.inbox-sums button').click();
    await expect.poll(() => page.locator('.inbox-sums dd').innerText()).toBe('3,000');
    const all = page.locator('.inbox-body > .inbox-row');
    expect(await all.count()).toBe(3_000);
    // A star changes one row, and nothing else of the table.
    await page.evaluate(`globalThis.changed = new Set();
      new MutationObserver((all) => all.forEach(({ target }) => changed.add(target.closest('.inbox-row')?.querySelector('a').id)))
        .observe(document.querySelector('.inbox-body'), { subtree: true, childList: true, attributes: true })`);
    await page.locator('.star').nth(1).click();
    await page.locator('.star[aria-pressed="true"]').waitFor();
    expect(await page.evaluate('changed.size')).toBe(1);
    await all.last().scrollIntoViewIfNeeded();
    await expect.poll(() => all.last().locator('a .line').innerText()).toBe('Visitor 1');
  });
});
