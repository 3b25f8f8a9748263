import { describe, expect, it } from 'vitest';
import { isLoopback, isPrivate, isReachable, networkOf, parseCidr } from '../../src/lib/public-address.ts';

const words = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '));
const networks = (...texts: string[]) => texts.map(parseCidr);

const EVERYTHING = networks('0.0.0.0/0', '::/0');

describe('isReachable', () => {
  it.each(
    words(
      // The first and the last address on either side of each network that is not public.
      '1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0',
      '169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.0.3.0 192.167.255.255 192.169.0.0',
      '198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255',
      '2606:4700:4700::1111 2a00:1450:4001::1 2001:4860:4860::8888 2001:db7:: 2001:db9:: 2003:: 2400::1',
      '2606:4700:4700:0000:0000:0000:0000:1111 2A00:1450:4001::1',
      // Spellings of public IPv4 addresses.
      '::ffff:8.8.8.8 ::ffff:808:808 ::FFFF:8.8.8.8 0:0:0:0:0:ffff:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b::808:808',
      '2002:808:808::1',
    ),
  )('lets %s be reached', (address) => {
    expect(isReachable(address, [])).toBe(true);
  });

  it.each<[string, string[]]>([
    ['this host and network', words('0.0.0.0 0.0.0.1 0.255.255.255 ::')],
    ['loopback', words('127.0.0.0 127.0.0.1 127.255.255.255 ::1 0:0:0:0:0:0:0:1 0000::0001')],
    ['private', words('10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255')],
    ['unique local', words('fc00:: fc00::1 fd00::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff FD12:3456::1')],
    ['link-local', words('169.254.0.0 169.254.255.255 fe80::1 febf:ffff::1 FE80::1 fe80::1%eth0 fe80::1%1')],
    ['site-local', words('fec0::1 feff::1')],
    ['shared', words('100.64.0.0 100.64.0.1 100.127.255.255')],
    ['multicast', words('224.0.0.0 224.0.0.1 239.255.255.255 ff00::1 ff02::1 ff0e::1')],
    ['reserved and broadcast', words('240.0.0.1 255.255.255.255 192.0.0.1 198.18.0.0 198.19.255.255 100::1 4000::1')],
    ['documentation', words('192.0.2.0 192.0.2.255 198.51.100.1 203.0.113.255 2001:db8:: 2001:db8:ffff::1 3fff::1')],
    ['metadata', words('169.254.169.254 fd00:ec2::254 100.100.100.200')],
    ['tunnels', words('2001::1 2001:0:7f00:1::')],
    ['mapped', words('::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:0:0 ::FFFF:A9FE:A9FE ::ffff:192.168.0.1')],
    ['mapped, in full', words('0:0:0:0:0:ffff:127.0.0.1 0000:0000:0000:0000:0000:ffff:7f00:0001')],
    ['translated', words('::ffff:0:127.0.0.1 ::ffff:0:7f00:1 ::127.0.0.1 ::7f00:1 ::10.0.0.1')],
    ['NAT64', words('64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::e000:1')],
    ['local-use NAT64', words('64:ff9b:1::7f00:1 64:ff9b:1::808:808')],
    ['6to4', words('2002:7f00:1:: 2002:7f00:1::1 2002:a00:1::1 2002:c0a8:1::1 2002:a9fe:a9fe::1 2002:6440:1::')],
    ['other spellings of loopback', words('127.1 0x7f.1 0x7f000001 2130706433 0177.0.0.1 017700000001 127.0.1')],
    ['other spellings of private', words('10.1 0xa.0.0.1 012.0.0.1 3232235521 0300.0250.0.1')],
  ])('refuses %s', (_kind, addresses) => {
    expect(addresses.filter((address) => isReachable(address, []))).toEqual([]);
  });

  it.each([
    ...words('localhost example.com 8.8.8.8.example.com 256.1.1.1 8.8.8.8/32 8.8.8.8:80 [::1] [2606:4700::1111]'),
    ...words('2606:4700:::1 2606::4700::1 ::ffff:256.0.0.1 12345::1 %eth0 http://8.8.8.8 8,8,8,8'),
    ...['', ' ', ' 8.8.8.8', '8.8.8.8 ', '8.8.8.8\0', '8.8.8.8\n', '８.８.８.８'],
  ])('refuses what is not an address: %j', (text) => {
    expect([isReachable(text, []), isReachable(text, networks('10.0.0.0/8'))]).toEqual([false, false]);
  });

  it.each<[string, string[], string[]]>([
    [
      '127.0.0.0/8',
      words('127.0.0.1 127.255.255.255 ::ffff:127.0.0.1 64:ff9b::7f00:1'),
      words('::1 10.0.0.1 192.168.0.1'),
    ],
    ['::1/128', ['::1'], words('127.0.0.1 ::2 ::')],
    ['10.1.0.0/16', words('10.1.0.0 10.1.255.255'), words('10.0.255.255 10.2.0.0 192.168.0.1 fd00::1')],
    ['192.168.7.7/32', ['192.168.7.7'], words('192.168.7.6 192.168.7.8')],
    ['fd00::/8', words('fd00::1 fdff::1'), words('fc00::1 fe80::1 10.0.0.1')],
    ['169.254.0.0/16', words('169.254.0.1 169.254.169.253'), words('169.254.169.254 ::ffff:169.254.169.254')],
    ['0.0.0.0/0', words('127.0.0.1 192.168.0.1 224.0.0.1'), words('::1 fd00::1 169.254.169.254')],
  ])('opens %s, and no more', (network, open, shut) => {
    const allowed = networks(network);
    expect(open.filter((address) => !isReachable(address, allowed))).toEqual([]);
    expect(shut.filter((address) => isReachable(address, allowed))).toEqual([]);
  });

  it.each(
    words(
      '169.254.169.254 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1 100.100.100.200',
      'fd00:ec2::254 FD00:0EC2:0:0:0:0:0:254 2852039166 0xa9fea9fe 0251.0376.0251.0376',
    ),
  )('never opens metadata: %s', (address) => {
    expect(isReachable(address, EVERYTHING)).toBe(false);
  });

  it('reaches public addresses whatever else is open', () => {
    expect(isReachable('8.8.8.8', networks('10.0.0.0/8'))).toBe(true);
    expect(isReachable('2606:4700:4700::1111', networks('10.0.0.0/8', 'fd00::/8'))).toBe(true);
  });
});

describe('a zone', () => {
  it.each(['', '%eth0', '%br-4f2a', '%a.b', '%'])('says nothing of an address: %s', (zone) => {
    const addresses = words('::1 fe80::1 fd00::1 ::ffff:127.0.0.1 2606:4700::1111').map((address) => address + zone);
    expect(addresses.map(isLoopback)).toEqual([true, false, false, true, false]);
    expect(addresses.map(isPrivate)).toEqual([true, true, true, true, false]);
    expect(addresses.map((address) => isReachable(address, []))).toEqual([false, false, false, false, true]);
  });
});

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2ff:3::4', '2001:db8:1:200::/56'],
    ['2001:db8:1:200::', '2001:db8:1:200::/56'],
    ['fe80::1%eth0', 'fe80::/56'],
    ['::ffff:198.51.100.4', '198.51.100.4'],
    ['::ffff:c633:6404', '198.51.100.4'],
    ['::1', '::/56'],
    ['', ''],
  ])('is what one sender is given at least: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
