import type { Labels } from '../../forms/forms-of-page.ts';
import { fieldsForPeople, valuesOf } from '../../forms/shown-fields.ts';
import { inBytes } from '../../lib/byte-size.ts';
import { escapeHtml } from '../../lib/html.ts';
import { SIZES } from '../../sizes.ts';

/** Less of a value is not worth showing. It is `maxValueChars`, halved several times. */
const MIN_VALUE_CHARS = 312;

/*
 * Lays submitted data out for people: a line for each field and each file. What would make a mail too large is left out.
 */

const CUT = '…';

/** `file`: the URL of a file, whose name is the value, and its size. */
type Line = { name: string; value: string; file?: { url: string; size: string } };

/** Both parts of a mail show the same. `bytes`: of the HTML. `isCut`: there is more. */
export type MailFields = {
  count: number;
  text: string;
  html: string;
  bytes: number;
  isCut: boolean;
  hasFiles: boolean;
};

/** The URL of a file by its path in the API; undefined when the path is not that of a file of this submission. */
type FileUrl = (path: string) => string | undefined;

/**
 * The fields whose names don't begin with `_`, without control fields, in at most `maxBytes` of HTML. A field for
 * Reply-To is shown. `data`: JSON text of an object, known to be valid. `id`: of the submission.
 */
export function layOutFields(
  { id, data }: { id: string; data: string },
  fileUrl: FileUrl,
  labels: Labels,
  maxBytes = SIZES.mail.maxFieldsBytes,
): MailFields {
  const members = fieldsForPeople({ id, data }, labels).filter(
    ({ name, control }) => control !== undefined || !name.startsWith('_'),
  );
  const text: string[] = [];
  const html: string[] = [];
  let left = maxBytes;
  let isCut = false;
  let hasFiles = false;
  for (const line of members.flatMap((member) => linesOf(member, fileUrl))) {
    const rendered = renderWithin(line, left);
    isCut ||= rendered?.isCut ?? true;
    if (!rendered) break;
    left -= rendered.bytes;
    hasFiles ||= line.file !== undefined;
    text.push(rendered.text);
    html.push(rendered.html);
  }
  return { count: members.length, text: text.join('\n'), html: html.join(''), bytes: maxBytes - left, isCut, hasFiles };
}

/** A field is one line, and one for each of its values where some of them are files. */
const linesOf = ({ label: name, value: json }: { label: string; value: string }, fileUrl: FileUrl): Line[] =>
  valuesOf(json, (path) => fileUrl(path) !== undefined).map(({ value, file }) => {
    const url = file && fileUrl(file.path);
    return url === undefined ? { name, value } : { name, value, file: { url, size: inBytes(file?.bytes ?? 0) } };
  });

/** A line in at most `left` bytes of HTML, with less of its value if need be; undefined when there is no space for it. */
function renderWithin(
  line: Line,
  left: number,
): { text: string; html: string; bytes: number; isCut: boolean } | undefined {
  const { maxNameChars, maxValueChars } = SIZES.mail;
  for (let chars: number = maxValueChars; chars >= MIN_VALUE_CHARS; chars /= 2) {
    const shown = { ...line, name: cut(line.name, maxNameChars), value: cut(line.value, chars) };
    const html = htmlLine(shown);
    const bytes = Buffer.byteLength(html);
    const isCut = line.name.length > maxNameChars || line.value.length > chars;
    if (bytes <= left) return { text: textLine(shown), html, bytes, isCut };
  }
  return undefined;
}

/** A text of at most `length` UTF-16 units, and an ellipsis when there is more, made ready for mail software. */
function cut(text: string, length: number): string {
  if (text.length <= length) return printable(text);
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return printable(text.slice(0, end)) + CUT;
}

/** The lines after the first are indented, so that they can't look like other fields. */
function textLine({ name, value, file }: Line): string {
  const shown = file ? `${value} (${file.size})\n${file.url}` : value;
  return `${name}: ${shown}`.replaceAll('\n', '\n    ').trimEnd();
}

function htmlLine({ name, value, file }: Line): string {
  const text = htmlText(value);
  const shown = file ? `<a dir="auto" href="${escapeHtml(file.url)}">${text}</a> (${file.size})` : text;
  return `<div style="margin:12px 0 0"><b dir="auto">${htmlText(name)}</b><div dir="auto">${shown}</div></div>`;
}

/** Line breaks are elements, because Outlook has no `white-space: pre-wrap`. */
const htmlText = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>');

/**
 * Text for mail software: every line break is a line feed; no other control characters except tabs, no lone surrogates,
 * and nothing that shows the letters of a text in another order (U+202D and U+202E), such as the name of a file.
 */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n|[\u2028\u2029]/g, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\u202d\u202e]/gu, '\uFFFD');
