import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
/** A network: its address and the length of its prefix. */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

const within = (address: Address, [network, bits]: Cidr): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** Throws when `text` is not a network in CIDR notation. */
export const parseCidr = (text: string): Cidr => ipaddr.parseCIDR(text);

const cidrs = (...texts: string[]): readonly Cidr[] => texts.map(parseCidr);

// Where clouds tell a machine its secrets: AWS, GCP, Azure and most others, OpenStack's over IPv6; AWS' containers, both over
// IPv6; GCP and Oracle over IPv6, Linode, Scaleway, Tencent, Alibaba, Azure's host and Oracle.
const METADATA = cidrs(
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fe80::a9fe:a9fe/128',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:a9fe:a9fe::1/128',
  '169.254.42.42/32',
  'fd00:42::42/128',
  '169.254.0.23/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
);

// IANA's special-purpose registries (RFC 6890), multicast and the reserved class E.
const NOT_PUBLIC_V4 = cidrs(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

// Only 2000::/3 is given out; of that: protocol assignments (Teredo, ORCHID), documentation, AS112.
const PUBLIC_V6 = parseCidr('2000::/3');
const NOT_PUBLIC_V6 = cidrs('2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20');

const NAT64 = parseCidr('64:ff9b::/96');
const SIX_TO_FOUR = parseCidr('2002::/16');

/** The address that a packet ends up at: what an IPv6 spelling of an IPv4 address carries, else the address itself. */
function destination(address: Address): Address {
  const bytes = address.toByteArray();
  const carried = (from: number) => ipaddr.fromByteArray(bytes.slice(from, from + 4));
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return carried(12);
  if (within(address, NAT64)) return carried(12);
  if (within(address, SIX_TO_FOUR)) return carried(2);
  return address;
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !NOT_PUBLIC_V4.some((network) => within(address, network));
  return within(address, PUBLIC_V6) && !NOT_PUBLIC_V6.some((network) => within(address, network));
}

/**
 * Whether a webhook may connect to `address` (an IP literal, no brackets): public, or inside one of `allowed`;
 * a cloud's metadata address never is. What is not an address is not reachable.
 */
export function isReachable(address: string, allowed: readonly Cidr[]): boolean {
  const plain = address.replace(/%.*$/, '');
  if (!ipaddr.isValid(plain)) return false;
  const target = destination(ipaddr.parse(plain));
  if (METADATA.some((network) => within(target, network))) return false;
  return isPublic(target) || allowed.some((network) => within(target, network));
}

/** Whether `address` is an IP literal of this machine's loopback. */
export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && destination(ipaddr.parse(address)).range() === 'loopback';

/** Whether `address` is an IP literal of this machine or of a private network (RFC 1918, RFC 4193, link-local ones). */
export const isPrivate = (address: string): boolean =>
  ipaddr.isValid(address) &&
  ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(destination(ipaddr.parse(address)).range());
