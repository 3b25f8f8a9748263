import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import type { DashboardUnderTest } from './dashboard-in-browser.ts';
import type { Owner } from './test-service.ts';

/* The inbox in a browser: what is sent to it, and what it shows. */

/** The height of a row of the table, in pixels. */
export const ROW_HEIGHT = 44;

export const FORM = `<!doctype html><html lang="en"><title>Ask us</title><form action="{{FORM_ACTION}}" method="post">
<label>Your name <input name="name"></label><label>E-mail <input name="email"></label>
<label>Message <textarea name="message"></textarea></label><button>Send</button></form></html>`;
export const ADA = { name: 'Ada', email: 'ada@example.org', message: 'When do you open?' };
export const GRACE = { name: 'Grace', email: 'grace@example.org', message: 'Thank you!' };
/** Rows of one statement, which may take two seconds. */
const BATCH = 1_000;

export type Inbox = {
  owner: Owner;
  id: string;
  url: string;
  path: string;
  send(data: object | string): Promise<string>;
};

/** An owner with a page, and what was sent to it. */
export async function newInbox(
  dashboard: DashboardUnderTest,
  html: string,
  sent: readonly (object | string)[] = [],
): Promise<Inbox> {
  const owner = await dashboard.owner();
  const { id, url } = await owner.deploy({ html });
  const send = async (data: object | string): Promise<string> => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    // A machine that is busy may make the service answer 503.
    const body = await vi.waitFor(
      async () => {
        const { status, body: answered } = await owner.send('POST', `/submit/${id}`, text);
        expect(status).toBe(200);
        return answered;
      },
      { timeout: 60_000, interval: 500 },
    );
    return String(Object.entries(Object(body)).find(([name]) => name === 'id')?.[1]);
  };
  for (const data of sent) await send(data);
  return { owner, id, url, path: `/dashboard/pages/${id}/inbox`, send };
}

/** Gives a page many submissions, each with a text of so many characters, stored directly. */
export async function fillInbox(
  dashboard: DashboardUnderTest,
  id: string,
  { count, chars = 10 }: { count: number; chars?: number },
): Promise<void> {
  for (let before = 0; before < count; before += BATCH) {
    await dashboard.db.raw(
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT :id, n, 'sub_' || substr(md5(:id), 1, 12) || lpad(CAST(n AS text), 12, '0'),
              CAST(json_build_object('name', 'Visitor ' || n, 'email', n || '@example.org', 'message', repeat('x', :chars)) AS json),
              '192.0.2.1', now() - (:count - n) * interval '1 minute'
         FROM generate_series(:first::int, :last::int) AS n`,
      { id, count, chars, first: before + 1, last: Math.min(before + BATCH, count) },
    );
  }
  await dashboard.db.raw(
    'UPDATE deployments SET submission_count = :count, last_submission_number = :count WHERE id = :id',
    { id, count },
  );
}

/** The names in the submissions of a page, and whether they are read and have a star. */
export async function marksOf(owner: Owner, id: string): Promise<unknown> {
  const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
  return Array.from(body.submissions, ({ data, read, starred }) => [data.name, read, starred]);
}

/** The names in the submissions of a page with which the owner is done. */
export async function doneOf(owner: Owner, id: string): Promise<unknown> {
  const { body } = await owner.get(`/submissions/${id}/search?status=done`).expect(200);
  return Array.from(body.submissions, ({ data }) => data.name);
}

export const rows = (page: Page) =>
  page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: /^Select (?!all)/ }) });
export const row = (page: Page, name: string) => rows(page).filter({ hasText: name });
export const names = (page: Page) => rows(page).locator('a .line').allInnerTexts();
export const search = (page: Page) => page.getByRole('searchbox', { name: 'Search' });
export const focusedText = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.innerText');
