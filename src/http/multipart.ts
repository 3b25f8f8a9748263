import { isUtf8 } from 'node:buffer';
import { HttpError } from './errors.ts';
import { type FormLimits, notUtf8, type Submitted, tooLarge, tooManyFields, writeFields } from './form-body.ts';

/** A part of a form, a file when it has a filename; `content` shares the memory of the body. */
export type Part = { name: string; filename: string | undefined; content: Buffer };

/** Where a delimiter's line begins, with the line break before it, and ends, with the one after it. */
type Delimiter = { start: number; end: number; closes: boolean };

// RFC 2046, section 5.1.1; searching for a long one could be made slow.
const MAX_BOUNDARY = 70;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADER_END = Buffer.from('\r\n\r\n');
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

const malformed = (advice: string): HttpError => new HttpError(400, `The multipart body is malformed: ${advice}.`);

/** Reads a multipart/form-data body (RFC 7578, as WHATWG HTML has it written); a file's value is its filename. */
export function readMultipart(body: Buffer, boundary: string, limits: FormLimits): Submitted {
  const parts = readParts(body, boundary, limits);
  let bytes = 0;
  let fileBytes = 0;
  for (const { name, filename, content } of parts) {
    bytes += Buffer.byteLength(name) + (filename === undefined ? content.length : Buffer.byteLength(filename));
    if (filename !== undefined) fileBytes += content.length;
  }
  if (bytes > limits.maxBytes) throw tooLarge(limits);
  if (fileBytes > limits.maxFileBytes) {
    throw new HttpError(413, `The files are too large: send at most ${limits.maxFileBytes} bytes of files.`);
  }
  return writeFields(parts.map(({ name, filename, content }) => [name, filename ?? utf8(content)]));
}

/** The parts of a multipart/form-data body in order, at most `limits.maxFields`; the other limits are the caller's. */
export function readParts(body: Buffer, boundary: string, limits: FormLimits): Part[] {
  if (boundary.length < 1 || boundary.length > MAX_BOUNDARY) {
    throw malformed(`name its boundary, 1 to ${MAX_BOUNDARY} characters, in the content type`);
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  let opening = firstDelimiter(body, delimiter);
  while (!opening.closes) {
    if (parts.length === limits.maxFields) throw tooManyFields(limits);
    // A line break can be both the end of one line and the beginning of the next delimiter.
    const from = opening.end - 2;
    const next = findDelimiter(body, delimiter, from);
    const headerEnd = body.indexOf(HEADER_END, from);
    if (headerEnd === -1 || headerEnd > next.start) throw malformed('put an empty line after the header of each part');
    if (headerEnd - opening.end > MAX_HEADER_BYTES) throw malformed('keep the header of each part under 16 KiB');
    const content = body.subarray(headerEnd + HEADER_END.length, next.start);
    parts.push({ ...readHeader(body.subarray(opening.end, headerEnd)), content });
    opening = next;
  }
  return parts;
}

/** The first delimiter may also be the very first thing in the body, with no line break before it. */
function firstDelimiter(body: Buffer, delimiter: Buffer): Delimiter {
  const bare = delimiter.subarray(2);
  const atStart = body.subarray(0, bare.length).equals(bare) ? delimiterAt(body, -2, delimiter) : undefined;
  return atStart ?? findDelimiter(body, delimiter, 0);
}

function findDelimiter(body: Buffer, delimiter: Buffer, from: number): Delimiter {
  let start = body.indexOf(delimiter, from);
  while (start !== -1) {
    const found = delimiterAt(body, start, delimiter);
    if (found) return found;
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

/** What a part's header says of it in `Content-Disposition: form-data`; the other lines of it don't matter. */
function readHeader(header: Buffer): { name: string; filename: string | undefined } {
  const lines = utf8(header).split(/\r\n(?![ \t])/);
  const disposition = lines.find((line) => /^content-disposition:[ \t]*form-data[ \t]*(?:;|$)/i.test(line));
  const parameters = readParameters(disposition ?? '');
  const name = parameters.get('name');
  if (name === undefined) throw malformed('give each part a Content-Disposition of form-data, with a name');
  return { name, filename: parameters.get('filename') ?? parameters.get('filename*') };
}

/** The parameters of a header line by their names in lower case, values decoded; of two alike the first counts. */
function readParameters(line: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let rest = line;
  for (;;) {
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
}

/** Undoes what WHATWG HTML has browsers escape in names and filenames: these three, and nothing else. */
const decodeName = (text: string): string =>
  text.replace(/%(?:22|0d|0a)/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));

/** A value like `UTF-8''na%C3%AFve.txt` (RFC 5987); as it stands when it is not one. */
function decodeExtended(value: string): string {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(value)?.[1];
  try {
    return encoded === undefined ? value : decodeURIComponent(encoded);
  } catch {
    return value;
  }
}

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString('utf8');
}
