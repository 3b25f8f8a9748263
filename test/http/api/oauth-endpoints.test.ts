import { describe, expect, it } from 'vitest';
import { removeOldRows } from '../../../src/db/old-rows.ts';
import { SIZES } from '../../../src/sizes.ts';
import {
  allowAsked,
  allowProgram,
  askedQuery,
  newPkce,
  REDIRECT_URI,
  registerProgram,
  sendForm,
  signedIn,
} from '../../support/allow-program.ts';
import { answer } from '../../support/answers.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

const service = await testService({ TRUST_PROXY: '1' });
const owner = await service.owner();
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

const refresh = (clientId: string, token: string, more: Record<string, string> = {}) =>
  sendForm(service, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token,
    ...more,
  });
const redeem = (clientId: string, code: string, verifier: string, more: Record<string, string> = {}) =>
  sendForm(service, '/oauth/token', {
    ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier },
    ...{ redirect_uri: REDIRECT_URI, ...more },
  });
const errorOf = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

/** Returns the last entry in the audit of the owner of the programs. */
async function lastEntry(): Promise<{ action: string; via: string; target: string; actor: string }> {
  const { body } = await owner.get('/audit?limit=1').expect(200);
  return body.entries[0];
}

describe('discovery', () => {
  it('leads from a 401 at /mcp to the metadata of the resource, and from there to that of the server', async () => {
    const bare = await service.anonymous.post('/mcp').send(PING);
    const METADATA = `${BASE_URL}/.well-known/oauth-protected-resource/mcp`;
    expect([bare.status, bare.headers['www-authenticate']]).toEqual([401, `Bearer resource_metadata="${METADATA}"`]);
    const wrong = await service.anonymous
      .post('/mcp')
      .set('Authorization', `Bearer fho_${'0'.repeat(43)}`)
      .send(PING);
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
      401,
      `Bearer error="invalid_token", resource_metadata="${METADATA}"`,
    ]);
    const resource = await service.anonymous
      .get('/.well-known/oauth-protected-resource/mcp')
      .set('Origin', 'https://a.example');
    expect(resource.headers['access-control-allow-origin']).toBe('*');
    expect(resource.body).toMatchObject({ resource: `${BASE_URL}/mcp`, authorization_servers: [BASE_URL] });
    expect((await service.anonymous.get('/.well-known/oauth-protected-resource')).body.resource).toBe(BASE_URL);
    const server = await service.anonymous.get('/.well-known/oauth-authorization-server');
    expect(server.body).toMatchObject({
      issuer: BASE_URL,
      authorization_endpoint: `${BASE_URL}/oauth/authorize`,
      token_endpoint: `${BASE_URL}/oauth/token`,
      registration_endpoint: `${BASE_URL}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('lets pages of any origin ask for tokens, without cookies', async () => {
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke']) {
      const { status, headers } = await service.anonymous
        .options(path)
        .set({ Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' });
      expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 204, '*']);
      expect(headers['access-control-allow-credentials']).toBe(undefined);
    }
    const refused = await service.anonymous
      .post('/oauth/token')
      .set('Origin', 'https://a.example')
      .type('form')
      .send({});
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([400, '*']);
  });
});

describe('POST /oauth/register', () => {
  it('registers a public client, whatever it would rather be', async () => {
    const { status, body } = await service.anonymous.post('/oauth/register').send({
      ...{ client_name: ' An\u202e agent\n', redirect_uris: ['https://app.example/cb', 'http://localhost/cb'] },
      ...{ token_endpoint_auth_method: 'client_secret_basic', logo_uri: 'https://app.example/logo', scope: 'full' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      client_id: expect.stringMatching(/^client_\w{24}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'An agent',
      redirect_uris: ['https://app.example/cb', 'http://localhost/cb'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
  });

  it.each([
    'http://app.example/cb',
    'javascript:alert(1)',
    'cursor://callback',
    'https://app.example/cb#part',
    'https://user:secret@app.example/cb',
    'https://app.example\\@evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'https://app.example/a b',
    '/cb',
    '',
  ])('refuses the redirect URI %j', async (uri) => {
    const response = await service.anonymous
      .post('/oauth/register')
      .set('X-Forwarded-For', '203.0.113.9')
      .send({ redirect_uris: [uri] });
    expect(errorOf(response)).toEqual([400, 'invalid_redirect_uri']);
  });

  it('refuses what is too long, too much, or no description', async () => {
    const post = (body: object) => service.anonymous.post('/oauth/register').send(body);
    const { maxRedirectUris, maxUriChars, maxUrisChars, maxNameChars, maxBytes } = SIZES.oauthClient;
    const uri = (chars: number) => 'https://a.example/'.padEnd(chars, 'x');
    expect(errorOf(await post({}))).toEqual([400, 'invalid_redirect_uri']);
    expect(errorOf(await post({ redirect_uris: [] }))).toEqual([400, 'invalid_redirect_uri']);
    expect(errorOf(await post({ redirect_uris: [uri(maxUriChars + 1)] }))).toEqual([400, 'invalid_redirect_uri']);
    expect(errorOf(await post({ redirect_uris: Array(maxRedirectUris + 1).fill(uri(20)) }))).toEqual([
      400,
      'invalid_redirect_uri',
    ]);
    const many = Array(maxUrisChars / maxUriChars + 1).fill(uri(maxUriChars));
    expect(errorOf(await post({ redirect_uris: many }))).toEqual([400, 'invalid_redirect_uri']);
    expect(errorOf(await post({ redirect_uris: [uri(20)], client_name: 'x'.repeat(maxNameChars + 1) }))).toEqual([
      400,
      'invalid_client_metadata',
    ]);
    expect(errorOf(await post({ redirect_uris: [uri(20)], client_uri: 'x'.repeat(maxBytes) }))).toEqual([
      413,
      'invalid_client_metadata',
    ]);
    const text = await service.anonymous.post('/oauth/register').type('text/plain').send('{}');
    expect(errorOf(text)).toEqual([415, 'invalid_client_metadata']);
  });

  it('bounds how many one network registers', async () => {
    const post = (network: string) =>
      service.anonymous
        .post('/oauth/register')
        .set('X-Forwarded-For', network)
        .send({ redirect_uris: [REDIRECT_URI] });
    for (let count = 0; count < SIZES.oauthClient.registrations.max; count += 1) {
      expect((await post('203.0.113.1')).status).toBe(201);
    }
    const refused = await post('203.0.113.1');
    expect([...errorOf(refused), Number(refused.headers['retry-after']) > 0]).toEqual([
      429,
      'temporarily_unavailable',
      true,
    ]);
    expect(refused.headers['error-code']).toBe('too-many-registrations');
    expect((await post('203.0.113.2')).status).toBe(201);
  });
});

describe('GET /oauth/authorize', async () => {
  const clientId = await registerProgram(service, { redirectUris: [REDIRECT_URI, 'https://app.example/cb'] });
  const { challenge } = newPkce();
  const open = (query: string) => service.anonymous.get(`/oauth/authorize?${query}`).redirects(0);

  it('leads to the view that asks, with what the program asks for and nothing else', async () => {
    const query = askedQuery(clientId, challenge, { scope: 'read', prompt: 'none' });
    const { status, headers } = await open(query);
    const { pathname, searchParams } = new URL(headers.location ?? '', BASE_URL);
    expect([status, pathname]).toEqual([303, '/dashboard/allow']);
    const sent = new URLSearchParams(query);
    sent.delete('prompt');
    expect(new Set(searchParams)).toEqual(new Set(sent));
  });

  it.each([
    ['an unknown client', { client_id: 'client_000000000000000000000000' }],
    ['no client', { client_id: '' }],
    ['an address with more behind it', { redirect_uri: `${REDIRECT_URI}/more` }],
    ['an address with a query', { redirect_uri: `${REDIRECT_URI}?a=b` }],
    ['another host', { redirect_uri: 'https://app.example.evil.example/cb' }],
    ['another port, of a host that is not this machine', { redirect_uri: 'https://app.example:444/cb' }],
    ['another name of this machine', { redirect_uri: 'http://localhost:9/callback' }],
    ['a user before the host', { redirect_uri: 'http://evil@127.0.0.1:9/callback' }],
    ['a fragment', { redirect_uri: `${REDIRECT_URI}#here` }],
    ['another case of the path', { redirect_uri: 'http://127.0.0.1:9/Callback' }],
    ['another case of the scheme', { redirect_uri: 'HTTP://127.0.0.1:9/callback' }],
    ['dot segments', { redirect_uri: 'http://127.0.0.1:9/evil/../callback' }],
    ['encoded dot segments', { redirect_uri: 'http://127.0.0.1:9/evil/%2e%2e/callback' }],
    ['an encoded letter', { redirect_uri: 'http://127.0.0.1:9/%63allback' }],
    ['a slash at the end', { redirect_uri: `${REDIRECT_URI}/` }],
    ['an empty query', { redirect_uri: `${REDIRECT_URI}?` }],
    ['another spelling of this machine', { redirect_uri: 'http://127.1:9/callback' }],
    ['this machine in IPv6', { redirect_uri: 'http://[::1]:9/callback' }],
    ['no port that there is', { redirect_uri: 'http://127.0.0.1:65536/callback' }],
    ['https on this machine', { redirect_uri: 'https://127.0.0.1:9/callback' }],
    ['a port of this machine before another host', { redirect_uri: 'http://127.0.0.1:9@evil.example/callback' }],
    ['another case of the host', { redirect_uri: 'https://APP.example/cb' }],
    ['the port that is the default', { redirect_uri: 'https://app.example:443/cb' }],
    ['dot segments of a host', { redirect_uri: 'https://app.example/./cb' }],
    ['a backslash', { redirect_uri: 'https://app.example\\@evil.example/cb' }],
    ['no address', { redirect_uri: '' }],
  ])('shows a page, and leads nowhere, for %s', async (_case, more) => {
    const { status, headers, text } = await open(askedQuery(clientId, challenge, more));
    expect([status, headers.location, headers['x-frame-options']]).toEqual([400, undefined, 'DENY']);
    expect(text).toContain('This program cannot be allowed');
  });

  it('accepts another port of this machine', async () => {
    const { status, headers } = await open(
      askedQuery(clientId, challenge, { redirect_uri: 'http://127.0.0.1:65000/callback' }),
    );
    expect([status, headers.location?.split('?')[0]]).toEqual([303, '/dashboard/allow']);
  });

  it.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge: '' }],
    ['invalid_request', { code_challenge: 'x'.repeat(44) }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: '' }],
    ['invalid_request', { response_mode: 'fragment' }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
    ['invalid_scope', { scope: 'admin' }],
  ])('tells the program %s of %j, with its state and the issuer', async (error, more) => {
    const { status, headers } = await open(askedQuery(clientId, challenge, more));
    const to = new URL(headers.location ?? '');
    expect([status, to.origin + to.pathname]).toEqual([303, REDIRECT_URI]);
    const { error: told, state, iss } = Object.fromEntries(to.searchParams);
    expect({ told, state, iss }).toEqual({ told: error, state: 'a state', iss: BASE_URL });
  });

  it('leads nobody to another site before a person has agreed: anybody can register an address', async () => {
    const wrong = await open(
      askedQuery(clientId, challenge, { redirect_uri: 'https://app.example/cb', scope: 'admin' }),
    );
    expect([wrong.status, wrong.headers.location]).toEqual([400, undefined]);
    expect(wrong.headers['content-type']).toMatch(/^text\/html/);
    expect(wrong.text).toContain('app.example asks in a way that is not understood: send full or read or publish.');
    expect((await open(askedQuery(clientId, challenge, { redirect_uri: 'https://app.example/cb' }))).status).toBe(303);
  });

  it('refuses a parameter that is given twice, and a state that is too long', async () => {
    const twice = await open(`${askedQuery(clientId, challenge)}&scope=read&scope=full`);
    expect(new URL(twice.headers.location ?? '').searchParams.get('error')).toBe('invalid_request');
    expect((await open(`${askedQuery(clientId, challenge)}&redirect_uri=https://evil.example`)).status).toBe(400);
    const state = 'x'.repeat(SIZES.oauthClient.maxStateChars);
    expect((await open(askedQuery(clientId, challenge, { state }))).headers.location).toMatch(/^\/dashboard\/allow/);
    const long = await open(askedQuery(clientId, challenge, { state: `${state}x` }));
    expect(new URL(long.headers.location ?? '').searchParams.get('error')).toBe('invalid_request');
  });
});

describe('consent', async () => {
  const clientId = await registerProgram(service);
  const { challenge } = newPkce();
  const request = askedQuery(clientId, challenge, { scope: 'read full' });
  const post = (headers: Record<string, string>, body: object = { request, allow: true }) =>
    service.anonymous.post('/oauth/consent').set(headers).send(body);

  it('names the program and what it asks for', async () => {
    const read = await service.anonymous
      .get('/oauth/consent')
      .query({ request })
      .set(await signedIn(owner));
    expect(answer(read)).toEqual({
      status: 200,
      body: {
        ...{ client: 'Agent', host: '127.0.0.1:9', redirect_host: '127.0.0.1:9' },
        ...{ scope: 'full', scopes: expect.arrayContaining(['full', 'read']) },
      },
    });
  });

  it('needs a session, and a page of the service itself', async () => {
    const cookie = await signedIn(owner);
    const { tokens } = await allowProgram(service, owner);
    for (const [headers, status] of [
      [{ Authorization: `Bearer ${owner.key}` }, 403],
      [{ Authorization: `Bearer ${tokens.access_token}` }, 403],
      [{ Cookie: cookie.Cookie ?? '', 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 401],
      [{ Cookie: cookie.Cookie ?? '' }, 401],
      [{}, 401],
    ] as const) {
      expect((await post(headers)).status).toBe(status);
      expect((await service.anonymous.get('/oauth/consent').query({ request }).set(headers)).status).toBe(status);
    }
  });

  it('denies', async () => {
    const { body } = await post(await signedIn(owner), { request, allow: false });
    expect(body.redirect_to).toBe(
      `${REDIRECT_URI}?${new URLSearchParams({ error: 'access_denied', state: 'a state', iss: BASE_URL })}`,
    );
  });

  it('allows no more than the program asks for, and no more than the session may', async () => {
    const readOnly = (await owner.post('/keys').send({ name: 'Read', scope: 'read' })).body.key;
    const { headers } = await service.anonymous.post('/session').send({ key: readOnly });
    const reader = { Cookie: String(headers['set-cookie']).replace(/;.*/, ''), 'Sec-Fetch-Site': 'same-origin' };
    expect((await post(reader, { request, allow: true, scope: 'full' })).status).toBe(403);
    const allowed = await post(reader);
    expect(allowed.status).toBe(200);
    const { verifier, challenge: other } = newPkce();
    const asked = await post(reader, { request: askedQuery(clientId, other, { scope: 'full' }), allow: true });
    const code = new URL(asked.body.redirect_to).searchParams.get('code') ?? '';
    expect((await redeem(clientId, code, verifier)).body.scope).toBe('read');
    const full = await signedIn(owner);
    const little = askedQuery(clientId, challenge, {});
    expect((await post(full, { request: little, allow: true, scope: 'full' })).status).toBe(403);
  });

  it('sends the code to the program alone, with its state and the issuer (RFC 9207)', async () => {
    const sent = await allowAsked(service, owner, request);
    expect(Object.fromEntries(sent)).toEqual({
      code: expect.stringMatching(/^\w{43}$/),
      state: 'a state',
      iss: BASE_URL,
    });
  });

  it('refuses a request that GET /oauth/authorize refuses', async () => {
    const cookie = await signedIn(owner);
    for (const more of [
      { redirect_uri: 'https://evil.example/' },
      { code_challenge_method: 'plain' },
      { client_id: 'x' },
    ]) {
      expect((await post(cookie, { request: askedQuery(clientId, challenge, more), allow: true })).status).toBe(400);
    }
  });
});

describe('tokens', () => {
  it('stand for a key with their scope, at the API and at /mcp', async () => {
    const { tokens, api } = await allowProgram(service, owner, { scope: 'read' });
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^fho_\w{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^fhr_\w{86}$/),
      scope: 'read',
    });
    const me = await api.get('/me');
    expect([me.status, me.body.email, me.headers['formhost-scope']]).toEqual([
      200,
      (await owner.get('/me')).body.email,
      'read',
    ]);
    expect((await api.post('/mcp').send(PING)).status).toBe(200);
    expect((await api.post('/deploy').send({ html: '<p>No' })).status).toBe(403);
    const full = await allowProgram(service, owner, { scope: 'full', resource: `${BASE_URL}/` });
    const page = await full.api.post('/deploy').send({ html: '<p>Yes' });
    expect(page.status).toBe(201);
    const other = await service.owner();
    expect((await other.get(`/deploy/${page.body.id}`)).status).toBe(404);
    const foreign = await allowProgram(service, other);
    expect((await foreign.api.get(`/deploy/${page.body.id}`)).status).toBe(404);
  });

  it('reach no keys, sessions, grants and no change of the account', async () => {
    const { api } = await allowProgram(service, owner, { scope: 'full' });
    const { body } = await owner.get('/keys');
    for (const [method, path, sent] of [
      ['post', '/keys', { name: 'Stolen' }],
      ['get', '/keys', {}],
      ['delete', `/keys/${body.keys[0].id}`, {}],
      ['get', '/sessions', {}],
      ['delete', '/sessions', {}],
      ['get', '/grants', {}],
      ['patch', '/me', { email: 'evil@test.example' }],
    ] as const) {
      const refused = await api[method](path).send(sent);
      expect([method, path, refused.status, refused.headers['error-code']]).toEqual([
        method,
        path,
        403,
        'not-for-programs',
      ]);
    }
  });

  it('are no key to sign in with, and no cookie', async () => {
    const { tokens } = await allowProgram(service, owner);
    expect((await service.anonymous.post('/session').send({ key: tokens.access_token })).status).toBe(401);
    const cookie = { Cookie: `formhost=${tokens.access_token}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await service.anonymous.get('/me').set(cookie)).status).toBe(401);
    for (const token of [tokens.refresh_token, tokens.refresh_token.slice(4)]) {
      expect((await service.anonymous.get('/me').set('Authorization', `Bearer ${token}`)).status).toBe(401);
    }
  });

  it('end after an hour', async () => {
    const { api, clientId, tokens } = await allowProgram(service, owner);
    await service.db.raw('UPDATE access_tokens SET expires_at = now()');
    expect((await api.get('/me')).status).toBe(401);
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(200);
  });
});

describe('a code', () => {
  const asked = async (more: Record<string, string> = { scope: 'full' }) => {
    const clientId = await registerProgram(service);
    const { verifier, challenge } = newPkce();
    const sent = await allowAsked(service, owner, askedQuery(clientId, challenge, more));
    return { clientId, verifier, code: sent.get('code') ?? '' };
  };

  it('works once: used again, all that it gave ends', async () => {
    const { clientId, code, verifier, api, tokens } = await allowProgram(service, owner);
    expect((await api.get('/me')).status).toBe(200);
    expect(errorOf(await redeem(clientId, code, verifier))).toEqual([400, 'invalid_grant']);
    expect((await api.get('/me')).status).toBe(401);
    expect(errorOf(await refresh(clientId, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('works once, also for two programs at the same time', async () => {
    const { clientId, code, verifier } = await asked();
    const both = await Promise.all([redeem(clientId, code, verifier), redeem(clientId, code, verifier)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const { access_token: token } = both.find(({ status }) => status === 200)?.body ?? {};
    expect((await service.anonymous.get('/me').set('Authorization', `Bearer ${token}`)).status).toBe(401);
  });

  it.each<[string, Record<string, string>]>([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['its challenge as verifier', { code_verifier: '' }],
    ['another address', { redirect_uri: 'http://127.0.0.1:10/callback' }],
    ['another client', { client_id: 'client_000000000000000000000000' }],
  ])('works no longer after it came with %s', async (_case, more) => {
    const { clientId, code, verifier } = await asked();
    const wrong = await redeem(clientId, code, verifier, more);
    expect(wrong.status).toBe(400);
    // Without a verifier nothing is looked up.
    const isLookedUp = more.code_verifier !== '';
    expect((await redeem(clientId, code, verifier)).status).toBe(isLookedUp ? 400 : 200);
  });

  it('of one request is no use in another (injection)', async () => {
    const victim = await asked();
    const attacker = await asked();
    expect((await redeem(attacker.clientId, victim.code, attacker.verifier)).status).toBe(400);
    expect((await redeem(attacker.clientId, attacker.code, victim.verifier)).status).toBe(400);
  });

  it('ends after minutes, and with the key that was signed in', async () => {
    const late = await asked();
    await service.db.raw('UPDATE grants SET code_expires_at = now() WHERE client_id = ?', [late.clientId]);
    expect(errorOf(await redeem(late.clientId, late.code, late.verifier))).toEqual([400, 'invalid_grant']);
    const { body } = await owner.post('/keys').send({ name: 'Short' });
    const clientId = await registerProgram(service);
    const { verifier, challenge } = newPkce();
    const other = { ...owner, key: body.key };
    const code = (await allowAsked(service, other, askedQuery(clientId, challenge))).get('code') ?? '';
    expect((await owner.delete(`/keys/${body.id}`)).status).toBe(200);
    expect(errorOf(await redeem(clientId, code, verifier))).toEqual([400, 'invalid_grant']);
  });

  it('is for no other resource', async () => {
    const { clientId, code, verifier } = await asked();
    const other = await redeem(clientId, code, verifier, { resource: 'https://other.example' });
    expect(errorOf(other)).toEqual([400, 'invalid_target']);
    expect((await redeem(clientId, code, verifier, { resource: BASE_URL })).status).toBe(200);
  });
});

describe('a refresh token', () => {
  it('gives the next tokens', async () => {
    const { clientId, tokens } = await allowProgram(service, owner, { scope: 'full' });
    const { status, body } = await refresh(clientId, tokens.refresh_token, { resource: `${BASE_URL}/mcp` });
    expect([status, body.scope, body.expires_in]).toEqual([200, 'full', 3600]);
    expect(body.refresh_token).not.toBe(tokens.refresh_token);
    for (const token of [tokens.access_token, body.access_token]) {
      expect((await service.anonymous.get('/me').set('Authorization', `Bearer ${token}`)).status).toBe(200);
    }
    expect((await refresh(clientId, body.refresh_token)).status).toBe(200);
  });

  it('ends the grant when it is used twice, with what the second use had given', async () => {
    const { clientId, tokens } = await allowProgram(service, owner);
    const next = await refresh(clientId, tokens.refresh_token);
    const { target } = await lastEntry();
    expect(errorOf(await refresh(clientId, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(await lastEntry()).toMatchObject({ action: 'grant.revoke', via: 'grant', target });
    expect(errorOf(await refresh(clientId, next.body.refresh_token))).toEqual([400, 'invalid_grant']);
    const header = `Bearer ${next.body.access_token}`;
    expect((await service.anonymous.get('/me').set('Authorization', header)).status).toBe(401);
  });

  it('works once for two programs at the same time, and the grant ends', async () => {
    const { clientId, tokens } = await allowProgram(service, owner);
    const both = await Promise.all([refresh(clientId, tokens.refresh_token), refresh(clientId, tokens.refresh_token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const { refresh_token: token } = both.find(({ status }) => status === 200)?.body ?? {};
    expect((await refresh(clientId, token)).status).toBe(400);
  });

  it('is of use to its client alone', async () => {
    const { clientId, tokens } = await allowProgram(service, owner);
    const other = await registerProgram(service);
    expect(errorOf(await refresh(other, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(200);
  });

  it('gives a smaller scope, and no larger one', async () => {
    const { clientId, tokens } = await allowProgram(service, owner, { scope: 'full' });
    const small = await refresh(clientId, tokens.refresh_token, { scope: 'read' });
    expect(small.body.scope).toBe('read');
    const post = service.anonymous.post('/deploy').set('Authorization', `Bearer ${small.body.access_token}`);
    expect((await post.send({ html: '<p>No' })).status).toBe(403);
    const large = await refresh(clientId, small.body.refresh_token, { scope: 'full' });
    expect(large.body.scope).toBe('full');
    const reader = await allowProgram(service, owner, { scope: 'read' });
    expect(errorOf(await refresh(reader.clientId, reader.tokens.refresh_token, { scope: 'full' }))).toEqual([
      400,
      'invalid_scope',
    ]);
    expect((await refresh(reader.clientId, reader.tokens.refresh_token)).body.scope).toBe('read');
  });

  it('leaves few access tokens of a grant', async () => {
    const { clientId, tokens, api } = await allowProgram(service, owner);
    let last = tokens.refresh_token;
    for (let count = 0; count < SIZES.grant.maxAccessTokens + 2; count += 1) {
      last = (await refresh(clientId, last)).body.refresh_token;
    }
    const [{ count } = { count: 0 }] = await service
      .db('access_tokens')
      .join('grants', 'grants.id', 'grant_id')
      .where({ client_id: clientId })
      .count('* as count');
    expect(Number(count)).toBe(SIZES.grant.maxAccessTokens);
    expect((await api.get('/me')).status).toBe(401);
  });
});

describe('POST /oauth/token', () => {
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    service.anonymous.post('/oauth/token').set('Content-Type', type).send(body);

  it('refuses what is no request for tokens', async () => {
    for (const [body, error] of [
      ['', 'invalid_request'],
      ['grant_type=', 'invalid_request'],
      ['grant_type=password&username=a&password=b', 'unsupported_grant_type'],
      ['grant_type=client_credentials', 'unsupported_grant_type'],
      ['grant_type=authorization_code', 'invalid_request'],
      ['grant_type=authorization_code&code=a&code_verifier=b', 'invalid_request'],
      ['grant_type=authorization_code&grant_type=authorization_code', 'invalid_request'],
      ['grant_type=refresh_token&client_id=a&client_id=b&refresh_token=c', 'invalid_request'],
      ['grant_type=refresh_token&client_id=a&refresh_token=c', 'invalid_grant'],
      ['grant_type=authorization_code&client_id=%00&code=%00&code_verifier=%00', 'invalid_request'],
    ] as const) {
      expect([body, ...errorOf(await post(body))]).toEqual([body, 400, error]);
    }
    expect(errorOf(await post('{}', 'application/json'))).toEqual([400, 'invalid_request']);
    expect(errorOf(await post(`code=${'x'.repeat(SIZES.oauthClient.maxRequestBytes)}`))).toEqual([
      413,
      'invalid_request',
    ]);
  });

  it('names its errors in the header error-code too', async () => {
    const codeOf = async (body: string) => (await post(body)).headers['error-code'];
    expect(await codeOf('grant_type=')).toBe('invalid-token-request');
    expect(await codeOf('grant_type=password')).toBe('unsupported-grant-type');
    expect(await codeOf('grant_type=refresh_token&client_id=a&refresh_token=c')).toBe('invalid-grant');
    expect(await codeOf('grant_type=refresh_token&resource=https://other.example')).toBe('invalid-target');
    expect(await codeOf(`code=${'x'.repeat(SIZES.oauthClient.maxRequestBytes)}`)).toBe('too-large');
  });

  it('bounds how many wrong tokens one network sends', async () => {
    const wrong = () =>
      post('grant_type=refresh_token&client_id=a&refresh_token=c').set('X-Forwarded-For', '203.0.113.77');
    // The window begins with the first: they are sent together.
    const all = await Promise.all(Array.from({ length: SIZES.unknownKeys.max + 1 }, wrong));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([400, 429]));
    const { clientId, tokens } = await allowProgram(service, owner);
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(200);
  });
});

describe('a path or a method that OAuth has not', () => {
  it.each([
    ['get', '/oauth/token', 405, 'method-not-allowed'],
    ['post', '/oauth/authorize', 405, 'method-not-allowed'],
    ['post', '/oauth/nope', 404, 'not-found'],
    ['get', '/oauth/nope', 404, 'not-found'],
  ] as const)('gets an error that programs read: %s %s', async (method, path, status, code) => {
    const refused = await service.anonymous[method](path);
    expect([refused.status, refused.headers['error-code'], refused.body]).toEqual([
      status,
      code,
      { error: 'invalid_request', error_description: expect.stringMatching(/^(?:This method|There is nothing)/) },
    ]);
  });
});

describe('POST /oauth/revoke', () => {
  it('ends the grant with its refresh token, and an access token alone', async () => {
    const { clientId, tokens, api } = await allowProgram(service, owner);
    const { body } = await refresh(clientId, tokens.refresh_token);
    const revoke = (token: string, client = clientId) =>
      sendForm(service, '/oauth/revoke', { token, client_id: client });
    const isValid = async (token: string) =>
      (await service.anonymous.get('/me').set('Authorization', `Bearer ${token}`)).status === 200;
    expect(answer(await revoke(tokens.access_token, 'client_000000000000000000000000'))).toEqual({
      status: 200,
      body: {},
    });
    expect((await api.get('/me')).status).toBe(200);
    expect((await revoke(tokens.access_token)).status).toBe(200);
    expect([await isValid(tokens.access_token), await isValid(body.access_token)]).toEqual([false, true]);
    const made = await lastEntry();
    expect(made.action).toBe('grant.create');
    expect((await revoke(body.refresh_token)).status).toBe(200);
    const { target, actor } = made;
    expect(await lastEntry()).toMatchObject({ action: 'grant.revoke', via: 'grant', target, actor });
    expect(await isValid(body.access_token)).toBe(false);
    expect((await refresh(clientId, body.refresh_token)).status).toBe(400);
    expect((await revoke('nothing')).status).toBe(200);
    expect(errorOf(await sendForm(service, '/oauth/revoke', { token: 'x' }))).toEqual([400, 'invalid_request']);
  });

  it('is refused to a network that tries too many', async () => {
    const { clientId } = await allowProgram(service, owner);
    const revoke = (token: string) =>
      sendForm(service, '/oauth/revoke', { token, client_id: clientId }).set('X-Forwarded-For', '198.51.100.77');
    const { max } = SIZES.unknownKeys;
    const tried = await Promise.all(Array.from({ length: max }, () => revoke(`fho_${'0'.repeat(43)}`)));
    expect(new Set(tried.map(({ status }) => status))).toEqual(new Set([200]));
    const late = await revoke(`fhr_${'0'.repeat(86)}`);
    expect([...errorOf(late), late.headers['access-control-allow-origin']]).toEqual([
      429,
      'temporarily_unavailable',
      '*',
    ]);
    const { tokens, clientId: other } = await allowProgram(service, owner);
    const own = await sendForm(service, '/oauth/revoke', { token: tokens.refresh_token, client_id: other }).set(
      ...(['X-Forwarded-For', '198.51.100.77'] as const),
    );
    expect(own.status).toBe(200);
  });
});

describe('grants', () => {
  it('are listed, newest first, and end', async () => {
    const own = await service.owner();
    const first = await allowProgram(service, own, { scope: 'read' });
    const second = await allowProgram(service, own, { scope: 'full' });
    const { body } = await own.get('/grants');
    expect(body).toEqual({
      grants: [
        expect.objectContaining({ client: 'Agent', host: '127.0.0.1:9', scope: 'full' }),
        expect.objectContaining({ client: 'Agent', host: '127.0.0.1:9', scope: 'read' }),
      ],
      ...{ total: 2, page: 1, limit: 50 },
    });
    const [{ id }] = body.grants;
    expect((await owner.delete(`/grants/${id}`)).status).toBe(404);
    expect(answer(await own.delete(`/grants/${id}`))).toEqual({ status: 200, body: { message: 'Grant ended', id } });
    expect((await own.delete(`/grants/${id}`)).status).toBe(404);
    expect([(await first.api.get('/me')).status, (await second.api.get('/me')).status]).toEqual([200, 401]);
    expect((await own.get('/grants')).body.total).toBe(1);
  });

  it('end with the key that was signed in', async () => {
    const own = await service.owner();
    const { body } = await own.post('/keys').send({ name: 'Laptop' });
    const { api, clientId, tokens } = await allowProgram(service, { ...own, key: body.key });
    expect((await api.get('/me')).status).toBe(200);
    await own.delete(`/keys/${body.id}`).expect(200);
    expect((await api.get('/me')).status).toBe(401);
    expect((await refresh(clientId, tokens.refresh_token)).status).toBe(400);
    expect((await own.get('/grants')).body.total).toBe(0);
  });

  it('end 90 days after their last use, and their rows go', async () => {
    const own = await service.owner();
    const used = await allowProgram(service, own);
    const unused = await allowProgram(service, own);
    const age = (clientId: string, days: number) =>
      service.db.raw("UPDATE grants SET last_used_at = now() - ? * interval '1 day' WHERE client_id = ?", [
        days,
        clientId,
      ]);
    await age(used.clientId, 89);
    await age(unused.clientId, 90);
    expect([(await used.api.get('/me')).status, (await unused.api.get('/me')).status]).toEqual([200, 401]);
    expect((await refresh(unused.clientId, unused.tokens.refresh_token)).status).toBe(400);
    // The use has been stored.
    await expect
      .poll(
        async () =>
          (
            await service
              .db('grants')
              .where({ client_id: used.clientId })
              .whereRaw("last_used_at > now() - interval '1 day'")
          ).length,
      )
      .toBe(1);
    const waiting = await registerProgram(service);
    await allowAsked(service, own, askedQuery(waiting, newPkce().challenge));
    await service.db.raw('UPDATE grants SET code_expires_at = now() WHERE client_id = ?', [waiting]);
    const forgotten = await registerProgram(service);
    await service.db.raw('UPDATE oauth_clients SET expires_at = now()');
    await removeOldRows(service.db, { logStart: new Date(0) });
    const left = await service
      .db('grants')
      .whereIn('client_id', [used.clientId, unused.clientId, waiting])
      .pluck('client_id');
    expect(left).toEqual([used.clientId]);
    const clients = await service
      .db('oauth_clients')
      .whereIn('id', [used.clientId, unused.clientId, forgotten])
      .pluck('id');
    expect(clients).toEqual([used.clientId]);
  });

  it('are bounded for each owner', async () => {
    const own = await service.owner();
    const clientId = await registerProgram(service);
    await allowAsked(service, own, askedQuery(clientId, newPkce().challenge));
    await service.db.raw(
      `INSERT INTO grants (id, owner_id, key_id, client_id, client_name, host, scope, code_hash, code_expires_at, redirect_uri, code_challenge, redeemed_at)
       SELECT 'grant_many' || number, owner_id, key_id, client_id, client_name, host, scope, CAST('' || number AS bytea), now(), redirect_uri, code_challenge, now()
         FROM grants, generate_series(2, ?) AS number WHERE client_id = ?`,
      [SIZES.grant.maxOfOwner, clientId],
    );
    const refused = await service.anonymous
      .post('/oauth/consent')
      .set(await signedIn(own))
      .send({ request: askedQuery(clientId, newPkce().challenge), allow: true });
    expect([refused.status, refused.headers['error-code']]).toEqual([409, 'too-many-grants']);
  });
});
