import { describe, expect, it } from 'vitest';
import { readMultipart } from '../../../src/http/submit/multipart.ts';
import { readParts } from '../../../src/http/submit/multipart-parts.ts';
import { KIB, limits, NOT_UTF8, refusal, small, stored, tooLarge, tooManyFields } from '../../support/form-limits.ts';

/** All of a body, with its data; each file has the URL `/f`. */
function read(text: string | Buffer, within = limits, boundary = 'b') {
  return readMultipart(readParts(Buffer.from(text), boundary, within), within);
}
const multipart = (text: string | Buffer, within = limits) => stored(read(text, within));
/** A file as the data names it. */
const file = (filename: string, size: number, type = 'application/octet-stream') =>
  JSON.stringify({ filename, content_type: type, size, url: '/f' });

/** The most that may stand before a multipart body, and behind it. */
const OUTSIDE = 'x'.repeat(16 * KIB);

/** A multipart body with the boundary `b`; a part is its Content-Disposition's parameters and its content. */
const body = (...parts: [parameters: string, content: string][]): string =>
  `${parts.map(([parameters, content]) => `--b\r\nContent-Disposition: form-data${parameters}\r\n\r\n${content}\r\n`).join('')}--b--\r\n`;
const A = body(['; name="a"', '1']);
const parts = (text: string | Buffer) =>
  readParts(Buffer.from(text), 'b', limits).map(({ name, filename, content }) => [
    name,
    filename,
    content.toString('latin1'),
  ]);

const malformed = (advice: string) => [400, `The multipart body is malformed: ${advice}.`];
const NO_NAME = malformed('give each part a Content-Disposition of form-data, with a name');
const NO_HEADER_END = malformed('put an empty line after the header of each part');
const NOT_CLOSED = malformed('end it with its boundary between two pairs of dashes');
const BEFORE = malformed('begin each part with the boundary that the content type names');
const BEHIND = malformed('put nothing after the boundary that ends it');
const TOO_MANY_PARAMETERS = malformed('send only the name and the filename of each part');
const LONG_HEADER = malformed('keep the header of each part under 16 KiB');
const NO_BOUNDARY = malformed('name its boundary, 1 to 70 characters, in the content type');

describe('readMultipart', () => {
  it('tells what can be filled in again, in order, and what has to be chosen again', () => {
    const file = '; name="f"; filename="a.txt"';
    const none = '; name="f"; filename=""';
    const a = '; name="a"';
    expect(read(body([a, '1'], [file, 'x'], ['; name="f"', 'x\r\ny'], [a, ''])).fields).toEqual([
      ['a', '1'],
      ['f', '', { filename: 'a.txt', size: 1 }],
      ['f', 'x\r\ny'],
      ['a', ''],
    ]);
    expect(read(body([none, ''])).fields).toEqual([['f', '', { filename: '', size: 0 }]]);
  });

  it('tells all that was sent when files are refused, whatever came after them', () => {
    const sent = body(['; name="a"', '1'], ['; name="f"; filename="x.png"', 'x'.repeat(5)], ['; name="b"', '2']);
    const fields = [...Object.entries({ a: '1' }), ['f', '', { filename: 'x.png', size: 5 }], ['b', '2']];
    for (const [kind, within] of Object.entries({ file: { maxFileBytes: 4 }, files: { maxFilesBytes: 4 } })) {
      const { exceeded, files, ...refused } = read(sent, { ...limits, ...within });
      expect({ exceeded, files, fields: refused.fields }).toEqual({ exceeded: { kind, limit: 4 }, files: [], fields });
    }
    const many = body(...Array.from({ length: 11 }, (): [string, string] => ['; name="f"; filename="a"', '']));
    expect(read(many).exceeded).toEqual({ kind: 'count', limit: 10 });
  });

  it.each([
    ['fields', body(['; name="a"', '1'], ['; name="b"', '\r\ny'], ['; name="a"', '']), '{"a":["1",""],"b":"\\r\\ny"}'],
    ['no fields', '--b--\r\n', '{}'],
    ['literal names', body(['; name="a[9]"', '1'], ['; name="__proto__"', '2']), '{"a[9]":"1","__proto__":"2"}'],
    ['the three escapes', body(['; name="%22%0D%0A%0d%41%25%2522"', '%22']), '{"\\"\\r\\n%0d%41%25%2522":"%22"}'],
    ['a file', body(['; name="f"; filename="C:\\fake\\a%22.txt"', 'x']), `{"f":${file('C:\\fake\\a".txt', 1)}}`],
    ['an empty file input', body(['; name="f"; filename=""', '']), '{"f":""}'],
    [
      'a file and no file',
      body(['; name=f; filename=a', 'x'], ['; name=f; filename=""', '']),
      `{"f":[${file('a', 1)},""]}`,
    ],
    ['unquoted values', body([';name=b ;filename=c d ', '2'], ['; name=', '3']), `{"b":${file('c d', 1)},"":"3"}`],
    [
      'names in any case',
      body(['; NAME="A"; FileName="B"', '1']).replace('Disposition: form', 'disposition:Form'),
      `{"A":${file('B', 1)}}`,
    ],
    ['separators inside quotes', body(['; x="; name=y"; name="=; filename=b"', '2']), '{"=; filename=b":"2"}'],
    ['a folded header', body([';\r\n name="a";\r\n\tfilename="b"', '1']), `{"a":${file('b', 1)}}`],
    [
      'other headers, whatever they say',
      body(['; name="a"\r\nContent-Type: application/octet-stream\r\nX-A; name="z"', '1']).replace(
        '--b\r\n',
        '--b\r\nContent-Disposition-X: form-data; name="y"\r\n',
      ),
      '{"a":"1"}',
    ],
  ])('reads %s', (_, text, expected) => {
    expect(multipart(text)).toEqual({ text: expected, honeypot: undefined });
  });

  it.each([
    ['a\\', 'name="a\\"'],
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
    ['a preamble and an epilogue', `preamble\r\n - -\r\n${A}epilogue\r\n -- \r\nend`],
    ['a preamble and an epilogue of 16 KiB', `${OUTSIDE}\r\n${A}${OUTSIDE}`],
    ['spaces after the boundary', A.replaceAll(/--\r\n|b\r\n/g, (end) => end.replace('\r', ' \t \r'))],
    ['a line feed at the end', `${A.trimEnd()}\n`],
  ])('takes %s', (_, text) => {
    expect(parts(text)).toEqual([['a', undefined, '1']]);
  });

  it.each([
    ['another first boundary', A.replace('--b\r', '--c\r'), BEFORE],
    ['more behind the first boundary', A.replace('--b\r', '--b;\r'), BEFORE],
    ['no first boundary', A.replace('--b\r\n', ''), BEFORE],
    ['a first part in line feeds', `X: y\ncontent-DISPOSITION : form-data\n\n1\n\r\n${A}`, BEFORE],
    ['a longer preamble than 16 KiB', `${OUTSIDE}x\r\n${A}`, BEFORE],
    ['a part behind the last boundary', `${body()}${A}`, BEHIND],
    ['a part behind it that has no boundary', `${body()}${A.slice('--b\r\n'.length)}`, BEHIND],
    ['a longer epilogue than 16 KiB', `${A}${OUTSIDE}x`, BEHIND],
  ])('refuses what would be lost: %s', (_, text, expected) => {
    expect(refusal(() => multipart(text))).toEqual(expected);
  });

  it.each([
    ...['\r\n', '\r\n--', '\n--b\n', '\r\n--bb\r\n'],
    ...['\r\n--b-\r\n', '\r\n--b --\r\n', '\r\n--b--x\r\n', '\r\n--b\rx'],
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
    expect(multipart(whole).text).toBe(`{"f":${file('a.bin', 5)},"g":""}`);
    expect(read(whole).files).toEqual([
      {
        id: expect.stringMatching(/^file_[0-9A-Za-z]{20,}$/),
        filename: 'a.bin',
        contentType: 'application/octet-stream',
        content: Buffer.from('\xff\x00\r\n\xfe', 'latin1'),
      },
    ]);
    expect(readParts(whole, 'b', limits).map(({ content }) => content.buffer === whole.buffer)).toEqual([true, true]);
  });

  it.each([
    ['a name', body(['; name="\xff"', '1'])],
    ['a filename', body(['; name="a"; filename="\xe9.txt"', '1'])],
    ['a value', body(['; name="a"\r\nContent-Type: text/plain; charset=utf-8', '\xe9'])],
  ])('refuses %s that is not UTF-8', (_, text) => {
    expect(refusal(() => multipart(Buffer.from(text, 'latin1')))).toEqual(NOT_UTF8);
  });

  it.each([
    ['nothing', '', NOT_CLOSED],
    ['no closing boundary', A.replace('--b--', '--b'), NOT_CLOSED],
    ['no end of a header', '--b\r\nContent-Disposition: form-data; name="a"\r\n--b--\r\n', NO_HEADER_END],
    ['no header', '--b\r\n\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--', NO_NAME],
    ['no Content-Disposition', '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--', NO_NAME],
    ['another disposition', A.replace('form-data', 'attachment'), NO_NAME],
    ['no name', body(['', '1']), NO_NAME],
    ['a filename alone', body(['; filename="a"', '1']), NO_NAME],
    ['an open quote', body(['; name="a', '1']), malformed('close the quotes in the header of each part')],
  ])('refuses %s', (_, text, expected) => {
    expect(refusal(() => multipart(text))).toEqual(expected);
  });

  it('takes boundaries of 1 to 70 characters, and any bytes in them', () => {
    for (const boundary of ['x', "'()+_,-./:=?", '-'.repeat(70), 'é']) {
      const text = A.replaceAll('--b', `--${boundary}`);
      const whole = Buffer.from(text, 'latin1');
      expect(stored(read(whole, limits, boundary)).text).toBe('{"a":"1"}');
    }
    for (const boundary of ['', 'x'.repeat(71)]) {
      expect(refusal(() => readParts(Buffer.from(body()), boundary, limits))).toEqual(NO_BOUNDARY);
    }
  });

  it('measures names and values, and files apart from them', () => {
    const within = body(['; name="ab"; filename="%22"', '123'], ['; name="é"', '1234'], ['; name=""', '5']);
    expect(multipart(within, small).text).toBe(`{"ab":${file('"', 3)},"é":"1234","":"5"}`);
    expect(refusal(() => multipart(within.replace('\r\n1234\r', '\r\n12345\r'), small))).toEqual(tooLarge(10));
    expect(refusal(() => multipart(body(['; name="abcdef"', '12345']), small))).toEqual(tooLarge(10));
    expect(refusal(() => multipart(body(['; name="abcdef"; filename="12345"', '']), small))).toEqual(tooLarge(10));
  });

  it.each([
    ['a file of the limit, and an empty input', ['xxx', '']],
    ['as much as all may have', ['xxx', 'xx']],
  ])('takes %s', (_, contents) => {
    const text = body(...contents.map((content): [string, string] => ['; name="a"; filename=""', content]));
    expect(read(text, small).files.map(({ content }) => content.toString())).toEqual(
      contents.filter((content) => content !== ''),
    );
  });

  it.each([
    ['a file', [4], { kind: 'file', limit: 3 }],
    ['all files', [3, 3], { kind: 'files', limit: 5 }],
  ])('refuses more than the limit for %s', (_, sizes, exceeded) => {
    const text = body(...sizes.map((size): [string, string] => ['; name="a"; filename=""', 'x'.repeat(size)]));
    expect(read(text, small).exceeded).toEqual(exceeded);
  });

  it('takes 10 files, empty inputs beside them, and refuses more', () => {
    const inputs = (files: number) =>
      body(
        ...Array.from({ length: files }, (): [string, string] => ['; name="a"; filename="b"', '']),
        ...Array.from({ length: 20 }, (): [string, string] => ['; name="a"; filename=""', '']),
      );
    expect(read(inputs(10)).files.length).toBe(10);
    expect(read(inputs(11)).exceeded).toEqual({ kind: 'count', limit: 10 });
  });

  it.each([
    ...['image/svg+xml', 'a/b;c=d;  e="f; \\" g"', 'text/plain; charset=utf-8 ; \t;;'],
    ...[`a/b;${' ;'.repeat(125)}`, "!#$%&'*+-.^_`|~/x", `a/${'b'.repeat(253)}`],
  ])('keeps the type of a file as it was sent: %s', (type) => {
    for (const header of [
      `Content-Type: ${type}`,
      `content-type:${type} \t`,
      `X: y\r\nCONTENT-TYPE: ${type}\r\nX: z`,
    ]) {
      const text = body([`; name="a"; filename="b"\r\n${header}`, '']);
      expect(read(text).files.map(({ contentType }) => contentType)).toEqual([type]);
      expect(multipart(text).text).toBe(`{"a":${file('b', 0, type)}}`);
    }
  });

  it.each([
    ...['', 'text', 'text/plain charset', 'text/pläin', 'text/plain\r; a=b', 'text/plain\n; a=b'],
    ...[`a/${'b'.repeat(254)}`, `a/b${';a=b'.repeat(4_000)}`, `a/b;c="${'\\'.repeat(16_000)}`],
  ])('takes a file for octets when its type is none: %j', (type) => {
    const text = body([`; name="a"; filename="b"\r\nContent-Type: ${type}`, '']);
    expect(multipart(text).text).toBe(`{"a":${file('b', 0)}}`);
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
    expect(refusal(() => multipart(long(17_000)))).toEqual(LONG_HEADER);
    expect(refusal(() => multipart(body([`; name="a"${'; x=y'.repeat(20)}`, '1'])))).toEqual(TOO_MANY_PARAMETERS);
  });

  it('bounds names by what all names and values may have', () => {
    const named = (name: string) => body([`; name="${name}"`, '']);
    const longest = (character: string) => character.repeat(limits.maxBytes);
    expect(multipart(named(longest('n'))).text).toBe(`{"${longest('n')}":""}`);
    expect(multipart(named(longest('%22'))).text).toBe(`{"${longest('\\"')}":""}`);
    expect(multipart(named(longest('"'))).text).toBe(`{"${longest('\\"')}":""}`);
    for (const name of [`${longest('n')}n`, longest('nnnn'), longest('n'.repeat(20))]) {
      expect(refusal(() => multipart(named(name)))).toEqual(tooLarge(limits.maxBytes));
    }
  });

  it('takes _hp as filled unless it is empty everywhere', () => {
    expect(multipart(body(['; name="_hp"', '']))).toEqual({ text: '{"_hp":""}', honeypot: undefined });
    expect(multipart(body(['; name="_hp"', ' '])).honeypot).toBe('honeypot');
    expect(multipart(body(['; name="_hp"', ''], ['; name="_hp"', 'x'])).honeypot).toBe('honeypot');
    expect(multipart(body(['; name="_hp"; filename="x"', ''])).honeypot).toBe('honeypot');
    expect(multipart(body(['; name="_hp"; filename=""', ''])).honeypot).toBeUndefined();
  });
});

describe('hostile bodies', () => {
  const size = limits.maxBytes - KIB;

  it.each([
    ['quotes in headers', body([`; name="${'"'.repeat(16_000)}"`, '1']), `{${JSON.stringify('"'.repeat(16_000))}:"1"}`],
    ['near-boundaries', body(['; name="a"', '\r\n--bX'.repeat(20_000)]), `{"a":"${'\\r\\n--bX'.repeat(20_000)}"}`],
  ])('are read as multipart: %s', (_, text, expected) => {
    expect(multipart(text)).toEqual({ text: expected, honeypot: undefined });
  });

  it.each([
    ['no boundary at all', '\r\n--'.repeat(size / 4), NOT_CLOSED],
    ['a boundary with endless spaces', `--b${' '.repeat(size)}`, NOT_CLOSED],
    ['parameters without end', body([`; name="a"${';='.repeat(8_000)}`, '1']), TOO_MANY_PARAMETERS],
    ['an endless header', `--b\r\n${'x'.repeat(size)}\r\n\r\n--b--`, LONG_HEADER],
    [
      'long names, each of which would do',
      body(...Array(30).fill([`; name="${'%22%0D%0A'.repeat(limits.maxBytes / 4)}"`, ''])),
      tooLarge(limits.maxBytes),
    ],
    ['20,000 parts', body(...Array(20_000).fill(['; name="a"', ''])), tooManyFields(1000)],
  ])('are refused as multipart: %s', (_, text, expected) => {
    expect(refusal(() => multipart(text))).toEqual(expected);
  });
});
