import { expect, it } from 'vitest';
import { lookOf, schemesOf } from '../../src/sites/page-look.ts';

const read = (html: string) => lookOf(Buffer.from(html));
const meta = (content: string, more = ''): string => `<meta name="theme-color" content="${content}"${more}>`;
const DARK = ' media="(prefers-color-scheme: dark)"';

it.each([
  ['<title> Summer\n &amp;\tfair </title><title>B</title>', 'Summer & fair'],
  ['<svg><title>Logo</title></svg><title>Bake sale</title>', 'Bake sale'],
  ['<title>A\u202Eb\u0000c</title>', 'A b c'],
  ['<title>  </title>', null],
  ['<p>x', null],
])('reads the title of %j', (html, title) => {
  expect(read(html).title).toBe(title);
});

it.each([
  [meta('#0B57d0'), '#0b57d0', '#0b57d0'],
  [meta('#abc'), '#aabbcc', '#aabbcc'],
  ["<META CONTENT='rgb(11 87 208)' NAME=theme-color />", '#0b57d0', '#0b57d0'],
  [meta(' Tomato '), '#ff6347', '#ff6347'],
  [meta('rgb(10, 20, 30)', DARK) + meta('navy'), '#000080', '#0a141e'],
  [meta('teal') + meta('navy', DARK), '#008080', '#008080'],
  [meta('navy', ' media="(prefers-color-scheme:light)"'), '#000080', null],
  [meta('navy', ' media="(min-width: 400px)"') + meta('teal'), '#008080', '#008080'],
  [meta('nonsense') + meta('navy'), '#000080', '#000080'],
  [`<template>${meta('navy')}</template><!-- ${meta('navy')} --><script>${meta('navy')}</script>`, null, null],
  [meta('navy;}body{display:none'), null, null],
  [meta('url(https://evil.example)'), null, null],
  [meta('rgba(0, 0, 0, 0.5)') + meta('transparent'), null, null],
  [meta('#0b57d'), null, null],
  [meta(`#${'0'.repeat(100)}`), null, null],
  ['<meta name="theme-color">', null, null],
  ['<meta content="navy">', null, null],
])('reads the colours of %s', (html, color, darkColor) => {
  expect(read(html)).toEqual({ title: null, color, darkColor });
});

it('reads for which screens a tag is in linear time', () => {
  const spaces = ' '.repeat(1_000_000);
  expect(schemesOf(`${spaces}x`)).toEqual([]);
  expect(schemesOf(`${spaces}ALL${spaces}`)).toEqual(['light', 'dark']);
});
