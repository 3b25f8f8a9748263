import type { ErrorRequestHandler } from 'express';
import { pino } from 'pino';
import request from 'supertest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpOperations } from '../../../src/http/mcp/mcp.ts';
import { createApi } from '../../../src/http/router.ts';
import { startService } from '../../../src/service.ts';
import { aSentence, failure } from '../../support/answers.ts';
import { endpointsOf } from '../../support/reference.ts';
import { idleApp } from '../../support/test-app.ts';
import { BASE_URL, JSON_TYPE, testService } from '../../support/test-service.ts';

/*
 * POST /mcp as HTTP and JSON-RPC: what the specification of 2025-11-25 says of the Streamable HTTP transport.
 */

const MAX_HTML_BYTES = 100_000;

const service = await testService({ MAX_HTML_BYTES: String(MAX_HTML_BYTES) }, undefined, {
  limits: { owners: { testsPerMinute: 1 } },
});
const owner = await service.owner();

const ACCEPT = { Accept: 'application/json, text/event-stream' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 'start',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** The answer to a message, with its status. */
async function post(
  body: string | Buffer | object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${owner.key}`, ...JSON_TYPE, ...ACCEPT, ...headers },
    body: new Uint8Array(Buffer.from(isRaw ? body : JSON.stringify(body))),
  });
  const sent = await response.text();
  return { status: response.status, body: sent === '' ? undefined : JSON.parse(sent), headers: response.headers };
}

const statusAndBody = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

/** A message that is refused. */
const refusal = (code: number) => ({
  status: 400,
  body: { jsonrpc: '2.0', error: { code, message: aSentence }, id: null },
});

describe('POST /mcp', () => {
  it('answers a request with JSON, without a session', async () => {
    const { headers, ...answered } = await post(PING);
    expect(statusAndBody(answered)).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('mcp-session-id')).toBeNull();
  });

  it.each([
    ...['2025-11-25', '2025-06-18', '2025-03-26'].map((asked) => ({ asked, agreed: asked })),
    { asked: '2099-01-01', agreed: '2025-11-25' },
  ])('negotiates $asked: $agreed', async ({ asked, agreed }) => {
    // The header is for what follows.
    const { body } = await post(initialize(asked), { 'MCP-Protocol-Version': asked });
    expect(body).toMatchObject({ id: 'start', result: { protocolVersion: agreed, capabilities: { tools: {} } } });
  });

  it.each([{ ttl: 60_000 }, {}, true, null, 'x'])('ignores that a call asks for the task %j', async (task) => {
    const call = (params: object) => post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
    const plain = await call({ name: 'list_pages', arguments: {} });
    expect(plain.body).toMatchObject({ id: 7, result: { structuredContent: { total: 0 } } });
    expect(await call({ name: 'list_pages', arguments: {}, task })).toMatchObject(statusAndBody(plain));
  });

  it.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'No' } },
  ])('accepts %j without an answer', async (message) => {
    expect(statusAndBody(await post(message))).toEqual({ status: 202, body: undefined });
  });

  it.each([
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, -32_601],
    ['an unknown tool', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'drop_table' } }, -32_602],
    ['a tool of every object', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: '__proto__' } }, -32_602],
    ['no tool', { jsonrpc: '2.0', id: 1, method: 'tools/call' }, -32_602],
    [
      'arguments that are a list',
      { ...PING, method: 'tools/call', params: { name: 'list_pages', arguments: [] } },
      -32_602,
    ],
  ])('answers %s with an error of JSON-RPC', async (_, message, code) => {
    const { status, body } = await post(message);
    const error = expect.objectContaining({ code, message: aSentence });
    expect({ status, body }).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, error } });
  });

  it.each([
    ['no JSON', 'ping', -32_700],
    ['a batch', JSON.stringify([PING, PING]), -32_700],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), -32_700],
    ['too many values', `{"params":{"arguments":{"files":{"a":[${'{},'.repeat(90_000)}0]}}}}`, -32_700],
    ['too many levels', `{"params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, -32_700],
    ['no body', '', -32_600],
    ['another version of JSON-RPC', { ...PING, jsonrpc: '1.0' }, -32_600],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600],
    ['an id that is null', { ...PING, id: null }, -32_600],
    ['parameters that are a list', { ...PING, params: [1] }, -32_600],
  ])('refuses %s', async (_, message, code) => {
    expect(statusAndBody(await post(message))).toEqual(refusal(code));
  });

  it('refuses a version of the protocol that it does not know', async () => {
    const { status, body } = await post(PING, { 'MCP-Protocol-Version': '2099-01-01' });
    expect({ status, body }).toEqual(refusal(-32_000));
    expect(JSON.stringify(body)).toContain('2025-11-25');
    expect((await post(PING, { 'MCP-Protocol-Version': '2025-11-25' })).status).toBe(200);
  });

  it.each(['text/plain', 'application/json; charset=latin1'])('answers 415 to %s', async (type) => {
    expect(statusAndBody(await post(PING, { 'Content-Type': type }))).toEqual({ status: 415, body: failure });
  });

  it.each([
    ['text/html', 406],
    ['application/json', 200],
  ])('answers Accept: %s with %i', async (accept, status) => {
    expect((await post(PING, { Accept: accept })).status).toBe(status);
  });

  it('takes a page of the largest size, however it is escaped, and refuses more than that', async () => {
    const escaped = '\\u0041'.repeat(MAX_HTML_BYTES);
    const message = (html: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_page","arguments":{"slug":"large","html":"${html}"}}}`;
    const { body } = await post(message(escaped));
    expect(body).toMatchObject({ result: { structuredContent: { slug: 'large' } } });
    const { body: pages } = await owner.get('/deploy?limit=1');
    const { body: page } = await owner.get(`/deploy/${pages.deployments[0].id}/html`);
    expect(page.html === 'A'.repeat(MAX_HTML_BYTES)).toBe(true);
    expect(statusAndBody(await post(message(escaped.repeat(2))))).toEqual({ status: 413, body: failure });
  });
});

describe('the key', () => {
  const withoutKey = async (headers: Record<string, string>) => {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...ACCEPT, ...headers },
      body: JSON.stringify(PING),
    });
    return [response.status, response.headers.get('www-authenticate'), await response.json()];
  };
  const refused = [401, `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/mcp"`, failure];

  it('is not replaced by a session of the dashboard', async () => {
    const { headers } = await service.anonymous
      .post('/session')
      .set('Sec-Fetch-Site', 'same-origin')
      .send({ key: owner.key })
      .expect(200);
    const session = { Cookie: String(headers['set-cookie']).replace(/;.*/, ''), 'Sec-Fetch-Site': 'same-origin' };
    const me = await fetch(`${service.url}/me`, { headers: session });
    expect(me.status).toBe(200);
    expect(await withoutKey(session)).toEqual(refused);
    expect(await withoutKey({ ...session, Origin: BASE_URL })).toEqual(refused);
  });
});

describe('a client in a browser', () => {
  const ask = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/mcp`, { method, headers: { Origin: 'https://agent.example', ...headers } });
  const ofCors = (headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
  const readable = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'mcp-session-id,mcp-protocol-version,WWW-Authenticate,Retry-After,RateLimit,RateLimit-Policy,error-code',
  };

  it.each(['https://agent.example', 'null', 'http://localhost:6274'])('may have any Origin: %s', async (origin) => {
    const { status, headers } = await post(PING, { Origin: origin });
    expect([status, ofCors(headers)]).toEqual([200, readable]);
  });

  it('asks before, without a key', async () => {
    const { status, headers } = await ask('OPTIONS', {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type',
    });
    const allowed = 'Authorization,Content-Type,Mcp-Protocol-Version,Mcp-Method,Mcp-Name,Mcp-Session-Id,Last-Event-ID';
    const more = { 'access-control-allow-headers': allowed, 'access-control-max-age': '7200' };
    const preflight = { ...readable, 'access-control-allow-methods': 'POST', ...more };
    expect([status, ofCors(headers)]).toEqual([204, preflight]);
  });

  it('can read why it is refused', async () => {
    const refusals = [await ask('POST'), await ask('POST', { Authorization: 'Bearer x' }), await ask('GET')];
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 405]);
    expect(refusals.map(({ headers }) => ofCors(headers))).toEqual(Array(3).fill(readable));
  });

  it('can read how many unknown keys, and how many calls of a tool, are left', async () => {
    const unknown = await post(PING, { Authorization: `Bearer fh_${'0'.repeat(43)}` });
    expect([unknown.status, ofCors(unknown.headers)]).toEqual([401, readable]);
    expect(unknown.headers.get('ratelimit')).toMatch(/^"unknown-keys"; r=\d+; t=\d+$/);
    const { id } = await owner.deploy();
    const { body: webhook } = await owner
      .post(`/webhooks/${id}`)
      .send({ url: 'https://hooks.invalid/', type: 'generic' });
    const params = { name: 'test_webhook', arguments: { id, webhook_id: webhook.id } };
    for (const isError of [undefined, true]) {
      const { status, body, headers } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      expect([status, headers.get('retry-after')]).toEqual([200, null]);
      expect(body).toMatchObject({ result: isError ? { isError } : { structuredContent: { id: aSentence } } });
      expect(headers.get('ratelimit')).toMatch(/^"tests"; r=0; t=(?:[1-9]|[1-5]\d|60)$/);
      expect(headers.get('ratelimit-policy')).toMatch(/^"tests"; q=1; w=60; pk=:\w{16}:$/);
    }
    expect((await post(PING)).headers.get('ratelimit')).toBeNull();
  });
});

it('loads the protocol again after that has failed', async () => {
  const fails = (): never => {
    throw new Error('It cannot be loaded now.');
  };
  const tries = [fails, () => endpointsOf(service.config)];
  const owner = {
    id: 1,
    email: 'you@example.com',
    plan: 'free',
    credentialId: 'key_1',
    scope: 'full' as const,
    pages: null,
    via: 'key' as const,
  };
  const app = idleApp(service.config);
  const operations = mcpOperations(() => tries.shift()?.() ?? []);
  const authentication = {
    ...app.requests.authentication,
    ofRequest: async () => owner,
    isCredentialValid: async () => true,
  };
  const requests = { ...app.requests, authentication, clientAddress: () => '127.0.0.1' };
  const api = createApi(operations.map((one) => one.bind({ ...app, requests })));
  api.use(((_error, _request, response, _next) => void response.sendStatus(500)) satisfies ErrorRequestHandler);
  const ping = () => request(api).post('/mcp').set('Authorization', 'Bearer key').send(PING);
  expect((await ping()).status).toBe(500);
  expect(await ping()).toMatchObject({ status: 200, body: { result: {} } });
});

describe('an error that was not foreseen', () => {
  it('is logged with the id that the agent gets, and without what was sent', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
    const logged = await startService(service.config, log);
    onTestFinished(() => logged.close());
    await logged.ready;
    const { id } = await owner.deploy();
    await service.db.raw('ALTER TABLE submissions RENAME TO gone');
    onTestFinished(async () => void (await service.db.raw('ALTER TABLE gone RENAME TO submissions')));
    const response = await fetch(`${logged.url}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${owner.key}`, ...JSON_TYPE, ...ACCEPT },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'wait_for_submission', arguments: { id, cursor: `sub_${'private'.repeat(4)}` } },
      }),
    });
    const requestId = response.headers.get('x-request-id');
    const text = `Internal server error. If it fails once more, tell the user, with the request id ${requestId}.`;
    const result = { content: [{ type: 'text', text }], isError: true };
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result });
    const parsed = lines.map((line) => JSON.parse(line));
    const failed = parsed.filter(({ msg }) => msg === 'request failed');
    expect(failed).toEqual([expect.objectContaining({ req_id: requestId, level: 50 })]);
    await expect
      .poll(() => lines.map((line) => JSON.parse(line)).filter(({ path }) => path === '/mcp'))
      .toEqual([expect.objectContaining({ method: 'POST', status: 200, msg: 'answered' })]);
    expect(lines.join('')).not.toContain('private');
    expect(lines.join('')).not.toContain(owner.key);
  });
});
