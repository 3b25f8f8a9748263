import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { allowProgram } from '../../support/allow-program.ts';
import { failure, fixedHeaders, refused } from '../../support/answers.ts';
import { furnish, type Ids, idsFor } from '../../support/furnish.ts';
import { endpointsOf } from '../../support/reference.ts';
import { asOwner, BASE_URL, type Owner, PAGES_DOMAIN, testService } from '../../support/test-service.ts';

/*
 * Keys that do not reach everything: those for some pages, and those that only publish. Every endpoint is asked, also with the tokens of
 * programs that are allowed as much.
 */

const SETTINGS = { SMTP_URL: 'smtp://127.0.0.1:1', ANONYMOUS_HOURS: '24' };
const endpoints = endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN, ...SETTINGS }))
  .filter(({ scope }) => scope !== undefined)
  .map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint }));
type Endpoint = (typeof endpoints)[number]['endpoint'];

/** Endpoints about the whole account. */
const OF_ACCOUNT = [
  ...['POST /deploy', 'POST /keys', 'GET /keys', 'PATCH /me'],
  ...['GET /sessions', 'DELETE /sessions', 'DELETE /sessions/:sessionId', 'POST /claims'],
  ...['GET /grants', 'DELETE /grants/:grantId'],
  ...['GET /drafts', 'GET /draft', 'PUT /draft', 'DELETE /draft'],
];
/** Endpoints that a key with the scope `publish` may call. */
const PUBLISH_READS = [
  ...['GET /me', 'GET /deploy', 'GET /deploy/:id', 'GET /deploy/:id/html', 'GET /deploy/:id/check'],
  ...['GET /deploy/:id/forms', 'GET /overview', 'GET /overview/:id', 'GET /drafts', 'GET /draft'],
  ...['GET /deploy/:id/files', 'GET /deploy/:id/files/*path', 'GET /deploy/:id/versions', 'GET /deploy/:id/draft'],
  ...['GET /deploy/:id/versions/:version/html', 'GET /deploy/:id/versions/:version/files'],
  ...['GET /deploy/:id/versions/:version/files/*path'],
];
const PUBLISH_CHANGES = [
  ...['POST /check', 'POST /deploy', 'PUT /deploy/:id', 'PUT /deploy/:id/files/*path', 'PATCH /deploy/:id/html'],
  ...['PUT /deploy/:id/draft', 'DELETE /deploy/:id/draft', 'PUT /draft', 'DELETE /draft'],
  ...['DELETE /deploy/:id/files/*path', 'POST /deploy/:id/versions/:version/restore', 'DELETE /session', 'POST /mcp'],
];

const service = await testService(SETTINGS);
const owner = await service.owner();
const own = await furnish(service, owner);
const sibling = await furnish(service, owner);
const ownId = own.live.id ?? '';
const siblingId = sibling.live.id ?? '';
const { slug } = (await owner.get(`/deploy/${ownId}`)).body;

async function keyWith(fields: object): Promise<Owner> {
  const made = await owner.post('/keys').send({ name: 'a program', ...fields });
  expect(made.status).toBe(201);
  return asOwner(service.url, made.body.key);
}

const forPage = await keyWith({ pages: [ownId] });
const publishing = await keyWith({ scope: 'publish' });
const programForPage = (await allowProgram(service, owner, { scope: 'full' }, { pages: [ownId] })).api;
const publishingProgram = (await allowProgram(service, owner, { scope: 'publish' })).api;

async function send({ method, path, body }: Endpoint, ids: Ids, { key }: Owner) {
  const target = path.replaceAll(/[:*](\w+)/g, (_all, name: string) => ids[name] ?? `no-${name}`);
  const [[type = '', { example = undefined } = {}] = []] = Object.entries(body?.content ?? {});
  const text = type === 'application/json' ? JSON.stringify(example) : String(example);
  const response = await fetch(`${service.url}${target}`, {
    method,
    redirect: 'manual',
    headers: {
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
      ...(body && { 'Content-Type': type }),
    },
    body: body ? new Uint8Array(Buffer.from(text)) : null,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  return { status: response.status, headers: fixedHeaders(response), body: isStream ? '' : await response.text() };
}

describe.each([
  ['a key', forPage],
  ['a program', programForPage],
])('%s for some pages', (_who, forPage) => {
  const withPage = endpoints.filter(({ endpoint }) => /:(?:id|deployId)\b/.test(endpoint.path));

  it.each(withPage)('answers $name for another page as for one that does not exist', async ({ endpoint }) => {
    const theirs = idsFor(endpoint.path, sibling);
    const nobodys = { ...theirs, id: 'd_9999999999999999999999', deployId: 'd_9999999999999999999999' };
    const answers = [await send(endpoint, theirs, forPage), await send(endpoint, nobodys, owner)];
    expect(answers[0]?.status).toBe(404);
    expect(JSON.parse(answers[0]?.body ?? '')).toEqual(failure);
    expect(answers[0]).toEqual(answers[1]);
  });

  it.each(withPage.filter(({ endpoint }) => endpoint.method === 'GET'))(
    'answers $name for its page as a key for all pages',
    async ({ endpoint }) => {
      const ids = idsFor(endpoint.path, own);
      expect((await send(endpoint, ids, forPage)).status).toBe((await send(endpoint, ids, owner)).status);
    },
  );

  it.each(endpoints.filter(({ name }) => OF_ACCOUNT.includes(name)))('is refused with 403 at $name', async (one) => {
    const { status, body } = await send(one.endpoint, idsFor(one.endpoint.path, own), forPage);
    expect({ status, body: JSON.parse(body) }).toEqual(refused(403));
  });

  it('sees its pages only in lists', async () => {
    await service.anonymous.post(`/submit/${siblingId}`).send({ name: 'Theirs' }).expect(200);
    await service.anonymous.post(`/submit/${ownId}`).send({ name: 'Ours' }).expect(200);
    const idsIn = async (path: string, list: string, field: string) => {
      const { body } = await forPage.get(path).expect(200);
      return { ids: [...new Set(body[list].map((one: Record<string, string>) => one[field]))], total: body.total };
    };
    expect(await idsIn('/deploy', 'deployments', 'id')).toEqual({ ids: [ownId], total: 1 });
    expect(await idsIn('/overview', 'deployments', 'id')).toEqual({ ids: [ownId], total: 1 });
    expect((await idsIn('/inbox', 'submissions', 'deployment_id')).ids).toEqual([ownId]);
    expect(await idsIn('/trash', 'deployments', 'id')).toEqual({ ids: [], total: 0 });
    expect((await forPage.get('/me')).body.deployments).toBe(1);
    expect((await owner.get('/me')).body.deployments).toBeGreaterThan(1);
  });
});

describe('a key for some pages', () => {
  it('keeps its page when that is in the trash, and brings it back', async () => {
    const { id } = await owner.deploy({ html: '<p>Soon deleted' });
    const key = await keyWith({ pages: [id] });
    await key.delete(`/deploy/${id}`).expect(200);
    expect((await key.get('/trash')).body.deployments).toEqual([expect.objectContaining({ id })]);
    await key.post(`/trash/${id}/restore`).expect(200);
    await key.get(`/deploy/${id}`).expect(200);
  });

  it('is what its session is', async () => {
    const signedIn = await service.anonymous.post('/session').send({ key: forPage.key });
    const headers = {
      Cookie: String(signedIn.headers['set-cookie']).replace(/;.*/, ''),
      'Sec-Fetch-Site': 'same-origin',
    };
    const statuses = await Promise.all(
      [`/deploy/${ownId}`, `/deploy/${siblingId}`, '/keys'].map(
        async (path) => (await fetch(`${service.url}${path}`, { headers })).status,
      ),
    );
    expect(statuses).toEqual([200, 404, 403]);
  });

  it('revokes itself and no other key', async () => {
    const { body: made } = await owner.post('/keys').send({ name: 'one', pages: [slug] });
    const key = asOwner(service.url, made.key);
    const { keys } = (await owner.get('/keys')).body;
    const other = keys.find(({ id }: { id: string }) => id !== made.id);
    expect((await key.delete(`/keys/${other.id}`)).status).toBe(404);
    await key.delete(`/keys/${made.id}`).expect(200);
    expect((await key.get('/deploy')).status).toBe(401);
  });

  it('is none that an owner keeps as the last', async () => {
    const alone = await service.owner();
    const { id } = await alone.deploy({ html: '<p>Page' });
    await alone
      .post('/keys')
      .send({ name: 'for a page', pages: [id] })
      .expect(201);
    const { keys } = (await alone.get('/keys')).body;
    const first = keys.find(({ pages }: { pages: unknown }) => pages === null);
    expect((await alone.delete(`/keys/${first.id}`)).status).toBe(409);
  });
});

describe('POST /keys with pages', () => {
  it('takes ids and slugs, names each page once, and shows the ids', async () => {
    const { body } = await owner.post('/keys').send({ name: 'two', pages: [slug, siblingId, ownId] });
    expect(body.pages).toEqual([ownId, siblingId]);
    const { keys } = (await owner.get('/keys')).body;
    expect(keys.find(({ id }: { id: string }) => id === body.id).pages).toEqual([ownId, siblingId]);
  });

  it('answers 400 to pages that are not the owner’s, and to an empty list', async () => {
    const { id: others } = await (await service.owner()).deploy({ html: '<p>Page' });
    const wrong = [[], [''], [others], [ownId, 'd_9'], ['a\0b'], 'x', [1], Array.from({ length: 101 }, () => ownId)];
    for (const pages of wrong) {
      const attempt = await owner.send('POST', '/keys', JSON.stringify({ name: 'wrong', pages }));
      expect({ pages, ...attempt }).toEqual({ pages, ...refused(400) });
    }
  });
});

describe.each([
  ['a key', publishing],
  ['a program', publishingProgram],
])('%s with the scope publish', (_who, publishing) => {
  const mayBeAsked = [...PUBLISH_READS, ...PUBLISH_CHANGES];
  // Those of operators are a 404 for all others, and a consent is a session's.
  const isForOthers = (name: string): boolean => / \/(?:admin|oauth)\//.test(name);
  const refusedTo = endpoints.filter(({ name }) => !mayBeAsked.includes(name) && !isForOthers(name));

  it.each(refusedTo)('is refused with 403 at $name', async ({ endpoint }) => {
    const { status, body } = await send(endpoint, idsFor(endpoint.path, own), publishing);
    expect({ status, body: JSON.parse(body) }).toEqual(refused(403));
  });

  it.each(endpoints.filter(({ name }) => PUBLISH_READS.includes(name)))('may $name', async ({ endpoint }) => {
    expect((await send(endpoint, idsFor(endpoint.path, own), publishing)).status).toBe(200);
  });

  it('publishes, changes files, checks, and restores versions', async () => {
    const { id } = (await publishing.post('/deploy').send({ html: '<p>First' }).expect(201)).body;
    await publishing.put(`/deploy/${id}`).send({ html: '<p>Second' }).expect(200);
    const { status } = await publishing.put(`/deploy/${id}/files/a.txt`).set('Content-Type', 'text/plain').send('a');
    expect(status).toBe(200);
    await publishing.delete(`/deploy/${id}/files/a.txt`).expect(200);
    await publishing.post('/check').send({ html: '<form>' }).expect(200);
    const { versions } = (await publishing.get(`/deploy/${id}/versions`)).body;
    await publishing.post(`/deploy/${id}/versions/${versions.at(-1).version}/restore`).expect(200);
    expect((await publishing.delete(`/deploy/${id}`)).status).toBe(403);
  });

  it('may be for some pages, and makes none then', async () => {
    const key =
      publishing === publishingProgram
        ? (await allowProgram(service, owner, { scope: 'publish' }, { pages: [ownId] })).api
        : await keyWith({ scope: 'publish', pages: [ownId] });
    await key.put(`/deploy/${ownId}`).send({ html: '<p>Mine' }).expect(200);
    expect((await key.put(`/deploy/${siblingId}`).send({ html: '<p>Mine' })).status).toBe(404);
    expect((await key.post('/deploy').send({ html: '<p>New' })).status).toBe(403);
    expect((await key.get(`/submissions/${ownId}`)).status).toBe(403);
  });
});
