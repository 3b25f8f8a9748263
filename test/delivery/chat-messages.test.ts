import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatMessage } from '../../src/delivery/webhooks/chat/chat-message.ts';
import { discordPayload } from '../../src/delivery/webhooks/chat/discord.ts';
import { googleChatPayload } from '../../src/delivery/webhooks/chat/google-chat.ts';
import { isRefusedByTeams, teamsPayload } from '../../src/delivery/webhooks/chat/teams.ts';
import { telegramPayload } from '../../src/delivery/webhooks/chat/telegram.ts';
import { readTexts, refusalsOf, SERVICES, type Service } from '../support/chat-services.ts';

const ABOUT = {
  ...{ deploymentId: 'd_1', slug: 'bakery', title: 'Käse & <Brot>', submissionId: 'sub_1', isTest: false },
  ...{ createdAt: new Date('2026-11-03T10:00:00.000Z'), timeZone: 'Europe/Zurich' },
};
const INBOX = 'https://forms.example/dashboard/pages/d_1/inbox/sub_1';

type Fields = readonly (readonly [name: string, value: unknown])[];

/** JSON of these fields, repeats included. */
const dataOf = (fields: Fields): string =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

/** The body for a service. */
function bodyOf(
  service: Service,
  data: string,
  more: Partial<typeof ABOUT> = {},
  labels = new Map<string, string>(),
): string {
  const message = chatMessage({ ...ABOUT, data, ...more }, labels, 'https://forms.example');
  const bodies = {
    discord: () => discordPayload(message),
    teams: () => teamsPayload(message),
    'google-chat': () => googleChatPayload(message),
    telegram: () => telegramPayload(message, '-100123'),
  };
  return JSON.stringify(bodies[service]());
}

const textsOf = (
  service: Service,
  ...rest: [fields: Fields, more?: Partial<typeof ABOUT>, labels?: Map<string, string>]
) => {
  const [fields, ...others] = rest;
  return readTexts(service, bodyOf(service, dataOf(fields), ...others));
};

describe.each(SERVICES)('a message for %s', (service) => {
  it('has the title of the page, the labels of the form, the values and a link to the inbox', () => {
    const labels = new Map([['n', 'Your name:']]);
    const texts = textsOf(
      service,
      [
        ['n', 'Ada'],
        ['age', 36],
        ['tags', ['a', 'b']],
      ],
      {},
      labels,
    );
    const all = texts.join('\n');
    for (const text of ['New submission for Käse & ', 'Your name', 'Ada', 'age', '36', 'tags', 'a, b', INBOX]) {
      expect(all).toContain(text);
    }
    expect(texts).not.toContain('n');
  });

  it('has no control field, and the address for Reply-To', () => {
    const controls = ['_hp', '_gotcha', '_redirect', '_next', '_subject', 'h-captcha-response', 'altcha', '_webhook'];
    const fields = controls.map((name) => [name, `control-${name}`] as const);
    const all = textsOf(service, [...fields, ['_replyto', 'ada@example.org'], ['_own', 'kept']]).join('\n');
    expect(all).not.toContain('control-');
    for (const text of ['Reply-To', 'ada@example.org', '_own', 'kept']) expect(all).toContain(text);
  });

  it('says in words that it is a test, and that there is nothing to show', () => {
    const all = textsOf(service, [], { isTest: true }).join('\n');
    for (const text of [
      'Test submission for',
      'This is a test: no visitor has sent it.',
      'It has no fields to show.',
    ]) {
      expect(all).toContain(text);
    }
    expect(textsOf(service, [['a', 'b']]).join('\n')).not.toContain('test');
  });

  it('names files, and their size', () => {
    const file = (url: string) => ({ filename: 'a<b>.pdf', content_type: 'text/plain', size: 2_500, url });
    const own = '/submissions/d_1/sub_1/files/file_1';
    const all = textsOf(service, [
      ['one', file(own)],
      ['more', [file(own), file(own)]],
      ['fake', file('/x')],
    ]).join('\n');
    expect(all.match(/a<b>\.pdf \(2\.5 kB\)/g)).toHaveLength(3);
    expect(all).toContain('"url"');
  });

  it('shows 25 fields, and says how many are left out', () => {
    const fields = (count: number): Fields => Array.from({ length: count }, (_, at) => [`name-${at}-`, `value-${at}-`]);
    const all = (count: number): string => textsOf(service, fields(count)).join('\n');
    expect(all(25)).not.toContain('in the inbox.');
    expect(all(26)).toContain('1 more field is in the inbox.');
    expect(all(1_000)).toContain('975 more fields are in the inbox.');
    expect(all(1_000)).toContain('value-24-');
    expect(all(1_000)).not.toContain('value-25-');
  });

  it.each<[string, Fields]>([
    [
      'a value of a megabyte',
      [
        ['a', 'x'.repeat(1_000_000)],
        ['b', 'short'],
      ],
    ],
    [
      'a megabyte of line breaks',
      [
        ['a', 'x\n'.repeat(500_000)],
        ['b', 'short'],
      ],
    ],
    [
      '25 large values, each character escaped',
      Array.from({ length: 25 }, (_, at) => [`<*${at}*>`.repeat(60), '<&*_`|'.repeat(9_000)]),
    ],
    ['25 large values of emoji', Array.from({ length: 25 }, () => ['👩‍👩‍👧'.repeat(40), '👩‍👩‍👧\n'.repeat(2_000)])],
    [
      '25 large values with mentions',
      Array.from({ length: 25 }, () => ['@a '.repeat(90), '@everyone @ada '.repeat(900)]),
    ],
    ['a thousand empty fields', Array.from({ length: 1_000 }, () => ['', ''])],
    [
      'what nobody sees',
      [
        ['\u200b', '\u200b\ufeff'],
        [' \n', '\0\ud800\u202e\u2067'],
      ],
    ],
    ['a value that is cut in an emoji', [['a', `x${'😀'.repeat(5_000)}`]]],
  ])('is accepted by the service: %s', (_what, fields) => {
    const body = bodyOf(service, dataOf(fields));
    expect(refusalsOf(service, body)).toEqual([]);
    if (fields.length === 2 && fields[1]?.[0] === 'b') expect(readTexts(service, body).join('\n')).toContain('short');
  });

  it('is accepted by the service, whatever was submitted', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(
        '@everyone',
        '<@1>',
        '[x](https://evil.example)',
        '**',
        '> a',
        '1. b',
        '</at>',
        '&lt;',
        '`'.repeat(3),
      ),
    );
    const field = fc.tuple(
      text,
      fc.tuple(text, fc.nat(80)).map(([value, times]) => value.repeat(times)),
    );
    fc.assert(
      fc.property(fc.array(field, { maxLength: 40 }), text, (fields, title) => {
        expect(refusalsOf(service, bodyOf(service, dataOf(fields), { title }))).toEqual([]);
      }),
    );
  });

  it('marks a value that is cut, between two characters', () => {
    const texts = textsOf(service, [['a', `x${'😀'.repeat(5_000)}`]]);
    expect(texts.filter((line) => /^x(?:😀)+…$/u.test(line))).toHaveLength(1);
  });
});

describe('a message for Discord', () => {
  const valueFor = (text: string): string =>
    JSON.parse(bodyOf('discord', dataOf([['a', text]]))).embeds[0].fields[0].value;

  it.each([
    ['**bold** __a__ ~~b~~ ||c|| `d`', '\\*\\*bold\\*\\* \\_\\_a\\_\\_ \\~\\~b\\~\\~ \\|\\|c\\|\\| \\`d\\`'],
    ['[click](https://evil.example/a_b)', '\\[click\\]\\(https://evil.example/a_b\\)'],
    ['<@123> <@&1> <#2> <t:1>', '\\<@123\\> \\<@&1\\> \\<\\#2\\> \\<t:1\\>'],
    ['@everyone @here ada@example.org', '@\u200beveryone @\u200bhere ada@example.org'],
    ['# a\n-# b\n> c\n- d\n+ e\n1. f', '\\# a\n-\\# b\n\\> c\n\\- d\n\\+ e\n1\\. f'],
    ['a\\*b', 'a\\\\\\*b'],
    ['see https://example.org/a_b_c?x=~1#y_z.', 'see https://example.org/a_b_c?x=~1#y_z.'],
  ])('escapes %j', (text, escaped) => {
    expect(valueFor(text)).toBe(escaped);
  });

  it('leaves the space of short values to long ones', () => {
    const fields = Array.from({ length: 6 }, (_, at): [string, string] => [`${at}`, 'x'.repeat(at < 4 ? 2_000 : 3)]);
    const sizes = JSON.parse(bodyOf('discord', dataOf(fields))).embeds[0].fields.map(
      (one: { value: string }) => one.value.length,
    );
    expect(sizes).toEqual([1_024, 1_024, 1_024, 1_024, 3, 3]);
  });
});

describe('a message for Telegram', () => {
  it('has the places of what is bold in UTF-16 units', () => {
    const { text, entities } = JSON.parse(
      bodyOf(
        'telegram',
        dataOf([
          ['😀 name', '🎉'],
          ['b', '@ada x@y.org'],
        ]),
        { title: '👋' },
      ),
    );
    const bold = entities.map((one: { offset: number; length: number }) =>
      text.slice(one.offset, one.offset + one.length),
    );
    expect(bold).toEqual(['New submission for 👋', '😀 name', 'b', 'Open in inbox']);
    expect(text).toContain('\n@\u2060ada x@y.org\n');
  });
});

describe('a message for Teams', () => {
  it('has a block for each line, up to a number', () => {
    const texts = textsOf('teams', [
      ['a', 'one\n\ntwo'],
      ['b', Array.from({ length: 90 }, (_, at) => `l${at}`).join('\n')],
    ]);
    expect(texts).toContain('one');
    expect(texts).toContain('two');
    expect(texts).toContain('l28');
    expect(texts.find((text) => text.startsWith('l29'))).toMatch(/^l29 l30 .* l89$/);
  });

  it.each([
    ['1', false],
    ['', false],
    [
      'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x',
      true,
    ],
  ])('was refused if the answer is %j: %s', (response, isRefused) => {
    expect(isRefusedByTeams(response)).toBe(isRefused);
  });
});
