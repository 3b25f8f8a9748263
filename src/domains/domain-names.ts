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
 * Returns whether a name can only mean something on a private network or a machine: a single label, or an end that the
 * internet does not have, such as .local, .internal, .home.arpa, .lan and .svc (RFC 6761, RFC 6762). `domain` is normalized.
 */
export function isPrivateName(domain: string): boolean {
  const end = domain.slice(domain.lastIndexOf('.') + 1);
  if (!domain.includes('.') || SPECIAL.test(domain)) return true;
  const { isIcann, isPrivate } = partsOf(domain);
  return isIcann !== true && isPrivate !== true && !FOR_TESTS.includes(end);
}

/** A domain in the form in which it is stored: lower case, IDNA (`xn--`), without a dot at its end. '' where it is none. */
export const normalizeDomain = (text: string): string => domainToASCII(text.trim()).replace(/\.$/, '');

/** Returns whether a domain, such as shop.example, is not below another one: DNS allows no CNAME record for it. */
export const isApex = (domain: string): boolean => partsOf(domain).domain === domain;

const PRIVATE_FAULT = 'is a name of private networks: send a name that you have registered';

/** The longest domain: the name of its proof, _formhost.<domain>, has at most 253 characters (RFC 1035, 3.1). */
const MAX_CHARS = 243;
const MAX_LABEL_CHARS = 63;

type Fault = { code: 'too-long'; limit: number } | { code: 'wrong-format' | 'not-allowed' };

/** Why a text can't be a custom domain. `problem`: the second half of a sentence. */
type DomainFault = { fault: Fault; problem: string };

const malformed = (problem: string): DomainFault => ({ fault: { code: 'wrong-format' }, problem });
const refused = (problem: string): DomainFault => ({ fault: { code: 'not-allowed' }, problem });
const tooLong = (limit: number, problem: string): DomainFault => ({ fault: { code: 'too-long', limit }, problem });

/** Says why a text can't be a custom domain; undefined where it can be one. */
export function domainFault(text: string, { hosts, pagesDomain }: OwnNames): DomainFault | undefined {
  const domain = normalizeDomain(text);
  if (isIP(domain.replace(/^\[|\]$/g, '')) !== 0 || isIP(text.trim()) !== 0) {
    return refused('is an address: send a name');
  }
  if (/[/?#@\\]/.test(text)) return malformed('is a URL: send only its host');
  if (text.includes(':')) return malformed('has a port: send the name alone');
  if (text.includes('*')) return refused('is a wildcard: send each name on its own');
  const labels = domain.split('.');
  if (labels.some((label) => label.length > MAX_LABEL_CHARS)) {
    return tooLong(MAX_LABEL_CHARS, `has a label of more than ${MAX_LABEL_CHARS} characters`);
  }
  if (domain.length > MAX_CHARS) return tooLong(MAX_CHARS, `has more than ${MAX_CHARS} characters`);
  if (text.includes('%') || !labels.every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label))) {
    return malformed('is not a domain: send letters, digits and hyphens between single dots');
  }
  if (labels.length === 1) return malformed('is a single label: send a domain with a dot, such as forms.example.org');
  if (partsOf(domain).domain === null && !isPrivateName(domain)) {
    return refused('is a public suffix: send a name that you have registered');
  }
  if (hosts.includes(domain) || domain === pagesDomain || domain.endsWith(`.${pagesDomain}`)) {
    return refused('belongs to this service: send a domain of your own');
  }
  return isPrivateName(domain) ? refused(PRIVATE_FAULT) : undefined;
}
