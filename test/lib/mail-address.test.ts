import { expect, it } from 'vitest';
import { isMailAddress, toMailAddress } from '../../src/lib/mail-address.ts';

it.each([
  ['Ada@Example.org', 'Ada@Example.org'],
  ['  ada@example.org\r\n', 'ada@example.org'],
  ['\u00a0\u3000ada@example.org\u2028\ufeff', 'ada@example.org'],
  ['\u0085ada@example.org\u2003', 'ada@example.org'],
  [`${' '.repeat(200_000)}ada@example.org${'\u00a0'.repeat(200_000)}`, 'ada@example.org'],
  ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
  ['ada@Straße.例え.example', 'ada@xn--strae-oqa.xn--r8jz45g.example'],
  ['ada@ｅｘａｍｐｌｅ．jp', 'ada@example.jp'],
  ['ada@пример.испытание', 'ada@xn--e1afmkfd.xn--80akhbyknj4f'],
  ['owner@localhost', 'owner@localhost'],
])('%j is the address %j', (text, address) => {
  expect([toMailAddress(text), isMailAddress(text)]).toEqual([address, true]);
});

it.each([
  ...['', ' ', 'ada', 'ada@', '@bücher.example', 'ädä@example.org', 'ada @example.org', 'ada@ bücher.example'],
  ...[
    'ada@bücher.example/x',
    'ada@bücher.example:25',
    'ada@bücher.example?x',
    'ada@bücher.example#x',
    'ada@b%C3%BCcher.x',
  ],
  ...['ada@eve@bücher.example', 'ada@bücher..example', 'ada@bücher.example.', 'ada@bücher_x.example', 'ada@[::1]é'],
  ...['ada@１２７.０.０.１', 'ada@０x7f', 'ada@\u202ebücher.example', 'ada@bü\\cher.example', 'ada@bü cher.example'],
  ...['ada@bücher.example\r\nBcc: eve@home.example', 'ada@bücher.example,eve@home.example', 'Ada <ada@bücher.example>'],
  ...[`ada@${'ü'.repeat(250)}`, `ada@${'ü.'.repeat(100_000)}de`, `${'é '.repeat(100_000)}@example.org`],
  ...['=?utf-8?q?x?=@bücher.example', 'ada@\ud800.example'],
])('%j is no address', (text) => expect([toMailAddress(text), isMailAddress(text)]).toEqual([undefined, false]));
