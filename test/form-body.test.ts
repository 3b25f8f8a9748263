import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../src/http/errors.ts';
import { readJson, readUrlencoded } from '../src/http/form-body.ts';
import { readMultipart, readParts } from '../src/http/multipart.ts';

const KIB = 1024;
const limits = { maxBytes: 256 * KIB, maxFields: 1000, maxFileBytes: 512 * KIB };
const small = { maxBytes: 10, maxFields: 3, maxFileBytes: 5 };

const json = (text: string | Buffer, within = limits) => readJson(Buffer.from(text), within);
const form = (text: string | Buffer, within = limits) => readUrlencoded(Buffer.from(text), within);
const multipart = (text: string | Buffer, within = limits) => readMultipart(Buffer.from(text), 'b', within);

/** A multipart body with the boundary `b`; a part is its Content-Disposition's parameters and its content. */
const body = (...parts: [parameters: string, content: string][]): string =>
  `${parts.map(([parameters, content]) => `--b\r\nContent-Disposition: form-data${parameters}\r\n\r\n${content}\r\n`).join('')}--b--\r\n`;
const parts = (text: string | Buffer) =>
  readParts(Buffer.from(text), 'b', limits.maxFields).map(({ name, filename, content }) => [
    name,
    filename,
    content.toString('latin1'),
  ]);

/** The status and the message that reading is refused with. */
function refusal(read: () => unknown): [number, string] | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof HttpError) return [error.status, error.message];
    throw error;
  }
}

const MALFORMED_JSON = [400, 'The JSON body is malformed: send a JSON object.'];
const NOT_AN_OBJECT = [400, 'The JSON body is not an object: send a JSON object.'];
const TOO_DEEP = [400, 'The JSON body is nested too deeply: send at most 100 levels.'];
const NOT_UTF8 = [400, 'The body is not valid UTF-8: send it in UTF-8.'];
const tooLarge = (bytes: number) => [
  413,
  `The submission is too large: send at most ${bytes} bytes of names and values.`,
];
const tooManyFields = (fields: number) => [413, `The submission has too many fields: send at most ${fields}.`];
const malformed = (advice: string) => [400, `The multipart body is malformed: ${advice}.`];
const NO_NAME = malformed('give each part a Content-Disposition of form-data, with a name');
const NO_HEADER_END = malformed('put an empty line after the header of each part');
const NOT_CLOSED = malformed('end it with its boundary between two pairs of dashes');
const NO_BOUNDARY = malformed('name its boundary, 1 to 70 characters, in the content type');

describe('readJson', () => {
  it.each([
    '{}',
    ' {"b" : 1,\n"a":2} ',
    '{"10":1,"2":2}',
    '{"a":1,"a":2}',
    '{"a":12345678901234567890,"b":1.10,"c":1e400}',
    '{"a":"\\u0000","b":"\\ud800","c":"\\/"}',
    '{"__proto__":{"x":1},"constructor":null}',
    '{"é":"😀"}',
  ])('keeps %s as it is', (text) => {
    expect(json(text)).toEqual({ text, honeypot: false });
  });

  it('drops a leading byte order mark, one', () => {
    expect(json('\uFEFF{"a":"\uFEFF"}')).toEqual({ text: '{"a":"\uFEFF"}', honeypot: false });
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
    expect(json(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`).honeypot).toBe(false);
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

  it.each(['1234', '\\u0041\\n\\\\\\"', '\\u00e9é', '\\ud83d\\ude00', '\\ud83d1', '\\u20AC\\/'])(
    'counts an escape as what it decodes to: %s is 4 bytes',
    (content) => {
      const within = { ...limits, maxBytes: 12 };
      expect(json(`{"a":"${content}"}`, within).text).toBe(`{"a":"${content}"}`);
      expect(json(`\uFEFF{"a":"${content}"}`, within).text).toBe(`{"a":"${content}"}`);
      expect(refusal(() => json(`{"a":"${content}5"}`, within))).toEqual(tooLarge(12));
      expect(refusal(() => json(`{"a": "${content}"}`, within))).toEqual(tooLarge(12));
    },
  );

  it.each(['0', '1', 'false', 'true', '{}', '" "', '"x"', '[[]]', '["",0]', '["",["",null]]', '["null"]', '[",",""]'])(
    'takes _hp as filled when it is %s',
    (value) => {
      expect(json(`{"a":1,"_hp" : ${value} }`).honeypot).toBe(true);
      expect(json(`{"\\u005fh\\u0070":${value}}`).honeypot).toBe(true);
      expect(json(`{"_hp":"","_hp":${value},"_hp":null}`).honeypot).toBe(true);
      expect(json(`{"a":{"_hp":${value}},"_HP":${value},"_hp ":${value},"b":"_hp"}`).honeypot).toBe(false);
    },
  );

  it.each(['null', '""', '[]', '[ ]', '[""]', '[null]', '[ null , "" ,\n""]'])(
    'takes _hp as empty when it is %s',
    (value) => {
      expect(json(`{"_hp":${value}}`)).toEqual({ text: `{"_hp":${value}}`, honeypot: false });
      expect(json(`{"\\u005fhp":${value},"_hp":${value}}`).honeypot).toBe(false);
    },
  );

  it('keeps any object as it is written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.nat(2), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        expect(json(text).text).toBe(text);
      }),
    );
  });
});

describe('readUrlencoded', () => {
  it.each([
    ['a=1&b=2', '{"a":"1","b":"2"}'],
    ['', '{}'],
    ['&&&', '{}'],
    ['&a=1&&b=2&', '{"a":"1","b":"2"}'],
    ['a', '{"a":""}'],
    ['=', '{"":""}'],
    ['=a', '{"":"a"}'],
    ['a=b=c&d==', '{"a":"b=c","d":"="}'],
    ['a%3Db=%26%3d', '{"a=b":"&="}'],
    ['a+b=c+%2B', '{"a b":"c +"}'],
    ['a=%c3%A9%F0%9F%98%80', '{"a":"é😀"}'],
    ['a=é😀&é=1', '{"a":"é😀","é":"1"}'],
    ['a=%&b=%4&c=%4g&d=%%41&e=100%25&f=%u0041', '{"a":"%","b":"%4","c":"%4g","d":"%A","e":"100%","f":"%u0041"}'],
    ['a=%0D%0A&b=%00&c=%22%5C', '{"a":"\\r\\n","b":"\\u0000","c":"\\"\\\\"}'],
    ['\uFEFFa=1', '{"\uFEFFa":"1"}'],
    ['a[b]=1&c[]=2&c[]=3&a.b=4&a[50000000]=5', '{"a[b]":"1","c[]":["2","3"],"a.b":"4","a[50000000]":"5"}'],
    ['10=a&2=b&x=c&1=d', '{"10":"a","2":"b","x":"c","1":"d"}'],
    ['a=1&b=2&a=3&c=&a=1', '{"a":["1","3","1"],"b":"2","c":""}'],
    ['__proto__=1&constructor=2&__proto__=3&toString=4', '{"__proto__":["1","3"],"constructor":"2","toString":"4"}'],
  ])('reads %j as %s', (text, expected) => {
    expect(form(text)).toEqual({ text: expected, honeypot: false });
  });

  it('takes bytes that are UTF-8 once decoded, however they were written', () => {
    expect(form(Buffer.from('a=\xc3%A9', 'latin1')).text).toBe('{"a":"é"}');
  });

  it.each(['a=%ff', 'a=%ed%a0%80', '%c3=1', 'a=%c3&%a9=b', 'a%c3=%a9', 'a=%c0%80', 'a=%f4%90%80%80', 'a=%c3+%a9'])(
    'refuses %s, which is not UTF-8',
    (text) => {
      expect(refusal(() => form(text))).toEqual(NOT_UTF8);
    },
  );

  it('measures decoded names and values', () => {
    expect(form('&&abcde=%31%32%33&é&', small).text).toBe('{"abcde":"123","é":""}');
    expect(refusal(() => form('abcde=123456', small))).toEqual(tooLarge(10));
    expect(refusal(() => form('a=%ff%ff%ff%ff%ff&b=%ff%ff%ff%ff', small))).toEqual(tooLarge(10));
  });

  it('counts fields, repeats included, but no empty pieces', () => {
    expect(form('a=1&&b=&&a&', small).text).toBe('{"a":["1",""],"b":""}');
    expect(refusal(() => form('a&a&a&a', small))).toEqual(tooManyFields(3));
  });

  it.each(['x', '0', ' ', '%00', 'null'])('takes _hp as filled when it is %j', (value) => {
    expect(form(`a=1&_hp=${value}`).honeypot).toBe(true);
    expect(form(`_hp=&%5fhp=${value}&_hp=`).honeypot).toBe(true);
    expect(form(`_hp=&_HP=${value}&_hp[]=${value}`).honeypot).toBe(false);
  });

  it('keeps an empty _hp as data', () => {
    expect(form('_hp=&a=1&_hp')).toEqual({ text: '{"_hp":["",""],"a":"1"}', honeypot: false });
  });
});

describe('readMultipart', () => {
  it.each([
    [
      'fields',
      body(['; name="a"', '1'], ['; name="b"', 'x\r\ny'], ['; name="a"', '']),
      '{"a":["1",""],"b":"x\\r\\ny"}',
    ],
    ['no fields', '--b--\r\n', '{}'],
    ['an empty name', body(['; name=""', '1']), '{"":"1"}'],
    [
      'literal names',
      body(['; name="a[b]"', '1'], ['; name="__proto__"', '2'], ['; name="a[50000000]"', '3']),
      '{"a[b]":"1","__proto__":"2","a[50000000]":"3"}',
    ],
    ['names like numbers', body(['; name="10"', '1'], ['; name="2"', '2']), '{"10":"1","2":"2"}'],
    ['UTF-8', body(['; name="é"', '😀\uFEFF']), '{"é":"😀\uFEFF"}'],
    [
      'the three escapes in names',
      body(['; name="%22%0D%0a%0d%0A%41%25%2522"', '%22']),
      '{"\\"\\r\\n\\r\\n%41%25%2522":"%22"}',
    ],
    [
      'a file as its filename',
      body(['; name="f"; filename="C:\\fakepath\\a%22.txt"', 'x']),
      '{"f":"C:\\\\fakepath\\\\a\\".txt"}',
    ],
    ['an empty file input', body(['; name="f"; filename=""', '']), '{"f":""}'],
    ['files and texts of one name', body(['; name="f"; filename="a"', 'x'], ['; name="f"', 'y']), '{"f":["a","y"]}'],
    ['a filename before the name', body(['; filename="a"; name="f"', 'x']), '{"f":"a"}'],
    ['an encoded filename', body(["; name=f; filename*=utf-8'en'na%C3%AFve%20x.txt", 'x']), '{"f":"naïve x.txt"}'],
    ['the plain filename of two', body(["; name=f; filename*=UTF-8''a; filename=b", 'x']), '{"f":"b"}'],
    [
      'an encoded filename that is none',
      body(["; name=f; filename*=UTF-8''%ff", 'x'], ['; name=g; filename*=y', '']),
      '{"f":"UTF-8\'\'%ff","g":"y"}',
    ],
    [
      'unquoted values',
      body(['; name=a', '1'], [';name=b ;filename=c d.txt ', '2'], ['; name=', '3']),
      '{"a":"1","b":"c d.txt","":"3"}',
    ],
    [
      'names in any case',
      body(['; NAME="A"; FileName="B"', '1']).replace('Content-Disposition: form', 'CONTENT-disposition:Form'),
      '{"A":"B"}',
    ],
    ['the first of two names', body(['; name="a"; name="b"', '1']), '{"a":"1"}'],
    [
      'separators inside quotes',
      body(['; name="a; filename=b"', '1'], ['; x="; name=y"; name="=;="', '2']),
      '{"a; filename=b":"1","=;=":"2"}',
    ],
    ['a folded header', body([';\r\n name="a";\r\n\tfilename="b"', '1']), '{"a":"b"}'],
    [
      'other headers, whatever they say',
      body(['; name="a"\r\nContent-Type: application/octet-stream\r\nX-A; name="z"', '1']).replace(
        '--b\r\n',
        '--b\r\nContent-Disposition-X: form-data; name="y"\r\n',
      ),
      '{"a":"1"}',
    ],
    ['line breaks in names', body(['; name="a\nb\u2028c"', '1']), '{"a\\nb\u2028c":"1"}'],
  ])('reads %s', (_, text, expected) => {
    expect(multipart(text)).toEqual({ text: expected, honeypot: false });
  });

  it.each([
    ['a\\', 'name="a\\"'],
    ['a\\', 'name="a\\"; x="y"'],
    ['a\\', 'name="a\\" ; x="y"'],
    ['a\\\\', 'name="a\\\\"'],
    ['a\\b', 'name="a\\b"'],
    ['a"b', 'name="a\\"b"'],
    ['a"', 'name="a\\""'],
    ['"a" b', 'name="\\"a\\" b"; x="y"'],
    ['a"b', 'name="a"b"'],
    ['\\"', 'name="\\%22"'],
    ['a\\" "b', 'name="a\\\\" \\"b"'],
  ])('reads the name %s from %s', (name, parameters) => {
    expect(parts(body([`; ${parameters}`, '1']))).toEqual([[name, undefined, '1']]);
  });

  it('tells a backslash before the end of a name from the escaped quote of an old curl', () => {
    expect(parts(body(['; name="a\\"; filename="x"', '1']))).toEqual([['a\\', 'x', '1']]);
    expect(parts(body(['; name="a"; filename="x\\"y.txt"', '1']))).toEqual([['a', 'x"y.txt', '1']]);
  });

  it.each([
    ['a preamble and an epilogue', `preamble\r\n--bx\r\n${body(['; name="a"', '1'])}--b\r\nepilogue`],
    ['an empty first line', `\r\n${body(['; name="a"', '1'])}`],
    [
      'spaces after the boundary',
      body(['; name="a"', '1']).replaceAll(/--\r\n|b\r\n/g, (end) => end.replace('\r', ' \t \r')),
    ],
    ['no line break at the end', body(['; name="a"', '1']).trimEnd()],
    ['a line feed at the end', `${body(['; name="a"', '1']).trimEnd()}\n`],
  ])('takes %s', (_, text) => {
    expect(parts(text)).toEqual([['a', undefined, '1']]);
  });

  it.each([
    '\r\n',
    '\r\n\r\n',
    '\r\n--',
    '--bb',
    'x--b',
    'x--b--',
    '\n--b\n',
    '\r\n--bb\r\n',
    '\r\n--b-\r\n',
    '\r\n--b --\r\n',
    '\r\n--b--x\r\n',
    '\r\n --b',
    '\r\n--b\rx',
  ])('keeps %j in a value', (content) => {
    expect(parts(body(['; name="a"', content], ['; name="b"', `${content}${content}`]))).toEqual([
      ['a', undefined, content],
      ['b', undefined, `${content}${content}`],
    ]);
  });

  it('takes a part that ends with its header as empty', () => {
    expect(parts('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--')).toEqual([['a', undefined, '']]);
  });

  it('gives the bytes of files as they are, in the memory of the body', () => {
    const whole = Buffer.from(body(['; name="f"; filename="a.bin"', '\xff\x00\r\n\xfe'], ['; name="g"', '']), 'latin1');
    expect(multipart(whole).text).toBe('{"f":"a.bin","g":""}');
    expect(parts(whole)).toEqual([
      ['f', 'a.bin', '\xff\x00\r\n\xfe'],
      ['g', undefined, ''],
    ]);
    expect(readParts(whole, 'b', 2).map(({ content }) => content.buffer === whole.buffer)).toEqual([true, true]);
  });

  it.each([
    ['a name', body(['; name="\xff"', '1'])],
    ['a filename', body(['; name="a"; filename="\xe9.txt"', '1'])],
    ['a value', body(['; name="a"\r\nContent-Type: text/plain; charset=latin1', '\xe9'])],
  ])('refuses %s that is not UTF-8', (_, text) => {
    expect(refusal(() => multipart(Buffer.from(text, 'latin1')))).toEqual(NOT_UTF8);
  });

  it.each([
    ['nothing', '', NOT_CLOSED],
    ['no boundary', 'a=1', NOT_CLOSED],
    ['no closing boundary', body(['; name="a"', '1']).replace('--b--', '--b'), NOT_CLOSED],
    ['a body cut off', body(['; name="a"', '1']).slice(0, -6), NOT_CLOSED],
    ['line feeds alone', body(['; name="a"', '1']).replaceAll('\r', ''), NOT_CLOSED],
    ['no end of a header', '--b\r\nContent-Disposition: form-data; name="a"\r\n--b--\r\n', NO_HEADER_END],
    ['a header that ends in the next part', `--b\r\nX: y\r\n${body(['; name="a"', '1'])}`, NO_HEADER_END],
    ['no header', '--b\r\n\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--', NO_NAME],
    ['no Content-Disposition', '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--', NO_NAME],
    ['another disposition', body(['; name="a"', '1']).replace('form-data', 'attachment'), NO_NAME],
    ['one that begins alike', body(['; name="a"', '1']).replace('form-data', 'form-database'), NO_NAME],
    ['no name', body(['', '1']), NO_NAME],
    ['a filename alone', body(['; filename="a"', '1']), NO_NAME],
    ['an open quote', body(['; name="a', '1']), malformed('close the quotes in the header of each part')],
    [
      'an open quote after a name',
      body(['; name="a"; filename="a\\" b', '1']),
      malformed('close the quotes in the header of each part'),
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(refusal(() => multipart(text))).toEqual(expected);
  });

  it('takes boundaries of 1 to 70 characters, and any bytes in them', () => {
    for (const boundary of ['x', "'()+_,-./:=?", '-'.repeat(70), 'é']) {
      const text = body(['; name="a"', '1']).replaceAll('--b', `--${boundary}`);
      expect(readMultipart(Buffer.from(text, 'latin1'), boundary, limits).text).toBe('{"a":"1"}');
    }
    for (const boundary of ['', 'x'.repeat(71)]) {
      expect(refusal(() => readMultipart(Buffer.from(body()), boundary, limits))).toEqual(NO_BOUNDARY);
    }
  });

  it('measures names and values, and files apart from them', () => {
    const within = body(['; name="ab"; filename="%22"', '12345'], ['; name="é"', '1234'], ['; name=""', '5']);
    expect(multipart(within, small).text).toBe('{"ab":"\\"","é":"1234","":"5"}');
    expect(refusal(() => multipart(within.replace('\r\n1234\r', '\r\n12345\r'), small))).toEqual(tooLarge(10));
    expect(refusal(() => multipart(body(['; name="abcdef"', '12345']), small))).toEqual(tooLarge(10));
    expect(refusal(() => multipart(body(['; name="abcdef"; filename="12345"', '']), small))).toEqual(tooLarge(10));
    expect(
      refusal(() => multipart(body(['; name="a"; filename="b"', '123'], ['; name="a"; filename=""', '456']), small)),
    ).toEqual([413, 'The files are too large: send at most 5 bytes of files.']);
  });

  it('counts parts', () => {
    const count = (parts: number) => body(...Array.from({ length: parts }, (): [string, string] => ['; name="a"', '']));
    expect(multipart(count(3), small).text).toBe('{"a":["","",""]}');
    expect(refusal(() => multipart(count(4), small))).toEqual(tooManyFields(3));
    expect(refusal(() => multipart(count(1001)))).toEqual(tooManyFields(1000));
  });

  it('bounds the header of a part', () => {
    const long = (bytes: number) => body([`; name="a"\r\nX: ${'x'.repeat(bytes)}`, '1']);
    expect(multipart(long(16_000)).text).toBe('{"a":"1"}');
    expect(refusal(() => multipart(long(17_000)))).toEqual(malformed('keep the header of each part under 16 KiB'));
    expect(refusal(() => multipart(body([`; name="a"${'; x=y'.repeat(20)}`, '1'])))).toEqual(
      malformed('say no more than the name and the filename of each part'),
    );
  });

  it('takes _hp as filled unless it is empty everywhere', () => {
    expect(multipart(body(['; name="_hp"', '']))).toEqual({ text: '{"_hp":""}', honeypot: false });
    expect(multipart(body(['; name="_hp"', ' '])).honeypot).toBe(true);
    expect(multipart(body(['; name="_hp"', ''], ['; name="_hp"', 'x'])).honeypot).toBe(true);
    expect(multipart(body(['; name="_hp"; filename="x"', ''])).honeypot).toBe(true);
    expect(multipart(body(['; name="_hp"; filename=""', ''])).honeypot).toBe(false);
  });
});

describe('one form', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...'"%205DA\\;=&+ \r\n-é[]'),
  );
  // What a browser does before it encodes a form, whatever the encoding.
  const text = fc.string({ unit, maxLength: 8 }).map((raw) => raw.replaceAll(/\r\n|\r|\n/g, '\r\n'));
  // Browsers don't escape `%` in names, so a name that holds one of the three escapes can't be told from what it stands for.
  const name = fc
    .oneof(text, fc.constantFrom('a', '__proto__', '10', '2', '_hp'))
    .filter((raw) => !/%(?:22|0[ad])/i.test(raw));
  const fields = fc.array(fc.tuple(name, text), { maxLength: 8 });

  const expected = (pairs: [string, string][]) => {
    const names = [...new Set(pairs.map(([name]) => name))];
    const members = names.map((wanted) => {
      const values = pairs.filter(([name]) => name === wanted).map(([, value]) => value);
      return `${JSON.stringify(wanted)}:${JSON.stringify(values.length > 1 ? values : values.join())}`;
    });
    return {
      text: `{${members.join(',')}}`,
      honeypot: pairs.some(([name, value]) => name === '_hp' && value !== ''),
    };
  };
  const sent = async (data: FormData) => {
    const response = new Response(data);
    const boundary = /boundary=(.+)/.exec(response.headers.get('content-type') ?? '')?.[1] ?? '';
    return readMultipart(Buffer.from(await response.arrayBuffer()), boundary, limits);
  };

  it('gives the same data in every encoding', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async (pairs) => {
        const data = new FormData();
        for (const [name, value] of pairs) data.append(name, value);
        expect(form(new URLSearchParams(pairs).toString())).toEqual(expected(pairs));
        expect(await sent(data)).toEqual(expected(pairs));
        expect(json(expected(pairs).text)).toEqual(expected(pairs));
      }),
      { numRuns: 500 },
    );
  });

  it('gives its files their filenames, whatever they hold', async () => {
    const files = fc.array(fc.tuple(name, name, fc.uint8Array()), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(files, async (triples) => {
        const data = new FormData();
        for (const [name, filename, content] of triples) data.append(name, new File([content], filename));
        // Without a filename undici writes a text field, whose value is what the file holds.
        fc.pre(triples.every(([, filename, content]) => filename !== '' || content.length === 0));
        expect(await sent(data)).toEqual(expected(triples.map(([name, filename]) => [name, filename])));
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

  it.each([
    ['small objects', `{"a":[${Array.from({ length: 20_000 }, (_, index) => `{"${index}":0}`).join(',')}]}`],
    ['one string of escapes', `{"a":"${'\\u0041'.repeat(size)}"}`],
    ['one number', `{"a":${'9'.repeat(size)}}`],
    ['one name', `{"${'x'.repeat(size)}":0}`],
    ['a name like an index', '{"a[50000000]":0,"4294967294":1}'],
  ])('are kept as JSON: %s', (_, text) => {
    expect(json(text)).toEqual({ text, honeypot: false });
  });

  it('are judged as JSON by all of a long _hp', () => {
    expect(json(`{"_hp":[${Array(40_000).fill('""').join(',')}]}`).honeypot).toBe(false);
    expect(json(`{"_hp":[${Array(40_000).fill('null').join(', ')},0]}`).honeypot).toBe(true);
    expect(json(`{"_hp":"${','.repeat(size)}"}`).honeypot).toBe(true);
  });

  it('are read as a form', () => {
    expect(form('%'.repeat(size)).text).toBe(`{"${'%'.repeat(size)}":""}`);
    expect(form('&'.repeat(3 * size)).text).toBe('{}');
    expect(form('='.repeat(size)).text).toBe(`{"":"${'='.repeat(size - 1)}"}`);
    expect(form(`a=${'%5C'.repeat(size)}`).text).toBe(`{"a":"${'\\\\'.repeat(size)}"}`);
    expect(refusal(() => form('a&'.repeat(size)))).toEqual(tooManyFields(1000));
    expect(refusal(() => form('%ff'.repeat(size)))).toEqual(NOT_UTF8);
  });

  it.each([
    ['quotes in headers', body([`; name="${'"'.repeat(16_000)}"`, '1']), `{${JSON.stringify('"'.repeat(16_000))}:"1"}`],
    [
      'backslashes in headers',
      body([`; name="${'\\'.repeat(16_000)}"`, '1']),
      `{${JSON.stringify('\\'.repeat(16_000))}:"1"}`,
    ],
    [
      'escapes in headers',
      body([`; name="${'%22'.repeat(5_000)}"`, '1']),
      `{${JSON.stringify('"'.repeat(5_000))}:"1"}`,
    ],
    ['near-boundaries', body(['; name="a"', '\r\n--bX'.repeat(20_000)]), `{"a":"${'\\r\\n--bX'.repeat(20_000)}"}`],
    ['near-ends', body(['; name="a"', '\r\n--b--X'.repeat(20_000)]), `{"a":"${'\\r\\n--b--X'.repeat(20_000)}"}`],
    ['line breaks', body(['; name="a"', '\r\n'.repeat(100_000)]), `{"a":"${'\\r\\n'.repeat(100_000)}"}`],
  ])('are read as multipart: %s', (_, text, expected) => {
    expect(multipart(text)).toEqual({ text: expected, honeypot: false });
  });

  it.each([
    ['no boundary at all', '\r\n--'.repeat(size / 4), NOT_CLOSED],
    ['a boundary with endless spaces', `--b${' '.repeat(size)}`, NOT_CLOSED],
    ['boundaries alone', `${'--b\r\n'.repeat(size / 5)}--b--`, NO_HEADER_END],
    [
      'parameters without end',
      body([`; name="a"${';='.repeat(8_000)}`, '1']),
      malformed('say no more than the name and the filename of each part'),
    ],
    [
      'an endless header',
      `--b\r\n${'x'.repeat(size)}\r\n\r\n--b--`,
      malformed('keep the header of each part under 16 KiB'),
    ],
    ['20,000 parts', body(...Array(20_000).fill(['; name="a"', ''])), tooManyFields(1000)],
  ])('are refused as multipart: %s', (_, text, expected) => {
    expect(refusal(() => multipart(text))).toEqual(expected);
  });
});
