import type { NewFile } from '../../db/submission-files.ts';
import { newFileId } from '../../ids.ts';
import { HttpError } from '../errors.ts';
import { type Entry, type Field, type FormLimits, type Submitted, tooLarge, utf8, writeFields } from './form-body.ts';
import { type Part, readParts } from './multipart-parts.ts';

export const MAX_FILES = 10;
const MAX_CONTENT_TYPE_CHARS = 255;

// RFC 9110, section 8.3.1.
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t -~])*"';
// A parameter may be empty (5.6.6). White space before a semicolon matches in one way only, which keeps this fast.
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`);

/**
 * Reads multipart/form-data. `boundary` is the content type's parameter; `urlOf` returns the URL of a file. A file
 * input that was left empty is the value `""`.
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
  const fields = entries.map(([name, value]): Field => [name, typeof value === 'string' ? value : '']);
  return { ...writeFields(entries), form: { fields, hasFiles: files.length > 0 }, files };
}

/** A file input that was left empty is sent as a part with an empty filename and no content. */
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

/** A file's type as it was sent, when it is valid; else that of an unknown file (RFC 7578, 4.4). */
const mediaTypeOf = ({ contentType = '' }: Part): string =>
  contentType.length <= MAX_CONTENT_TYPE_CHARS && MEDIA_TYPE.test(contentType)
    ? contentType
    : 'application/octet-stream';
