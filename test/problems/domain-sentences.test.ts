import { expect, it } from 'vitest';
import { codesOf } from '../../src/problems/coded-sentences.ts';
import { DOMAIN_SENTENCES, domainSentenceIn } from '../../src/problems/domain-sentences.ts';

const VALUES: Readonly<Record<string, string>> = {
  ...{ name: '_formhost.example.org', proof: 'formhost=0VbbZC2bC3', domain: 'www.example.org', target: 'a.pages.test' },
  ...{ answer: 'NXDOMAIN', found: '"in DNS. Add one", "(*), a\nb" and 3 more' },
};

it('finds what each sentence about a domain is made of', () => {
  for (const code of codesOf(DOMAIN_SENTENCES)) {
    const places = Array.from(DOMAIN_SENTENCES[code].matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    const values = Object.fromEntries(places.map((name) => [name, VALUES[name] ?? '']));
    const sentence = DOMAIN_SENTENCES[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? '');
    expect(domainSentenceIn(sentence)).toEqual({ code, values });
  }
});

it('finds nothing in two sentences, and in others', () => {
  const two = `${DOMAIN_SENTENCES.moved} ${DOMAIN_SENTENCES['private-name']}`;
  for (const sentence of ['', two, 'The domain is live.']) expect(domainSentenceIn(sentence)).toBe(null);
});
