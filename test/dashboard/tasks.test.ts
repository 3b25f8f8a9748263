import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, PHONE, startDashboard, tabTo } from '../support/dashboard-in-browser.ts';
import { startReceiver } from '../support/receivers.ts';
import type { Owner } from '../support/service.ts';

/* The main task of each view, from signing in to its result, by the keyboard or on a phone. The tests of the views use the mouse. */

/** The title and the fields are written from right to left. */
const TITLE = 'اتصل بنا';
const FORM = `<!doctype html><html dir="rtl" lang="ar"><title>${TITLE}</title><form method=post action={{FORM_ACTION}}>
<label>الاسم <input name=name></label><label>رسالة <textarea name=message></textarea></label><button>Send</button></form></html>`;
const SLUG = 'arabic-page';
const HTML = '<title>Typed</title><form method=post><input name=a><button>Send</button></form>';

/** How somebody uses what is on the screen. */
type Hand = {
  press(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Chooses one of several buttons of which one is pressed at a time, `by` places before the one that is. */
  choose(buttons: Locator, name: string, by: number): Promise<void>;
};

type Kind = { options: BrowserContextOptions; hand(page: Page): Hand };

/** The keyboard alone, in the dark. */
const KEYBOARD: Kind = {
  options: { colorScheme: 'dark' },
  hand: (page) => {
    const reach = async (target: Locator): Promise<void> => {
      await target.waitFor();
      await tabTo(page, target);
    };
    return {
      async press(target) {
        await reach(target);
        await page.keyboard.press('Enter');
      },
      async write(field, text) {
        await reach(field);
        await page.keyboard.press('ControlOrMeta+A');
        await page.keyboard.insertText(text);
      },
      async choose(buttons, _name, by) {
        await reach(buttons.locator(':checked'));
        for (let presses = 0; presses < by; presses += 1) await page.keyboard.press('ArrowLeft');
      },
    };
  },
};

const TOUCH: Kind = {
  options: PHONE,
  hand: () => ({
    press: (target) => target.tap(),
    async write(field, text) {
      await field.tap();
      await field.fill(text);
    },
    choose: (buttons, name) => buttons.getByText(name, { exact: true }).tap(),
  }),
};

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name });

  /** Signs in, and opens a view of the page that has received something. */
  async function start(
    { options, hand }: Kind,
    view?: string,
  ): Promise<{ owner: Owner; id: string; page: Page; user: Hand }> {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM, slug: SLUG });
    onTestFinished(async () => {
      await owner.delete(`/deploy/${id}`);
      await owner.delete(`/trash/${id}`);
    });
    await fetch(`${dashboard.origin}/submit/${id}`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'שלמה', message: 'متى تفتحون؟' }),
    });
    const page = await dashboard.open(undefined, '/dashboard', options);
    const user = hand(page);
    await user.write(page.getByLabel('API key'), owner.key);
    await user.press(button(page, 'Sign in'));
    if (view === undefined) await page.getByRole('link', { name: TITLE, exact: true }).waitFor();
    else {
      await user.press(page.getByRole('link', { name: TITLE, exact: true }));
      await heading(page, 'Inbox');
      if (view !== 'Inbox') {
        await user.press(page.getByRole('navigation', { name: 'This page' }).getByRole('link', { name: view }));
        await heading(page, view);
      }
    }
    return { owner, id, page, user };
  }

  it('Account: creates a key, and signs out', async () => {
    const { owner, page, user } = await start(KEYBOARD);
    await user.press(page.getByRole('link', { name: 'Account' }));
    await page
      .getByText((await owner.get('/me')).body.email)
      .last()
      .waitFor();
    await user.write(page.getByLabel('Name'), 'Website build');
    await user.press(button(page, 'Create a key'));
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    const key = await dialog.getByText(/^fh_/).innerText();
    await user.press(button(dialog, 'I have it'));
    await button(page, 'Revoke Website build').waitFor();
    const { status } = await fetch(`${dashboard.origin}/me`, { headers: { Authorization: `Bearer ${key}` } });
    expect(status).toBe(200);
    await user.press(button(page, 'Sign out'));
    await heading(page, 'Sign in');
  });

  it('New page: publishes what was written', async () => {
    const { owner, page, user } = await start(KEYBOARD);
    await user.press(page.getByRole('link', { name: 'New page' }));
    await user.write(page.getByLabel('HTML'), HTML);
    await page.getByText('1 form, 1 field.', { exact: false }).waitFor();
    await user.press(button(page, 'Publish'));
    await page.getByText(/^typed\S* is live\.$/).waitFor();
    await heading(page, 'Page');
    const { deployments } = (await owner.get('/deploy')).body;
    const slugs = Array.from(deployments, ({ slug }) => String(slug));
    expect(slugs).toEqual([expect.stringMatching(/^typed/), SLUG]);
  });

  it('Inbox: reads a submission, and gives it a star', async () => {
    const { owner, id, page, user } = await start(TOUCH, 'Inbox');
    await user.press(page.getByRole('link', { name: 'Unread: שלמה' }));
    await page.getByRole('heading', { level: 2, name: 'שלמה' }).waitFor();
    const detail = page.getByRole('region', { name: 'Submission' });
    await expect
      .poll(() => detail.locator('.fields dt, .fields dd').allInnerTexts())
      .toEqual(['الاسم', 'שלמה', 'رسالة', 'متى تفتحون؟']);
    await user.press(button(detail, 'Star'));
    await button(detail, 'Remove star').waitFor();
    await user.press(page.getByRole('link', { name: 'Back to the list' }));
    await page.getByRole('link', { name: 'שלמה', exact: true }).waitFor();
    const [{ read, starred }] = (await owner.get(`/submissions/${id}/search`)).body.submissions;
    expect([read, starred]).toEqual([true, true]);
  });

  it('Charts: finds the hour of a submission', async () => {
    const { page, user } = await start(KEYBOARD, 'Charts');
    await page.getByText('1 submission in this time, by day', { exact: false }).waitFor();
    await user.choose(page.getByRole('group', { name: 'Time' }), '24 hours', 2);
    await page.getByText('1 submission in this time, by hour', { exact: false }).waitFor();
    await user.press(page.locator('summary').filter({ hasText: 'As a table' }));
    const cells = page.getByRole('region', { name: 'Submissions as a table' }).getByRole('cell');
    await expect.poll(async () => (await cells.allInnerTexts()).filter((count) => count === '1')).toHaveLength(1);
  });

  it('Page: looks at what changed, and restores the version before', async () => {
    const { owner, id, page, user } = await start(TOUCH);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: FORM.replace('<button>Send', '\n<button>\u202ednes <b>') })
      .expect(200);
    await user.press(page.getByRole('link', { name: TITLE, exact: true }));
    await heading(page, 'Inbox');
    await user.press(page.getByRole('link', { name: 'Page', exact: true }));
    await user.press(button(page, 'Changes in version 2'));
    await page.getByText('2 lines added, 1 line removed.').waitFor();
    const lines = page.getByRole('region', { name: 'Lines that changed' }).locator('.removed bdi, .added bdi');
    expect((await lines.allInnerTexts()).at(-1)).toBe('<button>⟨U+202E⟩dnes <b></button></form></html>');
    await user.press(button(page, 'Restore version 1'));
    await user.press(button(page.getByRole('dialog', { name: 'Restore version 1?' }), 'Restore'));
    await page.getByText('Version 1 is live again.').waitFor();
    await page.getByText('Version 3', { exact: true }).waitFor();
    expect((await owner.get(`/deploy/${id}/html`)).body).toEqual({ html: FORM });
  });

  it('Notifications: adds a webhook, tests it, shows its secret, switches it off and deletes it', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { owner, id, page, user } = await start(TOUCH, 'Notifications');
    await user.write(page.getByLabel('Webhook URL'), `${receiver.url}/orders`);
    await user.press(button(page, 'Add webhook'));
    await user.press(button(page, /^Send a test to/));
    await page.getByText('Delivered', { exact: true }).waitFor();
    expect(receiver.received).toHaveLength(1);
    await user.press(button(page, 'Show secret'));
    const secret = await page.locator('.secret').innerText();
    await user.press(button(page, 'Copy secret'));
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await user.press(button(page, 'Rotate secret'));
    await user.press(button(page.getByRole('dialog'), 'Rotate'));
    await expect.poll(() => page.locator('.secret').innerText()).not.toBe(secret);
    await user.press(page.getByLabel('Switched on'));
    await page.getByText('Off', { exact: true }).waitFor();
    const isActive = async (): Promise<unknown> => (await owner.get(`/webhooks/${id}`)).body.webhooks[0]?.active;
    await expect.poll(isActive).toBe(false);
    await user.press(button(page, 'Delete'));
    await user.press(button(page.getByRole('dialog'), 'Delete'));
    await page.getByText('The webhook is deleted.').waitFor();
    await expect.poll(isActive).toBe(undefined);
  });

  it('Settings: changes where visitors are sent', async () => {
    const { owner, id, page, user } = await start(KEYBOARD, 'Settings');
    await user.write(page.getByLabel('Redirect URL'), 'https://example.org/thanks');
    await user.press(button(page, 'Save'));
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await owner.get(`/deploy/${id}/settings`)).body.redirect_url).toBe('https://example.org/thanks');
  });
});
