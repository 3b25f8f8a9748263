import { attribute, endOf, type HtmlElement, isHtml, startOf } from '../../forms/html-tree.ts';
import { sourceTextOf } from '../../forms/page-texts.ts';
import type { AddressReader } from './addresses.ts';
import type { PageParts } from './read-page.ts';
import { isJavaScript } from './scripts.ts';

/*
 * The files that a browser loads for a page: the URLs in attributes and in styles.
 */

/** `at`: an index of the source. */
export type Asset = { url: string; at: number };

const SOURCES: ReadonlyMap<string, readonly string[]> = new Map([
  ['img', ['src']],
  ['source', ['src']],
  ['video', ['src', 'poster']],
  ['audio', ['src']],
  ['track', ['src']],
  ['embed', ['src']],
  ['iframe', ['src']],
  ['object', ['data']],
]);
const SOURCE_SETS: ReadonlyMap<string, string> = new Map([
  ['img', 'srcset'],
  ['source', 'srcset'],
  ['link', 'imagesrcset'],
]);
/** The kinds of <link> that load a file. The others only name an address. */
const LOADING =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon(?:-precomposed)?|mask-icon|manifest|preload|modulepreload)(?:\s|$)/i;
const SVG_IMAGES = new Set(['image', 'use', 'feImage']);

/** A URL of a `srcset`, and its descriptors up to a comma that is in no parentheses ("parse a srcset attribute" in the standard). */
const CANDIDATE = /[\s,]*(\S+)(?:(?<!,)(?:\([^)]*\)?|[^,(])*)?/g;

const candidatesOf = (srcset: string): string[] =>
  Array.from(srcset.matchAll(CANDIDATE), ([, url = '']) => url.replace(/,+$/, '')).filter((url) => url !== '');

/**
 * The tokens of a style sheet that matter here: comments, namespaces, whose URL is a name, URLs, and other strings. A string ends at
 * a line break that has no backslash before it. Every character is read at most three times.
 */
const STYLE_TOKEN =
  /\/\*[\s\S]*?(?:\*\/|$)|@namespace\b[^;{}]*|(?:@import\s*(?=["'])|url\(\s*)(?:"((?:\\(?:[0-9a-f]{1,6}(?:\r\n|\s)?|\r\n|[\s\S])|[^"\\\n\r\f])*)"?|'((?:\\(?:[0-9a-f]{1,6}(?:\r\n|\s)?|\r\n|[\s\S])|[^'\\\n\r\f])*)'?|((?:\\[\s\S]|[^)\\])*))|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/gi;

/** An escape of CSS: up to six hex digits with a space behind them, a line break, or any other character. */
const STYLE_ESCAPE = /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([\s\S]))/gi;

/** The text that escapes of CSS stand for ("consume an escaped code point" in CSS Syntax). */
const unescaped = (text: string): string =>
  text.replaceAll(STYLE_ESCAPE, (_, hex: string | undefined, lineBreak: string | undefined, other: string) => {
    if (lineBreak !== undefined) return '';
    if (hex === undefined) return other;
    const code = Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
  });

/** The URLs in a style sheet, each with its index. */
function* urlsOfStyle(style: string): Generator<Asset> {
  for (const { 1: double, 2: single, 3: bare, index } of style.matchAll(STYLE_TOKEN)) {
    const url = unescaped(double ?? single ?? bare ?? '').trim();
    if (url !== '') yield { url, at: index };
  }
}

function* attributesOf(element: HtmlElement): Generator<string> {
  const value = (name: string): string[] => {
    const found = attribute(element, name);
    return found === undefined ? [] : [found];
  };
  if (!isHtml(element)) {
    if (SVG_IMAGES.has(element.tagName)) yield* value('href');
    return;
  }
  if (element.tagName === 'script' && isJavaScript(element)) yield* value('src');
  if (element.tagName === 'link') {
    if (!LOADING.test((attribute(element, 'rel') ?? '').slice(0, 1_000))) return;
    yield* value('href');
  }
  if (element.tagName === 'input' && /^image$/i.test(attribute(element, 'type') ?? '')) yield* value('src');
  for (const name of SOURCES.get(element.tagName) ?? []) yield* value(name);
  const set = attribute(element, SOURCE_SETS.get(element.tagName) ?? '');
  if (set !== undefined) yield* candidatesOf(set);
}

/** Everything that a page loads. */
export function* assetsOf(html: string, { elements, styles }: PageParts): Generator<Asset> {
  for (const element of elements) {
    for (const url of attributesOf(element)) yield { url, at: startOf(element) };
    const style = attribute(element, 'style');
    if (style !== undefined) for (const { url } of urlsOfStyle(style)) yield { url, at: startOf(element) };
  }
  for (const style of styles) {
    for (const { url, at } of urlsOfStyle(sourceTextOf(html, style))) yield { url, at: endOf(style) + at };
  }
}

/** Why a browser does not load an asset; undefined: it does, or it can't be known. */
export function faultOf(url: string, address: AddressReader): 'missing' | 'insecure' | undefined {
  if (url.trim() === '') return undefined;
  const resolved = address.resolve(url);
  if (!resolved || !/^https?:$/.test(resolved.protocol)) return undefined;
  if (address.isMissing(resolved)) return 'missing';
  const isInsecure = resolved.protocol === 'http:' && !address.isOfService(resolved) && !isLocal(resolved.hostname);
  return isInsecure ? 'insecure' : undefined;
}

const isLocal = (hostname: string): boolean => /^(?:localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
