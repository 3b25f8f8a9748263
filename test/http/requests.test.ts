import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { refused } from '../support/answers.ts';
import { JSON_TYPE, openSocket, PAGES_DOMAIN, sendRaw, testService, UNKNOWN_ID } from '../support/test-service.ts';

const MAX_HTML_BYTES = 2 * 1024 * 1024;

const service = await testService({ MAX_SITE_BYTES: '1048576' });
const owner = await service.owner();

const PAGE = '{"html":"<p>x</p>","email_notifications":true}';

describe.each([
  ['POST', 201, 400],
  ['PATCH', 200, 200],
])('the body of %s', (method, success, absent) => {
  let path = '/deploy';
  beforeAll(async () => {
    if (method !== 'POST') path = `/deploy/${(await owner.deploy()).id}`;
  });

  it.each([
    ['Application/JSON;charset="UTF-8"', {}, PAGE],
    ['application/json', { 'Content-Encoding': 'gzip' }, gzipSync(PAGE)],
  ])('is taken as %s with %j', async (type, headers, body) => {
    expect((await owner.send(method, path, body, { 'Content-Type': type, ...headers })).status).toBe(success);
  });

  it.each([
    ['many', [...Array(5_000).keys()].map((n) => `"x${n}":1`).join()],
    ['deep', `"x":${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ])('may have other fields, which are ignored, however %s', async (_what, others) => {
    expect((await owner.send(method, path, `${PAGE.slice(0, -1)},${others}}`, JSON_TYPE)).status).toBe(success);
  });

  it.each([
    ['many', [...Array(10_001).keys()].map((n) => `"x${n}":1`).join()],
    ['deep', `"html":${'['.repeat(10_001)}${']'.repeat(10_001)}`],
  ])('is refused in words of its own when its fields are too %s', async (_what, fields) => {
    expect(await owner.send(method, path, `{${fields}}`, JSON_TYPE)).toEqual({
      status: 400,
      body: { error: 'The body has too many fields or levels: send at most 10000 of each.' },
    });
  });

  it.each([
    ['a field', (list: string) => `{"html":${list}}`],
    ['another field', (list: string) => `{"html":"x","x":${list}}`],
    ['the files of a site', (list: string) => `{"html":"x","files":{"a":${list}}}`],
  ])('is refused in words of its own when %s has too many values', async (_what, bodyWith) => {
    expect(await owner.send(method, path, bodyWith(`[${'[],'.repeat(82_000)}0]`), JSON_TYPE)).toEqual({
      status: 400,
      body: { error: 'The body has too many values: send at most 80000, at all levels.' },
    });
  });

  it('may have many values in another field', async () => {
    const body = `${PAGE.slice(0, -1)},"x":[${'0,'.repeat(70_000)}0]}`;
    expect((await owner.send(method, path, body, JSON_TYPE)).status).toBe(success);
  });

  it.each(['', 'Content-Length: 0\r\n', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'])(
    'reads as {} when it is absent: %j',
    async (headers) => {
      const end = headers.includes('chunked') ? '0\r\n\r\n' : '';
      const authorization = `Authorization: Bearer ${owner.key}\r\nConnection: close\r\n`;
      const request = `${method} ${path} HTTP/1.1\r\nHost: api.test\r\n${authorization}${headers}\r\n${end}`;
      expect((await sendRaw(service.url, request)).split(' ', 2)).toEqual(['HTTP/1.1', String(absent)]);
    },
  );
});

// The key, the path and the type come first for every endpoint: test/http/api/matrix.test.ts.
describe('what is wrong first is what is answered', () => {
  const TOO_LONG = `"html":"${'a'.repeat(MAX_HTML_BYTES + 1)}"`;
  it.each([
    [404, 'route before 401', 'POST', '/deployments', '{}', { Authorization: '' }],
    [415, 'type before 400', 'POST', '/deploy', '{', { 'Content-Type': 'text/plain' }],
    [413, 'size before 400 for its slug', 'POST', '/deploy', `{"slug":"A",${TOO_LONG}}`, JSON_TYPE],
    [413, 'size before 400 for its JSON', 'POST', '/deploy', Buffer.alloc(14 * 1024 * 1024, '{'), JSON_TYPE],
    [400, 'html before 409', 'POST', '/deploy', '{"slug":"first"}', JSON_TYPE],
  ])('%i: %s', async (expected, _case, method, path, body, headers) => {
    expect(await owner.send(method, path, body, { ...headers })).toEqual(refused(expected));
  });
});

describe('paths', () => {
  it('lets no other origin read the API', async () => {
    const preflight = await service.anonymous.options('/deploy').set('Origin', 'https://evil.example');
    const answered = await owner.get(`/deploy/${UNKNOWN_ID}`).set('Origin', 'https://evil.example');
    for (const { headers } of [preflight, answered]) expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('requests that come behind one another on a connection', () => {
  const statusesOf = (text: string): string[] => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];

  /** A request for a page that is not in memory yet. */
  async function pageRequest(headers = ''): Promise<string> {
    const { slug } = await owner.deploy();
    return `GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n${headers}\r\n`;
  }

  it.each([
    ['headers that are too large', `X: ${'x'.repeat(70_000)}\r\n\r\n`, '431'],
    ['a body that is broken', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nx', '400'],
  ])('are refused to pages of any origin, as submissions are: %s', async (_what, rest, status) => {
    const { id } = await owner.deploy();
    const text = await sendRaw(service.url, `POST /submit/${id} HTTP/1.1\r\nHost: api.test\r\n${rest}`);
    expect([statusesOf(text), text.match(/^access-control-allow-origin: .*$/gim)]).toEqual([
      [status],
      ['Access-Control-Allow-Origin: *'],
    ]);
  });

  it('are refused though the headers of one go on long after they have become too large', async () => {
    const text = await sendRaw(service.url, `GET / HTTP/1.1\r\nX: ${'x'.repeat(MAX_HTML_BYTES)}\r\n\r\n`);
    expect(statusesOf(text)).toEqual(['431']);
  });

  it('are answered, and then the connection ends, though what cannot be read follows', async () => {
    const { slug } = await owner.deploy();
    const page = `GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n`;
    for (const known of [1, 3]) {
      const text = await sendRaw(service.url, `${page.repeat(known)}\x01x\r\n\r\n`);
      expect(statusesOf(text)).toEqual(Array(known).fill('200'));
    }
  });

  it('never have an error written into an answer that is under way', async () => {
    const html = `<p>${'x'.repeat(MAX_HTML_BYTES - 7)}</p>`;
    const { slug } = await owner.deploy({ html });
    const socket = openSocket(service.url).setEncoding('latin1');
    socket.write(`GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n`);
    await once(socket, 'readable');
    socket.write('\x01x\r\n\r\n');
    const received: string[] = [];
    for await (const text of socket) {
      received.push(text);
      if (text.includes('</p>')) break;
    }
    const answers = received.join('');
    const body = answers.slice(answers.indexOf('\r\n\r\n') + 4);
    // Where the answer was complete, one to what can't be read comes behind it.
    expect([statusesOf(answers)[0], body.startsWith(html)]).toEqual(['200', true]);
  });

  it('are answered with the page though it is the last of its connection and another follows', async () => {
    const [last, ignored] = [await pageRequest('Connection: close\r\n'), await pageRequest()];
    expect(statusesOf(await sendRaw(service.url, last + ignored))[0]).toBe('200');
  });
});
