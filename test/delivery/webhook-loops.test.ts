import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OwnAddress } from '../../src/delivery/webhooks/own-address.ts';
import type { Resolve } from '../../src/delivery/webhooks/resolve.ts';
import { WebhookClient } from '../../src/delivery/webhooks/webhook-client.ts';
import { parseCidr } from '../../src/lib/public-address.ts';
import { answer, aSentence, failure } from '../support/answers.ts';
import { startReceiver } from '../support/receivers.ts';
import { setAccepted } from '../support/set-accepted.ts';
import { testLimits } from '../support/test-limits.ts';
import { ownAddress } from '../support/test-own-address.ts';
import { openSocket, PAGES_DOMAIN, testService } from '../support/test-service.ts';

const LEADS_HERE = { error: 'the URL leads back to this service' };
const DELIVERY = { 'formhost-delivery': 'dl_1' };

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128', DELIVERY_RETRY_DELAYS: '600' });
const owner = await service.owner();
const port = new URL(service.url).port;

const listeningAt = (address: string, port: number) => ({
  address,
  port,
  family: address.includes(':') ? 'IPv6' : 'IPv4',
});
/** A page that a custom domain leads to. */
const DOMAIN = 'forms.shop.example';
await service.db('domains').insert({ deployment_id: (await owner.deploy()).id, domain: DOMAIN, status: 'live' });
await vi.waitFor(() => request(service.url).get('/healthz').set('Host', DOMAIN).expect(404), 60_000);
const words = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '));

describe('what a URL says by itself', () => {
  const ownAt = (baseUrl: string, pagesUrl: string, address: string, port: number) =>
    new OwnAddress({
      ...{ baseUrl: new URL(baseUrl), pagesUrl: new URL(pagesUrl), listening: () => listeningAt(address, port) },
      servesPageAt: (host) => host === DOMAIN,
    });
  const laptop = ownAt('http://localhost:3000', 'http://a-page.localhost:3000', '127.0.0.1', 3_000);
  const hosted = ownAt('https://forms.example.org', 'https://a-page.pages.example.org', '0.0.0.0', 3_000);
  const onPort80 = ownAt('http://forms.example.org', 'http://a-page.pages.example.org', '127.0.0.1', 80);
  const byAddress = ownAt('http://192.0.2.7:8080', 'https://a-page.pages.example.org', '::', 3_000);
  const here = (own: typeof laptop, urls: readonly string[]): string[] => urls.filter((url) => own.isIn(new URL(url)));

  it.each<[string, typeof laptop, string[]]>([
    [
      'a laptop',
      laptop,
      words(
        'http://localhost:3000 http://localhost:3000/x http://shop.localhost:3000/ http://a.b.localhost:3000 https://localhost:3000',
        'http://LOCALHOST:3000 http://localhost.:3000 http://Shop.LocalHost.:3000 http://%6cocalhost:3000',
        'http://127.0.0.1:3000/submit/d_1 http://127.1:3000 http://2130706433:3000 http://0x7f.1:3000 http://127.0.0.1.:3000',
        'http://[::ffff:127.0.0.1]:3000 http://[0:0:0:0:0:ffff:7f00:1]:3000 http://0.0.0.0:3000 http://[::]:3000',
      ),
    ],
    [
      'a host behind a proxy',
      hosted,
      words(
        'https://forms.example.org https://forms.example.org:443/ http://forms.example.org http://forms.example.org:80/submit/d_1',
        'https://FORMS.EXAMPLE.ORG. https://forms.example.org:80 http://forms.example.org:443 http://forms.example.org:3000',
        'https://shop.pages.example.org http://shop.pages.example.org http://shop.pages.example.org:3000 https://a.b.pages.example.org',
        'http://localhost:3000 http://a.localhost:3000 http://127.0.0.1:3000 http://127.9.9.9:3000 http://[::1]:3000',
        'https://forms.shop.example http://FORMS.shop.example./x',
      ),
    ],
    ['a host that listens on port 80', onPort80, words('http://127.0.0.1 http://127.0.0.1:80/x http://localhost')],
    [
      'a host without a name',
      byAddress,
      words('http://192.0.2.7:8080 http://[::ffff:192.0.2.7]:8080/x http://[::1]:3000 http://192.0.2.7:3000'),
    ],
  ])('leads here: %s', (_what, own, urls) => {
    expect(here(own, urls)).toEqual(urls);
  });

  it.each<[string, typeof laptop, string[]]>([
    [
      'a laptop',
      laptop,
      words(
        'http://localhost:4000 http://shop.localhost:4000 http://127.0.0.1:4000 http://localhost http://127.0.0.2:3000 http://[::1]:3001',
        'http://localhost.example.org:3000 http://example.org:3000 http://10.0.0.1:3000 http://notlocalhost:3000',
      ),
    ],
    [
      'a host behind a proxy',
      hosted,
      words(
        'https://pages.example.org http://pages.example.org:3000 https://example.org https://hooks.example.org https://xforms.example.org',
        'https://forms.example.org.evil.test https://evil.test/forms.example.org https://forms.example.org:8443',
        'https://forms.shop.example:8443 https://shop.example https://a.forms.shop.example',
        'https://shop.pages.example.org:8443 https://shoppages.example.org http://127.0.0.1:4000 http://198.51.100.1:3000',
      ),
    ],
    ['a host without a name', byAddress, words('http://192.0.2.7:9000 http://192.0.2.8:8080 http://[::1]:3001')],
  ])('leads elsewhere: %s', (_what, own, urls) => {
    expect(here(own, urls)).toEqual([]);
  });

  it('leads here by any address of the machine where all of them are listened on, and by no other', () => {
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
    for (const wildcard of ['0.0.0.0', '::']) {
      const own = ownAddress(listeningAt(wildcard, 3_000));
      expect(all.filter((address) => !own.isAt(address, 3_000))).toEqual([]);
      expect(all.filter((address) => own.isAt(address, 3_001))).toEqual([]);
      expect(own.isAt('198.51.100.1', 3_000)).toBe(false);
    }
    expect(ownAddress().isAt('127.0.0.1', 3_000)).toBe(false);
  });
});

describe('a webhook whose URL leads back here', () => {
  const urls = () => [
    'https://API.test./',
    `http://shop.${PAGES_DOMAIN}/`,
    `https://${DOMAIN}./`,
    `http://127.1:${port}/`,
  ];

  it('is refused by POST and by PATCH with what to do, and nothing is made or changed', async () => {
    const { id } = await owner.deploy();
    const { body: made } = await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/a' }).expect(201);
    const before = (await owner.get(`/webhooks/${id}`)).body;
    const error = 'url leads back to this service: use the address of a receiver of your own.';
    for (const url of urls()) {
      const sent = [owner.post(`/webhooks/${id}`), owner.patch(`/webhooks/${id}/${made.id}`)];
      for (const one of sent) expect(answer(await one.send({ url }))).toEqual({ status: 400, body: { error } });
    }
    expect((await owner.get(`/webhooks/${id}`)).body).toEqual(before);
  });

  it('is not sent to, by name or by address, where it was there before', async () => {
    for (const url of [`http://shop.${PAGES_DOMAIN}/`, `https://${DOMAIN}/`, `${service.url}/submit/d_1`]) {
      const { id } = await owner.deploy();
      const { body } = await owner.post(`/webhooks/${id}`).send({ url: 'https://hooks.invalid/a' }).expect(201);
      await service.db('webhooks').where({ id: body.id }).update({ url });
      await service.anonymous.post(`/submit/${id}`).send({ a: 1 }).expect(200);
      const read = async () => (await owner.get(`/webhooks/${id}/${body.id}/deliveries`)).body.deliveries;
      const failed = { status: 'pending', attempts: 1, last_status: null, last_error: LEADS_HERE.error };
      await expect.poll(read).toEqual([expect.objectContaining(failed)]);
    }
  });

  it.each([
    ['the address itself', '127.0.0.1', '127.0.0.1'],
    ['all addresses, IPv6 too', '::', '127.0.0.1'],
  ])('is not spoken to where a name only leads here by DNS: listening on %s', async (_what, listening, address) => {
    const resolve: Resolve = async () => [{ address, family: 4 }];
    const [self, other] = [await startReceiver(), await startReceiver()];
    const client = new WebhookClient({
      limits: testLimits(),
      allowedNetworks: [parseCidr('127.0.0.0/8')],
      own: ownAddress(listeningAt(listening, self.port)),
      resolve,
    });
    onTestFinished(() => client.close());
    const sendTo = (port: number) =>
      client.send(
        { id: 'dl_1', url: `http://rebound.example.org:${port}/`, secrets: ['whsec_AAAA'], headers: {}, body: '{}' },
        AbortSignal.timeout(10_000),
      );
    expect(await sendTo(self.port)).toEqual(LEADS_HERE);
    expect(await sendTo(other.port)).toEqual({ status: 200, response: '' });
    expect([self.received.length, other.received.length]).toEqual([0, 1]);
  });
});

describe('a submission that comes from a webhook', () => {
  const html = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' };
  const deploymentOf = async (id: string) => (await owner.get(`/deploy/${id}`)).body;

  it.each<[string, Record<string, string>, string]>([
    ['a form of a browser', html, 'a=1'],
    ['what cannot be read', { 'Content-Type': 'application/json' }, '{'],
    ['an empty mark', { 'Content-Type': 'application/json', 'formhost-delivery': '' }, '{"a":1}'],
  ])('is a 508 as JSON at both addresses, and neither stored nor counted: %s', async (_what, headers, body) => {
    const { id, slug } = await owner.deploy();
    await setAccepted(service.db, id, 9);
    const send = (path: string, host = 'api.test') =>
      request(service.url)
        .post(path)
        .set({ Host: host, ...DELIVERY, ...headers })
        .send(body);
    const answers = [await send(`/submit/${id}`), await send('/', `${slug}.${PAGES_DOMAIN}`)];
    const said = answers.map(({ status, type, body }) => [status, type, body]);
    expect(said).toEqual(Array(2).fill([508, 'application/json', failure]));
    expect(answers.map((one) => one.headers['access-control-allow-origin'])).toEqual(['*', undefined]);
    expect((await deploymentOf(id)).submission_count).toBe(0);
    await service.anonymous.post(`/submit/${id}`).send({ a: 1 }).expect(200);
  });

  // A client that keeps its connection open is disconnected long after this test would have failed.
  it('is answered before its body is read', async () => {
    const { id } = await owner.deploy();
    const socket = openSocket(service.url);
    socket.write(
      `POST /submit/${id} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        'formhost-delivery: dl_1\r\nContent-Length: 100000\r\n\r\n',
    );
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(/^HTTP\/1\.1 508 /);
    socket.end();
    await text(socket);
  });

  it('goes no further where somebody else hands it on', async () => {
    const { id } = await owner.deploy();
    const statuses: number[] = [];
    const relay = await startReceiver((response, { headers, body }) => {
      const { host: _host, connection: _connection, 'content-length': _length, ...own } = headers;
      const sent = {
        method: 'POST',
        headers: Object.entries(own).map(([name, value]): [string, string] => [name, String(value)]),
        body,
      };
      fetch(`${service.url}/submit/${id}`, sent).then(
        ({ status }) => {
          statuses.push(status);
          response.writeHead(status).end();
        },
        () => response.destroy(),
      );
    });
    const generic = await owner.post(`/webhooks/${id}`).send({ url: relay.url }).expect(201);
    await owner.post(`/webhooks/${id}`).send({ url: relay.url, type: 'slack' }).expect(201);
    await service.anonymous.post(`/submit/${id}`).send({ a: 1 }).expect(200);
    await owner.post(`/webhooks/${id}/${generic.body.id}/test`).expect(202);
    await expect.poll(() => statuses).toEqual([508, 508, 508]);
    const read = async () => (await owner.get(`/webhooks/${id}/${generic.body.id}/deliveries`)).body.deliveries;
    const failed = expect.objectContaining({ attempts: 1, last_status: 508, last_error: aSentence });
    await expect.poll(read).toEqual([failed, failed]);
    expect((await deploymentOf(id)).submission_count).toBe(1);
  });
});
