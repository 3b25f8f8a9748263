import { describe, expect, it } from 'vitest';
import { HttpError, toHttpError, unavailable, writeError } from '../../src/http/response/errors.ts';
import { SIZES } from '../../src/sizes.ts';
import { serve } from '../support/http-server.ts';
import { testLimits } from '../support/test-limits.ts';
import { JSON_TYPE, PAGES_DOMAIN, sendRaw, testService, UNKNOWN_ID } from '../support/test-service.ts';

const PROBLEM = 'application/problem+json';
const JSON_ERROR = 'application/json; charset=utf-8';
const { acceptChars } = SIZES.internalHeaders;

const service = await testService({ MAX_HTML_BYTES: '100', MAX_SUBMISSION_BYTES: '1000' });
const owner = await service.owner();
const free = await service.owner({ plan: 'free' });
const page = await owner.deploy();
const closed = await owner.deploy();
await owner.change(closed.id, { closes_at: '2020-01-01T00:00:00Z', closed_message: 'Come back, "next" year.' });
const limited = await owner.deploy();
await owner.change(limited.id, { submissions_per_minute: 1, allowed_origins: ['https://a.example'] });
await service.submit(limited.id);
const reader: string = (await owner.post('/keys').send({ name: 'reads', scope: 'read' })).body.key;
await owner.post('/deploy').set('Idempotency-Key', 'used').send({ html: 'x' }).expect(201);
for (let made = 0; made < 3; made += 1) await free.deploy();

type Sent = { key?: string | null; headers?: Record<string, string>; body?: string };

function ask(accept: string | undefined, method: string, path: string, { key = owner.key, headers = {}, body }: Sent) {
  const credentials: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` };
  return fetch(service.url + path, {
    method,
    redirect: 'manual',
    headers: { ...credentials, ...JSON_TYPE, ...(accept !== undefined && { Accept: accept }), ...headers },
    ...(body !== undefined && { body }),
  });
}

/** The headers that both forms have. */
const sharedHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name]) => !['content-type', 'content-length', 'x-request-id', 'date'].includes(name)),
  );

const submit = `/submit/${page.id}`;
const foreign = { Origin: 'https://b.example' };

describe('an error', () => {
  it.each<[number, string, string, string, Sent]>([
    [404, 'not-found', 'GET', '/nothing', {}],
    [404, 'not-found', 'GET', '/dashboard/nothing', {}],
    [404, 'not-found', 'GET', '/docs/errors/nothing', {}],
    [405, 'method-not-allowed', 'POST', '/healthz', { body: '{}' }],
    [405, 'method-not-allowed', 'GET', submit, {}],
    [400, 'bad-request', 'GET', '/%ff', {}],
    [401, 'unauthorized', 'GET', '/deploy', { key: null }],
    [401, 'unauthorized', 'POST', '/mcp', { key: null, body: '{}' }],
    [403, 'narrow-scope', 'POST', '/deploy', { key: reader, body: '{"html":"x"}' }],
    [403, 'plan-limit', 'POST', '/deploy', { key: free.key, body: '{"html":"x"}' }],
    [404, 'no-such-deployment', 'GET', `/deploy/${UNKNOWN_ID}`, {}],
    [404, 'no-such-deployment', 'GET', `/submissions/${UNKNOWN_ID}/export.csv`, {}],
    [400, 'bad-query', 'GET', '/deploy?page=x', {}],
    [400, 'bad-request', 'POST', '/deploy', { body: '{' }],
    [400, 'invalid-field', 'POST', '/deploy', { body: '{}' }],
    [415, 'wrong-type', 'POST', '/deploy', { headers: { 'Content-Type': 'text/plain' }, body: 'x' }],
    [413, 'too-large', 'POST', '/deploy', { body: `{"html":"${'x'.repeat(101)}"}` }],
    [409, 'slug-taken', 'POST', '/deploy', { body: `{"html":"x","slug":"${page.slug}"}` }],
    [412, 'changed-meanwhile', 'PUT', `/deploy/${page.id}`, { headers: { 'If-Match': '"x"' }, body: '{"html":"x"}' }],
    [
      422,
      'idempotency-key-reused',
      'POST',
      '/deploy',
      { headers: { 'Idempotency-Key': 'used' }, body: '{"html":"other"}' },
    ],
    [404, 'no-such-form', 'POST', `/submit/${UNKNOWN_ID}`, { body: '{}' }],
    [413, 'too-large', 'POST', submit, { body: JSON.stringify({ a: 'x'.repeat(1_001) }) }],
    [415, 'wrong-type', 'POST', submit, { headers: { 'Content-Type': 'text/plain' }, body: 'x' }],
    [400, 'bad-request', 'POST', submit, { body: '[]' }],
    [403, 'form-closed', 'POST', `/submit/${closed.id}`, { body: '{}' }],
    [403, 'origin-refused', 'POST', `/submit/${limited.id}`, { headers: foreign, body: '{}' }],
    [429, 'too-many-submissions', 'POST', `/submit/${limited.id}`, { body: '{}' }],
    [404, 'not-found', 'POST', '/submit/', { body: '{}' }],
    [406, 'not-acceptable', 'POST', '/mcp', { headers: { Accept: 'text/plain' }, body: '{}' }],
  ])('%i %s of %s %s has both forms', async (status, code, method, path, sent) => {
    const plain = await ask('application/json', method, path, sent);
    const detail: string = JSON.parse(await plain.clone().text()).error;
    // Byte for byte.
    expect(await plain.text()).toBe(JSON.stringify({ error: detail }));
    expect([plain.status, plain.headers.get('content-type')]).toEqual([status, JSON_ERROR]);
    const accept = sent.headers?.Accept === undefined ? PROBLEM : `${sent.headers.Accept}, ${PROBLEM}`;
    const asked = await ask(accept, method, path, { ...sent, headers: { ...sent.headers, Accept: accept } });
    const problem = JSON.parse(await asked.text());
    expect(problem).toEqual({
      type: `http://api.test/docs/errors/${code}`,
      title: code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' '),
      status,
      // The seconds until another try may have become fewer.
      detail: status === 429 ? expect.stringMatching(/^Too many submissions: try again in \d+ seconds?\.$/) : detail,
      code,
      ...('errors' in problem && { errors: expect.any(Array) }),
    });
    expect([asked.status, asked.headers.get('content-type')]).toEqual([status, PROBLEM]);
    const [one, other] = [plain, asked].map(({ headers }) => sharedHeaders(headers));
    if (status === 429) delete one?.['retry-after'];
    expect(other).toMatchObject(one ?? {});
    expect(other).toMatchObject({ vary: expect.stringMatching(/\bAccept\b/), 'error-code': code });
    if (path.startsWith('/submit/') && method === 'POST') {
      expect(other).toMatchObject({ 'access-control-allow-origin': '*' });
    }
  });

  it('has the same headers in answer to HEAD, and no body', async () => {
    const asked = await ask(PROBLEM, 'HEAD', '/nothing', {});
    const length = Buffer.byteLength(await (await ask(PROBLEM, 'GET', '/nothing', {})).text());
    expect([asked.status, await asked.text()]).toEqual([404, '']);
    expect(asked.headers.get('content-type')).toBe(PROBLEM);
    expect(asked.headers.get('content-length')).toBe(String(length));
  });

  it('is compressed where it is long', async () => {
    const body = JSON.stringify({ spam: { blocklist: Array(50).fill(1) } });
    const headers = { 'Accept-Encoding': 'gzip' };
    const asked = await ask(PROBLEM, 'PATCH', `/deploy/${page.id}`, { headers, body });
    expect(asked.headers.get('content-encoding')).toBe('gzip');
    expect(asked.headers.get('vary')).toMatch(/^(?=.*\bAccept\b(?!-))(?=.*\bAccept-Encoding\b)/);
    expect(JSON.parse(await asked.text()).errors).toHaveLength(50);
  });

  it('of a database that is out of reach, and an unexpected one, have both forms', async () => {
    const errors: readonly unknown[] = [unavailable('Soon.', 5_000), new Error('secret'), new HttpError(500, 'x')];
    const app = { config: { baseUrl: 'https://api.example' }, limits: testLimits() };
    const { url } = await serve((request, response) =>
      writeError(response, toHttpError(errors[Number(request.url?.slice(1))]), {}, app),
    );
    const at = async (place: number) => (await fetch(`${url}/${place}`, { headers: { Accept: PROBLEM } })).json();
    expect(await at(0)).toEqual({
      type: 'https://api.example/docs/errors/unavailable',
      title: 'Unavailable',
      status: 503,
      detail: 'Soon.',
      code: 'unavailable',
    });
    expect(await at(1)).toMatchObject({ status: 500, code: 'internal-error', detail: 'Internal server error' });
  });
});

describe('a client gets a problem by its Accept', () => {
  it.each([
    PROBLEM,
    'Application/Problem+JSON',
    `text/html, ${PROBLEM};q=0.1, */*`,
    `application/json, ${PROBLEM}`,
    `${PROBLEM};charset=utf-8;q=0.001`,
    `${PROBLEM} ; Q=1`,
    PROBLEM.padEnd(acceptChars, ','),
  ])('%j', async (accept) => {
    const asked = await ask(accept, 'GET', '/nothing', {});
    expect([asked.status, asked.headers.get('content-type')]).toEqual([404, PROBLEM]);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'application/problem+xml',
    `${PROBLEM};q=0`,
    `${PROBLEM};q=0.000, */*`,
    `${PROBLEM};q=x`,
    `x${PROBLEM}`,
    `${PROBLEM}x`,
    `a/b;c=", ${PROBLEM},"`,
    ',;q=,/',
    PROBLEM.padEnd(acceptChars + 1, ','),
  ])('%j does not ask for it', async (accept) => {
    const asked = await ask(accept, 'GET', '/nothing', {});
    expect([asked.status, asked.headers.get('content-type')]).toEqual([404, JSON_ERROR]);
    expect(await asked.text()).toBe('{"error":"There is nothing at this path: check it against the API reference."}');
  });
});

describe('a browser', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each([
    ['POST', `/submit/${closed.id}`, { headers: form, body: 'a=b' }, 403],
    ['POST', `/submit/${UNKNOWN_ID}`, { headers: form, body: 'a=b' }, 404],
    ['GET', `/submit/${page.id}`, {}, 405],
    ['GET', `/submit/${UNKNOWN_ID}/thanks`, {}, 404],
    ['GET', `/confirm/${page.id}/rcp_0`, {}, 404],
    ['GET', '/nothing', {}, 404],
    ['GET', '/dashboard/nothing', {}, 404],
  ])('gets a page, unless it asks for a problem: %s %s', async (method, path, sent, status) => {
    const shown = await ask(BROWSER, method, path, sent);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    const asked = await ask(`${BROWSER},${PROBLEM}`, method, path, sent);
    expect([asked.status, asked.headers.get('content-type')]).toEqual([status, PROBLEM]);
    expect(asked.headers.get('vary')).toContain('Accept');
    const cors = asked.headers.get('access-control-allow-origin');
    expect(cors).toBe(method === 'POST' || path.endsWith('/thanks') ? '*' : null);
  });
});

describe('the host of a page', () => {
  const hostOf = ({ slug }: { slug: string }) => `${slug}.${PAGES_DOMAIN}`;

  it('has problems for submissions, and pages for all else', async () => {
    const { anonymous } = service;
    const posted = await anonymous.post('/').set('Host', hostOf(closed)).set('Accept', PROBLEM).send({ a: 'b' });
    expect([posted.status, posted.headers['content-type']]).toEqual([403, PROBLEM]);
    expect(JSON.parse(String(posted.text ?? posted.body))).toMatchObject({
      code: 'form-closed',
      detail: 'Come back, "next" year.',
    });
    const read = await anonymous.get('/nothing').set('Host', hostOf(page)).set('Accept', PROBLEM);
    expect([read.status, read.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('CONNECT', () => {
  it.each([
    ['a/b', JSON_ERROR, '{"error":"CONNECT is refused: this is not a proxy."}'],
    [
      PROBLEM,
      PROBLEM,
      '{"type":"http://api.test/docs/errors/not-implemented","title":"Not implemented","status":501,"detail":"CONNECT is refused: this is not a proxy.","code":"not-implemented"}',
    ],
  ])('is refused in the form that the client asks for: %s', async (accept, type, body) => {
    const answer = await sendRaw(service.url, `CONNECT a:80 HTTP/1.1\r\nHost: a\r\nAccept: ${accept}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\nerror-code: not-implemented\r\n/);
    expect(answer).toContain(`\r\nContent-Type: ${type}\r\n`);
    expect(answer.endsWith(`\r\n\r\n${body}`)).toBe(true);
  });
});

describe('POST /mcp', () => {
  it('has errors of JSON-RPC for messages that can not be read', async () => {
    const asked = await ask(`application/json, text/event-stream, ${PROBLEM}`, 'POST', '/mcp', { body: '{' });
    expect(asked.headers.get('content-type')).toBe(JSON_ERROR);
    expect(await asked.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_700 }, id: null });
  });
});

describe('the type of a problem', () => {
  it('leads to a page about its code', async () => {
    const asked = JSON.parse(await (await ask(PROBLEM, 'GET', '/deploy?page=x', {})).text());
    const { pathname } = new URL(asked.type);
    const shown = await fetch(service.url + pathname);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await shown.text();
    expect(html).toContain('<h1>Bad query</h1>');
    expect(html).toContain('<code>wrong-type</code>');
    expect((await fetch(`${service.url}/docs/errors/bad-query2`)).status).toBe(404);
  });

  it('has a page for every code of the reference', async () => {
    const { components } = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    const codes: string[] = components.headers.ErrorCode.schema.enum;
    expect(codes).toContain('expectation-failed');
    for (const code of codes) {
      const shown = await fetch(`${service.url}/docs/errors/${code}`);
      expect([code, shown.status]).toEqual([code, 200]);
      expect(await shown.text()).toContain(`<code>${code}</code>`);
    }
  });
});
