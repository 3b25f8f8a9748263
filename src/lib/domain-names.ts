import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

/** The hosts of the service itself. `hosts`: names without a port; `pagesDomain`: nothing under it can be a custom domain. */
export type OwnNames = { hosts: readonly string[]; pagesDomain: string };

/** Private suffixes, such as github.io, count as public ones: people get names there that are not theirs alone. */
const partsOf = (domain: string) => parse(domain, { allowPrivateDomains: true });

/** Ends of names that are in no list of public suffixes, and mean no private network (RFC 2606): they are for tests and examples. */
const FOR_TESTS: readonly string[] = ['example', 'test'];
/** Ends of names that are in the list, and mean no host of the internet (RFC 7686, RFC 8375, RFC 9476). */
const SPECIAL = /(?:^|\.)(?:onion|alt|arpa)$/;

/**
 * Whether a name can only mean something on a private network or a machine: a single label, or an end that the internet does
 * not have, such as .local, .internal, .home.arpa, .lan and .svc (RFC 6761, RFC 6762). `domain` is normalized.
 */
export function isPrivateName(domain: string): boolean {
  const end = domain.slice(domain.lastIndexOf('.') + 1);
  if (!domain.includes('.') || SPECIAL.test(domain)) return true;
  const { isIcann, isPrivate } = partsOf(domain);
  return isIcann !== true && isPrivate !== true && !FOR_TESTS.includes(end);
}

/** A domain in the form in which it is stored: lower case, IDNA (`xn--`), without a dot at its end. '' where it is none. */
export const normalizeDomain = (text: string): string => domainToASCII(text.trim()).replace(/\.$/, '');

/** Whether a domain, such as shop.example, is not below another one: DNS allows no CNAME record for it. */
export const isApex = (domain: string): boolean => partsOf(domain).domain === domain;

const PRIVATE_FAULT = 'is a name of private networks: send a name that you have registered';

/** Why a text can't be a custom domain, as the second half of a sentence; undefined where it can be one. */
export function domainFault(text: string, { hosts, pagesDomain }: OwnNames): string | undefined {
  const domain = normalizeDomain(text);
  if (isIP(domain.replace(/^\[|\]$/g, '')) !== 0 || isIP(text.trim()) !== 0) return 'is an address: send a name';
  if (/[/?#@\\]/.test(text)) return 'is a URL: send only its host';
  if (text.includes(':')) return 'has a port: send the name alone';
  if (text.includes('*')) return 'is a wildcard: send each name on its own';
  const labels = domain.split('.');
  if (labels.some((label) => label.length > 63)) return 'has a label of more than 63 characters';
  // The name of its proof, _formhost.<domain>, has at most 253 (RFC 1035, 3.1).
  if (domain.length > 243) return 'has more than 243 characters';
  if (text.includes('%') || !labels.every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label))) {
    return 'is not a domain: send letters, digits and hyphens between single dots';
  }
  if (labels.length === 1) return 'is a single label: send a domain with a dot, such as forms.example.org';
  if (partsOf(domain).domain === null && !isPrivateName(domain))
    return 'is a public suffix: send a name that you have registered';
  if (hosts.includes(domain) || domain === pagesDomain || domain.endsWith(`.${pagesDomain}`)) {
    return 'belongs to this service: send a domain of your own';
  }
  return isPrivateName(domain) ? PRIVATE_FAULT : undefined;
}
