import { expect, it } from 'vitest';
import { isReserved, isSlug, proposeSlugs } from '../../src/sites/slugs.ts';

const isFree = (slug: string): boolean => isSlug(slug) && !isReserved(slug, ['shop']);

it.each(['b', 'bc', 'b-c', 'b--c', 'abc--d', 'a-b---c', 'b'.repeat(63), `${'b'.repeat(61)}-c`, 'apis'])(
  '%s is a slug',
  (slug) => expect(isFree(slug)).toBe(true),
);

it.each([
  ...['', '-', '-a', 'a-', 'A', '1', 'a1', 'a_b', 'a.b', 'a b', 'a\n', 'a\0', 'é', 'а', 'ａ', 'K', 'ſ', 'a/b', '😀'],
  ...['xn--a', 'ab--c', 'a---b', 'a'.repeat(64), `${'a'.repeat(62)}-`, '\ud800', 'www', 'abuse', 'shop'],
])('%j is none that is free', (slug) => expect(isFree(slug)).toBe(false));

it.each([
  ['<title>Grandma&#39;s Caf&eacute;: Pie &amp; Recipes</title>', /^grandmas-cafe-pie-and-recipes$/],
  ['<!doctype html><head><TITLE lang="en">\n  Summer\tParty\n</TITLE></head>', /^summer-party$/],
  ['<title>Bücherei 2024 (Öffnungszeiten)</title>', /cherei.*ffnungszeiten/],
  [`<title>Reunion ${'of friends '.repeat(50)}</title>`, /^reunion/],
  ['<title>Cats < Dogs</title>', /^cats-dogs$/],
  ['<!-- <title>Draft</title> --><title>Spring sale</title>', /^spring-sale$/],
  ['<script>"<title>"</script><svg><title>Logo</title></svg><title>Spring sale</title>', /^spring-sale$/],
  ['<template><p><template>a</template><title>Card</title></template><title>Spring sale</title>', /^spring-sale$/],
  ['<template shadowrootmode="open"><title>Card</title></template><TITLE>Spring sale</TITLE>', /^spring-sale$/],
  ['<svg class="a" /><title>Spring sale</title>', /^spring-sale$/],
  ['<svg><svg><title>A</title></svg><title>B</title></svg><title>Spring sale</title>', /^spring-sale$/],
])('proposes what the title of %s says', async (html, words) => {
  expect((await proposeSlugs(html, []))[0]).toMatch(words);
});

it.each([
  ['no title', '<p>x'],
  ['an empty title', '<title></title>'],
  ['a title without an end', '<title>'],
  ['digits', '<title>1 234 567</title>'],
  ['other scripts', '<title>🎉 Привет 你好 مرحبا</title>'],
  ['letters that are not ASCII', '<title>ſKıİ ﬀ ａｂｃ</title>'],
  ['a reserved title', '<title>Admin</title>'],
  ['what the operator reserves', '<title>Shop</title>'],
  ['a title with hyphens where an encoded name has them', '<title>ab--cd</title>'],
  ['hostile repetition', '<title '.repeat(250_000)],
  ['hostile comments', '<!--'.repeat(500_000)],
  ['hostile elements', '<svg></svg'.repeat(200_000)],
  ['hostile white space', `<title>${' '.repeat(2_000_000)}`],
])('proposes free slugs for %s', async (_case, html) => {
  const slugs = await proposeSlugs(html, ['shop']);
  expect(slugs.length).toBeGreaterThan(1);
  expect(slugs.filter((slug) => !isFree(slug))).toEqual([]);
});
