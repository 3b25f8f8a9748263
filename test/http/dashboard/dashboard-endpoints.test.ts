import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { VIEW_PATHS } from '../../../src/lib/dashboard-paths.ts';
import { LANGUAGES, toLanguage } from '../../../src/lib/languages.ts';
import { TEXTS as SERVED_TEXTS } from '../../../src/texts/texts.ts';
import { PROJECT } from '../../support/process.ts';
import { getPage, testService } from '../../support/test-service.ts';

const MAX_SCRIPT_BYTES = 60 * 1024;
const MAX_EDITOR_BYTES = 200 * 1024;
const MAX_TEXTS_BYTES = 40 * 1024;
const ID = 'd_0VbbZBZKKTcBD17YQfyDgVGm';
const SUBMISSION_ID = 'sub_0VbbZBZeswpZ5bGpjxVeCiYz';
const PATHS = Object.values(VIEW_PATHS).map((path) => path.replace(':id', ID).replace(':submissionId', SUBMISSION_ID));

const service = await testService();

/** What a build says of each of its files: the scripts that it loads with it, and those that it may load later. */
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    dynamicImports: z.array(z.string()).default([]),
  }),
);
const SHELL = 'shell.html';
/** Parts that views load when somebody edits a page: more than all else together. */
const EDITOR = 'editor/editor.tsx';
const CODE_EDITOR = 'editor/code/code-editor.ts';
/** The drafts of pages: the views that edit pages load them at once, and the others as somebody signs out. */
const DRAFTS = 'editor/draft/page-draft.ts';
/** All that the shell imports once it has the texts. */
const MAIN = 'main.tsx';
const {
  [SHELL]: shell,
  [MAIN]: main,
  ...chunks
} = Manifest.parse(JSON.parse(await readFile(join(PROJECT, 'dist/dashboard/.vite/manifest.json'), 'utf8')));
/** Texts of which a browser loads one language: those for visitors and of finished pages, and those of the dashboard. */
const filesNamed = (pattern: RegExp): string[] =>
  Object.entries(chunks).flatMap(([name, { file }]) => (pattern.test(name) ? [file] : []));
const VISITOR_TEXTS = filesNamed(/^\.\.\/(?:finished-pages\/)?texts\//);
const TEXTS = filesNamed(/^texts\//);
const VIEWS = main?.dynamicImports.filter((name) => name.startsWith('views/')) ?? [];

const FIRST = new Set([shell, main].flatMap((chunk) => chunk?.imports ?? []));

/** The scripts that a view loads in all: with the shell, and with what it loads later. The shell loads the other views. */
function scriptsOf(view: string, without: readonly string[] = [EDITOR, DRAFTS]): string[] {
  const found = new Set([...FIRST, view]);
  for (const name of found) {
    const { imports = [], dynamicImports = [] } = chunks[name] ?? {};
    for (const next of [...imports, ...dynamicImports.filter((later) => !without.includes(later))])
      if (next !== SHELL && next !== MAIN) found.add(next);
  }
  return [shell, main, ...Array.from(found, (name) => chunks[name])].flatMap((chunk) => chunk?.file ?? []);
}

const bytes = (path: string, encoding: string) =>
  service.anonymous
    .get(path)
    .set('Accept-Encoding', encoding)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    });

describe('GET /dashboard', () => {
  it.each(PATHS)('answers the shell at %s', async (path) => {
    const { status, headers, text } = await service.anonymous.get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
      'content-security-policy': `default-src 'self'; frame-src 'self' https://*.pages.test; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // The window of the program that asks goes on where the person has allowed it.
      'cross-origin-opener-policy': path === VIEW_PATHS.allow ? 'unsafe-none' : 'same-origin',
    });
    expect(text).toMatch(/^<!doctype html>/);
    // Nothing inline, and nothing of another host.
    expect(text).not.toMatch(/<style|<script(?![^>]* src="\/dashboard\/assets\/)|\son\w+=|https?:|\{\{/);
  });

  it('answers 304 to whoever has it', async () => {
    const { headers } = await service.anonymous.get('/dashboard');
    const { status, text } = await service.anonymous.get('/dashboard/new').set('If-None-Match', String(headers.etag));
    expect({ status, text }).toEqual({ status: 304, text: '' });
  });

  it.each(['/dashboard/nowhere', `/dashboard/pages/${ID}/nothing`])(
    'answers 404 at %s: a browser with the shell, which says so, and programs with JSON',
    async (path) => {
      const { status, headers, text } = await service.anonymous.get(path).set('Accept', 'text/html');
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' });
      expect(text).toContain('<div id="app">');
      const { body } = await service.anonymous.get(path).set('Accept', '*/*').expect(404);
      expect(body).toEqual({ error: 'There is nothing at this path: check it against the API reference.' });
    },
  );

  it('is not on the hosts of pages', async () => {
    const owner = await service.owner();
    const { slug } = await owner.deploy();
    expect((await getPage(service.url, slug)).status).toBe(200);
    const { status } = await service.anonymous.get('/dashboard').set('Host', `${slug}.pages.test`);
    expect(status).toBe(404);
  });

  it.each([
    ['none', { 'Sec-Fetch-Site': 'none' }],
    ['none', { 'Sec-Fetch-Site': 'same-origin', Cookie: 'other=1' }],
    ['unknown', { 'Sec-Fetch-Site': 'same-origin', Cookie: 'other=1; formhost=x' }],
    // A strict cookie is not sent along with a link of another site.
    ['unknown', { 'Sec-Fetch-Site': 'cross-site' }],
    ['unknown', {}],
  ])('says that nobody is signed in where that is certain: %s, %j', async (session, headers) => {
    const { text } = await service.anonymous.get('/dashboard').set(headers);
    expect(text).toContain(`data-session="${session}"`);
  });
});

describe('the language of the dashboard', () => {
  const shellFor = async (headers: Record<string, string>) => {
    const answer = await service.anonymous.get('/dashboard').set(headers).expect(200);
    expect(answer.headers.vary).toMatch(/Accept-Language, Cookie/);
    const [, language, dir] = /<html lang="(\w+)" dir="(\w+)"/.exec(answer.text) ?? [];
    expect(answer.headers['content-language']).toBe(language);
    expect(answer.text).toContain(`href="/dashboard/${chunks[`texts/${language}.ts`]?.file}"`);
    const { notLoaded, withoutScript } = SERVED_TEXTS[toLanguage(language) ?? 'en'];
    const said = withoutScript.text.replace('{link}', `<a href="/docs">${withoutScript.reference}</a>`);
    expect(answer.text).toContain(`<noscript><p>${said}</p></noscript>`);
    const late = `<h1>${notLoaded.text}</h1><p><a href="">${notLoaded.again}</a></p>`;
    expect(answer.text).toContain(`<main class="not-loaded">${late}</main>`);
    return { language, dir };
  };

  it.each(LANGUAGES.map((language) => [language, language === 'ar' ? 'rtl' : 'ltr']))(
    'is %s where the browser wants it, and the texts are loaded with the shell',
    async (language, dir) => {
      expect(await shellFor({ 'Accept-Language': `xx, ${language}-XX;q=0.9, en;q=0.1` })).toEqual({ language, dir });
      const { file } = chunks[`texts/${language}.ts`] ?? {};
      const { headers } = await bytes(`/dashboard/${file}`, 'br').expect(200);
      expect(Number(headers['content-length'])).toBeLessThanOrEqual(MAX_TEXTS_BYTES);
    },
  );

  it.each([
    ['en', {}],
    ['en', { 'Accept-Language': 'xx' }],
    ['en', { 'Accept-Language': '*' }],
    ['de', { Cookie: 'formhost-language=de' }],
    ['de', { Cookie: 'other=1; formhost-language=de; formhost=x', 'Accept-Language': 'fr' }],
    ['fr', { Cookie: 'formhost-language=xx', 'Accept-Language': 'fr' }],
    ['fr', { Cookie: 'formhost-language="><script>', 'Accept-Language': 'fr' }],
    ['fr', { Cookie: 'formhost-language=__proto__', 'Accept-Language': 'fr' }],
    ['fr', { Cookie: 'formhost-language=; xformhost-language=de', 'Accept-Language': 'fr' }],
    ['en', { Cookie: `formhost-language=${'d'.repeat(1_000)}` }],
  ])('is %s for %j', async (language, headers) => {
    expect(await shellFor(headers)).toMatchObject({ language });
  });

  it('gives each language a validator of its own', async () => {
    const etagOf = async (language: string) =>
      String((await service.anonymous.get('/dashboard').set('Accept-Language', language)).headers.etag);
    const etags = await Promise.all(LANGUAGES.map(etagOf));
    expect(new Set(etags).size).toBe(LANGUAGES.length);
  });
});

describe('GET /dashboard/assets/:asset', () => {
  it('answers every built file, compressed as the client wants, to be kept for ever', async () => {
    const names = await readdir(join(PROJECT, 'dist/dashboard/assets'));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      expect(name).toMatch(/^[\w.-]+-[\w-]{8}\.(?:js|css|svg|html|png)$/);
      const path = `/dashboard/assets/${name}`;
      const { body: content, headers } = await bytes(path, 'identity').expect(200);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
      expect(headers['content-type']).toMatch(
        /^(?:text\/(?:javascript|css|html); charset=utf-8|image\/(?:svg\+xml|png))/,
      );
      // Pages in frames have no access to the service, and no other site can frame them.
      const policy = headers['content-security-policy'];
      if (name.startsWith('in-place-')) {
        // No script of a page that is edited runs, and none but ours is known by its hash.
        const [, script = ''] = /<script>(.*?)<\/script>/s.exec(String(content)) ?? [];
        const hash = createHash('sha256').update(script).digest('base64');
        expect(policy).toBe(
          `sandbox allow-scripts; frame-ancestors 'self'; default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline' http: https: data:; img-src http: https: data:; font-src http: https: data:; media-src http: https:; form-action 'none'`,
        );
      } else expect(policy).toBe(name.endsWith('.html') ? "sandbox allow-scripts; frame-ancestors 'self'" : undefined);
      for (const encoding of ['br', 'gzip']) {
        const { body, headers: encoded } = await bytes(path, encoding).expect('Content-Encoding', encoding);
        expect(Buffer.compare(body, content)).toBe(0);
        // A picture is compressed already.
        if (!name.endsWith('.png')) expect(Number(encoded['content-length'])).toBeLessThan(content.length);
      }
    }
  });

  it.each([
    ...[
      'main.js',
      '..%2fshell.html',
      '..%2F.vite%2Fmanifest.json',
      'manifest.json',
      '.vite',
      '%00',
      'main-00000000.js.br',
    ],
    ...[
      '__proto__',
      'constructor',
      'shell-BGNgaNNg.js%00.html',
      '%2e%2e%2fshell.html',
      '..%5cshell.html',
      '.',
      'views',
    ],
  ])('answers 404 to a name that is not one of them: %s', async (name) => {
    const { status, body } = await service.anonymous.get(`/dashboard/assets/${name}`);
    expect({ status, body }).toEqual({
      status: 404,
      body: { error: 'This file is not part of the dashboard: load the page again.' },
    });
  });

  it('has every view in a script of its own, of which the shell loads none', async () => {
    const names = await readdir(join(PROJECT, 'src/dashboard/views'));
    const files = names.filter((name) => name.endsWith('.tsx')).map((name) => `views/${name}`);
    const always = ['views/not-found-view.tsx', 'views/sign-in-view.tsx'];
    expect(VIEWS.toSorted()).toEqual(files.filter((name) => !always.includes(name)).toSorted());
    const { text } = await service.anonymous.get('/dashboard');
    const loaded = Array.from(text.matchAll(/"\/dashboard\/(assets\/[^"]+\.js)"/g), ([, file]) => file);
    const [theme, ...modules] = [...new Set(loaded)]
      .filter((file) => file !== chunks['texts/en.ts']?.file)
      .toSorted((one) => (one?.startsWith('assets/theme-') ? -1 : 1));
    expect(theme).toMatch(/^assets\/theme-[\w-]{8}\.js$/);
    const first = [shell, main, ...Array.from(FIRST, (name) => chunks[name])].map((chunk) => chunk?.file);
    expect(modules.toSorted()).toEqual(first.toSorted());
  });

  it('has no script that waits while it is evaluated: WebKit would run what imports it too early', async () => {
    const waits = (node: unknown): boolean =>
      typeof node === 'object' &&
      node !== null &&
      !('type' in node && /Function/.test(String(node.type))) &&
      (('type' in node && node.type === 'AwaitExpression') || Object.values(node).some(waits));
    expect(waits(parseAst('const a = [await 1];'))).toBe(true);
    const scripts = [shell, main, ...Object.values(chunks)].flatMap((chunk) => chunk?.file ?? []);
    for (const file of new Set(scripts.filter((name) => name.endsWith('.js')))) {
      const code = await readFile(join(PROJECT, 'dist/dashboard', file), 'utf8');
      expect([file, waits(parseAst(code))]).toEqual([file, false]);
    }
  });

  it.each(VIEWS)('has at most 60 KB of script for %s', async (view) => {
    let sum = 0;
    let language = 0;
    for (const file of scriptsOf(view)) {
      if (TEXTS.includes(file)) continue;
      const size = Number((await bytes(`/dashboard/${file}`, 'br').expect(200)).headers['content-length']);
      // Texts for visitors, and those of finished pages, are loaded in one language.
      if (VISITOR_TEXTS.includes(file)) language = Math.max(language, size);
      else sum += size;
    }
    sum += language;
    expect(sum).toBeGreaterThan(1_000);
    expect(sum).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  });

  it.each([
    [EDITOR, 'views/edit-page-view.tsx', [CODE_EDITOR]],
    [CODE_EDITOR, EDITOR, []],
  ])('has at most 200 KB of script for %s, beside what was loaded before', async (part, before, without) => {
    const earlier = new Set(scriptsOf(before, [part]));
    const files = scriptsOf(part, without).filter((file) => !earlier.has(file));
    let sum = 0;
    for (const file of files) {
      sum += Number((await bytes(`/dashboard/${file}`, 'br').expect(200)).headers['content-length']);
    }
    expect(sum).toBeGreaterThan(1_000);
    expect(sum).toBeLessThanOrEqual(MAX_EDITOR_BYTES);
  });
});
