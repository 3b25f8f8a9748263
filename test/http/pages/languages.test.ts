import { describe, expect, it } from 'vitest';
import { translationsFor } from '../../../src/http/response/translations.ts';
import { LANGUAGES, langOf } from '../../../src/lib/languages.ts';
import { SIZES } from '../../../src/sizes.ts';
import { fill } from '../../../src/texts/fill.ts';
import { TEXTS } from '../../../src/texts/texts.ts';
import { bareRequest } from '../../support/bare-request.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { setAccepted } from '../../support/set-accepted.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService({ MAX_FILE_BYTES: '2048' });
const owner = await service.owner();

describe('langOf', () => {
  it.each<[string, string | undefined]>([
    ['<!doctype html><html lang="de">', 'de'],
    ["<html class=a lang='fr' id=b>", 'fr'],
    ['\uFEFF<!-- <html lang="en"> -->\n<!DOCTYPE HTML>\n<!---->\n<HTML LANG = "PT-br">', 'pt'],
    ['<?xml version="1.0"?><html xml:lang="en" lang="nl"/>', 'nl'],
    ['<html lang="zh_TW">', 'zh'],
    ['<html lang=" ja ">', 'ja'],
    ['<html lang="gsw-CH">', 'gsw'],
    ['<html lang="de" lang="fr">', 'de'],
    ['<html title="lang=de" data-lang=fr hreflang=es lang=pl>', 'pl'],
    ['<html\nlang\n=\n"tr"\n>', 'tr'],
    ['<html lang="">', undefined],
    ['<html lang="english">', undefined],
    ['<html lang="d&#101;">', undefined],
    ['<html lang="de', undefined],
    ['<html></html><html lang="de">', undefined],
    ['<htmlx lang="de">', undefined],
    ['<!-- <html lang="de">', undefined],
    [`<!--${' '.repeat(SIZES.page.startBytes)}--><html lang="de">`, undefined],
  ])('%j is in %j', (html, expected) => {
    expect(langOf(Buffer.from(html))).toBe(expected);
  });

  it.each(['a ', 'a="', '<!--', 'é'])('reads no more than the start of a page of %j', (piece) => {
    for (const start of ['', '<html ', '<!--', '<!-- --><html lang=']) {
      const html = Buffer.from(start + piece.repeat(1024 * 1024));
      expect(langOf(html)).toBe(langOf(html.subarray(0, SIZES.page.startBytes)));
    }
  });
});

describe('the language for a visitor', () => {
  it.each<[string, string]>([
    ['de-CH, de;q=0.9, en;q=0.8', 'de'],
    ['en;q=0.5, ar', 'ar'],
    ['ZH-hant-TW', 'zh'],
    ['sv, fi;q=0.9, *;q=0.5', 'en'],
    ['sv, nl;q=0.1', 'nl'],
    ['en;q=0, de;q=0.1', 'de'],
    ['de;q=x, fr;q=0.2', 'fr'],
    [',;q=,', 'en'],
    ['de'.padEnd(SIZES.internalHeaders.acceptChars, ' '), 'de'],
    ['de'.padEnd(SIZES.internalHeaders.acceptChars + 1, ' '), 'en'],
  ])('follows Accept-Language: %j', (header, language) => {
    expect(translationsFor({ 'accept-language': header }).language).toBe(language);
  });

  it('is that of the deployment, else of the page, else of the browser, else English', () => {
    const headers = { 'accept-language': 'fr' };
    expect(translationsFor(headers, { language: 'de', lang: 'es' }).language).toBe('de');
    expect(translationsFor(headers, { language: null, lang: 'es' }).language).toBe('es');
    expect(translationsFor(headers, { language: null, lang: 'sv' }).language).toBe('fr');
    expect(translationsFor(headers, undefined).language).toBe('fr');
    expect(translationsFor({}).language).toBe('en');
  });

  it('has the same places for values in each language', () => {
    const places = (texts: object): string[] =>
      Object.entries(texts).flatMap(([name, text]) =>
        typeof text === 'string'
          ? [`${name}: ${(text.match(/\{\w+\}/g) ?? []).toSorted()}`]
          : places(text).map((place) => `${name}.${place}`),
      );
    for (const language of LANGUAGES) expect([language, places(TEXTS[language])]).toEqual([language, places(TEXTS.en)]);
  });

  it('has times in words and sizes in MB', () => {
    const said = (['de', 'ja', 'ar'] as const).map((language) => {
      const translations = translationsFor({}, { language, lang: undefined });
      return [
        fill(translations.tryAgain, { time: translations.time(40) }),
        fill(translations.tooLarge.file, { name: 'photo.png', size: translations.size(10 * 1024 * 1024) }),
      ];
    });
    expect(said).toEqual([
      ['Bitte versuchen Sie es in 40 Sekunden erneut.', 'Die Datei photo.png ist größer als 10 MB.'],
      ['40 秒後にもう一度お試しください。', 'ファイル「photo.png」は10 MBを超えています。'],
      // Versions of ICU differ in the word for `in`.
      [expect.stringMatching(/^يرجى المحاولة مرة أخرى .* 40 ثانية\.$/), 'حجم الملف photo.png أكبر من 10 م.ب.'],
    ]);
    const polish = translationsFor({}, { language: 'pl', lang: undefined });
    expect([1, 2, 5, 59, 60, 61].map(polish.time)).toEqual([
      ...['za 1 sekundę', 'za 2 sekundy', 'za 5 sekund', 'za 59 sekund', 'za 1 minutę', 'za 2 minuty'],
    ]);
    const { size } = translationsFor({});
    const MIB = 1024 * 1024;
    expect([1.5 * MIB, MIB - 1, 2_048, 100, 1].map(size)).toEqual([
      ...['1.5 MB', '1,023.9 kB', '2 kB', '100 bytes', '1 byte'],
    ]);
  });
});

describe('pages for visitors', () => {
  type Asked = { host?: string; accepts?: string; body?: string | Buffer; type?: string; method?: string };
  async function ask(path: string, { host, accepts, body, type, method = body ? 'POST' : 'GET' }: Asked = {}) {
    const headers = {
      Accept: 'text/html',
      'Content-Type': type ?? 'application/x-www-form-urlencoded',
      ...(host !== undefined && { Host: host }),
      ...(accepts !== undefined && { 'Accept-Language': accepts }),
    };
    const answer = await bareRequest(service.url + path, { method, headers, body });
    const page = String(answer.body);
    const [, lang, dir] = /<html lang="(\w+)" dir="(\w+)">/.exec(page) ?? [];
    return { status: answer.status, lang, dir, title: /<title>(.*)<\/title>/.exec(page)?.[1], page };
  }

  const thanksIn = async (id: string, accepts?: string): Promise<string | undefined> =>
    (await ask(`/submit/${id}/thanks`, accepts === undefined ? {} : { accepts })).lang;

  it.each(LANGUAGES)('are whole in %s, in its direction', async (language) => {
    const { id, slug } = await owner.deploy({ html: `<!doctype html><html lang="${language}"><p>Hello` });
    const host = `${slug}.${PAGES_DOMAIN}`;
    const file = multipartBody(['name="f"; filename="photo.png"', 'x'.repeat(2_049)]);
    const answers = [
      await ask(`/submit/${id}/thanks`),
      await ask('/thanks', { host }),
      await ask(`/submit/${id}?name=secret`),
      await ask(`/submit/${id}`, { body: file, type: 'multipart/form-data; boundary=b' }),
      await ask(`/submit/${id}`, { body: 'a=%ff' }),
      await ask(`/submit/${id}`, { body: `a=${'x'.repeat(300_000)}` }),
      await ask('/other', { host, accepts: language }),
      await ask('/', { host, accepts: language, method: 'PUT' }),
    ];
    await setAccepted(service.db, id, 10);
    answers.push(await ask(`/submit/${id}`, { body: 'a=1' }), await ask('/', { host, body: 'a=1' }));
    await service.db('deployments').where({ id }).update({ submission_count: 1 });
    for (const closing of [
      { max_submissions: 1 },
      { closes_at: '2000-01-01T00:00:00Z' },
      { opens_at: '2999-01-01T00:00:00Z', closes_at: null },
    ]) {
      await owner.change(id, closing);
      answers.push(await ask(`/submit/${id}`, { body: 'a=1' }));
    }
    expect(new Set(answers.slice(-3).map(({ title }) => title)).size).toBe(3);
    expect(answers.map(({ status }) => status)).toEqual([
      ...[200, 200, 405, 413, 400, 413, 404, 405, 429, 429, 403, 403, 403],
    ]);
    expect(answers.map(({ lang, dir }) => `${lang} ${dir}`)).toEqual(
      answers.map(() => `${language} ${language === 'ar' ? 'rtl' : 'ltr'}`),
    );
    for (const { page } of answers) {
      // The name of the attempt is random: any letters can stand in it.
      expect(page.replace(/attempt=[\w.-]+/, '')).not.toMatch(
        /undefined|\bnull\b|NaN|\[object|JSON|secret|2048|[ .]{2}</,
      );
    }
  });

  it("speak the language of the page's latest version, and of the deployment before all", async () => {
    const { id } = await owner.deploy({ html: '<html lang="de"><p>Hallo' });
    expect(await thanksIn(id, 'fr')).toBe('de');
    await owner.put(`/deploy/${id}`).send({ html: '<html lang="es"><p>Hola' }).expect(200);
    expect(await thanksIn(id, 'fr')).toBe('es');
    await owner.patch(`/deploy/${id}`).send({ language: 'ja' }).expect(200, { success: true, id });
    expect(await thanksIn(id, 'fr')).toBe('ja');
    await owner.change(id, { email_notifications: false });
    expect(await thanksIn(id, 'fr')).toBe('ja');
    await owner.change(id, { language: null });
    expect(await thanksIn(id, 'fr')).toBe('es');
    await owner.put(`/deploy/${id}`).send({ html: '<p>Hello' }).expect(200);
    expect([await thanksIn(id, 'fr'), await thanksIn(id)]).toEqual(['fr', 'en']);
  });

  it('speak it in every process at once', async () => {
    const other = await service.another();
    const { id } = await owner.deploy({ html: '<html lang="de"><p>Hallo' });
    const elsewhere = async (): Promise<string> => (await fetch(`${other.url}/submit/${id}/thanks`)).text();
    expect(await elsewhere()).toContain('<html lang="de" dir="ltr">');
    await owner.change(id, { language: 'ar' });
    await expect.poll(elsewhere).toContain('<html lang="ar" dir="rtl">');
  });
});
