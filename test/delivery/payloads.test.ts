import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, slackPayload } from '../../src/delivery/webhooks/payloads.ts';
import { shownValue } from '../../src/forms/shown-fields.ts';
import { SIZES } from '../../src/sizes.ts';
import { genericPayload } from '../../src/webhooks/signed-message.ts';
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
describe('the generic payload', () => {
  it('carries the stored text as it is, whatever that is', () => {
    fc.assert(
      fc.property(dataText, (data) => {
        expect(genericPayload('submission', content(data))).toBe(
          `{"event":"submission","deployment_id":"d_1","data":${data},"timestamp":"${CREATED_AT}"}`,
        );
      }),
      { examples: [['{"$&":"$1 $` $\' $$","%s":"%j"}'], ['{"10":"x","2":"y","a":1.10,"a":"\u2028\u2029\u007f"}']] },
    );
  });
});

describe('the fields of a submission', () => {
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
    expect(shownValue(json)).toBe(value);
  });
});

describe('the Slack payload', () => {
  it.each([
    ['{}', ['_No fields submitted_']],
    ['{"a":""}', ['*a*\n']],
    ['{"_hp":"","_hp":["",null],"altcha":"t","_x":1,"h-captcha-response":["t"]}', ['*_x*\n1']],
    ['{"_hp":"","g-recaptcha-response":"t","cf-turnstile-response":null}', ['_No fields submitted_']],
    ['{"a":1,"a":[2,null],"__proto__":{"b": "<"}}', ['*a*\n1', '*a*\n2, null', '*__proto__*\n{"b":"&lt;"}']],
  ])('of %s has the fields %j', (data, texts) => {
    expect(slackFields(data)).toEqual(texts);
  });

  it.each([10, 11])('has at most the first ten of %i fields', (count) => {
    const fields = Array.from({ length: count }, (_, at): [string, string] => [String(count - at), `v${at}`]);
    expect(slackFields(strings(...fields))).toEqual(fields.slice(0, 10).map(([name, value]) => `*${name}*\n${value}`));
  });

  it('counts no token of a captcha and no empty honeypot among the ten', () => {
    const fields = Array.from({ length: 11 }, (_, at): [string, string] => [`n${at}`, '']);
    const texts = slackFields(strings(['_hp', ''], ['altcha', 't'], ...fields, ['h-captcha-response', 't']));
    expect(texts).toEqual(fields.slice(0, 10).map(([name]) => `*${name}*\n`));
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
    const texts = JSON.parse(body).blocks[1].fields.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(['*\ud800*\na\udc00', '*b*\n{"c":"\\ud800"}']);
  });

  it('cuts names, between characters, and leaves the rest to the value', () => {
    const longest = SIZES.slack.maxNameChars;
    for (const [name, shown] of [
      ['n'.repeat(longest), 'n'.repeat(longest)],
      ['n'.repeat(longest + 1), `${'n'.repeat(longest - 1)}…`],
      [`${'n'.repeat(longest - 4)}<n`, `${'n'.repeat(longest - 4)}…`],
      [`${'n'.repeat(longest - 2)}😀n`, `${'n'.repeat(longest - 2)}…`],
    ] as const) {
      const room = SIZES.slack.maxFieldChars - `*${shown}*\n`.length;
      expect(slackFields(strings([name, 'v'.repeat(room + 1)]))).toEqual([`*${shown}*\n${'v'.repeat(room - 1)}…`]);
    }
  });
});
