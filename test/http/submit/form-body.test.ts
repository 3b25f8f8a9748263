import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/http/submit/form-body.ts';
import { readMultipart } from '../../../src/http/submit/multipart.ts';
import { readParts } from '../../../src/http/submit/multipart-parts.ts';
import { readUrlencoded } from '../../../src/http/submit/urlencoded.ts';
import { KIB, limits, NOT_UTF8, refusal, small, stored, tooLarge, tooManyFields } from '../../support/form-limits.ts';

const json = (text: string | Buffer, within = limits) => stored(readJson(Buffer.from(text), within));
const form = (text: string | Buffer, within = limits) => stored(readUrlencoded(Buffer.from(text), within));

const MALFORMED_JSON = [400, 'The JSON body is malformed: send a JSON object.'];
const NOT_AN_OBJECT = [400, 'The JSON body is not an object: send a JSON object.'];
const TOO_MANY_VALUES = [413, 'The submission has too many values: send at most 80000, at all levels.'];
const TOO_DEEP = [400, 'The JSON body is nested too deeply: send at most 100 levels.'];

describe('readJson', () => {
  it.each([
    ...['{}', ' {"b" : 1,\n"a":2} ', '{"10":1,"2":2}', '{"a":1,"a":2}'],
    ...['{"a":12345678901234567890,"b":1.10,"c":1e400}', '{"a":"\\u0000","b":"\\ud800","c":"\\/"}'],
    ...['{"__proto__":{"x":1},"constructor":null}', '{"é":"😀"}'],
  ])('keeps %s as it is', (text) => {
    expect(json(text)).toEqual({ text, honeypot: undefined });
  });

  it('drops a leading byte order mark, one', () => {
    expect(json('\uFEFF{"a":"\uFEFF"}')).toEqual({ text: '{"a":"\uFEFF"}', honeypot: undefined });
    expect(refusal(() => json('\uFEFF\uFEFF{}'))).toEqual(NOT_AN_OBJECT);
  });

  it('refuses what is not an object, malformed or not UTF-8', () => {
    for (const text of ['', '\uFEFF', '[]', 'null', '"a"', 'a=b'])
      expect(refusal(() => json(text))).toEqual(NOT_AN_OBJECT);
    for (const text of ['{', '{"a":1,}', '{"a":1}}', '{"a":"\u0000"}']) {
      expect(refusal(() => json(text))).toEqual(MALFORMED_JSON);
    }
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
      const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(refusal(() => json(text))).toEqual(NOT_UTF8);
    }
  });

  it('takes 100 levels and refuses 101', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(json(nested(100)).text).toBe(nested(100));
    expect(refusal(() => json(nested(101)))).toEqual(TOO_DEEP);
    expect(json(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`).honeypot).toBeUndefined();
    expect(refusal(() => json(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`))).toEqual(TOO_DEEP);
    expect(refusal(() => json(nested(100_000)))).toEqual(tooLarge(limits.maxBytes));
    expect(refusal(() => json(nested(40_000)))).toEqual(TOO_DEEP);
  });

  it('takes 1,000 members and refuses 1,001, repeats counted', () => {
    const repeated = (count: number) => `{${Array(count).fill('"a":{"b":1,"c":2}').join(',')}}`;
    expect(json(repeated(1000)).text).toBe(repeated(1000));
    expect(refusal(() => json(repeated(1001)))).toEqual(tooManyFields(1000));
    expect(refusal(() => json(repeated(10_000)))).toEqual(tooManyFields(1000));
  });

  it('takes 80,000 values at all levels and refuses 80,001', () => {
    const within = { ...limits, maxBytes: 1024 * KIB };
    const list = (items: number, item: string) => `{"a":[${Array(items).fill(item).join()}]}`;
    for (const text of [list(79_999, '0'), list(26_666, '{"x":1,"y":2}'), list(39_999, '[1]')]) {
      expect(json(text, within).text).toBe(text);
    }
    for (const text of [list(80_000, '0'), list(26_667, '{"x":1,"y":2}'), list(40_000, '[1]'), list(87_000, '[]')]) {
      expect(refusal(() => json(text, within))).toEqual(TOO_MANY_VALUES);
    }
  });

  it('takes as many bytes as a submission may have as a list', () => {
    const bytes = Array.from({ length: 73_000 }, (_, at) => (at * 97) % 256);
    const text = JSON.stringify({ bytes });
    expect(text.length).toBeGreaterThan(limits.maxBytes - 2 * KIB);
    expect(json(text).text).toBe(text);
  });

  it('counts an escape as what it decodes to', () => {
    const within = { ...limits, maxBytes: 12 };
    for (const content of ['1234', '\\u0041\\n\\\\\\"', '\\u00e9é', '\\ud83d\\ude00', '\\ud83d1', '\\u20AC\\/']) {
      expect(json(`\uFEFF{"a":"${content}"}`, within).text).toBe(`{"a":"${content}"}`);
      expect(refusal(() => json(`{"a":"${content}5"}`, within))).toEqual(tooLarge(12));
    }
  });

  it.each(['0', 'false', '{}', '" "', '["",["",null]]', '[",",""]'])('takes _hp as filled when it is %s', (value) => {
    expect(json(`{"a":1,"_hp" : ${value} }`).honeypot).toBe('honeypot');
    expect(json(`{"\\u005fh\\u0070":${value}}`).honeypot).toBe('honeypot');
    expect(json(`{"_hp":"","_hp":${value},"_hp":null}`).honeypot).toBe('honeypot');
    expect(json(`{"a":{"_hp":${value}},"_HP":${value},"_hp ":${value},"b":"_hp"}`).honeypot).toBeUndefined();
  });

  it.each(['null', '""', '[ ]', '[ null , "" ,\n""]'])('takes _hp as empty when it is %s', (value) => {
    expect(json(`{"_hp":${value}}`)).toEqual({ text: `{"_hp":${value}}`, honeypot: undefined });
    expect(json(`{"\\u005fhp":${value},"_hp":${value}}`).honeypot).toBeUndefined();
  });
});

describe('readUrlencoded', () => {
  it('tells what can be filled in again, in order', () => {
    expect(readUrlencoded(Buffer.from('a=1&b=2%0D%0A&a='), limits).fields).toEqual([
      ['a', '1'],
      ['b', '2\r\n'],
      ['a', ''],
    ]);
  });

  it.each([
    ['', '{}'],
    ['a', '{"a":""}'],
    ['=a', '{"":"a"}'],
    ['a%3Db=%26%3d', '{"a=b":"&="}'],
    ['a+b=c+%2B', '{"a b":"c +"}'],
    ['a=%c3%A9%F0%9F%98%80', '{"a":"é😀"}'],
    ['a=%&b=%4&c=%4g&d=%%41&e=100%25&f=%u0041', '{"a":"%","b":"%4","c":"%4g","d":"%A","e":"100%","f":"%u0041"}'],
    ['a=%0D%0A&b=%00&c=%22%5C', '{"a":"\\r\\n","b":"\\u0000","c":"\\"\\\\"}'],
    ['\uFEFFa=1', '{"\uFEFFa":"1"}'],
    ['a[b]=1&c[]=2&c[]=3&a.b=4&a[50000000]=5', '{"a[b]":"1","c[]":["2","3"],"a.b":"4","a[50000000]":"5"}'],
    ['10=a&2=b&x=c&1=d', '{"10":"a","2":"b","x":"c","1":"d"}'],
    ['a=1&b=2&a=3&c=&a=1', '{"a":["1","3","1"],"b":"2","c":""}'],
    ['__proto__=1&constructor=2&__proto__=3&toString=4', '{"__proto__":["1","3"],"constructor":"2","toString":"4"}'],
  ])('reads %j as %s', (text, expected) => {
    expect(form(text)).toEqual({ text: expected, honeypot: undefined });
  });

  it('takes bytes that are UTF-8 once decoded, however they were written', () => {
    expect(form(Buffer.from('a=\xc3%A9', 'latin1')).text).toBe('{"a":"é"}');
  });

  it.each(['a=%ff', 'a=%ed%a0%80', '%c3=1', 'a=%c3&%a9=b', 'a%c3=%a9'])('refuses %s, which is not UTF-8', (text) => {
    expect(refusal(() => form(text))).toEqual(NOT_UTF8);
  });

  it('measures decoded names and values', () => {
    expect(form('&&abcde=%31%32%33&é&', small).text).toBe('{"abcde":"123","é":""}');
    expect(refusal(() => form('abcde=123456', small))).toEqual(tooLarge(10));
    expect(refusal(() => form('a=%ff%ff%ff%ff%ff&b=%ff%ff%ff%ff', small))).toEqual(tooLarge(10));
  });

  it('counts fields, repeats included, but no empty pieces', () => {
    expect(form('a=1&&b=&&a&', small).text).toBe('{"a":["1",""],"b":""}');
    expect(refusal(() => form('a&a&a&a', small))).toEqual(tooManyFields(3));
  });

  it.each(['x', ' ', '%00'])('takes _hp as filled when it is %j', (value) => {
    expect(form(`a=1&_hp=${value}`).honeypot).toBe('honeypot');
    expect(form(`_hp=&%5fhp=${value}&_hp=`).honeypot).toBe('honeypot');
    expect(form(`_hp=&_HP=${value}&_hp[]=${value}`).honeypot).toBeUndefined();
  });

  it('keeps an empty _hp as data', () => {
    expect(form('_hp=&a=1&_hp')).toEqual({ text: '{"_hp":["",""],"a":"1"}', honeypot: undefined });
  });
});

describe('one form', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'"%205DA\\;=&+ \r\n-é[]'),
  );
  // Browsers do this before they encode a form, whatever the encoding.
  const text = fc.string({ unit, maxLength: 8 }).map((raw) => raw.replaceAll(/\r\n|\r|\n/g, '\r\n'));
  // Browsers don't escape `%` in names, so a name that holds one of the three escapes can't be told from what it stands
  // for.
  const name = fc
    .oneof(text, fc.constantFrom('a', '__proto__', '10', '2', '_hp'))
    .filter((raw) => !/%(?:22|0[ad])/i.test(raw));
  const fields = fc.array(fc.tuple(name, text), { maxLength: 8 });

  const expected = (pairs: [string, string | object][]) => {
    const names = [...new Set(pairs.map(([name]) => name))];
    const members = names.map((wanted) => {
      const values = pairs.filter(([name]) => name === wanted).map(([, value]) => value);
      return `${JSON.stringify(wanted)}:${JSON.stringify(values.length > 1 ? values : values[0])}`;
    });
    return {
      text: `{${members.join(',')}}`,
      honeypot: pairs.some(([name, value]) => name === '_hp' && value !== '') ? 'honeypot' : undefined,
    };
  };
  const sent = async (data: FormData) => {
    const response = new Response(data);
    const boundary = /boundary=(.+)/.exec(response.headers.get('content-type') ?? '')?.[1] ?? '';
    const body = Buffer.from(await response.arrayBuffer());
    return readMultipart(readParts(body, boundary, limits), limits);
  };

  it('gives the same data in every encoding', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (pairs) => {
        const data = new FormData();
        for (const [name, value] of pairs) data.append(name, value);
        expect(form(new URLSearchParams(pairs).toString())).toEqual(expected(pairs));
        expect(stored(await sent(data))).toEqual(expected(pairs));
        expect(json(expected(pairs).text)).toEqual(expected(pairs));
      }),
      { numRuns: 100 },
    );
  });

  it('gives its files their names and their bytes, whatever they are', async () => {
    const files = fc.array(fc.tuple(name, name, fc.uint8Array()), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(files, async (triples) => {
        const data = new FormData();
        for (const [name, filename, content] of triples) data.append(name, new File([content], filename));
        // Without a filename undici writes a text field, whose value is what the file holds.
        fc.pre(triples.every(([, filename, content]) => filename !== '' || content.length === 0));
        const submitted = await sent(data);
        const type = 'application/octet-stream';
        const shown = (filename: string, { length }: Uint8Array) =>
          filename === '' ? '' : { filename, content_type: type, size: length, url: '/f' };
        expect(stored(submitted)).toEqual(expected(triples.map(([name, ...file]) => [name, shown(...file)])));
        expect(submitted.files.map(({ filename, contentType, content }) => [filename, contentType, content])).toEqual(
          triples.flatMap(([, filename, content]) => (filename === '' ? [] : [[filename, type, Buffer.from(content)]])),
        );
      }),
    );
  });
});

describe('hostile bodies', () => {
  const size = limits.maxBytes - KIB;

  it.each([
    ['100,000 levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, TOO_DEEP],
    ['open brackets', `{"a":${'['.repeat(size)}`, TOO_DEEP],
    [
      '20,000 fields',
      `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":0`).join(',')}}`,
      tooManyFields(1000),
    ],
    ['backslashes', `{"a":"${'\\'.repeat(size + 1)}"}`, MALFORMED_JSON],
    ['quotes', `{${'"'.repeat(size)}`, MALFORMED_JSON],
    ['spaces', ' '.repeat(size), NOT_AN_OBJECT],
    ['escapes, six times the limit', `{"a":"${'\\u0041'.repeat(limits.maxBytes)}"}`, tooLarge(limits.maxBytes)],
  ])('are refused as JSON: %s', (_, text, expected) => {
    expect(refusal(() => json(text))).toEqual(expected);
  });

  it('are read as a form', () => {
    expect(form('%'.repeat(size)).text).toBe(`{"${'%'.repeat(size)}":""}`);
    expect(form('&'.repeat(3 * size)).text).toBe('{}');
    expect(form('='.repeat(size)).text).toBe(`{"":"${'='.repeat(size - 1)}"}`);
    expect(form(`a=${'%5C'.repeat(size)}`).text).toBe(`{"a":"${'\\\\'.repeat(size)}"}`);
    expect(refusal(() => form('a&'.repeat(size)))).toEqual(tooManyFields(1000));
    expect(refusal(() => form('%ff'.repeat(size)))).toEqual(NOT_UTF8);
  });
});
