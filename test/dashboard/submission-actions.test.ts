import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
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
  row,
  rows,
} from '../support/inbox-in-browser.ts';

const EDSGER = { name: 'Edsger', email: 'edsger@example.org', message: 'Hello' };
const DESKTOP = { viewport: { width: 1280, height: 800 } };

describe.skipIf(!hasChromium())('what one does with submissions', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const inbox = (...sent: (object | string)[]): Promise<Inbox> => newInbox(dashboard, FORM, sent);
  const open = async (page: Page, name: string): Promise<void> => {
    await row(page, name).getByRole('link').click();
    await page.getByRole('heading', { level: 2, name }).waitFor();
  };
  const detail = (page: Page) => page.getByRole('region', { name: 'Submission' });
  const button = (page: Page, name: string) => detail(page).getByRole('button', { name, exact: true });

  it('has its name at 24 pixels, Reply as the main thing, pictures with names, and technical things folded', async () => {
    const { owner, path } = await inbox({ ...ADA, _hp: '', altcha: 'token', _next: 'https://example.org' });
    const page = await dashboard.open(owner, path, DESKTOP);
    await open(page, 'Ada');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.inbox-detail h2')).fontSize")).toBe('24px');
    const reply = detail(page).getByRole('link', { name: 'Reply' });
    expect(await reply.getAttribute('class')).toContain('main');
    const pictures = detail(page).getByRole('button');
    await expect
      .poll(() => pictures.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))))
      .toEqual(['Done', 'Star', 'Mark unread', 'Copy as text', 'Print', 'Spam', 'Delete']);
    expect(await detail(page).locator('summary').allInnerTexts()).toEqual(['Details']);
    expect(await page.getByText(/technical field/).count()).toBe(0);
    await page.getByText('None of the last 100 deliveries').waitFor({ state: 'hidden' });
    await expectAccessible(page);
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('None of the last 100 deliveries').waitFor();
    // An empty honeypot says nothing.
    expect(await detail(page).locator('.submission-details dt').allInnerTexts()).toEqual(['altcha', '_next']);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
  });

  it('keeps a note that one types, also where one goes on at once, and says when it is too long', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE);
    const notes = async (): Promise<unknown> =>
      Array.from((await owner.get(`/submissions/${id}/search`)).body.submissions, ({ note }) => note);
    const page = await dashboard.open(owner, path, DESKTOP);
    await open(page, 'Ada');
    const note = page.getByRole('textbox', { name: 'Note' });
    await note.fill('Called back\non Monday. 🎉');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await notes()).toEqual(['', 'Called back\non Monday. 🎉']);
    await row(page, 'Ada').getByText('(with a note)').waitFor();
    await note.fill('Called back on Tuesday');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('heading', { level: 2, name: 'Grace' }).waitFor();
    expect(await note.inputValue()).toBe('');
    await expect.poll(notes).toEqual(['', 'Called back on Tuesday']);

    await note.fill('x'.repeat(2_001));
    await page.getByText('A note has at most 2,000 characters.').waitFor();
    await expectAccessible(page);
    await note.fill('🎉'.repeat(2_000));
    await expect.poll(notes).toEqual(['🎉'.repeat(2_000), 'Called back on Tuesday']);
    await note.fill('');
    await expect.poll(notes).toEqual(['', 'Called back on Tuesday']);
    await page.reload();
    await open(page, 'Ada');
    expect(await note.inputValue()).toBe('Called back on Tuesday');
    // The tab is closed before the moment after the last key.
    await note.fill('Called back on Wednesday');
    await page.goto('about:blank');
    await expect.poll(notes).toEqual(['', 'Called back on Wednesday']);
  });

  it('says when a note could not be saved, and saves it when the connection is back', async () => {
    const { owner, path, id } = await inbox(ADA);
    const page = await dashboard.open(owner, path);
    await open(page, 'Ada');
    await expect.poll(() => marksOf(owner, id)).toEqual([['Ada', true, false]]);
    await page.context().setOffline(true);
    await page.getByRole('textbox', { name: 'Note' }).fill('Later');
    await page.getByText('Not saved').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Saved', { exact: true }).waitFor();
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    expect(body.submissions[0].note).toBe('Later');
  });

  it('is done, and open again, one or several at once', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE, EDSGER);
    const page = await dashboard.open(owner, path, DESKTOP);
    await open(page, 'Ada');
    await button(page, 'Done').click();
    await detail(page).getByText('Done', { exact: true }).waitFor();
    await expect.poll(() => button(page, 'Done').getAttribute('aria-pressed')).toBe('true');
    await row(page, 'Ada').getByText('Done: ').waitFor();
    await expect.poll(() => doneOf(owner, id)).toEqual(['Ada']);
    await page.keyboard.press('d');
    await expect.poll(() => doneOf(owner, id)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await row(page, 'Grace').getByRole('checkbox').check();
    await row(page, 'Edsger').getByRole('checkbox').check();
    await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => doneOf(owner, id)).toEqual(['Edsger', 'Grace']);
    await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Open again' }).click();
    await expect.poll(() => doneOf(owner, id)).toEqual([]);
  });

  it('is printed without the frame, and copied as text', async () => {
    const { owner, path, id } = await inbox(
      { ...ADA, message: 'When do\r\nyou open?', _next: 'https://example.org' },
      GRACE,
    );
    await owner
      .patch(`/submissions/${id}/${String((await owner.get(`/submissions/${id}`)).body.submissions[1].id)}`)
      .send({ note: 'Call back' })
      .expect(200);
    const page = await dashboard.open(owner, path, { ...DESKTOP, locale: 'en-GB' });
    await open(page, 'Ada');
    await page.getByRole('term').filter({ hasText: 'Your name' }).waitFor();
    await button(page, 'Copy as text').click();
    await page.getByText('Copied as text.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^Ask us, \d+ \w+ \d{4} at \d\d:\d\d\n\nYour name: Ada\nE-mail: ada@example\.org\nMessage: When do\nyou open\?\n$/,
    );
    await page.evaluate('globalThis.printed = 0; globalThis.print = () => { printed += 1 }');
    await button(page, 'Print').click();
    expect(await page.evaluate('printed')).toBe(1);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const shown = (await page.locator('body').innerText()).split(/\r?\n/).filter((line) => line.trim() !== '');
    expect(shown).toEqual([
      'Ada',
      expect.stringMatching(/^\d+ \w+ \d{4} at \d\d:\d\d · Ask us$/),
      ...['Your name', 'Ada', 'E-mail', 'ada@example.org', 'Message', 'When do', 'you open?', 'Note'],
    ]);
    expect(await page.getByRole('textbox', { name: 'Note' }).isVisible()).toBe(true);
    // Black on white, however dark the screen is.
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');
  });

  it('saves those that are selected as CSV, which runs no formulas', async () => {
    const { owner, path, id } = await inbox({ ...ADA, message: '=1+1', _next: 'https://example.org' }, GRACE, {
      name: 'Ümit "the" one',
      email: 'x@example.org',
      message: 'a,b\r\nc',
      extra: '',
    });
    const page = await dashboard.open(owner, path, DESKTOP);
    await page.getByRole('columnheader', { name: 'Your name' }).waitFor();
    await row(page, 'Ada').getByRole('checkbox').check();
    await row(page, 'Ümit').getByRole('checkbox').check();
    const save = async (): Promise<string> => {
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^ask-us.*-selection-\d{4}-\d\d-\d\d\.csv$/);
      return Buffer.concat(await (await download.createReadStream()).toArray()).toString();
    };
    const text = await save();
    expect(text.startsWith('\uFEFFid,created_at,ip_address,')).toBe(true);
    const exported = await owner.get(`/submissions/${id}/export.csv?labels=1`).expect(200);
    const lines = (csv: string): string[][] => parse(csv, { bom: true });
    const [head, ada, , umit] = lines(exported.text);
    expect(lines(text)).toEqual([head, umit, ada]);
  });

  it('comes back after it was deleted, or called spam: one, from its own view', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, path, DESKTOP);
    await open(page, 'Ada');
    await button(page, 'Star').click();
    await expect
      .poll(() => marksOf(owner, id))
      .toEqual([
        ['Grace', false, false],
        ['Ada', true, true],
      ]);
    await button(page, 'Delete').click();
    await page.getByText('1 submission deleted.').waitFor();
    await expect.poll(() => names(page)).toEqual(['Grace']);
    expect(await marksOf(owner, id)).toEqual([['Grace', false, false]]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(page)).toEqual(['Grace', 'Ada']);
    expect(await marksOf(owner, id)).toEqual([
      ['Grace', false, false],
      ['Ada', true, true],
    ]);
    await open(page, 'Ada');
    await page.getByRole('textbox', { name: 'Note' }).fill('Important');
    await page.getByText('Saved', { exact: true }).waitFor();
    await button(page, 'Spam').click();
    await page.getByText('1 submission moved to spam.').waitFor();
    await expect.poll(() => names(page)).toEqual(['Grace']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => names(page)).toEqual(['Grace', 'Ada']);
    await expect
      .poll(() => marksOf(owner, id))
      .toEqual([
        ['Grace', false, false],
        ['Ada', true, true],
      ]);
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    expect(body.submissions[1].note).toBe('Important');
  });

  it('comes back: all that a search has found', async () => {
    const { owner, path, id } = await inbox();
    await fillInbox(dashboard, id, { count: 60 });
    const page = await dashboard.open(owner, `${path}?q=visitor`, DESKTOP);
    await row(page, 'Visitor 60').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Select all submissions that match' }).click();
    await page.keyboard.press('End');
    await expect.poll(() => rows(page).count()).toBe(60);
    await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('60 submissions deleted.').waitFor();
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rows(page).count()).toBe(60);
    const { body } = await owner.get(`/submissions/${id}/trash`).expect(200);
    expect(body.total).toBe(0);
    expect((await names(page))[0]).toBe('Visitor 60');
  });

  it('says in its head how many places are taken, and that the form is full or not open yet', async () => {
    const { owner, path, id } = await inbox(ADA);
    const opensAt = '2099-11-30T09:00:00.000Z';
    await owner.patch(`/deploy/${id}`).send({ opens_at: opensAt }).expect(200);
    const page = await dashboard.open(owner, '/dashboard/help', { ...DESKTOP, locale: 'en-GB', timezoneId: 'UTC' });
    const head = page.locator('.view-head');
    const { body: overview } = await owner.get(`/overview/${id}`).expect(200);
    for (const [state, text] of [
      ['full', /12 of 40\s*places taken\s*Full/],
      ['not-open', /12 of 40\s*places taken\s*Opens Mon,? 30 Nov,? (?:at )?9:00/],
      ['closed', /12 of 40\s*places taken\s*Closed/],
      ['open', /12 of 40\s*places taken$/],
    ] as const) {
      await page.unrouteAll();
      await page.route(`**/overview/${id}`, (route) =>
        route.fulfill({ json: { ...overview, state, places: { taken: 12, of: 40 } } }),
      );
      await page.goto(dashboard.origin + path);
      await expect.poll(() => head.innerText()).toMatch(text);
    }
    await expectAccessible(page);
  });

  it('asks before it deletes more than one press brings back, which the trash still has', async () => {
    const { owner, path, id } = await inbox();
    await fillInbox(dashboard, id, { count: 130 });
    const page = await dashboard.open(owner, path, DESKTOP);
    await row(page, 'Visitor 130').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Select all 130 submissions' }).click();
    await page.keyboard.press('#');
    const dialog = page.getByRole('dialog', { name: 'Delete all 130 submissions?' });
    await dialog.getByText('They stay in the trash for 7 days.').waitFor();
    await page.keyboard.press('Escape');
    expect((await owner.get(`/submissions/${id}/search`)).body.total).toBe(130);
    await page.keyboard.press('#');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('130 submissions deleted.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await owner.get(`/submissions/${id}/trash`)).body.total).toBe(130);
  });

  it('says what was not undone', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE);
    const page = await dashboard.open(owner, path, DESKTOP);
    await row(page, 'Ada').getByRole('checkbox').check();
    await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 submission deleted.').waitFor();
    const { body } = await owner.get(`/submissions/${id}/trash`).expect(200);
    await owner.delete(`/submissions/${id}/trash/${String(body.submissions[0].id)}`).expect(200);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/^Not undone: /).waitFor();
    await expect.poll(() => names(page)).toEqual(['Grace']);
  });

  it('is in the trash once it was deleted, where it is read, restored or erased', async () => {
    const { owner, path, id } = await inbox(ADA, GRACE, EDSGER);
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    await owner.mark(
      id,
      'delete',
      Array.from(body.submissions, ({ id: one }) => String(one)),
    );
    const page = await dashboard.open(owner, path, DESKTOP);
    await page.getByRole('button', { name: 'More folders' }).click();
    await page.locator('.menu').getByRole('link', { name: 'Trash' }).click();
    await page.getByText('Ada', { exact: false }).first().click();
    await page.getByText('When do you open?').filter({ visible: true }).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Restore' }).filter({ visible: true }).click();
    await page.getByText('1 submission in the inbox again.').waitFor();
    await expect.poll(() => focusedText(page)).toContain('Inbox');
    await page.getByRole('checkbox', { name: 'Select Grace' }).check();
    await page.getByRole('checkbox', { name: 'Select Edsger' }).check();
    await page.getByRole('button', { name: 'Delete for good' }).filter({ visible: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 submissions for good?' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    expect((await owner.get(`/submissions/${id}/trash`)).body.total).toBe(0);
    expect(await marksOf(owner, id)).toEqual([['Ada', false, false]]);
    const phone = await dashboard.open(owner, `${path}?view=trash`, PHONE);
    await phone.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    await expectAccessible(phone);
  });

  it('is searched for in the spam folder, and released where it is read', async () => {
    const { owner, path, id } = await inbox();
    await fillInbox(dashboard, id, { count: 120 });
    const ids = [];
    for (let cursor = ''; ; ) {
      const { body } = await owner.get(`/submissions/${id}/search?limit=100${cursor}`).expect(200);
      ids.push(...Array.from(body.submissions, ({ id: one }) => String(one)));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    await owner.mark(id, 'spam', ids);
    const page = await dashboard.open(owner, `${path}?view=spam`, PHONE);
    await page.getByText('50 of 120 submissions').waitFor();
    // Beyond what the list has read.
    await page.getByRole('searchbox').fill('vISITOR 7');
    await page.getByText('11 submissions found').waitFor();
    expect(page.url()).toContain('?view=spam&q=vISITOR');
    await page.getByRole('searchbox').fill('visitor 77');
    await page.getByText('1 submission found').waitFor();
    await page.locator('summary').click();
    await page.getByRole('button', { name: 'Not spam' }).click();
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
    expect(await marksOf(owner, id)).toEqual([['Visitor 77', false, false]]);
    await page.getByRole('searchbox').fill('');
    await page.getByText('50 of 119 submissions').waitFor();
    await page.getByRole('button', { name: 'Delete all spam' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete all spam?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await owner.get(`/deploy/${id}/spam`)).body.total).toBe(119);
  });
});
