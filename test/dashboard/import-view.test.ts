import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  expectFitting,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { textsOf } from '../support/dashboard-texts.ts';

/* The import of earlier submissions, as an owner uses it. */

const file = (name: string, content: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

describe.skipIf(!hasChromium())('the import of submissions', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it.each([
    ['a desktop', {}],
    ['a phone', PHONE],
  ])('shows on %s what each column is, which lines are wrong, and leads to the inbox', async (_name, device) => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy();
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/inbox`, device);
    await page.getByRole('link', { name: 'Import earlier submissions' }).click();
    await page.getByRole('heading', { name: 'Import earlier submissions' }).waitFor();
    const input = page.locator('input[type=file]');
    await input.setInputFiles(
      file('a.csv', 'Submission ID,Submitted at,Name\nx1,2024-05-01 10:00 UTC,Ada\nx2,soon,Bea\n'),
    );
    const uses = page.getByRole('combobox');
    await page.getByText('Line 3: “soon” is not a time').waitFor();
    expect(await uses.evaluateAll((all) => all.map((one) => 'value' in one && one.value))).toEqual([
      'left-out',
      'time',
      'field',
      '',
    ]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Nothing was imported.').waitFor();
    await input.setInputFiles(
      file('b.csv', 'Submission ID,Submitted at,Name\nx1,2024-05-01 10:00 UTC,Ada\nx2,2024-05-02 10:00 UTC,Bea\n'),
    );
    await page.getByRole('cell', { name: 'Bea' }).waitFor();
    await page.getByLabel('Submission ID').selectOption('Field');
    await page.getByRole('columnheader', { name: 'Submission ID' }).waitFor();
    await expectFitting(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 submissions imported.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Open the inbox' }).click();
    await page.getByText('Bea').first().waitFor();
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.submissions).toMatchObject([
      { created_at: '2024-05-02T10:00:00.000Z', data: { 'Submission ID': 'x2', Name: 'Bea' } },
      { created_at: '2024-05-01T10:00:00.000Z', data: { 'Submission ID': 'x1', Name: 'Ada' } },
    ]);
  });

  it('says in the language of the person what is wrong with a line', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: '<title>A</title><form action="{{FORM_ACTION}}" method="post"></form>' });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/import`, { locale: 'ar' });
    const lines = ['created_at,ip_address,a', 'soon,,1', '2024-05-01T13:45:10Z,localhost,2', '1969-01-01T00:00:00Z,,3'];
    await page.locator('input[type=file]').setInputFiles(file('wrong.csv', lines.join('\n')));
    const { faults, rows } = textsOf('ar').importing;
    const said = (line: number, fault: string) =>
      rows.wrong.replace('{line}', String(line)).replace('{message}', fault);
    await page.getByText(said(2, faults['no-time'].replace('{value}', 'soon'))).waitFor();
    await page.getByText(said(3, faults['no-ip-address'].replace('{value}', 'localhost'))).waitFor();
    await page.getByText(said(4, faults['before-1970'])).waitFor();
    await expectAccessible(page);
  });

  it('knows the export of a page with several forms, leaves out addresses, and says what a file lacks', async () => {
    const owner = await dashboard.owner();
    const form = (name: string) =>
      `<form method="post" action="{{FORM_ACTION}}" name="${name}"><label>N <input name="n"></label><button>Send</button></form>`;
    const { id } = await owner.deploy({ html: `<h1>Two</h1>${form('visit')}${form('stand')}` });
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/import`, { colorScheme: 'dark' });
    const choose = (name: string, ...lines: string[]) =>
      page.locator('input[type=file]').setInputFiles(file(name, lines.join('\n')));
    const send = page.getByRole('button', { name: 'Import', exact: true });

    await choose('none.csv', 'Name,Date');
    await page.getByText('The file has no rows to import.').waitFor();
    expect(await send.count()).toBe(0);

    await choose('order.csv', 'Date,Name', '5/1/2024,Ada');
    await page.getByText('Line 2: The day or the month could come first here').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('date_order');
    await page.getByLabel('Day and month').selectOption('Month, then day');
    await page.getByText('could come first').waitFor({ state: 'detached' });

    const ids = ['sub_0VbbZBZeswpZ5bGpjxVeCiYz', 'sub_0VbbZBZfGh4jKl5zXc6vBn7m'];
    const rows = ids.map(
      (one, index) => `${one},2024-05-0${index + 1}T10:00:00.000Z,203.0.113.${index},stand,${index}`,
    );
    await choose('export.csv', 'id,created_at,ip_address,form,n', ...rows);
    await page.getByRole('cell', { name: '1', exact: true }).waitFor();
    expect(await page.getByText('is known').count()).toBe(2);
    await page.getByLabel('ip_address').selectOption('Leave out');
    await expectAccessible(page);
    await send.click();
    await page.getByText('2 submissions imported.').waitFor();
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    expect(body.submissions).toMatchObject([
      { data: { n: '1' }, form: 'stand', ip_address: '' },
      { data: { n: '0' }, form: 'stand', ip_address: '' },
    ]);

    await page.reload();
    await choose('later.csv', 'Name', 'Ada');
    await page.getByText('each row needs a time: choose its column').waitFor();
    expect(await send.count()).toBe(0);
  });
});
