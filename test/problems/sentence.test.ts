import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { fieldAt, inApiWords, literal, render, type Vocabulary, valueTemplate } from '../../src/problems/sentence.ts';
import { endpointsOf } from '../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN } from '../support/test-service.ts';

const VOCABULARY: Vocabulary = {
  words: { deployment: 'page', send: 'give', Send: 'Give', once: '' },
  beforeValue: ' ',
  field: (name) => (['spam.blocklist', 'plus'].includes(name) ? undefined : `--${name}`),
  operation: (route) => (route === 'GET /trash' ? 'trash list' : undefined),
};

describe('a template', () => {
  it.each([
    ['{slug} is taken.', 'slug is taken.', '--slug is taken.'],
    ['{spam.blocklist} is long.', 'spam.blocklist is long.', 'spam.blocklist is long.'],
    ['{If-Match} is long.', 'If-Match is long.', '--If-Match is long.'],
    ['One that {GET /trash} lists.', 'One that GET /trash lists.', 'One that trash list lists.'],
    ['See {PATCH /deploy/:id}.', 'See PATCH /deploy/:id.', 'See PATCH /deploy/:id.'],
    [
      'No {deployment}s: {send} more{once}{plus}',
      'No deployments: send more, once In a URL, + is %2B.',
      'No pages: give moreplus',
    ],
    ['{Send} {type: slack}.', 'Send type: slack.', 'Give --type slack.'],
    [
      '{{FORM_ACTION}}, {"a": 1}, {}, { a }, {a',
      '{{FORM_ACTION}}, {"a": 1}, {}, { a }, {a',
      '{{FORM_ACTION}}, {"a": 1}, {}, { a }, {a',
    ],
    ['\\{slug} \\\\{slug}', '{slug} \\slug', '{slug} \\--slug'],
  ])('%j', (template, api, others) => {
    expect([inApiWords(template), render(template, VOCABULARY)]).toEqual([api, others]);
  });

  it.each(['{slug}', '{{slug}}', '\\{slug}', '\\\\{send}', 'C:\\{GET /trash}', '\\', '{'])(
    'keeps %j of outside',
    (text) => {
      const template = `${literal(text)} ${literal(text)}{once}`;
      expect([inApiWords(template), render(template, VOCABULARY)]).toEqual([
        `${text} ${text}, once`,
        `${text} ${text}`,
      ]);
    },
  );

  it.each<[PropertyKey[], string, string]>([
    [['slug'], 'slug is no string: send one, or null.', '{slug} is no string: {send} one, or {null}.'],
    [['spam', 'captcha', 'secret'], 'spam.captcha.secret is empty.', '{spam.captcha.secret} is empty.'],
    [['spam', 'blocklist', 2], 'spam.blocklist has a gap.', '{spam.blocklist} has a gap.'],
    [['limit'], 'limit is low: send more{once}.', '{limit} is low: {send} more{once}.'],
    [['Last-Event-ID'], 'Last-Event-ID is long.', '{Last-Event-ID} is long.'],
    [['opens_at'], '{opens_at} is not before {closes_at}.', '{opens_at} is not before {closes_at}.'],
    [['to'], 'total is high: choose null.', 'total is high: choose null.'],
    [[], 'The body ends.', 'The body ends.'],
  ])('about the value at %j follows from %j', (path, sentence, template) => {
    expect(valueTemplate(path, sentence)).toBe(template);
    expect(inApiWords(valueTemplate(path, sentence))).toBe(inApiWords(sentence));
  });

  it('names a value by the parts of its pointer', () => {
    expect(fieldAt('/files/a~1b~0c.css')).toBe('files.a/b~c.css');
  });
});

it('every operation in the templates of the service is one of the API', () => {
  const endpoints = endpointsOf(loadConfig({ BASE_URL, PAGES_DOMAIN, DATABASE_URL: 'postgres://x' }));
  const declared = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  const sources = globSync('src/{http,lib}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const named = sources.flatMap((text) => Array.from(text.matchAll(/\{([A-Z]+ \/[\w/:.-]*)\}/g), ([, route]) => route));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((route) => route === undefined || !declared.has(route))).toEqual([]);
});
