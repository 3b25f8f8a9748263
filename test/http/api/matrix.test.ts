import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../../src/config.ts';
import { PARAMETERS } from '../../../src/http/request/shared-fields.ts';
import { failure, fixedHeaders, refused } from '../../support/answers.ts';
import { furnish, type Ids, idsFor } from '../../support/furnish.ts';
import { endpointsOf } from '../../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN, testService, UNKNOWN_KEY } from '../../support/test-service.ts';

/*
 * Every endpoint refuses these in the same way. No refused request may change anything: the last test compares all rows.
 */

const SETTINGS = { SMTP_URL: 'smtp://127.0.0.1:1', TRUST_PROXY: '1', ANONYMOUS_HOURS: '24' };
const endpoints = endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN, ...SETTINGS }));
type Endpoint = (typeof endpoints)[number];

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** Everything else needs a key. */
const PUBLIC = [
  ...['POST /session', 'POST /session/mail', 'GET /session/mail/:token', 'POST /session/mail/:token'],
  ...['OPTIONS /mcp', 'OPTIONS /submit/:deployId', 'POST /submit/:deployId', 'GET /submit/:deployId/thanks'],
  ...['GET /altcha.js', 'GET /altcha/challenge', 'GET /files/:deployId/:submissionId/:fileId'],
  ...['GET /unsubscribe/:deployId', 'POST /unsubscribe/:deployId'],
  ...['GET /unsubscribe/:deployId/:recipientId', 'POST /unsubscribe/:deployId/:recipientId'],
  ...['/f/:deployId', '/f/:deployId.json'].flatMap((path) => [`OPTIONS ${path}`, `POST ${path}`]),
  ...['GET /confirm/:deployId/:recipientId', 'POST /confirm/:deployId/:recipientId'],
  ...['GET /spam/:deployId/:submissionId', 'POST /spam/:deployId/:submissionId'],
  ...['GET /me/email/:token', 'POST /me/email/:token', 'GET /feeds/:token.csv'],
  ...['GET /invitations/:token', 'POST /invitations/:token'],
  ...['GET /session/oidc', 'GET /session/oidc/callback', 'POST /publish', 'GET /claim/:token'],
  ...['GET /shares/:token', 'GET /shares/:token/:submissionId/:fileId'],
  ...[
    'GET /',
    'GET /llms.txt',
    'GET /skill.md',
    'GET /openapi.json',
    'GET /.well-known/security.txt',
    'GET /.well-known/api-catalog',
    'GET /healthz',
    'GET /readyz',
  ],
  ...['GET /oauth/authorize', 'POST /oauth/token', 'POST /oauth/register', 'POST /oauth/revoke'],
  ...['/oauth/token', '/oauth/register', '/oauth/revoke'].map((path) => `OPTIONS ${path}`),
  ...[
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
  ].flatMap((path) => [`OPTIONS ${path}`, `GET ${path}`]),
  ...['GET /dashboard', 'GET /dashboard/assets/:asset', 'GET /dashboard/*view', 'GET /internal/tls'],
  ...[
    'GET /docs',
    'GET /docs/errors/:code',
    'GET /docs/guides/:guide',
    'GET /docs/guides.css',
    'GET /docs/start.js',
    'GET /docs/page.css',
  ],
  ...['GET /docs/swagger-ui.css', 'GET /docs/swagger-ui-bundle.js'],
];
/** A key with the scope `read` may GET, except these. */
const FULL_TO_GET = ['GET /keys', 'GET /grants', 'GET /webhooks/:deployId/:webhookId/secret'];
const READ_TO_CHANGE = ['DELETE /session', 'POST /mcp'];
/** A session is needed, and a program that asks: oauth-endpoints.test.ts. */
const FOR_SESSIONS = '/oauth/consent';
/** Paths that are there and have no GET. */
const isReadable = (endpoint: Endpoint): boolean =>
  endpoint.method === 'GET' ? !FULL_TO_GET.includes(nameOf(endpoint)) : READ_TO_CHANGE.includes(nameOf(endpoint));

/** Those of operators answer others as if they were not there: operator-endpoints.test.ts. */
const isOfOperators = ({ path }: Endpoint): boolean => path.startsWith('/admin/');

const keyed = endpoints
  .filter((endpoint) => endpoint.scope !== undefined && !isOfOperators(endpoint))
  .map((endpoint) => ({ name: nameOf(endpoint), endpoint }));
const withIds = keyed.filter(({ endpoint }) => endpoint.path.includes(':'));
const withBody = keyed.filter(({ endpoint }) => endpoint.body?.content['application/json']);
const withQuery = keyed.filter(({ endpoint }) => endpoint.query);

const service = await testService({ ...SETTINGS, MAX_SITE_BYTES: '1048576' });
const owner = await service.owner();
const own = await furnish(service, owner);
/** `sibling` has another deployment of the same owner, and `others` one of another owner. */
const sibling = await furnish(service, owner);
const others = await furnish(service, await service.owner());
// A second of each that a list of a deployment has.
const { id: ownId = '', webhookId } = own.live;
await owner.put(`/deploy/${ownId}`).send({ html: '<p>Second' }).expect(200);
for (const name of ['Kept', 'Deleted', 'Spam'])
  await service.anonymous.post(`/submit/${ownId}`).send({ name }).expect(200);
await owner.post(`/deploy/${ownId}/shares`).send({}).expect(201);
await owner.post(`/deploy/${ownId}/guests`).send({ email: 'second@test.example', role: 'reader' }).expect(201);
const [{ id: spamId }, { id: deletedId }] = (await owner.get(`/submissions/${ownId}`)).body.submissions;
await owner.mark(ownId, 'spam', [spamId]);
await owner.mark(ownId, 'delete', [deletedId]);
for (const path of [`/webhooks/${ownId}/${webhookId}/test`, `/deploy/${ownId}/mails/test`])
  await owner.post(path).expect(202);
const readKey: string = (await owner.post('/keys').send({ name: 'reads', scope: 'read' })).body.key;
const session = await service.anonymous.post('/session').send({ key: readKey });
const cookie = String(session.headers['set-cookie']).replace(/;.*/, '');

/** Columns that reading may change: when a key was used, and what an export has read of a page. */
const NOTED = `'{last_used_at,forms,forms_version}'::text[]`;

/** All that owners have. */
async function allRows(): Promise<unknown> {
  const tables = [
    'deployments',
    'form_rules',
    'pages',
    'page_versions',
    'page_drafts',
    'webhooks',
    'submissions',
    'submission_files',
  ];
  const more = [
    'submission_marks',
    'spam_submissions',
    'trashed_submissions',
    'mail_recipients',
    'api_keys',
    'sessions',
    'grants',
    'feeds',
    'shares',
    'guests',
    'new_page_drafts',
  ];
  const all = [...tables, ...more].map(
    (table) => `'${table}', (SELECT jsonb_agg(to_jsonb(t) - ${NOTED} ORDER BY t::text) FROM ${table} t)`,
  );
  const deliveries = `'deliveries', (SELECT jsonb_agg(id ORDER BY id) FROM deliveries)`;
  const { rows } = await service.db.raw(`SELECT jsonb_build_object(${[...all, deliveries].join()}) AS everything`);
  return rows[0].everything;
}

const before = await allRows();

let requests = 0;
/** An address for each request: unknown keys are counted by address. */
function newAddress(): string {
  requests += 1;
  return `198.51.${requests >> 8}.${requests % 256}`;
}

type Sent = { body?: string | Buffer | undefined; headers?: Record<string, string>; query?: string; method?: string };

/** Bytes, for which fetch adds no content type of its own. */
const toBytes = (body: string | Buffer | undefined) => (body === undefined ? null : new Uint8Array(Buffer.from(body)));

/** The request of an endpoint with its example, unless another body is given. */
function send({ method, path, body }: Endpoint, ids: Ids, sent: Sent = {}): Promise<Response> {
  const target = path.replaceAll(/[:*](\w+)/g, (_all, name: string) => ids[name] ?? `no-${name}`);
  const [[type = '', { example = undefined } = {}] = []] = Object.entries(body?.content ?? {});
  const text = type === 'application/json' ? JSON.stringify(example) : String(example);
  return fetch(`${service.url}${target}${sent.query ?? ''}`, {
    method: sent.method ?? method,
    redirect: 'manual',
    headers: {
      Accept: 'application/json, text/event-stream',
      'X-Forwarded-For': newAddress(),
      ...(body && { 'Content-Type': type }),
      ...sent.headers,
    },
    body: toBytes('body' in sent ? sent.body : body && text),
  });
}

const asOwner = (sent: Sent = {}): Sent => ({
  ...sent,
  headers: { Authorization: `Bearer ${owner.key}`, ...sent.headers },
});

/** The status and the body of a refusal. What an agent is told is a message of JSON-RPC. */
async function refusalOf(sent: Promise<Response>): Promise<{ status: number; body: unknown }> {
  const response = await sent;
  const body = JSON.parse(await response.text());
  return { status: response.status, body: body.jsonrpc ? { error: body.error.message } : body };
}

/** Reads a body to its end. A stream has none. */
async function finish(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body?.cancel();
  else await response.arrayBuffer();
  return response;
}

it('knows which endpoints need no key', () => {
  const known = endpoints.filter(({ scope }) => scope === undefined).map(nameOf);
  expect(known.toSorted()).toEqual(PUBLIC.toSorted());
});

describe.each(keyed)('$name', ({ endpoint }) => {
  const isForAgents = endpoint.path === '/mcp';
  it('answers 401 without a valid key, before everything else', async () => {
    const { key } = owner;
    const keys = [undefined, `Basic ${key}`, `Bearer ${UNKNOWN_KEY}`];
    for (const authorization of keys) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const attempts = [
        send(endpoint, idsFor(endpoint.path, own), { headers }),
        send(endpoint, {}, { headers: { ...headers, 'Content-Type': 'text/plain' }, query: `?key=${key}&page=0` }),
      ];
      for (const attempt of attempts) {
        const response = await attempt;
        const challenge = response.headers.get('www-authenticate');
        expect({ status: response.status, challenge, body: await response.json() }).toEqual({
          ...{ status: 401, challenge: isForAgents ? expect.stringMatching(/^Bearer /) : 'Bearer', body: failure },
        });
      }
    }
  });

  // The endpoint of agents takes no session, and says so itself.
  it.skipIf(isForAgents)('answers 401 to a session’s cookie, unless the service’s own pages send it', async () => {
    const from = [{}, { 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://a.test' }];
    for (const headers of from) {
      const attempt = send(endpoint, idsFor(endpoint.path, own), { headers: { Cookie: cookie, ...headers } });
      expect(await refusalOf(attempt)).toEqual(refused(401));
    }
  });

  it.skipIf(endpoint.path === FOR_SESSIONS)(
    'answers a key that may only read 403 for what changes something, and a session of it as well',
    async () => {
      const isSession = endpoint.path === '/session';
      const credentials = [
        { Authorization: `Bearer ${readKey}` },
        ...(isSession || isForAgents ? [] : [{ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }]),
      ];
      for (const headers of credentials) {
        const attempt = send(endpoint, idsFor(endpoint.path, own), { headers });
        if (isReadable(endpoint)) expect((await finish(await attempt)).status).toBe(isSession ? 404 : 200);
        else expect(await refusalOf(attempt)).toEqual(refused(403));
      }
    },
  );
});

describe.each(withIds)('$name', ({ endpoint }) => {
  const parameters = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

  it.each(parameters.filter((name) => name !== 'cursor'))(
    'answers one 404 for each %s that is not the owner’s, whatever else is wrong',
    async (name) => {
      const [ids, theirs] = [idsFor(endpoint.path, own), idsFor(endpoint.path, others)];
      const unknown = String(PARAMETERS[name]?.meta()?.example).replace(/(?<=_).*|^\d+$/, (id) =>
        '9'.repeat(id.length),
      );
      const isDeployment = name === 'id' || name === 'deployId';
      const isShared = isDeployment || ['keyId', 'sessionId', 'grantId', 'version'].includes(name);
      const deleted = endpoint.path.startsWith('/trash') ? own.live.id : own.trash.id;
      const replaced = [
        unknown,
        `${ids[name]}0`,
        '%00',
        ...(theirs[name] === ids[name] ? [] : [theirs[name]]),
        ...(isShared ? [] : [idsFor(endpoint.path, sibling)[name]]),
        ...(isDeployment ? [deleted] : []),
      ];
      const answers: { status: number; headers: Record<string, string>; body: string }[] = [];
      for (const id of replaced) {
        const changed = { ...ids, [name]: String(id) };
        const bodies = endpoint.body ? [undefined, '{'] : [undefined];
        for (const body of bodies) {
          const attempt = await send(endpoint, changed, asOwner({ ...(body && { body }), query: '' }));
          answers.push({ status: attempt.status, headers: fixedHeaders(attempt), body: await attempt.text() });
        }
      }
      // Everything of the other owner at once.
      if (isDeployment) {
        const attempt = await send(endpoint, theirs, asOwner());
        answers.push({ status: attempt.status, headers: fixedHeaders(attempt), body: await attempt.text() });
      }
      expect(answers[0]?.status).toBe(404);
      expect(JSON.parse(answers[0]?.body ?? '')).toEqual(failure);
      expect(answers).toEqual(answers.map(() => answers[0]));
    },
  );
});

const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));

describe.each(withBody)('the body of $name', ({ endpoint }) => {
  const example = JSON.stringify(endpoint.body?.content['application/json']?.example);
  const withBytes = (body: string | Buffer, headers: Record<string, string> = {}) =>
    refusalOf(send(endpoint, idsFor(endpoint.path, own), asOwner({ body, headers })));

  it.each<[number, string, string | Buffer, Record<string, string>]>([
    [415, 'text', example, { 'Content-Type': 'text/plain' }],
    [415, 'of no type', example, { 'Content-Type': '' }],
    [415, 'in another charset', example, { 'Content-Type': 'application/json; charset=iso-8859-1' }],
    [415, 'of another type, before its size', bomb, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }],
    [413, 'too large', bomb, { 'Content-Encoding': 'gzip' }],
    [400, 'no gzip', example, { 'Content-Encoding': 'gzip' }],
    [400, 'malformed', `${example.slice(0, -1)},`, {}],
    [400, 'no UTF-8', Buffer.from('{"html":"\xff"}', 'latin1'), {}],
    [400, 'a list', '[]', {}],
    [400, 'null', 'null', {}],
  ])('is refused with %i when it is %s', async (status, _what, body, headers) => {
    expect(await withBytes(body, headers)).toEqual(refused(status));
  });

  const schema = endpoint.body?.content['application/json']?.schema;
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const fields = Object.keys(shape).filter((name) => !shape[name].safeParse(null).success);
  it.each(fields)('is refused with 400 when %s is null', async (name) => {
    const { [name]: _replaced, ...rest } = JSON.parse(example);
    expect(await withBytes(JSON.stringify({ ...rest, [name]: null }))).toEqual(refused(400));
  });
});

describe.each(withQuery)('the query of $name', ({ endpoint }) => {
  const names = Object.keys(endpoint.query?.shape ?? {});
  const ask = (query: string) => refusalOf(send(endpoint, idsFor(endpoint.path, own), asOwner({ query: `?${query}` })));

  it.each(names)('is refused with 400 when it has %s twice', async (name) => {
    expect(await ask(`${name}=1&${name}=1`)).toEqual(refused(400));
  });

  it.each(names.filter((name) => ['page', 'limit'].includes(name)))(
    'is refused with 400 when %s is no number from 1 to 2^31-1',
    async (name) => {
      for (const value of ['', '0', '1.5', 'x', '%D9%A1', '2147483648']) {
        expect(await ask(`${name}=${value}`)).toEqual(refused(400));
      }
    },
  );
});

const withPages = withQuery.filter(({ endpoint }) => Object.hasOwn(endpoint.query?.shape ?? {}, 'page'));

describe.each(withPages)('the pages of $name', ({ endpoint }) => {
  async function read(query: string) {
    const response = await send(endpoint, idsFor(endpoint.path, own), asOwner({ query }));
    const { total, page, limit, ...rest } = JSON.parse(await response.text());
    const items: { id?: string; version?: number }[] = Object.values<[]>(rest).flat();
    // Entries of the audit have none.
    return { ids: items.map((item) => item.id ?? item.version ?? JSON.stringify(item)), total, page, limit };
  }

  it('have 50 items unless another number up to 100 is asked for, and the total also past the end', async () => {
    const { ids, ...whole } = await read('');
    expect(whole).toEqual({ total: new Set(ids).size, page: 1, limit: 50 });
    expect(ids.length).toBeGreaterThan(1);
    expect(await read('?limit=101')).toEqual({ ids, ...whole, limit: 100 });
    expect(await read('?page=2&limit=1')).toEqual({ ids: [ids[1]], ...whole, page: 2, limit: 1 });
    const last = 2 ** 31 - 1;
    expect(await read(`?page=${last}&limit=${last}`)).toEqual({ ids: [], ...whole, page: last, limit: 100 });
  });
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
// These are not there for every client: tls-endpoints.test.ts, security-txt-endpoints.test.ts.
const conditional = ['/internal/tls', '/.well-known/security.txt'];
const paths = [...new Set(endpoints.map(({ path }) => path))].filter((path) => !conditional.includes(path));

describe.each(paths)('%s', (path) => {
  const [endpoint] = endpoints.filter((each) => each.path === path);
  const declared = endpoints.filter((each) => each.path === path).map(({ method }) => method);
  const allowed = METHODS.filter((method) =>
    [...declared, ...(declared.includes('GET') ? ['HEAD'] : [])].includes(method),
  );

  it('answers other methods with 405 and Allow, before 401 and 404', async () => {
    for (const method of METHODS.filter((each) => !allowed.includes(each))) {
      if (!endpoint) throw new Error(path);
      const response = await send(endpoint, { asset: 'none' }, { method, body: undefined });
      const allow = response.headers.get('allow')?.split(', ').toSorted();
      expect({ method, status: response.status, allow }).toEqual({ method, status: 405, allow: allowed.toSorted() });
      // Forms made for other services get more.
      if (method !== 'HEAD') expect(await response.json()).toMatchObject(failure);
    }
  });
});

const IDENTITY = { 'Accept-Encoding': 'identity' };

const gets = keyed.filter(({ endpoint: { method, path } }) => method === 'GET' && path !== FOR_SESSIONS);

describe.each(gets)('HEAD of $name', ({ endpoint }) => {
  it('answers as GET does, without a body', async () => {
    const ids = idsFor(endpoint.path, own);
    const get = await send(endpoint, ids, asOwner({ headers: IDENTITY }));
    await finish(get);
    const head = await send(endpoint, ids, asOwner({ method: 'HEAD', headers: IDENTITY }));
    const { 'transfer-encoding': _chunked, ...headers } = fixedHeaders(get);
    expect({ status: head.status, headers: fixedHeaders(head), body: await head.text() }).toEqual({
      ...{ status: 200, headers, body: '' },
    });
  });
});

it('has changed nothing by all that', async () => {
  expect(await allRows()).toEqual(before);
});
