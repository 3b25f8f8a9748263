import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { z } from 'zod';
import { buildDashboard } from '../scripts/build.ts';
import { loadConfig } from '../src/config.ts';
import { connect, type Database } from '../src/db/postgres/connect.ts';
import { openDatabaseServer } from '../src/db/postgres/database-server.ts';
import { createLog } from '../src/lib/log.ts';
import { FIRST_OWNER } from '../src/lib/mail-address.ts';
import { LIMITS } from '../src/limits.ts';
import { startService } from '../src/service.ts';
import { findChromium } from '../test/support/chromium.ts';

/*
 * Takes the pictures of docs/dashboard.md and of the dashboard's guides, of a service with some pages and submissions:
 * `npm run docs:screenshots`. With a folder (`npm run docs:screenshots -- /tmp/views`) it takes every view, whole, on a
 * desktop and on a phone, light and dark, to look at after a change; with a language after it (`-- /tmp/views ar`), in that one. It needs
 * Chromium on the PATH.
 */

const FOLDER = fileURLToPath(new URL('dashboard/', import.meta.url));
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** A view: its address, a button to press (a selector), and a part that is there once all of it is shown. */
type View = { view: string; path: string; press?: string; ready: string };

/** Every view. `:id` is a page, `:submission` one of its submissions, `:empty` a page without any. */
const VIEWS: readonly View[] = [
  { view: 'pages', path: '/dashboard', ready: '.page-row' },
  { view: 'new-page', path: '/dashboard/new', ready: '.code-editor' },
  { view: 'starting-point', path: '/dashboard/new?start=contact', ready: '.findings' },
  { view: 'statistics', path: '/dashboard/statistics', ready: '.plot .bars' },
  { view: 'trash', path: '/dashboard/trash', ready: '.row' },
  { view: 'account', path: '/dashboard/account', ready: '.row' },
  { view: 'admin-owners', path: '/dashboard/admin', ready: '.row' },
  { view: 'admin-pages', path: '/dashboard/admin/pages', ready: '.row' },
  { view: 'admin-health', path: '/dashboard/admin/health', ready: '.row' },
  { view: 'admin-audit', path: '/dashboard/admin/audit', ready: '.row' },
  { view: 'inbox', path: '/dashboard/pages/:id/inbox', ready: '.inbox-table :text("Your name")' },
  { view: 'inbox-empty', path: '/dashboard/pages/:empty/inbox', ready: '.empty' },
  { view: 'all-inboxes', path: '/dashboard/inbox', ready: '.inbox-table :text("Contact")' },
  { view: 'spam', path: '/dashboard/pages/:id/inbox?view=spam', ready: '.kept-row' },
  { view: 'submission', path: '/dashboard/pages/:id/inbox/:submission', ready: '.fields :text("Your name")' },
  { view: 'charts', path: '/dashboard/pages/:id/charts', ready: '.plot .bars' },
  { view: 'page', path: '/dashboard/pages/:id/page', ready: 'iframe' },
  { view: 'live', path: '/dashboard/pages/:id/page/live', ready: '.qr-code' },
  { view: 'edit', path: '/dashboard/pages/:id/page/edit', ready: '.findings' },
  { view: 'notifications', path: '/dashboard/pages/:id/notifications', ready: '.panels' },
  { view: 'settings', path: '/dashboard/pages/:id/settings', ready: '.panel-head' },
  { view: 'help', path: '/dashboard/help', ready: '.help-card' },
  { view: 'guide', path: '/dashboard/help/publish', ready: '.guide' },
  { view: 'not-found', path: '/dashboard/other', ready: '.buttons a' },
  // It makes another page, which the views before don't show.
  { view: 'elsewhere', path: '/dashboard/new?start=elsewhere', press: '.form-end .main', ready: 'pre' },
];

type Shot = { name: string; view: string; options: BrowserContextOptions; isWhole: boolean };

const DOCUMENTED: readonly Shot[] = [
  { name: 'pages', view: 'pages', options: DESKTOP, isWhole: false },
  { name: 'pages-phone', view: 'pages', options: { ...PHONE, colorScheme: 'dark' }, isWhole: false },
  { name: 'inbox', view: 'inbox', options: DESKTOP, isWhole: false },
  { name: 'submission', view: 'submission', options: { viewport: { width: 1280, height: 800 } }, isWhole: false },
  { name: 'inbox-phone', view: 'inbox', options: PHONE, isWhole: false },
  { name: 'statistics', view: 'statistics', options: DESKTOP, isWhole: true },
  { name: 'page', view: 'page', options: DESKTOP, isWhole: false },
  { name: 'notifications', view: 'notifications', options: DESKTOP, isWhole: false },
  { name: 'settings', view: 'settings', options: DESKTOP, isWhole: false },
  { name: 'new-page', view: 'new-page', options: DESKTOP, isWhole: false },
  { name: 'spam', view: 'spam', options: DESKTOP, isWhole: false },
  { name: 'elsewhere', view: 'elsewhere', options: DESKTOP, isWhole: false },
];

const EVERY_VIEW: readonly Shot[] = VIEWS.flatMap(({ view }) =>
  (['light', 'dark'] as const).flatMap((colorScheme) => [
    { name: `${view}-desktop-${colorScheme}`, view, options: { ...DESKTOP, colorScheme }, isWhole: true },
    { name: `${view}-phone-${colorScheme}`, view, options: { ...PHONE, colorScheme }, isWhole: true },
  ]),
);

/** Titles, and how many submissions each page gets. The first is published first, and is empty; the last is the one that is opened. */
const PAGES = [
  { title: 'Open day', submissions: 0 },
  { title: 'Newsletter', submissions: 64 },
  { title: 'Job application', submissions: 12 },
  { title: 'Contact', submissions: 38 },
] as const;
const PEOPLE = [
  { name: 'Ada Lovelace', email: 'ada@example.org', message: 'When is the studio open on Saturdays?' },
  { name: 'Grace Hopper', email: 'grace@example.com', message: 'Thank you, the prints arrived today.' },
  { name: 'ليلى حداد', email: 'layla@example.net', message: 'هل يمكنني حجز موعد يوم الأحد؟' },
  { name: 'Alan Turing', email: 'alan@example.org', message: 'Could you send me an offer for twelve chairs?' },
  { name: 'Katherine Johnson', email: 'kj@example.com', message: 'Is the workshop in March already full?' },
  { name: 'Edsger Dijkstra', email: 'edsger@example.nl', message: 'The link to the price list does not work.' },
  { name: 'Radia Perlman', email: 'radia@example.org', message: 'I would like to change my order, please.' },
] as const;
/** The number of the newest submissions that stay unread. */
const UNREAD = 4;

const Deployed = z.object({ id: z.string() });
const Found = z.object({ submissions: z.array(z.object({ id: z.string() })) });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}

type Api = (method: string, path: string, body?: object) => Promise<unknown>;

const createApi =
  (origin: string, key: string): Api =>
  async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };

/** Stores submissions of the last month, more of them on some days than on others. */
async function fill(db: Database, id: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const hoursAgo = (count - number) ** 1.35 * (700 / count ** 1.35) + 0.2;
    await db.raw(
      `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       VALUES (:id, :number, 'sub_' || substr(md5(:id), 1, 12) || lpad(CAST(:number AS text), 12, '0'), :data, '192.0.2.1',
               now() - :hoursAgo * interval '1 hour')`,
      { id, number, data: JSON.stringify(PEOPLE[number % PEOPLE.length]), hoursAgo },
    );
  }
  await db.raw('UPDATE deployments SET submission_count = :count, last_submission_number = :count WHERE id = :id', {
    id,
    count,
  });
}

/** Publishes the pages, and answers the last one, one of its submissions, and the empty page. */
async function publishPages(api: Api, db: Database): Promise<{ id: string; submission: string; empty: string }> {
  const pageOf = (title: string): string => `<!doctype html><html lang="en"><title>${title}</title>
<style>body { font: 1.1rem sans-serif; max-width: 30rem; margin: 3rem auto } label { display: block; margin: 1rem 0 }</style>
<h1>${title}</h1><form method="post" action="{{FORM_ACTION}}"><label>Your name <input name="name" required></label>
<label>E-mail <input name="email" type="email"></label><label>Message <textarea name="message"></textarea></label>
<button>Send</button></form></html>`;
  const published: string[] = [];
  for (const { title, submissions } of PAGES) {
    const { id } = Deployed.parse(await api('POST', '/deploy', { html: pageOf(title) }));
    await fill(db, id, submissions);
    const found = Found.parse(await api('GET', `/submissions/${id}/search?limit=100`)).submissions;
    const ids = found.slice(UNREAD).map((submission) => submission.id);
    await api('POST', `/submissions/${id}/bulk`, { action: 'read', ids });
    published.push(id);
  }
  const [empty = '', last = ''] = [published[0], published.at(-1)];
  const { id: deleted } = Deployed.parse(await api('POST', '/deploy', { html: pageOf('Old page') }));
  await api('DELETE', `/deploy/${deleted}`);
  await api('POST', '/keys', { name: 'Website build', scope: 'read' });
  await api('POST', `/webhooks/${last}`, { url: 'https://example.com/hooks/forms' });
  const { submissions } = Found.parse(await api('GET', `/submissions/${last}/search?limit=5`));
  const [, , third = { id: '' }, fourth = third] = submissions;
  await api('PATCH', `/submissions/${last}/${fourth.id}`, { starred: true });
  const { submissions: all } = Found.parse(await api('GET', `/submissions/${last}/search?limit=100`));
  await api('POST', `/submissions/${last}/bulk`, { action: 'spam', ids: all.slice(-2).map((one) => one.id) });
  return { id: last, submission: third.id, empty };
}

/** Waits until a frame is painted, for a moment: browsers don't paint frames that are out of sight. */
const PAINTED =
  'new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 1_000); })';

const [folder = FOLDER, locale = 'en'] = process.argv.slice(2);

async function take(browser: Browser, url: (path: string) => string, key: string, shot: Shot) {
  const view = VIEWS.find((one) => one.view === shot.view);
  if (!view) throw new Error(`There is no view ${shot.view}.`);
  const context = await browser.newContext({ deviceScaleFactor: 1.5, locale, ...shot.options });
  const page = await context.newPage();
  await page.goto(url(view.path));
  await page.locator('input[name=key]').fill(key);
  await page.keyboard.press('Enter');
  if (view.press) await page.locator(view.press).click();
  await page.locator(view.ready).first().waitFor({ state: 'attached' });
  // A stream of new submissions stays open: the network is never idle.
  await page
    .locator('.loading, [aria-busy=true], .empty-row')
    .filter({ visible: true })
    .first()
    .waitFor({ state: 'hidden' });
  // The preview is a frame from another host: it is painted after it has loaded. Miniatures run no script.
  for (const frame of page.frames()) {
    await frame.waitForLoadState('load');
    const element = frame === page.mainFrame() ? undefined : await frame.frameElement();
    if ((await element?.getAttribute('sandbox')) !== '') await frame.evaluate(PAINTED);
  }
  // Nothing is pointed at: it would look chosen.
  await page.mouse.move(0, 0);
  await page.evaluate(PAINTED);
  await page.screenshot({ path: join(folder, `${shot.name}.png`), fullPage: shot.isWhole });
  await context.close();
}

const shots = folder === FOLDER ? DOCUMENTED : EVERY_VIEW;
const data = await mkdtemp(join(tmpdir(), 'formhost-screenshots-'));
await mkdir(folder, { recursive: true });
await buildDashboard();
const port = await freePort();
const origin = `http://localhost:${port}`;
const config = loadConfig({
  ...{ DATA_DIR: data, PORT: String(port), BASE_URL: origin, PAGES_DOMAIN: `localhost:${port}` },
  ADMIN_EMAILS: FIRST_OWNER,
});
const service = await startService(config, createLog('error'));
try {
  const { firstOwner } = await service.ready;
  const key = firstOwner?.key ?? '';
  const server = await openDatabaseServer(config);
  const db = connect(server.connection, { limits: LIMITS });
  const { id, submission, empty } = await publishPages(createApi(origin, key), db);
  await db.close();
  await server.close();
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', chromiumSandbox: false });
  const url = (path: string): string =>
    origin + path.replace(':id', id).replace(':submission', submission).replace(':empty', empty);
  for (const shot of shots) await take(browser, url, key, shot);
  await browser.close();
} finally {
  await service.close();
  await rm(data, { recursive: true });
}
