import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  expectFitting,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';

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
});
