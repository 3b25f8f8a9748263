import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startFormhost } from '../../support/run-formhost.ts';
import { testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
const { slug } = await owner.deploy();

/** A proxy that leads all hosts to the service. `asked`: the targets that it was asked for. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const upstream = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return { place: `127.0.0.1:${address.port}`, asked };
}

const list = (settings: Record<string, string>) =>
  startFormhost(['list'], {
    settings: { FORMHOST_URL: 'http://forms.example.test', FORMHOST_KEY: owner.key, ...settings },
  }).result;

it.each([
  ['HTTP_PROXY', 'http://'],
  ['http_proxy', ''],
])('sends requests through the proxy of %s, also of an address without a scheme', async (name, scheme) => {
  const { place, asked } = await startProxy();
  const { code, stdout, stderr } = await list({ [name]: scheme + place });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(slug);
  expect(asked).toEqual(['forms.example.test:80']);
});

it('sends requests of https through the proxy of HTTPS_PROXY only', async () => {
  const [plain, encrypted] = [await startProxy(), await startProxy()];
  const proxies = { HTTP_PROXY: `http://${plain.place}`, HTTPS_PROXY: `http://${encrypted.place}` };
  // The server behind the proxy has no TLS.
  const { code, stderr } = await list({ ...proxies, FORMHOST_URL: 'https://forms.example.test' });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be reached .*check the address, HTTPS_PROXY, and/)]);
  expect([plain.asked, new Set(encrypted.asked)]).toEqual([[], new Set(['forms.example.test:443'])]);
});

it.each([
  ['NO_PROXY', '127.0.0.1'],
  ['no_proxy', '*'],
])('sends requests to the hosts of %s directly', async (name, hosts) => {
  const { place, asked } = await startProxy();
  const { code, stdout } = await list({ HTTP_PROXY: `http://${place}`, [name]: hosts, FORMHOST_URL: service.url });
  expect([code, stdout]).toEqual([0, expect.stringContaining(slug)]);
  expect(asked).toEqual([]);
});

it('names a setting that is no address of a proxy, without its value', async () => {
  expect(await list({ HTTPS_PROXY: 'http://user:secret@' })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'formhost: HTTPS_PROXY is not the address of a proxy: set one such as http://proxy.example.org:3128\n',
  });
});
