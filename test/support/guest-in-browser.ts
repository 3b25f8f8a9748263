import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Role } from '../../src/db/account/guest-queries.ts';
import { hashOfKey, newGuestId, newSessionId, newToken } from '../../src/lib/ids.ts';
import type { DashboardUnderTest } from './dashboard-in-browser.ts';

/** Opens a view as a guest of a page, who has no account. `email`: has been invited, and has signed in by mail. */
export async function openAsGuest(
  dashboard: DashboardUnderTest,
  { pageId, email, role }: { pageId: string; email: string; role: Role },
  path: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const { db, origin } = dashboard;
  const token = newToken();
  await db('sessions').insert({ id: newSessionId(), hash: hashOfKey(token), email });
  const guest = { id: newGuestId(), deployment_id: pageId, email, role };
  await db('guests').insert({ ...guest, invited_at: db.fn.now(), accepted_at: db.fn.now() });
  const page = await dashboard.open(undefined, '/healthz', options);
  await page
    .context()
    .addCookies([{ name: 'formhost', value: token, url: origin, httpOnly: true, sameSite: 'Strict' }]);
  await page.goto(origin + path);
  return page;
}
