import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findOwners } from '../../../src/db/account/owner-queries.ts';
import { SessionCookie } from '../../../src/http/request/session-cookie.ts';
import { hashOfKey } from '../../../src/lib/ids.ts';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, failure, refused } from '../../support/answers.ts';
import { asOwner, BASE_URL, openSocket, testService, UNKNOWN_KEY } from '../../support/test-service.ts';

const EMAIL = 'ada@test.example';
const OWN = { 'Sec-Fetch-Site': 'same-origin' };

const service = await testService();
const owner = await service.owner({ email: EMAIL });

const signIn = (key: string, headers: Record<string, string> = {}) =>
  service.anonymous.post('/session').set(headers).send({ key });

/** The cookie of a new session. */
async function newCookie(key = owner.key): Promise<string> {
  const { headers } = await signIn(key).expect(200);
  return String(headers['set-cookie']).replace(/;.*/, '');
}

const get = (cookie: string, headers: Record<string, string> = OWN, path = '/me') =>
  service.anonymous.get(path).set({ Cookie: cookie, ...headers });

it('slow bodies of one network without a key keep no other from signing in', async () => {
  const slow = await testService({ TRUST_PROXY: '1' }, undefined, {
    limits: { requests: { arrivingBytesOfClient: 1_000 } },
  });
  const { key } = await slow.owner();
  const from = (address: string) => slow.anonymous.post('/session').set('X-Forwarded-For', address).send({ key });
  const socket = openSocket(slow.url);
  const head = ['POST /session HTTP/1.1', 'Host: api.test', 'X-Forwarded-For: 203.0.113.1', 'Content-Length: 2000'];
  socket.write([...head, 'Content-Type: application/json', '', '{"key":"'].join('\r\n') + 'x'.repeat(980));
  // Once its bytes have come, its network has no more.
  await expect.poll(async () => (await from('203.0.113.1')).status).toBe(503);
  expect((await from('203.0.113.2')).status).toBe(200);
});

describe('POST /session', () => {
  it('answers 200 and sets a cookie, whose hash only is stored', async () => {
    const response = await signIn(owner.key);
    expect(answer(response)).toEqual({ status: 200, body: { email: EMAIL, plan: 'unlimited' } });
    const [cookie = '', ...others] = response.headers['set-cookie'] ?? [];
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^formhost=[0-9A-Za-z]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    const token = cookie.slice('formhost='.length, cookie.indexOf(';'));
    const stored = JSON.stringify(await service.db('sessions'));
    expect(stored.includes(token)).toBe(false);
    expect(await findOwners(service.db, [hashOfKey(token)])).toMatchObject([{ email: EMAIL }]);
  });

  it.each([
    [{}, 400],
    [{ key: 1 }, 400],
    [{ key: '' }, 401],
    [{ key: UNKNOWN_KEY }, 401],
    [{ key: `${UNKNOWN_KEY}\u0000` }, 401],
  ])('answers %j with %i and no cookie', async (body, status) => {
    const response = await service.anonymous.post('/session').send(body);
    expect([response.status, response.body, response.headers['set-cookie']]).toEqual([status, failure, undefined]);
    expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  });

  it('answers 403 to pages of other sites, and 200 to its own and to programs', async () => {
    for (const site of ['cross-site', 'same-site', 'none', 'x']) {
      const response = await signIn(owner.key, { 'Sec-Fetch-Site': site });
      expect([site, response.status, response.headers['set-cookie']]).toEqual([site, 403, undefined]);
    }
    expect((await signIn(owner.key, OWN)).status).toBe(200);
    const { status } = await service.anonymous
      .post('/session')
      .set('Sec-Fetch-Site', 'cross-site')
      .send('[]')
      .type('json');
    expect(status).toBe(400);
  });

  it('answers 401 to a revoked key and to an expired one', async () => {
    const { body: made } = await owner.post('/keys').send({ name: 'short' });
    await owner.delete(`/keys/${made.id}`).expect(200);
    expect(answer(await signIn(made.key))).toEqual(refused(401));
    const { body: expired } = await owner.post('/keys').send({ name: 'e', expires_at: '2999-01-01T00:00:00.000Z' });
    await service.db('api_keys').where({ id: expired.id }).update({ expires_at: new Date() });
    expect(answer(await signIn(expired.key))).toEqual(refused(401));
  });

  it('begins another session each time, whatever cookie is sent along', async () => {
    const fixed = `formhost=${'a'.repeat(43)}`;
    const { headers } = await signIn(owner.key, { Cookie: fixed, ...OWN });
    expect(String(headers['set-cookie'])).not.toContain(fixed);
    expect((await get(fixed)).status).toBe(401);
    expect(await newCookie()).not.toBe(await newCookie());
  });

  it(`keeps the last ${SIZES.session.maxOfKey} sessions of a key`, async () => {
    const other = await service.owner();
    const first = await newCookie(other.key);
    const second = await newCookie(other.key);
    await service.db.raw(
      `INSERT INTO sessions (id, hash, key_id)
       SELECT last.id || n, sha256(convert_to(n::text, 'UTF8')), last.key_id
         FROM (SELECT id, key_id FROM sessions ORDER BY id DESC LIMIT 1) AS last, generate_series(1, ?) AS n`,
      [SIZES.session.maxOfKey - 2],
    );
    await newCookie(other.key);
    expect([(await get(first)).status, (await get(second)).status]).toEqual([401, 200]);
  });
});

describe('the cookie', () => {
  it('can be set by no other host, over https only, where the service has https', () => {
    const cookie = new SessionCookie('https://api.test');
    expect(cookie.keep('a')).toBe('__Host-formhost=a; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict; Secure');
    const request = new IncomingMessage(new Socket());
    const tokenIn = (pair: string) => {
      request.headers = { 'sec-fetch-site': 'same-origin', cookie: pair };
      return cookie.tokenOf(request);
    };
    const token = 'a'.repeat(43);
    expect([tokenIn(`__Host-formhost=${token}`), tokenIn(`formhost=${token}`)]).toEqual([token, undefined]);
  });

  it('works for requests of the service itself only: by Sec-Fetch-Site, or by an Origin that is BASE_URL', async () => {
    const cookie = await newCookie();
    const accepted = [OWN, { Origin: BASE_URL }, { Origin: BASE_URL, 'Sec-Fetch-Site': 'same-origin' }];
    for (const headers of accepted) expect([headers, (await get(cookie, headers)).status]).toEqual([headers, 200]);
    const others = [
      {},
      { Origin: 'http://evil.test' },
      { Origin: 'null' },
      { Origin: 'http://my-page.pages.test' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://my-page.pages.test' },
    ];
    for (const headers of others) {
      expect([headers, answer(await get(cookie, headers))]).toEqual([headers, refused(401)]);
      const changed = await service.anonymous
        .post('/deploy')
        .set({ Cookie: cookie, ...headers })
        .send({ html: 'x' });
      expect([headers, changed.status]).toEqual([headers, 401]);
    }
  });

  it('is not read beside a key, nor when another host has set a second one', async () => {
    const cookie = await newCookie();
    const bad = await get(cookie, { ...OWN, Authorization: `Bearer ${UNKNOWN_KEY}` });
    expect(bad.status).toBe(401);
    for (const header of [
      `${cookie}; formhost=${'b'.repeat(43)}`,
      `formhost=${'b'.repeat(43)}; ${cookie}`,
      `${cookie}; ${cookie}`,
      cookie.replace('formhost', 'Formhost'),
      `x${cookie}`,
      `${cookie}x`,
      'formhost=',
      'formhost',
      `formhost=${'\u00e9'.repeat(43)}`,
    ]) {
      expect([header, (await get(encodeURI(header).replaceAll('%3D', '=').replaceAll('%20', ' '))).status]).toEqual([
        header,
        401,
      ]);
    }
    expect((await get(`a=b; ${cookie}; c=d`)).status).toBe(200);
    expect((await get(`a=b;${cookie}`)).status).toBe(200);
  });

  it('is found among hundreds of cookies that other hosts have set', async () => {
    const foreign = Array.from({ length: 300 }, (_, index) => `bomb${index}=${'x'.repeat(200)}`);
    const cookies = [...foreign, await newCookie(), ...foreign.slice(0, 1)].join('; ');
    expect(cookies.length).toBeGreaterThan(60_000);
    expect((await get(cookies)).status).toBe(200);
    // The answer without the session's cookie is the same as without any cookie.
    expect((await get(foreign.join('; '))).status).toBe(401);
  });

  it('ends with its key, when that is revoked and when it expires', async () => {
    const { body: made } = await owner.post('/keys').send({ name: 'short' });
    const cookie = await newCookie(made.key);
    expect((await get(cookie)).status).toBe(200);
    await owner.delete(`/keys/${made.id}`).expect(200);
    expect((await get(cookie)).status).toBe(401);
    const { body: expiring } = await owner.post('/keys').send({ name: 'e', expires_at: '2999-01-01T00:00:00.000Z' });
    const other = await newCookie(expiring.key);
    await service.db('api_keys').where({ id: expiring.id }).update({ expires_at: new Date() });
    expect((await get(other)).status).toBe(401);
  });

  it('ends 30 days after its last use, and is set again when that is stored', async () => {
    const cookie = await newCookie();
    const hash = hashOfKey(cookie.slice('formhost='.length));
    const age = (interval: string) =>
      service.db.raw(`UPDATE sessions SET last_used_at = now() - interval '${interval}' WHERE hash = ?`, [hash]);
    expect((await get(cookie)).headers['set-cookie']).toBeUndefined();
    await age('30 days -1 minutes');
    expect((await get(cookie)).headers['set-cookie']).toEqual([
      `${cookie}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    expect((await get(cookie)).headers['set-cookie']).toBeUndefined();
    await age('30 days');
    expect(answer(await get(cookie))).toEqual(refused(401));
  });
});

const remove = (path: string, cookie: string) => service.anonymous.delete(path).set({ Cookie: cookie, ...OWN });

describe('GET /sessions and DELETE /sessions/:sessionId', () => {
  it("list the owner's browsers, newest first, and end one of them", async () => {
    const who = await service.owner();
    const { body: second } = await who.post('/keys').send({ name: 'second' });
    await newCookie();
    const agent = `Firefox ${'x'.repeat(SIZES.session.maxUserAgentChars)}`;
    const { headers } = await signIn(who.key, { 'User-Agent': agent });
    const one = String(headers['set-cookie']).replace(/;.*/, '');
    const two = await newCookie(second.key);
    const ended = await newCookie(who.key);
    await service
      .db('sessions')
      .where({ hash: hashOfKey(ended.slice('formhost='.length)) })
      .update({ last_used_at: new Date(0) });
    const list = async (cookie: string) => (await get(cookie, OWN, '/sessions')).body;
    const shown = { id: expect.stringMatching(/^ses_/), created_at: aTime, last_used_at: aTime };
    const [newer, older] = [
      { ...shown, user_agent: null, current: true },
      { ...shown, user_agent: agent.slice(0, SIZES.session.maxUserAgentChars), current: false },
    ];
    const sessions = await list(two);
    expect(sessions).toEqual({ sessions: [newer, older], total: 2, page: 1, limit: 50 });
    expect((await who.get('/sessions?page=2&limit=1')).body).toEqual({
      ...{ sessions: [older], total: 2, page: 2, limit: 1 },
    });
    const path = `/sessions/${sessions.sessions[1].id}`;
    const { body: reader } = await owner.post('/keys').send({ name: 'reader', scope: 'read' });
    for (const key of [owner.key, reader.key])
      expect(answer(await asOwner(service.url, key).delete(path))).toEqual(refused(404));
    expect((await get(one)).status).toBe(200);
    expect(answer(await remove(path, two))).toEqual({
      ...{ status: 200, body: { message: 'Session ended', id: sessions.sessions[1].id } },
    });
    expect([(await get(one)).status, (await list(two)).total]).toEqual([401, 1]);
    expect(answer(await who.delete(path))).toEqual(refused(404));
  });
});

describe('DELETE /session and /sessions', () => {
  const REMOVED = ['formhost=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict'];

  it('end this session, and all of the owner, and no others', async () => {
    const other = await service.owner();
    const foreign = await newCookie(other.key);
    const [one, two, three] = [await newCookie(), await newCookie(), await newCookie()];
    const ended = await remove('/session', one);
    expect([answer(ended), ended.headers['set-cookie']]).toEqual([
      { status: 200, body: { message: 'Signed out' } },
      REMOVED,
    ]);
    expect([(await get(one)).status, (await get(two)).status]).toEqual([401, 200]);
    expect(answer(await remove('/session', one))).toEqual(refused(401));
    const all = await remove('/sessions', two);
    expect([answer(all), all.headers['set-cookie']]).toEqual([
      { status: 200, body: { message: 'Signed out everywhere' } },
      REMOVED,
    ]);
    expect([(await get(two)).status, (await get(three)).status, (await get(foreign)).status]).toEqual([401, 401, 200]);
    expect((await owner.get('/me')).status).toBe(200);
  });

  it('answer a key: 404 where there is no session, and 200 for all', async () => {
    const cookie = await newCookie();
    expect(answer(await owner.delete('/session'))).toEqual(refused(404));
    expect((await owner.delete('/sessions')).status).toBe(200);
    expect((await get(cookie)).status).toBe(401);
  });

  it('end the streams of a session', async () => {
    const { id } = await owner.deploy();
    const cookie = await newCookie();
    const response = await fetch(`${service.url}/submissions/${id}/stream`, { headers: { Cookie: cookie, ...OWN } });
    onTestFinished(() => response.body?.cancel().catch(() => undefined));
    expect(response.status).toBe(200);
    await remove('/session', cookie);
    // Ends when the server has ended it.
    expect(await response.text()).toContain(': new submissions follow');
  });
});
