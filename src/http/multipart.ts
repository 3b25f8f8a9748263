import type { NewFile } from '../db/submission-files.ts';
import { newFileId } from '../ids.ts';
import { HttpError } from './errors.ts';
import {
  type Entry,
  type Field,
  type FormLimits,
  type Submitted,
  tooLarge,
  tooManyFields,
  utf8,
  writeFields,
} from './form-body.ts';

/** A part of a form, a file when it has a filename; `content` shares the memory of the body. */
export type Part = { name: string; filename: string | undefined; contentType: string | undefined; content: Buffer };

/** Where a delimiter's line begins, with the line break before it, and ends, with the one after it. */
type Delimiter = { start: number; end: number; closes: boolean };

/** Near-delimiters seen so far in a body. */
type Misses = { count: number };

// RFC 2046, section 5.1.1; a search for a longer one could be made slow.
const MAX_BOUNDARY = 70;
// Lines that only begin like the boundary, which is to be chosen so that there are none; each costs a search.
const MAX_MISSES = 100_000;
// Of a part, without the line that has its name.
const MAX_HEADER_BYTES = 16 * 1024;
// How many bytes one byte of a name can take (%22), and what a thousand parts may spend on boundaries and headers, names aside.
const NAME_GROWTH = 3;
const OVERHEAD_BYTES = 1024 * 1024;
const MAX_PARAMETERS = 16;
export const MAX_FILES = 10;
const MAX_CONTENT_TYPE = 255;

const HEADER_END = Buffer.from('\r\n\r\n');
const FORM_DATA = /(?:^|\r\n)content-disposition:[ \t]*form-data[ \t]*(?=[;\r]|$)/i;
const CONTENT_TYPE = /(?:^|\r\n)content-type:/i;
// RFC 9110, section 8.3.1.
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t -~])*"';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);
const LINE_END = /\r\n(?![ \t])|$/;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

const malformed = (advice: string): HttpError => new HttpError(400, `The multipart body is malformed: ${advice}.`);

/** Bytes of a body, files aside, whose names and values are at most `maxBytes` together. */
export const mostMultipartBytes = (maxBytes: number): number => maxBytes * NAME_GROWTH + OVERHEAD_BYTES;

/**
 * Reads multipart/form-data, files apart. `boundary` is the content type's parameter; `urlOf` says where a file will be
 * asked for. A file input that was left empty is the value `""`.
 */
export function readMultipart(
  body: Buffer,
  boundary: string,
  limits: FormLimits,
  urlOf: (fileId: string) => string,
): Submitted & { files: readonly NewFile[] } {
  const parts = readParts(body, boundary, limits);
  let bytes = 0;
  for (const { name, filename, content } of parts) {
    bytes += Buffer.byteLength(name) + (filename === undefined ? content.length : Buffer.byteLength(filename));
  }
  if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes);
  checkFiles(
    parts.filter(isFile).map(({ content }) => content.length),
    limits,
  );
  const files: NewFile[] = [];
  const entries = parts.map((part): Entry => {
    const { name, filename, content } = part;
    if (filename === undefined || !isFile(part)) return [name, filename ?? utf8(content)];
    const file = { id: newFileId(), filename, contentType: mediaTypeOf(part), content };
    files.push(file);
    return [name, { filename, content_type: file.contentType, size: content.length, url: urlOf(file.id) }];
  });
  // A file can't be filled in for anybody.
  const fields = entries.map(([name, value]): Field => [name, typeof value === 'string' ? value : '']);
  return { ...writeFields(entries), form: { fields, hasFiles: files.length > 0 }, files };
}

/** A file input that was left empty is sent as a part without a name of a file, and without content. */
const isFile = ({ filename, content }: Part): boolean =>
  filename !== undefined && (filename !== '' || content.length > 0);

function checkFiles(sizes: readonly number[], { maxFileBytes, maxFilesBytes }: FormLimits): void {
  if (sizes.length > MAX_FILES) {
    throw new HttpError(413, `The submission has too many files: send at most ${MAX_FILES}.`);
  }
  if (sizes.some((size) => size > maxFileBytes)) {
    throw new HttpError(413, `A file is too large: send at most ${maxFileBytes} bytes in each.`);
  }
  if (sizes.reduce((sum, size) => sum + size, 0) > maxFilesBytes) {
    throw new HttpError(413, `The files are too large: send at most ${maxFilesBytes} bytes of files.`);
  }
}

/** A file's type as it was sent, if it can be sent on like that; RFC 7578, 4.4, leaves the default to us for files. */
const mediaTypeOf = ({ contentType = '' }: Part): string =>
  contentType.length <= MAX_CONTENT_TYPE && MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream';

/** The parts of a multipart/form-data body (RFC 7578, as WHATWG HTML has it written), in order. */
export function readParts(
  body: Buffer,
  boundary: string,
  { maxFields, maxBytes }: Pick<FormLimits, 'maxFields' | 'maxBytes'>,
): Part[] {
  if (boundary.length < 1 || boundary.length > MAX_BOUNDARY) {
    throw malformed(`name its boundary, 1 to ${MAX_BOUNDARY} characters, in the content type`);
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  let headers = 0;
  const misses: Misses = { count: 0 };
  let opening = firstDelimiter(body, delimiter, misses);
  while (!opening.closes) {
    if (parts.length === maxFields) throw tooManyFields(maxFields);
    // A line break can be both the end of one line and the beginning of the next delimiter.
    const from = opening.end - 2;
    const next = findDelimiter(body, delimiter, from, misses);
    const headerEnd = body.indexOf(HEADER_END, from);
    if (headerEnd === -1 || headerEnd > next.start) throw malformed('put an empty line after the header of each part');
    // Before it is read: names beyond what all may have shall cost no more than these.
    headers += headerEnd - opening.end;
    if (headers > mostMultipartBytes(maxBytes)) throw tooLarge(maxBytes);
    const header = readHeader(utf8(body.subarray(opening.end, headerEnd)));
    parts.push({ ...header, content: body.subarray(headerEnd + HEADER_END.length, next.start) });
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

/** What `Content-Disposition: form-data` and `Content-Type` say in a part's header; the other lines of it don't matter. */
function readHeader(header: string): Omit<Part, 'content'> {
  const start = FORM_DATA.exec(header);
  const line = start ? lineAfter(header, start) : '';
  if (header.length - line.length > MAX_HEADER_BYTES) throw malformed('keep the header of each part under 16 KiB');
  const parameters = readParameters(line);
  const name = parameters.get('name') ?? parameters.get('name*');
  if (name === undefined) throw malformed('give each part a Content-Disposition of form-data, with a name');
  const type = CONTENT_TYPE.exec(header);
  return {
    name,
    filename: parameters.get('filename') ?? parameters.get('filename*'),
    contentType: type ? lineAfter(header, type).trim() : undefined,
  };
}

/** The rest of a header's line after what was found in it. */
function lineAfter(header: string, { index, 0: found }: RegExpExecArray): string {
  const rest = header.slice(index + found.length);
  return rest.slice(0, rest.search(LINE_END));
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
  text.includes('%') ? text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n') : text;

/** A value like `UTF-8''na%C3%AFve.txt` (RFC 5987); as it stands when it is not one. */
function decodeExtended(value: string): string {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(value)?.[1];
  try {
    return encoded === undefined ? value : decodeURIComponent(encoded);
  } catch {
    return value;
  }
}
