import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { clientAddressFrom } from '../../src/http/request/client-address.ts';

/** The client's address in a request from such a peer, with such an X-Forwarded-For. */
function addressOf(trust: number | readonly string[], remoteAddress: string | undefined, forwarded?: string): string {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  return clientAddressFrom(trust)(request);
}

const LINK_LOCAL = ['fe80::/10'];
const PROXIES = ['192.0.2.0/24', '10.0.0.0/8'];

it.each([
  ['fe80::1%eth0', 'fe80::1'],
  ['fe80::1%br-4f2a', 'fe80::1'],
  ['fe80::1%a.b:c', 'fe80::1'],
  ['::ffff:192.0.2.1%br-1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  [undefined, ''],
])('is that of a peer without its zone: %s', (peer, address) => {
  for (const trust of [0, 1, ['10.0.0.0/8'], LINK_LOCAL]) expect(addressOf(trust, peer)).toBe(address);
});

it('believes a link-local proxy, whatever its zone', () => {
  for (const zone of ['', '%eth0', '%br-4f2a']) {
    expect(addressOf(LINK_LOCAL, `fe80::1${zone}`, '203.0.113.7')).toBe('203.0.113.7');
    expect(addressOf(['10.0.0.0/8'], `fe80::1${zone}`, '203.0.113.7')).toBe('fe80::1');
  }
});

it.each([
  `fe80::1%${'a'.repeat(3_000)}`,
  'fe80::1%a-b',
  'fe80::1%a.b',
  '[fe80::1%a-b]',
  '[fe80::1%a:b]:80',
  '::ffff:192.0.2.1%-',
])('takes %s in X-Forwarded-For for no address', (forwarded) => {
  expect(addressOf(1, '192.0.2.1', forwarded)).toBe('192.0.2.1');
  expect(addressOf(2, '192.0.2.1', `${forwarded}, 203.0.113.7`)).toBe('203.0.113.7');
  expect(addressOf(['192.0.2.0/24'], '192.0.2.1', forwarded)).toBe('192.0.2.1');
});

it.each<[trust: number | readonly string[], forwarded: string | undefined, address: string]>([
  [0, '203.0.113.7', '192.0.2.1'],
  [1, undefined, '192.0.2.1'],
  [1, 'spoofed, 203.0.113.7', '203.0.113.7'],
  [2, '198.18.0.1, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
  [2, '203.0.113.7', '203.0.113.7'],
  [1, '[2001:db8::7]:4711', '2001:db8::7'],
  [1, '[2001:db8::7]', '2001:db8::7'],
  [1, '203.0.113.7:4711', '203.0.113.7'],
  [1, '::FFFF:203.0.113.7', '203.0.113.7'],
  [1, '[::ffff:203.0.113.7]:80', '203.0.113.7'],
  [1, '::ffff:cb00:7107', '203.0.113.7'],
  [PROXIES, '198.51.100.1, 203.0.113.7, 10.1.2.3:5555', '203.0.113.7'],
  [PROXIES, '198.51.100.1, 203.0.113.7, ::ffff:10.1.2.3', '203.0.113.7'],
  [PROXIES, '10.9.9.9, 10.1.2.3', '10.9.9.9'],
  [['192.0.2.1', '2001:db8::/32'], '203.0.113.7, 2001:db8::1', '203.0.113.7'],
  [['10.0.0.0/8'], '203.0.113.7, 10.1.2.3', '192.0.2.1'],
  // Never an address from beyond what is not one.
  [PROXIES, '198.51.100.1, unknown, 10.1.2.3', '10.1.2.3'],
  ...['', ', ,', 'unknown', '_hidden', '999.1.1.1', '1.2.3', '127.1', '<script>', '203.0.113.7, unknown'].map(
    (forwarded): [number, string, string] => [1, forwarded, '192.0.2.1'],
  ),
])('with %j and X-Forwarded-For %j it is %s', (trust, forwarded, address) => {
  expect(addressOf(trust, '192.0.2.1', forwarded)).toBe(address);
});

it('looks at 100 proxies, and no further', () => {
  const through = (proxies: number) => ['203.0.113.7', ...Array.from({ length: proxies - 1 }, () => '::1')].join();
  expect(addressOf(['::1/128'], '::1', through(100))).toBe('203.0.113.7');
  expect(addressOf(['::1/128'], '::1', through(101))).toBe('::1');
});
