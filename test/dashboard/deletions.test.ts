import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, startDashboard } from '../support/dashboard-in-browser.ts';
import { ADA, FORM, GRACE, newInbox } from '../support/inbox-in-browser.ts';

/* Deletions that the API can't take back: the request waits until the message with *Undo* has gone. */

/** A view with two items. `left`: how many the service has. */
type Opened = { page: Page; left(): Promise<number> };
/** `first`: the item that `remove` deletes. */
type List = {
  open(dashboard: DashboardUnderTest): Promise<Opened>;
  first(page: Page): ReturnType<Page['locator']>;
  remove(page: Page): Promise<unknown>;
};

const webhooks: List = {
  async open(dashboard) {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    for (const host of ['one', 'two']) {
      await owner
        .post(`/webhooks/${id}`)
        .send({ url: `https://${host}.example/` })
        .expect(201);
    }
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/notifications`);
    return { page, left: async () => (await owner.get(`/webhooks/${id}`)).body.webhooks.length };
  },
  first: (page) => page.getByRole('button', { name: /^A program\s*one\.example/ }),
  async remove(page) {
    const head = webhooks.first(page);
    if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
    await page.getByRole('button', { name: 'Delete https://one.example/' }).click();
  },
};

const domains: List = {
  async open(dashboard) {
    const owner = await dashboard.owner();
    const { id, slug } = await owner.deploy({ html: FORM });
    for (const label of ['one', 'two']) {
      await owner
        .post(`/deploy/${id}/domains`)
        .send({ domain: `${label}.${slug}.example` })
        .expect(201);
    }
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings#address`);
    return { page, left: async () => (await owner.get(`/deploy/${id}/domains`)).body.domains.length };
  },
  first: (page) => page.getByRole('button', { name: /^Remove one\./ }),
  remove: (page) => domains.first(page).click(),
};

const spam: List = {
  async open(dashboard) {
    const { owner, id, path } = await newInbox(dashboard, FORM, [ADA, GRACE]);
    const { body } = await owner.get(`/submissions/${id}/search`).expect(200);
    await owner.mark(
      id,
      'spam',
      Array.from(body.submissions, ({ id: one }) => one),
    );
    const page = await dashboard.open(owner, `${path}?view=spam`);
    return { page, left: async () => (await owner.get(`/deploy/${id}/spam`)).body.total };
  },
  first: (page) => page.locator('.kept-row', { hasText: 'Ada' }),
  async remove(page) {
    await page.getByRole('checkbox', { name: 'Select Ada' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).filter({ visible: true }).click();
  },
};

const LISTS: readonly (readonly [string, List])[] = [
  ['a webhook', webhooks],
  ['a domain', domains],
  ['spam', spam],
];

describe.skipIf(!hasChromium())('the deletion', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const undo = (page: Page) => page.locator('.toast').getByRole('button', { name: 'Undo' });

  describe.each(LISTS)('of %s', (_name, list) => {
    /** The view once the item is deleted in it. */
    async function deleted(): Promise<Opened> {
      const opened = await list.open(dashboard);
      await list.first(opened.page).waitFor();
      await list.remove(opened.page);
      await list.first(opened.page).waitFor({ state: 'detached' });
      // The message stays as long as the focus is on it.
      await undo(opened.page).focus();
      return opened;
    }

    it('is taken back by Undo, and is not made by a reload after it', async () => {
      const { page, left } = await deleted();
      expect(await left()).toBe(2);
      await expectAccessible(page);
      await undo(page).click();
      await list.first(page).waitFor();
      await page.reload();
      await list.first(page).waitFor();
      expect(await left()).toBe(2);
    });

    it('is made when its message is dismissed', async () => {
      const { page, left } = await deleted();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await expect.poll(left).toBe(1);
      expect(await list.first(page).count()).toBe(0);
    });

    it('is made by a reload, and the item does not come back', async () => {
      const { page, left } = await deleted();
      await page.reload();
      await expect.poll(left).toBe(1);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => list.first(page).count()).toBe(0);
    });

    it('is made when the tab is hidden, which takes the way back away', async () => {
      const { page, left } = await deleted();
      await page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
      await expect.poll(left).toBe(1);
      expect(await undo(page).count()).toBe(0);
    });

    it('is made when the tab is closed', async () => {
      const { page, left } = await deleted();
      await page.close();
      await expect.poll(left).toBe(1);
    });

    it('stays over a look at another view', async () => {
      const { page, left } = await deleted();
      await page.getByRole('link', { name: 'Charts' }).click();
      await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor();
      expect(await left()).toBe(2);
      await page.goBack();
      expect(await list.first(page).count()).toBe(0);
      await undo(page).click();
      await list.first(page).waitFor();
    });

    it('says so where it is refused, and shows the item again', async () => {
      const { page, left } = await deleted();
      await page.route(
        (url) => /\/(?:webhooks|domains|spam)\//.test(url.pathname),
        (route) =>
          route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: {} }) : route.continue(),
      );
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByText('Not deleted: ').waitFor();
      await list.first(page).waitFor();
      expect(await left()).toBe(2);
    });
  });

  it('of a domain makes way for the same one, added again', async () => {
    const { page, left } = await domains.open(dashboard);
    const name = (await domains.first(page).innerText()).replace('Remove', '').trim();
    await domains.remove(page);
    await page.getByLabel('Add a domain').fill(name);
    await page.getByRole('button', { name: 'Add domain' }).click();
    await domains.first(page).waitFor();
    expect(await undo(page).count()).toBe(0);
    await page.reload();
    await domains.first(page).waitFor();
    expect(await left()).toBe(2);
  });

  it('of all spam asks, and can be taken back', async () => {
    const { page, left } = await spam.open(dashboard);
    await page.getByRole('button', { name: 'Delete all spam' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('heading', { name: 'There is no spam' }).waitFor();
    await undo(page).click();
    await page.getByText('2 submissions', { exact: true }).waitFor();
    expect(await left()).toBe(2);
  });

  it('is made before the session ends', async () => {
    const { page, left } = await webhooks.open(dashboard);
    await webhooks.remove(page);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await left()).toBe(1);
  });

  it('of a recipient is a change that is not saved, and can be taken back', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    await owner
      .patch(`/deploy/${id}`)
      .send({ email_notifications: true, recipients: ['one@example.org'] })
      .expect(200);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/notifications`);
    const remove = page.getByRole('button', { name: 'Remove one@example.org' });
    await remove.click();
    await page.getByText('1 change', { exact: true }).waitFor();
    await undo(page).click();
    await remove.waitFor();
    expect(await page.getByText('1 change', { exact: true }).count()).toBe(0);
  });
});
