import { isUtf8 } from 'node:buffer';
import { parse as parseContentType } from 'content-type';
import { HttpError } from '../response/errors.ts';
import { utf8 } from './form-body.ts';
import type { Part } from './multipart-parts.ts';

/*
 * The charset that the Content-Type of a field names. Browsers name none and send UTF-8.
 */

const NAMES_CHARSET = /charset/i;
const ASCII = /^(?:us-)?ascii$/i;
/** The byte order mark of big-endian UTF-16, which the label `utf-16` alone does not tell (Encoding Standard, 6). */
const BIG_ENDIAN_BOM = Buffer.from([0xfe, 0xff]);

/** Returns the charset of a field other than UTF-8. Throws 415 when the platform does not know it. */
export function charsetOf({ contentType = '', filename, content }: Part): string | undefined {
  // The bytes of a file are stored as they are.
  if (filename !== undefined || !NAMES_CHARSET.test(contentType)) return undefined;
  const { charset = '' } = parseContentType(contentType).parameters;
  if (charset === '') return undefined;
  // Libraries name it by default, whatever they send. The platform would read it as windows-1252.
  if (ASCII.test(charset) && isUtf8(content)) return undefined;
  const { encoding } = decoderFor(charset);
  if (encoding === 'utf-8') return undefined;
  const isBigEndian = encoding === 'utf-16le' && content.subarray(0, 2).equals(BIG_ENDIAN_BOM);
  return isBigEndian ? 'utf-16be' : encoding;
}

function decoderFor(charset: string) {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw new HttpError(415, 'The charset of a part is not supported: send UTF-8.');
  }
}

/** Decodes a field. Throws 400 where its bytes are not of its charset. */
export function decodeText(content: Buffer, charset: string | undefined): string {
  if (charset === undefined) return utf8(content);
  try {
    return new TextDecoder(charset, { fatal: true }).decode(content);
  } catch {
    throw new HttpError(400, 'A part does not match the charset that it names: send it in UTF-8.');
  }
}

/** Decodes a field as far as it can be read. */
export const decodeReadable = (content: Buffer, charset = 'utf-8'): string =>
  new TextDecoder(charset, { ignoreBOM: charset === 'utf-8' }).decode(content);
