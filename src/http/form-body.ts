import { isUtf8 } from 'node:buffer';
import { hexDigit, readJsonObject, unescapedBytes } from '../json-text.ts';
import { HttpError } from './errors.ts';

/** A submission as it is stored: the text of a JSON object, and whether `_hp`, the trap for robots, was filled in. */
export type Submitted = { text: string; honeypot: boolean };

/** What a submission's data says of a file: where it is asked for, as a path of the API; `size` in bytes. */
export type FileValue = { filename: string; content_type: string; size: number; url: string };

/** A name and its value, both literal: `a[b]` is only a name. */
export type Field = readonly [name: string, value: string];

/** A field of a form that may have files. */
export type Entry = readonly [name: string, value: string | FileValue];

/** A field's place: its name from `start` to `equals`, its value after that up to `end`. */
type Span = { start: number; equals: number; end: number };

/**
 * Bytes of all names and values (of a JSON body: of its text, unescaped), filenames included; how many fields, files among
 * them; bytes of a file, and of all files.
 */
export type FormLimits = { maxBytes: number; maxFields: number; maxFileBytes: number; maxFilesBytes: number };

const MAX_JSON_DEPTH = 100;
const HONEYPOT = '_hp';

const BOM = Buffer.from('\uFEFF');
const SPACE = 0x20;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const EQUALS = 0x3d;
const END_OF_FIELD = Buffer.from('&');

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, `The submission is too large: send at most ${maxBytes} bytes of names and values.`);

export const tooManyFields = (maxFields: number): HttpError =>
  new HttpError(413, `The submission has too many fields: send at most ${maxFields}.`);

/** The text of bytes that are UTF-8, a byte order mark included; 400 for any others. */
export function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError(400, 'The body is not valid UTF-8: send it in UTF-8.');
  return bytes.toString('utf8');
}

/** Reads a JSON body (RFC 8259): its text is kept as it came, without a leading byte order mark. */
export function readJson(body: Buffer, { maxBytes, maxFields }: FormLimits): Submitted {
  const json = body.subarray(0, BOM.length).equals(BOM) ? body.subarray(BOM.length) : body;
  if (json.length > maxBytes && unescapedBytes(json.toString('utf8')) > maxBytes) throw tooLarge(maxBytes);
  const text = utf8(json);
  const { members, problem } = readJsonObject(text, { maxDepth: MAX_JSON_DEPTH, maxMembers: maxFields });
  switch (problem) {
    case 'too many members':
      throw tooManyFields(maxFields);
    case 'too deep':
      throw new HttpError(400, `The JSON body is nested too deeply: send at most ${MAX_JSON_DEPTH} levels.`);
    case 'not an object':
      throw new HttpError(400, 'The JSON body is not an object: send a JSON object.');
    case 'malformed':
      throw new HttpError(400, 'The JSON body is malformed: send a JSON object.');
  }
  return { text, honeypot: members.some(({ name, value }) => name === HONEYPOT && !isEmptyJson(value)) };
}

/** Whether a JSON text, known to be valid, is null, `""` or a list of only those. */
function isEmptyJson(text: string): boolean {
  if (!text.startsWith('[')) return text === 'null' || text === '""';
  let at = 1;
  while (at < text.length - 1) {
    if (text.startsWith('null', at)) at += 4;
    else if (text.startsWith('""', at)) at += 2;
    else if (' ,\n\r\t'.includes(text.charAt(at))) at += 1;
    else return false;
  }
  return true;
}

/** Reads application/x-www-form-urlencoded (WHATWG URL, section 5.1), but that what is not UTF-8 is a 400. */
export function readUrlencoded(body: Buffer, { maxBytes, maxFields }: FormLimits): Submitted {
  const { decoded, spans, size } = decodeUrlencoded(body, maxFields);
  if (size > maxBytes) throw tooLarge(maxBytes);
  const text = utf8(decoded);
  // In ASCII, places in the bytes are places in the text.
  const ascii = text.length === decoded.length;
  const piece = (from: number, to: number) => (ascii ? text.slice(from, to) : decoded.toString('utf8', from, to));
  return writeFields(spans.map(({ start, equals, end }) => [piece(start, equals), piece(equals + 1, end)]));
}

/** The body decoded, where in it the fields are, and the bytes of their names and values together. */
function decodeUrlencoded(body: Buffer, maxFields: number): { decoded: Buffer; spans: Span[]; size: number } {
  // It is decoded in place, as nothing gets longer. `&` and `=` stay between the decoded pieces: no bytes of two can join
  // to one character, and one check does for all. One `&` more ends the last field.
  const decoded = Buffer.concat([body, END_OF_FIELD]);
  const spans: Span[] = [];
  let length = 0;
  let separators = 0;
  let start = 0;
  let equals = -1;
  for (let at = 0; at < decoded.length; at += 1) {
    let byte = decoded[at] ?? 0;
    if (byte === AMPERSAND) {
      if (length > start) spans.push({ start, equals: equals === -1 ? length : equals, end: length });
      if (spans.length > maxFields) throw tooManyFields(maxFields);
      separators += 1;
      start = length + 1;
      equals = -1;
    } else if (byte === EQUALS && equals === -1) {
      separators += 1;
      equals = length;
    } else if (byte === PLUS) {
      byte = SPACE;
    } else if (byte === PERCENT) {
      const high = hexDigit(decoded[at + 1] ?? 0);
      const low = high === -1 ? -1 : hexDigit(decoded[at + 2] ?? 0);
      if (low !== -1) {
        byte = high * 16 + low;
        at += 2;
      }
    }
    decoded[length] = byte;
    length += 1;
  }
  return { decoded: decoded.subarray(0, length), spans, size: length - separators };
}

/** Writes a form's fields as a JSON object: a name that repeats has a list, at the place where it came first. */
export function writeFields(fields: readonly Entry[]): Submitted {
  const byName = new Map<string, Entry[1] | Entry[1][]>();
  let honeypot = false;
  for (const [name, value] of fields) {
    const before = byName.get(name);
    if (before === undefined) byName.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else byName.set(name, [before, value]);
    if (name === HONEYPOT && value !== '') honeypot = true;
  }
  // Member by member: an object would put `10` after `2`, and lose `__proto__`.
  let members = '';
  for (const [name, value] of byName) {
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return { text: `{${members}}`, honeypot };
}
