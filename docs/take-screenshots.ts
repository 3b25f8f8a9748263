import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContextOptions, chromium } from 'playwright-core';
import { z } from 'zod';
import { buildDashboard } from '../build-dashboard.ts';
import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { PROJECT } from '../src/project.ts';
import { startService } from '../src/service.ts';
import { findChromium } from '../test/support/chromium.ts';

/*
 * Takes the pictures of docs/dashboard.md, of a service with some pages and submissions: `npm run docs:screenshots`. It needs
 * Chromium on the PATH.
 */

const FOLDER = fileURLToPath(new URL('dashboard/', import.meta.url));
const DESKTOP: BrowserContextOptions = { viewport: { width: 1120, height: 720 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Each picture: its name, the view (`:id` is a page with submissions), what is shown once it is ready, and how. */
const SHOTS = [
  { name: 'pages', path: '/dashboard', ready: 'Last:', options: DESKTOP },
  { name: 'pages-phone', path: '/dashboard', ready: 'Last:', options: { ...PHONE, colorScheme: 'dark' } },
  { name: 'settings', path: '/dashboard/pages/:id/settings', ready: 'Redirect URL', options: DESKTOP },
] as const;

const PAGES = [
  { title: 'Newsletter', submissions: 6 },
  { title: 'Job application', submissions: 2 },
  { title: 'Contact', submissions: 8 },
] as const;
const NAMES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Katherine Johnson', 'Edsger Dijkstra', 'Radia Perlman'];

const Deployed = z.object({ id: z.string() });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** Publishes the pages, and answers the id of the last. */
async function publishPages(origin: string, key: string): Promise<string> {
  let last = '';
  for (const { title, submissions } of PAGES) {
    const html = `<!doctype html><title>${title}</title><form method="post" action="{{FORM_ACTION}}"><label>Name <input name="name"></label><button>Send</button></form>`;
    const response = await fetch(`${origin}/deploy`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/html' },
      body: html,
    });
    const { id } = Deployed.parse(await response.json());
    for (let count = 0; count < submissions; count += 1) {
      const body = new URLSearchParams({ name: NAMES[count % NAMES.length] ?? '' });
      await fetch(`${origin}/submit/${id}`, { method: 'POST', body });
    }
    last = id;
  }
  return last;
}

async function takeAll(origin: string, key: string): Promise<void> {
  const id = await publishPages(origin, key);
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', chromiumSandbox: false });
  for (const { name, path, ready, options } of SHOTS) {
    const context = await browser.newContext({ deviceScaleFactor: 1.5, locale: 'en', ...options });
    const page = await context.newPage();
    await page.goto(origin + path.replace(':id', id));
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(ready).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    await context.close();
  }
  await browser.close();
}

const folder = await mkdtemp(join(tmpdir(), 'formhost-screenshots-'));
await mkdir(FOLDER, { recursive: true });
await buildDashboard(fileURLToPath(new URL('dist/dashboard', PROJECT)));
const port = await freePort();
const origin = `http://localhost:${port}`;
const config = loadConfig({
  DATA_DIR: folder,
  PORT: String(port),
  BASE_URL: origin,
  PAGES_DOMAIN: `localhost:${port}`,
});
const service = await startService(config, createLog('error'));
try {
  const { firstOwner } = await service.ready;
  await takeAll(origin, firstOwner?.key ?? '');
} finally {
  await service.close();
  await rm(folder, { recursive: true });
}
