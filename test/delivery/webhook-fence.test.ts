import { networkInterfaces } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Attempt } from '../../src/delivery/attempt.ts';
import type { Resolve } from '../../src/delivery/webhooks/resolve.ts';
import { WebhookClient } from '../../src/delivery/webhooks/webhook-client.ts';
import { parseCidr } from '../../src/lib/public-address.ts';
import { startReceiver } from '../support/receivers.ts';
import { testLimits } from '../support/test-limits.ts';
import { ownAddress } from '../support/test-own-address.ts';

const FENCED_OFF = { error: 'webhooks may not reach this address' };
const INVALID_URL = { error: 'the URL is not valid' };

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

const words = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '));
const named = (zone: Record<string, string[]>): Resolve => {
  return async (name) => (zone[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

/** A receiver on one port of 127.0.0.1 and ::1, and how many connections were made to it. */
async function startCanary() {
  const { port, connections } = await startReceiver();
  const others = hasIPv6 ? [await startReceiver(undefined, { host: '::1', port })] : [];
  return {
    port,
    connectionsMade: () => others.reduce((made, other) => made + other.connections.made, connections.made),
  };
}

/** Sends to one URL after the other. */
async function attempt(urls: readonly string[], networks: readonly string[] = [], resolve?: Resolve) {
  const client = new WebhookClient({
    limits: testLimits(),
    allowedNetworks: networks.map(parseCidr),
    own: ownAddress(),
    ...(resolve && { resolve }),
  });
  onTestFinished(() => client.close());
  const attempts: [string, Attempt][] = [];
  for (const url of urls) {
    const message = { id: 'msg_1', url, secrets: ['whsec_AAAA'], headers: {}, body: '{}' };
    const { response: _text, ...attempt } = await client.send(message, AbortSignal.timeout(10_000));
    attempts.push([url, attempt]);
    // The connection is free a turn later.
    await nextTurn();
  }
  return attempts;
}

const all = (urls: readonly string[], result: Attempt) => urls.map((url) => [url, result]);

/** Some of the addresses that `isReachable` refuses: whatever it refuses, no request reaches. */
const FORBIDDEN = words('127.0.0.1 10.0.0.1 169.254.169.254 ::1 ::ffff:7f00:1 64:ff9b::7f00:1 fd00:ec2::254 ff02::1');
const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

describe('the fence, with nothing allowed', () => {
  it.each<[string, string[]]>([
    ['an address', FORBIDDEN.map(inUrl)],
    ['decimal', words('2130706433 2852039166 3232235521 0')],
    ['octal', words('0177.0.0.1 0177.0.0.01 017700000001 0251.0376.0251.0376 00000177.1')],
    ['hexadecimal', words('0x7f.0.0.1 0x7f000001 0X7F.1 0xa9fea9fe 0x7f.0x0.0x0.0x1 0x')],
    ['short', words('127.1 127.0.1 10.1 169.254.43518')],
    ['percent-encoded', words('%31%32%37.0.0.1 127%2e0%2e0%2e1 %6cocalhost 127.0.0.%31')],
    [
      'full-width, circled, ideographic',
      words('１２７.０.０.１ １２７。０。０。１ ①②⑦.⓪.⓪.① 0ｘ7f.1 ｌｏｃａｌｈｏｓｔ ⓛocalhost'),
    ],
    ['with soft hyphens', words('127.0\u00ad.0.1 local\u00adhost')],
    ['with a trailing dot', words('127.0.0.1. 2130706433. localhost. 0x7f.1. a.localhost.')],
    ['in upper case', words('LOCALHOST A.LocalHost [::FFFF:127.0.0.1] [FE80::1] [FD00:EC2::254]')],
    ['in full', words('[0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [0:0:0:0:0:ffff:7f00:1]')],
    ['by name', words('localhost a.localhost 127.0.0.1.localhost')],
  ])('refuses what is %s', async (_kind, hosts) => {
    const canary = await startCanary();
    const urls = hosts.flatMap((host) => ['http', 'https'].map((scheme) => `${scheme}://${host}:${canary.port}/`));
    expect(await attempt(urls)).toEqual(all(urls, FENCED_OFF));
    expect(canary.connectionsMade()).toBe(0);
  });

  it('refuses a forbidden address behind other parts of a URL', async () => {
    const canary = await startCanary();
    const at = `127.0.0.1:${canary.port}`;
    const urls = [
      ...[`http://public.test@${at}/`, `http://public.test:80@${at}/`, `http://${at}#@public.test/`],
      ...[`http://${at}?@public.test/`, `http://${at}\\@public.test/`, `http:${at}/`, `http:/${at}/`],
      ...[`http:\\\\${at}/`, `http:////${at}/`, `HTTP://${at}/`, `\t http://${at}/ \n`],
      ...[`http://127.\n0.0.\t1:${canary.port}/`, `ht\ntp://${at}/`],
    ];
    expect(await attempt(urls)).toEqual(all(urls, FENCED_OFF));
    expect(canary.connectionsMade()).toBe(0);
  });

  it('takes what is no http or https URL for none', async () => {
    const canary = await startCanary();
    const at = `127.0.0.1:${canary.port}`;
    const urls = [
      ...['', at, `//${at}/`, '/', `ftp://${at}/`, `ws://${at}/`, `unix://${at}/`, 'file:///etc/passwd', 'data:,'],
      ...['http://', 'http:///', `http://:${canary.port}/`, 'http://127.0.0.1:99999/', 'http://[127.0.0.1]/'],
      ...words(
        'http://127..1/ http://127.0.0.1.1/ http://256.0.0.1/ http://127.0.0.08/ http://0x7g.1/ http://4294967296/',
      ),
      ...words(
        'http://[::1%25lo]/ http://[fe80::1%eth0]/ http://[::ffff:127.1]/ http://[::1/ http://::1/ http://a%00/',
      ),
    ];
    expect(await attempt(urls)).toEqual(all(urls, INVALID_URL));
    expect(canary.connectionsMade()).toBe(0);
  });

  it('refuses names of forbidden addresses', async () => {
    const canary = await startCanary();
    const zone = Object.fromEntries(FORBIDDEN.map((address, at) => [`n${at}.test`, [address]]));
    const mixed = { 'mixed.test': FORBIDDEN, 'none.test': [], 'zone.test': ['fe80::1%lo', '::1%lo'] };
    const urls = Object.keys({ ...zone, ...mixed }).map((name) => `http://${name}:${canary.port}/`);
    expect(await attempt(urls, [], named({ ...zone, ...mixed }))).toEqual(all(urls, FENCED_OFF));
    expect(canary.connectionsMade()).toBe(0);
  });

  it('refuses what a resolver gives that is no address', async () => {
    const canary = await startCanary();
    const answers = words('127.1 2130706433 0x7f.1 localhost [::1] 127.0.0.1:80 ::ffff:127.1');
    const zone = Object.fromEntries(answers.map((answer, at) => [`n${at}.test`, [answer, '']]));
    const urls = Object.keys(zone).map((name) => `http://${name}:${canary.port}/`);
    expect(await attempt(urls, [], named(zone))).toEqual(all(urls, FENCED_OFF));
    expect(canary.connectionsMade()).toBe(0);
  });
});

describe('the fence, at a name that changes', () => {
  // 127.0.0.2 stands for the public address.
  const networks = ['127.0.0.2/32'];

  it('asks once for each connection, and connects to what it was told', async () => {
    const canary = await startCanary();
    const told: string[] = [];
    const rebinding: Resolve = async () => {
      const address = told.length % 2 === 0 ? '127.0.0.2' : '127.0.0.1';
      told.push(address);
      return [{ address, family: 4 }];
    };
    const urls = Array.from({ length: 4 }, () => `http://rebinding.test:${canary.port}/`);
    const refused = { error: 'the connection was refused' };
    expect((await attempt(urls, networks, rebinding)).map(([, result]) => result)).toEqual([
      ...[refused, FENCED_OFF, refused, FENCED_OFF],
    ]);
    expect(told.length).toBe(4);
    expect(canary.connectionsMade()).toBe(0);
  });

  it('passes by the forbidden ones of several addresses', async () => {
    const canary = await startCanary();
    const open = await startReceiver(undefined, { host: '127.0.0.2', port: canary.port });
    const mixed = named({
      'mixed.test': ['127.0.0.1', '::1', '10.0.0.1', '127.0.0.2', '169.254.169.254', '127.0.0.1'],
    });
    const urls = Array.from({ length: 3 }, () => `http://mixed.test:${canary.port}/`);
    expect(await attempt(urls, networks, mixed)).toEqual(all(urls, { status: 200 }));
    expect([open.received.length, canary.connectionsMade()]).toEqual([3, 0]);
  });
});

describe('the fence, with networks allowed', () => {
  it('opens them by literal, by localhost and by name', async () => {
    const canary = await startCanary();
    const hosts = [
      ...words('127.0.0.1 2130706433 127.1 localhost LOCALHOST. a.localhost'),
      ...(hasIPv6 ? words('[::1] [::ffff:127.0.0.1]') : []),
    ];
    const urls = hosts.map((host) => `http://${host}:${canary.port}/`);
    expect(await attempt(urls, ['127.0.0.0/8', '::1/128'])).toEqual(all(urls, { status: 200 }));
    const url = `http://a.test:${canary.port}/`;
    expect(await attempt([url], ['127.0.0.0/8'], named({ 'a.test': ['127.0.0.1'] }))).toEqual([[url, { status: 200 }]]);
    expect(canary.connectionsMade()).toBe(new Set(urls.map((each) => new URL(each).origin)).size + 1);
  });
});
