import { createHash } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { type BareAnswer, bareRequest } from '../../support/bare-request.ts';
import { BASE_URL, type Owner, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

const hostOf = (slug: string): string => `${slug}.${PAGES_DOMAIN}`;
/** Its host is one label under the pages' domain. */
const MOVED_URL = `http://${hostOf('moved')}:8080`;

const service = await testService();
/** Where a process listens that has seen none of the pages before, and one for another BASE_URL. */
const { url: other } = await service.another();
const { url: moved } = await service.another({ BASE_URL: MOVED_URL });

type Ask = { method?: string; path?: string; headers?: Record<string, string>; body?: string; url?: string };

const ask = (host: string, { path = '/', headers, url = service.url, ...request }: Ask = {}): Promise<BareAnswer> =>
  bareRequest(url + path, { ...request, headers: { ...headers, Host: host } });

/** A page of a new owner's. */
async function publish(html = '<h1>Hello</h1>') {
  const owner = await service.owner();
  const { id, slug } = await owner.deploy({ html });
  return { owner, id, slug, host: hostOf(slug) };
}

const replace = (owner: Owner, id: string, html: string) => owner.put(`/deploy/${id}`).send({ html }).expect(200);

/** The headers of an answer but for those of the connection and the request. */
function saidIn({ headers }: BareAnswer) {
  const { date, connection, 'x-request-id': requestId, ...said } = headers;
  return said;
}

function decoded({ headers, body }: BareAnswer): Buffer {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body);
  if (headers['content-encoding'] === 'gzip') return gunzipSync(body);
  return body;
}

const textOf = (answer: BareAnswer): string => decoded(answer).toString();
const codingOf = ({ headers }: BareAnswer): string => headers['content-encoding'] ?? 'identity';

const CACHED = {
  'cache-control': 'public, max-age=0, must-revalidate',
  etag: expect.stringMatching(/^"[\x21\x23-\x7e]+"$/),
  'origin-agent-cluster': '?1',
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
};

/** A small HTML page, as a page's host answers errors. */
function expectErrorPage(answer: BareAnswer, status: number): void {
  const { headers, body } = answer;
  expect({
    status: answer.status,
    type: headers['content-type'],
    cookie: headers['set-cookie'],
    isSmallPage: /^<!doctype html>/i.test(body.toString()) && body.length < 4_096,
  }).toEqual({ status, type: 'text/html; charset=utf-8', cookie: undefined, isSmallPage: true });
}

const LONG = '<p>The same words, over and over, are worth compressing.</p>\n'.repeat(200);

describe('GET / on the host of a page', () => {
  it.each([
    [
      'all kinds of characters',
      '\uFEFFa\0b\u0001\u0085\r\nb\nc\rd\u2028😀👩‍👩‍👧 \uFFFE \u{10FFFF} \\u0041 &amp; %41 $& $1 $` <%= y %>',
    ],
    ['as many bytes as html may have', `<!-- ${'x'.repeat(2 * 1024 * 1024 - 9)} -->`],
  ])('serves %s byte for byte', async (_what, html) => {
    const { host } = await publish(html);
    const answer = await ask(host);
    expect(answer.body.equals(Buffer.from(html))).toBe(true);
  });

  it('answers the headers of a page that may be kept and has to be asked for again', async () => {
    const { host } = await publish('é');
    const answer = await ask(host);
    expect({ status: answer.status, headers: saidIn(answer) }).toEqual({
      status: 200,
      headers: { ...CACHED, 'content-type': 'text/html; charset=utf-8', 'content-length': '2' },
    });
    expect(answer.headers['x-request-id']).toMatch(/\S/);
  });

  it.each([
    ['with a port', (slug: string) => `${hostOf(slug)}:8080`],
    ['in capitals, with a final dot and a port', (slug: string) => `${slug.toUpperCase()}.PAGES.test.:443`],
  ])('answers a host written %s', async (_how, hostFor) => {
    const { slug } = await publish('found');
    expect(textOf(await ask(hostFor(slug)))).toBe('found');
  });

  it.each(['/?path=/deploy', '/?broken=%zz%ff'])('answers %s like /', async (path) => {
    const { host } = await publish('found');
    const answer = await ask(host, { path });
    expect([answer.status, textOf(answer)]).toEqual([200, 'found']);
  });

  it.each(['identity', 'gzip', 'br'])('answers in the encoding that is accepted: %s', async (coding) => {
    const { host } = await publish(LONG);
    const answer = await ask(host, { headers: { 'Accept-Encoding': coding } });
    expect({ status: answer.status, headers: saidIn(answer), text: textOf(answer) }).toEqual({
      status: 200,
      headers: {
        ...CACHED,
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(answer.body.length),
        ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      },
      text: LONG,
    });
    if (coding !== 'identity') expect(answer.body.length).toBeLessThan(LONG.length / 10);
    const head = await ask(host, { method: 'HEAD', headers: { 'Accept-Encoding': coding } });
    expect([head.status, saidIn(head), head.body.length]).toEqual([200, saidIn(answer), 0]);
  });
});

describe('If-None-Match', () => {
  const tagOf = async (host: string, coding = 'identity'): Promise<string> =>
    (await ask(host, { headers: { 'Accept-Encoding': coding } })).headers.etag ?? '';

  it('is searched, and not taken apart: thousands of tags fit into it', async () => {
    const { host } = await publish(LONG);
    const etag = await tagOf(host);
    const split = vi.spyOn(String.prototype, 'split');
    onTestFinished(() => split.mockRestore());
    const answer = await ask(host, { headers: { 'If-None-Match': `${'"a", '.repeat(5_000)}${etag}` } });
    expect(answer.status).toBe(304);
    expect(Math.max(0, ...split.mock.contexts.map((text) => String(text).length))).toBeLessThan(5_000);
  });

  it.each([
    ['the tag', (tag: string) => tag, 304],
    ['a list that has it as a weak one', (tag: string) => `W/"other" , W/${tag}`, 304],
    ['*', () => '*', 304],
    ['the tag without its quotes', (tag: string) => tag.slice(1, -1), 200],
    ['a tag that begins with the tag', (tag: string) => `${tag.slice(0, -1)}x"`, 200],
  ])('%s is answered as it should be', async (_what, valueFor, status) => {
    const { host } = await publish(LONG);
    for (const coding of ['identity', 'br']) {
      const etag = await tagOf(host, coding);
      const headers = { 'Accept-Encoding': coding, 'If-None-Match': valueFor(etag) };
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(host, { method, headers });
        expect([coding, method, answer.status]).toEqual([coding, method, status]);
        if (status === 304) {
          expect([saidIn(answer), answer.body.length]).toEqual([{ ...CACHED, etag }, 0]);
        } else if (method === 'GET') expect(textOf(answer)).toBe(LONG);
      }
    }
  });

  it('gives each encoding a tag of its own, which is no match for another', async () => {
    const { host } = await publish(LONG);
    const tags = await Promise.all(['identity', 'gzip', 'br'].map((coding) => tagOf(host, coding)));
    expect(new Set(tags).size).toBe(3);
    const answer = await ask(host, { headers: { 'Accept-Encoding': 'gzip', 'If-None-Match': tags[2] ?? '' } });
    expect([answer.status, codingOf(answer), textOf(answer)]).toEqual([200, 'gzip', LONG]);
  });

  it('keeps the tag while the page is the same, and changes it with PUT', async () => {
    const { owner, id, host } = await publish('one');
    const etag = await tagOf(host);
    expect(await tagOf(host)).toBe(etag);
    await replace(owner, id, 'two');
    const answer = await ask(host, { headers: { 'If-None-Match': etag } });
    expect([answer.status, textOf(answer)]).toEqual([200, 'two']);
    expect(answer.headers.etag).not.toBe(etag);
  });
});

describe('anything else on the host of a page', () => {
  it.each([...['/index.html', '//', '/%2F', '/deploy', '/healthz', '/%00', '/index.html?a=/']])(
    'answers 404 with a page for GET %s',
    async (path) => {
      const { host } = await publish();
      expectErrorPage(await ask(host, { path }), 404);
    },
  );

  it.each(['PUT', 'OPTIONS'])('answers %s / with 405 and Allow', async (method) => {
    const { host } = await publish();
    const answer = await ask(host, { method });
    expectErrorPage(answer, 405);
    expect(answer.headers.allow?.split(/, */).toSorted()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it.each(['/%zz', '/a%C3'])('answers 400 with a page for the path %s', async (path) => {
    const { host } = await publish();
    expectErrorPage(await ask(host, { path }), 400);
  });
});

describe('the placeholder {{FORM_ACTION}}', () => {
  const html = [
    '<form action="{{FORM_ACTION}}">$&{{FORM_ACTION}}$&$1$$</form>{{FORM_ACTION}}{{FORM_ACTION}}',
    '{{{FORM_ACTION}}} {{FORM_ACTION} {{ FORM_ACTION }} {{form_action}} &#123;{FORM_ACTION}} \0é😀{{FORM_ACTION}}é\uFEFF',
  ].join('\r\n');
  const filledIn = (action: string): string => html.replaceAll('{{FORM_ACTION}}', () => action);

  it('becomes BASE_URL/submit/<id> wherever it stands, and nothing else changes', async () => {
    const { owner, id, host } = await publish('first');
    await replace(owner, id, html);
    for (const coding of ['identity', 'gzip', 'br']) {
      expect(textOf(await ask(host, { headers: { 'Accept-Encoding': coding } }))).toBe(
        filledIn(`${BASE_URL}/submit/${id}`),
      );
    }
  });
});

describe('a change of a page', () => {
  it('shows at once in the process that made it, in every encoding, however many are reading', async () => {
    const { owner, id, host } = await publish('version 0');
    const read = (index: number) => ask(host, { headers: { 'Accept-Encoding': ['br', 'gzip', ''][index % 3] ?? '' } });
    for (let version = 1; version <= 5; version += 1) {
      const meanwhile = Array.from({ length: 6 }, (_, index) => read(index));
      await replace(owner, id, `version ${version}`);
      const after = await Promise.all([0, 1, 2].map(read));
      await Promise.all(meanwhile);
      const later = await Promise.all([0, 1, 2].map(read));
      expect(new Set([...after, ...later].map(textOf))).toEqual(new Set([`version ${version}`]));
    }
  });

  it('takes the page offline at once when its deployment is deleted, for readers and for forms', async () => {
    const { owner, id, host } = await publish();
    const { etag = '' } = (await ask(host)).headers;
    await owner.delete(`/deploy/${id}`).expect(200);
    expectErrorPage(await ask(host), 404);
    expectErrorPage(await ask(host, { headers: { 'If-None-Match': etag } }), 404);
    expect(
      (await ask(host, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })).status,
    ).toBe(404);
  });
});

describe('what visitors get of a page, stored when it was deployed', () => {
  const CODINGS = ['identity', 'gzip', 'br'];
  const served = (id: string, html: string): string => html.replaceAll('{{FORM_ACTION}}', `${BASE_URL}/submit/${id}`);
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 27);
  const rowOf = (id: string) => service.db('pages').where({ deployment_id: id }).first();
  /** The answers of a process that has not seen the page before, in each encoding. */
  const askAnew = (host: string, url = other): Promise<string[]> =>
    Promise.all(
      CODINGS.map(async (coding) => textOf(await ask(host, { url, headers: { 'Accept-Encoding': coding } }))),
    );

  it('is stored by POST, PUT and the restoring of a version', async () => {
    const html = ['1', '2'].map((n) => `<form action="{{FORM_ACTION}}">é😀${n}</form>`);
    const { owner, id } = await publish(html[0]);
    const expectStored = async (version: number, text = ''): Promise<void> => {
      const { rendered_br: br, ...row } = await rowOf(id);
      expect({ ...row, br: brotliDecompressSync(br).toString() }).toMatchObject({
        ...{ version, rendered_action: `${BASE_URL}/submit/`, br: served(id, text) },
        ...{ rendered_hash: hashOf(served(id, text)), rendered_bytes: Buffer.byteLength(served(id, text)) },
      });
    };
    await expectStored(1, html[0]);
    await replace(owner, id, html[1] ?? '');
    await expectStored(2, html[1]);
    await owner.post(`/deploy/${id}/versions/1/restore`).send({}).expect(200);
    await expectStored(3, html[0]);
  });

  it.each([
    ['a large page', 'x'.repeat(2 * SIZES.internalPages.largeBytes)],
    ['a page that is large with its addresses', '{{FORM_ACTION}}'.repeat(2_000)],
  ])('is stored of %s, too', async (_what, html) => {
    const { owner, id, host } = await publish('first');
    await replace(owner, id, html);
    const { rendered_br: br, version } = await rowOf(id);
    expect([brotliDecompressSync(br).toString(), version]).toEqual([served(id, html), 2]);
    expect(await askAnew(host)).toEqual(CODINGS.map(() => served(id, html)));
  });

  it.each([
    ['it had not been stored', { rendered_action: null, rendered_br: null }],
    ['it was stored for another address', { rendered_action: 'http://moved.test/submit/' }],
  ])('is stored when the same HTML is sent again, as no new version, if %s', async (_when, change) => {
    const html = '<form action="{{FORM_ACTION}}"></form>';
    const { owner, id } = await publish(html);
    const before = await rowOf(id);
    await service.db('pages').where({ deployment_id: id }).update(change);
    await replace(owner, id, html);
    expect(await rowOf(id)).toEqual(before);
  });

  it('is what another process answers, without rendering the page again', async () => {
    const { id, host } = await publish('<p>as given</p>');
    const bytes = Buffer.from('<p>as stored</p>');
    await service
      .db('pages')
      .where({ deployment_id: id })
      .update({ rendered_br: brotliCompressSync(bytes), rendered_bytes: bytes.length });
    expect(await askAnew(host)).toEqual(CODINGS.map(() => '<p>as stored</p>'));
  });

  it('is made at the first visit if nothing was stored', async () => {
    const { id, host } = await publish('<p>before</p>');
    const html = '<form action="{{FORM_ACTION}}">now</form>';
    await service.db('pages').where({ deployment_id: id }).update({ rendered_br: null, rendered_action: null, html });
    expect(await askAnew(host)).toEqual(CODINGS.map(() => served(id, html)));
  });

  it('is made at the first visit where the forms post to another address', async () => {
    const { id, host } = await publish('<form action="{{FORM_ACTION}}"></form>');
    expect(await askAnew(host, moved)).toEqual(CODINGS.map(() => `<form action="${MOVED_URL}/submit/${id}"></form>`));
    expect(await askAnew(host)).toEqual(CODINGS.map(() => served(id, '<form action="{{FORM_ACTION}}"></form>')));
  });
});
