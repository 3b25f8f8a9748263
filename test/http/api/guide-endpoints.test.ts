import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { PROJECT } from '../../../src/lib/project.ts';
import { failure } from '../../support/answers.ts';
import { BASE_URL, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();

const get = (path: string, accept?: string) =>
  service.anonymous
    .get(path)
    .set(accept === undefined ? {} : { Accept: accept })
    .buffer(true);

const MARKDOWN = 'text/markdown; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

it.each([
  ['text/markdown', MARKDOWN],
  ['text/markdown, text/html;q=0.9, */*;q=0.1', MARKDOWN],
  ['text/html,application/xhtml+xml,*/*;q=0.8', HTML],
  ['*/*', HTML],
  ['text/markdown;q=0.1, text/html', HTML],
])('the docs and a guide for Accept: %s are %s', async (accept, type) => {
  for (const path of ['/docs', '/docs/guides/forms']) {
    const { headers } = await get(path, accept).expect(200);
    expect([path, headers['content-type'], headers.vary]).toEqual([path, type, 'Accept, Accept-Encoding']);
  }
});

it('lists guides that are all there, each with a title, and whose links lead to what is served', async () => {
  const { text } = await get('/docs', 'text/markdown').expect(200);
  const paths = Array.from(text.matchAll(/\]\((\/docs\/guides\/[\w-]+)\)/g), ([, path = '']) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['/docs/guides/forms', '/docs/guides/agents', '/docs/guides/migrating-tally']),
  );
  for (const path of paths) {
    const guide = await get(path, 'text/markdown').expect(200);
    const links = Array.from(guide.text.matchAll(/\]\(([^)#\s]+)/g), ([, link = '']) => link);
    const served = links.filter((link) => link.startsWith('/docs/guides/'));
    expect([path, links.filter((link) => !/^(?:https?:|mailto:|\/)/.test(link))]).toEqual([path, []]);
    expect([path, served.filter((link) => !paths.includes(link))]).toEqual([path, []]);
    const page = await get(path, 'text/html').expect(200);
    expect(page.text).toMatch(/<title>[^<]+<\/title><link rel="icon" href="data:,">[\s\S]*<h1 id="[^"]+">/);
    expect(page.headers['content-security-policy']).toContain('; img-src data:;');
  }
});

it('has the addresses of the service', async () => {
  for (const accept of ['text/markdown', 'text/html']) {
    const { text } = await get('/docs/guides/getting-started', accept).expect(200);
    expect(text).toContain(`${BASE_URL}/deploy`);
    expect(text).toContain(`https://spring-sale.${PAGES_DOMAIN}`);
    expect(text).not.toContain('localhost:3000');
  }
  const { text: skill } = await get('/skill.md').expect(200);
  expect(skill).toContain(`https://open-day.${PAGES_DOMAIN}`);
  expect(skill).not.toContain('localhost:3000');
});

it('has an ETag for each form, and a 304', async () => {
  const tags = await Promise.all(
    ['text/html', 'text/markdown'].map(async (accept) => (await get('/docs/guides/mail', accept)).headers.etag),
  );
  expect(new Set(tags).size).toBe(2);
  await get('/docs/guides/mail', 'text/html').set('If-None-Match', String(tags[0])).expect(304);
});

it.each([
  'none',
  'README',
  'architecture',
  '..%2FREADME',
  '..%2f..%2fpackage.json',
  'migrating%2Ftally',
  '__proto__',
  'forms.md',
])('answers 404 to %s', async (name) => {
  const { status, body } = await get(`/docs/guides/${name}`);
  expect({ status, body }).toEqual({ status: 404, body: failure });
});

it('sends the text of the project', async () => {
  const file = await readFile(new URL('docs/live.md', PROJECT), 'utf8');
  const { text } = await get('/docs/guides/live', 'text/markdown');
  expect(text.split('\n')[0]).toBe(file.split('\n')[0]);
  expect(text).toContain('```');
});
