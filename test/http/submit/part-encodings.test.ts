import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMultipart } from '../../../src/http/submit/multipart.ts';
import { readParts } from '../../../src/http/submit/multipart-parts.ts';
import { decodeTransfers } from '../../../src/http/submit/transfer-encoding.ts';
import { KIB, limits, small, tooLarge } from '../../support/form-limits.ts';
import { multipartBody } from '../../support/multipart-body.ts';

type Content = string | Uint8Array;
type Outcome = [status: number, message: string];

/** A form of parts, each with these parameters, lines of its header, and content in latin1. */
const formOf = (...parts: [parameters: string, lines: string, content: Content][]): Buffer =>
  multipartBody(
    ...parts.map(([parameters, lines, content]): [string, Buffer] => [
      `${parameters}\r\n${lines}`,
      typeof content === 'string' ? Buffer.from(content, 'latin1') : Buffer.from(content),
    ]),
  );

/** All that is read of a form; or the status and the message of its refusal. */
async function read(form: Buffer, within = limits) {
  try {
    return readMultipart(await decodeTransfers(readParts(form, 'b', within)), within);
  } catch (error) {
    if (error instanceof Error && 'status' in error) return [error.status, error.message];
    throw error;
  }
}
const read1 = async (...[parameters, lines, content]: [string, string, Content]) => {
  const outcome = await read(formOf([parameters, lines, content]));
  return Array.isArray(outcome) ? outcome : outcome.fields?.[0]?.[1];
};
const text = (charset: string, content: Content) =>
  read1('name=a', `Content-Type: text/plain; charset=${charset}`, content);
const encoded = (encoding: string, content: Content) =>
  read1('name=a', `Content-Transfer-Encoding: ${encoding}`, content);

const malformed = (advice: string): Outcome => [400, `The multipart body is malformed: ${advice}.`];
const BROKEN_BASE64 = malformed('encode all of a part in base64, with padding at its end');
const OTHER_ENCODING = malformed('send parts in base64, quoted-printable or no Content-Transfer-Encoding');
const OTHER_CHARSET: Outcome = [415, 'The charset of a part is not supported: send UTF-8.'];
const NOT_OF_CHARSET: Outcome = [400, 'A part does not match the charset that it names: send it in UTF-8.'];

const utf16 = (string: string): Buffer => Buffer.from(string, 'utf16le');

describe('the charset of a field', () => {
  it.each<[charset: string, content: Content, expected: string]>([
    ['ISO-8859-1', 'Z\xfcrich \xa3', 'Zürich £'],
    ['"windows-1252"', '5 \x80', '5 €'],
    ['windows-1251; format=flowed', '\xcf\xf0\xe8\xe2\xe5\xf2', 'Привет'],
    ['KOI8-R', '\xf0\xd2\xc9', 'При'],
    ['Shift_JIS', '\x93\xfa\x96{', '日本'],
    ['gbk', '\xc4\xe3', '你'],
    ['utf-16', utf16('né'), 'né'],
    ['utf-16', utf16('\uFEFFné'), 'né'],
    ['utf-16', utf16('\uFEFFné').swap16(), 'né'],
    ['UTF-16BE', utf16('né').swap16(), 'né'],
    ['us-ascii', 'plain', 'plain'],
    ['us-ascii', 'n\xc3\xa9', 'né'],
    ['ASCII', 'n\xe9', 'né'],
    ['utf8', 'n\xc3\xa9', 'né'],
    ['UTF-8', '\xef\xbb\xbfn', '\uFEFFn'],
    ['""', 'n\xc3\xa9', 'né'],
  ])('is decoded: %s', async (charset, content, expected) => {
    expect(await text(charset, content)).toBe(expected);
  });

  it.each(['x-none', 'utf-7', 'utf-32', 'iso-2022-kr', "'latin1'", 'x'.repeat(9_000)])(
    'is a 415: %s',
    async (charset) => {
      expect(await text(charset, 'a')).toEqual(OTHER_CHARSET);
    },
  );

  it.each<[charset: string, content: Content]>([
    ['utf-16', 'odd'],
    ['utf-16', Uint8Array.of(0x00, 0xd8, 0x41, 0x00)],
    ['euc-jp', '\xff'],
  ])('is a 400 where the bytes are not of it: %s, %j', async (charset, content) => {
    expect(await text(charset, content)).toEqual(NOT_OF_CHARSET);
  });

  it('is that of each field alone; `_charset_` is data', async () => {
    const form = formOf(
      ['name=_charset_', 'X: y', 'windows-1252'],
      ['name=a', 'Content-Type: text/plain; charset=windows-1252', '\xe9'],
      ['name=b', 'X: charset=windows-1252', '\xc3\xa9'],
    );
    expect(await read(form)).toMatchObject({
      fields: [
        ['_charset_', 'windows-1252'],
        ['a', 'é'],
        ['b', 'é'],
      ],
    });
  });

  it('is not looked at in a file, whose bytes and type stay', async () => {
    const form = formOf(['name=f; filename=a.txt', 'Content-Type: text/plain; charset=x-none', '\xe9']);
    expect(await read(form)).toMatchObject({
      files: [{ contentType: 'text/plain; charset=x-none', content: Buffer.from([0xe9]) }],
    });
  });

  it('leaves the bytes of UTF-8 to be counted', async () => {
    const form = (content: Content) => formOf(['name=a', 'Content-Type: text/plain; charset=utf-16', content]);
    expect(await read(form(utf16('123456789')), small)).toMatchObject({ fields: [['a', '123456789']] });
    expect(await read(form(utf16('1234567890')), small)).toEqual(tooLarge(10));
    // Three bytes of UTF-8 for two.
    expect(await read(form(utf16('€€€')), small)).toMatchObject({ fields: [['a', '€€€']] });
    expect(await read(form(utf16('€€€€')), small)).toEqual(tooLarge(10));
    expect(await read(form(utf16('x'.repeat(30))), small)).toEqual(tooLarge(10));
  });

  it('is that of the texts that are kept when a file is refused', () => {
    const form = formOf(
      ['name=a', 'Content-Type: text/plain; charset=latin1', '\xe9'],
      ['name=f; filename=x', 'X: y', 'four'],
    );
    expect(readMultipart(readParts(form, 'b', small), small)).toMatchObject({
      exceeded: { kind: 'file', limit: 3 },
      fields: [
        ['a', 'é'],
        ['f', '', { size: 4 }],
      ],
    });
  });
});

describe('base64', () => {
  it.each([
    ['', ''],
    ['R3LDvMOfZQ==', 'Grüße'],
    ['R3LD\r\n\tvMOf \r\nZQ=\n=\r\n\r\n', 'Grüße'],
    ['PDw/Pz8+Pg==', '<<???>>'],
    ['YWJj', 'abc'],
  ])('is decoded: %j', async (content, expected) => {
    expect(await encoded('base64', content)).toBe(expected);
    expect(await encoded(' BASE64 ', content)).toBe(expected);
  });

  it.each([
    'YWJ',
    'YQ',
    'Y',
    'YQ=',
    'YQ===',
    'YQ==YQ==',
    '=',
    '====',
    'YW*j',
    'YW-j',
    'YWJj\0',
    'YWJj\xe9',
    'data:,YWJj',
  ])('is a 400 when it is broken: %j', async (content) => {
    expect(await encoded('base64', content)).toEqual(BROKEN_BASE64);
  });

  it('is decoded before the charset', async () => {
    const lines = 'Content-Type: text/plain; charset=utf-16le\r\nContent-Transfer-Encoding: base64';
    expect(await read1('name=a', lines, utf16('naïve').toString('base64'))).toBe('naïve');
  });

  it('gives the bytes of any file, in lines of any length, across the slices in which it is read', async () => {
    const long = fc
      .integer({ min: 300_000, max: 400_000 })
      .map((bytes) => Uint8Array.from({ length: bytes }, (_, at) => at * 31));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), long), fc.integer({ min: 1, max: 100 }), async (bytes, length) => {
        const lines =
          Buffer.from(bytes)
            .toString('base64')
            .match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
        const form = formOf(['name=f; filename=x', 'Content-Transfer-Encoding: base64', lines.join('\r\n')]);
        const outcome = await read(form);
        expect(!Array.isArray(outcome) && outcome.files[0]?.content.equals(bytes)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('is broken when a slice begins behind its end', async () => {
    expect(await encoded('base64', `${'QUJD'.repeat(32 * KIB - 1)}QQ==QUJD`)).toEqual(BROKEN_BASE64);
  });
});

describe('quoted-printable', () => {
  it.each([
    ['', ''],
    ['Gr=C3=BC=c3=9fe', 'Grüße'],
    ['a=3D=\r\nb=\nc= \t\r\nd', 'a=bcd'],
    ['a  \t\r\nb \nc \t', 'a\r\nb\nc'],
    ['a =20\r\nb=09', 'a  \r\nb\t'],
    ['a\rb\r\n', 'a\rb\r\n'],
    ['a=', 'a'],
    ['a=  ', 'a'],
    ['100=% =ZZ =4 == =3', '100=% =ZZ =4 == =3'],
    ['=\r=41', '=\rA'],
  ])('is decoded: %j', async (content, expected) => {
    expect(await encoded('Quoted-Printable', content)).toBe(expected);
  });

  it('gives the bytes of any file', async () => {
    const encode = (bytes: Uint8Array): string =>
      Array.from(
        bytes,
        (byte, at) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}${at % 20 === 19 ? '=\r\n' : ''}`,
      ).join('');
    const long = fc.constant(Uint8Array.from({ length: 100_000 }, (_, at) => at * 31));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), long), async (bytes) => {
        const outcome = await read(
          formOf(['name=f; filename=x', 'Content-Transfer-Encoding: quoted-printable', encode(bytes)]),
        );
        expect(!Array.isArray(outcome) && outcome.files[0]?.content.equals(bytes)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});

describe('Content-Transfer-Encoding', () => {
  it.each(['7bit', '8BIT', ' binary', ''])('leaves content as it is: %j', async (encoding) => {
    expect(await encoded(encoding, 'YQ== =41 \xc3\xa9 ')).toBe('YQ== =41 é ');
  });

  it.each(['x-uuencode', 'base32', 'base64, base64', 'quoted printable', 'gzip'])('is a 400: %j', async (encoding) => {
    expect(await encoded(encoding, 'YQ==')).toEqual(OTHER_ENCODING);
  });

  it('is undone before anything is counted', async () => {
    const base64 = 'Content-Transfer-Encoding: base64';
    const sized = (bytes: number) => formOf(['name=a', base64, Buffer.alloc(bytes, 'x').toString('base64')]);
    expect(await read(sized(9), small)).toMatchObject({ fields: [['a', 'xxxxxxxxx']] });
    expect(await read(sized(10), small)).toEqual(tooLarge(10));
    const fileOf = (bytes: number) => formOf(['name=a; filename=b', base64, Buffer.alloc(bytes).toString('base64')]);
    expect(await read(fileOf(3), small)).toMatchObject({ files: [{ content: Buffer.alloc(3) }] });
    expect(await read(fileOf(4), small)).toMatchObject({ exceeded: { kind: 'file', limit: 3 } });
  });

  it('needs no memory beside that of the body', async () => {
    const form = formOf(
      ['name=a; filename=b', 'Content-Transfer-Encoding: base64', 'YWJj'],
      ['name=c; filename=d', 'Content-Transfer-Encoding: quoted-printable', '=41'],
    );
    const parts = await decodeTransfers(readParts(form, 'b', limits));
    expect(parts.map(({ content }) => [content.toString(), content.buffer === form.buffer])).toEqual([
      ['abc', true],
      ['A', true],
    ]);
  });

  it('lets other work have a turn while a large part is decoded', async () => {
    for (const encoding of ['base64', 'quoted-printable']) {
      let turns = 0;
      let isDone = false;
      const count = (): void => {
        turns += 1;
        if (!isDone) setImmediate(count);
      };
      const form = formOf(['name=a; filename=b', `Content-Transfer-Encoding: ${encoding}`, 'QUJD'.repeat(256 * KIB)]);
      setImmediate(count);
      await decodeTransfers(readParts(form, 'b', limits));
      isDone = true;
      // A mebibyte has eight slices.
      expect(turns).toBeGreaterThanOrEqual(7);
    }
  });
});
