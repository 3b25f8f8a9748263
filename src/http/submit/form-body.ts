import { isUtf8 } from 'node:buffer';
import { controlsOf, isEmptyJson } from '../../forms/control-fields.ts';
import { readJsonObject, unescapedBytes } from '../../lib/json-text.ts';
import { SIZES } from '../../sizes.ts';
import type { Honeypot, SentSubmission } from '../../submissions/receive.ts';
import { HttpError } from '../response/errors.ts';

/** A parsed body. `fields`: undefined for JSON; all that was sent also where its files exceed a limit. */
export type Submitted = Pick<SentSubmission, 'honeypot' | 'files' | 'exceeded' | 'dataWith'> & {
  fields: Fields | undefined;
};

/** A file in a submission's data. `size` in bytes; `url`: the path of the API at which it is downloaded. */
type FileValue = { filename: string; content_type: string; size: number; url: string };

/** A file as a form has sent it. `size` in bytes. An input for files that was left empty has the name `""` and no bytes. */
export type SentFile = { filename: string; size: number };

/** A name and its value, both literal: `a[b]` is a name like any other. A file has the value `""`. */
export type Field = readonly [name: string, value: string, file?: SentFile];

/** A field of a form that may have files. */
export type Entry = readonly [name: string, value: string | FileValue];

/** A form's fields, in order. */
export type Fields = readonly Field[];

/** Returns whether a file was chosen, and the input was not left empty. */
export const isChosen = ({ filename, size }: SentFile): boolean => filename !== '' || size > 0;

/**
 * `maxBytes`: of all names, values and filenames together; of a JSON body, of its text unescaped. `maxFields`: files
 * included.
 */
export type FormLimits = { maxBytes: number; maxFields: number; maxFileBytes: number; maxFilesBytes: number };

const BOM = Buffer.from('\uFEFF');

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, `The submission is too large: send at most ${maxBytes} bytes of names and values.`);

export const tooManyFields = (maxFields: number): HttpError =>
  new HttpError(413, `The submission has too many fields: send at most ${maxFields}.`);

const tooManyValues = (maxValues: number): HttpError =>
  new HttpError(413, `The submission has too many values: send at most ${maxValues}, at all levels.`);

/** Decodes UTF-8, and keeps a byte order mark. Throws 400 for other bytes. */
export function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpError(400, 'The body is not valid UTF-8: send it in UTF-8.');
  return bytes.toString('utf8');
}

/** The values of hexadecimal digits in either case, by their bytes; -1 for other bytes. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[0-9a-f]/i.test(character) ? Number.parseInt(character, 16) : -1;
});

/** Returns the byte that two hexadecimal digits at `at` stand for; a negative number where there are no two. */
export const hexByte = (bytes: Uint8Array, at: number): number =>
  ((DIGITS[bytes[at] ?? 0] ?? -1) << 4) | (DIGITS[bytes[at + 1] ?? 0] ?? -1);

const JSON_PROBLEMS = {
  'too deep': `nested too deeply: send at most ${SIZES.submission.maxJsonDepth} levels`,
  'not an object': 'not an object: send a JSON object',
  malformed: 'malformed: send a JSON object',
} as const;

/** Reads a JSON body (RFC 8259). Its text is kept unchanged, except for a leading byte order mark. */
export function readJson(body: Buffer, { maxBytes, maxFields }: FormLimits): Submitted {
  const json = body.subarray(0, BOM.length).equals(BOM) ? body.subarray(BOM.length) : body;
  if (json.length > maxBytes && unescapedBytes(json.toString('utf8')) > maxBytes) throw tooLarge(maxBytes);
  const text = utf8(json);
  const { maxJsonDepth: maxDepth, maxJsonValues: maxValues } = SIZES.submission;
  const { members, problem } = readJsonObject(text, { maxDepth, maxMembers: maxFields, maxValues });
  if (problem === 'too many members') throw tooManyFields(maxFields);
  if (problem === 'too many values') throw tooManyValues(maxValues);
  if (problem !== undefined) throw new HttpError(400, `The JSON body is ${JSON_PROBLEMS[problem]}.`);
  // Scripts send false for a box that is not ticked.
  const isUnticked = (kind: Honeypot, value: string): boolean => kind === 'spam-honeypot' && value === 'false';
  const honeypot = findFilled(members, ({ value }, kind) => !isEmptyJson(value) && !isUnticked(kind, value));
  return { honeypot, fields: undefined, files: [], dataWith: () => text };
}

/** The honeypot of a form that is filled in, perhaps with a file. */
export const honeypotOf = (fields: Fields): Honeypot | undefined =>
  findFilled(
    fields.map(([name, value, file]) => ({ name, isFilled: value !== '' || (file !== undefined && isChosen(file)) })),
    ({ isFilled }) => isFilled,
  );

/** The kind of honeypot that is filled in. `id`: of the submission, where that decides which fields are honeypots. */
export function findFilled<F extends { name: string }>(
  fields: readonly F[],
  isFilled: (field: F, kind: Honeypot) => boolean,
  id?: string,
): Honeypot | undefined {
  const controlOf = controlsOf(
    fields.map(({ name }) => name),
    id,
  );
  const filled = fields.flatMap((field): Honeypot[] => {
    const control = controlOf(field.name);
    const isHoneypot = control === 'honeypot' || control === 'spam-honeypot';
    return isHoneypot && isFilled(field, control) ? [control] : [];
  });
  return filled.includes('honeypot') ? 'honeypot' : filled[0];
}

/** Writes a form's fields as a JSON object. A repeated name becomes a list, at the position of the first one. */
export function writeFields(fields: readonly Entry[]): string {
  const byName = new Map<string, Entry[1] | Entry[1][]>();
  for (const [name, value] of fields) {
    const before = byName.get(name);
    if (before === undefined) byName.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else byName.set(name, [before, value]);
  }
  // Not with JSON.stringify of an object, which would put `10` after `2`, and lose `__proto__`.
  const members = Array.from(byName, ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
