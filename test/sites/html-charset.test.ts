import { describe, expect, it } from 'vitest';
import { readHtmlBytes } from '../../src/sites/html-charset.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('an HTML file', () => {
  it.each([
    ['UTF-8', Buffer.from('<p>Füße 😀'), '<p>Füße 😀', undefined],
    ['UTF-8 that declares another charset', Buffer.from('<meta charset=latin1>ü'), '<meta charset=latin1>ü', undefined],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFF<p>ü'), '<p>ü', undefined],
    ['ISO-8859-1', latin('<META CHARSET="ISO-8859-1"><p>Füße'), '<META CHARSET="utf-8"><p>Füße', 'windows-1252'],
    [
      'windows-1252',
      latin('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">\x80 \x84Hallo\x93'),
      '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">€ „Hallo“',
      'windows-1252',
    ],
    ['windows-1251', latin('<meta charset=cp1251>\xcf\xf0\xe8'), '<meta charset=utf-8>При', 'windows-1251'],
    [
      'Shift_JIS',
      latin("<?xml version='1.0' encoding='Shift_JIS'?>\x93\xfa"),
      "<?xml version='1.0' encoding='utf-8'?>日",
      'shift_jis',
    ],
    ['UTF-16', Buffer.from('\uFEFF<meta charset="utf-16">ü', 'utf16le'), '<meta charset="utf-8">ü', 'utf-16le'],
    ['UTF-16, the other byte first', utf16be('\uFEFF<p>ü'), '<p>ü', 'utf-16be'],
    ['UTF-16 without a mark', Buffer.from('<p>abc', 'utf16le'), '<p>abc', 'utf-16le'],
    [
      'a charset behind one in a comment',
      latin('<!-- <meta charset=utf-8> --><meta charset=latin1>ü'),
      '<!-- <meta charset=utf-8> --><meta charset=utf-8>ü',
      'windows-1252',
    ],
  ])('in %s is read', (_, bytes, html, charset) => {
    expect(readHtmlBytes(bytes)).toEqual({ html, charset });
  });

  it.each([
    ['says nothing', latin('<p>Füße')],
    ['says that it is UTF-8', latin('<meta charset="utf-8"><p>Füße')],
    ['says a charset that nobody knows', latin('<meta charset="latin-one"><p>Füße')],
    ['is not what it says', latin('<meta charset="shift_jis"><p>\x81')],
    ['is cut in a character', Buffer.concat([Buffer.from('\uFEFF<p>', 'utf16le'), Buffer.from([1])])],
  ])('that is not UTF-8 and %s is not read', (_, bytes) => {
    expect(readHtmlBytes(bytes)).toBeUndefined();
  });
});
