import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import type { Role } from '../../../src/db/account/guest-queries.ts';
import { makeKey } from '../../../src/db/account/owner-queries.ts';
import { hashOfKey, newGuestId, newSessionId, newToken } from '../../../src/lib/ids.ts';
import { failure, fixedHeaders } from '../../support/answers.ts';
import { type Furnished, furnish, type Ids, idsFor } from '../../support/furnish.ts';
import { endpointsOf } from '../../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN, testService, UNKNOWN_ID } from '../../support/test-service.ts';

/*
 * Every operation on a page that is declared, as each person who might ask for it: the owner, its guests, and all others.
 */

const SETTINGS = { SMTP_URL: 'smtp://127.0.0.1:1', TRUST_PROXY: '1' };
const endpoints = endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN, ...SETTINGS }));
type Endpoint = (typeof endpoints)[number];
const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** The least role that each operation needs. All others are the owner's alone. */
const ROLE_OF: Readonly<Record<string, Role>> = {
  ...Object.fromEntries(
    [
      ...['GET /deploy/:id', 'GET /overview/:id', 'GET /deploy/:id/forms', 'GET /deploy/:id/stats'],
      ...[
        'GET /submissions/:deployId',
        'GET /submissions/:deployId/:submissionId',
        'GET /submissions/:deployId/search',
      ],
      ...['GET /submissions/:deployId/after/:cursor', 'GET /submissions/:deployId/stream'],
      ...['csv', 'ndjson', 'xlsx'].map((type) => `GET /submissions/:deployId/export.${type}`),
      'GET /submissions/:deployId/:submissionId/files/:fileId',
      ...['PATCH /submissions/:deployId/:submissionId', 'POST /submissions/:deployId/bulk'],
    ].map((name) => [name, 'reader'] as const),
  ),
  ...Object.fromEntries(
    [
      ...['DELETE /submissions/:deployId/:submissionId', 'GET /submissions/:deployId/trash'],
      ...[
        'POST /submissions/:deployId/trash/:submissionId/restore',
        'DELETE /submissions/:deployId/trash/:submissionId',
      ],
      ...['GET /deploy/:id/spam', 'DELETE /deploy/:id/spam', 'DELETE /deploy/:id/spam/:submissionId'],
      ...['POST /deploy/:id/spam/:submissionId/release', 'POST /deploy/:id/spam/:submissionId/restore'],
      ...['GET /deploy/:id/html', 'PATCH /deploy/:id/html'],
      ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /deploy/:id/draft`),
      ...['PUT /deploy/:id', 'PATCH /deploy/:id', 'GET /deploy/:id/settings', 'GET /deploy/:id/check'],
      ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /deploy/:id/files/*path`),
      ...['GET /deploy/:id/files', 'GET /deploy/:id/versions', 'GET /deploy/:id/versions/:version/html'],
      ...['GET /deploy/:id/versions/:version/files', 'GET /deploy/:id/versions/:version/files/*path'],
      ...['POST /deploy/:id/versions/:version/restore', 'POST /submissions/:deployId/test'],
      ...['GET /deploy/:id/mails', 'POST /deploy/:id/mails/test', 'POST /deploy/:id/confirmation/preview'],
    ].map((name) => [name, 'editor'] as const),
  ),
};
/** It depends on the guest: a test of its own is below. */
const OF_ONESELF = 'DELETE /deploy/:id/guests/:guestId';

const ofPage = endpoints
  .filter(({ scope, path }) => scope !== undefined && /^\/(?:deploy|overview|submissions|webhooks)\/:/.test(path))
  .map((endpoint) => ({ name: nameOf(endpoint), endpoint }));

const service = await testService({ ...SETTINGS, MAX_SITE_BYTES: '1048576' });
const owner = await service.owner({ email: 'owner@test.example' });

/** The cookie of a session of an address, without an account. */
async function sessionOf(email: string): Promise<Record<string, string>> {
  const token = newToken();
  await service.db('sessions').insert({ id: newSessionId(), hash: hashOfKey(token), email });
  return { Cookie: `formhost=${token}`, 'Sec-Fetch-Site': 'same-origin' };
}
async function addGuest(page: string, email: string, role: Role): Promise<string> {
  const id = newGuestId();
  const row = { id, deployment_id: page, email, role, invited_at: service.db.fn.now() };
  await service.db('guests').insert(row);
  return id;
}

const GUESTS = { reader: 'reader@test.example', editor: 'editor@test.example' } as const;
const sessions = {
  reader: await sessionOf(GUESTS.reader),
  editor: await sessionOf(GUESTS.editor),
};

/** A page of the owner with both guests. */
async function shared(): Promise<Furnished> {
  const page = await furnish(service, owner);
  for (const [role, email] of Object.entries(GUESTS)) {
    const guest = await addGuest(page.live.id ?? '', email, role === 'editor' ? 'editor' : 'reader');
    const draft = { html: Buffer.from('<h1>Draft</h1>'), updated_at: service.db.fn.now() };
    await service.db('page_drafts').insert({ deployment_id: page.live.id, guest_id: guest, ...draft });
  }
  return page;
}
const page = await shared();
const pageId = page.live.id ?? '';

/** A guest with an account, whose keys are the account's alone. */
const { key } = await makeKey(service.db, { email: GUESTS.editor, defaultPlan: 'unlimited' });
const removedGuest = await addGuest(pageId, 'removed@test.example', 'editor');
const removed = await sessionOf('removed@test.example');
await service.db('guests').where({ id: removedGuest }).delete();
const share = (await owner.post(`/deploy/${pageId}/shares`).send({}).expect(201)).body.url.split('/').at(-1);
const OTHERS = {
  'a stranger': await sessionOf('stranger@test.example'),
  'a guest who was removed': removed,
  'a key of a guest': { Authorization: `Bearer ${key}` },
};

/** Bodies in place of examples that have what is the owner's alone. */
const BODIES: Readonly<Record<string, object>> = { 'PATCH /deploy/:id': { redirect_url: 'https://example.org/' } };

/** Sends the example of an endpoint. */
async function send({ method, path, body }: Endpoint, ids: Ids, headers: Record<string, string>) {
  const target = path.replaceAll(/[:*](\w+)/g, (_all, name: string) => ids[name] ?? `no-${name}`);
  const [[type = '', { example: declared = undefined } = {}] = []] = Object.entries(body?.content ?? {});
  const example = BODIES[`${method} ${path}`] ?? declared;
  const response = await fetch(service.url + target, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body && { 'Content-Type': type }) },
    ...(body && { body: type === 'application/json' ? JSON.stringify(example) : String(example) }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  return { status: response.status, headers: fixedHeaders(response), text: isStream ? '' : await response.text() };
}

it('has a role for each operation that exists, and for no other', () => {
  const names = new Set(ofPage.map(({ name }) => name));
  expect(Object.keys(ROLE_OF).filter((name) => !names.has(name))).toEqual([]);
  // Declarations say the same.
  const declared = ofPage.flatMap(({ name, endpoint: { guests } }) => (guests ? [[name, guests]] : []));
  expect(Object.fromEntries(declared)).toEqual({ ...ROLE_OF, [OF_ONESELF]: 'reader' });
});

describe.each(ofPage)('$name', ({ name, endpoint }) => {
  it('allows guests what their role allows, and refuses them the rest', async () => {
    for (const role of ['reader', 'editor'] as const) {
      const needed = ROLE_OF[name];
      const isAllowed = needed === 'reader' || needed === role;
      const target = isAllowed && endpoint.method !== 'GET' ? await shared() : page;
      const { status, text } = await send(endpoint, idsFor(endpoint.path, target), sessions[role]);
      if (isAllowed) expect([role, Math.floor(status / 100)]).toEqual([role, 2]);
      else expect([role, status, JSON.parse(text)]).toEqual([role, 403, failure]);
    }
  });

  it('answers all others as if there was no such page', async () => {
    const ids = idsFor(endpoint.path, page);
    const unknown = { ...ids, id: UNKNOWN_ID, deployId: UNKNOWN_ID };
    for (const [who, headers] of Object.entries(OTHERS)) {
      const refusal = await send(endpoint, ids, headers);
      expect([who, refusal.status]).toEqual([who, 404]);
      expect([who, refusal]).toEqual([who, await send(endpoint, unknown, headers)]);
    }
    expect((await send(endpoint, ids, { Authorization: `Bearer ${share}` })).status).toBe(401);
  });
});

/** A request of a guest, as pages of the service send it. */
const as = (role: Role) => ({
  get: (path: string) => service.anonymous.get(path).set(sessions[role]),
  send: (method: 'post' | 'patch' | 'delete', path: string, body: object = {}) =>
    service.anonymous[method](path).set(sessions[role]).send(body),
});

it('an editor changes no setting by which a page could go', async () => {
  const { live } = await shared();
  const path = `/deploy/${live.id}`;
  const before = (await owner.get(`${path}/settings`)).body;
  for (const body of [{ slug: 'taken-over' }, { expires_at: '2099-01-01T00:00:00Z' }, { retention_days: 1 }]) {
    const refusal = await as('editor').send('patch', path, { ...body, redirect_url: 'https://example.org/' });
    expect([refusal.status, refusal.body]).toEqual([403, failure]);
  }
  expect((await owner.get(`${path}/settings`)).body).toEqual(before);
});

it('a reader marks many submissions, and deletes none', async () => {
  const { live } = await shared();
  const path = `/submissions/${live.id}/bulk`;
  const ids = [live.submissionId];
  for (const action of ['read', 'star', 'done', 'open', 'unstar', 'unread']) {
    expect((await as('reader').send('post', path, { action, ids })).body).toEqual({ done: 1 });
  }
  for (const action of ['delete', 'spam'])
    expect((await as('reader').send('post', path, { action, ids })).status).toBe(403);
  expect((await as('editor').send('post', path, { action: 'delete', ids })).body).toEqual({ done: 1 });
});

it('guests remove themselves, and nobody else; the access ends at once, in every process', async () => {
  const another = await service.another();
  const { live } = await shared();
  const guests = (await owner.get(`/deploy/${live.id}/guests`)).body.guests;
  const idOf = (role: Role): string => guests.find(({ email }: { email: string }) => email === GUESTS[role]).id;
  const pathOf = (role: Role): string => `/deploy/${live.id}/guests/${idOf(role)}`;
  expect((await as('editor').send('delete', pathOf('reader'))).status).toBe(403);
  expect((await as('reader').send('delete', pathOf('reader'))).status).toBe(200);
  for (const url of [service.url, another.url]) {
    const response = await fetch(`${url}/submissions/${live.id}`, { headers: sessions.reader });
    expect([response.status, await response.json()]).toEqual([404, failure]);
  }
  expect((await as('editor').get(`/submissions/${live.id}`)).status).toBe(200);
});

it('a stream of a guest ends when the guest is removed', async () => {
  const { live } = await shared();
  const guests = (await owner.get(`/deploy/${live.id}/guests`)).body.guests;
  const { id } = guests.find(({ email }: { email: string }) => email === GUESTS.reader);
  const stream = await fetch(`${service.url}/submissions/${live.id}/stream`, { headers: sessions.reader });
  expect(stream.status).toBe(200);
  await owner.delete(`/deploy/${live.id}/guests/${id}`).expect(200);
  const reader = stream.body?.getReader();
  for (let isDone: boolean | undefined = false; isDone === false; ) isDone = (await reader?.read())?.done;
});

describe('a guest without an account', () => {
  it('has no plan, sees shared pages alone, and makes no page and no key', async () => {
    const { live } = await shared();
    expect((await as('reader').get('/me')).body).toMatchObject({ email: GUESTS.reader, plan: null, deployments: 0 });
    const { deployments, total } = (await as('reader').get('/overview')).body;
    expect(deployments[0]).toMatchObject({ id: live.id, role: 'reader', guest_id: expect.stringMatching(/^gst_/) });
    expect(deployments.every(({ role }: { role?: string }) => role === 'reader')).toBe(true);
    expect(total).toBeGreaterThanOrEqual(deployments.length);
    expect((await as('reader').get(`/overview/${live.id}`)).body).toEqual(deployments[0]);
    for (const [path, body] of [
      ['/deploy', { html: '<p>Mine' }],
      ['/keys', { name: 'mine' }],
    ] as const) {
      const refusal = await as('reader').send('post', path, body);
      expect([refusal.status, refusal.body]).toEqual([403, failure]);
    }
    expect((await as('reader').get('/deploy')).body.total).toBe(0);
  });
});

it('a guest with an account sees own and shared pages together; a key of it its own alone', async () => {
  const email = 'both@test.example';
  const { key: ownKey } = await makeKey(service.db, { email, defaultPlan: 'unlimited' });
  const authorization = { Authorization: `Bearer ${ownKey}` };
  const own = await service.anonymous.post('/deploy').set(authorization).send({ html: '<p>Own' }).expect(201);
  const { live } = await shared();
  await addGuest(live.id ?? '', email, 'editor');
  const signedIn = await service.anonymous.post('/session').send({ key: ownKey }).expect(200);
  const cookie = { Cookie: String(signedIn.headers['set-cookie']).replace(/;.*/, ''), 'Sec-Fetch-Site': 'same-origin' };
  const seen = async (headers: Record<string, string>, query = '') => {
    const { deployments, total } = (await service.anonymous.get(`/overview${query}`).set(headers)).body;
    return { total, pages: deployments.map(({ id, role }: { id: string; role?: Role }) => [id, role]) };
  };
  const both = [
    [live.id, 'editor'],
    [own.body.id, undefined],
  ];
  expect(await seen(cookie)).toEqual({ total: 2, pages: both });
  expect(await seen(cookie, '?page=2&limit=1')).toEqual({ total: 2, pages: [both[1]] });
  expect(await seen(authorization)).toEqual({ total: 1, pages: [both[1]] });
  expect((await service.anonymous.get(`/submissions/${live.id}`).set(cookie)).status).toBe(200);
});
