import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bareRequest } from '../../support/bare-request.ts';
import { publishSite } from '../../support/publish-site.ts';
import { BASE_URL, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
const MAX = service.config.maxHtmlBytes;

const ask = (slug: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  bareRequest(service.url + path, { method, headers: { ...headers, Host: `${slug}.${PAGES_DOMAIN}` } });

const TEXT = 'send("{{FORM_ACTION}}"); // é {{FORM_ACTION}} {{ FORM_ACTION }}\n';
const TYPES: Record<string, string> = {
  'a.js': 'text/javascript; charset=utf-8',
  'b.mjs': 'text/javascript; charset=utf-8',
  'c.json': 'application/json; charset=utf-8',
  'd.txt': 'text/plain; charset=utf-8',
  'e.CSS': 'text/css; charset=utf-8',
  'f.htm': 'text/html; charset=utf-8',
  'i.cjs': 'application/node',
};
const paths = [...Object.keys(TYPES), 'g.svg', 'h.xml', 'j.xhtml'];
const { id, slug } = await publishSite(owner, {
  'index.html': '<script src="a.js"></script>',
  ...Object.fromEntries(paths.map((path) => [path, TEXT])),
  'large.js': TEXT.repeat(4_000),
  'over.js': TEXT + 'x'.repeat(MAX),
  'plain.js': 'send("/")'.repeat(20),
  'bytes.js': Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from('"{{FORM_ACTION}}"')]),
  'latin.txt': Buffer.from('Füße', 'latin1'),
  'binary.bin': TEXT,
});
const action = `${BASE_URL}/submit/${id}`;
const replaced = (text: string): string => text.replaceAll('{{FORM_ACTION}}', action);

describe('the placeholder in a text of a site', () => {
  it.each(paths)('is replaced: %s', async (path) => {
    const { status, headers, body } = await ask(slug, `/${path}`);
    expect([status, body.toString(), Number(headers['content-length'])]).toEqual([200, replaced(TEXT), body.length]);
    if (TYPES[path]) expect(headers['content-type']).toBe(TYPES[path]);
    const Authorization = `Bearer ${owner.key}`;
    const stored = await bareRequest(`${service.url}/deploy/${id}/files/${path}`, { headers: { Authorization } });
    expect([stored.status, stored.body.toString()]).toEqual([200, TEXT]);
  });

  it('is replaced in each encoding, each with a tag of its own, and for HEAD', async () => {
    for (const path of ['/a.js', '/large.js']) {
      const whole = await ask(slug, path);
      const br = await ask(slug, path, { 'Accept-Encoding': 'br' });
      const gzip = await ask(slug, path, { 'Accept-Encoding': 'gzip' });
      expect(brotliDecompressSync(br.body).equals(whole.body)).toBe(true);
      expect(gunzipSync(gzip.body).equals(whole.body)).toBe(true);
      expect(whole.body.toString()).not.toContain('{{FORM_ACTION}}');
      expect(new Set([whole, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
      const head = await ask(slug, path, {}, 'HEAD');
      expect([head.headers['content-length'], head.headers.etag]).toEqual([`${whole.body.length}`, whole.headers.etag]);
      expect((await ask(slug, path, { 'If-None-Match': `${whole.headers.etag}` })).status).toBe(304);
    }
  });

  it('is replaced before a range is cut', async () => {
    const { status, headers, body } = await ask(slug, '/a.js', { Range: 'bytes=6-40' });
    const whole = Buffer.from(replaced(TEXT));
    expect([status, body.toString()]).toEqual([206, whole.subarray(6, 41).toString()]);
    expect(headers['content-range']).toBe(`bytes 6-40/${whole.length}`);
  });

  it('is replaced among bytes that are no text', async () => {
    const { body } = await ask(slug, '/bytes.js');
    expect(body.equals(Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from(`"${action}"`)]))).toBe(true);
  });

  it('stays in a file that is too large, or no text', async () => {
    expect((await ask(slug, '/over.js')).body.toString()).toBe(TEXT + 'x'.repeat(MAX));
    expect((await ask(slug, '/binary.bin')).body.toString()).toBe(TEXT);
  });

  it('is replaced again when the file changes', async () => {
    const before = (await ask(slug, '/plain.js')).headers.etag;
    await owner.put(`/deploy/${id}/files/plain.js`).type('text/javascript').send('go("{{FORM_ACTION}}")').expect(200);
    const { headers, body } = await ask(slug, '/plain.js');
    expect([body.toString(), headers.etag === before]).toEqual([`go("${action}")`, false]);
  });
});

it('a text that is not UTF-8 is sent byte for byte, and not called UTF-8', async () => {
  const { headers, body } = await ask(slug, '/latin.txt');
  expect([headers['content-type'], body.toString('latin1')]).toEqual(['text/plain', 'Füße']);
});

describe('a page of a site that is not UTF-8', () => {
  const LATIN = Buffer.from('<p>Füße', 'latin1');
  const UTF16 = Buffer.from('\uFEFF<p>Füße', 'utf16le');
  const refusal = (path: string) => ({
    error: `The file "${path}" is not UTF-8: save it as UTF-8, and send it again.`,
  });

  it.each([
    ['sub/about.html', LATIN],
    ['About.HTM', LATIN],
    ['a.html', UTF16],
  ])('is refused in JSON, and file by file: %s', async (path, content) => {
    const files = { [path]: { content: content.toString('base64'), encoding: 'base64' } };
    await owner.post('/deploy').send({ html: 'x', files }).expect(400, refusal(path));
    await owner.put(`/deploy/${id}`).send({ html: 'x', files }).expect(400, refusal(path));
    await owner
      .put(`/deploy/${id}/files/${path}`)
      .type('application/octet-stream')
      .send(content)
      .expect(400, refusal(path));
  });

  it('is refused as the page itself', async () => {
    const answer = owner.put(`/deploy/${id}/files/index.html`).type('text/html').send(LATIN);
    await answer.expect(400, refusal('index.html'));
  });
});
