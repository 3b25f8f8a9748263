import { isUtf8 } from 'node:buffer';
import { hexDigit, readJsonObject, unescapedBytes } from '../../lib/json-text.ts';
import { SIZES } from '../../limits.ts';
import { HONEYPOT, isEmptyJson } from '../request/reserved-fields.ts';
import { HttpError } from '../response/errors.ts';

/** A parsed body: the text of a JSON object, which is stored, and whether the honeypot field was filled in. */
export type Submitted = {
  text: string;
  honeypot: boolean;
  /** Undefined for JSON. */
  form?: Form;
};

/** A file in a submission's data. `size` in bytes; `url`: the path of the API at which it is downloaded. */
export type FileValue = { filename: string; content_type: string; size: number; url: string };

/** A file as a form has sent it. `size` in bytes. An input for files that was left empty has the name `""` and no bytes. */
export type SentFile = { filename: string; size: number };

/** A name and its value, both literal: `a[b]` is a name like any other. A file has the value `""`. */
export type Field = readonly [name: string, value: string, file?: SentFile];

/** A field of a form that may have files. */
export type Entry = readonly [name: string, value: string | FileValue];

/** A form's fields, in order. */
export type Form = readonly Field[];

/** Whether it is a file, and not an input that was left empty. */
export const isChosen = ({ filename, size }: SentFile): boolean => filename !== '' || size > 0;

/** Positions of a field: its name is from `start` to `equals`, its value after that up to `end`. */
type Span = { start: number; equals: number; end: number };

/**
 * `maxBytes`: of all names, values and filenames together; of a JSON body, of its text unescaped. `maxFields`: files
 * included.
 */
export type FormLimits = { maxBytes: number; maxFields: number; maxFileBytes: number; maxFilesBytes: number };

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

/** Decodes UTF-8, and keeps a byte order mark. Throws 400 for other bytes. */
export function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError(400, 'The body is not valid UTF-8: send it in UTF-8.');
  return bytes.toString('utf8');
}

/** Reads a JSON body (RFC 8259). Its text is kept unchanged, except for a leading byte order mark. */
export function readJson(body: Buffer, { maxBytes, maxFields }: FormLimits): Submitted {
  const json = body.subarray(0, BOM.length).equals(BOM) ? body.subarray(BOM.length) : body;
  if (json.length > maxBytes && unescapedBytes(json.toString('utf8')) > maxBytes) throw tooLarge(maxBytes);
  const text = utf8(json);
  const { members, problem } = readJsonObject(text, { maxDepth: SIZES.submission.maxJsonDepth, maxMembers: maxFields });
  switch (problem) {
    case 'too many members':
      throw tooManyFields(maxFields);
    case 'too deep':
      throw new HttpError(
        400,
        `The JSON body is nested too deeply: send at most ${SIZES.submission.maxJsonDepth} levels.`,
      );
    case 'not an object':
      throw new HttpError(400, 'The JSON body is not an object: send a JSON object.');
    case 'malformed':
      throw new HttpError(400, 'The JSON body is malformed: send a JSON object.');
  }
  return { text, honeypot: members.some(({ name, value }) => name === HONEYPOT && !isEmptyJson(value)) };
}

/** Reads application/x-www-form-urlencoded (WHATWG URL, section 5.1). Throws 400 for what is not UTF-8. */
export function readUrlencoded(body: Buffer, { maxBytes, maxFields }: FormLimits): Submitted {
  const { decoded, spans, size } = decodeUrlencoded(body, maxFields);
  if (size > maxBytes) throw tooLarge(maxBytes);
  const text = utf8(decoded);
  // Positions in bytes are positions in the text when all of it is ASCII.
  const ascii = text.length === decoded.length;
  const piece = (from: number, to: number) => (ascii ? text.slice(from, to) : decoded.toString('utf8', from, to));
  const fields = spans.map(({ start, equals, end }): readonly [string, string] => [
    piece(start, equals),
    piece(equals + 1, end),
  ]);
  return { ...writeFields(fields), form: fields };
}

/** The decoded body, the positions of its fields, and `size`: the bytes of their names and values. */
function decodeUrlencoded(body: Buffer, maxFields: number): { decoded: Buffer; spans: Span[]; size: number } {
  // Decoded in place, since nothing gets longer. `&` and `=` stay between the decoded pieces, so that one check for
  // UTF-8 is enough: bytes of two pieces can't form one character. The added `&` ends the last field.
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

/** Writes a form's fields as a JSON object. A repeated name becomes a list, at the position of the first one. */
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
  // Not with JSON.stringify of an object, which would put `10` after `2`, and lose `__proto__`.
  let members = '';
  for (const [name, value] of byName) {
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return { text: `{${members}}`, honeypot };
}
