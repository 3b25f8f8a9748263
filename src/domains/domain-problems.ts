import { isIPv4, isIPv6 } from 'node:net';
import { isOpen } from '../lib/public-address.ts';
import { domainSentence } from '../problems/domain-sentences.ts';
import { isApex, isPrivateName, normalizeDomain } from './domain-names.ts';
import { proofName } from './domain-records.ts';
import type { Records } from './look-up.ts';

/** Characters of a value from DNS, and values, that a sentence shows: anybody may have written them. */
const MAX_SHOWN_CHARS = 100;
const MAX_SHOWN_VALUES = 5;

function shown(values: readonly string[]): string {
  const quoted = values.slice(0, MAX_SHOWN_VALUES).map((value) => {
    const printable = value.replaceAll(/\p{C}/gu, ' ');
    return `"${printable.length > MAX_SHOWN_CHARS ? `${printable.slice(0, MAX_SHOWN_CHARS)}…` : printable}"`;
  });
  const rest = values.length - quoted.length;
  return rest > 0 ? `${quoted.join(', ')} and ${rest} more` : quoted.join(', ');
}

/** Returns addresses for a sentence, without private ones, which tell a stranger about this service's network. */
function shownAddresses(addresses: readonly string[]): string {
  const open = addresses.filter(isOpen);
  const hidden = open.length < addresses.length ? ['addresses of a private network'] : [];
  return [...(open.length > 0 ? [shown(open)] : []), ...hidden].join(', ');
}

/** Where CNAME records lead, for a sentence. */
const shownTargets = (targets: readonly string[]): string =>
  targets.some((target) => isPrivateName(normalizeDomain(target))) ? 'a name of a private network' : shown(targets);

function proofProblem({ txt, txtAlias }: Records, domain: string, proof: string): string | undefined {
  const name = proofName(domain);
  if (!txt) return domainSentence('proof-silent', { name, proof });
  if (txt.values.includes(proof)) return undefined;
  // The answer is that of another name then, which may be of a private network.
  if (txtAlias && txtAlias.values.length > 0) {
    return domainSentence('proof-alias', { name, proof, found: shownTargets(txtAlias.values) });
  }
  if (txt.none !== undefined) return domainSentence('proof-missing', { name, proof, answer: txt.none });
  if (!txtAlias) return domainSentence('proof-hidden', { name, proof });
  return domainSentence('proof-other', { name, proof, found: shown(txt.values) });
}

function trafficProblem(
  { cname, addresses, targetAddresses }: Records,
  domain: string,
  target: string,
): string | undefined {
  const found = addresses?.values ?? [];
  if (cname?.values.some((value) => value.toLowerCase() === target)) return undefined;
  const wrong = [found.filter(isIPv4), found.filter(isIPv6)]
    .filter((family) => !family.some((address) => targetAddresses?.values.includes(address)))
    .flat();
  if (wrong.length < found.length) {
    return wrong.length === 0
      ? undefined
      : domainSentence('some-addresses', { domain, target, found: shownAddresses(wrong) });
  }
  if (cname && cname.values.length > 0)
    return domainSentence('other-target', { domain, target, found: shownTargets(cname.values) });
  if (!cname || !addresses) return domainSentence('silent', { domain, target });
  if (addresses.none !== undefined)
    return domainSentence(isApex(domain) ? 'no-record-apex' : 'no-record', {
      ...{ domain, target, answer: addresses.none },
    });
  if (!targetAddresses) return domainSentence('target-silent', { domain, target });
  return domainSentence(isApex(domain) ? 'other-addresses-apex' : 'other-addresses', {
    ...{ domain, target, found: shownAddresses(found) },
  });
}

/** Names each record that is wrong or missing, with the value that is expected and the answer of DNS; null where all are right. */
export function problemOf(
  records: Records,
  { domain, proof, target }: { domain: string; proof: string; target: string },
): string | null {
  const problems = [proofProblem(records, domain, proof), trafficProblem(records, domain, target)];
  return problems.filter((problem) => problem !== undefined).join(' ') || null;
}
