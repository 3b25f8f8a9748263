import { describe, expect, it } from 'vitest';
import { domainFault, isApex, isPrivateName, normalizeDomain } from '../../src/domains/domain-names.ts';

const OWN = { hosts: ['api.test', 'edge.test'], pagesDomain: 'pages.test' };
const label = 'x'.repeat(63);

describe('normalizeDomain', () => {
  it.each([
    ['Forms.Shop.Example', 'forms.shop.example'],
    [' forms.shop.example. ', 'forms.shop.example'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['a。example', 'a.example'],
    ['two words.example', ''],
  ])('makes of %s %s', (text, domain) => {
    expect(normalizeDomain(text)).toBe(domain);
  });
});

describe('domainFault', () => {
  it.each([
    ...['forms.shop.test', 'shop.example', 'a.b.co.uk', 'a.co.uk', 'me.github.io', 'Bücher.example', 'forms.example.'],
    ...[`${label}.example`, `${label}.${label}.${label}.${'x'.repeat(43)}.example`, 'notpages.test', 'www.api.test'],
  ])('accepts %s', (text) => {
    expect(domainFault(text, OWN)).toBeUndefined();
  });

  it.each([
    [/^is an address/, ['192.0.2.1', '[2001:db8::1]', '2001:db8::1', '1.2', '0x7f.1']],
    [/^is a URL/, ['https://forms.example', 'forms.example/', 'forms.example?a', 'me@forms.example', 'a#b.example']],
    [/^has a port/, ['forms.example:443']],
    [/^is a wildcard/, ['*.shop.example', '*']],
    [/^has a label of more/, [`x${label}.example`]],
    [/^has more than 243/, [`${label}.${label}.${label}.${'x'.repeat(44)}.example`]],
    [
      /^is not a domain/,
      [
        '',
        '.',
        'a..example',
        '.a.example',
        'a.example..',
        '-a.example',
        'a-.example',
        'my_form.example',
        'a b.example',
        'ex%61mple.test',
      ],
    ],
    [/^is a single label/, ['localhost', 'com', 'forms.']],
    [
      /^is a name of private networks: send a name that you have registered$/,
      [
        ...[
          'printer.local',
          'a.b.svc.cluster.local',
          'Db.INTERNAL.',
          'nas.home.arpa',
          'home.arpa',
          '1.0.10.in-addr.arpa',
        ],
        ...['abcdefghij.onion', 'a.invalid', 'a.b.localhost', 'router.lan', 'mail.corp', 'pc.home', 'wiki.intranet'],
        ...[
          'a.private',
          'api.default.svc',
          'web.service.consul',
          'x.alt',
          'x.workgroup',
          'Bücher.local',
          'a.ｌｏｃａｌ',
          'a.123abc',
        ],
      ],
    ],
    [/^is a public suffix/, ['co.uk', 'github.io', 'GitHub.io.']],
    [
      /^belongs to this service/,
      ['api.test', 'API.test.', 'edge.test', 'pages.test', 'a.pages.test', 'a.b.pages.test'],
    ],
  ])('says that it %s', (fault, texts) => {
    for (const text of texts)
      expect([text, domainFault(text, OWN)?.problem]).toEqual([text, expect.stringMatching(fault)]);
  });
});

it.each([
  ...['shop.example', 'a.test', 'shop.de', 'me.github.io', 'a.xn--p1ai', 'fritz.box', 'local.example.com'].map(
    (name) => [name, false],
  ),
  ...['localhost', '', 'db', 'a.local', 'a.onion'].map((name) => [name, true]),
] as const)('isPrivateName(%s) is %s', (domain, expected) => {
  expect(isPrivateName(String(domain))).toBe(expected);
});

it.each([
  ['shop.example', true],
  ['shop.co.uk', true],
  ['forms.shop.example', false],
  ['forms.shop.co.uk', false],
])('isApex(%s) is %s', (domain, expected) => {
  expect(isApex(domain)).toBe(expected);
});
