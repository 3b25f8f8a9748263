import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { failure } from '../support/answers.ts';
import { openSocket, PAGES_DOMAIN, sendRaw, testService } from '../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
const deployment = await owner.deploy({ html: 'the page', slug: 'hello' });
const page = { ...deployment, host: `${deployment.slug}.${PAGES_DOMAIN}` };

type Answer = { status: number; headers: Record<string, string>; body: string };

/** A request's bytes: the lines of its head, and its body. */
const wire = (lines: readonly string[], body = ''): string => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** The body that comes in chunks, and what is left after it; undefined while it isn't whole. */
function dechunk(rest: Buffer): { body: Buffer; rest: Buffer } | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (lineEnd < 0 || rest.length < end + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(pieces), rest: rest.subarray(end + 2) };
    pieces.push(rest.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

/** The answers that are whole in what a connection brought, one after another. */
function answersIn(raw: Buffer | string): Answer[] {
  const answers: Answer[] = [];
  for (let rest: Buffer = Buffer.from(raw); ; ) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return answers;
    const [first = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line): [string, string] => {
        const [, name = line, value = ''] = /^([^:]+):[ \t]*(.*)$/.exec(line) ?? [];
        return [name.toLowerCase(), value];
      }),
    );
    rest = rest.subarray(headEnd + 4);
    const length = Number(headers['content-length'] ?? 0);
    const whole = rest.length < length ? undefined : { body: rest.subarray(0, length), rest: rest.subarray(length) };
    const found = headers['transfer-encoding'] === 'chunked' ? dechunk(rest) : whole;
    if (!found) return answers;
    answers.push({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]), headers, body: found.body.toString() });
    rest = found.rest;
  }
}

/** The one answer to one request; the connection ends after it. */
async function exchange(lines: readonly string[], body = ''): Promise<Answer> {
  const answers = answersIn(await sendRaw(service.url, wire([...lines, 'Connection: close'], body)));
  expect(answers.length).toBe(1);
  return answers[0] ?? { status: 0, headers: {}, body: '' };
}

/** An error as the API answers it: `{"error": "<a sentence>"}` and nothing else. */
function expectError(answer: Answer | undefined, status: number): void {
  const { headers = {}, body = '' } = answer ?? {};
  expect(answer?.status, body).toBe(status);
  expect(headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
  expect(JSON.parse(body)).toEqual(failure);
}

/** The part that answered a request for `/`, or for /healthz, which only the API has. */
async function answeredBy(requestLineFor: (path: string) => string, ...headers: string[]): Promise<string> {
  const [root, health] = [
    await exchange([requestLineFor('/'), ...headers]),
    await exchange([requestLineFor('/healthz'), ...headers]),
  ];
  if (health.status === 200 && root.body !== 'the page') return 'the API';
  if (health.status === 404 && root.status === 200 && root.body === 'the page') return 'the page';
  if (health.status === 404 && root.status === 404 && /^<!doctype html>/i.test(root.body)) return 'no page';
  return `/ is ${root.status} ${root.body}, /healthz is ${health.status} ${health.body}`;
}

const get = (path: string): string => `GET ${path} HTTP/1.1`;
const isFine = async (): Promise<void> => expect(await answeredBy(get, `Host: ${page.host}`)).toBe('the page');

/** A deployment of its own, for what counts submissions. */
async function form() {
  const { id, slug } = await owner.deploy();
  const total = async (): Promise<number> => (await owner.get(`/submissions/${id}`)).body.total;
  return { id, host: `${slug}.${PAGES_DOMAIN}`, total };
}

const open = (): Socket => openSocket(service.url);

const JSON_TYPE = 'Content-Type: application/json';

describe('the Host header', () => {
  it('has to be there in HTTP/1.1, else 400', async () => {
    expectError(await exchange([get('/healthz')]), 400);
    expectError(await exchange([`GET http://${page.host}/ HTTP/1.1`]), 400);
    expectError(await exchange(['POST /deploy HTTP/1.1', 'Content-Length: 2', JSON_TYPE], '{}'), 400);
  });

  it.each([
    ['the same', 'Host: api.test', 'Host: api.test'],
    ['a page and the API', 'Host: hello.pages.test', 'hOST: api.test'],
  ])('must not be there twice, else 400 (%s)', async (_which, ...hosts) => {
    expectError(await exchange([get('/'), hosts[0] ?? '', 'Accept: */*', hosts[1] ?? '']), 400);
    expectError(await exchange(['GET /healthz HTTP/1.0', ...hosts]), 400);
  });

  it('may be missing in HTTP/1.0: the API is meant', async () => {
    expect(await answeredBy((path) => `GET ${path} HTTP/1.0`)).toBe('the API');
    expect(await answeredBy((path) => `GET ${path} HTTP/1.0`, `Host: ${page.host}`)).toBe('the page');
  });

  it.each([
    ['empty', ''],
    ['very long, under the pages’ domain by two labels', `a.${'b'.repeat(6_000)}.${PAGES_DOMAIN}`],
    ['an IPv6 literal that never ends', '[::1'],
    ['a page with a port that is none', `hello.${PAGES_DOMAIN}:80x`],
    ['a page with two final dots', `hello.${PAGES_DOMAIN}..`],
    ['a page as the user of another host', `hello.${PAGES_DOMAIN}@evil.test`],
    ['a list', `hello.${PAGES_DOMAIN}, api.test`],
    ['the pages’ domain itself', PAGES_DOMAIN],
    ['a page of a domain that ends like the pages’', `hello${PAGES_DOMAIN}`],
    ['a page of a domain that begins like the pages’', `hello.${PAGES_DOMAIN}.evil.test`],
  ])('is the API’s when it is %s', async (_what, host) => {
    expect(await answeredBy(get, `Host: ${host}`)).toBe('the API');
  });

  it.each([
    ['free', `nobody.${PAGES_DOMAIN}`],
    ['not ASCII', `h\u00e9llo.${PAGES_DOMAIN}`],
    ['too long for a label', `${'a'.repeat(6_000)}.${PAGES_DOMAIN}`],
    ['punctuation', `!$'().${PAGES_DOMAIN}`],
    ['with white space inside', `hel lo.${PAGES_DOMAIN}`],
    ['the name of a property of objects', `__proto__.${PAGES_DOMAIN}`],
    ['that of another property', `constructor.${PAGES_DOMAIN}`],
  ])('is that of no page when its label is %s', async (_what, host) => {
    expect(await answeredBy(get, `Host: ${host}`)).toBe('no page');
  });

  it.each(['X-Forwarded-Host', 'Forwarded'])('is the only one: %s is not read', async (name) => {
    const value = (host: string) => `${name}: ${name === 'Forwarded' ? `host=${host}` : host}`;
    expect(await answeredBy(get, 'Host: api.test', value(page.host))).toBe('the API');
    expect(await answeredBy(get, `Host: ${page.host}`, value('api.test'))).toBe('the page');
  });
});

describe('a request target in absolute form (RFC 9112, 3.2.2)', () => {
  it.each(['http://hello.pages.test', 'HTTPS://HELLO.Pages.Test.:443'])(
    'says which host is meant, whatever the Host header says: %s',
    async (origin) => {
      expect(await answeredBy((path) => get(origin + path), 'Host: api.test')).toBe('the page');
    },
  );

  it('reaches the API the same way', async () => {
    expect(await answeredBy((path) => get(`http://api.test${path}`), `Host: ${page.host}`)).toBe('the API');
    const { id, total } = await form();
    const line = `POST http://api.test/submit/${id} HTTP/1.1`;
    const answer = await exchange([line, `Host: ${page.host}`, JSON_TYPE, 'Content-Length: 9'], '{"a":"b"}');
    expect([answer.status, await total()]).toEqual([200, 1]);
  });
});

describe('what is no ordinary request', () => {
  it.each(['/?a#b', 'http://hello.pages.test#a', 'ftp://hello.pages.test/', 'http:///healthz', 'hello'])(
    'answers 400 for a target with a fragment, and for one that is no http URL: %s',
    async (target) => {
      expectError(await exchange([get(target), 'Host: api.test']), 400);
    },
  );

  it.each(['/%zz', '/deploy/%ff'])('answers 400 for the path %s', async (path) => {
    expectError(await exchange([get(path), 'Host: api.test', `Authorization: Bearer ${owner.key}`]), 400);
  });

  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex')],
    ['white space before a colon', wire([get('/healthz'), 'Host : api.test'])],
    ['two lengths', wire(['POST /deploy HTTP/1.1', 'Host: api.test', 'Content-Length: 2', 'Content-Length: 3'], '{}')],
    [
      'a length and chunks',
      wire(['POST /deploy HTTP/1.1', 'Host: api.test', 'Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    ],
    [
      'an unknown transfer coding',
      wire(
        ['POST /deploy HTTP/1.1', 'Host: api.test', `Authorization: Bearer ${owner.key}`, 'Transfer-Encoding: x'],
        '{}',
      ),
    ],
  ])('answers 400 as JSON, and ends the connection: %s', async (_what, bytes) => {
    const answers = answersIn(await sendRaw(service.url, bytes));
    expect(answers.length).toBe(1);
    expectError(answers[0], 400);
    await isFine();
  });

  it('answers 417 for an expectation it does not know, on a page’s host with a page', async () => {
    const expecting = (host: string) => exchange([get('/'), `Host: ${host}`, 'Expect: the-unexpected']);
    expectError(await expecting('api.test'), 417);
    const { status, headers } = await expecting(page.host);
    expect([status, headers['content-type']]).toEqual([417, 'text/html; charset=utf-8']);
  });

  it('opens no tunnel with CONNECT', async () => {
    const raw = await sendRaw(service.url, wire(['CONNECT hello.pages.test:80 HTTP/1.1', 'Host: hello.pages.test:80']));
    expect(raw).toMatch(/^HTTP\/1\.1 501 .*\r\n\r\n\{"error":"[^"]+"\}$/s);
    await isFine();
  });

  it('answers what came before a CONNECT, and closes the connection', async () => {
    const { id, total } = await form();
    const post = wire([`POST /submit/${id} HTTP/1.1`, 'Host: api.test', JSON_TYPE, 'Content-Length: 2'], '{}');
    const raw = await sendRaw(
      service.url,
      post + post + wire(['CONNECT hello.pages.test:80 HTTP/1.1', 'Host: hello.pages.test:80']) + post,
    );
    expect(answersIn(raw).map(({ status }) => status)).toEqual([200, 200]);
    expect(await total()).toBe(2);
  });

  it('answers who asks for an upgrade as if it had not, on a connection that goes on', async () => {
    const { id, total } = await form();
    const socket = open();
    const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'];
    const post = [`POST /submit/${id} HTTP/1.1`, 'Host: api.test', JSON_TYPE, 'Content-Length: 2', ...upgrade];
    socket.write(wire(post, '{}'));
    const [first] = await once(socket, 'data');
    const rest = text(socket);
    socket.write(wire([get('/healthz'), 'Host: api.test', 'Connection: close']));
    expect(answersIn(`${first}${await rest}`).map(({ status }) => status)).toEqual([200, 200]);
    expect(await total()).toBe(1);
  });
});

describe('requests on one connection', () => {
  it('are answered in their order though they come at once, whatever they are for', async () => {
    const { id, host, total } = await form();
    const submission = (n: number) =>
      wire([`POST /submit/${id} HTTP/1.1`, 'Host: api.test', JSON_TYPE, 'Content-Length: 7'], `{"n":${n}}`);
    const healthz = wire([get('/healthz'), 'Host: api.test', 'Connection: close']);
    const pages = [page.host, host].map((each) => wire([get('/'), `Host: ${each}`]));
    const nothing = wire([get('/nothing'), 'Host: api.test']);
    const sent = [submission(1), pages[0], submission(2), nothing, pages[1], submission(3), healthz];
    const raw = await sendRaw(service.url, sent.join(''));
    const answers = answersIn(raw);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200, 200, 200]);
    expect([answers[1]?.body, answers[4]?.body]).toEqual(['the page', '<h1>Hello</h1>']);
    expect(await total()).toBe(3);
    const list = await owner.get(`/submissions/${id}`);
    expect(list.body.submissions.map(({ data }: { data: { n: number } }) => data.n)).toEqual([3, 2, 1]);
  });

  it('may bring their bodies in chunks, with extensions and trailers', async () => {
    const { id, total } = await form();
    const chunked = ['Host: api.test', 'Transfer-Encoding: chunked', JSON_TYPE];
    const body = '5;x=y\r\n{"a":\r\n1\r\n"\r\n3\r\nb"}\r\n0\r\nX-Trailer: z\r\n\r\n';
    expect((await exchange([`POST /submit/${id} HTTP/1.1`, ...chunked], body)).status).toBe(200);
    const list = await owner.get(`/submissions/${id}`);
    expect([list.body.submissions[0].data, await total()]).toEqual([{ a: 'b' }, 1]);
  });
});

describe('a body that does not come to its end', () => {
  const start = (id: string): string =>
    wire([`POST /submit/${id} HTTP/1.1`, 'Host: api.test', JSON_TYPE, 'Content-Length: 100'], '{"a":"b"}');

  it('stores nothing when the client goes away, and disturbs nobody', async () => {
    const { id, total } = await form();
    for (const leave of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      for (let count = 0; count < 5; count += 1) {
        const socket = open().on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(start(id), () => leave(socket));
        await once(socket.resume(), 'close');
      }
    }
    expect((await exchange(['GET /readyz HTTP/1.1', 'Host: api.test'])).status).toBe(200);
    expect(await total()).toBe(0);
  });
});

describe('a large body that is refused early', () => {
  const MEGABYTES = 12;

  /** Sends a head and then megabytes, and reads nothing before: a reset would take the answer away. */
  async function upload(...lines: string[]): Promise<Answer | undefined> {
    const socket = open();
    socket.write(wire([...lines, `Content-Length: ${MEGABYTES * 2 ** 20}`, 'Connection: close']));
    const piece = Buffer.alloc(2 ** 18, ' ');
    for (let sent = 0; sent < MEGABYTES * 4; sent += 1) if (!socket.write(piece)) await once(socket, 'drain');
    return answersIn(await buffer(socket))[0];
  }

  it('still lets the client read the answer, of the API, of forms and of a page’s host', async () => {
    const { id, total } = await form();
    expectError(await upload(`POST /submit/${id} HTTP/1.1`, JSON_TYPE, 'Host: api.test'), 413);
    expectError(await upload('POST /deploy HTTP/1.1', JSON_TYPE, 'Host: api.test'), 401);
    const answer = await upload('PUT / HTTP/1.1', `Host: ${page.host}`);
    expect([answer?.status, answer?.headers['content-type']]).toEqual([405, 'text/html; charset=utf-8']);
    expect(await total()).toBe(0);
    await isFine();
  });
});
