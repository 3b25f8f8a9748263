import type { Header } from '../../db/deliveries/webhook-queries.ts';
import { escapeHtml } from '../../lib/html.ts';

/*
 * Hides the values of an owner's headers in what a receiver has answered: some return the request, and the log of attempts is shown to
 * those who may not see the values.
 */

const HIDDEN = '[hidden]';
/** A shorter text is hidden only where it is a word of its own: it may be a part of any other. */
const MIN_CHARS_ANYWHERE = 8;
/** The bytes of a character in the longest of the spellings. */
export const MAX_SPELLED_BYTES = '\\u00e9'.length;

/** The secrets of a value: the value, and what follows the name of a scheme (RFC 9110, 11.4), also as `Basic` encodes it. */
function secretsIn(value: string): string[] {
  const [, scheme = '', credentials = ''] = /^([\w-]+)[\t ]+(.+)$/.exec(value) ?? [];
  if (!/^basic$/i.test(scheme)) return [value, credentials];
  const login = Buffer.from(credentials, 'base64').toString();
  return [value, credentials, login, login.slice(login.indexOf(':') + 1)];
}

const escapedBeyondAscii = (json: string): string =>
  json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text as programs write it that return a request: in JSON, HTML or an address, and its bytes read as UTF-8. */
function spellingsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const slashed = json.replaceAll('/', '\\/');
  const asUtf8 = Buffer.from(text, 'latin1').toString();
  const escaped = [json, slashed].flatMap((one) => [one, escapedBeyondAscii(one)]);
  return [text, asUtf8, ...escaped, escapeHtml(text), encodeURIComponent(text.toWellFormed())];
}

/** Returns the text with the values of headers hidden. */
export function hideHeaders(text: string, headers: readonly Header[]): string {
  const spellings = new Set(headers.flatMap(([, value]) => secretsIn(value)).flatMap(spellingsOf));
  let shown = text;
  // A longer one may have a shorter one in it.
  for (const spelling of [...spellings].toSorted((one, other) => other.length - one.length)) {
    if (spelling.length >= MIN_CHARS_ANYWHERE) shown = shown.replaceAll(spelling, () => HIDDEN);
    else if (spelling !== '') shown = shown.replaceAll(wordOf(spelling), () => HIDDEN);
  }
  return shown;
}

function wordOf(text: string): RegExp {
  const escaped = Array.from(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join('');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'gu');
}
