import { HttpError } from './errors.ts';
import {
  type Field,
  type FormLimits,
  type Submitted,
  tooLarge,
  tooManyFields,
  utf8,
  writeFields,
} from './form-body.ts';

/** A part of a form, a file when it has a filename; `content` shares the memory of the body. */
export type Part = { name: string; filename: string | undefined; content: Buffer };

/** Where a delimiter's line begins, with the line break before it, and ends, with the one after it. */
type Delimiter = { start: number; end: number; closes: boolean };

/** Near-delimiters seen so far in a body. */
type Misses = { count: number };

// RFC 2046, section 5.1.1; a search for a longer one could be made slow.
const MAX_BOUNDARY = 70;
// Lines that only begin like the boundary, which is to be chosen so that there are none; each costs a search.
const MAX_MISSES = 100_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_PARAMETERS = 16;

const HEADER_END = Buffer.from('\r\n\r\n');
const FORM_DATA = /(?:^|\r\n)content-disposition:[ \t]*form-data[ \t]*(?=[;\r]|$)/i;
const LINE_END = /\r\n(?![ \t])|$/;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

const malformed = (advice: string): HttpError => new HttpError(400, `The multipart body is malformed: ${advice}.`);

/** Reads multipart/form-data; the value of a file is its filename. `boundary` is the content type's parameter. */
export function readMultipart(body: Buffer, boundary: string, limits: FormLimits): Submitted {
  const parts = readParts(body, boundary, limits.maxFields);
  let bytes = 0;
  let fileBytes = 0;
  for (const { name, filename, content } of parts) {
    bytes += Buffer.byteLength(name) + (filename === undefined ? content.length : Buffer.byteLength(filename));
    if (filename !== undefined) fileBytes += content.length;
  }
  if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (fileBytes > limits.maxFileBytes) {
    throw new HttpError(413, `The files are too large: send at most ${limits.maxFileBytes} bytes of files.`);
  }
  const fields = parts.map(({ name, filename, content }): Field => [name, filename ?? utf8(content)]);
  const fillable = fields.map((field, index): Field => (parts[index]?.filename ? [field[0], ''] : field));
  return { ...writeFields(fields), form: { fields: fillable, hasFiles: parts.some(({ filename }) => filename) } };
}

/** The parts of a multipart/form-data body (RFC 7578, as WHATWG HTML has it written), in order. */
export function readParts(body: Buffer, boundary: string, maxParts: number): Part[] {
  if (boundary.length < 1 || boundary.length > MAX_BOUNDARY) {
    throw malformed(`name its boundary, 1 to ${MAX_BOUNDARY} characters, in the content type`);
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  const misses: Misses = { count: 0 };
  let opening = firstDelimiter(body, delimiter, misses);
  while (!opening.closes) {
    if (parts.length === maxParts) throw tooManyFields(maxParts);
    // A line break can be both the end of one line and the beginning of the next delimiter.
    const from = opening.end - 2;
    const next = findDelimiter(body, delimiter, from, misses);
    const headerEnd = body.indexOf(HEADER_END, from);
    if (headerEnd === -1 || headerEnd > next.start) throw malformed('put an empty line after the header of each part');
    if (headerEnd - opening.end > MAX_HEADER_BYTES) throw malformed('keep the header of each part under 16 KiB');
    const { name, filename } = readHeader(utf8(body.subarray(opening.end, headerEnd)));
    parts.push({ name, filename, content: body.subarray(headerEnd + HEADER_END.length, next.start) });
    opening = next;
  }
  return parts;
}

/** The first delimiter may also be the very first thing in the body, with no line break before it. */
function firstDelimiter(body: Buffer, delimiter: Buffer, misses: Misses): Delimiter {
  const bare = delimiter.subarray(2);
  const atStart = body.subarray(0, bare.length).equals(bare) ? delimiterAt(body, -2, delimiter) : undefined;
  return atStart ?? findDelimiter(body, delimiter, 0, misses);
}

function findDelimiter(body: Buffer, delimiter: Buffer, from: number, misses: Misses): Delimiter {
  let start = body.indexOf(delimiter, from);
  while (start !== -1) {
    const found = delimiterAt(body, start, delimiter);
    if (found) return found;
    misses.count += 1;
    if (misses.count > MAX_MISSES) throw malformed('choose a boundary that its content does not have');
    start = body.indexOf(delimiter, start + delimiter.length);
  }
  throw malformed('end it with its boundary between two pairs of dashes');
}

/** The delimiter at `start`; undefined when the line goes on after the boundary, and so is only content like it. */
function delimiterAt(body: Buffer, start: number, delimiter: Buffer): Delimiter | undefined {
  let end = start + delimiter.length;
  const closes = body[end] === DASH && body[end + 1] === DASH;
  if (closes) end += 2;
  while (body[end] === SPACE || body[end] === TAB) end += 1;
  if (body[end] === CR && body[end + 1] === LF) return { start, end: end + 2, closes };
  // The body may end with the last one, or with a line feed that a script put there.
  return closes && (end === body.length || body[end] === LF) ? { start, end, closes } : undefined;
}

/** What `Content-Disposition: form-data` says in a part's header; the other lines of it don't matter. */
function readHeader(header: string): { name: string; filename: string | undefined } {
  const start = FORM_DATA.exec(header);
  const rest = start ? header.slice(start.index + start[0].length) : '';
  const parameters = readParameters(rest.slice(0, rest.search(LINE_END)));
  const name = parameters.get('name') ?? parameters.get('name*');
  if (name === undefined) throw malformed('give each part a Content-Disposition of form-data, with a name');
  return { name, filename: parameters.get('filename') ?? parameters.get('filename*') };
}

/** The parameters of a header line by their names in lower case, values decoded; of two alike the first counts. */
function readParameters(line: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let rest = line;
  for (let count = 0; count <= MAX_PARAMETERS; count += 1) {
    const equals = rest.indexOf('=');
    if (equals === -1) return parameters;
    const key = rest
      .slice(rest.lastIndexOf(';', equals) + 1, equals)
      .trim()
      .toLowerCase();
    rest = rest.slice(equals + 1).trimStart();
    const quoted = rest.startsWith('"');
    // Browsers write a backslash as it is, curl before 7.81 wrote `\"` for a quote: only what follows marks the last.
    const length = quoted ? rest.slice(1).search(/"[ \t\r\n]*(?:;|$)/) : rest.search(/;|$/);
    if (length === -1) throw malformed('close the quotes in the header of each part');
    const value = quoted ? rest.slice(1, length + 1).replaceAll('\\"', '"') : rest.slice(0, length).trimEnd();
    rest = rest.slice(quoted ? length + 2 : length);
    if (!parameters.has(key)) parameters.set(key, key.endsWith('*') ? decodeExtended(value) : decodeName(value));
  }
  throw malformed('say no more than the name and the filename of each part');
}

/** Undoes the escapes of browsers in names and filenames (WHATWG HTML, multipart form data): these three, and nothing else. */
const decodeName = (text: string): string =>
  text.includes('%') ? text.replaceAll('%22', '"').replace(/%0d/gi, '\r').replace(/%0a/gi, '\n') : text;

/** A value like `UTF-8''na%C3%AFve.txt` (RFC 5987); as it stands when it is not one. */
function decodeExtended(value: string): string {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(value)?.[1];
  try {
    return encoded === undefined ? value : decodeURIComponent(encoded);
  } catch {
    return value;
  }
}
