import { describe, expect, it, onTestFinished } from 'vitest';
import { changeEmail } from '../../../src/db/account/owner-queries.ts';
import { beginSession } from '../../../src/db/account/session-queries.ts';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { hashOfKey, newToken } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { suspendOwner } from '../../support/suspend-owner.ts';
import { asOwner, type Owner, testService } from '../../support/test-service.ts';

/* Sessions that stand for an address: those of owners who have no full key, and of people who are guests. */

const OWN = { 'Sec-Fetch-Site': 'same-origin' };

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });

const withCookie = (cookie: string) => ({ Cookie: cookie, ...OWN });
const get = (cookie: string, path = '/me') => service.anonymous.get(path).set(withCookie(cookie));
const send = (method: 'post' | 'patch' | 'delete', cookie: string, path: string, body?: object) =>
  service.anonymous[method](path).set(withCookie(cookie)).send(body);

const revokeKeys = ({ key }: Owner) =>
  service.db.raw(
    'UPDATE api_keys SET revoked_at = now() WHERE owner_id = (SELECT owner_id FROM api_keys WHERE hash = ?)',
    [hashOfKey(key)],
  );

let mailed = 0;

/** The path of the link that an address is sent. */
async function linkTo(email: string): Promise<string> {
  await service.db('sign_in_tries').delete();
  await service.anonymous.post('/session/mail').send({ email }).expect(202);
  mailed += 1;
  await expect.poll(() => smtp.received.length, { interval: 20 }).toBe(mailed);
  const { parts } = readMail(smtp.received.at(-1)?.raw ?? Buffer.alloc(0));
  return /http:\/\/api\.test(\/session\/mail\/[0-9A-Za-z]{43})/.exec(parts[0]?.text ?? '')?.[1] ?? '';
}

/** The cookie of a new session that a link in a mail begins. */
async function signIn(email: string): Promise<string> {
  const { headers } = await service.anonymous
    .post(await linkTo(email))
    .redirects(0)
    .expect(303);
  return String(headers['set-cookie']).replace(/;.*/, '');
}

/** An owner whose only key is revoked. */
async function withoutKey(email: string): Promise<Owner> {
  const owner = await service.owner({ email });
  await revokeKeys(owner);
  return owner;
}

describe('a session of an address', () => {
  it('begins by mail for an owner without a valid key, who may do everything and makes a key', async () => {
    await withoutKey('keyless@test.example');
    const path = await linkTo('keyless@test.example');
    expect((await service.anonymous.get(path)).text).toContain('You will be signed in as keyless@test.example');
    const { headers } = await service.anonymous.post(path).redirects(0).expect(303);
    const cookie = String(headers['set-cookie']).replace(/;.*/, '');
    const me = await get(cookie);
    expect([me.status, me.body.email, me.headers['formhost-scope']]).toEqual([200, 'keyless@test.example', 'full']);
    expect((await get(cookie, '/keys')).body).toEqual({ keys: [], total: 0, page: 1, limit: 50 });
    expect((await send('post', cookie, '/deploy', { html: 'x' })).status).toBe(201);
    const made = await send('post', cookie, '/keys', { name: 'first' });
    expect(made.status).toBe(201);
    expect((await asOwner(service.url, made.body.key).get('/me')).body.email).toBe('keyless@test.example');
    expect((await service.anonymous.post(path).redirects(0)).status).toBe(404);
  });

  it('begins where the owner has only a key that may read, so that making such a key locks nobody out', async () => {
    const owner = await service.owner({ email: 'reader@test.example' });
    await owner.post('/keys').send({ name: 'reader', scope: 'read' }).expect(201);
    await service
      .db('api_keys')
      .where({ hash: hashOfKey(owner.key) })
      .update({ revoked_at: new Date() });
    expect((await get(await signIn('reader@test.example'))).headers['formhost-scope']).toBe('full');
  });

  it('goes on when keys are made and revoked, also the last one', async () => {
    await withoutKey('steady@test.example');
    const cookie = await signIn('steady@test.example');
    const { body: made } = await send('post', cookie, '/keys', { name: 'only' });
    const only = asOwner(service.url, made.key);
    expect(answer(await only.delete(`/keys/${made.id}`))).toEqual(refused(409));
    expect((await send('delete', cookie, `/keys/${made.id}`)).status).toBe(200);
    expect([(await only.get('/me')).status, (await get(cookie)).status]).toEqual([401, 200]);
  });

  it('is listed with those of keys, and ended one by one, by nobody else', async () => {
    const owner = await withoutKey('listed@test.example');
    const [one, two] = [await signIn('listed@test.example'), await signIn('listed@test.example')];
    const { body: made } = await send('post', one, '/keys', { name: 'key' });
    const { headers } = await service.anonymous.post('/session').send({ key: made.key }).expect(200);
    const three = String(headers['set-cookie']).replace(/;.*/, '');
    const { sessions, total } = (await get(two, '/sessions')).body;
    expect([total, sessions.map(({ current }: { current: boolean }) => current)]).toEqual([3, [false, true, false]]);
    expect((await get(three, '/sessions?page=2&limit=2')).body.sessions).toMatchObject([{ id: sessions[2].id }]);
    const stranger = await service.owner();
    expect(answer(await stranger.delete(`/sessions/${sessions[1].id}`))).toEqual(refused(404));
    expect(answer(await owner.get('/me'))).toEqual(refused(401));
    expect((await send('delete', three, `/sessions/${sessions[1].id}`)).status).toBe(200);
    expect([(await get(one)).status, (await get(two)).status]).toEqual([200, 401]);
  });

  it('ends by DELETE /session, and with its links by DELETE /sessions', async () => {
    await withoutKey('out@test.example');
    await withoutKey('other@test.example');
    const [one, two, three] = [
      await signIn('out@test.example'),
      await signIn('out@test.example'),
      'other@test.example',
    ];
    const other = await signIn(three);
    expect((await send('delete', one, '/session')).body).toEqual({ message: 'Signed out' });
    expect([(await get(one)).status, (await get(two)).status]).toEqual([401, 200]);
    const unused = await linkTo('out@test.example');
    expect((await send('delete', two, '/sessions')).body).toEqual({ message: 'Signed out everywhere' });
    expect([(await get(two)).status, (await get(other)).status]).toEqual([401, 200]);
    expect((await service.anonymous.post(unused).redirects(0)).status).toBe(404);
  });

  it('ends 30 days after its last use', async () => {
    await withoutKey('rare@test.example');
    const cookie = await signIn('rare@test.example');
    const age = (interval: string) =>
      service
        .db('sessions')
        .where({ email: 'rare@test.example' })
        .update({
          last_used_at: service.db.raw(`now() - interval '${interval}'`),
        });
    await age('30 days -1 minutes');
    expect((await get(cookie)).headers['set-cookie']).toEqual([expect.stringContaining(`${cookie}; Max-Age=2592000`)]);
    await age('30 days');
    expect(answer(await get(cookie))).toEqual(refused(401));
    await removeOldRows(service.db, { logStart: new Date(0) });
    expect(await service.db('sessions').where({ email: 'rare@test.example' })).toEqual([]);
  });

  it.each<[string, (cookie: string, after: string) => Promise<unknown>]>([
    [
      'the owner',
      async (cookie, after) => {
        await send('patch', cookie, '/me', { email: after }).expect(200);
        mailed += 1;
        await expect.poll(() => smtp.received.length, { interval: 20 }).toBe(mailed);
        const { parts } = readMail(smtp.received.at(-1)?.raw ?? Buffer.alloc(0));
        const path = /http:\/\/api\.test(\/me\/email\/\w{43})/.exec(parts[0]?.text ?? '')?.[1] ?? '';
        await service.anonymous.post(path).expect(200);
        // The old address is told.
        mailed += 1;
        await expect.poll(() => smtp.received.length, { interval: 20 }).toBe(mailed);
      },
    ],
    ['the operator', (_, after) => changeEmail(service.db, after.replace('new-', ''), after)],
  ])('ends, with its links, when %s changes the address', async (who, change) => {
    const email = `${who.replace(' ', '-')}@test.example`;
    await withoutKey(email);
    const cookie = await signIn(email);
    const unused = await linkTo(email);
    await change(cookie, `new-${email}`);
    expect(answer(await get(cookie))).toEqual(refused(401));
    expect((await service.anonymous.post(unused).redirects(0)).status).toBe(404);
    expect((await get(await signIn(`new-${email}`))).body.email).toBe(`new-${email}`);
  });

  it('ends with its links when the address is suspended, and is not there when that ends', async () => {
    const email = 'halted@test.example';
    await withoutKey(email);
    const cookie = await signIn(email);
    const unused = await linkTo(email);
    await suspendOwner(service.db, email);
    expect(answer(await get(cookie))).toEqual(refused(401));
    expect(await service.db('sessions').where({ email })).toEqual([]);
    expect((await service.anonymous.get(unused)).status).toBe(404);
    await suspendOwner(service.db, email, false);
    expect(answer(await get(cookie))).toEqual(refused(401));
    expect((await service.anonymous.post(unused).redirects(0)).status).toBe(404);
    expect((await get(await signIn(email))).body.email).toBe(email);
  });

  it('does not begin while the address is suspended, whatever had been looked up before', async () => {
    const email = 'raced@test.example';
    const { key } = await service.owner({ email });
    const { id } = await service
      .db('api_keys')
      .where({ hash: hashOfKey(key) })
      .first('id');
    await suspendOwner(service.db, email);
    const browser = { userAgent: null, ipAddress: null, via: 'session' } as const;
    for (const standsFor of [{ email }, { keyId: id }])
      expect(await beginSession(service.db, standsFor, { hash: hashOfKey(newToken()), ...browser })).toBe(false);
    expect(await service.db('audit_entries').where({ actor: email, action: 'sign-in' })).toEqual([]);
  });

  it('ends its streams when it ends', async () => {
    await withoutKey('stream@test.example');
    const cookie = await signIn('stream@test.example');
    const { id } = (await send('post', cookie, '/deploy', { html: '<form></form>' })).body;
    const response = await fetch(`${service.url}/submissions/${id}/stream`, { headers: withCookie(cookie) });
    onTestFinished(() => response.body?.cancel().catch(() => undefined));
    expect(response.status).toBe(200);
    await send('delete', cookie, '/session').expect(200);
    // Ends when the server has ended it.
    expect(await response.text()).toContain(': new submissions follow');
  });

  it(`is one of the last ${SIZES.session.maxOfKey} of the address`, async () => {
    await withoutKey('many@test.example');
    const [first, second] = [await signIn('many@test.example'), await signIn('many@test.example')];
    await service.db.raw(
      `INSERT INTO sessions (id, hash, email)
       SELECT last.id || n, sha256(convert_to('many' || n, 'UTF8')), last.email
         FROM (SELECT id, email FROM sessions WHERE email = 'many@test.example' ORDER BY id DESC LIMIT 1) AS last,
              generate_series(1, ?) AS n`,
      [SIZES.session.maxOfKey - 2],
    );
    await signIn('many@test.example');
    expect([(await get(first)).status, (await get(second)).status]).toEqual([401, 200]);
  });

  it('of an address that no owner has is a guest’s, until an owner has it', async () => {
    const token = newToken();
    const browser = { userAgent: null, ipAddress: null, via: 'session' } as const;
    await beginSession(service.db, { email: 'guest@test.example' }, { hash: hashOfKey(token), ...browser });
    const cookie = `formhost=${token}`;
    expect((await get(cookie)).body).toMatchObject({ email: 'guest@test.example', plan: null, deployments: 0 });
    const other = newToken();
    await beginSession(service.db, { email: 'guest@test.example' }, { hash: hashOfKey(other), ...browser });
    const [{ id }] = await service.db('sessions').where({ hash: hashOfKey(other) });
    await send('delete', `formhost=${other}`, '/sessions').expect(200);
    expect(await service.db('audit_entries').where({ action: 'session.end', target: id })).toHaveLength(1);
    await beginSession(service.db, { email: 'guest@test.example' }, { hash: hashOfKey(token), ...browser });
    await service.owner({ email: 'guest@test.example' });
    const { email, plan } = (await get(cookie)).body;
    expect([email, typeof plan]).toEqual(['guest@test.example', 'string']);
  });

  it('has a key or an address, and not both', async () => {
    const { rows } = await service.db.raw('SELECT id FROM api_keys LIMIT 1');
    for (const columns of [{}, { key_id: rows[0].id, email: 'a@test.example' }]) {
      const hash = hashOfKey(newToken());
      const refusal = { constraint: 'key_or_email' };
      await expect(service.db('sessions').insert({ id: 'ses_x', hash, ...columns })).rejects.toMatchObject(refusal);
      const link = { hash, expires_at: new Date(), ...columns };
      await expect(service.db('sign_in_links').insert(link)).rejects.toMatchObject(refusal);
    }
  });
});
