import { describe, expect, it } from 'vitest';
import { isDocumentUrl, keptMs } from '../../../src/http/api/oauth/oauth-clients.ts';
import { SIZES } from '../../../src/sizes.ts';
import { allowAsked, askedQuery, newPkce, REDIRECT_URI, sendForm, signedIn } from '../../support/allow-program.ts';
import {
  type Answer,
  closesAtOnce,
  drips,
  neverAnswers,
  startRawReceiver,
  startReceiver,
} from '../../support/receivers.ts';
import { asOwner, BASE_URL, testService } from '../../support/test-service.ts';

/*
 * Programs whose id is the address of a document that describes them.
 */

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', TRUST_PROXY: '1' });
const owner = await service.owner();

const json =
  (body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const documents = new Map<string, Answer>();
const host = await startReceiver((response, request) => {
  const answer = documents.get(request.path);
  if (answer) answer(response, request);
  else response.writeHead(404).end();
});

let published = 0;
/** Publishes a document. Returns its address. `fields`: in place of those of a good one. */
function publish(fields: object = {}, headers: Record<string, string> = {}): string {
  published += 1;
  const path = `/client-${published}.json`;
  const id = `${host.url}${path}`;
  documents.set(
    path,
    json({ client_id: id, client_name: 'An agent', redirect_uris: [REDIRECT_URI], ...fields }, headers),
  );
  return id;
}
function publishAs(answer: Answer): string {
  const id = publish();
  documents.set(new URL(id).pathname, answer);
  return id;
}
const readings = (id: string): number => host.received.filter(({ path }) => id === `${host.url}${path}`).length;

let networks = 0;
/** Asks from a network of its own. */
const open = (id: string, more: Record<string, string> = {}, { anonymous } = service) => {
  networks += 1;
  return anonymous
    .get(`/oauth/authorize?${askedQuery(id, newPkce().challenge, more)}`)
    .set({ Accept: 'application/problem+json', 'X-Forwarded-For': `203.0.113.${networks}` })
    .redirects(0);
};
const refusalOf = async (id: string, more: Record<string, string> = {}, asked = service): Promise<string> => {
  const { status, headers, body } = await open(id, more, asked);
  expect([id, status, headers.location]).toEqual([id, 400, undefined]);
  expect(headers['error-code']).toBe('unknown-program');
  return body.detail.replace(`The document that describes the program, ${id}, cannot be used: `, '');
};

const NOT_PUBLIC =
  'token_endpoint_auth_method is wrong: write none, or list it in token_endpoint_auth_methods_supported.';

describe('a program with a metadata document', () => {
  it('is announced in the metadata', async () => {
    const { body } = await service.anonymous.get('/.well-known/oauth-authorization-server');
    expect(body.client_id_metadata_document_supported).toBe(true);
  });

  it('is allowed by the name and the host of its document, and gets tokens', async () => {
    const own = await service.owner();
    const id = publish({ client_uri: 'https://agent.example', token_endpoint_auth_method: 'none' });
    const { status, headers } = await open(id, { redirect_uri: 'http://127.0.0.1:65000/callback' });
    expect([status, headers.location?.split('?')[0]]).toEqual([303, '/dashboard/allow']);
    const { verifier, challenge } = newPkce();
    const request = askedQuery(id, challenge, { scope: 'full' });
    const asked = await service.anonymous
      .get('/oauth/consent')
      .query({ request })
      .set(await signedIn(own));
    expect(asked.body).toMatchObject({
      client: 'An agent',
      host: `127.0.0.1:${host.port}`,
      redirect_host: '127.0.0.1:9',
    });
    const sent = await allowAsked(service, own, request);
    const form = { grant_type: 'authorization_code', client_id: id, code: sent.get('code') ?? '' };
    const { body } = await sendForm(service, '/oauth/token', {
      ...{ ...form, code_verifier: verifier, redirect_uri: REDIRECT_URI },
    });
    expect((await asOwner(service.url, body.access_token).get('/me')).status).toBe(200);
    const next = { grant_type: 'refresh_token', client_id: id, refresh_token: body.refresh_token };
    expect((await sendForm(service, '/oauth/token', next)).status).toBe(200);
    expect((await own.get('/grants')).body.grants).toEqual([
      expect.objectContaining({ client: 'An agent', host: `127.0.0.1:${host.port}`, scope: 'full' }),
    ]);
    expect(readings(id)).toBe(1);
    expect(host.received.find(({ path }) => id.endsWith(path))).toMatchObject({
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'formhost' },
    });
  });

  it('is a public client where it can be one, although it would rather have a key', async () => {
    const id = publish({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      jwks_uri: 'https://agent.example/jwks.json',
    });
    expect((await open(id)).status).toBe(303);
  });

  it('has the name of its host where it gives itself none', async () => {
    const id = publish({ client_name: undefined });
    const request = askedQuery(id, newPkce().challenge);
    const { body } = await service.anonymous
      .get('/oauth/consent')
      .query({ request })
      .set(await signedIn(owner));
    expect(body.client).toBe(`127.0.0.1:${host.port}`);
  });

  it('is read once for requests at the same time, and once more after a failure', async () => {
    const id = publish();
    expect((await Promise.all([open(id), open(id)])).map(({ status }) => status)).toEqual([303, 303]);
    expect(readings(id)).toBe(1);
    let isUp = false;
    const later: string = publishAs((response, request) => {
      if (isUp) json({ client_id: later, redirect_uris: [REDIRECT_URI] })(response, request);
      else response.writeHead(503).end();
    });
    await refusalOf(later);
    isUp = true;
    expect((await open(later)).status).toBe(303);
  });

  it.each<[string, object]>([
    ['its client_id is another one: write the address of the document there.', { client_id: 'https://a.example/c' }],
    ['its client_id is another one: write the address of the document there.', { client_id: '' }],
    ['client_id is missing: write the address of the document.', { client_id: undefined }],
    [NOT_PUBLIC, { token_endpoint_auth_method: 'client_secret_post' }],
    [NOT_PUBLIC, { token_endpoint_auth_method: 'private_key_jwt' }],
    [
      NOT_PUBLIC,
      {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'tls_client_auth'],
      },
    ],
    [NOT_PUBLIC, { token_endpoint_auth_method: 5 }],
    ['client_secret is not allowed: the document is public.', { client_secret: 'shh' }],
    ['client_name is wrong: send a text.', { client_name: 5 }],
  ])('is refused where %s %j', async (reason, fields) => {
    expect(await refusalOf(publish(fields))).toBe(reason);
  });

  it.each([
    [undefined],
    [[]],
    ['https://app.example/cb'],
    [['http://app.example/cb']],
    [['https://app.example/cb#here']],
    [['https://user@app.example/cb']],
    [['javascript:alert(1)']],
    [[`https://app.example/${'x'.repeat(SIZES.oauthClient.maxUriChars)}`]],
    [Array(SIZES.oauthClient.maxRedirectUris + 1).fill('https://app.example/cb')],
  ])('is refused with the redirect URIs %j', async (redirectUris) => {
    expect(await refusalOf(publish({ redirect_uris: redirectUris }))).toMatch(/^redirect_uris is wrong: /);
  });

  it.each<[string, Answer]>([
    ['its status is 404, and not 200.', (response) => void response.writeHead(404).end('{}')],
    ['its status is 204, and not 200.', (response) => void response.writeHead(204).end()],
    ['its type is not application/json.', (response) => void response.setHeader('Content-Type', 'text/html').end('{}')],
    ['its type is not application/json.', (response) => void response.end('{}')],
    ['it is compressed.', json({}, { 'Content-Encoding': 'br' })],
    ['it is not JSON.', (response) => void response.setHeader('Content-Type', 'application/json').end('{')],
    ['it is not an object of JSON.', json([])],
    ['it is not an object of JSON.', json(null)],
    [`it is longer than ${SIZES.oauthClient.maxBytes} bytes.`, json('x'.repeat(SIZES.oauthClient.maxBytes))],
    ['it cannot be reached.', (response) => void response.destroy()],
  ])('is refused where %s', async (reason, answer) => {
    expect(await refusalOf(publishAs(answer))).toBe(reason);
  });

  it('is refused where its host does not answer, or not to the end', async () => {
    const hasty = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', TRUST_PROXY: '1' }, undefined, {
      limits: { documents: { readTimeoutMs: 50 } },
    });
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n';
    for (const conduct of [neverAnswers, closesAtOnce, drips(head, ' ')]) {
      const { url } = await startRawReceiver(conduct);
      expect(await refusalOf(`${url}/client.json`, {}, hasty)).toBe('it cannot be reached.');
    }
  });

  it('is followed to no other address', async () => {
    const good = publish();
    const id = publishAs((response) => void response.writeHead(302, { Location: good }).end());
    expect(await refusalOf(id)).toBe('its status is 302, and not 200.');
    expect(readings(good)).toBe(0);
  });

  it('is not sent to an address that it has not named', async () => {
    for (const redirect of [
      'https://evil.example/',
      `${REDIRECT_URI}/more`,
      'http://localhost:9/callback',
      'http://evil@127.0.0.1:9/callback',
    ]) {
      expect(await refusalOf(publish(), { redirect_uri: redirect })).toBe(
        'The address to which the program wants to be sent is not one that it has named.',
      );
    }
  });

  it('is read through the fence alone', async () => {
    const fenced = await testService({ TRUST_PROXY: '1' });
    const id = publish();
    expect(await refusalOf(id, {}, fenced)).toBe('it cannot be reached.');
    expect(await refusalOf('https://169.254.169.254/client.json')).toBe('it cannot be reached.');
    for (const asked of [fenced, service]) {
      expect(await refusalOf(`${asked.url}/client.json`, {}, asked)).toBe('it leads back to this service.');
    }
    expect(readings(id)).toBe(0);
  });
});

describe('readings of documents', () => {
  it('are bounded for each network, and for each owner that is signed in', async () => {
    // The window begins with the first: they are sent together.
    const statusesOf = async (ask: (request: string) => PromiseLike<{ status: number }>) => {
      const all = Array.from({ length: SIZES.oauthClient.requests.max + 1 }, () =>
        ask(askedQuery(publish(), newPkce().challenge)),
      );
      return (await Promise.all(all)).map(({ status }) => status).toSorted();
    };
    const but = (status: number) => [...Array(SIZES.oauthClient.requests.max).fill(status), 429];
    const ofNetwork = await statusesOf((request) =>
      service.anonymous.get(`/oauth/authorize?${request}`).set('X-Forwarded-For', '198.51.100.1').redirects(0),
    );
    expect(ofNetwork).toEqual(but(303));
    const headers = await signedIn(await service.owner());
    expect(
      await statusesOf((request) => service.anonymous.get('/oauth/consent').query({ request }).set(headers)),
    ).toEqual(but(200));
    const last = publish();
    const answer = { request: askedQuery(last, newPkce().challenge), allow: true };
    expect((await service.anonymous.post('/oauth/consent').set(headers).send(answer)).status).toBe(429);
    expect(readings(last)).toBe(0);
  });

  it('are kept as long as the answer says, within bounds', () => {
    const { documentMs, minDocumentMs } = SIZES.oauthClient;
    expect(
      [
        '',
        'max-age=60',
        'public, max-age="120"',
        'max-age=999999999',
        'max-age=0',
        'no-store',
        'no-cache, max-age=60',
        'x-max-age=60',
      ].map(keptMs),
    ).toEqual([documentMs, 60_000, 120_000, documentMs, minDocumentMs, minDocumentMs, minDocumentMs, documentMs]);
  });
});

describe('isDocumentUrl', () => {
  it.each([
    'https://app.example/client.json',
    'https://app.example:8443/oauth/client',
    'https://app.example/client?version=2',
    'http://127.0.0.1:8080/client.json',
    'http://localhost/client.json',
  ])('accepts %s', (id) => expect(isDocumentUrl(id)).toBe(true));

  it.each([
    'https://app.example',
    'https://app.example/',
    'http://app.example/client.json',
    'HTTPS://app.example/client.json',
    'https://APP.example/client.json',
    'https://app.example:443/client.json',
    'https://app.example/a/../client.json',
    'https://app.example/%2e%2e/client.json',
    'https://app.example/./client.json',
    'https://app.example/client.json#part',
    'https://app.example/client.json#',
    'https://user@app.example/client.json',
    'https://user:secret@app.example/client.json',
    'https://app.example\\client.json',
    ' https://app.example/client.json',
    'https://app.example/client.json\n',
    'https://app.example/a b',
    'http://127.0.0.1.evil.example/client.json',
    'ftp://app.example/client.json',
    'javascript:alert(1)',
    `https://app.example/${'x'.repeat(SIZES.oauthClient.maxUriChars)}`,
    `${BASE_URL}/client.json`,
    'client.json',
    '',
  ])('refuses %j', (id) => expect(isDocumentUrl(id)).toBe(false));
});
