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

it('looks at 100 proxies, and no further', () => {
  const through = (proxies: number) => ['203.0.113.7', ...Array.from({ length: proxies - 1 }, () => '::1')].join();
  expect(addressOf(['::1/128'], '::1', through(100))).toBe('203.0.113.7');
  expect(addressOf(['::1/128'], '::1', through(101))).toBe('::1');
});
