import { SIZES } from '../sizes.ts';

/** The languages of the pages that visitors see, by their codes (ISO 639-1). */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr', 'ja', 'zh', 'ar'] as const;

export type Language = (typeof LANGUAGES)[number];

/** A code as a language; undefined when it is none of them. */
export const toLanguage = (code: string | null | undefined): Language | undefined =>
  LANGUAGES.find((language) => language === code);

// The parts that may precede <html>: a byte order mark, white space, comments, and the doctype.
const BEFORE_HTML = /\uFEFF|\s+|<!--(?:>|->|[\s\S]*?--!?>)|<[!?](?!--)[^>]*>/y;
const HTML = /<html(?=[\s/>])/iy;
const ATTRIBUTE = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/y;
const TAG = /^\s*([a-z]{2,3})(?:[-_]|\s*$)/i;

/** Where `pattern`, which is sticky, ends if it matches at `from`. */
function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * The primary subtag of the `lang` that a page gives its `<html>`, in lower case: `pt` for `pt-BR`. Reads the first
 * `SIZES.page.startBytes` bytes only, in linear time.
 */
export function langOf(html: Buffer): string | undefined {
  const text = html.toString('utf8', 0, SIZES.page.startBytes);
  let at = 0;
  for (let end = endOf(BEFORE_HTML, text, at); end !== undefined; end = endOf(BEFORE_HTML, text, at)) at = end;
  const tagEnd = endOf(HTML, text, at);
  if (tagEnd === undefined) return undefined;
  ATTRIBUTE.lastIndex = tagEnd;
  for (let found = ATTRIBUTE.exec(text); found; found = ATTRIBUTE.exec(text)) {
    const [, name = '', ...values] = found;
    if (name.toLowerCase() !== 'lang') continue;
    const value = values.find((quoted) => quoted !== undefined) ?? '';
    return TAG.exec(value)?.[1]?.toLowerCase();
  }
  return undefined;
}
