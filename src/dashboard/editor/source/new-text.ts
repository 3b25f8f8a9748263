import { decodeHTML, decodeHTMLAttribute } from 'entities';
import type { Edit } from './source-edits.ts';

/** How HTML spells a text at some place: between tags, or in an attribute with these quotes. */
export type Spelling = { isText: true } | { isText: false; quote: '"' | "'" };

export const TEXT: Spelling = { isText: true };

const LINE_END = /\r\n?/g;
/** A character reference with all that could belong to it, or another part that is read as something else. */
const SPECIAL = /&(?:(?:#[xX]?[0-9a-fA-F]+|[a-zA-Z0-9]+);?=?)?|\r\n?|\0/g;

/** Returns what a browser reads from a part of the HTML: line breaks are one character, and NUL is none between tags. */
export function readText(raw: string, spelling: Spelling): string {
  const text = raw.replaceAll(LINE_END, '\n');
  return spelling.isText ? decodeHTML(text.replaceAll('\0', '')) : decodeHTMLAttribute(text.replaceAll('\0', '\ufffd'));
}

/** Returns the HTML for a text. A line break is that of the page. */
export function spell(text: string, spelling: Spelling, lineEnd: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('\r', '&#13;').replaceAll('\n', lineEnd);
  if (spelling.isText) return escaped.replaceAll('<', '&lt;');
  return spelling.quote === '"' ? escaped.replaceAll('"', '&quot;') : escaped.replaceAll("'", '&#39;');
}

/** Returns a text that HTML can have: without NUL, and without halves of characters. */
export const possibleText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** A part of the HTML that is read as something else. */
type Special = { from: number; to: number; text: string };

/** How many characters at the beginning of some HTML and of a text are the same: `raw` in the HTML, `text` in the text. */
function sharedStart(html: string, specials: readonly Special[], text: string): { raw: number; text: number } {
  let [at, length, index] = [0, 0, 0];
  while (at < html.length) {
    const special = specials[index];
    if (special?.from === at) {
      if (!text.startsWith(special.text, length)) break;
      at = special.to;
      length += special.text.length;
      index += 1;
    } else if (html[at] === text[length]) {
      at += 1;
      length += 1;
    } else break;
  }
  const isHalf = /[\ud800-\udbff]/.test(html.charAt(at - 1));
  return isHalf ? { raw: at - 1, text: length - 1 } : { raw: at, text: length };
}

/** The same for the ends, without what the beginnings share. */
function sharedEnd(
  html: string,
  specials: readonly Special[],
  text: string,
  start: { raw: number; text: number },
): { raw: number; text: number } {
  let [at, length, index] = [html.length, text.length, specials.length - 1];
  while (at > start.raw) {
    const special = specials[index];
    if (special?.to === at) {
      if (special.text.length > length - start.text || !text.endsWith(special.text, length)) break;
      at = special.from;
      length -= special.text.length;
      index -= 1;
    } else if (length > start.text && html[at - 1] === text[length - 1]) {
      at -= 1;
      length -= 1;
    } else break;
  }
  const isHalf = /[\udc00-\udfff]/.test(html.charAt(at));
  return isHalf ? { raw: at + 1, text: length + 1 } : { raw: at, text: length };
}

/**
 * Returns the edit after which a part of the HTML is read as another text. Only the characters that differ are written anew: all
 * others keep their spelling.
 */
export function changeText(
  html: string,
  { from, to }: { from: number; to: number },
  text: string,
  spelling: Spelling,
): Edit[] {
  const raw = html.slice(from, to);
  if (readText(raw, spelling) === text) return [];
  const lineEnd = html.includes('\r\n') ? '\r\n' : '\n';
  const specials = Array.from(raw.matchAll(SPECIAL), ({ 0: special, index }) => ({
    ...{ from: index, to: index + special.length, text: readText(special, spelling) },
  }));
  const start = sharedStart(raw, specials, text);
  const end = sharedEnd(raw, specials, text, start);
  const middle = spell(text.slice(start.text, end.text), spelling, lineEnd);
  // A `<` that stood alone would begin a tag with its new neighbour.
  if (spelling.isText && raw[start.raw - 1] === '<' && /^[a-z/!?]/i.test(middle + raw.slice(end.raw))) {
    return [{ from: from + start.raw - 1, to: from + end.raw, text: `&lt;${middle}` }];
  }
  // An `&` that stood alone can become a reference together with its new neighbours.
  const result = raw.slice(0, start.raw) + middle + raw.slice(end.raw);
  if (readText(result, spelling) !== text) return [{ from, to, text: spell(text, spelling, lineEnd) }];
  return [{ from: from + start.raw, to: from + end.raw, text: middle }];
}
