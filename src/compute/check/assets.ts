import type { ReadAddress } from './addresses.ts';
import { attribute, endOf, type HtmlElement, isHtml, startOf } from './html-tree.ts';
import type { PageParts } from './read-page.ts';
import { isJavaScript } from './scripts.ts';
import { sourceTextOf } from './texts.ts';

/*
 * What a browser loads for a page: the URLs in attributes and in styles.
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
/** What a <link> loads. The others only name an address. */
const LOADING =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon(?:-precomposed)?|mask-icon|manifest|preload|modulepreload)(?:\s|$)/i;
const SVG_IMAGES = new Set(['image', 'use', 'feImage']);

/** The URLs of a `srcset` ("parse a srcset attribute" in the standard). */
function* candidatesOf(srcset: string): Generator<string> {
  const url = /[\s,]*([^\s]+)/y;
  let at = 0;
  for (;;) {
    url.lastIndex = at;
    const [whole = '', found] = url.exec(srcset) ?? [];
    if (found === undefined) return;
    at += whole.length;
    const clean = found.replace(/,+$/, '');
    if (clean !== '') yield clean;
    if (clean.length < found.length) continue;
    // Descriptors: up to a comma that is in no parentheses.
    for (let depth = 0; at < srcset.length; at += 1) {
      const character = srcset[at];
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      else if (character === ',' && depth <= 0) break;
    }
  }
}

const STYLE_PART = /\/\*|["']|url\(\s*|@import\s*|@namespace\b[^;{}]*/gi;

/** The URLs in a style sheet, each with its index. Every character is read at most twice. */
function* urlsOfStyle(style: string): Generator<Asset> {
  const part = new RegExp(STYLE_PART);
  let isImport = false;
  for (let found = part.exec(style); found; found = part.exec(style)) {
    const [token] = found;
    const at = part.lastIndex;
    if (token === '/*') {
      const end = style.indexOf('*/', at);
      if (end === -1) return;
      part.lastIndex = end + 2;
      continue;
    }
    if (token.startsWith('@')) {
      // The URL of a namespace is a name, and is not loaded.
      isImport = /^@import/i.test(token);
      continue;
    }
    const isUrl = token.length > 1;
    const quote = isUrl ? style.charAt(at) : token;
    const isQuoted = quote === '"' || quote === "'";
    const from = isUrl && isQuoted ? at + 1 : at;
    const end = isQuoted ? endOfString(style, from, quote) : style.indexOf(')', at);
    if (end === -1) return;
    if (isUrl || isImport) yield { url: style.slice(from, end).trim(), at: found.index };
    isImport = false;
    part.lastIndex = end + 1;
  }
}

/** Where a string of CSS ends: at its quote, or at the end of its line; -1 at the end of the style. */
function endOfString(style: string, from: number, quote: string): number {
  for (let at = from; at < style.length; at += 1) {
    const character = style[at];
    if (character === '\\') at += 1;
    else if (character === quote || character === '\n') return at;
  }
  return -1;
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
export function faultOf(
  url: string,
  { resolve, isMissing, isOfService }: ReadAddress,
): 'relative' | 'insecure' | undefined {
  if (url.trim() === '') return undefined;
  const resolved = resolve(url);
  if (!resolved || !/^https?:$/.test(resolved.protocol)) return undefined;
  if (isMissing(resolved)) return 'relative';
  const isInsecure = resolved.protocol === 'http:' && !isOfService(resolved) && !isLocal(resolved.hostname);
  return isInsecure ? 'insecure' : undefined;
}

const isLocal = (hostname: string): boolean => /^(?:localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
