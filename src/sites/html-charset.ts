/*
 * Reads a file of HTML in the charset that it is in, as browsers find it: by its byte order mark, or by what it declares.
 */

/** Characters at the beginning in which a declaration is looked for; browsers read fewer. */
const START_CHARS = 4_096;
const UTF8 = 'utf-8';

/** Comments, and the charset that a <meta> or an XML declaration names. */
const DECLARATION =
  /<!--[\s\S]*?-->|(<meta\s[^>]*?charset\s*=\s*["']?\s*|^\s*<\?xml\s[^>]*?encoding\s*=\s*["'])([\w.:-]+)/gi;

/** The standard's name of a charset; undefined: browsers don't know it. */
function charsetOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The charset of UTF-16, with a byte order mark or as the first character of HTML shows it. */
function utf16Of([first, second]: Uint8Array): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return undefined;
}

function declaredIn(start: string): string | undefined {
  for (const [, , label] of start.matchAll(DECLARATION)) if (label !== undefined) return charsetOf(label);
  return undefined;
}

/** Returns HTML whose declarations name UTF-8, in which it is sent. */
const declaringUtf8 = (html: string): string =>
  html
    .slice(0, START_CHARS)
    .replaceAll(DECLARATION, (found, before?: string) => (before === undefined ? found : before + UTF8)) +
  html.slice(START_CHARS);

/**
 * Returns the text of an HTML file. `charset`: the one from which it was converted, where it was not UTF-8. undefined: it is not
 * UTF-8, and neither says what it is nor is what it says.
 */
export function readHtmlBytes(bytes: Uint8Array): { html: string; charset: string | undefined } | undefined {
  const utf16 = utf16Of(bytes);
  const utf8 = utf16 === undefined ? decode(bytes, UTF8) : undefined;
  if (utf8 !== undefined) return { html: utf8, charset: undefined };
  const charset = utf16 ?? declaredIn(new TextDecoder('latin1').decode(bytes.subarray(0, START_CHARS)));
  const html = charset === undefined || charset === UTF8 ? undefined : decode(bytes, charset);
  return html === undefined ? undefined : { html: declaringUtf8(html), charset };
}
