import { describe, expect, it } from 'vitest';
import { ask, connectionProblem } from '../../src/health/ask.ts';
import { checkAddress, PAGE, READY } from '../../src/health/check-service.ts';
import { trust } from '../support/certificates.ts';
import { here, summary } from '../support/doctor.ts';
import { freePort } from '../support/process.ts';
import {
  type Certificate,
  closesAtOnce,
  makeCertificate,
  neverAnswers,
  says,
  startRawReceiver,
  startReceiver,
} from '../support/receivers.ts';

describe('a certificate', () => {
  async function check(certificate: Certificate, host: string) {
    const { port } = await startReceiver(undefined, { certificate });
    return summary(await checkAddress(`https://${host}:${port}`, { isRight: () => true, mend: '' }, await here()));
  }

  it.each<[string, { hosts: string[]; expired?: boolean; lasts: number }, string, RegExp]>([
    [
      'that is good for long',
      { hosts: ['*.pages.test'], lasts: 24 * 20 + 1 },
      'ok',
      / answers as it should, with a certificate for \*\.pages\.test, until \d{4}-\d\d-\d\d \(20 days\)$/,
    ],
    ['that ends soon', { hosts: ['*.pages.test'], lasts: 24 * 13 + 1 }, 'warn', /\(13 days\)$/],
    ['that has ended', { hosts: ['*.pages.test'], lasts: 30, expired: true }, 'fail', /not valid: it has expired$/],
    [
      'for another name',
      { hosts: ['pages.test', 'api.test'], lasts: 1_000 },
      'fail',
      / has a certificate for pages\.test, api\.test, .*not valid: it is for another name$/,
    ],
  ])('%s', async (_name, { hosts, ...options }, status, saw) => {
    const certificate = makeCertificate(hosts, options);
    trust(certificate.cert);
    expect(await check(certificate, 'x.pages.test')).toEqual([status, expect.stringMatching(saw)]);
  });

  it('that nobody signed', async () => {
    const found = await check(makeCertificate(['*.pages.test'], { lasts: 1_000 }), 'x.pages.test');
    expect(found).toEqual([
      'fail',
      expect.stringMatching(/not valid: its authority is not known.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/),
    ]);
  });

  it.each([
    ['closes', closesAtOnce, / does not answer: port \d+ of api\.test speaks no TLS for api\.test \(.+\)$/],
    ['speaks plain http', says('HTTP/1.1 200 OK\r\n\r\n'), / port \d+ of api\.test speaks no TLS for /],
    ['says nothing', neverAnswers, / port \d+ of api\.test gives no answer in time$/],
  ])('is missing where the server %s', async (_does, conduct, what) => {
    const { port } = await startRawReceiver(conduct);
    const route = await here(conduct === neverAnswers ? AbortSignal.timeout(100) : undefined);
    const found = await checkAddress(`https://api.test:${port}`, READY, route);
    expect(summary(found)).toEqual(['fail', expect.stringMatching(what)]);
  });
});

describe('a connection that fails', () => {
  it('tells a name without an address from a port where nobody listens', async () => {
    const port = await freePort();
    const problemOf = async (host: string) => {
      const url = `https://${host}:${port}`;
      return connectionProblem(await ask(url, await here()).catch((error: unknown) => error), url);
    };
    expect(await problemOf('nowhere.test')).toEqual({
      saw: 'the name nowhere.test does not resolve (queryA ENOTFOUND nowhere.test)',
      mend: expect.stringMatching(/^add an A or AAAA record for nowhere\.test/),
    });
    expect(await problemOf('api.test')).toEqual({
      saw: `port ${port} of api.test refuses connections (connect ECONNREFUSED 127.0.0.1:${port})`,
      mend: 'start the service, and the proxy in front of it',
    });
  });

  const withCode = (code: string, syscall?: string) => Object.assign(new Error(`${code} happened`), { code, syscall });
  it.each<[string, unknown, RegExp]>([
    ['ECONNREFUSED of a name server', withCode('ECONNREFUSED', 'queryA'), /^the name api\.test does not resolve/],
    ['ECONNREFUSED at all addresses', new AggregateError([withCode('ECONNREFUSED', 'connect')]), /refuses connections/],
    ['ETIMEDOUT', withCode('ETIMEDOUT', 'connect'), /gives no answer in time$/],
    ['ENETUNREACH', withCode('ENETUNREACH', 'connect'), /cannot be reached \(ENETUNREACH happened\)$/],
  ])('names %s', (_name, error, saw) => {
    expect(connectionProblem(error, 'https://api.test')).toMatchObject({ saw: expect.stringMatching(saw) });
  });
});

describe('an answer', () => {
  it.each([
    [200, '{"status":"ready"}', 'ok', 'answers as it should'],
    [200, '<h1>Welcome to nginx!</h1>', 'fail', 'answers 200, but not as the service does'],
    [503, '{"error":"…"}', 'fail', 'answers 503, but not as the service does'],
  ])('at BASE_URL, %d %s: %s', async (code, body, status, saw) => {
    const { url, received } = await startReceiver((response) => void response.writeHead(code).end(body));
    expect(summary(await checkAddress(`${url}/readyz`, READY, await here()))).toEqual([status, `${url}/readyz ${saw}`]);
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /readyz']);
  });

  it.each([
    [200, { 'Origin-Agent-Cluster': '?1' }, 'warn', /is http: others on the way can read requests$/],
    [200, {}, 'fail', /answers 200, but not as the service does$/],
    [404, { 'Origin-Agent-Cluster': '?1' }, 'fail', /answers 404, but not as the service does$/],
    [301, {}, 'fail', /answers 301, but not as the service does$/],
  ])('of a page, %d with %j: %s', async (code, headers, status, saw) => {
    const { port } = await startReceiver((response) => void response.writeHead(code, headers).end());
    const found = await checkAddress(`http://x.pages.test:${port}/`, PAGE, await here());
    expect(summary(found)).toEqual([status, expect.stringMatching(saw)]);
  });

  it('is missed where nobody listens', async () => {
    const found = await checkAddress(`http://api.test:${await freePort()}/readyz`, READY, await here());
    expect(summary(found)).toEqual([
      'fail',
      expect.stringMatching(/readyz does not answer: port \d+ of api\.test refuses connections \(.*ECONNREFUSED.*\)$/),
    ]);
  });
});
