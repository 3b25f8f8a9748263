import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { colord, extend } from 'colord';
import a11y from 'colord/plugins/a11y';
import { describe, expect, it } from 'vitest';
import { allFinishedPages } from '../../scripts/finished-pages.ts';
import { checkPage } from '../../src/compute/check/check-page.ts';
import { FINISHED_PAGES, isPageName, makePage, type PageTexts } from '../../src/finished-pages/finished-pages.ts';
import { LANGUAGES } from '../../src/lib/languages.ts';
import { TEXTS } from '../../src/texts/texts.ts';
import { PROJECT, startProgram } from '../support/process.ts';

extend([a11y]);

const FOLDER = join(PROJECT, 'src/finished-pages');
const MAX_BYTES = 20_000;
const PAGES = await allFinishedPages();
const NAMES = Object.keys(FINISHED_PAGES).filter(isPageName);

const textsOf = (language: string): PageTexts =>
  JSON.parse(readFileSync(join(FOLDER, 'texts', `${language}.json`), 'utf8'));
const ENGLISH = textsOf('en');
/** The texts as pairs of a name and a text. */
const entriesOf = (texts: PageTexts): [string, string][] =>
  Object.entries(texts).flatMap(([page, ofPage]) =>
    Object.entries(ofPage).map(([key, text]): [string, string] => [`${page}.${key}`, text]),
  );

function check(html: string) {
  const addresses = { baseUrl: 'https://forms.test', pagesDomain: 'pages.test', page: undefined, site: undefined };
  const checked = checkPage({ html: Buffer.from(html), addresses, maxFields: 50 });
  if (!checked) throw new Error('The page is too complex.');
  return checked;
}

/** The fields of a page that visitors see. */
const shownFields = (html: string) => check(html).forms[0]?.fields.filter(({ name }) => name !== '_hp') ?? [];

/** The fields as `name type`, with `*` where visitors have to fill it in. */
const fieldsOf = (html: string): string[] =>
  shownFields(html).map(({ name, type, required }) => `${name} ${type}${required ? ' *' : ''}`);

describe('the finished pages', () => {
  it('are nine, in each language', () => {
    expect(NAMES).toEqual([
      ...['contact', 'registration', 'newsletter', 'order', 'survey', 'rsvp', 'feedback', 'application', 'waitlist'],
    ]);
    expect(readdirSync(join(FOLDER, 'contents')).toSorted()).toEqual(NAMES.map((name) => `${name}.html`).toSorted());
    expect(readdirSync(join(FOLDER, 'texts')).toSorted()).toEqual(LANGUAGES.map((one) => `${one}.json`).toSorted());
    expect(PAGES).toHaveLength(108);
  });

  it.each([
    ['contact', ['name text *', 'email email *', 'phone tel', 'message textarea *']],
    ['registration', ['name text *', 'email email *', 'people select', 'lunch radio', 'notes textarea']],
    ['newsletter', ['email email *', 'name text', 'topics checkbox', 'consent checkbox *']],
    [
      'order',
      [
        ...['product radio *', 'quantity number *', 'name text *', 'address textarea *', 'email email *', 'phone tel'],
        'notes textarea',
      ],
    ],
    ['survey', ['satisfaction radio *', 'quality radio *', 'service radio *', 'recommend radio *', 'improve textarea']],
    [
      'rsvp',
      ['name text *', 'email email *', 'attending radio *', 'people number', 'diet textarea', 'message textarea'],
    ],
    ['feedback', ['rating radio *', 'kind radio', 'message textarea *', 'email email']],
    [
      'application',
      [
        ...['name text *', 'email email *', 'phone tel', 'position text *', 'start date', 'cv file *', 'website url'],
        ...['reasons textarea', 'consent checkbox *'],
      ],
    ],
    ['waitlist', ['name text *', 'email email *', 'phone tel', 'places number *', 'times checkbox', 'notes textarea']],
  ])('%s has the same fields in every language', (name, fields) => {
    const made = PAGES.filter(({ page }) => page === name);
    expect(made.map(({ language, html }) => [language, fieldsOf(html)])).toEqual(
      LANGUAGES.map((language) => [language, fields]),
    );
  });

  it.each(LANGUAGES)('pass the form check, are small, and load nothing from elsewhere: %s', (language) => {
    for (const { page, html, name } of PAGES.filter((one) => one.language === language)) {
      const { problems, lang, title, forms } = check(html);
      const texts = textsOf(language);
      expect([name, problems, lang, title]).toEqual([name, [], language, texts[page].title]);
      expect(html).toContain(`<html lang="${language}" dir="${TEXTS[language].dir}">`);
      expect(forms).toMatchObject([{ submits_here: true, method: 'post' }]);
      expect(shownFields(html).filter(({ label }) => !label)).toEqual([]);
      expect(
        html.match(/<input name="_hp" hidden tabindex="-1" autocomplete="off" toolparamdescription="[^"]+">/g),
      ).toHaveLength(1);
      expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES);
      expect(html.match(/<script|\bon\w+=|https?:|\bsrc=|\bhref=|url\(|@import/i)).toBeNull();
      // Only the service's own place is left.
      expect(html.match(/\{+[A-Za-z]\w*\}+/g)).toEqual(['{{FORM_ACTION}}']);
    }
  });

  it('are tools of agents in browsers, which describe fields by their labels and groups by an attribute', () => {
    for (const { html, name } of PAGES) {
      const [, tool, description] = /toolname="([\w-]*)"\s+tooldescription="([^"]*)"/.exec(html) ?? [];
      expect([name, tool, description]).toEqual([
        name,
        expect.stringMatching(/^[a-z_]+$/),
        expect.stringMatching(/ – /),
      ]);
      expect(html).not.toContain('toolautosubmit');
      const legends = Array.from(html.matchAll(/<legend>([^<]*)/g), ([, legend]) => legend);
      const described = Array.from(html.matchAll(/ toolparamdescription="([^"]*)"/g), ([, text = '']) => text);
      // The last is that of the field for robots.
      described.pop();
      expect(described.map((text, at) => text.slice(0, legends[at]?.length))).toEqual(legends);
    }
  });

  it.each(LANGUAGES)('have all texts, as HTML without tags: %s', (language) => {
    const texts = entriesOf(textsOf(language));
    expect(texts.map(([name]) => name)).toEqual(entriesOf(ENGLISH).map(([name]) => name));
    expect(texts.filter(([, text]) => text.trim() !== text || text === '' || /[<>"&{}]|--/.test(text))).toEqual([]);
  });

  it.each(LANGUAGES.filter((language) => language !== 'en'))('are translated: %s', (language) => {
    const english = new Map(entriesOf(ENGLISH));
    const sentences = entriesOf(textsOf(language)).filter(([, text]) => /\s\S+\s/.test(text));
    expect(sentences.filter(([name, text]) => english.get(name) === text)).toEqual([]);
  });

  it('use every text', () => {
    const used = (file: string): string[] =>
      Array.from(readFileSync(join(FOLDER, file), 'utf8').matchAll(/\{([a-z]\w*)\}/g), ([, key = '']) => key);
    const frame = used('frame.html');
    const inPages = NAMES.map((name) => ({ name, keys: new Set([...frame, ...used(`contents/${name}.html`)]) }));
    const unused = inPages.flatMap(({ name, keys }) => Object.keys(ENGLISH[name]).filter((key) => !keys.has(key)));
    const common = Object.keys(ENGLISH.common).filter((key) => !inPages.some(({ keys }) => keys.has(key)));
    expect([...unused, ...common]).toEqual([]);
  });

  it('send files where they ask for one', () => {
    const withFiles = PAGES.filter(({ html }) => /<form[^>]* enctype="multipart\/form-data"/.test(html));
    expect(withFiles.map(({ page, language }) => [page, language])).toEqual(
      LANGUAGES.map((language) => ['application', language]),
    );
  });

  it('are written into a folder by a command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'finished-pages-'));
    const { result } = startProgram('npm', ['run', '--silent', 'finished-pages', '--', folder], {});
    expect(await result).toEqual({ code: 0, stdout: '', stderr: '' });
    const written = PAGES.map(({ name }): [string, string] => [name, readFileSync(join(folder, name), 'utf8')]);
    expect(written).toEqual(PAGES.map(({ name, html }) => [name, html]));
    await rm(folder, { recursive: true });
  });

  it('are not made with a text missing', () => {
    const sources = { frame: '<title>{title}</title>{contents}', contents: '<p>{intro}</p>', texts: ENGLISH };
    expect(makePage('contact', 'en', sources)).toBe(
      `<title>${ENGLISH.contact.title}</title><p>${ENGLISH.contact.intro}</p>`,
    );
    expect(() => makePage('contact', 'en', { ...sources, contents: '{other}' })).toThrow(
      'The page contact has no text "other" in the language en.',
    );
  });

  it('have readable colours, light and dark', () => {
    for (const { html, name } of PAGES.filter(({ language }) => language === 'en')) {
      const valuesOf = (property: string): string[] =>
        Array.from(html.matchAll(new RegExp(`--${property}: (#[0-9a-f]{6});`, 'g')), ([, color = '']) => color);
      const themes = Array.from(html.matchAll(/"theme-color" .* content="(#\w+)"/g), ([, color]) => color);
      expect([name, themes]).toEqual([name, valuesOf('accent')]);
      expect(themes).toHaveLength(2);
      // The least contrast of WCAG 2.2 AA: 4.5 for texts, 3 for what shows where a control is.
      for (const [front, back, least] of [
        ['text', 'card', 4.5],
        ['muted', 'card', 4.5],
        ['on-accent', 'accent', 4.5],
        ['line', 'card', 3],
        ['accent', 'card', 3],
      ] as const) {
        const contrasts = valuesOf(front).map((color, theme) => colord(color).contrast(valuesOf(back)[theme]));
        expect([name, front, contrasts.filter((contrast) => contrast < least)]).toEqual([name, front, []]);
        expect(contrasts).toHaveLength(2);
      }
    }
  });
});
