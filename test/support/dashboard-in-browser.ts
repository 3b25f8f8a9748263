import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../src/db/postgres/connect.ts';
import { accessibilityProblems } from './accessibility.ts';
import { openBrowser } from './chromium.ts';
import { type Owner, startLocalService } from './test-service.ts';

/** A machine may stand still for seconds. The dashboard gives up a request after 15 seconds, and the next one after 30. */
const PATIENCE_MS = 90_000;

export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

export type DashboardUnderTest = {
  /** The origin under which the browser has it. */
  origin: string;
  db: Database;
  /** A new owner with no pages. */
  owner(plan?: string): Promise<Owner>;
  /** A page of a browser, signed in as an owner unless there is none; the browser may have nothing to complain of in the dashboard. */
  open(owner: Owner | undefined, path: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
};

/** Matches the browser's messages about answers that are errors, which views expect. */
const EXPECTED =
  /^Failed to load resource: (?:.* status of (?:400|401|403|404|409|412|413|422|500|503) |net::ERR_(?:INTERNET_DISCONNECTED|FAILED))/;
/**
 * Hints that a form for a key (there is no name to it) and a sandboxed frame can't follow, and what such a frame may not do: axe asks
 * it, too (postMessage).
 */
const HINTS =
  /^Failed to execute 'postMessage' on 'DOMWindow'|Password forms should have|requested an origin-keyed agent cluster|^Framing '.*' violates .* "frame-ancestors 'none'"|is sandboxed|sandboxed frame|from origin 'null' has been blocked/;

/** Starts a service and Chromium. */
export async function startDashboard(...given: Parameters<typeof startLocalService>): Promise<DashboardUnderTest> {
  const { origin, db, owner, close } = await startLocalService(...given);
  const browser: Browser = await openBrowser();
  const contexts = new Set<BrowserContext>();

  return {
    ...{ origin, db },
    // The browser complains of requests that a closed service refuses, so its pages go first.
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
      await close();
    },
    owner: (plan) => owner({ ...(plan && { plan }) }),
    async open(owner, path, options = {}) {
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
      contexts.add(context);
      context.on('close', () => contexts.delete(context));
      const problems: string[] = [];
      context.on('console', (message) => {
        if (message.page()?.url().startsWith(`${origin}/dashboard`)) problems.push(message.text());
      });
      context.on('weberror', (error) => problems.push(String(error.error())));
      onTestFinished(async () => {
        await context.close();
        expect(problems.filter((text) => !EXPECTED.test(text) && !HINTS.test(text))).toEqual([]);
      });
      if (owner) {
        const { headers } = await owner.post('/session').send({ key: owner.key }).expect(200);
        const [name = '', value = ''] = String(headers['set-cookie']).split(/[=;]/);
        await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
      }
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(origin + path);
      return page;
    },
  };
}

/** Waits until a view is shown, by its heading. */
export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Opens parts of the settings, which are closed at first except *After sending*. */
export async function openSections(page: Page, ...titles: string[]): Promise<void> {
  for (const title of titles) await page.locator('.panel-head', { hasText: title }).click();
}

const MAX_TABS = 100;

/** Presses Tab until an element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${target}.`);
}

/** A view has nothing to scroll sideways to. */
export async function expectFitting(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}

/** What fades in is there: half of it would have half of its contrast. */
const FADED = `Promise.allSettled(document.getAnimations().filter(({ effect }) => effect.getTiming().iterations !== Infinity).map(({ finished }) => finished))`;

/** A view in a state may have no violation that axe finds, and it fits. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(FADED);
  expect([page.url(), await accessibilityProblems(page)]).toEqual([page.url(), []]);
  await expectFitting(page);
}
