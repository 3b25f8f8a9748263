import { isUtf8 } from 'node:buffer';
import { hexDigit, readJsonObject, unescapedBytes } from '../json-text.ts';
import { HttpError } from './errors.ts';

/** A submission as it is stored: the text of a JSON object, and whether the trap for robots, `_hp`, was filled in. */
export type Submitted = { text: string; honeypot: boolean };

/** Bytes of names and values together (of a JSON body: its text, unescaped), fields, and bytes of files together. */
export type FormLimits = { maxBytes: number; maxFields: number; maxFileBytes: number };

/** A name and its value, both taken literally: `a[b]` is only a name. */
export type Field = readonly [name: string, value: string];

const HONEYPOT = '_hp';
const MAX_JSON_DEPTH = 100;

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

export const tooLarge = ({ maxBytes }: FormLimits): HttpError =>
  new HttpError(413, `The submission is too large: send at most ${maxBytes} bytes of names and values.`);
export const tooManyFields = ({ maxFields }: FormLimits): HttpError =>
  new HttpError(413, `The submission has too many fields: send at most ${maxFields}.`);
export const notUtf8 = (): HttpError => new HttpError(400, 'The body is not valid UTF-8: send it in UTF-8.');

/** Reads a JSON body (RFC 8259): the text is kept as it came, but for a byte order mark. */
export function readJson(body: Buffer, limits: FormLimits): Submitted {
  const decoded = body.toString('utf8');
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  if (body.length > limits.maxBytes && unescapedBytes(text) > limits.maxBytes) throw tooLarge(limits);
  if (!isUtf8(body)) throw notUtf8();
  const { members, problem } = readJsonObject(text, { maxDepth: MAX_JSON_DEPTH, maxMembers: limits.maxFields });
  switch (problem) {
    case 'too many members':
      throw tooManyFields(limits);
    case 'too deep':
      throw new HttpError(400, `The JSON body is nested too deeply: send at most ${MAX_JSON_DEPTH} levels.`);
    case 'not an object':
      throw new HttpError(400, 'The JSON body is not an object: send a JSON object.');
    case 'malformed':
      throw new HttpError(400, 'The JSON body is malformed: send a JSON object.');
  }
  return { text, honeypot: members.some(({ name, value }) => name === HONEYPOT && !isEmptyJson(value)) };
}

/** Whether valid JSON text is null, `""` or a list of only those. */
function isEmptyJson(text: string): boolean {
  // A comma inside a string leaves pieces with half a string each, one inside a nested list a piece with a bracket.
  const items = text.startsWith('[') ? text.slice(1, -1).split(',') : [text];
  return items.every((item) => ['null', '""', ''].includes(item.trim()));
}

/** Reads application/x-www-form-urlencoded (WHATWG URL, section 5.1), but that what is not UTF-8 then is a 400. */
export function readUrlencoded(body: Buffer, limits: FormLimits): Submitted {
  // `&` and `=` stay between the decoded pieces: no bytes of two then join to one character, and one check does for all.
  const decoded = Buffer.allocUnsafe(body.length + 1);
  const spans: { start: number; equals: number; end: number }[] = [];
  let length = 0;
  let separators = 0;
  let start = 0;
  let equals = -1;
  for (let at = 0; at <= body.length; at += 1) {
    let byte = body[at] ?? AMPERSAND;
    if (byte === AMPERSAND) {
      if (length > start) spans.push({ start, equals: equals === -1 ? length : equals, end: length });
      if (spans.length > limits.maxFields) throw tooManyFields(limits);
      separators += 1;
      start = length + 1;
      equals = -1;
    } else if (byte === EQUALS && equals === -1) {
      separators += 1;
      equals = length;
    } else if (byte === PLUS) {
      byte = SPACE;
    } else if (byte === PERCENT) {
      const high = hexDigit(body[at + 1] ?? 0);
      const low = hexDigit(body[at + 2] ?? 0);
      if (high !== -1 && low !== -1) {
        byte = high * 16 + low;
        at += 2;
      }
    }
    decoded[length] = byte;
    length += 1;
  }
  if (length - separators > limits.maxBytes) throw tooLarge(limits);
  if (!isUtf8(decoded.subarray(0, length))) throw notUtf8();
  return writeFields(
    spans.map(({ start, equals, end }) => [
      decoded.toString('utf8', start, equals),
      decoded.toString('utf8', equals + 1, end),
    ]),
  );
}

/** Writes a form's fields as a JSON object: a name that repeats has a list, at the place where it came first. */
export function writeFields(fields: readonly Field[]): Submitted {
  const byName = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const values = byName.get(name);
    if (values) values.push(value);
    else byName.set(name, [value]);
  }
  // Member by member, as an object would put `10` after `2` and lose `__proto__`.
  const members = Array.from(
    byName,
    ([name, values]) => `${JSON.stringify(name)}:${JSON.stringify(values.length === 1 ? values[0] : values)}`,
  );
  const honeypot = byName.get(HONEYPOT)?.some((value) => value !== '') ?? false;
  return { text: `{${members.join(',')}}`, honeypot };
}
