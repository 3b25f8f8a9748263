import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hashOfKey } from './ids.ts';

type Address = ReturnType<typeof ipaddr.parse>;
/** A network: its address and the length of its prefix. */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

const within = (address: Address, [network, bits]: Cidr): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** Throws when `text` is not a network in CIDR notation. */
export const parseCidr = (text: string): Cidr => ipaddr.parseCIDR(text);

const cidrs = (...texts: string[]): readonly Cidr[] => texts.map(parseCidr);

/** The metadata services of clouds, from which a machine gets its credentials. */
const METADATA = cidrs(
  '169.254.169.254/32', // AWS, GCP, Azure and most others
  '169.254.170.2/32', // AWS ECS
  '169.254.170.23/32', // AWS EKS
  'fd00:ec2::254/128', // AWS
  'fd00:ec2::23/128', // AWS EKS
  'fe80::a9fe:a9fe/128', // OpenStack
  'fd20:ce::254/128', // GCP
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:a9fe:a9fe::1/128', // Linode
  '169.254.42.42/32', // Scaleway
  'fd00:42::42/128', // Scaleway
  '169.254.0.23/32', // Tencent
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure's host
  '192.0.0.192/32', // Oracle
);

// The rest of IPv6 is not allocated.
const ALLOCATED_V6 = parseCidr('2000::/3');
const NAT64 = parseCidr('64:ff9b::/96');
const SIX_TO_FOUR = parseCidr('2002::/16');

/** The address that a packet reaches: the IPv4 address in an IPv6 form of one, else the address itself. */
function destination(address: Address): Address {
  const bytes = address.toByteArray();
  const embedded = (from: number) => ipaddr.fromByteArray(bytes.slice(from, from + 4));
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return embedded(12);
  if (within(address, NAT64)) return embedded(12);
  if (within(address, SIX_TO_FOUR)) return embedded(2);
  return address;
}

/**
 * The address of an IP literal; undefined when it is not one. A zone (`%eth0`) is ignored: it names an interface, not a
 * destination.
 */
function read(literal: string): Address | undefined {
  const plain = literal.replace(/%.*$/, '');
  // Most texts are names, for which ipaddr.isValid makes and catches an error.
  return isIP(plain) === 0 ? undefined : ipaddr.parse(plain);
}

/** Returns whether an address is in none of IANA's registries of special-purpose addresses (RFC 6890), which ipaddr.js knows. */
const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, ALLOCATED_V6));

/**
 * Returns whether a webhook may connect to `address` (an IP literal without brackets): a public address, or one in the
 * networks `allowed`. Metadata addresses of clouds are never reachable, and neither is a text that is not an address.
 */
export function isReachable(address: string, allowed: readonly Cidr[]): boolean {
  const literal = read(address);
  if (!literal) return false;
  const target = destination(literal);
  if (METADATA.some((network) => within(target, network))) return false;
  return isPublic(target) || allowed.some((network) => within(target, network));
}

function rangeOf(address: string): string | undefined {
  const literal = read(address);
  return literal && destination(literal).range();
}

/** The address that a packet to this IP literal reaches, in one spelling; undefined when it is not an address. */
export function destinationOf(address: string): string | undefined {
  const literal = read(address);
  return literal && destination(literal).toNormalizedString();
}

/** Returns whether `address` is the unspecified address, `0.0.0.0` or `::`. */
export const isUnspecified = (address: string): boolean => rangeOf(address) === 'unspecified';

/** Returns whether `address` is an IP literal of this machine's loopback. */
export const isLoopback = (address: string): boolean => rangeOf(address) === 'loopback';

/** Returns whether `address` is an IP literal of this machine or of a private network (RFC 1918, RFC 4193, link-local ones). */
export const isPrivate = (address: string): boolean =>
  ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(rangeOf(address) ?? '');

/** Returns whether `address`, an IP literal, may be shown to the public. Addresses of documentation tell nothing either. */
export const isOpen = (address: string): boolean => ['unicast', 'reserved'].includes(rangeOf(address) ?? '');

/**
 * The smallest network that one customer gets: an IPv6 network (RFC 6177), or one IPv4 address, also where it is written as an IPv6
 * address. A text that is not an address stays as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const plain = address.replace(/%.*$/, '');
  if (!ipaddr.IPv6.isValid(plain)) return address;
  const processed = ipaddr.process(plain);
  if (processed.kind() === 'ipv4') return processed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${plain}/56`)}/56`;
}

/** Returns a number that stands for a client without an account where owners share something. Owners have numbers above 0. */
export const numberOfClient = (networkOrSession: string): number => -1 - hashOfKey(networkOrSession).readUIntBE(0, 6);
