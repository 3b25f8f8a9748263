import { isUtf8 } from 'node:buffer';
import { attribute, type HtmlElement, startOf } from '../../forms/html-tree.ts';
import type { Found } from './answer.ts';
import { shown } from './field-problems.ts';

/*
 * The charsets that a page declares for itself and for its forms. The service sends pages as UTF-8, and reads forms so.
 */

const UTF8 = 'utf-8';
/** Characters of a list of charsets that are read. */
const MAX_CHARS = 1_000;

/** The name that the standard has for a charset; undefined: it has none (Encoding standard). */
function charsetOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The charset that a form is sent in, where its `accept-charset` names another one than UTF-8. */
export function legacyCharsetOf(form: HtmlElement): string | undefined {
  const labels = (attribute(form, 'accept-charset') ?? '').slice(0, MAX_CHARS).split(/[\s,]+/);
  const charset = labels.map(charsetOf).find((found) => found !== undefined);
  // Browsers send UTF-8 in place of UTF-16.
  return charset === undefined || charset === UTF8 || charset.startsWith('utf-16') ? undefined : charset;
}

/** The charset that a <meta> declares; undefined: it declares none. */
function declaredBy(meta: HtmlElement): string | undefined {
  const charset = attribute(meta, 'charset');
  if (charset !== undefined) return charset.slice(0, MAX_CHARS).trim();
  if (!/^content-type$/i.test(attribute(meta, 'http-equiv') ?? '')) return undefined;
  return /charset\s{0,9}=\s{0,9}["']?\s{0,9}([^\s"';]+)/i.exec(
    (attribute(meta, 'content') ?? '').slice(0, MAX_CHARS),
  )?.[1];
}

/** The charset of an XML declaration at the beginning. */
const XML = /^\s{0,9}<\?xml\s[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/i;

const isOther = (label: string | undefined): label is string =>
  label !== undefined && /^[\w.:()-]{1,40}$/.test(label) && charsetOf(label) !== UTF8;

export function* problemsOfCharset(bytes: Uint8Array, html: string, metas: readonly HtmlElement[]): Generator<Found> {
  const code = 'not-utf-8';
  if (!isUtf8(bytes)) {
    const message =
      'The page is not UTF-8, so that visitors see wrong letters: save it as UTF-8, and publish it again.';
    yield { code, severity: 'error', message, at: 0 };
  }
  const report = (label: string, write: string, at: number): Found => {
    const message = `The page says that it is ${shown(label)}, and is sent as UTF-8: save it as UTF-8, and write ${write}.`;
    return { code, severity: 'warning', message, at };
  };
  const label = XML.exec(html)?.[1];
  if (isOther(label)) yield report(label, 'encoding="utf-8"', 0);
  for (const meta of metas) {
    const declared = declaredBy(meta);
    if (isOther(declared)) yield report(declared, '<meta charset="utf-8">', startOf(meta));
  }
}
