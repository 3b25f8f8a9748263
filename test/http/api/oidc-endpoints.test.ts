import { describe, expect, it } from 'vitest';
import { newKey, testOpenidProvider } from '../../support/openid-provider.ts';
import { suspendOwner } from '../../support/suspend-owner.ts';
import { asOwner, BASE_URL, testService } from '../../support/test-service.ts';

const provider = await testOpenidProvider(BASE_URL);
const settings = { ...provider.settings, OIDC_DOMAINS: 'team.example', DEFAULT_PLAN: 'pro' };
const service = await testService(settings);

/** As a browser sends it that follows a link of another site. */
const FROM_PROVIDER = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

type Answer = { status: number; text: string; headers: Record<string, string> };

const open = (path: string, cookie = '', api = service.anonymous) =>
  api
    .get(path)
    .set({ ...FROM_PROVIDER, Cookie: cookie })
    .redirects(0);

const setCookies = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();

/** Begins a sign-in. Returns the provider's address, and the cookie by which the browser is known. */
async function begin(api = service.anonymous) {
  const answer = await open('/session/oidc', '', api);
  expect([answer.status, answer.text]).toEqual([303, '']);
  const [cookie = '', ...others] = setCookies(answer);
  expect(others).toEqual([]);
  return { address: new URL(answer.headers.location ?? ''), cookie: cookie.replace(/;.*/, ''), line: cookie };
}

/** Signs in as a person whom the provider knows so. `change`: changes what is sent to the provider. */
async function signIn(person: typeof provider.person, change: (address: URL) => void = () => undefined) {
  provider.person = person;
  const { address, cookie } = await begin();
  change(address);
  const back = await provider.visit(address.href);
  return { answer: await open(back, cookie), back, cookie };
}

/** The session that an answer has begun, as GET /me shows it. */
async function me(answer: Answer) {
  const session = setCookies(answer).find((line) => /^formhost=\w{43};/.test(line)) ?? '';
  const own = { Cookie: session.replace(/;.*/, ''), 'Sec-Fetch-Site': 'same-origin' };
  return (await service.anonymous.get('/me').set(own)).body;
}

/** Expects a page that says why, and no session. */
function expectRefusal(answer: Answer, status: number, text: string): void {
  expect(answer.text).toContain(text);
  expect([answer.status, setCookies(answer).filter((line) => line.startsWith('formhost='))]).toEqual([status, []]);
  expect(answer.text).toContain('<h1>You are not signed in</h1>');
  expect(answer.text).toContain('href="/dashboard"');
}

const OVER = 'This sign-in has been used, is over, or began in another browser.';
const ownersOf = (email: string): Promise<unknown> => service.db('owners').where({ email }).select('plan');

describe('GET /session/oidc', () => {
  it('leads to the provider with PKCE, state and nonce, which are new each time', async () => {
    const { address, line } = await begin();
    expect(address.origin + address.pathname).toBe(`${provider.issuer}/auth`);
    const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(address.searchParams);
    for (const secret of [state, nonce, challenge]) expect(secret).toMatch(/^[\w-]{43}$/);
    expect(rest).toEqual({
      ...{ client_id: 'formhost', response_type: 'code', scope: 'openid email', code_challenge_method: 'S256' },
      redirect_uri: `${BASE_URL}/session/oidc/callback`,
    });
    expect(line).toMatch(/^formhost-oidc=[0-9A-Za-z]{43}; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
    const { searchParams: other } = (await begin()).address;
    const again = [other.get('state'), other.get('nonce'), other.get('code_challenge')];
    expect(new Set([state, nonce, challenge, ...again]).size).toBe(6);
  });

  it('reads the addresses of the provider once', async () => {
    await begin();
    provider.asked = [];
    await begin();
    expect(provider.asked).toEqual([]);
  });

  it('is a 404 where there is no provider, and so is the callback', async () => {
    const without = await testService();
    for (const path of ['/session/oidc', '/session/oidc/callback?code=a&state=b']) {
      expectRefusal(await open(path, '', without.anonymous), 404, 'This service has no OpenID Connect');
    }
  });
});

describe('a sign-in with OpenID Connect', () => {
  it('makes an owner of a verified address of OIDC_DOMAINS, on DEFAULT_PLAN, with a session that needs no key', async () => {
    const { answer } = await signIn({ email: 'New@Team.Example', email_verified: true });
    expect([answer.status, answer.headers.location, answer.headers['cache-control']]).toEqual([
      ...[303, '/dashboard', 'no-store'],
    ]);
    expect(setCookies(answer)).toEqual([
      'formhost-oidc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      expect.stringMatching(/^formhost=\w{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(await me(answer)).toMatchObject({ email: 'new@team.example', plan: 'pro', deployments: 0 });
    expect(await service.db('api_keys').count()).toEqual([{ count: 0 }]);
    expect((await signIn({ email: 'new@team.example', email_verified: true })).answer.status).toBe(303);
    expect(await ownersOf('new@team.example')).toEqual([{ plan: 'pro' }]);
  });

  it('signs in an owner of another domain, whose plan stays, and nobody else of it', async () => {
    await service.owner({ email: 'guest@elsewhere.example', plan: 'free' });
    const { answer } = await signIn({ email: 'guest@elsewhere.example', email_verified: true });
    expect(await me(answer)).toMatchObject({ email: 'guest@elsewhere.example', plan: 'free' });
    for (const email of ['a@elsewhere.example', 'a@sub.team.example', 'a@evilteam.example', 'team.example@x.example']) {
      const stranger = await signIn({ email, email_verified: true });
      expectRefusal(stranger.answer, 403, `${email} has no account here.`);
      expect(await ownersOf(email)).toEqual([]);
    }
  });

  it('refuses an owner who is suspended, also one of OIDC_DOMAINS', async () => {
    for (const email of ['halted@elsewhere.example', 'halted@team.example']) {
      await service.owner({ email });
      await suspendOwner(service.db, email);
      const { answer } = await signIn({ email, email_verified: true });
      expectRefusal(answer, 403, `${email} has no account here.`);
      expect(await service.db('audit_entries').where({ actor: email, action: 'sign-in' })).toEqual([]);
      await suspendOwner(service.db, email, false);
      expect((await signIn({ email, email_verified: true })).answer.status).toBe(303);
    }
  });

  it.each([
    [{ email: 'a@team.example' }],
    [{ email: 'a@team.example', email_verified: false }],
    [{ email: 'a@team.example', email_verified: 'false' }],
    [{ email_verified: true }],
    [{ email: 'a@team.example, b@team.example', email_verified: true }],
    [{ email: 'a@team.example\r\n', email_verified: 'yes' }],
  ])('refuses a person without a verified address: %j', async (person) => {
    expectRefusal((await signIn(person)).answer, 403, 'does not say that your e-mail address is verified');
    expect(await ownersOf('a@team.example')).toEqual([]);
  });

  it('finds the address at the userinfo endpoint where the ID token has none', async () => {
    provider.claimsIn = 'userinfo';
    provider.restart();
    const { answer } = await signIn({ email: 'info@team.example', email_verified: true });
    expect(await me(answer)).toMatchObject({ email: 'info@team.example' });
    provider.claimsIn = 'id-token';
    provider.restart();
  });

  it('knows keys that the provider has changed', async () => {
    expect((await signIn({ email: 'a@team.example', email_verified: true })).answer.status).toBe(303);
    provider.rotateKey();
    expect((await signIn({ email: 'a@team.example', email_verified: true })).answer.status).toBe(303);
  });

  it('says that the person, or the provider, has refused', async () => {
    const { address, cookie } = await begin();
    const state = address.searchParams.get('state');
    const query = new URLSearchParams({ error: 'access_denied', iss: provider.issuer, state: String(state) });
    const refused = await open(`/session/oidc/callback?${query}`, cookie);
    expectRefusal(refused, 403, 'It says: access_denied.');
  });
});

describe('the answer of the provider', () => {
  const PERSON = { email: 'proof@team.example', email_verified: true };

  it('is accepted once', async () => {
    const { answer, back, cookie } = await signIn(PERSON);
    expect(answer.status).toBe(303);
    expectRefusal(await open(back), 400, OVER);
    // The browser has no such cookie any more; the provider knows that the code was used.
    expectRefusal(await open(back, cookie), 400, OVER);
  });

  it('is accepted from the browser that began, and from no other', async () => {
    const mine = await begin();
    const theirs = await begin();
    const back = await provider.visit(theirs.address.href);
    provider.asked = [];
    for (const cookie of ['', mine.cookie, 'formhost-oidc=', `${theirs.cookie}; ${mine.cookie}`]) {
      expectRefusal(await open(back, cookie), 400, OVER);
    }
    // Nobody redeems a code of somebody else.
    expect(provider.asked).toEqual([]);
  });

  it('is refused with another state, or several', async () => {
    const { address, cookie } = await begin();
    const back = await provider.visit(address.href);
    const other = back.replace(/state=[^&]+/, `state=${'a'.repeat(43)}`);
    for (const path of [other, back.replace(/&?state=[^&]+/, ''), `${back}&state=a`]) {
      expectRefusal(await open(path, cookie), 400, OVER);
    }
  });

  it.each(['nonce', 'code_challenge'])('is refused where another %s was sent to the provider', async (name) => {
    const changed = await signIn(PERSON, (address) => address.searchParams.set(name, 'b'.repeat(43)));
    expectRefusal(changed.answer, 400, OVER);
  });

  it('is refused with an ID token without a nonce', async () => {
    const changed = await signIn(PERSON, (address) => address.searchParams.delete('nonce'));
    expectRefusal(changed.answer, 400, OVER);
  });

  const now = () => Math.floor(Date.now() / 1_000);

  it.each<[string, NonNullable<typeof provider.forge>]>([
    ['another key', { key: newKey() }],
    ['another issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['another client', { claims: (claims) => ({ ...claims, aud: 'other' }) }],
    ['a time that is over', { claims: (claims) => ({ ...claims, iat: now() - 900, exp: now() - 600 }) }],
    ['a time that has not come', { claims: (claims) => ({ ...claims, nbf: now() + 600 }) }],
    ['the future', { claims: (claims) => ({ ...claims, iat: now() + 600, exp: now() + 1_200 }) }],
    ['the far future', { claims: (claims) => ({ ...claims, iat: 4e9, exp: 4e9 + 600 }) }],
  ])('is refused with an ID token of %s', async (_, forge) => {
    provider.forge = forge;
    const { answer } = await signIn(PERSON);
    provider.forge = undefined;
    expectRefusal(answer, 400, OVER);
  });

  it('is accepted while the clocks are half a minute apart', async () => {
    for (const [iat, exp] of [
      [-600, -30],
      [30, 600],
    ]) {
      provider.forge = { claims: (claims) => ({ ...claims, iat: now() + Number(iat), exp: now() + Number(exp) }) };
      const { answer } = await signIn(PERSON);
      provider.forge = undefined;
      expect(answer.status).toBe(303);
    }
  });
});

describe('a provider that is down', () => {
  it('stops no start, and gives a page; people sign in when it is back', async () => {
    const other = await testOpenidProvider(BASE_URL);
    await other.stop();
    const { url } = await service.another({ ...other.settings });
    const api = asOwner(url, '');
    const down = await api.get('/session/oidc').redirects(0);
    expectRefusal(down, 503, 'The provider that signs you in does not answer as it should.');
    expect(down.headers['retry-after']).toBe('60');
    await other.start(Number(new URL(other.issuer).port));
    expect((await api.get('/session/oidc').redirects(0)).status).toBe(303);
  });

  it('gives a page where it has another issuer, or answers nonsense', async () => {
    const { url } = await service.another({ OIDC_ISSUER: `${provider.issuer}/other` });
    expectRefusal(await asOwner(url, '').get('/session/oidc').redirects(0), 503, 'does not answer as it should');
  });

  it('gives a page where it refuses the secret of this service', async () => {
    const { url } = await service.another({ OIDC_CLIENT_SECRET: 'wrong' });
    const api = asOwner(url, '');
    const begun = await api.get('/session/oidc').redirects(0);
    const back = await provider.visit(String(begun.headers.location));
    const answer = await api
      .get(back)
      .set('Cookie', String(begun.headers['set-cookie']).replace(/;.*/, ''))
      .redirects(0);
    expectRefusal(answer, 503, 'does not answer as it should');
  });
});

it('is refused after 1,000 tries of a network in ten minutes', async () => {
  const { url } = await service.another();
  const api = asOwner(url, '');
  const tryOften = Array.from({ length: 20 }, async () => {
    for (let tries = 0; tries < 50; tries += 1) await api.get('/session/oidc').redirects(0).expect(303);
  });
  await Promise.all(tryOften);
  const refused = await api.get('/session/oidc').redirects(0);
  expectRefusal(refused, 429, 'Too many sign-ins from your network');
});
