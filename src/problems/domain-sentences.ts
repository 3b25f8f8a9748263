import { sentenceReader, sentenceWith } from './coded-sentences.ts';

/*
 * What is wrong with a custom domain: its problem has one sentence about the proof, and one about where the domain leads. And what an
 * ALIAS record has as its value.
 */

/** The sentences of the API, by their codes. */
export const DOMAIN_SENTENCES = {
  'private-name': 'The domain is a name of private networks: remove it, and add a name that you have registered.',
  'live-elsewhere':
    'The domain is live at another page, whose TXT record is still in DNS. Remove that record to use the domain here.',
  moved: 'The domain is live at another page now, whose TXT record DNS has in place of yours.',
  'proof-silent':
    'DNS did not answer when it was asked for the TXT record of {name}, which should have the value "{proof}".',
  'proof-alias':
    'The TXT record of {name} is missing: DNS has a CNAME record there, or for all names (*), which leads to {found}. Add a TXT record with the value "{proof}".',
  'proof-missing': 'The TXT record of {name} is missing: DNS answered {answer}. Add it with the value "{proof}".',
  'proof-hidden': 'The TXT record of {name} has other values in DNS. Add one with the value "{proof}".',
  'proof-other': 'The TXT record of {name} has {found} in DNS. Add one with the value "{proof}".',
  'some-addresses': 'The addresses of {domain} include {found}, and {target} has none of these. Remove their records.',
  'other-target': 'The CNAME record of {domain} leads to {found}. Let it lead to {target}.',
  silent: 'DNS did not answer when it was asked where {domain} leads, which should be {target}.',
  'no-record': 'No record leads from {domain} to this service: DNS answered {answer}. Add a CNAME record to {target}.',
  'no-record-apex':
    'No record leads from {domain} to this service: DNS answered {answer}. Add an ALIAS, ANAME or flattened CNAME record to {target}, or A and AAAA records with its addresses.',
  'target-silent': 'DNS did not answer when it was asked for the addresses of {target}, to which {domain} should lead.',
  'other-addresses': 'The addresses of {domain} are {found}, and none of {target}. Add a CNAME record to {target}.',
  'other-addresses-apex':
    'The addresses of {domain} are {found}, and none of {target}. Add an ALIAS, ANAME or flattened CNAME record to {target}, or A and AAAA records with its addresses.',
  'alias-value':
    'An ALIAS, ANAME or flattened CNAME record to {target}; or A and AAAA records with the addresses of {target}.',
} as const;

export type DomainSentence = keyof typeof DOMAIN_SENTENCES;

/** Returns a sentence with values in its places. */
export const domainSentence = <Code extends DomainSentence>(
  code: Code,
  values: Parameters<typeof sentenceWith<(typeof DOMAIN_SENTENCES)[Code]>>[1],
): string => sentenceWith<(typeof DOMAIN_SENTENCES)[Code]>(DOMAIN_SENTENCES[code], values);

/** Finds what a sentence about a domain is made of. */
export const domainSentenceIn = sentenceReader<DomainSentence>(DOMAIN_SENTENCES);
