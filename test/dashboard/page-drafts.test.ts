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
const THIRD = '<!doctype html><title>Third</title><h1>Hello</h1>';

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

  it('have what was typed while the page was published', async () => {
    const { owner, id, page } = await begin();
    await type(page, FIRST);
    const { promise: typed, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: asked, resolve: begun } = Promise.withResolvers<void>();
    await page.route(`**/deploy/${id}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      begun();
      await typed;
      return route.continue();
    });
    await publish(page);
    await asked;
    await type(page, SECOND);
    goOn();
    await page.getByText('The new version is live').first().waitFor();
    expect(await htmlOf(owner, id)).toBe(FIRST);
    expect(await typedCode(page)).toBe(SECOND);
    await expect.poll(() => draftOf(owner, id)).toBe(SECOND);
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

  it('keep the session from ending while the tab alone has them', async () => {
    const { owner, id, page } = await begin();
    await page.route(/\/draft$/, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected'),
    );
    await type(page, FIRST);
    await problem(page).waitFor();
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    };
    await signOut();
    await page.getByText('Your draft is not in your account, only in this tab').waitFor();
    expect(await typedCode(page)).toBe(FIRST);
    await page.unrouteAll();
    await signOut();
    await page.getByLabel('API key').waitFor();
    expect(await draftOf(owner, id)).toBe(FIRST);
  });

  it('keep the session from ending also after the tab was loaded anew', async () => {
    const { owner, id, page } = await begin();
    await page.route(/\/draft(?:\?|$)/, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected'),
    );
    await type(page, FIRST);
    await problem(page).waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${dashboard.origin}/dashboard`);
    await badge(page).waitFor();
    const signOut = async () => {
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    };
    await page.route('**/assets/page-draft-*.js', (route) => route.fulfill({ status: 404 }));
    await signOut();
    await page.getByText('only in this tab: This view could not be loaded.').first().waitFor();
    await page.unroute('**/assets/page-draft-*.js');
    await signOut();
    await page.getByText('only in this tab: There is no connection').first().waitFor();
    await badge(page).waitFor();
    await page.unrouteAll();
    await signOut();
    await page.getByLabel('API key').waitFor();
    expect(await draftOf(owner, id)).toBe(FIRST);
  });

  it('hold up nobody who has none, where their code cannot be loaded', async () => {
    const { page } = await begin();
    await page.goto(`${dashboard.origin}/dashboard`);
    await page.route('**/assets/page-draft-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('API key').waitFor();
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

  it('are brought back into an editor that was opened meanwhile, and not in place of a newer one', async () => {
    const { owner, id, page } = await begin();
    const undo = page.locator('.toast').getByRole('button', { name: 'Undo' });
    const discardAndOpen = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Your changes are discarded.').waitFor();
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await openCode(page);
      expect(await typedCode(page)).toBe(LIVE);
    };
    await type(page, FIRST);
    await discardAndOpen();
    await undo.click();
    await expect.poll(() => typedCode(page)).toBe(FIRST);
    await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
    await discardAndOpen();
    await type(page, SECOND);
    await expect.poll(() => draftOf(owner, id)).toBe(SECOND);
    await undo.click();
    await page.getByText('Not undone: There is a newer draft.').waitFor();
    expect(await typedCode(page)).toBe(SECOND);
    expect(await draftOf(owner, id)).toBe(SECOND);
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

  describe('that another browser has changed', () => {
    const question = (page: Page) => page.getByRole('dialog', { name: 'Your draft was changed elsewhere' });
    const other = (page: Page, name: string) => question(page).getByRole('button', { name });

    /** A draft that a tab could not store, and a newer one of another browser. */
    async function disagree() {
      const begun = await begin();
      const { owner, id, page } = begun;
      await page.route(/\/draft$/, (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected'),
      );
      await type(page, FIRST);
      await problem(page).waitFor();
      const { etag } = (await owner.get(`/deploy/${id}/html`)).headers;
      await owner.put(`/deploy/${id}/draft`).send({ html: SECOND, etag }).expect(200);
      await page.unrouteAll();
      await page.reload();
      await question(page).waitFor();
      expect(await draftOf(owner, id)).toBe(SECOND);
      return begun;
    }

    it('go on as this tab has them, and the other one is copied and brought back', async () => {
      const { owner, id, page } = await disagree();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await other(page, 'Copy the other one').click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(SECOND);
      await other(page, 'Go on with this one').click();
      await question(page).waitFor({ state: 'detached' });
      await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
      await expect.poll(() => asks(page)).toBe(false);
      await openCode(page);
      expect(await typedCode(page)).toBe(FIRST);
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => typedCode(page)).toBe(SECOND);
      await expect.poll(() => draftOf(owner, id)).toBe(SECOND);
    });

    it('go on as the account has them, and Undo brings back those of the tab', async () => {
      const { owner, id, page } = await disagree();
      await other(page, 'Go on with the other one').click();
      await question(page).waitFor({ state: 'detached' });
      await openCode(page);
      expect(await typedCode(page)).toBe(SECOND);
      expect(await draftOf(owner, id)).toBe(SECOND);
      expect(await asks(page)).toBe(false);
      await page.locator('.editor-bar').getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => typedCode(page)).toBe(FIRST);
      await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
      await publish(page);
      await heading(page, 'Page');
      expect(await htmlOf(owner, id)).toBe(FIRST);
    });

    it('ask in an editor that was open all the time', async () => {
      const { owner, id, path, page } = await begin();
      await type(page, FIRST);
      await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
      const phone = await dashboard.open(owner, path, PHONE);
      await openCode(phone);
      await type(phone, SECOND);
      await expect.poll(() => draftOf(owner, id)).toBe(SECOND);
      await type(page, THIRD);
      await question(page).waitFor();
      expect(await draftOf(owner, id)).toBe(SECOND);
      await other(page, 'Go on with this one').click();
      await expect.poll(() => draftOf(owner, id)).toBe(THIRD);
    });

    it('stay in the account when this one is published or discarded', async () => {
      const { owner, id, path, page } = await begin();
      await type(page, FIRST);
      await expect.poll(() => draftOf(owner, id)).toBe(FIRST);
      await expect.poll(() => asks(page)).toBe(false);
      await owner.put(`/deploy/${id}/draft`).send({ html: SECOND }).expect(200);
      const answered = page.waitForResponse(
        (response) => response.url().includes('/draft') && response.request().method() === 'GET',
      );
      await publish(page);
      await heading(page, 'Page');
      await answered;
      expect(await htmlOf(owner, id)).toBe(FIRST);
      expect(await draftOf(owner, id)).toBe(SECOND);
      await page.goto(dashboard.origin + path);
      await openCode(page);
      expect(await typedCode(page)).toBe(SECOND);
    });

    it('are no question where an answer was lost', async () => {
      const { owner, id, page } = await begin();
      await page.route(
        /\/draft$/,
        async (route) => {
          await route.fetch();
          await route.abort('internetdisconnected');
        },
        { times: 1 },
      );
      await type(page, FIRST);
      await problem(page).waitFor();
      expect(await draftOf(owner, id)).toBe(FIRST);
      await type(page, SECOND);
      await expect.poll(() => draftOf(owner, id)).toBe(SECOND);
      await problem(page).waitFor({ state: 'detached' });
      expect(await question(page).count()).toBe(0);
    });
  });

  describe('of new pages', () => {
    const newDraft = async (owner: Owner, name = 'new'): Promise<unknown> =>
      (await owner.get(`/draft?name=${name}`)).body.html;

    it('are found on another device, and published there', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await type(page, FIRST);
      await expect.poll(() => newDraft(owner)).toBe(FIRST);
      await expect.poll(() => asks(page)).toBe(false);
      const phone = await dashboard.open(owner, '/dashboard', PHONE);
      await badge(phone).waitFor();
      await expectAccessible(phone);
      await phone.getByRole('link', { name: 'First' }).tap();
      await heading(phone, 'New page');
      await openCode(phone);
      expect(await typedCode(phone)).toBe(FIRST);
      await badge(phone).waitFor();
      await type(phone, SECOND);
      await publish(phone);
      await heading(phone, 'You’re live');
      await expect.poll(() => newDraft(owner)).toBeUndefined();
      const [{ id }] = (await owner.get('/deploy')).body.deployments;
      expect(await htmlOf(owner, id)).toBe(SECOND);
      await phone.goto(`${dashboard.origin}/dashboard`);
      await phone.getByRole('link', { name: 'Second' }).waitFor();
      expect(await badge(phone).count()).toBe(0);
    });

    it('that began with a finished page are discarded, and brought back', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new?start=contact&language=en');
      await openCode(page);
      expect(await badge(page).count()).toBe(0);
      await type(page, FIRST);
      await expect.poll(() => newDraft(owner, 'contact.en')).toBe(FIRST);
      const other = await dashboard.open(owner, '/dashboard');
      await other.getByRole('link', { name: 'First' }).click();
      await heading(other, 'New page: Contact');
      await badge(other).waitFor();
      await other.getByRole('button', { name: 'Cancel' }).click();
      await other.getByText('Your changes are discarded.').waitFor();
      await expect.poll(() => newDraft(owner, 'contact.en')).toBeUndefined();
      await other.locator('.toast').getByRole('button', { name: 'Undo' }).click();
      await openCode(other);
      expect(await typedCode(other)).toBe(FIRST);
      await expect.poll(() => newDraft(owner, 'contact.en')).toBe(FIRST);
    });

    it('are shown while this tab alone has them', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await page.route(/\/draft\?/, (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected'),
      );
      await type(page, FIRST);
      await problem(page).waitFor();
      await page.getByRole('link', { name: 'Pages', exact: true }).click();
      await badge(page).waitFor();
      await page.getByRole('link', { name: 'New page' }).last().click();
      await openCode(page);
      expect(await typedCode(page)).toBe(FIRST);
      await page.unrouteAll();
      await type(page, SECOND);
      await expect.poll(() => newDraft(owner)).toBe(SECOND);
    });

    it('of other clients are opened by their names', async () => {
      const owner = await dashboard.owner();
      await owner.put('/draft?name=of-a-script').send({ html: '<h1>No title</h1>' }).expect(200);
      const page = await dashboard.open(owner, '/dashboard');
      await page.locator('.page-row').getByRole('link', { name: 'New page' }).click();
      await openCode(page);
      expect(await typedCode(page)).toBe('<h1>No title</h1>');
    });

    it('stay when a site is published', async () => {
      const owner = await dashboard.owner();
      const page = await dashboard.open(owner, '/dashboard/new');
      await type(page, FIRST);
      await expect.poll(() => newDraft(owner)).toBe(FIRST);
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a zip or files' }).click();
      const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
      await (await chooser).setFiles([file('index.html', SECOND), file('a.css', 'b {}')]);
      await page.getByText('2 files').first().waitFor();
      await publish(page);
      await heading(page, 'You’re live');
      expect(await newDraft(owner)).toBe(FIRST);
    });
  });
});
