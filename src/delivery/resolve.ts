import type { LookupAddress } from 'node:dns';
import { lookup, type Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';

/** The addresses of a host name, at least one, IPv4 first. Rejects when there is none, or no answer. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>;

/** By RFC 6761, 6.3, whatever DNS says. */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** DNS says that the name has no address; or there is no DNS. */
const NOT_IN_DNS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ECONNREFUSED']);

// What the IPv6 addresses are waited for where there are IPv4 ones (RFC 8305, 3): some servers ignore the question.
const LATE_MS = 250;
const MOST_SYSTEM_LOOKUPS = 2;

/**
 * Looks names up in DNS, and in the system (the hosts file, search domains) those that DNS doesn't have. The system's
 * way holds a thread of the process' four until it is answered, so it is no way for names whose DNS server is dead.
 */
export function createResolve(dns: Resolver): Resolve {
  const limit = pLimit(MOST_SYSTEM_LOOKUPS);

  return async (hostname, signal) => {
    if (/(?:^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK;
    const ipv4 = dns.resolve4(hostname);
    const ipv6 = dns.resolve6(hostname);
    const late = ipv4.then(
      () => delay(LATE_MS, [], { ref: false }),
      () => ipv6,
    );
    const answers = await Promise.allSettled([ipv4, Promise.race([ipv6, late])]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
    const unanswered = answers.find((answer) => answer.status === 'rejected' && !NOT_IN_DNS.has(answer.reason.code));
    if (unanswered?.status === 'rejected') throw unanswered.reason;
    return limit(() => {
      signal.throwIfAborted();
      return lookup(hostname, { all: true, order: 'ipv4first' });
    });
  };
}
