import { createHash, randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { type BareAnswer, bareRequest } from '../../support/bare-request.ts';
import { publishSite } from '../../support/publish-site.ts';
import { BASE_URL, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

type Ask = { method?: string; headers?: Record<string, string>; body?: string; url?: string };

const ask = (slug: string, path: string, { headers, url = service.url, ...request }: Ask = {}): Promise<BareAnswer> =>
  bareRequest(url + path, { ...request, headers: { ...headers, Host: `${slug}.${PAGES_DOMAIN}` } });

function textOf({ headers, body }: BareAnswer): string {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body).toString();
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
}

/** The headers of an answer except for those of the connection and the request. */
function saidIn({ headers }: BareAnswer) {
  const { date, connection, 'x-request-id': requestId, ...said } = headers;
  return said;
}

const hashOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 27);
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const STYLE = 'body { color: green }\n'.repeat(500);
const PICTURE = randomBytes(5_000);
const CACHED = {
  'cache-control': 'public, max-age=0, must-revalidate',
  'x-content-type-options': 'nosniff',
  'origin-agent-cluster': '?1',
  'accept-ranges': 'bytes',
};

const FILES = {
  'index.html': '<h1>Home</h1>',
  'about.html': '<form method="post" action="{{FORM_ACTION}}"></form>',
  'blog/index.html': '<h1>Blog</h1>',
  'style.css': STYLE,
  'img/picture.png': PICTURE,
  'notes.txt': 'é',
  'feed.xml': '<feed/>',
  'empty.txt': '',
  'old.htm': '{{FORM_ACTION}}',
  'archive/index.htm': '<h1>Archive</h1>',
  'logo.svg': '<svg/>',
  'logo.svgz': gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  '.well-known/apple-app-site-association': '{}',
};
const site = await publishSite(owner, FILES);

describe('GET on the host of a site', () => {
  it.each([
    ['/', '<h1>Home</h1>'],
    ['/index.html', '<h1>Home</h1>'],
    ['/index?from=there', '<h1>Home</h1>'],
    ['/about', `<form method="post" action="${BASE_URL}/submit/${site.id}"></form>`],
    ['/about.html', `<form method="post" action="${BASE_URL}/submit/${site.id}"></form>`],
    ['/blog/', '<h1>Blog</h1>'],
    ['/old.htm', `${BASE_URL}/submit/${site.id}`],
    ['/old', `${BASE_URL}/submit/${site.id}`],
    ['/archive/', '<h1>Archive</h1>'],
  ])('serves the page at %s', async (path, text) => {
    const answer = await ask(site.slug, path);
    expect({ status: answer.status, headers: saidIn(answer), text: textOf(answer) }).toEqual({
      status: 200,
      headers: {
        ...CACHED,
        vary: 'Accept-Encoding',
        etag: `"${hashOf(text)}"`,
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(Buffer.byteLength(text)),
      },
      text,
    });
  });

  it.each([
    ['/style.css', 'text/css; charset=utf-8', 'Accept-Encoding'],
    ['/img/picture.png', 'image/png', undefined],
    ['/notes.txt', 'text/plain; charset=utf-8', 'Accept-Encoding'],
    ['/feed.xml', 'application/xml', 'Accept-Encoding'],
    ['/logo.svg', 'image/svg+xml', 'Accept-Encoding'],
    ['/.well-known/apple-app-site-association', 'application/json; charset=utf-8', 'Accept-Encoding'],
    ['/empty.txt', 'text/plain; charset=utf-8', 'Accept-Encoding'],
  ])('serves the file %s with the type of its extension', async (path, type, vary) => {
    const content = Buffer.from(Object.entries(FILES).find(([name]) => `/${name}` === path)?.[1] ?? 'none');
    const answer = await ask(site.slug, path);
    const headers = {
      ...{ ...CACHED, ...(vary && { vary }), etag: `"${hashOf(content)}"` },
      ...{ 'content-type': type, 'content-length': String(content.length) },
    };
    expect([answer.status, saidIn(answer), answer.body.equals(content)]).toEqual([200, headers, true]);
    const head = await ask(site.slug, path, { method: 'HEAD' });
    expect([head.status, saidIn(head), head.body.length]).toEqual([200, headers, 0]);
  });

  it('compresses what becomes shorter, each encoding with a tag of its own', async () => {
    const tags = new Set<unknown>();
    for (const coding of ['br', 'gzip', 'identity']) {
      const answer = await ask(site.slug, '/style.css', { headers: { 'Accept-Encoding': coding } });
      expect([answer.headers['content-encoding'] ?? 'identity', textOf(answer)]).toEqual([coding, STYLE]);
      tags.add(answer.headers.etag);
    }
    expect(tags.size).toBe(3);
    const picture = await ask(site.slug, '/img/picture.png', { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect([picture.headers['content-encoding'], picture.body.equals(PICTURE)]).toEqual([undefined, true]);
  });

  it('answers 304 for the tag', async () => {
    const etag = `"${hashOf(PICTURE)}"`;
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(site.slug, '/img/picture.png', { method, headers: { 'If-None-Match': etag } });
      expect([answer.status, saidIn(answer), answer.body.length]).toEqual([304, { ...CACHED, etag }, 0]);
    }
  });

  it('redirects from a folder to its address with a slash, and keeps the query', async () => {
    const answer = await ask(site.slug, '/blog?a=%2F&b');
    expect([answer.status, answer.headers.location]).toEqual([308, '/blog/?a=%2F&b']);
  });

  it.each(['/img', '/img/', '/About', '/style', '/blog/first', '//about', '/about/'])(
    'answers 404 for %s',
    async (path) => {
      const answer = await ask(site.slug, path);
      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(textOf(answer)).toMatch(/^<!doctype html>/);
    },
  );
});

describe('a part of a file', () => {
  const part = (range: string, headers = {}) =>
    ask(site.slug, '/img/picture.png', { headers: { Range: range, ...headers } });
  const etag = `"${hashOf(PICTURE)}"`;

  it('is answered with 206 and where it is', async () => {
    const answer = await part('bytes=10-19');
    expect([answer.status, saidIn(answer)]).toEqual([
      206,
      {
        ...{ ...CACHED, etag, 'content-type': 'image/png' },
        ...{ 'content-length': '10', 'content-range': 'bytes 10-19/5000' },
      },
    ]);
    expect(answer.body.equals(PICTURE.subarray(10, 20))).toBe(true);
  });

  it('is one of the file without an encoding', async () => {
    const headers = { Range: 'bytes=-5', 'Accept-Encoding': 'br' };
    const answer = await ask(site.slug, '/style.css', { headers });
    expect([answer.status, answer.headers['content-encoding'], textOf(answer)]).toEqual([
      206,
      undefined,
      STYLE.slice(-5),
    ]);
  });

  it('is answered with 416 where there is none', async () => {
    const answer = await part('bytes=5000-');
    expect([answer.status, answer.headers['content-range'], answer.body.length]).toEqual([416, 'bytes */5000', 0]);
  });

  it('is the whole file where several are asked for, or If-Range has another tag', async () => {
    for (const answer of [await part('bytes=0-1,4-5'), await part('bytes=0-1', { 'If-Range': '"other"' })])
      expect([answer.status, answer.body.equals(PICTURE)]).toEqual([200, true]);
    expect((await part('bytes=0-1', { 'If-Range': etag })).status).toBe(206);
    for (const range of ['bytes=0-1', 'bytes=5000-'])
      expect((await part(range, { 'If-None-Match': etag })).status).toBe(304);
  });
});

describe('a file that is too large to be kept in memory', async () => {
  const bytes = randomBytes(3 * 1024 * 1024);
  const large = await publishSite(owner, { 'index.html': 'x', 'film.mp4': bytes });
  const etag = `"${hashOf(bytes)}"`;

  it('is sent whole and in parts, with the same headers', async () => {
    const headers = { ...CACHED, etag, 'content-type': 'video/mp4', 'content-length': String(bytes.length) };
    const whole = await ask(large.slug, '/film.mp4');
    expect([whole.status, saidIn(whole), whole.body.equals(bytes)]).toEqual([200, headers, true]);
    const head = await ask(large.slug, '/film.mp4', { method: 'HEAD' });
    expect([head.status, saidIn(head)]).toEqual([200, headers]);
    for (const [start, end] of [
      [0, 0],
      [1_000_000, 2_000_000],
      [bytes.length - 1, bytes.length - 1],
    ] as const) {
      const answer = await ask(large.slug, '/film.mp4', { headers: { Range: `bytes=${start}-${end}` } });
      const range = `bytes ${start}-${end}/${bytes.length}`;
      expect([answer.status, answer.headers['content-range']]).toEqual([206, range]);
      expect(answer.body.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
    const none = await ask(large.slug, '/film.mp4', { headers: { Range: 'bytes=99999999-' } });
    expect([none.status, none.headers['content-range']]).toEqual([416, `bytes */${bytes.length}`]);
    const same = await ask(large.slug, '/film.mp4', { headers: { 'If-None-Match': etag } });
    expect([same.status, same.body.length]).toEqual([304, 0]);
  });
});

describe('an .svgz', () => {
  const content = FILES['logo.svgz'];
  const type = { 'content-type': 'image/svg+xml', 'content-encoding': 'gzip' };

  it.each(['', 'identity', 'br, gzip', 'gzip;q=0'])(
    'is sent as it is to clients that accept "%s"',
    async (accepted) => {
      const answer = await ask(site.slug, '/logo.svgz', { headers: { 'Accept-Encoding': accepted } });
      const length = { 'content-length': String(content.length), etag: `"${hashOf(content)}"` };
      expect([answer.status, saidIn(answer)]).toEqual([200, { ...CACHED, ...type, ...length }]);
      expect(answer.body).toEqual(content);
    },
  );

  it('is sent in parts, and again when it has changed only', async () => {
    const part = await ask(site.slug, '/logo.svgz', { headers: { Range: 'bytes=2-5' } });
    expect([part.status, part.body, part.headers]).toEqual([
      206,
      content.subarray(2, 6),
      expect.objectContaining(type),
    ]);
    const same = await ask(site.slug, '/logo.svgz', { headers: { 'If-None-Match': `"${hashOf(content)}"` } });
    expect([same.status, same.headers['content-encoding'], same.body.length]).toEqual([304, undefined, 0]);
    const head = await ask(site.slug, '/logo.svgz', { method: 'HEAD' });
    expect([head.status, head.headers]).toEqual([200, expect.objectContaining(type)]);
  });

  it('is sent as it is where it is too large for the memory', async () => {
    const large = gzipSync(randomBytes(1_100_000));
    const { slug } = await publishSite(owner, { 'index.html': 'x', 'map.svgz': large });
    const answer = await ask(slug, '/map.svgz', { headers: { 'Accept-Encoding': 'identity' } });
    expect([answer.status, answer.headers, answer.body.equals(large)]).toEqual([
      200,
      expect.objectContaining(type),
      true,
    ]);
  });
});

describe('what the service answers for a page without files', () => {
  it('comes after the files of a site', async () => {
    const { slug, id } = await publishSite(owner, {
      ...{ 'index.html': 'x', 'favicon.ico': 'icon', 'thanks.html': '<h1>Grazie {{FORM_ACTION}}</h1>' },
      ...{
        '404.html': '<h1>Lost {{FORM_ACTION}}</h1>',
        '.well-known/security.txt': 'mine',
        '.well-known/other': 'mine',
      },
    });
    const action = `${BASE_URL}/submit/${id}`;
    const said = async (path: string, method = 'GET') => {
      const answer = await ask(slug, path, { method });
      return [answer.status, textOf(answer)];
    };
    expect(await said('/favicon.ico')).toEqual([200, 'icon']);
    expect(await said('/thanks')).toEqual([200, `<h1>Grazie ${action}</h1>`]);
    expect(await said('/nothing/at/all')).toEqual([404, `<h1>Lost ${action}</h1>`]);
    expect(await said('/nothing', 'HEAD')).toEqual([404, '']);
    expect(await said('/404')).toEqual([200, `<h1>Lost ${action}</h1>`]);
    expect(await said('/.well-known/other')).toEqual([200, 'mine']);
    // Visitors look for the operator's there.
    expect((await said('/.well-known/security.txt'))[0]).toBe(404);
  });

  it('stays for a site without such files', async () => {
    expect((await ask(site.slug, '/favicon.ico')).status).toBe(204);
    expect(textOf(await ask(site.slug, '/thanks'))).toMatch(/^<!doctype html>/);
  });
});

describe('POST on the host of a site', () => {
  const post = (path: string) => ask(site.slug, path, { method: 'POST', headers: FORM, body: `path=${path}` });

  it.each(['/', '/index.html', '/about', '/about.html', '/blog/', '/old.htm', '/archive/'])(
    'submits at %s',
    async (path) => {
      const answer = await post(path);
      const { id } = JSON.parse(textOf(answer));
      const { body } = await owner.get(`/submissions/${site.id}/${id}`);
      expect([answer.status, body.data]).toEqual([200, { path }]);
    },
  );

  it('leads to the site’s own page that thanks, or to that of the service', async () => {
    const answer = await ask(site.slug, '/about', {
      ...{ method: 'POST', body: 'a=b', headers: { ...FORM, Accept: 'text/html' } },
    });
    expect([answer.status, answer.headers.location]).toEqual([303, '/thanks']);
  });

  it('redirects from a folder without its slash', async () => {
    const answer = await post('/blog');
    expect([answer.status, answer.headers.location]).toEqual([308, '/blog/']);
  });

  it.each([
    ['POST', '/style.css', 405, 'GET, HEAD'],
    ['POST', '/logo.svgz', 405, 'GET, HEAD'],
    ['PUT', '/old.htm', 405, 'GET, HEAD, POST'],
    ['PUT', '/style.css', 405, 'GET, HEAD'],
    ['PUT', '/about', 405, 'GET, HEAD, POST'],
    ['POST', '/nothing', 404, undefined],
    ['PUT', '/nothing', 404, undefined],
  ])('%s %s is a %i', async (method, path, status, allow) => {
    const answer = await ask(site.slug, path, { method, headers: FORM, body: 'a=b' });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  });
});

describe('a site that was taken down', () => {
  it('is a 451 at every path', async () => {
    const { id, slug } = await publishSite(owner, { 'index.html': '<p>', 'a.css': 'a', 'b/index.html': 'b' });
    const statusOf = async (path: string): Promise<number> =>
      (await service.anonymous.get(path).set('Host', `${slug}.${PAGES_DOMAIN}`)).status;
    expect(await statusOf('/a.css')).toBe(200);
    await takeDown(service.db, id, 'a reason');
    await expect.poll(() => statusOf('/'), { timeout: 60_000 }).toBe(451);
    for (const path of ['/a.css', '/b', '/b/', '/nothing', '/404.html']) expect(await statusOf(path), path).toBe(451);
  });
});
