import { once } from 'node:events';
import { createServer } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Router } from 'express';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { ERROR_CODE } from '../../../src/http/response/errors.ts';
import { SECURITY_TXT } from '../../../src/sites/site-paths.ts';
import { furnish, type Ids, idsFor } from '../../support/furnish.ts';
import {
  type Exchange,
  endpointsOf,
  holdAgainst,
  holdService,
  lookUp,
  referenceOf,
  releaseService,
  takeProblems,
} from '../../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN, testService } from '../../support/test-service.ts';
import { zipFiles } from '../../support/zip-bytes.ts';

const config = loadConfig({ BASE_URL, PAGES_DOMAIN });
const reference = referenceOf(config);
const hold = holdAgainst(reference);

const isObject = (value: unknown): value is Record<string, unknown> => value instanceof Object;
const at = (...way: string[]): Record<string, unknown> => {
  const { value } = lookUp(reference, ...way);
  return isObject(value) ? value : {};
};

const operations = Object.entries(reference.paths ?? {}).flatMap(([path, item]) =>
  Object.keys(item).map((method) => ({ path, method, name: `${method.toUpperCase()} ${path}` })),
);

/** The paths of all routes that Express has. */
const routes = new Set<string>();
const routed = vi.spyOn(Router.prototype, 'route');
const OPERATOR = 'operator@test.example';
const service = await testService({
  ABUSE_CONTACT: 'abuse@example.org',
  SMTP_URL: 'smtp://127.0.0.1:1',
  ANONYMOUS_HOURS: '24',
  ADMIN_EMAILS: OPERATOR,
});
for (const path of routed.mock.calls.flat()) routes.add(String(path).replaceAll(/[:*](\w+)/g, '{$1}'));
const owner = await service.owner({ email: OPERATOR });
const shared = await furnish(service, owner);

describe('the document', () => {
  it('is OpenAPI 3.1', async () => {
    expect(await new Validator().validate({ ...reference })).toEqual({ valid: true });
  });

  it('says which answers have the headers about rate limits', () => {
    const headersOf = (path: string, method: string, status: string) =>
      at('paths', path, method, 'responses', status, 'headers');
    const counted = operations.flatMap(({ path, method, name }) =>
      Object.keys(at('paths', path, method, 'responses')).flatMap((status) => {
        const { RateLimit: limit, 'RateLimit-Policy': policy } = headersOf(path, method, status);
        expect([name, status, limit !== undefined]).toEqual([name, status, policy !== undefined]);
        if (limit === undefined) return [];
        const isOptional = isObject(limit) && limit.required === false;
        return [{ name, status, isOptional }];
      }),
    );
    const ofSuccess = counted.filter(({ status }) => status < '400');
    expect(ofSuccess.map(({ name, status, isOptional }) => `${name} ${status}${isOptional ? '?' : ''}`)).toEqual([
      'POST /session/mail 202',
      'PATCH /me 200?',
      'POST /deploy/{id}/domains/{domain}/check 200',
      'POST /deploy/{id}/guests 201',
      'POST /submissions/{deployId}/test 200',
      'POST /webhooks/{deployId}/{webhookId}/test 202',
      'POST /deploy/{id}/mails/test 202',
      'POST /deploy/{id}/mails/{deliveryId}/retry 202?',
      'POST /deploy/{id}/confirmation/preview 202',
      'GET /feeds/{token}.csv 200',
      'GET /feeds/{token}.csv 304',
      'GET /shares/{token} 200',
      'GET /shares/{token}/{submissionId}/{fileId} 200',
      'POST /mcp 200?',
      'GET /oauth/authorize 303',
      'GET /oauth/consent 200?',
      'POST /oauth/consent 200?',
      'POST /oauth/revoke 200?',
      'POST /oauth/register 201',
    ]);
    // Each endpoint with a key, the two that sign in, and those whose paths are secrets.
    const isKeyed = ({ path, method }: { path: string; method: string }) =>
      !Object.hasOwn(at('paths', path, method), 'security');
    const limited = ['POST /session', ...operations.filter(isKeyed).map(({ name }) => name)].toSorted();
    const refusing = (code: string) => counted.filter(({ status }) => status === code).map(({ name }) => name);
    expect(refusing('401').toSorted()).toEqual(limited);
    const shares = ['GET /shares/{token}', 'GET /shares/{token}/{submissionId}/{fileId}'];
    const programs = ['GET /oauth/authorize', 'POST /oauth/token', 'POST /oauth/revoke', 'POST /oauth/register'];
    const others = ['POST /session/mail', 'GET /feeds/{token}.csv', ...shares, ...programs];
    expect(refusing('429').toSorted()).toEqual([...limited, ...others].toSorted());
    expect(counted.every(({ status }) => status < '400' || ['401', '429'].includes(status))).toBe(true);
  });

  it('has the paths that the service has, and no others', () => {
    // Nobody calls the files of /docs, and only a proxy in front asks the internal endpoint.
    // So are a link that signs a person in, and the dashboard.
    const signIns = ['/session/mail/{token}', '/session/oidc', '/session/oidc/callback'];
    const hidden = ['/internal/tls', ...signIns, '/me/email/{token}', '/claim/{token}', '/invitations/{token}'];
    const paths = [...routes].filter((path) => !/^\/(?:docs\/|dashboard)/.test(path) && !hidden.includes(path));
    // Answered ahead of Express, and on pages' hosts too.
    expect(Object.keys(reference.paths ?? {}).toSorted()).toEqual([...paths, SECURITY_TXT].toSorted());
  });

  it('says of which operations a key is needed', () => {
    const needed = endpointsOf(config).filter(({ scope }) => scope !== undefined);
    const names = needed.map(({ method, path }) => `${method} ${path.replaceAll(/[:*](\w+)/g, '{$1}')}`);
    const said = operations.filter(({ path, method }) => !Array.isArray(at('paths', path, method).security));
    expect(said.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    // This one has its key in the body.
    const refusing = operations.filter(({ path, method }) => '401' in at('paths', path, method, 'responses'));
    expect(refusing.map(({ name }) => name).toSorted()).toEqual([...names, 'POST /session'].toSorted());
  });

  it('shows the limits that are validated', () => {
    const small = referenceOf(loadConfig({ BASE_URL, PAGES_DOMAIN, MAX_HTML_BYTES: '12', RESERVED_SLUGS: 'mine' }));
    const { paths } = JSON.parse(JSON.stringify(small));
    const { html, slug } = paths['/deploy'].post.requestBody.content['application/json'].schema.properties;
    expect(html).toMatchObject({ type: 'string', minLength: 1, maxLength: 12 });
    expect(slug.description).toContain('mine');
  });
});

/** The query of a link in a mail, or of a challenge; undefined where a path is neither. */
async function signedQuery(path: string, { id = '', submissionId = '', fileId = '', recipientId = '' }: Ids) {
  if (path === '/altcha/challenge') return `deployment=${id}`;
  const links = await createLinks(service.db, '')();
  const until = new Date(Date.now() + 60_000);
  const link = path.startsWith('/files/')
    ? links.file({ deploymentId: id, submissionId, fileId }, until)
    : path.startsWith('/confirm/')
      ? links.confirm({ deploymentId: id, recipientId }, until)
      : path.startsWith('/unsubscribe/')
        ? links.unsubscribe(id, path.endsWith('{recipientId}') ? recipientId : undefined)
        : path.startsWith('/spam/')
          ? links.spam({ deploymentId: id, submissionId })
          : undefined;
  return link?.slice(link.indexOf('?') + 1);
}

/** The id of an owner whom an operator may suspend. */
async function anotherOwner(): Promise<string> {
  await service.owner();
  const { body } = await owner.get('/admin/owners?limit=1').expect(200);
  return body.owners[0].id;
}

/** The key, or for what is about a session, its cookie. */
async function credentialsFor(path: string): Promise<Record<string, string>> {
  if (path !== '/session') return { Authorization: `Bearer ${owner.key}` };
  const { headers } = await service.anonymous.post('/session').send({ key: owner.key });
  return { Cookie: String(headers['set-cookie']).replace(/;.*/, ''), Origin: BASE_URL };
}

/** A body that has a secret, of which the reference has no real one. */
async function secretBody(path: string): Promise<object | undefined> {
  if (path === '/session') return { key: owner.key };
  if (path !== '/claims') return undefined;
  const { body } = await service.anonymous.post('/publish').send({ html: '<p>' }).expect(201);
  return { token: body.claim_url.split('/').at(-1) };
}

function encode(type: string, example: unknown): string | Blob | URLSearchParams | FormData {
  if (type === 'application/json') return JSON.stringify(example);
  if (type === 'text/csv' || type === 'application/x-ndjson') return String(example);
  if (type === 'application/zip') return new Blob([new Uint8Array(zipFiles({ 'index.html': '<p>', 'a.css': '' }))]);
  if (type === 'text/html' || type === '*/*') return String(example);
  const form = type === 'multipart/form-data' ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(isObject(example) ? example : {})) form.append(name, String(value));
  return form;
}

/** A program has to ask first: oauth-endpoints.test.ts. */
const OF_PROGRAMS = ['/oauth/authorize', '/oauth/consent', '/oauth/token'];

describe('the examples', () => {
  const requests = operations.flatMap((operation) => {
    const { path, method } = operation;
    if (OF_PROGRAMS.includes(path)) return [];
    const content = at('paths', path, method, 'requestBody', 'content');
    const types: (string | undefined)[] = Object.keys(content);
    return (types.length > 0 ? types : [undefined]).map((type) => ({ ...operation, type, sent: type ?? 'no body' }));
  });

  it.each(requests)('are answered with a success as it is described: $name, $sent', async ({ path, method, type }) => {
    const furnished = idsFor(path, method === 'get' ? shared : await furnish(service, owner));
    const values: Ids = { ...furnished, ...(path.startsWith('/admin/owners/') && { ownerId: await anotherOwner() }) };
    if (path === '/admin/pages/{id}/restore') await takeDown(service.db, values.id ?? '', 'a reason');
    const operation = at('paths', path, method);
    const parameters: unknown[] = Array.isArray(operation.parameters) ? operation.parameters : [];
    const query = parameters.filter(isObject).filter((parameter) => parameter.in === 'query');
    const search = new URLSearchParams();
    for (const { name, schema } of query) {
      const value = isObject(schema) ? (schema.default ?? schema.example) : undefined;
      if (value !== undefined) search.set(String(name), String(value));
    }
    const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? `no ${name}`);
    const { example } = type ? at('paths', path, method, 'requestBody', 'content', type) : {};
    const answer = await fetch(`${service.url}${target}?${(await signedQuery(path, values)) ?? search}`, {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: {
        ...(operation.security ? {} : await credentialsFor(path)),
        ...(type && /json|html|csv|zip/.test(type) ? { 'Content-Type': type } : {}),
      },
      ...(type ? { body: encode(type, (await secretBody(path)) ?? example) } : {}),
    });
    // A stream has no end: its headers are compared.
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (isStream) await answer.body?.cancel();
    const body = isStream ? '' : await answer.text();
    const success = Object.keys(at('paths', path, method, 'responses')).find((status) => Number(status) < 400);
    expect({ status: String(answer.status), body }).toEqual({ status: success, body });
    const headers = new Map(answer.headers);
    expect(hold({ method: method.toUpperCase(), path: target, status: answer.status, headers, body })).toBeUndefined();
  });

  it('are what their schema says', () => {
    const problems = operations.flatMap(({ path, method, name }) =>
      Object.keys(at('paths', path, method, 'responses')).map((status) => {
        const way = ['paths', path, method, 'responses', status];
        const content = at(...way, 'content');
        const missing = Object.keys(content).filter((type) => !('example' in at(...way, 'content', type)));
        if (missing.length > 0) return `${name} ${status} has no example of ${missing}`;
        if (!('application/json' in content)) return undefined;
        const headers = Object.keys(at(...way, 'headers')).map((header): [string, string] => [
          header.toLowerCase(),
          header === ERROR_CODE ? 'not-found' : '1',
        ]);
        return hold({
          ...{ method: method.toUpperCase(), path: path.replaceAll(/[{}]/g, ''), status: Number(status) },
          headers: new Map([...headers, ['content-type', 'application/json; charset=utf-8']]),
          body: JSON.stringify(at(...way, 'content', 'application/json').example),
        });
      }),
    );
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });
});

describe('what holds the answers of all tests', () => {
  const JSON_TYPE: [string, string] = ['content-type', 'application/json; charset=utf-8'];
  const fine: Exchange = {
    method: 'GET',
    path: '/healthz',
    status: 200,
    headers: new Map([JSON_TYPE]),
    body: '{"status":"ok","version":"1.0.0"}',
  };
  const me =
    '{"email":"a@e.example","plan":"free","deployment_limit":null,"deployments":0,"storage_limit":null,"storage_used":0,"mail":false,"version":"1.0.0"}';
  const CODE: [string, string] = [ERROR_CODE, 'not-found'];
  const header = (...more: [string, string][]) => ({ headers: new Map([JSON_TYPE, ...more]) });
  const keyless = { path: '/deploy', method: 'POST', status: 401, body: '{"error":"No."}', ...header(CODE) };
  const refused = { method: 'PUT', status: 405, body: '{"error":"No."}' };

  it.each([
    ['a field more', { body: '{"status":"ok","version":"1.0.0","more":1}' }],
    ['what is no JSON', { body: 'ok' }],
    ['another type', { headers: new Map([['content-type', 'text/html']]) }],
    ['a status that is not documented', { status: 201 }],
    ['an error without its header', keyless],
    ['a notice that is not documented', header(['formhost-notice', 'Soon'])],
    ['a notice that is not ASCII', { path: '/me', body: me, ...header(['formhost-notice', 'é']) }],
    ['a 405 without Allow', { ...refused, ...header(CODE) }],
    ['an error without a code', { ...refused, ...header(['allow', 'GET, HEAD']) }],
    ['a code that is not documented', { ...refused, ...header(['allow', 'GET, HEAD'], [ERROR_CODE, 'odd']) }],
    ['a method that is not documented', { method: 'PUT' }],
    ['an id of another kind', { path: '/deploy/d_1', method: 'DELETE', body: '{"message":"Gone","id":"wh_1"}' }],
  ])('does not let %s pass', (_case, change) => {
    expect(hold({ ...fine, ...change })).toMatch(/^\S+ \S+ answered \d+, and the answer /);
  });

  it('sees each answer of the API of a service, whole or in pieces, and none of its pages', async () => {
    const server = createServer((incoming, response) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      if (incoming.url !== '/readyz') return response.end('{"status":"bad"}');
      response.write('{"status":');
      return response.end('"worse"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${address instanceof Object ? address.port : 0}`;
    holdService(url, config);
    // Another server may get the port.
    onTestFinished(() => void releaseService(url));
    await request(url).get('/healthz').set('Host', `page.${PAGES_DOMAIN}`);
    expect(takeProblems()).toEqual([]);
    expect((await request(url).get('/readyz')).text).toBe('{"status":"worse"}');
    await request(url).get('/healthz');
    expect(takeProblems()).toEqual([
      expect.stringMatching(/^GET \/readyz answered 200, and the answer does not fit: .*"worse"/),
      expect.stringMatching(/^GET \/healthz answered 200, and the answer does not fit: .*"bad"/),
    ]);
  });
});

it.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 302, '/dashboard'],
  ['text/html;q=0, */*', 200, undefined],
  ['', 200, undefined],
])(
  'GET / says where things are, and sends a browser to the dashboard: Accept: %s',
  async (accept, status, location) => {
    const answered = await service.anonymous.get('/').set('Accept', accept);
    expect(answered).toMatchObject({ status, headers: { vary: 'Accept' } });
    expect(answered.headers.location).toBe(location);
    const links = [...(answered.headers.link ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)];
    const named = Object.fromEntries(links.map(([, path, relation]) => [path, relation]));
    const docs = { '/docs': 'service-doc', '/llms.txt': 'service-doc' };
    expect(named).toEqual({ '/openapi.json': 'service-desc', '/mcp': 'service-desc', ...docs });
    if (status === 302) return;
    const paths = { docs: '/docs', openapi: '/openapi.json', llms: '/llms.txt', mcp: '/mcp', dashboard: '/dashboard' };
    const urls = Object.entries(paths).map(([name, path]) => [name, BASE_URL + path]);
    expect(answered.body).toEqual({ service: 'formhost', ...Object.fromEntries(urls) });
  },
);

describe.each([
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/skill.md', 'text/markdown; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/page.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])('GET %s', (path, type) => {
  it('needs no key, and is kept by who has it', async () => {
    const { status, headers } = await service.anonymous.get(path);
    const kept = { 'x-content-type-options': 'nosniff', 'cache-control': 'public, max-age=0, must-revalidate' };
    expect({ status, headers }).toMatchObject({ status: 200, headers: { 'content-type': type, ...kept } });
    const again = await service.anonymous.get(path).set('If-None-Match', String(headers.etag));
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
  });

  it('is on the host of the API only', async () => {
    const { slug } = await owner.deploy();
    expect((await service.anonymous.get(path).set('Host', `${slug}.${PAGES_DOMAIN}`)).status).toBe(404);
  });
});

it('GET /llms.txt names the addresses and the limits of this service', async () => {
  const { text } = await service.anonymous.get('/llms.txt');
  expect(text).toContain(`curl -sw '\\n' ${BASE_URL}/submit/$ID`);
  expect(new Set(text.match(/\{\{\w+\}\}/g))).toEqual(new Set(['{{FORM_ACTION}}']));
});

it('GET /skill.md is a skill that names the address of this service', async () => {
  const { text } = await service.anonymous.get('/skill.md');
  expect(text).toMatch(/^---\nname: formhost\ndescription: [^\n]{1,1024}\n---\n/);
  expect(text).toContain(`FORMHOST_URL=${BASE_URL}\n`);
  expect(text).not.toContain('//localhost:3000');
});

it('GET /.well-known/api-catalog leads to what this service has', async () => {
  const { headers, body } = await service.anonymous.get('/.well-known/api-catalog').responseType('blob');
  expect(headers['content-type']).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
  expect(headers.link).toBe('</.well-known/api-catalog>; rel="api-catalog"');
  const { linkset } = JSON.parse(String(body));
  const [api, tools] = linkset;
  expect([api.anchor, tools.anchor]).toEqual([BASE_URL, `${BASE_URL}/mcp`]);
  const targets = [...api['service-desc'], ...api['service-doc'], ...api.status];
  for (const { href, type } of targets) {
    const answered = await service.anonymous.get(href.slice(BASE_URL.length)).set('Accept', type);
    expect([href, answered.status, answered.type]).toEqual([href, 200, type]);
  }
  expect((await service.anonymous.head('/.well-known/api-catalog')).headers.link).toBe(headers.link);
});

describe('/docs', () => {
  it('lets nothing in from elsewhere, and nobody frame it', async () => {
    const { headers } = await service.anonymous.get('/docs');
    const policy = headers['content-security-policy']?.split('; ').toSorted();
    expect(policy).toEqual([
      ...["base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'none'"],
      ...["frame-ancestors 'none'", "img-src 'self' data:", "script-src 'self'", "style-src 'self'"],
    ]);
  });

  it.each(['index.html', 'package.json', 'swagger-ui.js', '..%2fpackage.json', 'swagger-ui-bundle.js.map'])(
    'has nothing else of the packages: %s',
    async (name) => {
      expect((await service.anonymous.get(`/docs/${name}`)).status).toBe(404);
    },
  );
});
