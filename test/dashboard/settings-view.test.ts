import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  openSections,
  PHONE,
  startDashboard,
  tabTo,
} from '../support/dashboard-in-browser.ts';

/* Settings: what is typed and not saved, what is said about it, and what visitors will see. */

const FORM = `<!doctype html>
<html lang="de"><meta name="theme-color" content="#c2410c"><title>Töpferkurs</title>
<form method="post">
<label>Name <input name="name"></label>
<label>Ihre E-Mail-Adresse <input name="contact"></label>
<label><input type="checkbox" name="mail_me"> E-mail me about news</label>
<label>Friend <input name="friend" type="email"></label>
<label>Message <textarea name="message"></textarea></label>
<button>Send</button>
</form>`;

describe.skipIf(!hasChromium())('the dashboard, Settings', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  async function opened(options: Parameters<DashboardUnderTest['open']>[2] = {}, settings: object = {}) {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    await owner.patch(`/deploy/${id}`).send(settings).expect(200);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings`, options);
    await page.getByLabel('Redirect URL').waitFor();
    return { owner, id, page, settings: async () => (await owner.get(`/deploy/${id}/settings`)).body };
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
  const view = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'This page' }).getByText(name).click();
  /** Opens the settings of a page in another tab of the same browser. */
  async function inAnotherTab(page: Page): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Redirect URL').waitFor();
    return other;
  }

  it('has a bar with changes only, which saves them in one request or discards them, and undoes that', async () => {
    const { page, settings } = await opened();
    expect(await save(page).count()).toBe(0);
    await openSections(page, 'Keep or delete', 'Places');
    await page.getByLabel('Delete submissions after days').fill('30');
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByLabel('Places', { exact: true }).fill('1,200');
    await page.getByText('2 changes', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await save(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Places', { exact: true }).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 changes', { exact: true }).waitFor();
    let patches = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH') patches += 1;
    });
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    expect(patches).toBe(1);
    expect(await settings()).toMatchObject({ max_submissions: 1200, retention_days: 30 });
  });

  it('keeps what is not saved while other views are looked at, and asks before the window closes with it', async () => {
    const { page } = await opened();
    await page.getByLabel('Redirect URL').fill('https://example.org/kept');
    await view(page, 'Charts');
    await page.getByRole('heading', { name: 'Charts' }).waitFor();
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      const type = dialog.type();
      await dialog.dismiss();
      return type;
    });
    const left = page.close({ runBeforeUnload: true });
    expect(await asked).toBe('beforeunload');
    await left;
    await view(page, 'Settings');
    await page.getByText('1 change', { exact: true }).waitFor();
    expect(await page.getByLabel('Redirect URL').inputValue()).toBe('https://example.org/kept');
    await page.getByRole('button', { name: 'Discard' }).click();
    await save(page).waitFor({ state: 'detached' });
    // Without a change nothing is asked.
    await page.close({ runBeforeUnload: true });
    if (!page.isClosed()) await page.waitForEvent('close');
  });

  it('tells the second of two tabs that a setting was changed, and lets a person choose', async () => {
    const { owner, id, page, settings } = await opened();
    const other = await inAnotherTab(page);
    await other.getByLabel('Redirect URL').fill('https://example.org/second');
    await other.getByLabel('Language').selectOption('French');
    await page.getByLabel('Redirect URL').fill('https://example.org/first');
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    // At once, before anything is saved here.
    await other.getByText('2 changes', { exact: true }).waitFor();
    await other.getByText('This was changed in another tab meanwhile, to “https://example.org/first”.').waitFor();
    await save(other).click();
    await other.getByText('1 setting was changed in another tab.').waitFor();
    await other.getByLabel('Redirect URL').and(other.locator(':focus')).waitFor();
    expect(await settings()).toMatchObject({ redirect_url: 'https://example.org/first', language: null });
    await expectAccessible(other);
    await other.getByRole('button', { name: 'Keep my change' }).click();
    await save(other).click();
    await save(other).waitFor({ state: 'detached' });
    expect(await settings()).toMatchObject({ redirect_url: 'https://example.org/second', language: 'fr' });
    // Where nothing is typed, the other's settings show up.
    await expect.poll(() => page.getByLabel('Redirect URL').inputValue()).toBe('https://example.org/second');
    await page.getByLabel('Language').selectOption('Polish');
    // A program tells no tab.
    await owner.patch(`/deploy/${id}`).send({ language: 'it' }).expect(200);
    await save(page).click();
    await page.getByRole('button', { name: 'Use the other: Italian' }).click();
    // The change that is no conflict any more leaves nothing to save.
    await save(page).waitFor({ state: 'detached' });
    expect(await settings()).toMatchObject({ language: 'it' });
  });

  it('says one error once, at its field, which gets the focus though its part was closed', async () => {
    const { page, settings } = await opened(PHONE);
    await openSections(page, 'Keep or delete');
    await page.getByLabel('Delete submissions after days').fill('4000');
    await openSections(page, 'Keep or delete');
    await save(page).tap();
    const field = page.getByLabel('Delete submissions after days');
    await field.and(page.locator(':focus')).waitFor();
    expect(await page.getByText('At most 3,650.').count()).toBe(1);
    await page.getByText('Not saved: 1 field needs attention.').waitFor();
    await expectAccessible(page);
    await field.fill('365');
    await page.getByText('1 field needs attention').waitFor({ state: 'detached' });
    await save(page).tap();
    await expect.poll(settings).toMatchObject({ retention_days: 365 });
  });

  it('takes addresses as people write them, and speaks of none that a program would', async () => {
    const { page, settings } = await opened();
    await openSections(page, 'Who may send', 'Spam');
    await page.getByLabel('Redirect URL').fill(' Example.org/Thanks?x=1 ');
    await page.getByLabel('Allowed sites').fill('Example.org/contact\nhttps://shop.example:8443/a?b#c');
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    expect(await settings()).toMatchObject({
      redirect_url: 'https://Example.org/Thanks?x=1',
      allowed_origins: ['https://example.org', 'https://shop.example:8443'],
    });
    await page.getByLabel('Redirect URL').fill('thanks page');
    await page.getByLabel('Allowed sites').fill('https://example.org\nmy shop');
    await page.getByLabel('Blocked words').fill(`casino\n${'x'.repeat(101)}`);
    await save(page).click();
    await page.getByText('Not saved: 3 fields need attention.').waitFor();
    const errors = await page.locator('.field .error').allInnerTexts();
    expect(errors).toEqual([
      'Enter the address of a page, such as https://example.org/thanks, or leave it empty.',
      '“my shop”: Enter a site such as https://example.org, or remove the line.',
      `“${'x'.repeat(101)}”: At most 100 characters: shorten it.`,
    ]);
    await openSections(page, 'When it is open');
    await page.getByLabel('Opens').fill('2031-05-02T09:00');
    await page.getByLabel('Closes').fill('2031-05-01T09:00');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The form would close before it opens: change one of the two.').waitFor();
    expect((await page.locator('main').innerText()).match(/\bsend an?\b|origin|null,|JSON|endpoint/g)).toEqual(null);
  });

  it('shows times in the zone of the first browser until another is chosen', async () => {
    const { owner, id, page, settings } = await opened({ timezoneId: 'America/New_York' });
    const zone = async (): Promise<unknown> => (await owner.get('/me')).body.time_zone;
    await expect.poll(zone).toBe('America/New_York');
    await openSections(page, 'When it is open');
    expect(await page.getByText('America/New_York time.').count()).toBe(2);
    await page.getByLabel('Closes').fill('2031-12-04T17:30');
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    expect((await settings()).closes_at).toBe('2031-12-04T22:30:00.000Z');
    // In a browser elsewhere, the owner's zone stays.
    const elsewhere = await dashboard.open(owner, `/dashboard/pages/${id}/settings#opening`, {
      timezoneId: 'Asia/Tokyo',
    });
    await elsewhere.getByText('America/New_York time.').first().waitFor();
    expect(await elsewhere.getByLabel('Closes').inputValue()).toBe('2031-12-04T17:30');
    expect(await zone()).toBe('America/New_York');
  });

  it('offers for mail to visitors only fields that hold addresses', async () => {
    const { page, owner } = await opened();
    await openSections(page, 'Mail to visitors');
    const field = page.getByLabel('Thank visitors by mail');
    await field.and(page.locator('select')).waitFor();
    const offered = () => field.locator('option').allInnerTexts();
    await expect.poll(offered).toEqual(['No mail', 'Ihre E-Mail-Adresse', 'Friend']);
    await field.selectOption('Friend');
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await save(page).waitFor({ state: 'detached' });
    const { id } = await owner.deploy({
      html: FORM.replaceAll(/mail|contact/gi, 'line'),
    });
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/settings#mail`);
    await page.getByText('The form has no field for an e-mail address').waitFor();
    // Of a form on another site, only its owner knows the fields.
    const { id: elsewhere } = await owner.deploy({ html: '<p>No form' });
    await page.goto(`${dashboard.origin}/dashboard/pages/${elsewhere}/settings#mail`);
    await page.getByText('The name of the field that holds the address').waitFor();
    await field.fill('e_mail');
    await page.getByLabel('Subject of the mail').waitFor();
  });

  it('offers a higher limit a minute to a form with more places', async () => {
    const { page, settings } = await opened();
    await openSections(page, 'Places');
    const offer = page.getByRole('button', { name: 'Let 60 in each minute' });
    await page.getByLabel('Places', { exact: true }).fill('10');
    expect(await offer.count()).toBe(0);
    await page.getByLabel('Places', { exact: true }).fill('40');
    await offer.click();
    await offer.waitFor({ state: 'detached' });
    await save(page).click();
    await expect.poll(settings).toMatchObject({ max_submissions: 40, submissions_per_minute: 60 });
  });

  it('offers the fields of the form with a number to count places by, and says how many are taken', async () => {
    const owner = await dashboard.owner();
    const html = FORM.replace(
      '<button>',
      '<label>Personen <select name="people"><option>1<option>3</select></label><button>',
    );
    const { id } = await owner.deploy({ html });
    await owner.change(id, { max_submissions: 40, places_field: 'people' }).expect(200);
    await owner.post(`/submit/${id}`).send({ name: 'Ada', people: '3' }).expect(200);
    await owner.change(id, { places_field: null }).expect(200);
    const page = await dashboard.open(owner, `/dashboard/pages/${id}/settings#places`);
    const choice = page.getByLabel('Count places by');
    await choice.getByText('Personen').waitFor({ state: 'attached' });
    expect(await choice.locator('option').allInnerTexts()).toEqual(['Submissions: each takes one place', 'Personen']);
    await choice.selectOption('Personen');
    await save(page).click();
    await expect
      .poll(async () => (await owner.get(`/deploy/${id}/settings`)).body)
      .toMatchObject({ places_field: 'people' });
    await page.reload();
    await page.getByText('40 places, 3 taken').waitFor();
  });

  it('has a line of state for each part, and shows visitors’ screens with the texts that are typed', async () => {
    const { page, owner, id } = await opened(
      { timezoneId: 'Europe/Berlin' },
      {
        closes_at: '2031-12-04T16:00:00Z',
        max_submissions: 40,
        email_notifications: true,
        confirmation: { field: 'friend', subject: 'Hallo', text: 'Nummer {{reference}}' },
        allowed_origins: ['https://one.example', 'https://two.example'],
      },
    );
    const states = page.locator('.panel-state');
    await page.getByText('1 receiver', { exact: true }).waitFor();
    await page.getByText('To the address in “Friend”', { exact: true }).waitFor();
    expect((await states.allInnerTexts()).slice(0, 7)).toEqual([
      'Thanks with our text',
      'To the address in “Friend”',
      expect.stringMatching(/^Open until Thu, .*4.* 05:00 PM$/),
      '40 places, 0 taken',
      'This page and 2 sites',
      'No captcha',
      'Submissions are kept',
    ]);
    const screen = page.locator('.screen');
    // The page is German.
    await screen.getByText('Töpferkurs').waitFor();
    await screen.getByText('Vielen Dank').waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.screen')).borderTopColor")).toBe(
      'rgb(194, 65, 12)',
    );
    await openSections(page, 'When it is open');
    await page.getByLabel('Message while it is closed').fill('Bis zum nächsten Jahr!');
    await screen.getByText('Bis zum nächsten Jahr!').waitFor();
    await page.getByRole('button', { name: 'Full', exact: true }).click();
    // A form that is full does not say when it opens, or that it is over.
    await screen.getByText('Bis zum nächsten Jahr!').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Mail', exact: true }).click();
    await screen.getByText('Nummer sub_…').waitFor();
    await expectAccessible(page);
    await owner.patch(`/deploy/${id}`).send({ max_submissions: null }).expect(200);
    await page.reload();
    await page.getByText('No limit', { exact: true }).waitFor();
  });

  it('thanks in the words of the owner, and says on the page itself that the form is closed', async () => {
    const { page, settings, id } = await opened();
    const words = 'Bis Samstag!\nBringen Sie eine Schürze mit.';
    await page.getByLabel('Thank-you message').fill(words);
    await page.locator('.screen').getByText('Bringen Sie eine Schürze mit.').waitFor();
    await openSections(page, 'When it is open');
    await page.getByLabel('Closes').fill('2026-01-01T09:00');
    await page.getByLabel('Say so in place of the page').check();
    await page.getByText('3 changes', { exact: true }).waitFor();
    await save(page).click();
    await save(page).waitFor({ state: 'detached' });
    expect(await settings()).toMatchObject({ thanks_message: words, closed_page: true });
    await page.getByText('Thanks in your own words').waitFor();
    const visitor = await fetch(`${dashboard.origin}/submit/${id}/thanks`);
    expect(await visitor.text()).toContain('Bringen Sie eine Schürze mit.');
    await page.getByLabel('Redirect URL').fill('https://example.org/thanks');
    await page.getByLabel('Thank-you message').waitFor({ state: 'detached' });
    await page.getByText('Visitors go to https://example.org/thanks').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Thank-you message').fill('x'.repeat(1_001));
    await save(page).click();
    await page.getByText('At most 1,000 characters: shorten it.').waitFor();
  });

  it('is reached by the keyboard alone', async () => {
    const { page, settings } = await opened({ ...PHONE, colorScheme: 'dark' });
    await tabTo(page, page.getByRole('button', { name: 'Places' }));
    await page.keyboard.press('Enter');
    const places = page.getByLabel('Places', { exact: true });
    await places.waitFor();
    await tabTo(page, places);
    await page.keyboard.type('25');
    await tabTo(page, save(page));
    await page.keyboard.press('Enter');
    await expect.poll(settings).toMatchObject({ max_submissions: 25 });
    await expectAccessible(page);
  });

  it('has no button for people who may only read', async () => {
    const owner = await dashboard.owner();
    const { id } = await owner.deploy({ html: FORM });
    await owner
      .patch(`/deploy/${id}`)
      .send({ email_notifications: true, recipients: ['one@example.org'] })
      .expect(200);
    await owner.post(`/webhooks/${id}`).send({ url: 'http://127.0.0.1:9/hook' }).expect(201);
    await owner.post(`/deploy/${id}/domains`).send({ domain: 'forms.shop.example' }).expect(201);
    const { key } = (await owner.post('/keys').send({ name: 'Reader', scope: 'read' }).expect(201)).body;
    const page = await dashboard.open({ ...owner, key }, `/dashboard/pages/${id}/settings`);
    await page.getByLabel('Redirect URL').waitFor();
    await openSections(page, 'Places', 'Spam', 'Domains', 'When it is open');
    for (const label of ['Redirect URL', 'Opens', 'Captcha'])
      expect(await page.getByLabel(label).isDisabled()).toBe(true);
    await page.getByText('forms.shop.example', { exact: true }).first().waitFor();
    const buttons = async () => {
      const texts = await page.locator('main button:not(.panel-head)').allInnerTexts();
      return texts.map((text) => text.replaceAll(/\s+/g, ' ')).toSorted();
    };
    const copies = ['name', 'value'].flatMap((what) =>
      ['CNAME', 'TXT'].map((type) => `Copy ${what} of the ${type} record of forms.shop.example`),
    );
    expect(await buttons()).toEqual(['After sending', 'Before it opens', 'Closed', ...copies, 'Full', 'Mail']);
    await page.goto(`${dashboard.origin}/dashboard/pages/${id}/notifications`);
    await page.locator('.panel-head').click();
    await page.getByText('http://127.0.0.1:9/hook').first().waitFor();
    expect(await page.getByLabel('Send mail about submissions').isDisabled()).toBe(true);
    expect(await buttons()).toEqual([]);
    expect(await page.getByLabel('Webhook URL').count()).toBe(0);
  });
});
