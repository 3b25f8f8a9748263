import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import {
  ADA,
  FORM,
  fillInbox,
  GRACE,
  type Inbox,
  marksOf,
  names,
  newInbox,
  row,
  rows,
} from '../support/inbox-in-browser.ts';

describe.skipIf(!hasChromium())('the list of the inbox', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const inbox = (...sent: (object | string)[]): Promise<Inbox> => newInbox(dashboard, FORM, sent);
  const fill = (id: string, count: number): Promise<void> => fillInbox(dashboard, id, { count });

  it('has the fields of the form as columns, the message in the widest, and counts the others', async () => {
    const others = Object.fromEntries(Array.from({ length: 36 }, (_, index) => [`other${index}`, `Text ${index}`]));
    const { owner, path } = await inbox({
      ...others,
      ...ADA,
      _next: 'https://example.org',
      altcha: 'token',
      empty: '',
    });
    const page = await dashboard.open(owner, path, { viewport: { width: 1280, height: 800 } });
    await page.getByRole('columnheader', { name: 'Your name' }).waitFor();
    expect(await row(page, 'Ada').getByRole('cell').allInnerTexts()).toEqual([
      ...['', '', 'Unread:\nAda', 'ada@example.org', 'When do you open?', '+36'],
      expect.stringMatching(/./),
    ]);
    const widthOf = async (name: string): Promise<number> =>
      (await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0;
    expect(await widthOf('Message')).toBeGreaterThan(await widthOf('E-mail'));
    expect(await widthOf('Message')).toBeGreaterThan(await widthOf('Your name'));
    await row(page, 'Ada').getByRole('link').click();
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('token', { exact: true }).waitFor();
  });

  it('changes all that a search finds, also what is not loaded, and nothing that comes meanwhile', async () => {
    const { owner, path, id, send } = await inbox();
    await fill(id, 120);
    const page = await dashboard.open(owner, `${path}?q=example.org`);
    await row(page, 'Visitor 120').waitFor();
    // A phone has no head of the table with a checkbox for all.
    await page.getByRole('checkbox', { name: 'Select Visitor 120' }).check();
    await page.getByRole('button', { name: 'Select all submissions that match' }).click();
    await page.getByText('all submissions that match selected').waitFor();
    await send(ADA);
    await row(page, 'Ada').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete all submissions that match?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('120 submissions deleted.').waitFor();
    expect(await marksOf(owner, id)).toEqual([['Ada', false, false]]);
  });

  it('has one column, in its row, while a test alone is there in which nothing is filled in', async () => {
    const { owner, id, path } = await inbox();
    await owner.post(`/submissions/${id}/test`).send({}).expect(200);
    const page = await dashboard.open(owner, path);
    const heads = page.getByRole('columnheader');
    await row(page, 'Test').waitFor();
    await expect.poll(() => heads.allInnerTexts()).toEqual(['', 'Star', 'Your name', 'More fields', 'Received']);
    // A column without a text that is chosen all the same is as high as the others.
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'E-mail' }).check();
    const heightOf = async (name: string) =>
      (await page.getByRole('columnheader', { name, exact: true }).boundingBox())?.height;
    expect(await heightOf('E-mail')).toBe(await heightOf('Your name'));
  });

  it('has all pages in one list, which says the page of each', async () => {
    const { owner, id, send } = await inbox(ADA);
    const { id: other } = await owner.deploy({ html: FORM.replace('Ask us', 'Sign up') });
    await owner.send('POST', `/submit/${other}`, JSON.stringify(GRACE));
    const page = await dashboard.open(owner, '/dashboard');
    await page.getByRole('link', { name: 'Inbox 2 unread' }).click();
    await row(page, 'Grace').getByText('Sign up').waitFor();
    await row(page, 'Ada').getByText('Ask us').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(2\) Inbox/);
    await expectAccessible(page);
    await send({ name: 'Edsger' });
    await row(page, 'Edsger').waitFor();
    expect(await names(page)).toEqual(['Edsger', 'Grace', 'Ada']);

    await row(page, 'Grace').getByRole('link').click();
    await page.getByRole('heading', { level: 2, name: 'Grace' }).waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Submission' }).getByRole('link', { name: 'Sign up' }).waitFor();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await row(page, 'Ada').getByRole('checkbox').check();
    await row(page, 'Grace').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Star', exact: true }).click();
    await expect.poll(() => marksOf(owner, other)).toEqual([['Grace', true, true]]);
    await expect
      .poll(() => marksOf(owner, id))
      .toEqual([
        ['Edsger', false, false],
        ['Ada', false, true],
      ]);
  });

  it('changes and exports what a search finds on all pages', async () => {
    const { owner, id } = await inbox();
    const { id: other } = await owner.deploy({ html: FORM.replace('Ask us', 'Sign up') });
    const { id: third } = await owner.deploy();
    await fill(id, 60);
    await fill(other, 30);
    await owner.send('POST', `/submit/${third}`, JSON.stringify(ADA));
    const page = await dashboard.open(owner, '/dashboard/inbox?q=visitor');
    await expect.poll(() => rows(page).count()).toBe(50);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Page', { exact: true }).selectOption('Sign up');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const stream = await (await downloading).createReadStream();
    const lines = Buffer.concat(await stream.toArray())
      .toString()
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(31);
    expect(lines[0]).toBe('\uFEFFid,created_at,ip_address,Your name,E-mail,Message');
    expect(lines[1]).toContain('Visitor 1,');

    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await page.getByRole('button', { name: 'Select all submissions that match' }).click();
    await page.getByRole('button', { name: 'Star', exact: true }).click();
    await page.getByText('90 submissions changed.').waitFor();
    // One after the other: an owner has few exports at a time.
    const counts: number[] = [];
    for (const of of [id, other, third]) {
      const { text } = await owner.get(`/submissions/${of}/export.ndjson?starred=true`).expect(200);
      counts.push(text.split('\n').length - 1);
    }
    expect(counts).toEqual([60, 30, 0]);
  });

  it('names a test, and has no column for what says that it is one', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: '<p>The form is elsewhere.' });
    await owner
      .post(`/submissions/${id}/test`)
      .send({ fields: { color: 'Blue' } })
      .expect(200);
    await owner.post(`/submissions/${id}/test`).send({}).expect(200);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/inbox`);
    await row(page, 'Blue').waitFor();
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
      '',
      'Star',
      'color',
      'More fields',
      'Received',
    ]);
    expect(await names(page)).toEqual(['Test', 'Blue']);
    await row(page, 'Blue').getByRole('link').click();
    await page.getByRole('region', { name: 'Submission' }).getByText('Test', { exact: true }).waitFor();
  });

  it('has the longest texts in the widest column where the page has no form', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: '<p>The form is elsewhere.' });
    await owner.send('POST', `/submit/${id}`, JSON.stringify(ADA));
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/inbox`, {
      viewport: { width: 1280, height: 800 },
    });
    const widthOf = async (name: string): Promise<number> =>
      (await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0;
    expect(await widthOf('message')).toBeGreaterThan(await widthOf('email'));
  });

  it('counts all unread submissions in the title, not those that are shown', async () => {
    const { owner, path, id } = await inbox();
    await fill(id, 120);
    const page = await dashboard.open(owner, `${path}?starred=1`);
    await expect.poll(() => page.title()).toMatch(/^\(120\) Inbox/);
    await page.getByRole('link', { name: 'Inbox', exact: true }).last().click();
    await row(page, 'Visitor 119').getByRole('link').click();
    await expect.poll(() => page.title()).toMatch(/^\(119\) Inbox/);
  });

  it('shows five submissions on a phone at once, and a menu for those that are selected', async () => {
    const { owner, path, id } = await inbox();
    await fill(id, 8);
    const page = await dashboard.open(owner, path, { ...PHONE, viewport: { width: 390, height: 844 } });
    await row(page, 'Visitor 4').waitFor();
    const box = await row(page, 'Visitor 4').boundingBox();
    expect((box?.y ?? 844) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    await expect.poll(() => page.getByRole('button', { name: 'Shortcuts' }).count()).toBe(0);
    await row(page, 'Visitor 8').getByRole('checkbox').tap();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'More' }).tap();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Spam' }).tap();
    await expect.poll(() => rows(page).count()).toBe(7);
  });
});
