import { type FormLimits, tooLarge, tooManyFields, utf8 } from './form-body.ts';
import { malformed, type PartHeader, readHeader } from './part-header.ts';

/** RFC 2046, section 5.1.1. Searching for a longer one could be slow. */
const MAX_BOUNDARY_CHARS = 70;

/** Lines that begin like a delimiter. A well-chosen boundary has none. Each costs a search. */
const BOUNDARY_MISSES = 100_000;
/** Bytes for the boundaries and headers of all parts, without names. */
const MULTIPART_OVERHEAD_BYTES = 1024 * 1024;
/** Bytes before the first delimiter and after the last, where clients write at most a line of text (RFC 2046, 5.1.1). */
const OUTSIDE_PARTS_BYTES = 16 * 1024;

/*
 * The format of multipart/form-data: delimiters, headers and parts.
 */

/** A part of a form. `content` shares the memory of the body; `decodeTransfers` decodes it. */
export type Part = PartHeader & { content: Buffer };

/** The positions of a delimiter, with the line breaks before and after it. */
type Delimiter = { start: number; end: number; closes: boolean };

/** The most bytes of a body for one byte of a name (%22). */
const NAME_GROWTH = 3;
// A delimiter of another boundary, or a part's header.
const PART_BEGINNING = /^(?:--|content-disposition[ \t]*:)/im;

const HEADER_END = Buffer.from('\r\n\r\n');
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

/** The most bytes of a body without its files, whose names and values have at most `maxBytes` together. */
export const maxMultipartBytes = (maxBytes: number): number => maxBytes * NAME_GROWTH + MULTIPART_OVERHEAD_BYTES;

/** The parts of a multipart/form-data body (RFC 7578, and WHATWG HTML for how browsers write it), in order. */
export function readParts(
  body: Buffer,
  boundary: string,
  { maxFields, maxBytes }: Pick<FormLimits, 'maxFields' | 'maxBytes'>,
): Part[] {
  if (boundary.length < 1 || boundary.length > MAX_BOUNDARY_CHARS) {
    throw malformed(`name its boundary, 1 to ${MAX_BOUNDARY_CHARS} characters, in the content type`);
  }
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  let headers = 0;
  const delimiters = delimitersOf(body, delimiter);
  let opening = delimiters.next().value;
  if (mayHaveParts(body.subarray(0, Math.max(0, opening.start)))) {
    throw malformed('begin each part with the boundary that the content type names');
  }
  while (!opening.closes) {
    if (parts.length === maxFields) throw tooManyFields(maxFields);
    const next = delimiters.next().value;
    const headerEnd = body.indexOf(HEADER_END, opening.end - 2);
    if (headerEnd === -1 || headerEnd > next.start) throw malformed('put an empty line after the header of each part');
    // Checked before the header is read: too many long names cost no more than the most that are allowed.
    headers += headerEnd - opening.end;
    if (headers > maxMultipartBytes(maxBytes)) throw tooLarge(maxBytes);
    const header = readHeader(utf8(body.subarray(opening.end, headerEnd)));
    parts.push({ ...header, content: body.subarray(headerEnd + HEADER_END.length, next.start) });
    opening = next;
  }
  if (mayHaveParts(body.subarray(opening.end))) throw malformed('put nothing after the boundary that ends it');
  return parts;
}

/** Returns whether the bytes outside of all delimiters may be parts, which would be lost. */
const mayHaveParts = (outside: Buffer): boolean =>
  outside.length > OUTSIDE_PARTS_BYTES || PART_BEGINNING.test(outside.toString('latin1'));

/** The delimiters of a body, in order. The first may be at its start, without a line break before it. */
function* delimitersOf(body: Buffer, delimiter: Buffer): Generator<Delimiter, never> {
  const bare = delimiter.subarray(2);
  let misses = 0;
  let start = body.subarray(0, bare.length).equals(bare) ? -2 : body.indexOf(delimiter);
  while (start !== -1) {
    const found = delimiterAt(body, start, delimiter);
    if (found) yield found;
    else misses += 1;
    if (misses > BOUNDARY_MISSES) throw malformed('choose a boundary that its content does not have');
    // One line break can be both the end of this delimiter and the beginning of the next.
    start = body.indexOf(delimiter, found ? found.end - 2 : start + delimiter.length);
  }
  throw malformed('end it with its boundary between two pairs of dashes');
}

/** The delimiter at `start`; undefined when the line continues after the boundary: then it is content. */
function delimiterAt(body: Buffer, start: number, delimiter: Buffer): Delimiter | undefined {
  let end = start + delimiter.length;
  const closes = body[end] === DASH && body[end + 1] === DASH;
  if (closes) end += 2;
  while (body[end] === SPACE || body[end] === TAB) end += 1;
  if (body[end] === CR && body[end + 1] === LF) return { start, end: end + 2, closes };
  // The body may end with the last delimiter, or with a line feed that a script has added.
  return closes && (end === body.length || body[end] === LF) ? { start, end, closes } : undefined;
}
