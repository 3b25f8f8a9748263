import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../src/lib/languages.ts';
import { PROJECT } from '../../src/lib/project.ts';
import { hasChromium } from '../support/chromium.ts';
import {
  type DashboardUnderTest,
  expectAccessible,
  expectFitting,
  PHONE,
  startDashboard,
} from '../support/dashboard-in-browser.ts';
import { inWideLetters, textsFile, textsOf } from '../support/dashboard-texts.ts';
import { beginAtEnd, editedPage } from '../support/edited-page.ts';
import type { Owner } from '../support/test-service.ts';

/* The dashboard in other languages than English, in which all other tests use it. */

const OPERATOR = 'operator@example.org';
/** What is data has no letters of ASCII, so that a text in English is found among it. */
const TITLE = 'Ωμέγα';
const FORM = `<title>${TITLE}</title><h1>${TITLE}</h1><form action="{{FORM_ACTION}}" method="post"><label>Όνομα <input name="όνομα" required></label><button>Αποστολή</button></form>`;

/** Dozens of views are opened, one after the other. */
const TIME = { timeout: 400_000 };

/** What stays in all languages: names of products, formats, addresses, and code. */
const NAMES =
  /\b(?:formhost|unlimited|HTML|CSS|CSV|TSV|XLSX?|JSON|NDJSON|ZIP|PDF|PNG|SVG|QR|DNS|URLs?|API|MCP|UTC|AAAA|CNAME|TXT|ALTCHA|Cloudflare|Turnstile|hCaptcha|Google|reCAPTCHA|Slack|Discord|Teams|Telegram|Zapier|Excel|IMPORTDATA|Power Query|Chrome|HeadlessChrome|Chromium|Linux|X11)\b|\S+@\S+|https?:\S+|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?|\/[\w/-]+|\{\{\w+\}\}|<[^>]*>|\b(?:d|sub|key|wh|own|ses)_\w+|fh_\w*/g;

/** Every text and every name that a person reads or hears in the dashboard itself, and not in what it shows of others. */
const READ = `(() => {
  const found = [];
  const others = 'bdi, code, pre, kbd, .cm-editor, [translate=no], iframe, script, style, noscript';
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.closest(others) === null;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (isShown(texts.currentNode.parentElement)) found.push(texts.currentNode.data);
  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element)) continue;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description']) found.push(element.getAttribute(name) ?? '');
  }
  return [...found, document.title];
})()`;

/** The texts that begin at the left of their place, and fields whose hint does. */
const AT_LEFT = `(() => {
  const isAtLeft = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [place, text] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
    return text.width > 0 && place.right - text.right > text.left - place.left + 1;
  };
  const texts = [...document.querySelectorAll('main :is([dir=auto], h2, dd, .import-rows td)')].filter(isAtLeft);
  const fields = [...document.querySelectorAll('main :placeholder-shown')].filter(
    (field) => field.placeholder !== '' && getComputedStyle(field).direction === 'ltr',
  );
  return [...texts.map(({ textContent }) => textContent), ...fields.map(({ placeholder }) => placeholder)];
})()`;

/** The words of English in a view. */
async function englishIn(page: Page): Promise<string[]> {
  const texts = await page.evaluate<string[]>(READ);
  return [...new Set(texts.filter((text) => /[A-Za-z]{2,}/.test(text.replaceAll(NAMES, ''))))];
}

type Made = { id: string; submission: string; webhook: string };

describe.skipIf(!hasChromium())('the dashboard in another language', () => {
  let dashboard: DashboardUnderTest;
  let owner: Owner;
  let made: Made;
  beforeAll(async () => {
    dashboard = await startDashboard({ ADMIN_EMAILS: OPERATOR });
    owner = await dashboard.owner();
    await dashboard
      .db('owners')
      .where({ email: (await owner.get('/me')).body.email })
      .update({ email: OPERATOR });
    const { id } = await owner.deploy({ html: FORM });
    const { id: trashed } = await owner.deploy({ html: FORM });
    await owner.delete(`/deploy/${trashed}`).expect(200);
    for (const text of ['Άννα', 'Ελένη', 'Νίκος']) {
      await fetch(`${dashboard.origin}/submit/${id}`, { method: 'POST', body: new URLSearchParams({ όνομα: text }) });
    }
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    await owner.mark(id, 'spam', [submissions[2].id]).expect(200);
    await owner.mark(id, 'delete', [submissions[1].id]).expect(200);
    const webhook = await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.example.org/' }).expect(201);
    await owner.post(`/deploy/${id}/domains`).send({ domain: 'forms.example.org' }).expect(201);
    await owner.post(`/deploy/${id}/shares`).send({}).expect(201);
    await owner.post(`/deploy/${id}/feeds`).send({ name: 'Πίνακας' }).expect(201);
    await owner.change(id, { captcha: undefined, max_submissions: 20 });
    made = { id, submission: submissions[0].id, webhook: webhook.body.id };
  });
  afterAll(() => dashboard?.close());

  const paths = (): string[] => [
    '/dashboard',
    '/dashboard?q=zz9',
    '/dashboard/new',
    '/dashboard/new?start=contact',
    '/dashboard/new?start=elsewhere',
    '/dashboard/statistics',
    '/dashboard/trash',
    '/dashboard/account',
    ...['', '/pages', '/deliveries', '/health', '/audit'].map((part) => `/dashboard/admin${part}`),
    '/dashboard/help',
    ...['publish', 'inbox', 'notifications', 'spam', 'your-site', 'domain', 'registration'].map(
      (topic) => `/dashboard/help/${topic}`,
    ),
    '/dashboard/inbox',
    ...[
      'inbox',
      'inbox?view=spam',
      'inbox?view=deleted',
      'inbox?q=zz9',
      `inbox/${made.submission}`,
      'import',
      'charts',
      'page',
      'page/live',
      'page/edit',
      'notifications',
      'settings',
    ].map((view) => `/dashboard/pages/${made.id}/${view}`),
    '/dashboard/no-such-view',
  ];

  async function openView(page: Page, path: string): Promise<void> {
    await page.goto(dashboard.origin + path);
    await page.locator('h1').first().waitFor();
    await expect
      .poll(() => page.locator('main[aria-busy], .loading, .empty-row').filter({ visible: true }).count())
      .toBe(0);
    await page.evaluate(
      "for (const head of document.querySelectorAll('.panel-head[aria-expanded=false]')) head.click()",
    );
  }

  it('has every text in the file of its language', TIME, async () => {
    const page = await dashboard.open(owner, '/dashboard/help', { locale: 'ar' });
    await page.route(`**${textsFile('ar')}`, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `export default ${JSON.stringify(inWideLetters(textsOf('en')))};`,
      }),
    );
    const missing: Record<string, string[]> = {};
    for (const path of paths()) {
      await openView(page, path);
      const found = await englishIn(page);
      if (found.length > 0) missing[path] = found;
    }
    expect(missing).toEqual({});
  });

  /** The views that have the most in them. */
  const narrowPaths = (): string[] => [
    ...['', '/new', '/statistics', '/trash', '/account', '/admin', '/inbox'].map((view) => `/dashboard${view}`),
    ...[
      `inbox/${made.submission}`,
      'import',
      'charts',
      'page',
      'page/live',
      'page/edit',
      'notifications',
      'settings',
    ].map((view) => `/dashboard/pages/${made.id}/${view}`),
  ];

  it.each(LANGUAGES)('fits on a phone in %s', TIME, async (language) => {
    const page = await dashboard.open(owner, '/dashboard/help', { ...PHONE, locale: language });
    await expectFitting(page);
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    for (const path of narrowPaths()) {
      await openView(page, path);
      await expectFitting(page);
    }
  });

  it.each<Language>(['de', 'ar'])('is accessible in %s', TIME, async (language) => {
    const page = await dashboard.open(owner, '/dashboard/help', { locale: language });
    for (const path of narrowPaths()) {
      await openView(page, path);
      await expectAccessible(page);
    }
  });

  it.each<[string, BrowserContextOptions]>([
    ['a desktop', {}],
    ['a phone', PHONE],
  ])('begins values that run to the right at the right in Arabic, on %s', TIME, async (_size, options) => {
    const page = await dashboard.open(owner, '/dashboard/help', { ...options, locale: 'ar' });
    const of = `/dashboard/pages/${made.id}`;
    for (const path of ['/dashboard/inbox', '/dashboard/account', `${of}/inbox`, `${of}/inbox/${made.submission}`]) {
      await openView(page, path);
      expect(await page.evaluate(AT_LEFT), path).toEqual([]);
    }
    await openView(page, `${of}/import`);
    const csv = {
      name: 'a.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('created_at,όνομα\n2024-05-01T13:45:10Z,x'),
    };
    await page.locator('input[type=file]').setInputFiles(csv);
    await page.locator('.import-rows').getByText('x', { exact: true }).waitFor();
    expect(await page.evaluate(AT_LEFT)).toEqual([]);
  });

  it.each<[Language, string, BrowserContextOptions]>([
    ['de', 'a desktop', {}],
    ['de', 'a phone', PHONE],
    ['ar', 'a desktop', {}],
    ['ar', 'a phone', PHONE],
  ])(
    'makes a page of a finished one in %s on %s: texts, a colour, a choice',
    TIME,
    async (language, _size, options) => {
      const person = await dashboard.owner();
      const page = await dashboard.open(person, '/dashboard', { ...options, locale: language });
      const { editor, page: live, pages } = textsOf(language);
      const { common, registration } = readFinishedTexts(language);
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await page.getByRole('heading', { name: pages.none.own }).waitFor();
      await page.getByRole('link', { name: editor.start.pages.registration.title }).click();
      const frame = await editedPage(page);
      for (const [text, more] of [
        [registration.title, ' 2027'],
        [common.name, ' (1)'],
        [registration.send, ' 1'],
      ] as const) {
        await beginAtEnd(page, frame, text);
        await page.keyboard.type(more);
      }
      await page.keyboard.press('Enter');
      const settings = button(editor.modes.settings);
      if (await settings.isVisible()) await settings.click();
      await page.getByLabel(editor.head.colour, { exact: true }).fill('#aa2255');
      await button(editor.newField.open).click();
      await page.getByLabel(editor.newField.label, { exact: true }).fill('Größe مقاس');
      await page.getByLabel(editor.field.type, { exact: true }).selectOption({ label: editor.field.types.choice });
      for (const [index, size] of ['S', 'M', 'L', 'XL'].entries()) {
        if (index > 1) await button(editor.options.add).click();
        const number = (index + 1).toLocaleString(language);
        await page.getByLabel(editor.options.numbered.replace('{number}', number), { exact: true }).fill(size);
      }
      await expectAccessible(page);
      await button(editor.newField.add).click();
      await button(editor.publish).click();
      await page.getByRole('heading', { level: 1, name: live.live.title }).waitFor();
      await expectAccessible(page);
      const { deployments } = (await person.get('/deploy')).body;
      const { html } = (await person.get(`/deploy/${deployments[0].id}/html`)).body;
      expect(html).toContain(`<h1>${registration.title} 2027</h1>`);
      expect(html).toContain(`${common.name} (1)`);
      expect(html).toContain(`${registration.send} 1</button>`);
      expect(html).toContain('--accent: #aa2255;');
      expect(html.match(/value="(S|M|L|XL)"/g)).toHaveLength(4);
    },
  );
});

type FinishedTexts = { common: { name: string }; registration: { title: string; send: string } };

const readFinishedTexts = (language: Language): FinishedTexts =>
  JSON.parse(readFileSync(new URL(`src/finished-pages/texts/${language}.json`, PROJECT), 'utf8'));
