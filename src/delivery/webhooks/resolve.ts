import type { LookupAddress } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../../limits.ts';

/** Resolves a name to its addresses, as `resolveName` does. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** RFC 6761, 6.3: DNS is not asked. */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const toAddresses = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));

/** The addresses that DNS has for a name. Rejects where it gives no answer. */
async function askDns(hostname: string, dns: Resolver, ipv6TimeoutMs: number): Promise<string[]> {
  const ipv4 = dns.resolve4(hostname);
  const ipv6 = dns.resolve6(hostname);
  const late = ipv4.then(
    () => delay(ipv6TimeoutMs, [], { ref: false }),
    () => ipv6,
  );
  const answers = await Promise.allSettled([ipv4, Promise.race([ipv6, late])]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
  return addresses;
}

/**
 * The addresses of a host name, at least one, IPv4 first: from DNS alone. Rejects when there is none, or no answer. The
 * system's getaddrinfo, which reads a hosts file too, can't be aborted, and blocks one of the process's few threads until it
 * answers: a few names with a dead DNS server would stop file access and more.
 */
export async function resolveName(
  hostname: string,
  dns: Resolver,
  { delivery: { ipv6TimeoutMs } }: Limits,
): Promise<LookupAddress[]> {
  if (/(?:^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK;
  const addresses = await askDns(hostname, dns, ipv6TimeoutMs);
  if (addresses.length === 0) throw new Error('The name has no address.');
  return toAddresses(addresses);
}
