import { HttpError } from '../response/errors.ts';
import { hexByte } from './form-body.ts';

/*
 * The header of a part of multipart/form-data: its name, its filename, and how its content is written.
 */

/** The header of a part, without the line that has its name. */
const MAX_PART_HEADER_KIB = 16;
/** Parameters in the header of a part. */
const PART_PARAMETERS = 16;

/** A part is a file when it has a filename. */
export type PartHeader = {
  name: string;
  filename: string | undefined;
  contentType: string | undefined;
  /** The value of Content-Transfer-Encoding. */
  transferEncoding: string | undefined;
};

const FORM_DATA = /(?:^|\r\n)content-disposition:[ \t]*form-data[ \t]*(?=[;\r]|$)/i;
const CONTENT_TYPE = /(?:^|\r\n)content-type:/i;
const TRANSFER_ENCODING = /(?:^|\r\n)content-transfer-encoding:/i;
const LINE_END = /\r\n(?![ \t])|$/;
/** The charset, the language and the text of an extended value (RFC 8187, 3.2). */
const EXTENDED_VALUE = /^([^']*)'[^']*'(.*)$/s;
const PERCENT = 0x25;

export const malformed = (advice: string): HttpError =>
  new HttpError(400, `The multipart body is malformed: ${advice}.`);

/** Reads the three lines of a part's header that have a meaning here, and ignores the others. */
export function readHeader(header: string): PartHeader {
  const start = FORM_DATA.exec(header);
  const line = start ? lineAfter(header, start) : '';
  if (header.length - line.length > MAX_PART_HEADER_KIB * 1024) {
    throw malformed(`keep the header of each part under ${MAX_PART_HEADER_KIB} KiB`);
  }
  const parameters = readParameters(line);
  const name = parameterOf(parameters, 'name');
  if (name === undefined) throw malformed('give each part a Content-Disposition of form-data, with a name');
  const type = CONTENT_TYPE.exec(header);
  const encoding = TRANSFER_ENCODING.exec(header);
  return {
    name,
    filename: parameterOf(parameters, 'filename'),
    contentType: type ? lineAfter(header, type).trim() : undefined,
    transferEncoding: encoding ? lineAfter(header, encoding).trim() : undefined,
  };
}

/** The rest of the header's line after the match. */
function lineAfter(header: string, { index, 0: found }: RegExpExecArray): string {
  const rest = header.slice(index + found.length);
  return rest.slice(0, rest.search(LINE_END));
}

/** The parameters of a header line as they are written, by their names in lower case. The first of two with the same name counts. */
function readParameters(line: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let rest = line;
  for (let count = 0; count <= PART_PARAMETERS; count += 1) {
    const equals = rest.indexOf('=');
    if (equals === -1) return parameters;
    const key = rest
      .slice(rest.lastIndexOf(';', equals) + 1, equals)
      .trim()
      .toLowerCase();
    rest = rest.slice(equals + 1).trimStart();
    const quoted = rest.startsWith('"');
    // Browsers don't escape a backslash, and curl before 7.81 wrote `\"` for a quote: what follows shows the last
    // quote.
    const length = quoted ? rest.slice(1).search(/"[ \t\r\n]*(?:;|$)/) : rest.search(/;|$/);
    if (length === -1) throw malformed('close the quotes in the header of each part');
    const value = quoted ? rest.slice(1, length + 1).replaceAll('\\"', '"') : rest.slice(0, length).trimEnd();
    rest = rest.slice(quoted ? length + 2 : length);
    if (!parameters.has(key)) parameters.set(key, value);
  }
  throw malformed('send only the name and the filename of each part');
}

/**
 * Returns a decoded parameter. Its extended form (`filename*`) counts before the plain one, which is then for old readers (RFC 6266,
 * 4.3). An extended value that can't be decoded is taken as it is written where there is no plain one.
 */
function parameterOf(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const extended = parameters.get(`${name}*`) ?? joinContinuations(parameters, name);
  const decoded = extended === undefined ? undefined : decodeExtended(extended);
  if (decoded !== undefined) return decoded;
  const plain = parameters.get(name);
  if (plain !== undefined) return decodeName(plain);
  return extended && (EXTENDED_VALUE.exec(extended)?.[2] ?? extended);
}

/** Decodes the three escapes of browsers in names and filenames (WHATWG HTML, multipart form data). */
const decodeName = (text: string): string =>
  text.includes('%') ? text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n') : text;

/** Joins the pieces of a long parameter to one extended value: `filename*0*=UTF-8''a%20; filename*1=b` (RFC 2231, 3 and 4.1). */
function joinContinuations(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < PART_PARAMETERS; at += 1) {
    const encoded = parameters.get(`${name}*${at}*`);
    // A piece without the second asterisk is literal.
    const piece = encoded ?? parameters.get(`${name}*${at}`)?.replaceAll('%', '%25');
    if (piece === undefined) break;
    // The first piece names the charset, unless it is literal.
    joined = joined === undefined && encoded === undefined ? `''${piece}` : `${joined ?? ''}${piece}`;
  }
  return joined;
}

/**
 * Decodes an extended value, such as `UTF-8'en'%C3%A4.txt`; a `%` without two digits stays. Returns undefined when the value
 * names no charset that is known, or has bytes that the charset does not have.
 */
function decodeExtended(value: string): string | undefined {
  const [, charset = '', text] = EXTENDED_VALUE.exec(value) ?? [];
  if (text === undefined) return undefined;
  try {
    return new TextDecoder(charset || 'utf-8', { fatal: true, ignoreBOM: true }).decode(decodePercent(text));
  } catch {
    return undefined;
  }
}

function decodePercent(text: string): Buffer {
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const decoded = bytes[at] === PERCENT ? hexByte(bytes, at + 1) : -1;
    if (decoded >= 0) at += 2;
    bytes[end] = decoded >= 0 ? decoded : (bytes[at] ?? 0);
    end += 1;
  }
  return bytes.subarray(0, end);
}
