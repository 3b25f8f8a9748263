import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, fieldsOf, genericPayload, slackPayload } from '../../src/delivery/webhooks/payloads.ts';
import { SIZES } from '../../src/sizes.ts';
import { KIB } from '../support/form-limits.ts';
import { objectTexts, spaced, stringTexts, withoutBackslash } from '../support/json-texts.ts';

const CREATED_AT = '2026-11-03T10:00:00.000Z';
const content = (data: string): Content => ({
  deploymentId: 'd_1',
  slug: 'my-page',
  data,
  createdAt: new Date(CREATED_AT),
});

const stringText = stringTexts('\\n', '_hp', '<', '>', '&', '&amp;', '*', '`');
const nameText = withoutBackslash(fc.oneof(fc.constant('"a"'), fc.constant('"__proto__"'), stringText));
const dataText = spaced(objectTexts(nameText, stringText));

/** The texts of the fields in a Slack message; everything else in it has to be what the contract says. */
function slackFields(data: string): string[] {
  const body = JSON.parse(slackPayload('submission', content(data)));
  const fields: string[] = body.blocks[1].fields.map(({ text }: { text: string }) => text);
  expect(body).toEqual({
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'New submission for my-page' } },
      { type: 'section', fields: fields.map((text) => ({ type: 'mrkdwn', text })) },
      { type: 'context', elements: [{ type: 'mrkdwn', text: `Submitted at ${CREATED_AT}` }] },
    ],
  });
  return fields;
}

/** Data of these fields, all of them strings. */
const strings = (...fields: [name: string, value: string][]): string =>
  `{${fields.map((field) => field.map((text) => JSON.stringify(text)).join(':')).join(',')}}`;
/** `count` fields, the first with this value. */
const first = (count: number, value: string): string =>
  strings(...Array.from({ length: count }, (_, at): [string, string] => ['n', at === 0 ? value : '']));

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

describe('the generic payload', () => {
  it.each([
    ['no fields', '{}'],
    ['white space', ' {\n\t"a" : [ 1 , 2 ] }\r\n'],
    ['integer-like keys in their order', '{"10":"x","2":"y","a":"z"}'],
    ['repeated names', '{"a":1,"b":2,"a":3}'],
    ['__proto__', '{"__proto__":{"polluted":true},"constructor":1}'],
    ['numbers that no double holds', '{"a":1.10,"b":1e400,"c":9223372036854775807,"d":-0,"e":1E5,"f":0.1e-999}'],
    ['escapes', '{"a":"\\u0000\\/\\u00e9","\\u005fb":"\\ud800","c":"\\udc00\\ud800"}'],
    ['what replacement patterns would take', '{"$&":"$1 $` $\' $$","%s":"%j"}'],
    ['line separators', '{"a":"\u2028\u2029\u007f"}'],
  ])('carries the stored text as it is: %s', (_kind, data) => {
    expect(genericPayload('submission', content(data))).toBe(
      `{"event":"submission","deployment_id":"d_1","data":${data},"timestamp":"2026-11-03T10:00:00.000Z"}`,
    );
  });

  it('is a JSON object with four members, whatever the data', () => {
    fc.assert(
      fc.property(dataText, (data) => {
        const parsed = JSON.parse(genericPayload('submission', content(data)));
        expect(parsed).toEqual({
          event: 'submission',
          deployment_id: 'd_1',
          data: JSON.parse(data),
          timestamp: CREATED_AT,
        });
        expect(Object.keys(parsed)).toEqual(['event', 'deployment_id', 'data', 'timestamp']);
      }),
    );
  });
});

describe('the fields of a submission', () => {
  it.each<[string, [string, string][]]>([
    ['{}', []],
    [
      '{"b":"1","a":"2","10":"3","2":"4"}',
      [
        ['b', '1'],
        ['a', '2'],
        ['10', '3'],
        ['2', '4'],
      ],
    ],
    [
      '{"a":1,"b":2,"a":3}',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['{"__proto__":"x"}', [['__proto__', 'x']]],
    ['{"__proto__":{"a":1}}', [['__proto__', '{"a":1}']]],
    ['{"":""}', [['', '']]],
    ['{"\\u005fhp":"\\u005f"}', [['_hp', '_']]],
  ])('of %s are in its order, repeats included', (data, fields) => {
    expect(fieldsOf(data)).toEqual(fields.map(([name, value]) => ({ name, value })));
  });

  it.each([
    ['a string', '" a\\n\\"b\\" \\u00e9 "', ' a\n"b" é '],
    ['a string that looks like JSON', '"[1, 2]"', '[1, 2]'],
    ['NUL', '"\\u0000"', '\0'],
    ['a lone surrogate', '"\\ud800"', '\ud800'],
    ['a number with a zero', '1.10', '1.10'],
    ['a number beyond doubles', '1e400', '1e400'],
    ['64 bits', '18446744073709551615', '18446744073709551615'],
    ['minus zero', '-0', '-0'],
    ['an exponent', '1E+5', '1E+5'],
    ['true', 'true', 'true'],
    ['null', 'null', 'null'],
    ['a list', '["a","b, c"]', 'a, b, c'],
    ['an empty list', '[ ]', ''],
    ['a mixed list', '[ "a" , 1.10,\n1e400 ,true,false, null ]', 'a, 1.10, 1e400, true, false, null'],
    ['a list of strings that look like JSON', '["[1]","{}"]', '[1], {}'],
    ['a list in a list', '[ 1, [ "a b", 2 ] ]', '[1,["a b",2]]'],
    ['an object in a list', '["a", {"b" : 1.10}]', '["a",{"b":1.10}]'],
    ['an object', '{ "a b" : [ 1 , 2.0 ], "c" : "x y" , "a b":{ } }', '{"a b":[1,2.0],"c":"x y","a b":{}}'],
    ['escapes in an object', '{"a": "\\u0041 \\" , \\n"}', '{"a":"\\u0041 \\" , \\n"}'],
  ])('show %s', (_kind, json, value) => {
    expect(fieldsOf(`{"n":${json}}`)).toEqual([{ name: 'n', value }]);
    expect(fieldsOf(`{ "n" :\n${json} , "m":1}`)).toEqual([
      { name: 'n', value },
      { name: 'm', value: '1' },
    ]);
  });
});

describe('the Slack payload', () => {
  it.each([
    ['{}', ['_No fields submitted_']],
    ['{"a":""}', ['*a*\n']],
    ['{"_hp":"","_x":1}', ['*_hp*\n', '*_x*\n1']],
    ['{"a":1,"a":[2,null],"__proto__":{"b": "<"}}', ['*a*\n1', '*a*\n2, null', '*__proto__*\n{"b":"&lt;"}']],
  ])('of %s has the fields %j', (data, texts) => {
    expect(slackFields(data)).toEqual(texts);
  });

  it.each([10, 11])('has at most the first ten of %i fields', (count) => {
    const fields = Array.from({ length: count }, (_, at): [string, string] => [String(count - at), `v${at}`]);
    expect(slackFields(strings(...fields))).toEqual(fields.slice(0, 10).map(([name, value]) => `*${name}*\n${value}`));
  });

  it.each([
    ['<!channel>', '&lt;!channel&gt;'],
    ['<@U1> <#C1|x> <https://evil.test|bank>', '&lt;@U1&gt; &lt;#C1|x&gt; &lt;https://evil.test|bank&gt;'],
    ['&lt;!here&gt;', '&amp;lt;!here&amp;gt;'],
    ['&amp;&', '&amp;amp;&amp;'],
    ['*bold* _it_ ~no~ `code` ```pre```', '*bold* _it_ ~no~ `code` ```pre```'],
    ['> quote', '&gt; quote'],
    ['"\'\\/\t\r\n', '"\'\\/\t\r\n'],
    ['\0\u2028😀', '\0\u2028😀'],
  ])('escapes %j in names, values, lists and objects', (text, shown) => {
    const json = JSON.stringify(text);
    expect(slackFields(`{${json}:${json},"l":[${json},1],"o":{${json}:2}}`)).toEqual([
      `*${shown}*\n${shown}`,
      `*l*\n${shown}, 1`,
      `*o*\n{${escaped(json)}:2}`,
    ]);
  });

  it.each([
    [1, SIZES.slack.maxFieldChars],
    [6, SIZES.slack.maxFieldChars],
    [7, 1_714],
    [10, 1_200],
    [11, 1_200],
  ])('cuts each of %i fields at %i units, name and all', (count, longest) => {
    const room = longest - '*n*\n'.length;
    const cut = (value: string) => slackFields(first(count, value))[0];
    expect(cut('v'.repeat(room))).toBe(`*n*\n${'v'.repeat(room)}`);
    expect(cut('v'.repeat(room + 1))).toBe(`*n*\n${'v'.repeat(room - 1)}…`);
    expect(cut(`${'v'.repeat(room - 4)}<`)).toBe(`*n*\n${'v'.repeat(room - 4)}&lt;`);
    expect(cut(`${'v'.repeat(room - 4)}<v`)).toBe(`*n*\n${'v'.repeat(room - 4)}…`);
    expect(cut(`${'v'.repeat(room - 2)}😀v`)).toBe(`*n*\n${'v'.repeat(room - 2)}…`);
  });

  it('cuts lists and objects like strings', () => {
    const list = `[${'1.10, '.repeat(1_000)}null]`;
    expect(slackFields(`{"n":${list},"o":{"l": ${list}}}`)).toEqual([
      `*n*\n${'1.10, '.repeat(400).slice(0, 1_995)}…`,
      `*o*\n${`{"l":[${'1.10,'.repeat(400)}`.slice(0, 1_995)}…`,
    ]);
  });

  it.each([
    ['a string of 256 KiB', `{"n":"${'<'.repeat(256 * KIB)}"}`, `*n*\n${'&lt;'.repeat(498)}…`],
    ['escapes of 256 KiB', `{"n":"${'\\u003c'.repeat(256 * KIB)}"}`, `*n*\n${'&lt;'.repeat(498)}…`],
    ['a list of 256 KiB', `{"n":[${'0,'.repeat(128 * KIB)}0]}`, `*n*\n${'0, '.repeat(665)}…`],
    ['100,000 levels', `{"n":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, `*n*\n${'['.repeat(1_995)}…`],
    ['much white space', `{"n":{${' '.repeat(256 * KIB)}}}`, '*n*\n{}'],
  ])('takes %s', (_kind, data, text) => {
    expect(slackFields(data)).toEqual([text]);
  });

  it('sends lone surrogates as escapes', () => {
    const body = slackPayload('submission', content('{"\\ud800":"a\\udc00","b":{"c":"\\ud800"}}'));
    expect(body.isWellFormed()).toBe(true);
    expect(JSON.parse(body).blocks[1].fields).toEqual([
      { type: 'mrkdwn', text: '*\ud800*\na\udc00' },
      { type: 'mrkdwn', text: '*b*\n{"c":"\\ud800"}' },
    ]);
  });

  it('cuts as late as it may, between characters, and only what is too long', () => {
    const pieces = ['<', '>', '&', '&amp;', '😀', '👩‍👧', 'é', 'v', ' '];
    const long = (...all: string[]) =>
      fc
        .tuple(fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 400 }))
        .map(([some, times]) => some.join('').repeat(times).slice(0, 3_000).toWellFormed());
    const field = fc.tuple(fc.oneof(fc.constant('n'), long(...pieces)), long(...pieces, '…', '*', '\n'));
    const expectCut = (shown: string, whole: string, longest: number): void => {
      expect(shown).not.toMatch(/&(?!(?:amp|lt|gt);)|[<>]/);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeLessThanOrEqual(longest);
      if (escaped(whole).length <= longest) expect(shown).toBe(escaped(whole));
      else {
        const kept = unescaped(shown.slice(0, -1));
        const next = String.fromCodePoint(whole.codePointAt(kept.length) ?? 0);
        expect(shown.endsWith('…') && whole.startsWith(kept)).toBe(true);
        expect(shown.length + escaped(next).length).toBeGreaterThan(longest);
      }
    };
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 12 }), (fields) => {
        const texts = slackFields(strings(...fields));
        const sent = fields.slice(0, 10);
        expect(texts).toHaveLength(sent.length);
        sent.forEach(([name, value], at) => {
          const [shownName = '', ...rest] = (texts[at] ?? '').slice(1).split('*\n');
          expectCut(shownName, name, SIZES.slack.maxNameChars);
          const room =
            Math.floor(Math.min(SIZES.slack.maxFieldChars, SIZES.slack.maxFieldsChars / sent.length)) -
            `*${shownName}*\n`.length;
          expectCut(rest.join('*\n'), value, room);
        });
      }),
    );
  });
});
