import { isIPv4, isIPv6 } from 'node:net';
import { isApex } from '../lib/domain-names.ts';
import { proofName } from '../lib/domain-records.ts';
import type { Answer, Records } from './look-up.ts';

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

function proofProblem(txt: Answer, domain: string, proof: string): string | undefined {
  const name = proofName(domain);
  if (!txt)
    return `DNS did not answer when it was asked for the TXT record of ${name}, which should have the value "${proof}".`;
  if (txt.none !== undefined) {
    return `The TXT record of ${name} is missing: DNS answered ${txt.none}. Add it with the value "${proof}".`;
  }
  if (txt.values.includes(proof)) return undefined;
  return `The TXT record of ${name} has ${shown(txt.values)} in DNS. Add one with the value "${proof}".`;
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
      : `The addresses of ${domain} include ${shown(wrong)}, and ${target} has none of these. Remove their records.`;
  }
  const todo = isApex(domain)
    ? `Add an ALIAS, ANAME or flattened CNAME record to ${target}, or A and AAAA records with its addresses.`
    : `Add a CNAME record to ${target}.`;
  if (cname && cname.values.length > 0)
    return `The CNAME record of ${domain} leads to ${shown(cname.values)}. Let it lead to ${target}.`;
  if (!cname || !addresses)
    return `DNS did not answer when it was asked where ${domain} leads, which should be ${target}.`;
  if (addresses.none !== undefined)
    return `No record leads from ${domain} to this service: DNS answered ${addresses.none}. ${todo}`;
  if (!targetAddresses)
    return `DNS did not answer when it was asked for the addresses of ${target}, to which ${domain} should lead.`;
  return `The addresses of ${domain} are ${shown(found)}, and none of ${target}. ${todo}`;
}

/** Names each record that is wrong or missing, with the value that is expected and the answer of DNS; null where all are right. */
export function problemOf(
  records: Records,
  { domain, proof, target }: { domain: string; proof: string; target: string },
): string | null {
  const problems = [proofProblem(records.txt, domain, proof), trafficProblem(records, domain, target)];
  return problems.filter((problem) => problem !== undefined).join(' ') || null;
}
