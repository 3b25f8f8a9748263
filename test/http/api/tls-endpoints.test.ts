import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import request from 'supertest';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import { tlsOperation } from '../../../src/http/api/service/tls-endpoints.ts';
import { createApi } from '../../../src/http/router.ts';
import { proxyTo } from '../../support/postgres-proxy.ts';
import { idleApp } from '../../support/test-app.ts';
import { testService } from '../../support/test-service.ts';

const service = await testService();
/** Another process. */
const other = await service.another();
const owner = await service.owner();
await owner.deploy({ slug: 'contact' });
const { text: ordinary404 } = await service.anonymous.get('/nothing').expect(404);
const proxies: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

const ask = (domain: string, url = service.url) => request(url).get('/internal/tls').query({ domain });
const statusOf = async (domain: string): Promise<number> => (await ask(domain)).status;

describe('GET /internal/tls', () => {
  it.each(['api.test', 'API.test', 'api.test.', 'contact.pages.test', 'Contact.Pages.Test', 'contact.pages.test.'])(
    'answers 200 for a host at which there is something: %s',
    async (domain) => {
      const { status, body } = await ask(domain);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    },
  );

  it.each([
    ...['', 'nobody.pages.test', 'pages.test', 'a.contact.pages.test', 'contact.pages.test.evil.test', 'x.api.test'],
    ...['127.0.0.1', '*.pages.test', `${'a'.repeat(6_000)}.pages.test`, 'contact.pages.test\0', '__proto__.pages.test'],
  ])('answers the 404 of a path that is not there for any other: %j', async (domain) => {
    const { status, text } = await ask(domain);
    expect([status, text]).toEqual([404, ordinary404]);
  });

  it.each(['?domain', '?domain=api.test&domain=api.test', '?Domain=api.test'])(
    'wants one domain: 404 for %j',
    async (query) => void (await request(service.url).get(`/internal/tls${query}`).expect(404, ordinary404)),
  );

  it('follows deployments made and deleted, here and in another process', async () => {
    const both = () =>
      Promise.all([service.url, other.url].map(async (url) => (await ask('soon.pages.test', url)).status));
    const soon = (expected: number) =>
      vi.waitFor(async () => expect(await both()).toEqual([expected, expected]), 60_000);
    expect(await both()).toEqual([404, 404]);
    const { id } = await owner.deploy({ slug: 'soon' });
    expect(await statusOf('soon.pages.test')).toBe(200);
    await soon(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    expect(await statusOf('soon.pages.test')).toBe(404);
    await soon(404);
  });

  it('answers 200 for a page that was taken down, which says so over TLS', async () => {
    const { id } = await owner.deploy({ slug: 'abused' });
    await takeDown(service.db, id, 'phishing');
    await ask('abused.pages.test').expect(200);
    await ask('abused.pages.test', other.url).expect(200);
  });
});

describe('GET /internal/tls from outside', () => {
  it.each([
    ['X-Forwarded-For', '203.0.113.7'],
    ['X-Forwarded-For', ''],
    ['X-Forwarded-Host', 'api.test'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Real-IP', '203.0.113.7'],
    ['Forwarded', 'for=203.0.113.7'],
    ['Via', '1.1 proxy'],
    ['Host', 'api.test'],
    ['Host', 'evil.test'],
    ['Host', '[2001:db8::1]:3000'],
    ['Host', ''],
  ])('is a path that is not there, whatever the method: with %s: %s', async (name, value) => {
    const from = async (method: 'get' | 'post') => {
      const { status, text, headers } = await request(service.url)
        [method]('/internal/tls?domain=api.test')
        .set(name, value);
      return [status, text, headers.allow];
    };
    const refused = [404, ordinary404, undefined];
    expect([await from('get'), await from('post')]).toEqual([refused, refused]);
  });

  it.each(['localhost:3000', '[::1]:3000', '10.0.0.4', 'formhost_app_1'])('is none of: with Host: %s', async (host) => {
    await ask('api.test').set('Host', host).expect(200);
  });

  /** The status that a client at `address` gets. */
  async function statusFrom(address: string | undefined): Promise<number> {
    const app = idleApp(loadConfig({ BASE_URL: 'http://api.test', PAGES_DOMAIN: 'pages.test' }));
    const api = createApi([tlsOperation.bind(app)]);
    const status = Promise.withResolvers<number>();
    const socket = new Duplex({
      read: () => undefined,
      write(bytes, _encoding, done) {
        status.resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1]));
        done();
      },
    });
    createServer(api).emit('connection', Object.assign(socket, { remoteAddress: address }));
    socket.push('GET /internal/tls?domain=api.test HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return status.promise.finally(() => socket.destroy());
  }

  it.each([
    ['127.0.0.1', 200],
    ['::ffff:192.168.0.1', 200],
    ['fe80::1%eth0', 200],
    ['203.0.113.7', 404],
    ['2001:db8::1', 404],
    [undefined, 404],
  ])('is by a client whose address is not private: %s', async (address, status) => {
    expect(await statusFrom(address)).toBe(status);
  });
});

describe('GET /internal/tls without the database', () => {
  it('answers what it knows from memory, and 503 for the rest', async () => {
    const proxy = await proxyTo(
      service.databaseUrl,
      () => ({}),
      ({ client, postgres }) => void client.pipe(postgres).pipe(client),
    );
    proxies.push(proxy);
    const { url } = await service.another({ DATABASE_URL: proxy.url });
    await ask('contact.pages.test', url).expect(200);
    await proxy.close();
    const statuses = await Promise.all(
      ['contact.pages.test', 'api.test', 'other.pages.test', 'evil.test', '-.pages.test'].map(
        async (domain) => (await ask(domain, url)).status,
      ),
    );
    await proxy.open();
    expect(statuses).toEqual([200, 200, 503, 404, 404]);
    await vi.waitFor(() => ask('other.pages.test', url).expect(404), 60_000);
  });
});
