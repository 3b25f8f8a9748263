import type { Labels } from '../../db/deployments/labels.ts';
import { inBytes } from '../../lib/byte-size.ts';
import { controlsOf } from '../../lib/control-fields.ts';
import { escapeHtml } from '../../lib/html.ts';
import { type JsonMember, readJsonList, readJsonObject, unquote } from '../../lib/json-text.ts';
import { SIZES } from '../../sizes.ts';

/** Less of a value is not worth showing. It is `maxValueChars`, halved several times. */
const MIN_VALUE_CHARS = 312;
/** Levels of objects and lists that are shown. */
const MAX_LEVELS = 6;
/** A list of texts is one line up to this many UTF-16 units, and items. */
const MAX_LIST_CHARS = 200;

/*
 * Lays submitted data out for people: a line for each value, those of objects and lists indented. What would make a
 * mail too large is left out.
 */

const CUT = '…';

/** One value. `level` is 0 for a field, and 1 for what it contains. */
type Line = {
  level: number;
  /** The first line of an item in a list, or one of its further lines. */
  item: 'first' | 'further' | undefined;
  /** undefined for an item of a list. */
  name: string | undefined;
  /** undefined: what it contains follows in lines of its own. */
  value: string | undefined;
  /** The URL of a file, whose name is the value, and its size. */
  file?: { url: string; size: string };
  isCut?: boolean;
};

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
 * Reply-To is shown. `data`: JSON text of an object, known to be valid.
 */
export function layOutFields(
  data: string,
  fileUrl: FileUrl,
  labels: Labels,
  maxBytes = SIZES.mail.maxFieldsBytes,
): MailFields {
  const { members: all } = readJsonObject(data);
  const controlOf = controlsOf(all.map(({ name }) => name));
  const members = all.flatMap(({ name, value }) => {
    const label = labels.get(name)?.replace(/:$/, '');
    const control = controlOf(name);
    if (control === 'reply-to') return [{ name: label ?? 'Reply-To', value }];
    return control === undefined && !name.startsWith('_') ? [{ name: label ?? name, value }] : [];
  });
  const text: string[] = [];
  const html: string[] = [];
  let left = maxBytes;
  let isCut = false;
  let hasFiles = false;
  for (const line of linesOf(members, { level: 0, item: undefined }, fileUrl)) {
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

type Position = Pick<Line, 'level' | 'item'>;

function* linesOf(members: readonly JsonMember[], { level, item }: Position, fileUrl: FileUrl): Generator<Line> {
  for (const [at, { name, value }] of members.entries()) {
    const position = { level, item: item === 'first' && at > 0 ? 'further' : item } as const;
    yield* valueLines(name, value, position, fileUrl);
  }
}

function* valueLines(name: string | undefined, json: string, position: Position, fileUrl: FileUrl): Generator<Line> {
  const { level } = position;
  const line = { ...position, name };
  if (!/^[[{]/.test(json)) {
    yield { ...line, value: scalar(json) };
    return;
  }
  if (json.startsWith('[')) {
    const items = readJsonList(json);
    const list = inOneLine(items);
    if (list !== undefined) yield { ...line, value: list };
    else if (level === MAX_LEVELS) yield { ...line, value: CUT, isCut: true };
    else {
      // An item that is a list itself has no name, and begins with its own first item.
      if (name !== undefined || position.item !== undefined) yield { ...line, value: undefined };
      for (const item of items) yield* itemLines(item, level + 1, fileUrl);
    }
    return;
  }
  const { members } = readJsonObject(json);
  const file = fileOf(members, fileUrl);
  if (file) yield { ...line, value: file.name, file };
  else if (members.length === 0) yield { ...line, value: '' };
  else if (level === MAX_LEVELS) yield { ...line, value: CUT, isCut: true };
  else {
    yield { ...line, value: undefined };
    yield* linesOf(members, { level: level + 1, item: undefined }, fileUrl);
  }
}

function* itemLines(json: string, level: number, fileUrl: FileUrl): Generator<Line> {
  const position = { level, item: 'first' } as const;
  const members = json.startsWith('{') ? readJsonObject(json).members : [];
  if (members.length === 0 || fileOf(members, fileUrl)) yield* valueLines(undefined, json, position, fileUrl);
  else yield* linesOf(members, position, fileUrl);
}

const scalar = (json: string): string => (json.startsWith('"') ? unquote(json) : json);

/** Items separated by commas, where nobody can mistake the comma of an item for one between two. */
function inOneLine(items: readonly string[]): string | undefined {
  // Before the items are read: there may be very many.
  if (items.length > MAX_LIST_CHARS || items.some((item) => /^[[{]/.test(item))) return undefined;
  const texts = items.map(scalar);
  const isShort = texts.reduce((sum, text) => sum + text.length, 0) <= MAX_LIST_CHARS;
  if (texts.length > 1 && (!isShort || texts.some((text) => /[,\n\r\u2028\u2029]/.test(text)))) return undefined;
  return texts.join(', ');
}

/** A file that was submitted, whose value the service has made: an object that looks like one has no such URL. */
function fileOf(
  members: readonly JsonMember[],
  fileUrl: FileUrl,
): { name: string; url: string; size: string } | undefined {
  const [filename, , size, path] = members;
  if (members.length !== 4 || filename?.name !== 'filename' || size?.name !== 'size' || path?.name !== 'url') {
    return undefined;
  }
  const url = fileUrl(scalar(path.value));
  return url === undefined
    ? undefined
    : { name: scalar(filename.value) || 'file', url, size: inBytes(Number(size.value)) };
}

/** A line in at most `left` bytes of HTML, with less of its value if need be; undefined when there is no space for it. */
function renderWithin(
  line: Line,
  left: number,
): { text: string; html: string; bytes: number; isCut: boolean } | undefined {
  const { name, value = '', isCut = false } = line;
  const isNameCut = name !== undefined && name.length > SIZES.mail.maxNameChars;
  for (let chars = SIZES.mail.maxValueChars; chars >= MIN_VALUE_CHARS; chars /= 2) {
    const shown = {
      ...line,
      name: name === undefined ? undefined : cut(name, SIZES.mail.maxNameChars),
      value: line.value === undefined ? undefined : cut(value, chars),
    };
    const html = htmlLine(shown);
    const bytes = Buffer.byteLength(html);
    if (bytes <= left) return { text: textLine(shown), html, bytes, isCut: isCut || isNameCut || value.length > chars };
  }
  return undefined;
}

/** A text of at most `length` UTF-16 units, and an ellipsis when there is more, made ready for mail software. */
function cut(text: string, length: number): string {
  if (text.length <= length) return printable(text);
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return printable(text.slice(0, end)) + CUT;
}

const MARKERS = { first: '- ', further: '  ' } as const;
const marker = ({ item }: Line): string => (item === undefined ? '' : MARKERS[item]);

/** The lines after the first are indented, so that they can't look like other fields. */
function textLine(line: Line): string {
  const { level, name, value, file } = line;
  const indent = '    '.repeat(level) + marker(line);
  const shown = file ? `${value} (${file.size})\n${file.url}` : value;
  const label = name === undefined ? '' : `${name}:`;
  const text = [label, shown ?? ''].filter((part) => part !== '').join(' ');
  const further = `\n${'    '.repeat(level + 1)}${' '.repeat(marker(line).length)}`;
  return (indent + text.replaceAll('\n', further)).trimEnd();
}

function htmlLine(line: Line): string {
  const { level, name, value, file } = line;
  const label = name === undefined ? '' : `<b dir="auto">${htmlText(name)}${level > 0 ? ':' : ''}</b>`;
  const text = htmlText(value ?? '');
  const shown = file ? `<a dir="auto" href="${escapeHtml(file.url)}">${text}</a> (${file.size})` : text;
  if (level === 0)
    return `<div style="margin:12px 0 0">${label}${value === undefined ? '' : `<div dir="auto">${shown}</div>`}</div>`;
  const content = [label, shown === '' ? '' : `<span dir="auto">${shown}</span>`]
    .filter((part) => part !== '')
    .join(' ');
  return `<div style="margin:4px 0 0 ${level * 20}px">${marker(line)}${content}</div>`;
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
