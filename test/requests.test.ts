import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, refused } from './support/answers.ts';
import {
  getPage,
  JSON_TYPE,
  type Owner,
  openSocket,
  PAGES_DOMAIN,
  sendRaw,
  startTestService,
  type TestService,
  UNKNOWN_ID,
} from './support/service.ts';

const MAX_HTML_BYTES = 2 * 1024 * 1024;

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

const PAGE = '{"html":"<p>x</p>","email_notifications":true}';
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));

describe.each([
  ['POST', 201, 400],
  ['PUT', 200, 400],
  ['PATCH', 200, 200],
])('the body of %s', (method, success, absent) => {
  let path = '/deploy';
  beforeAll(async () => {
    if (method !== 'POST') path = `/deploy/${(await owner.deploy()).id}`;
  });

  it.each([
    ['application/json; charset=utf-8', {}, PAGE],
    ['Application/JSON;charset="UTF-8"', {}, PAGE],
    ['application/json', { 'Content-Encoding': 'gzip' }, gzipSync(PAGE)],
  ])('is taken as %s with %j', async (type, headers, body) => {
    expect((await owner.send(method, path, body, { 'Content-Type': type, ...headers })).status).toBe(success);
  });

  it.each([
    [400, 'malformed', '{"html":"x"', JSON_TYPE],
    [400, 'malformed', "{'html':'x'}", JSON_TYPE],
    [400, 'malformed', ' ', JSON_TYPE],
    [400, 'a list', '[]', JSON_TYPE],
    [400, 'a string', '"html"', JSON_TYPE],
    [400, 'a number', '5', JSON_TYPE],
    [400, 'null', 'null', JSON_TYPE],
    [400, 'no UTF-8', Buffer.from('{"html":"\xff"}', 'latin1'), JSON_TYPE],
    [400, 'cut in a character', Buffer.from(`${PAGE}é`).subarray(0, -1), JSON_TYPE],
    [400, 'no gzip', PAGE, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
    [413, 'too large', Buffer.alloc(14 * 1024 * 1024, ' '), JSON_TYPE],
    [413, 'a gzip bomb', BOMB, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
    [415, 'without a type', PAGE, {}],
    [415, 'text', PAGE, { 'Content-Type': 'text/plain' }],
    [415, 'a form', 'html=x', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    [415, 'in an unknown encoding', PAGE, { ...JSON_TYPE, 'Content-Encoding': 'zip' }],
    [415, 'in an encoding that is only a word', PAGE, { ...JSON_TYPE, 'Content-Encoding': 'constructor' }],
    [415, 'of a malformed type', PAGE, { 'Content-Type': 'json' }],
    [415, 'in another charset', PAGE, { 'Content-Type': 'application/json; charset=iso-8859-1' }],
    [415, 'in UTF-16', Buffer.from(PAGE, 'utf16le'), { 'Content-Type': 'application/json; charset=utf-16le' }],
  ])('is refused with %i when it is %s', async (expected, _what, body, headers) => {
    expect(await owner.send(method, path, body, { ...headers })).toEqual(refused(expected));
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

  it('may have a page that is a list of lists, and is refused for it', async () => {
    const html = `${'['.repeat(9_000)}${']'.repeat(9_000)}`;
    expect(await owner.send(method, path, `{"html":${html},"email_notifications":${html}}`, JSON_TYPE)).toEqual(
      refused(400),
    );
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

describe('what is wrong first is what is answered', () => {
  const NO_KEY = { Authorization: '' };
  const GZIP = { 'Content-Encoding': 'gzip' };
  const TEXT = { 'Content-Type': 'text/plain' };
  const TOO_LONG = `"html":"${'a'.repeat(MAX_HTML_BYTES + 1)}"`;
  it.each([
    [404, 'route before 401', 'POST', '/deployments', '{}', NO_KEY],
    [405, 'method before 401', 'POST', `/deploy/${UNKNOWN_ID}`, '{}', NO_KEY],
    [401, 'key before 404', 'PUT', `/deploy/${UNKNOWN_ID}`, PAGE, NO_KEY],
    [401, 'key before 415 and 400', 'POST', '/deploy', '{', { ...TEXT, ...NO_KEY }],
    [401, 'key before 413', 'POST', '/deploy', BOMB, { ...JSON_TYPE, ...GZIP, ...NO_KEY }],
    [404, 'id before 415', 'PUT', `/deploy/${UNKNOWN_ID}`, PAGE, TEXT],
    [404, 'id before 413', 'PUT', `/deploy/${UNKNOWN_ID}`, BOMB, { ...JSON_TYPE, ...GZIP }],
    [404, 'id before 400', 'PATCH', `/deploy/${UNKNOWN_ID}`, '{', JSON_TYPE],
    [415, 'type before 413', 'POST', '/deploy', BOMB, { ...TEXT, ...GZIP }],
    [415, 'type before 400', 'POST', '/deploy', '{', TEXT],
    [413, 'size before 400 for its slug', 'POST', '/deploy', `{"slug":"A",${TOO_LONG}}`, JSON_TYPE],
    [413, 'size before 400 for its JSON', 'POST', '/deploy', Buffer.alloc(14 * 1024 * 1024, '{'), JSON_TYPE],
    [400, 'html before 409', 'POST', '/deploy', '{"slug":"first"}', JSON_TYPE],
  ])('%i: %s', async (expected, _case, method, path, body, headers) => {
    expect(await owner.send(method, path, body, { ...headers })).toEqual(refused(expected));
  });
});

describe('paths', () => {
  it.each(['/deploy/%', '/deploy/%ff', '/deploy/%E0%A4', '/deploy/%C0%80'])(
    'answers 400 when one cannot be decoded: %s',
    async (path) => {
      expect(answer(await owner.get(path))).toEqual(refused(400));
    },
  );

  it.each([
    '/nothing',
    '/deployments',
    '/deploy/',
    `/deploy/${UNKNOWN_ID}/`,
    `/deploy/${UNKNOWN_ID}/nothing`,
    '/v1/deploy',
  ])('answers 404 to a route that is unknown: %s', async (path) => {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      expect(answer(await owner[method](path))).toEqual(refused(404));
    }
  });

  it.each([
    ['/deploy', ['put', 'patch', 'delete'], ['POST']],
    [`/deploy/${UNKNOWN_ID}`, ['post'], ['DELETE', 'GET', 'PATCH', 'PUT']],
  ] as const)('answers 405 with Allow to another method at %s', async (path, methods, allowed) => {
    for (const method of methods) {
      const response = await owner[method](path);
      expect(answer(response)).toEqual(refused(405));
      expect(response.headers.allow?.split(', ')).toEqual(expect.arrayContaining([...allowed]));
    }
  });

  it.each(['*', '"x"', 'W/"x", *'])('answers as a whole what it gives no ETag, to If-None-Match: %s', async (etag) => {
    const { id } = await owner.deploy();
    for (const path of [
      '/deploy',
      `/deploy/${id}`,
      `/deploy/${id}/html`,
      `/submissions/${id}`,
      `/webhooks/${id}`,
      '/healthz',
      '/',
    ]) {
      const whole = await owner.get(path).expect(200);
      const conditional = await owner.get(path).set('If-None-Match', etag);
      expect([conditional.status, conditional.headers.etag, conditional.text]).toEqual([200, undefined, whole.text]);
    }
  });

  it('lets no other origin read the API', async () => {
    const preflight = await service.anonymous.options('/deploy').set('Origin', 'https://evil.example');
    const answered = await owner.get(`/deploy/${UNKNOWN_ID}`).set('Origin', 'https://evil.example');
    for (const { headers } of [preflight, answered]) expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('requests that come behind one another on a connection', () => {
  const head = (line: string, headers = '') =>
    `${line} HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${owner.key}\r\n${headers}\r\n`;
  const statusesOf = (text: string): string[] => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];

  it('are answered in their order, whatever they ask for', async () => {
    const deployments = await Promise.all(Array.from({ length: 20 }, () => owner.deploy()));
    const pages = deployments.map(({ slug }) => `GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n`);
    const statuses = deployments.map(({ id }) => head(`GET /deploy/${id}`));
    const text = await sendRaw(service.url, [...pages, ...statuses, head('GET /no', 'Connection: close\r\n')].join(''));
    expect(statusesOf(text)).toEqual([...Array(40).fill('200'), '404']);
    expect(text.match(/(?<="id":")d_\w+/g)).toEqual(deployments.map(({ id }) => id));
  });

  /** A request for a page, which is looked up in the database unless it is `known`. */
  async function pageRequest({ known = false, headers = '' }): Promise<string> {
    const { slug } = await owner.deploy();
    if (known) await getPage(service.url, slug).expect(200);
    return `GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n${headers}\r\n`;
  }

  const TOO_LARGE = `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  it.each<[page: string, what: string, known: boolean, next: string, statuses: string[]]>([
    ['one in memory', 'what is no HTTP', true, '\x01x\r\n\r\n', ['200', '400']],
    ['one in the database', 'what is no HTTP', false, '\x01x\r\n\r\n', ['200', '400']],
    ['one in memory', 'headers that are too large', true, TOO_LARGE, ['200', '431']],
    ['one in the database', 'headers that are too large', false, TOO_LARGE, ['200', '431']],
  ])('are answered with the page, %s though %s follows', async (_page, _what, known, next, statuses) => {
    expect(statusesOf(await sendRaw(service.url, (await pageRequest({ known })) + next))).toEqual(statuses);
  });

  it('are answered as a whole though much that cannot be read follows, and is read slowly', async () => {
    const html = `<p>${'x'.repeat(MAX_HTML_BYTES - 3)}`;
    const { slug } = await owner.deploy({ html });
    const socket = openSocket(service.url).setEncoding('latin1');
    socket.write(`GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n${'\x01'.repeat(MAX_HTML_BYTES)}`);
    await once(socket, 'readable');
    const received: string[] = [];
    for await (const text of socket) {
      received.push(text);
      if (received.length < 10) await delay(20);
    }
    const [, page = '', ...others] = received.join('').split('HTTP/1.1 ');
    expect([page.split('\r\n\r\n')[1] === html, others.map((text) => text.slice(0, 3))]).toEqual([true, ['400']]);
  });

  it.each([
    ['headers that are too large', `X: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['a body that is broken', 'Transfer-Encoding: chunked\r\n\r\nx', '400'],
  ])('are refused to pages of any origin, as submissions are: %s', async (_what, rest, status) => {
    const text = await sendRaw(service.url, `POST /submit/${UNKNOWN_ID} HTTP/1.1\r\nHost: api.test\r\n${rest}`);
    expect([statusesOf(text), text.match(/^access-control-allow-origin: .*$/gim)]).toEqual([
      [status],
      ['Access-Control-Allow-Origin: *'],
    ]);
  });

  it('are refused though the headers of one go on long after they have become too large', async () => {
    const text = await sendRaw(service.url, `GET / HTTP/1.1\r\nX: ${'x'.repeat(MAX_HTML_BYTES)}\r\n\r\n`);
    expect(statusesOf(text)).toEqual(['431']);
  });

  it.each(['1.0', '1.1'])(
    'are not answered within an answer: the body of the last, with HTTP/%s, is broken off',
    async (version) => {
      const { id } = await owner.deploy();
      const data = `{"text":"${'x'.repeat(1_000)}"}`;
      await service.db.raw(
        `WITH made AS (UPDATE deployments SET submission_count = 20000, last_submission_number = 20000 WHERE id = ? RETURNING id)
       INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT made.id, n, made.id || n, CAST(? AS json), '192.0.2.1', now() FROM made, generate_series(1, 20000) AS n`,
        [id, data],
      );
      const socket = openSocket(service.url).setEncoding('latin1');
      const headers = `Host: api.test\r\nAuthorization: Bearer ${owner.key}\r\nContent-Length: 10\r\n`;
      socket.write(`GET /submissions/${id}/export.ndjson HTTP/${version}\r\n${headers}\r\nab`);
      await once(socket, 'readable');
      // More than fits between them is still to come.
      socket.end();
      await delay(100);
      const received: string[] = [];
      for await (const text of socket) received.push(text);
      const answers = received.join('');
      expect(answers.split(data).length - 1).toBe(20_000);
      expect(statusesOf(answers.slice(0, answers.lastIndexOf(data)))).toEqual(['200']);
    },
  );

  it.each(['GET', 'POST'])(
    'are answered, and at once, though the body of the last, a %s, is broken off',
    async (method) => {
      const broken = `${method} /deploy/${UNKNOWN_ID} HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab`;
      const socket = openSocket(service.url);
      let received = '';
      socket.setEncoding('latin1').on('data', (text) => {
        received += text;
      });
      socket.write((await pageRequest({})) + broken);
      // The last is refused before its body is read.
      await expect.poll(() => statusesOf(received).length).toBe(2);
      socket.end();
      await once(socket, 'close');
      expect(statusesOf(received)).toEqual(['200', method === 'GET' ? '401' : '405', '400']);
    },
  );

  it('are answered before what cannot be read behind a submission', async () => {
    const { id } = await owner.deploy();
    const body = '{"a":1}';
    const submission = `POST /submit/${id} HTTP/1.1\r\nHost: api.test\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(statusesOf(await sendRaw(service.url, `${submission}\x01x\r\n\r\n`))).toEqual(['200', '400']);
  });

  it('are answered with the page though it is the last of its connection and another follows', async () => {
    const [last, ignored] = [await pageRequest({ headers: 'Connection: close\r\n' }), await pageRequest({})];
    expect(statusesOf(await sendRaw(service.url, last + ignored))[0]).toBe('200');
  });
});
