import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allFinishedPages } from '../../scripts/finished-pages.ts';
import { FINISHED_PAGES, isPageName } from '../../src/finished-pages/finished-pages.ts';
import { LANGUAGES } from '../../src/lib/languages.ts';
import { TEXTS } from '../../src/texts/texts.ts';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, heading, startDashboard } from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';

/* The finished pages: each is accessible on a desktop and on a small phone, light and dark, and what visitors enter arrives. */

const PHONE = { width: 320, height: 600 };
const CV = { name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') };

const NAMES = Object.keys(FINISHED_PAGES).filter(isPageName);
/** Each page at least once, each language once. */
const OPENED = LANGUAGES.map((language, at) => ({ language, page: NAMES[at % NAMES.length] }));

const Field = z.object({ name: z.string(), label: z.string().nullable(), type: z.string() });
type Field = z.infer<typeof Field>;
const Checked = z.object({ problems: z.array(z.unknown()), forms: z.tuple([z.object({ fields: z.array(Field) })]) });

const TYPED: Readonly<Record<string, string>> = {
  text: 'Ada',
  textarea: 'Two\nlines',
  email: 'ada@example.org',
  tel: '+49 30 1234',
  number: '3',
  date: '2027-03-01',
  url: 'https://example.org/ada',
};

/** Fills a field in, and returns what is to arrive. */
async function fillIn(page: Page, { name, type }: Field): Promise<unknown> {
  const control = page.locator(`form [name="${name}"]`);
  if (type === 'file') {
    await control.setInputFiles(CV);
    return { filename: CV.name, content_type: CV.mimeType, size: CV.buffer.length, url: expect.any(String) };
  }
  if (type === 'select') return (await control.selectOption({ index: 1 }))[0];
  if (type === 'radio' || type === 'checkbox') {
    const chosen = type === 'radio' ? [control.last()] : await control.all();
    for (const one of chosen) await one.check();
    const values = await Promise.all(chosen.map((one) => one.getAttribute('value')));
    return values.length === 1 ? values[0] : values;
  }
  const typed = TYPED[type];
  if (typed === undefined) throw new Error(`The test has nothing for ${name}, a field of the type ${type}.`);
  await control.fill(typed);
  return type === 'textarea' ? typed.replace('\n', '\r\n') : typed;
}

describe.skipIf(!hasChromium())('the finished pages', () => {
  let dashboard: DashboardUnderTest;
  let owner: Owner;
  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.owner('pro');
  });
  afterAll(() => dashboard?.close());

  it.each(OPENED)('$page in $language is accessible, and what visitors enter arrives', async (opened) => {
    const made = (await allFinishedPages()).find(
      ({ page, language }) => page === opened.page && language === opened.language,
    );
    const { id, url } = await owner.deploy({ html: made?.html ?? '' });
    const checked = Checked.parse((await owner.get(`/deploy/${id}/check`).expect(200)).body);
    expect(checked.problems).toEqual([]);
    const page = await dashboard.open(undefined, '/dashboard', { colorScheme: 'light' });
    await page.goto(url);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);

    // Stored as it was sent.
    const expected: Record<string, unknown> = { _hp: '' };
    const fields = checked.forms[0].fields.filter(({ name }) => name !== '_hp');
    for (const field of fields) expected[field.name] = await fillIn(page, field);
    await page.getByRole('button').last().click();
    await heading(page, TEXTS[opened.language].thanks.title);
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.submissions.map(({ data }: { data: unknown }) => data)).toEqual([expected]);
    const { text } = await owner.get(`/submissions/${id}/export.csv?labels=1`).expect(200);
    for (const { label } of fields) expect(text.split('\n', 1)[0]).toContain(label);
  });
});
