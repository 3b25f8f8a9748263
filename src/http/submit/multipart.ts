import type { NewFile } from '../../db/submissions/submission-file-queries.ts';
import { newFileId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import type { FileLimit } from '../../submissions/outcomes.ts';
import {
  type Entry,
  type Field,
  type Fields,
  type FormLimits,
  honeypotOf,
  isChosen,
  type SentFile,
  type Submitted,
  tooLarge,
  writeFields,
} from './form-body.ts';
import type { Part } from './multipart-parts.ts';
import { charsetOf, decodeReadable, decodeText } from './part-charset.ts';

const MAX_CONTENT_TYPE_CHARS = 255;

/** A type and a subtype (RFC 9110, 8.3.1), perhaps with parameters, which are not checked. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[\t -~]*)?$/;

/** `charset`: that of a field, when it is another one than UTF-8. */
type CharsetPart = Part & { charset: string | undefined };

/** Reads the parts of a form, after `decodeTransfers`. A file input that was left empty is the value `""`. */
export function readMultipart(sent: readonly Part[], limits: FormLimits): Submitted {
  const parts = sent.map((part): CharsetPart => ({ ...part, charset: charsetOf(part) }));
  checkTexts(parts, limits);
  const exceeded = exceededBy(parts, limits);
  if (exceeded) {
    return { honeypot: undefined, files: [], exceeded, fields: toFields(parts, decodeReadable), dataWith: () => '{}' };
  }
  const fields = toFields(parts, decodeText);
  checkDecoded(parts, fields, limits);
  const files = parts.map((part): NewFile | undefined => {
    const file = fileOf(part);
    if (!file || !isChosen(file)) return undefined;
    return { id: newFileId(), filename: file.filename, contentType: mediaTypeOf(part), content: part.content };
  });
  const entry = (urlOf: (fileId: string) => string, [name, value]: Field, index: number): Entry => {
    const file = files[index];
    if (!file) return [name, value];
    const { id, filename, contentType, content } = file;
    return [name, { filename, content_type: contentType, size: content.length, url: urlOf(id) }];
  };
  return {
    honeypot: honeypotOf(fields),
    fields,
    files: files.filter((file) => file !== undefined),
    dataWith: (urlOf) => writeFields(fields.map((field, index) => entry(urlOf, field, index))),
  };
}

const fileOf = ({ filename, content }: Part): SentFile | undefined =>
  filename === undefined ? undefined : { filename, size: content.length };

const toFields = (parts: readonly CharsetPart[], decode: typeof decodeText): Fields =>
  parts.map((part): Field => {
    const file = fileOf(part);
    return file ? [part.name, '', file] : [part.name, decode(part.content, part.charset)];
  });

/** Checks the bytes of all names, filenames and values before the values are decoded. */
function checkTexts(parts: readonly CharsetPart[], { maxBytes }: FormLimits): void {
  let bytes = 0;
  for (const { name, filename, content, charset } of parts) {
    // UTF-8 has at least half as many bytes as another charset.
    const valueBytes = charset === undefined ? content.length : content.length / 2;
    bytes += Buffer.byteLength(name) + (filename === undefined ? valueBytes : Buffer.byteLength(filename));
  }
  if (bytes > maxBytes) throw tooLarge(maxBytes);
}

/** Checks them once more where values were in another charset: their bytes count in UTF-8, as they are stored. */
function checkDecoded(parts: readonly CharsetPart[], fields: Fields, { maxBytes }: FormLimits): void {
  if (parts.every(({ charset }) => charset === undefined)) return;
  const texts = fields.flatMap(([name, value, file]) => [name, file?.filename ?? value]);
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > maxBytes) throw tooLarge(maxBytes);
}

/** The limit that the files of a form exceed. */
function exceededBy(parts: readonly CharsetPart[], { maxFileBytes, maxFilesBytes }: FormLimits): FileLimit | undefined {
  const { maxFiles } = SIZES.submission;
  const files = parts.map(fileOf).filter((file) => file !== undefined);
  const sizes = files.filter(isChosen).map(({ size }) => size);
  if (sizes.length > maxFiles) return { kind: 'count', limit: maxFiles };
  if (sizes.some((size) => size > maxFileBytes)) return { kind: 'file', limit: maxFileBytes };
  const isTooMuch = sizes.reduce((sum, size) => sum + size, 0) > maxFilesBytes;
  return isTooMuch ? { kind: 'files', limit: maxFilesBytes } : undefined;
}

/** A file's type as it was sent, when it is valid; else that of an unknown file (RFC 7578, 4.4). */
const mediaTypeOf = ({ contentType = '' }: Part): string =>
  contentType.length <= MAX_CONTENT_TYPE_CHARS && MEDIA_TYPE.test(contentType)
    ? contentType
    : 'application/octet-stream';
