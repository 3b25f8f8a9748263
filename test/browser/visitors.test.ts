import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.ts';
import { hasChromium, openBrowser } from '../support/chromium.ts';
import { cloneDatabase } from '../support/fresh-database.ts';
import { forgetfulProxyTo } from '../support/postgres-proxy.ts';
import { setAccepted } from '../support/set-accepted.ts';
import { type Owner, startLocalService } from '../support/test-service.ts';

/*
 * Tests pages as visitors use them: they are deployed over the API, opened in Chromium, filled in and sent. Chromium takes
 * every host under localhost for this machine.
 */

const MIB = 1024 * 1024;

/** How a form can be sent: to BASE_URL as urlencoded, and to its own page as multipart. */
const FORMS = [
  ['with the placeholder', 'action="{{FORM_ACTION}}"'],
  ['without an action, multipart', 'enctype="multipart/form-data"'],
] as const;

describe.skipIf(!hasChromium())("a visitor's browser", () => {
  let proxy: Awaited<ReturnType<typeof forgetfulProxyTo>>;
  let service: Awaited<ReturnType<typeof startLocalService>>;
  let owner: Owner;
  let browser: Browser;
  beforeAll(async () => {
    const database = await cloneDatabase();
    proxy = await forgetfulProxyTo(database.url);
    service = await startLocalService({ DATABASE_URL: proxy.url, MAX_FILE_BYTES: String(MIB) }, 'localhost', database);
    owner = await service.owner();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await service?.close();
    await proxy?.close();
  });

  /** A page of a visitor's, which may have nothing to complain of. */
  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const problems: string[] = [];
    context.on('console', (message) => problems.push(message.text()));
    context.on('weberror', (error) => problems.push(String(error.error())));
    onTestFinished(async () => {
      await context.close();
      // A browser notes each answer that is an error, and a 404 for an icon that only the API's host does not have.
      expect(
        problems.filter((text) => !/^Failed to load resource: .* status of (404|405|413|429|500|503) /.test(text)),
      ).toEqual([]);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
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
    title: 'Thank you · Ask us',
    heading: 'Thank you',
    text: ['Ask us', 'Your message has been sent.', 'Back to the page'],
  });

  /** Returns the texts of the stored submissions, oldest first. */
  async function stored(id: string): Promise<string[]> {
    const { rows } = await service.db.raw(
      'SELECT data::text AS data FROM submissions WHERE deployment_id = ? ORDER BY number',
      [id],
    );
    return rows.map(({ data }: { data: string }) => data);
  }

  const fill = (id: string) => setAccepted(service.db, id, 10, 30);
  /** A minute later. That the deployment is full is remembered, until a deployment changes. */
  async function free(id: string): Promise<void> {
    await setAccepted(service.db, id, 10, 61);
    await service.db.raw('UPDATE deployments SET updated_at = clock_timestamp() WHERE id = ?', [id]);
  }

  /** Clicks on until the refusal is over. */
  const sendAgain = (page: Page, title: RegExp): Promise<void> =>
    expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Send it again' }).click();
          return page.title();
        },
        { timeout: 60_000, interval: 300 },
      )
      .toMatch(title);

  const submitUrl = (id: string): string => `${service.origin}/submit/${id}`;

  it.each([
    ['with the placeholder', 'action="{{FORM_ACTION}}"', 'api'],
    // Browsers keep the fragment of the address that redirects.
    ['without an action, multipart', 'enctype="multipart/form-data"', '/thanks#top'],
    ["with its page's address", 'action="/"', '/thanks'],
  ])('is thanked for a form %s, and finds the way back', async (_how, attributes, target) => {
    const { id, url } = await owner.deploy({ html: form(attributes) });
    const page = await open(`${url}/?from=there#top`);
    await fillIn(page);
    await send(page);
    expect(await words(page)).toEqual(thanks(target === 'api' ? `${submitUrl(id)}/thanks` : url + target));
    expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
    await page.getByRole('link', { name: 'Back to the page' }).click();
    expect([page.url(), await page.getByRole('heading').innerText()]).toEqual([`${url}/`, 'Ask us']);
  });

  it('is sent on by a _redirect, and not to another host', async () => {
    const hidden = (to: string): string => `<input type="hidden" name="_redirect" value="${to}"><p id="thanks">Thanks!`;
    const { id, url } = await owner.deploy({ html: form('enctype="multipart/form-data"', hidden('/?sent=1#thanks')) });
    const page = await open(`${url}/`);
    await fillIn(page);
    await send(page);
    await page.waitForURL(`${url}/?sent=1#thanks`);
    expect(await stored(id)).toEqual([JSON.stringify({ ...DATA, _redirect: '/?sent=1#thanks' })]);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: form('action="{{FORM_ACTION}}"', hidden('//evil.localhost/')) })
      .expect(200);
    await page.goto(url);
    await send(page);
    expect(await words(page)).toEqual(thanks(`${submitUrl(id)}/thanks`));
  });

  it('counts down to when the form can be sent, sends it by itself then, and once', async () => {
    const field = '<input name="submit" value="x">';
    const { id, url } = await owner.deploy({ html: form('action="{{FORM_ACTION}}"', field) });
    const page = await open(`${url}/`);
    await fillIn(page);
    await setAccepted(service.db, id, 10);
    await page.clock.install();
    await send(page);
    const timer = page.getByRole('timer');
    await timer.waitFor();
    const first = await timer.innerText();
    expect(first).toMatch(/^in \d+ seconds$/);
    expect(await page.getByText('The form is sent again by itself').isVisible()).toBe(true);
    expect(await page.getByText('Please try again').isVisible()).toBe(false);
    await page.clock.runFor(5_000);
    expect(Number.parseInt((await timer.innerText()).slice(3), 10)).toBeLessThan(Number.parseInt(first.slice(3), 10));
    expect(await stored(id)).toEqual([]);
    await free(id);
    // The service learns soon that a slot is free: until then, the page counts down once more.
    const later = async (): Promise<string> => {
      await page.clock.runFor(70_000);
      return page.url();
    };
    await expect.poll(later).toBe(`${submitUrl(id)}/thanks`);
    expect((await stored(id)).length).toBe(1);
  });

  it('has a button on a page that waits, without JavaScript', async () => {
    const { id, url } = await owner.deploy({ html: form('action="{{FORM_ACTION}}"') });
    const page = await open(`${url}/`, { javaScriptEnabled: false });
    await fillIn(page);
    await setAccepted(service.db, id, 10);
    await send(page);
    await page.getByText('Please try again in').waitFor();
    expect(await page.getByText('The form is sent again by itself').isVisible()).toBe(false);
    await free(id);
    await sendAgain(page, /^Thank you/);
    expect((await stored(id)).length).toBe(1);
  });

  it('reloads the thanks, and goes back and forth, without sending anything twice', async () => {
    const { id, url } = await owner.deploy({ html: form('enctype="multipart/form-data"') });
    const page = await open(url);
    await fillIn(page);
    await send(page);
    const shown = await words(page);
    await page.reload();
    expect(await words(page)).toEqual(shown);
    await page.goBack();
    expect(await page.getByRole('heading').innerText()).toBe('Ask us');
    await page.goForward();
    expect(await words(page)).toEqual(shown);
    await page.goBack();
    await page.reload();
    expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
  });

  it.each(FORMS)(
    'keeps what was filled in while the form is full, one click from going on: %s',
    async (_how, attributes) => {
      const { id, url } = await owner.deploy({ html: form(attributes) });
      await fill(id);
      const page = await open(url);
      await fillIn(page);
      await send(page);
      expect(await words(page)).toEqual({
        url: attributes.includes('action') ? submitUrl(id) : `${url}/`,
        title: 'Please wait a moment · Ask us',
        heading: 'Please wait a moment',
        text: [
          'Ask us',
          expect.stringMatching(
            /^Too many people sent this form in the last minute\. The form is sent again by itself in (2\d|3[0-6]) seconds\.$/,
          ),
          'What you filled in has been kept.',
          'Back to the page',
        ],
      });
      // Too early, and once more.
      await page.getByRole('button', { name: 'Send it again' }).click();
      expect(await page.title()).toBe('Please wait a moment · Ask us');
      await free(id);
      await sendAgain(page, /^Thank you/);
      expect(await stored(id)).toEqual([JSON.stringify(DATA)]);
    },
  );

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
      proxy.loseAnswerTo('store-submissions');
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

  const FILES = 'action={{FORM_ACTION}} enctype=multipart/form-data';
  const picture = (name: string, size: number) => ({ name, mimeType: 'image/png', buffer: Buffer.alloc(size, name) });
  const NOTE =
    'What you filled in has been kept. Files are not kept: please choose them again, or send the form without them.';

  /** The names and sizes of the files that were stored under the field `f`. */
  async function filesOf(id: string): Promise<[string, number][][]> {
    return (await stored(id)).map((data) => {
      const values: unknown[] = [JSON.parse(data).f].flat();
      return values
        .filter((value) => value instanceof Object)
        .map((value) => [Reflect.get(value, 'filename'), Reflect.get(value, 'size')]);
    });
  }

  it('chooses files again each time, and sends them in the end', async () => {
    const { id, url } = await owner.deploy({ html: form(FILES, '<input type=file name=f multiple><input name=last>') });
    await fill(id);
    const page = await open(url);
    await fillIn(page);
    await page.locator('[name=last]').fill('after the files');
    await page.locator('[name=f]').setInputFiles([picture('a.png', 10), picture('b.png', 20)]);
    await send(page);
    expect((await words(page)).text).toContain(NOTE);
    // Once without them, and once with them, both too early.
    await page.getByRole('button', { name: 'Send it again' }).click();
    expect((await words(page)).text).toContain(NOTE);
    const choose = () => page.getByLabel('Choose again').setInputFiles([picture('a.png', 10), picture('b.png', 20)]);
    await choose();
    await page.getByRole('button', { name: 'Send it again' }).click();
    expect((await words(page)).text).toContain(NOTE);
    await free(id);
    await expect
      .poll(
        async () => {
          await choose();
          await page.getByRole('button', { name: 'Send it again' }).click();
          return page.title();
        },
        { timeout: 60_000, interval: 300 },
      )
      .toBe('Thank you · Ask us');
    expect(await filesOf(id)).toEqual([
      [
        ['a.png', 10],
        ['b.png', 20],
      ],
    ]);
    const [data = ''] = await stored(id);
    expect(Object.entries(JSON.parse(data)).filter(([name]) => name !== 'f')).toEqual(
      Object.entries({ ...DATA, last: 'after the files' }),
    );
  });

  it('chooses another file in place of one that is too large, and keeps the rest', async () => {
    const more = '<input type=file name=f><input type=file name=g><input name=last>';
    const { id, url } = await owner.deploy({ html: form(FILES, more) });
    const page = await open(url);
    await fillIn(page);
    await page.locator('[name=last]').fill('after the file');
    await page.locator('[name=f]').setInputFiles(picture('photo.png', MIB + 1));
    await send(page);
    expect(await words(page)).toEqual({
      url: submitUrl(id),
      title: 'This is too large to send · Ask us',
      heading: 'This is too large to send',
      text: ['Ask us', 'The file photo.png is larger than 1 MB.', NOTE, 'Choose again: photo.png', 'Back to the page'],
    });
    await page.getByLabel('Choose again: photo.png').setInputFiles(picture('small.png', 100));
    await send(page);
    expect(await words(page)).toEqual(thanks(`${submitUrl(id)}/thanks`));
    expect(await filesOf(id)).toEqual([[['small.png', 100]]]);
    const [data = ''] = await stored(id);
    expect(Object.entries(JSON.parse(data)).filter(([name]) => name !== 'f')).toEqual(
      Object.entries({ ...DATA, g: '', last: 'after the file' }),
    );
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

  it('finds every page accessible, light and dark', async () => {
    const lang = 'ar';
    const html = form(FILES, '<input type=file name=f>').replace('lang="en"', `lang="${lang}"`);
    const { id, url } = await owner.deploy({ html });
    const page = await open(url, { locale: lang, bypassCSP: true });
    const titles: string[] = [];
    async function check(): Promise<void> {
      titles.push(await page.title());
      // In turn: these pages share their colors.
      await page.emulateMedia({ colorScheme: titles.length % 2 === 0 ? 'light' : 'dark' });
      expect([page.url(), await accessibilityProblems(page)]).toEqual([page.url(), []]);
      expect(await page.evaluate('document.documentElement.lang')).toBe(lang);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
    async function sendWith(...sizes: number[]): Promise<void> {
      await page.goto(url);
      await page.locator('[name=f]').setInputFiles(sizes.map((size) => picture('photo.png', size)));
      await send(page);
    }
    await sendWith(1);
    await check();
    await sendWith(MIB + 1);
    await check();
    await page.goto(`${submitUrl(id)}?name=x`);
    await check();
    await page.goto(`${url}/other`);
    await check();
    proxy.loseAnswerTo('COMMIT', 'store-submission');
    await sendWith(1);
    await check();
    await fill(id);
    await sendWith(1);
    await check();
    await owner.delete(`/deploy/${id}`).expect(200);
    await page.goto(`${submitUrl(id)}/thanks`);
    await check();
    expect(new Set(titles).size).toBe(7);
  });
});
