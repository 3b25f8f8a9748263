import { describe, expect, it } from 'vitest';
import { hashOfKey } from '../../../src/lib/ids.ts';
import { answer, failure, refused } from '../../support/answers.ts';
import { seenMails } from '../../support/mail.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { suspendOwner } from '../../support/suspend-owner.ts';
import { asOwner, BASE_URL, testService } from '../../support/test-service.ts';

const EMAIL = 'ada@test.example';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, TRUST_PROXY: '1' });
const owner = await service.owner({ email: EMAIL });

/** Sent as pages of the service itself do. */
const withCookie = ({ headers }: { headers: Record<string, string> }) => ({
  Cookie: String(headers['set-cookie']).replace(/;.*/, ''),
  'Sec-Fetch-Site': 'same-origin',
});

describe('POST /session/mail', () => {
  let clients = 0;
  /** Asks from a client of its own. */
  const ask = (email: unknown, headers: Record<string, string> = {}) => {
    clients += 1;
    const from = { 'X-Forwarded-For': `203.0.113.${clients}` };
    return service.anonymous
      .post('/session/mail')
      .set({ ...from, ...headers })
      .send({ email });
  };
  const SENT = { status: 202, body: { message: 'If this address has an account, a mail with a link is on its way' } };

  async function mailTo(address: string, count = 1): Promise<string> {
    const all = () => smtp.received.filter(({ to }) => to.includes(address));
    await expect.poll(() => all().length, { interval: 20 }).toBe(count);
    return readMail(all().at(-1)?.raw ?? Buffer.alloc(0)).parts[0]?.text ?? '';
  }
  const pathIn = (text: string): string => /http:\/\/api\.test(\/session\/mail\/[0-9A-Za-z]{43})/.exec(text)?.[1] ?? '';

  it('sends a link that signs in once, and asks before it does', async () => {
    await service.owner({ email: 'link@test.example' });
    expect(answer(await ask('Link@Test.Example'))).toEqual(SENT);
    const path = pathIn(await mailTo('link@test.example'));
    expect(seenMails(smtp).at(-1)?.html).toMatch(
      new RegExp(`<a href="${BASE_URL}${path}" style="[^"]+"><b>Sign in</b></a>`),
    );
    const { status, text, headers } = await service.anonymous.get(path);
    expect([status, headers['referrer-policy'], headers['x-frame-options']]).toEqual([200, 'same-origin', 'DENY']);
    expect(text).toContain('You will be signed in as link@test.example in this browser.');
    expect(text).toMatch(/<form method="post"><button[^>]*>Sign in<\/button><\/form>/);
    // In the colour of links: `wait` and `problem` have that of warnings.
    expect(text).toContain('<svg class="enter"');
    expect(text).toContain('.enter,.ask{stroke:var(--link,var(--accent))}');
    const used = await service.anonymous.post(path).set('Origin', BASE_URL).redirects(0);
    expect([used.status, used.headers.location]).toEqual([303, '/dashboard']);
    expect((await service.anonymous.get('/me').set(withCookie(used))).body.email).toBe('link@test.example');
    for (const again of [await service.anonymous.get(path), await service.anonymous.post(path).redirects(0)]) {
      expect([again.status, again.headers['set-cookie']]).toEqual([404, undefined]);
      expect(again.text).toContain('This link cannot be opened');
    }
  });

  it('finds the owner whatever white space is around the address, and with its domain in IDNA or as people write it', async () => {
    await service.owner({ email: 'link@xn--bcher-kva.example' });
    for (const [at, email] of [' Link@bücher.example\n', '\u00a0link@XN--bcher-kva.example'].entries()) {
      expect(answer(await ask(email))).toEqual(SENT);
      await mailTo('link@bücher.example', at + 1);
    }
  });

  it('answers the same, and sends nothing, where there is no such owner', async () => {
    expect(answer(await ask('nobody@test.example'))).toEqual(SENT);
    // The next one is sent after it would have been.
    await ask(EMAIL);
    await mailTo(EMAIL);
    expect(smtp.received.some(({ to }) => to.join().includes('nobody'))).toBe(false);
  });

  it('signs in no owner who is suspended: a link that was sent before waits, and none is sent', async () => {
    const email = 'halted@test.example';
    await service.owner({ email });
    await ask(email);
    const path = pathIn(await mailTo(email));
    await suspendOwner(service.db, email);
    for (const refusal of [await service.anonymous.get(path), await service.anonymous.post(path).redirects(0)]) {
      expect([refusal.status, refusal.headers['set-cookie']]).toEqual([404, undefined]);
      expect(refusal.text).toContain('This link cannot be opened');
    }
    expect(await service.db('audit_entries').where({ actor: email, action: 'sign-in' })).toEqual([]);
    expect(answer(await ask(email))).toEqual(SENT);
    await service.owner({ email: 'after-halted@test.example' });
    // The next one is sent after it would have been.
    await ask('after-halted@test.example');
    await mailTo('after-halted@test.example');
    expect(smtp.received.filter(({ to }) => to.includes(email)).length).toBe(1);
    await suspendOwner(service.db, email, false);
    expect((await service.anonymous.post(path).redirects(0)).status).toBe(303);
  });

  it('signs in with a full key; the session ends with it', async () => {
    const keys = await service.owner({ email: 'keys@test.example' });
    const { body: reader } = await keys.post('/keys').send({ name: 'reader', scope: 'read' });
    await ask('keys@test.example');
    const used = await service.anonymous.post(pathIn(await mailTo('keys@test.example'))).redirects(0);
    const create = () => service.anonymous.post('/deploy').set(withCookie(used)).send({ html: 'x' });
    expect((await create()).status).toBe(201);
    await service.db.raw('UPDATE api_keys SET revoked_at = now() WHERE id <> ? AND hash = ?', [
      reader.id,
      hashOfKey(keys.key),
    ]);
    expect((await create()).status).toBe(401);
  });

  it('signs in once, however many open it at once, and not with a key that was revoked meanwhile', async () => {
    const racing = await service.owner({ email: 'racing@test.example' });
    await ask('racing@test.example');
    const path = pathIn(await mailTo('racing@test.example'));
    const uses = await Promise.all([0, 1, 2, 3].map(() => service.anonymous.post(path).redirects(0)));
    expect(uses.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404]);
    await ask('racing@test.example');
    const second = pathIn(await mailTo('racing@test.example', 2));
    await service
      .db('api_keys')
      .where({ hash: hashOfKey(racing.key) })
      .update({ revoked_at: new Date() });
    const late = await service.anonymous.post(second).redirects(0);
    expect([late.status, late.headers['set-cookie']]).toEqual([404, undefined]);
  });

  it('works for 15 minutes, not on other sites, and not with another token', async () => {
    await service.owner({ email: 'late@test.example' });
    await ask('late@test.example');
    const path = pathIn(await mailTo('late@test.example'));
    // Over plain http, browsers send no Sec-Fetch-Site.
    const elsewhere = [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'http://x.pages.test' }, { Origin: 'null' }];
    for (const headers of elsewhere) {
      const fromElsewhere = await service.anonymous.post(path).set(headers).redirects(0);
      expect([fromElsewhere.status, fromElsewhere.headers['set-cookie']]).toEqual([403, undefined]);
    }
    const [{ left }] = (
      await service.db.raw('SELECT max(extract(epoch FROM expires_at - now()))::float8 AS left FROM sign_in_links')
    ).rows;
    expect(left > 14 * 60 && left <= 15 * 60).toBe(true);
    await service.db('sign_in_links').update({ expires_at: new Date() });
    expect((await service.anonymous.get(path)).status).toBe(404);
    expect((await service.anonymous.post(path).redirects(0)).status).toBe(404);
    for (const token of ['x', 'a'.repeat(43), '%00', `${'a'.repeat(44)}`]) {
      expect((await service.anonymous.get(`/session/mail/${token}`)).status).toBe(404);
    }
  });

  it('answers 429 to the sixth link in an hour for one address from one network, whether or not there is an owner', async () => {
    const network = { 'X-Forwarded-For': '203.0.113.250' };
    for (const email of [EMAIL, 'nobody-else@test.example']) {
      await service.db('sign_in_tries').delete();
      for (let left = 4; left >= 0; left -= 1) {
        const { status, headers } = await ask(email, network);
        const told = expect.stringMatching(
          new RegExp(`^"sign-in-links"; r=${left}; t=3[56]\\d\\d, "sign-in-links-of-network"; r=\\d+; t=3[56]\\d\\d$`),
        );
        expect([status, headers.ratelimit]).toEqual([202, told]);
        expect(headers['ratelimit-policy']).toMatch(
          /^"sign-in-links"; q=5; w=3600; pk=:\w{16}:, "sign-in-links-of-network"; q=100; w=3600; pk=:\w{16}:$/,
        );
      }
      const { status, body, headers } = await ask(email, network);
      expect([status, body, Number(headers['retry-after']) > 3_500]).toEqual([429, failure, true]);
      expect(headers.ratelimit).toMatch(/^"sign-in-links"; r=0; t=3[56]\d\d$/);
      expect(headers['ratelimit-policy']).toMatch(/^"sign-in-links"; q=5; w=3600; pk=:\w{16}:$/);
    }
    // Other addresses from there, and that address from elsewhere.
    expect((await ask('b@test.example', network)).status).toBe(202);
    expect((await ask('nobody-else@test.example')).status).toBe(202);
    await service.db('sign_in_tries').update({ window_ends_at: new Date() });
    expect((await ask('nobody-else@test.example', network)).status).toBe(202);
  });

  it('refuses nobody for longer than an hour after the clock has been set back', async () => {
    await service.db('sign_in_tries').delete();
    const network = { 'X-Forwarded-For': '203.0.113.249' };
    for (let count = 0; count < 5; count += 1) await ask('late@test.example', network);
    expect((await ask('late@test.example', network)).status).toBe(429);
    await service.db('sign_in_tries').update({ window_ends_at: service.db.raw("window_ends_at + interval '1 year'") });
    const { status, headers } = await ask('late@test.example', network);
    expect([status, headers.ratelimit]).toEqual([202, expect.stringMatching(/^"sign-in-links"; r=4; t=3[56]\d\d, /)]);
  });

  it('answers 429 to the 21st in an hour for one address, of which one network uses up five at most', async () => {
    await service.db('sign_in_tries').delete();
    const network = { 'X-Forwarded-For': '203.0.113.251' };
    for (let count = 0; count < 8; count += 1) await ask('many@test.example', network);
    for (let count = 5; count < 20; count += 1) expect((await ask('many@test.example')).status).toBe(202);
    const { status, headers } = await ask('many@test.example');
    expect([status, headers.ratelimit]).toEqual([
      429,
      expect.stringMatching(/^"sign-in-links-for-address"; r=0; t=3[56]\d\d$/),
    ]);
    expect((await ask('other@test.example')).status).toBe(202);
  });

  it('answers 429 to the 101st from one network, which uses up no tries of the address', async () => {
    const network = { 'X-Forwarded-For': '203.0.113.252' };
    const asks = Array.from({ length: 103 }, (_, at) => ask(`reader-${at % 34}@test.example`, network));
    const answers = await Promise.all(asks);
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals.map(({ headers }) => headers.ratelimit)).toEqual(
      Array(3).fill(expect.stringMatching(/^"sign-in-links-of-network"; r=0; t=3[56]\d\d$/)),
    );
    expect((await ask('fresh@test.example', network)).status).toBe(429);
    const elsewhere = await ask('fresh@test.example', { 'X-Forwarded-For': '203.0.113.253' });
    expect(elsewhere.headers.ratelimit).toMatch(
      /^"sign-in-links"; r=4; t=\d+, "sign-in-links-of-network"; r=99; t=\d+$/,
    );
  });

  it.each([undefined, 1, 'x', 'a b@c.test', `${'a'.repeat(250)}@b.test`, 'a@b\r\nBcc: c@d.test'])(
    'answers 400 to the address %j',
    async (email) => {
      expect(answer(await ask(email))).toEqual(refused(400));
    },
  );

  it('answers 403 to other sites, and 404 where the service has no mail server', async () => {
    expect((await ask(EMAIL, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    const { url } = await service.another({ SMTP_URL: '' });
    expect((await asOwner(url, owner.key).post('/session/mail').send({ email: EMAIL })).status).toBe(404);
  });
});
