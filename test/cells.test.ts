import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../src/config.ts';
import { startHaproxy } from './support/haproxy.ts';
import { isInstalled } from './support/installed.ts';
import { asOwner, startTestService, type TestService } from './support/service.ts';
import { startSmtpServer } from './support/smtp.ts';

const HAS_HAPROXY = isInstalled('haproxy', 'the tests of cells behind a proxy');

const PUBLIC = { BASE_URL: 'https://forms.example.org', TRUST_PROXY: '1' };
const startCell = (name: string, settings: Record<string, string> = {}): Promise<TestService> =>
  startTestService({
    ...PUBLIC,
    CELL: name,
    PAGES_DOMAIN: name === '' ? 'pages.example.org' : `pages-${name}.example.org`,
    ...settings,
  });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const cookieOf = (response: request.Response): string => String(response.headers['set-cookie']).split(';')[0] ?? '';

describe('CELL', () => {
  it.each(['EU', '1eu', 'e-u', 'e_u', 'europeans', 'é'])('refuses %s with a line that names it', (name) => {
    expect(() => loadConfig({ CELL: name })).toThrow(/^CELL must be /);
  });

  it.each(['a', 'eu', 'eu1', 'frankfur'])('takes %s', (name) => {
    expect(loadConfig({ CELL: name }).cell).toBe(name);
  });

  let cell: TestService;
  beforeAll(async () => {
    cell = await startCell('eu');
  });
  afterAll(() => cell.close());

  it('begins the ids of deployments, keys and sessions, and nothing else of them changes', async () => {
    const owner = await cell.owner();
    const { id } = await owner.deploy();
    const { body: made } = await owner.post('/keys').send({ name: 'another' }).expect(201);
    const signedIn = await cell.anonymous.post('/session').send({ key: owner.key }).expect(200);
    const sent = await cell.anonymous.post(`/submit/${id}`).send({ name: 'Ada' }).expect(200);
    expect([id, owner.key, made.key, cookieOf(signedIn), sent.body.id]).toEqual([
      expect.stringMatching(/^d_eu[0-9A-Za-z]{24}$/),
      expect.stringMatching(/^fh_eu[0-9A-Za-z]{43}$/),
      expect.stringMatching(/^fh_eu[0-9A-Za-z]{43}$/),
      expect.stringMatching(/^__Host-formhost=eu[0-9A-Za-z]{43}$/),
      expect.stringMatching(/^sub_[0-9A-Za-z]{24}$/),
    ]);
    const listed = await owner.get(`/submissions/${id}`).expect(200);
    expect(listed.body.submissions).toMatchObject([{ id: sent.body.id, data: { name: 'Ada' } }]);
  });

  it('answers ids and keys of another cell as unknown ones', async () => {
    const other = await startCell('us');
    onTestFinished(() => other.close());
    const [here, there] = [await cell.owner(), await other.owner()];
    const { id } = await there.deploy();
    const unknown = await here.get('/deploy/d_000000000000000000000000').expect(404);
    const foreign = await here.get(`/deploy/${id}`).expect(404);
    expect(foreign.body).toEqual(unknown.body);
    await cell.anonymous.post(`/submit/${id}`).send({ a: 'b' }).expect(404);
    await asOwner(cell.url, there.key).get('/deploy').expect(401);
  });

  it('works on ids and keys that were made without it', async () => {
    const before = await startCell('');
    onTestFinished(() => before.close());
    const owner = await before.owner();
    const { id } = await owner.deploy();
    expect([id, owner.key]).toEqual([
      expect.stringMatching(/^d_[0-9A-Za-z]{24}$/),
      expect.stringMatching(/^fh_[0-9A-Za-z]{43}$/),
    ]);
    const named = await before.another({ CELL: 'eu' });
    const again = asOwner(named.url, owner.key);
    await again.get(`/deploy/${id}`).expect(200);
    await request(named.url).post(`/submit/${id}`).send({ a: 'b' }).expect(200);
    expect((await again.deploy()).id).toMatch(/^d_eu/);
  });
});

describe.skipIf(!HAS_HAPROXY)('two cells behind deploy/haproxy-cells.cfg', () => {
  let first: TestService;
  let eu: TestService;
  let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
  let proxy: Awaited<ReturnType<typeof startHaproxy>>;

  const proxyFor = (maps: Parameters<typeof startHaproxy>[1] = {}) =>
    startHaproxy({ cell_default: first.url, cell_eu: eu.url }, maps);

  beforeAll(async () => {
    smtp = await startSmtpServer();
    first = await startCell('');
    eu = await startCell('eu', { SMTP_URL: smtp.url });
    proxy = await proxyFor({ owners: ['far@test.example eu'] });
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all([first.close(), eu.close()]);
    await smtp.close();
  });

  const hostOf = ({ url }: { url: string }): string => new URL(url).host;
  const domainOf = ({ pagesDomain }: Config): string => pagesDomain;

  it('lets owners of both publish, submit and list through one host', async () => {
    for (const cell of [first, eu]) {
      const owner = asOwner(proxy.url, (await cell.owner()).key);
      const deployed = await owner.deploy({ html: `<form action="{{FORM_ACTION}}">${domainOf(cell.config)}</form>` });
      expect(hostOf(deployed)).toBe(`${deployed.slug}.${domainOf(cell.config)}`);
      const page = await request(proxy.url).get('/').set('Host', hostOf(deployed)).expect(200);
      expect(page.text).toBe(
        `<form action="https://forms.example.org/submit/${deployed.id}">${domainOf(cell.config)}</form>`,
      );
      const sent = await request(proxy.url).post(`/submit/${deployed.id}`).send({ name: 'Ada' }).expect(200);
      await request(proxy.url).post('/').set('Host', hostOf(deployed)).type('form').send({ name: 'Grace' }).expect(200);
      const { body } = await owner.get(`/submissions/${deployed.id}`).expect(200);
      expect(body).toMatchObject({ total: 2, submissions: [{ data: { name: 'Grace' } }, { id: sent.body.id }] });
      // The address is the visitor's, not the proxy's.
      expect(body.submissions.map((one: { ip_address: string }) => one.ip_address)).toEqual(['127.0.0.1', '127.0.0.1']);
      const webhook = await owner.post(`/webhooks/${deployed.id}`).send({ url: 'https://example.com/' }).expect(201);
      expect(webhook.body).toMatchObject({
        id: expect.stringMatching(/^wh_[0-9A-Za-z]{24}$/),
        deployment_id: deployed.id,
      });
      expect((await owner.get('/deploy').expect(200)).body.deployments).toMatchObject([{ id: deployed.id }]);
      await owner.delete(`/deploy/${deployed.id}`).expect(200);
      await request(proxy.url).get('/').set('Host', hostOf(deployed)).expect(404);
    }
  });

  it('signs browsers in, by a key and by mail, and finds the cell of the cookie', async () => {
    for (const cell of [first, eu]) {
      const { key } = await cell.owner({ email: `near@${domainOf(cell.config)}` });
      const signedIn = await request(proxy.url).post('/session').send({ key }).expect(200);
      expect(signedIn.body).toEqual({ email: `near@${domainOf(cell.config)}`, plan: 'unlimited' });
      const asBrowser = { Cookie: cookieOf(signedIn), 'Sec-Fetch-Site': 'same-origin' };
      const me = await request(proxy.url).get('/me').set(asBrowser).expect(200);
      expect(me.body.email).toBe(`near@${domainOf(cell.config)}`);
    }
    await eu.owner({ email: 'far@test.example' });
    await request(proxy.url).post('/session/mail').send({ email: 'Far@test.example' }).expect(202);
    await expect.poll(() => smtp.received.length).toBe(1);
    const mail = smtp.received[0]?.raw.toString('latin1').replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    const [path = ''] = /\/session\/mail\/eu[0-9A-Za-z]{43}/.exec(mail) ?? [];
    const asked = await request(proxy.url).get(path).expect(200);
    expect(asked.text).toContain('far@test.example');
    await request(proxy.url).post(path).expect(303);
  });

  it('answers 404 or 401 for what no cell has', async () => {
    const owner = asOwner(proxy.url, (await eu.owner()).key);
    const { id } = await (await first.owner()).deploy();
    await owner.get(`/deploy/${id}`).expect(404);
    const unknown = `d_xx${'0'.repeat(24)}`;
    for (const path of [`/submit/${unknown}`, `/submit/d_eu${'0'.repeat(24)}`, '/submit/default', '/submit/']) {
      await request(proxy.url).post(path).send({ a: 'b' }).expect(404);
    }
    for (const key of [`fh_xx${'0'.repeat(43)}`, `fh_eu${'0'.repeat(43)}`, 'x', `fh_${'0'.repeat(43)}`]) {
      await asOwner(proxy.url, key).get('/deploy').expect(401);
    }
    for (const host of [
      'nobody.pages.example.org',
      'nobody.pages-eu.example.org',
      'NOBODY.PAGES-EU.EXAMPLE.ORG.:443',
    ]) {
      const { text } = await request(proxy.url).get('/').set('Host', host).expect(404);
      expect(text).toMatch(/^<!doctype html>/i);
    }
  });

  it("doesn't take the address that a client gives itself", async () => {
    const owner = asOwner(proxy.url, (await eu.owner()).key);
    const { id } = await owner.deploy();
    const forged = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Host': 'nobody.pages.example.org' };
    await request(proxy.url).post(`/submit/${id}`).set(forged).send({ a: 'b' }).expect(200);
    expect((await owner.get(`/submissions/${id}`)).body.submissions).toMatchObject([{ ip_address: '127.0.0.1' }]);
  });

  it('serves what was moved to another cell under its old ids, keys and hosts', async () => {
    // What a move leaves in the new cell: rows with ids and hashes of keys as the other cell made them.
    const old = await first.owner({ email: 'moved@test.example' });
    const { id, slug } = await old.deploy();
    const { key } = await eu.owner({ email: 'moved@test.example' });
    const deployed = await asOwner(eu.url, key).deploy({ slug, html: 'moved' });
    await eu.db.raw(`UPDATE api_keys SET hash = decode(?, 'hex') WHERE hash = decode(?, 'hex')`, [
      sha256(old.key),
      sha256(key),
    ]);
    await eu.db.transaction(async (transaction) => {
      await transaction.raw(
        'INSERT INTO deployments (id, owner_id, slug, deleted_at) SELECT ?, owner_id, slug, now() FROM deployments WHERE id = ?',
        [id, deployed.id],
      );
      await transaction.raw('UPDATE pages SET deployment_id = ? WHERE deployment_id = ?', [id, deployed.id]);
      await transaction.raw('DELETE FROM deployments WHERE id = ?', [deployed.id]);
      await transaction.raw('UPDATE deployments SET deleted_at = NULL WHERE id = ?', [id]);
    });
    const moving = await proxyFor({
      'moved-ids': [`${id} eu`],
      'moved-keys': [`${sha256(old.key)} eu`],
      'moved-hosts': [`${slug}.pages.example.org ${slug}.pages-eu.example.org`],
    });
    onTestFinished(() => moving.close());
    const moved = asOwner(moving.url, old.key);
    expect((await moved.get(`/deploy/${id}`).expect(200)).body.url).toBe(deployed.url);
    await request(moving.url).post(`/submit/${id}`).send({ a: 'b' }).expect(200);
    expect((await moved.get(`/submissions/${id}`)).body.total).toBe(1);
    const signedIn = await request(moving.url).post('/session').send({ key: old.key }).expect(200);
    expect(cookieOf(signedIn)).toMatch(/^__Host-formhost=eu/);
    const redirected = await request(moving.url).get('/?a=b').set('Host', `${slug}.pages.example.org`).expect(308);
    expect(redirected.headers.location).toBe(`https://${slug}.pages-eu.example.org/?a=b`);
    // All other owners stay where they were.
    await asOwner(moving.url, (await first.owner()).key).deploy();
  });
});
