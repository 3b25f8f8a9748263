import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKey } from '../src/db/owners.ts';
import { connect, type Database } from '../src/db/postgres/connect.ts';
import { findChromium } from './support/chromium.ts';
import { cloneDatabase } from './support/fresh-database.ts';
import { forgetfulProxyTo } from './support/postgres-proxy.ts';
import { type ServiceProcess, startServiceProcess } from './support/process.ts';
import { asOwner, type Owner } from './support/service.ts';

/*
 * What a person sees and does: pages deployed over the API, opened in Chromium, filled in and sent. Chromium takes
 * every host under localhost for this machine.
 */

const executablePath = findChromium();

it.skipIf(executablePath !== undefined)(
  'needs Chromium: install it (apt-get install chromium)',
  { tags: 'slow' },
  ({ skip }) => {
    if (process.env.CI === 'true')
      throw new Error('Chromium is not on the PATH: install it (apt-get install chromium).');
    console.warn('Chromium is not on the PATH: what a visitor sees was not tried.');
    skip();
  },
);

describe.skipIf(executablePath === undefined)("a visitor's browser", { tags: 'slow', timeout: 60_000 }, () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Database;
  let proxy: Awaited<ReturnType<typeof forgetfulProxyTo>>;
  let service: ServiceProcess;
  let owner: Owner;
  let browser: Browser;
  beforeAll(async () => {
    database = await cloneDatabase();
    proxy = await forgetfulProxyTo(database.url);
    service = await startServiceProcess({ DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' });
    await service.ready();
    db = connect({ connectionString: database.url });
    const key = await createKey(db, { email: 'owner@test.example', plan: undefined, defaultPlan: 'unlimited' });
    owner = asOwner(service.url, key);
    // Without a sandbox, which root may not have: it sees nothing but what is deployed here.
    browser = await chromium.launch({ executablePath: executablePath ?? '', chromiumSandbox: false });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await proxy?.close();
    await db?.close();
    await database?.drop();
  });

  /** A page of a visitor's, which may have nothing to complain of. */
  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const problems: string[] = [];
    context.on('console', (message) => problems.push(message.text()));
    context.on('weberror', (error) => problems.push(String(error.error())));
    onTestFinished(async () => {
      await context.close();
      // A browser notes each answer that is an error; and it asks for an icon that no page of these has.
      expect(
        problems.filter((text) => !/^Failed to load resource: .* status of (404|413|429|503) /.test(text)),
      ).toEqual([]);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(url);
    return page;
  }

  const FIELDS = `
    <input name="name"><textarea name="text"></textarea>
    <input type="checkbox" name="color" value="red"><input type="checkbox" name="color" value="blue">
    <select name="size"><option>small<option>large</select>
    <div style="position:absolute;left:-9999px"><input name="_hp" tabindex="-1" autocomplete="off"></div>`;
  const form = (attributes: string, more = ''): string =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ask us</title><h1 id="top">Ask us</h1><form method="post" ${attributes}>${FIELDS}${more}<button>Send</button></form></html>`;

  const TEXT = 'Two lines,\n"quoted" & <b>bold</b> </textarea> 😀\n';
  const DATA = {
    name: 'Ada <i>"L"</i> & Co',
    text: TEXT.replaceAll('\n', '\r\n'),
    color: ['red', 'blue'],
    size: 'large',
    _hp: '',
  };

  async function fillIn(page: Page): Promise<void> {
    await page.locator('[name=name]').fill(DATA.name);
    await page.locator('[name=text]').fill(TEXT);
    for (const color of DATA.color) await page.locator(`[value=${color}]`).check();
    await page.locator('[name=size]').selectOption(DATA.size);
  }

  const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();
  const words = async (page: Page) => ({
    url: page.url(),
    title: await page.title(),
    heading: await page.getByRole('heading').innerText(),
    text: await page.locator('p').allInnerTexts(),
  });
  const thanks = (url: string) => ({
    url,
    title: 'Thank you',
    heading: 'Thank you',
    text: ['Your form has been sent.', 'Back to the page'],
  });

  /** What was stored, the text of it, oldest first. */
  async function stored(id: string): Promise<string[]> {
    const { rows } = await db.raw(
      'SELECT data::text AS data FROM submissions WHERE deployment_id = ? ORDER BY number',
      [id],
    );
    return rows.map(({ data }: { data: string }) => data);
  }

  /** Makes it look as if the deployment had taken ten submissions so many seconds ago. */
  const setAccepted = (id: string, secondsAgo: number): Promise<unknown> =>
    db.raw(
      `UPDATE deployments SET recent_submissions = array_fill(clock_timestamp() - ? * interval '1 s', ARRAY[10]) WHERE id = ?`,
      [secondsAgo, id],
    );
  const fill = (id: string) => setAccepted(id, 30);
  /** A minute later. That the deployment is full is remembered, until a deployment changes. */
  async function free(id: string): Promise<void> {
    await setAccepted(id, 61);
    await db.raw("SELECT pg_notify('formhost_pages', slug) FROM deployments WHERE id = ?", [id]);
  }

  /** Clicks on until the refusal is over. */
  const sendAgain = (page: Page, title: RegExp): Promise<void> =>
    expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Send it again' }).click();
          return page.title();
        },
        { timeout: 10_000, interval: 300 },
      )
      .toMatch(title);

  const BASE = () => service.url.replace('127.0.0.1', 'localhost');
  const submitUrl = (id: string): string => `${BASE()}/submit/${id}`;

  it.each([
    ['with the placeholder', 'action="{{FORM_ACTION}}"', 'api'],
    ['with the placeholder, multipart', 'action={{FORM_ACTION}} enctype="multipart/form-data"', 'api'],
    ['without an action', '', '/?from=there#top'],
    ['without an action, multipart', 'enctype="multipart/form-data"', '/?from=there#top'],
    ["with its page's address", 'action="/"', '/'],
  ])('is thanked for a form %s, and finds the way back', async (_how, attributes, target) => {
    const { id, url } = await owner.deploy({ html: form(attributes) });
    const page = await open(`${url}/?from=there#top`);
    await fillIn(page);
    await send(page);
    expect(await words(page)).toEqual(thanks(target === 'api' ? submitUrl(id) : url + target));
    expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
    await page.getByRole('link', { name: 'Back to the page' }).click();
    expect([page.url(), await page.getByRole('heading').innerText()]).toEqual([`${url}/`, 'Ask us']);
  });

  it.each([
    ['#thanks', '/#thanks', 'action="{{FORM_ACTION}}"'],
    ['/?sent=1#thanks', '/?sent=1#thanks', 'enctype="multipart/form-data"'],
  ])('is sent on by a _redirect %s', async (redirect, path, attributes) => {
    const hidden = `<input type="hidden" name="_redirect" value="${redirect}"><p id="thanks">Thanks!</p>`;
    const { id, url } = await owner.deploy({ html: form(attributes, hidden) });
    const page = await open(`${url}/`);
    await fillIn(page);
    await send(page);
    await page.waitForURL(url + path);
    expect(await page.getByRole('heading').innerText()).toBe('Ask us');
    expect(await stored(id)).toEqual([JSON.stringify({ ...DATA, _redirect: redirect })]);
  });

  it('is not sent on to another host', async () => {
    const hidden = '<input type="hidden" name="_redirect" value="//evil.localhost/">';
    const { id, url } = await owner.deploy({ html: form('action="{{FORM_ACTION}}"', hidden) });
    const page = await open(url);
    await send(page);
    expect(await words(page)).toEqual(thanks(submitUrl(id)));
  });

  it.each([
    ['with the placeholder', 'action="{{FORM_ACTION}}"'],
    ['without an action, multipart', 'enctype="multipart/form-data"'],
  ])('keeps what was filled in while the form is full, one click from going on: %s', async (_how, attributes) => {
    const { id, url } = await owner.deploy({ html: form(attributes) });
    await fill(id);
    const page = await open(url);
    await fillIn(page);
    await send(page);
    expect(await words(page)).toEqual({
      url: attributes.includes('action') ? submitUrl(id) : `${url}/`,
      title: 'Please wait a moment',
      heading: 'Please wait a moment',
      text: [
        expect.stringMatching(/^This form has received many submissions\. Try again in (2\d|30) seconds\.$/),
        'What you filled in has been kept.',
        'Back to the page',
      ],
    });
    // Too early, and once more.
    await page.getByRole('button', { name: 'Send it again' }).click();
    expect(await page.title()).toBe('Please wait a moment');
    await free(id);
    await sendAgain(page, /^Thank you/);
    expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
  });

  it.each([
    ['with the placeholder', 'action="{{FORM_ACTION}}"'],
    ['with the placeholder, multipart', 'action={{FORM_ACTION}} enctype="multipart/form-data"'],
    ['without an action', ''],
    ['without an action, multipart', 'enctype="multipart/form-data"'],
  ])('sends again what was stored after all, and it is stored once: %s', async (_how, attributes) => {
    const { id, url } = await owner.deploy({ html: form(attributes) });
    const page = await open(url);
    await fillIn(page);
    proxy.loseAnswerTo('store-submission');
    await send(page);
    expect(await words(page)).toMatchObject({
      heading: 'This could not be sent right now',
      text: [
        'The service is busy. Try again in 2 seconds.',
        'What you filled in has been kept.',
        ...(attributes.includes('action') ? [] : ['Back to the page']),
      ],
    });
    expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
    await sendAgain(page, /^Thank you/);
    expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
    if (attributes.includes('action')) return;
    // Whoever stays at the address of the answer finds the form there, and fills it in once more.
    await page.goto(page.url());
    await send(page);
    expect(await page.title()).toBe('Thank you');
    expect(await stored(id)).toHaveLength(2);
  });

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
    'sends again what no person types, just as it was, and is sent on: %s',
    async (enctype) => {
      const pairs: [string, string][] = [
        ['b', '2'],
        ['a"\'<x>&amp;', '\r\n\r\nfirst and last\r\n'],
        ['_charset_', 'koi8-r'],
        ['isindex', '1'],
        ['__proto__', '</textarea><script>alert(1)</script>'],
        ['b', '&#13;&lt;&nbsp;'],
        ['10', 'ten'],
        ['2', 'two'],
        ['submit', 'x'],
        ['tab\tand\u0001', '\u0080\u2028\uFEFF\u{10FFFF}'],
        ['line\r\nbreak', ' spaces  '],
        ['b', ''],
        ['_hp', ''],
        ['_redirect', '/?sent=1#ok'],
      ];
      const script = `for (const [name, value] of ${JSON.stringify(pairs).replaceAll('<', '\\u003c')}) {
        const control = document.createElement('textarea');
        Object.assign(control, { name, value, hidden: true });
        document.querySelector('form').append(control);
      }`;
      const { id, url } = await owner.deploy({
        html: `<!doctype html><meta charset=utf-8><title>Sent on</title><form method=post action={{FORM_ACTION}} enctype=${enctype}><button>Send</button></form><script>${script}</script>`,
      });
      const page = await open(url);
      proxy.loseAnswerTo('store-submission');
      await send(page);
      await sendAgain(page, /^Sent on/);
      expect(page.url()).toBe(`${url}/?sent=1#ok`);
      const names = [...new Set(pairs.map(([name]) => name))];
      const members = names.map((name) => {
        const values = pairs.filter(([other]) => other === name).map(([, value]) => value);
        return `${JSON.stringify(name)}:${JSON.stringify(values.length > 1 ? values : values[0])}`;
      });
      expect(await stored(id)).toEqual([`{${members.join(',')}}`]);
    },
  );

  it('is told that files are not kept', async () => {
    const { id, url } = await owner.deploy({
      html: form('action={{FORM_ACTION}} enctype=multipart/form-data', '<input type=file name=f>'),
    });
    await fill(id);
    const page = await open(url);
    await page.locator('[name=f]').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await send(page);
    expect((await words(page)).text[1]).toBe(
      'What you filled in has been kept, except files: to send them too, go back and choose them again.',
    );
  });

  it('is told why nothing was taken, and goes back to what was typed', async () => {
    const { id, url } = await owner.deploy({ html: form('action="{{FORM_ACTION}}"') });
    const page = await open(url);
    await page.locator('[name=text]').fill('x'.repeat(300_000));
    await send(page);
    expect(await words(page)).toEqual({
      url: submitUrl(id),
      title: 'This is too large to send',
      heading: 'This is too large to send',
      text: [
        'The submission is too large: send at most 262144 bytes of names and values.',
        'Go back in your browser: what you filled in should still be there.',
        'Back to the page',
      ],
    });
    await page.goBack();
    expect((await page.locator('[name=text]').inputValue()).length).toBe(300_000);
    await owner.delete(`/deploy/${id}`).expect(200);
    await page.locator('[name=text]').fill('x');
    await send(page);
    expect(await words(page)).toMatchObject({ heading: 'This form is not available' });
  });

  it('may show the answer in a frame of the page', async () => {
    const { id, url } = await owner.deploy({
      html: form('action="{{FORM_ACTION}}" target="answer"', '<iframe name="answer"></iframe>'),
    });
    const page = await open(url);
    await send(page);
    expect(await page.frameLocator('iframe').getByRole('heading').innerText()).toBe('Thank you');
    expect(await stored(id)).toHaveLength(1);
  });

  it('gives JSON to the scripts of a page', async () => {
    const { id, url } = await owner.deploy({ html: form('action="{{FORM_ACTION}}"') });
    const page = await open(url);
    const answer = await page.evaluate(`(async () => {
      const form = document.querySelector('form');
      const response = await fetch(form.action, { method: 'POST', body: new FormData(form) });
      return response.json();
    })()`);
    expect(answer).toEqual({ message: 'Submission received', id: expect.stringMatching(/^sub_/) });
    expect(await stored(id)).toHaveLength(1);
  });

  it.each(['light', 'dark'] as const)('shows a page that fits a small phone, %s', async (colorScheme) => {
    const { id, url } = await owner.deploy({ html: form('action="{{FORM_ACTION}}"') });
    await fill(id);
    const page = await open(url, {
      colorScheme,
      viewport: { width: 360, height: 640 },
      isMobile: true,
      hasTouch: true,
    });
    await page.locator('[name=text]').fill('x'.repeat(10_000));
    await send(page);
    const shown = await page.evaluate(`({
      width: document.documentElement.scrollWidth,
      height: document.documentElement.scrollHeight,
      language: document.documentElement.lang,
      background: getComputedStyle(document.body).backgroundColor,
      fontSize: getComputedStyle(document.querySelector('p')).fontSize,
      canBeTouched: document.querySelector('button').getBoundingClientRect().height >= 44,
      keptInSight: [...document.querySelectorAll('textarea')].filter((area) => area.checkVisibility()).length,
    })`);
    expect(shown).toEqual({
      width: 360,
      height: 640,
      language: 'en',
      background: colorScheme === 'dark' ? 'rgb(23, 23, 26)' : 'rgb(255, 255, 255)',
      fontSize: '17px',
      canBeTouched: true,
      keptInSight: 0,
    });
  });
});
