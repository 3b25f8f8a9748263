import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Config, loadConfig } from '../../src/config.ts';
import { emptyFolder } from '../support/formhost.ts';
import { startHaproxy } from '../support/haproxy.ts';
import { isInstalled } from '../support/installed.ts';
import { startProgram } from '../support/process.ts';
import { asOwner, startTestService, type TestService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp.ts';

const HAS_HAPROXY = isInstalled('haproxy', 'the tests of cells behind a proxy');
const HAS_PSQL = isInstalled('psql', 'the tests of moving an owner');
/** A move starts ten programs. */
const PATIENTLY = { timeout: 60_000 };

const PUBLIC = { BASE_URL: 'https://forms.example.org', TRUST_PROXY: '1' };
const startCell = (name: string, settings: Record<string, string> = {}): Promise<TestService> =>
  startTestService({
    ...PUBLIC,
    CELL: name,
    PAGES_DOMAIN: name === '' ? 'pages.example.net' : `pages-${name}.example.net`,
    ...settings,
  });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const cookieOf = (response: request.Response): string => String(response.headers['set-cookie']).split(';')[0] ?? '';

describe('CELL', () => {
  it.each(['EU', '1eu', 'e-u', 'e_u', 'europeans', 'é'])('refuses %s with a line that names it', (name) => {
    expect(() => loadConfig({ CELL: name })).toThrow(
      'CELL must be a lowercase letter, then lowercase letters and digits, at most 8 characters in all',
    );
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

describe.skipIf(!HAS_HAPROXY)('two cells behind deploy/examples/haproxy-cells.cfg', () => {
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
      'nobody.pages.example.net',
      'nobody.pages-eu.example.net',
      'NOBODY.PAGES-EU.EXAMPLE.NET.:443',
    ]) {
      const { text } = await request(proxy.url).get('/').set('Host', host).expect(404);
      expect(text).toMatch(/^<!doctype html>/i);
    }
  });

  it("doesn't take the address that a client gives itself", async () => {
    const owner = asOwner(proxy.url, (await eu.owner()).key);
    const { id } = await owner.deploy();
    const forged = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Host': 'nobody.pages.example.net' };
    await request(proxy.url).post(`/submit/${id}`).set(forged).send({ a: 'b' }).expect(200);
    expect((await owner.get(`/submissions/${id}`)).body.submissions).toMatchObject([{ ip_address: '127.0.0.1' }]);
  });

  /** deploy/examples/move-owner from the default cell to eu: its exit code, what it prints, and the lines of its maps. */
  async function move(email: string) {
    const folder = await emptyFolder();
    const domains = { FROM_PAGES: domainOf(first.config), TO_PAGES: domainOf(eu.config) };
    const databases = { FROM: first.databaseUrl, TO: eu.databaseUrl };
    const { code, stdout, stderr } = await startProgram('deploy/examples/move-owner', [email, 'eu', folder], {
      ...domains,
      ...databases,
    }).result;
    const linesOf = async (name: string) => {
      const text = await readFile(join(folder, `formhost-${name}.map`), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    };
    const maps = {
      'moved-ids': await linesOf('moved-ids'),
      'moved-keys': await linesOf('moved-keys'),
      'moved-hosts': await linesOf('moved-hosts'),
      owners: await linesOf('owners'),
    };
    return { code, stdout, stderr, maps };
  }

  it.skipIf(!HAS_PSQL)('serves an owner that was moved under the old ids, keys and hosts', PATIENTLY, async () => {
    const email = 'moved@test.example';
    const old = await first.owner({ email });
    const staying = await first.owner();
    const { id: stays } = await staying.deploy();
    const files = { 'a.txt': 'moved\t\\N\u0000\n' };
    const { id, slug } = await old.deploy({ html: 'moved\t\\N\u0000', files });
    const { id: deleted } = await old.deploy();
    await old.delete(`/deploy/${deleted}`).expect(200);
    await old.change(id, { spam: { blocklist: ['casino'], captcha: null } });
    await old.post(`/webhooks/${id}`).send({ url: 'https://example.com/' }).expect(201);
    const form = first.anonymous.post(`/submit/${id}`).field('name', 'Ada\t\\.\n');
    await form.attach('file', Buffer.from('contents'), 'a.bin').expect(200);
    await first.anonymous.post(`/submit/${id}`).send({ text: 'casino' }).expect(200);
    const { body: before } = await old.get(`/submissions/${id}/search`).expect(200);
    const [{ id: submissionId, data }] = before.submissions;
    await old.patch(`/submissions/${id}/${submissionId}`).send({ starred: true }).expect(200);

    const { maps, ...said } = await move('Moved@test.example');
    expect(said).toEqual({ code: 0, stdout: 'moved moved@test.example to eu: reload HAProxy now\n', stderr: '' });
    expect(maps).toEqual({
      'moved-ids': expect.arrayContaining([`${id} eu`, `${deleted} eu`]),
      'moved-keys': [`${sha256(old.key)} eu`],
      'moved-hosts': [`${slug}.pages.example.net ${slug}.pages-eu.example.net`],
      owners: ['moved@test.example eu'],
    });
    expect(maps['moved-ids']).toHaveLength(2);

    const moving = await proxyFor(maps);
    onTestFinished(() => moving.close());
    const moved = asOwner(moving.url, old.key);
    const host = `${slug}.pages-eu.example.net`;
    expect((await moved.get(`/deploy/${id}`).expect(200)).body).toMatchObject({ id, slug, url: `https://${host}` });
    const page = await request(moving.url).get('/').set('Host', host).expect(200);
    expect(page.text).toBe('moved\t\\N\u0000');
    const file = await request(moving.url).get('/a.txt').set('Host', host).expect(200);
    expect(file.text).toBe(files['a.txt']);
    const { body: all } = await moved.get(`/submissions/${id}/search?starred=true`).expect(200);
    expect(all.submissions).toEqual([{ ...before.submissions[0], starred: true }]);
    expect((await moved.get(data.file.url).expect(200)).body.toString()).toBe('contents');
    expect((await moved.get(`/deploy/${id}/spam`).expect(200)).body).toMatchObject({ total: 1 });
    expect((await moved.get(`/webhooks/${id}`).expect(200)).body.webhooks).toHaveLength(1);
    expect((await moved.get('/trash').expect(200)).body.deployments).toMatchObject([{ id: deleted }]);
    await request(moving.url).post(`/submit/${id}`).send({ a: 'b' }).expect(200);
    await request(moving.url).post(`/submit/${id}`).send({ text: 'casino' }).expect(200);
    expect((await moved.get(`/submissions/${id}`)).body.total).toBe(2);
    expect((await moved.get(`/deploy/${id}/spam`)).body).toMatchObject({ total: 2 });
    const signedIn = await request(moving.url).post('/session').send({ key: old.key }).expect(200);
    expect(cookieOf(signedIn)).toMatch(/^__Host-formhost=eu/);
    const redirected = await request(moving.url).get('/?a=b').set('Host', `${slug}.pages.example.net`).expect(308);
    expect(redirected.headers.location).toBe(`https://${host}/?a=b`);
    // The other cell has it no longer, and all other owners stay where they were.
    await asOwner(first.url, old.key).get('/deploy').expect(401);
    await first.anonymous.post(`/submit/${id}`).send({ a: 'b' }).expect(404);
    await asOwner(moving.url, staying.key).get(`/deploy/${stays}`).expect(200);
  });

  it.skipIf(!HAS_PSQL)('leaves an owner as it was where the other cell has its slug', PATIENTLY, async () => {
    const email = 'stays@test.example';
    const owner = await first.owner({ email });
    const { id, slug } = await owner.deploy();
    await (await eu.owner()).deploy({ slug });
    const { code, stdout, stderr, maps } = await move(email);
    expect({ code, stdout, maps }).toEqual({
      code: 1,
      stdout: '',
      maps: { 'moved-ids': [], 'moved-keys': [], 'moved-hosts': [], owners: [] },
    });
    expect(stderr).toMatch(
      /deployments_live_slug[\s\S]*\nmove-owner: TO has not taken the rows \(see above\): nothing was moved\n$/,
    );
    await owner.get(`/deploy/${id}`).expect(200);
    await first.anonymous.post(`/submit/${id}`).send({ a: 'b' }).expect(200);
    expect(await eu.db('owners').where({ email })).toEqual([]);
  });

  it.skipIf(!HAS_PSQL)('leaves an owner as it was whose files are in a bucket of the cell', PATIENTLY, async () => {
    const email = 'bucket@test.example';
    const owner = await first.owner({ email });
    const { id } = await owner.deploy({ html: '<p>', files: { 'a.txt': 'in the bucket' } });
    await first.anonymous.post(`/submit/${id}`).attach('file', Buffer.from('contents'), 'a.bin').expect(200);
    await first.db('submission_files').where({ deployment_id: id }).update({ object_id: 'obj_1' });
    const sha256 = createHash('sha256').update('in the bucket').digest();
    await first.db('site_contents').where({ sha256 }).update({ object_id: 'obj_2', content: null });
    const { code, stderr } = await move(email);
    const told =
      "move-owner: 2 files of the owner are in the bucket of FROM: run 'formhost admin files move --to database' there: nothing was moved\n";
    expect({ code, stderr }).toEqual({ code: 1, stderr: told });
    await owner.get(`/deploy/${id}`).expect(200);
  });

  it('moves every table that has something of an owner', async () => {
    const { rows } = await first.db.raw(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname IN ('owner_id', 'deployment_id'))
        ORDER BY 1`,
    );
    // Owners and pieces of files, which the script knows; and what stays: browsers that are signed in, tries, secrets and the
    // bucket of a cell.
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      ...['altcha_solutions', 'bucket_use', 'knex_migrations', 'knex_migrations_lock', 'link_secret', 'owners'],
      ...['removed_objects', 'sessions', 'sign_in_links', 'sign_in_tries', 'submission_file_chunks'],
      'unknown_key_tries',
    ]);
  });
});
