import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  heading,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import type { Owner } from '../support/test-service.ts';
import { openCode, typedCode } from '../support/typed-code.ts';

/* Drafts of pages in the account: another browser goes on with them. */

const LIVE = '<!doctype html><title>Live</title><h1>Hello</h1>';
const FIRST = '<!doctype html><title>First</title><h1>Hello</h1>';
const SECOND = '<!doctype html><title>Second</title><h1>Hello</h1>';

describe.skipIf(!hasChromium())('the dashboard, drafts', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  /** An owner with a page, and its editor in a browser. */
  async function begin() {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: LIVE });
    const path = `/dashboard/pages/${id}/page/edit`;
    const page = await dashboard.open(owner, path);
    await openCode(page);
    return { owner, id, path, page };
  }
  const type = (page: Page, html: string) => page.getByLabel('HTML').fill(html);
  const draftOf = async (owner: Owner, id: string): Promise<unknown> =>
    (await owner.get(`/deploy/${id}/draft`)).body.html;
  const htmlOf = async (owner: Owner, id: string): Promise<unknown> =>
    (await owner.get(`/deploy/${id}/html`)).body.html;
  const publish = (page: Page) => page.getByRole('button', { name: 'Publish' }).click();
  const badge = (page: Page) => page.getByText('Not published');
  const problem = (page: Page) => page.getByText('Not in your account yet');

  /** Returns whether the window asks before it closes. */
  const asks = (page: Page): Promise<unknown> =>
    page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");

  it('are continued in another browser, and published there', async () => {
    const { owner, id, path, page } = await begin();
    await type(page, FIRST);
    await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
    await expect.poll(() => asks(page)).toBe(false);
    const other = await dashboard.open(owner, '/dashboard', PHONE);
    await other.getByRole('link', { name: 'Not published' }).tap();
    await openCode(other);
    expect(await typedCode(other)).toBe(FIRST);
    await badge(other).waitFor();
    await expectAccessible(other);
    await type(other, SECOND);
    await expect.poll(() => draftOf(owner, id)).toBe(SECOND);
    await publish(other);
    await heading(other, 'Page');
    expect(await htmlOf(owner, id)).toBe(SECOND);
    await expect.poll(() => draftOf(owner, id)).toBeUndefined();
    await page.goto(dashboard.origin + path);
    await openCode(page);
    expect(await typedCode(page)).toBe(SECOND);
    expect(await badge(page).count()).toBe(0);
  });

  it('go on after the view was left at once', async () => {
    const { owner, id, page } = await begin();
    await type(page, FIRST);
    await page.getByRole('link', { name: 'Pages', exact: true }).click();
    const link = page.getByRole('link', { name: 'Not published' });
    await link.waitFor();
    await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
    await link.click();
    await openCode(page);
    expect(await typedCode(page)).toBe(FIRST);
  });

  it.each([
    ['without a connection', undefined, 'There is no connection to the service.'],
    ['that is too large', { status: 413, title: 'The page is too large.' }, /too large/],
    ['that the storage has no room for', { status: 403, title: 'The storage is full.' }, /storage is full/],
  ])('%s stay in the tab, and are sent with the next change', async (_name, refusal, said) => {
    const { owner, id, path, page } = await begin();
    await page.route(/\/draft$/, (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      if (!refusal) return route.abort('internetdisconnected');
      return route.fulfill({
        status: refusal.status,
        contentType: 'application/problem+json',
        json: { ...refusal, type: 'about:blank', code: 'refused', detail: refusal.title },
      });
    });
    await type(page, FIRST);
    await problem(page).waitFor();
    await page.getByText(said).first().waitFor();
    await expectAccessible(page);
    expect(await asks(page)).toBe(true);
    await page.reload();
    await openCode(page);
    expect(await typedCode(page)).toBe(FIRST);
    await problem(page).waitFor();
    await page.unrouteAll();
    await type(page, SECOND);
    await problem(page).waitFor({ state: 'detached' });
    expect(await draftOf(owner, id)).toBe(SECOND);
    expect(await asks(page)).toBe(false);
    const other = await dashboard.open(owner, path);
    await openCode(other);
    expect(await typedCode(other)).toBe(SECOND);
  });

  it('are discarded in the account, and brought back', async () => {
    const { owner, id, path, page } = await begin();
    await type(page, FIRST);
    await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
    const other = await dashboard.open(owner, path);
    await badge(other).waitFor();
    await other.getByRole('button', { name: 'Cancel' }).click();
    await other.getByText('Your changes are discarded.').waitFor();
    await expect.poll(() => draftOf(owner, id)).toBeUndefined();
    expect(await htmlOf(owner, id)).toBe(LIVE);
    await other.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await openCode(other);
    expect(await typedCode(other)).toBe(FIRST);
    await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
    // The live text needs no draft.
    await type(other, LIVE);
    await expect.poll(() => draftOf(owner, id)).toBeUndefined();
  });

  it('know in another browser that the page was changed since they began', async () => {
    const { owner, id, path, page } = await begin();
    await type(page, FIRST);
    await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
    await owner.put(`/deploy/${id}`).send({ html: SECOND }).expect(200);
    const other = await dashboard.open(owner, path);
    await badge(other).waitFor();
    await publish(other);
    const dialog = other.getByRole('dialog', { name: 'Somebody else has changed this page' });
    await dialog.waitFor();
    expect(await htmlOf(owner, id)).toBe(SECOND);
    expect(await draftOf(owner, id)).toBe(FIRST);
    await dialog.getByRole('button', { name: 'Publish mine' }).click();
    await heading(other, 'Page');
    expect(await htmlOf(owner, id)).toBe(FIRST);
    await expect.poll(() => draftOf(owner, id)).toBeUndefined();
  });
});
