import { setImmediate as nextTurn } from 'node:timers/promises';
import { hexByte } from './form-body.ts';
import type { Part } from './multipart-parts.ts';
import { malformed } from './part-header.ts';

/*
 * Content-Transfer-Encoding of parts (RFC 2045, 6). Browsers send none (RFC 7578, 4.7), but libraries for mail and some
 * clients of HTTP do.
 */

/** Bytes that are decoded before other work has a turn: a few bytes of a compressed body can stand for many. */
const SLICE_BYTES = 128 * 1024;

/** Content that is sent as it is. */
const IDENTITY = /^(?:7bit|8bit|binary)?$/i;
const BLANKS = /[\t\n\r ]+/g;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** It decodes in place, as no content is longer than its encoding, and pauses after each slice. It returns the content. */
type Decoding = Generator<void, Buffer>;

export const isEncoded = ({ transferEncoding = '' }: Part): boolean => !IDENTITY.test(transferEncoding);

/** Returns the parts with their contents decoded, in the memory of the body. Throws 400. */
export async function decodeTransfers(parts: readonly Part[]): Promise<Part[]> {
  const decoded: Part[] = [];
  for (const part of parts) {
    decoded.push(isEncoded(part) ? { ...part, content: await finish(decodingOf(part)) } : part);
  }
  return decoded;
}

function decodingOf({ transferEncoding, content }: Part): Decoding {
  switch (transferEncoding?.toLowerCase()) {
    case 'base64':
      return decodeBase64(content);
    case 'quoted-printable':
      return decodeQuotedPrintable(content);
    default:
      throw malformed('send parts in base64, quoted-printable or no Content-Transfer-Encoding');
  }
}

async function finish(decoding: Decoding): Promise<Buffer> {
  for (;;) {
    const { done, value } = decoding.next();
    if (done) return value;
    await nextTurn();
  }
}

/** Throws 400 for characters beyond the alphabet and white space, and where the end is missing. */
function* decodeBase64(content: Buffer): Decoding {
  let end = 0;
  let rest = '';
  let isPadded = false;
  for (let at = 0; at < content.length; at += SLICE_BYTES) {
    if (at > 0) yield;
    const digits = rest + content.toString('latin1', at, at + SLICE_BYTES).replaceAll(BLANKS, '');
    const whole = digits.slice(0, digits.length - (digits.length % 4));
    rest = digits.slice(whole.length);
    if (isPadded && digits !== '') throw brokenBase64();
    isPadded = whole.endsWith('=') || isPadded;
    end += content.write(fromBase64(whole), end, 'latin1');
  }
  if (rest !== '') throw brokenBase64();
  return content.subarray(0, end);
}

/** The bytes as characters. Buffer.from() would skip what is not base64. */
function fromBase64(digits: string): string {
  try {
    return atob(digits);
  } catch {
    throw brokenBase64();
  }
}

const brokenBase64 = () => malformed('encode all of a part in base64, with padding at its end');

/** Keeps a `=` that begins no escape, and drops white space at the end of a line, which mail servers may add. */
function* decodeQuotedPrintable(content: Buffer): Decoding {
  let end = 0;
  /** The end of what was decoded without the white space behind it. */
  let textEnd = 0;
  for (let at = 0; at < content.length; ) {
    if (at > 0) yield;
    const pauseAt = Math.min(at + SLICE_BYTES, content.length);
    while (at < pauseAt) {
      const byte = content[at] ?? 0;
      const escaped = byte === EQUALS ? hexByte(content, at + 1) : -1;
      const nextLine = byte === EQUALS && escaped < 0 ? lineAfterSoftBreak(content, at + 1) : -1;
      if (nextLine >= 0) {
        at = nextLine;
        textEnd = end;
        continue;
      }
      if (byte === LF || (byte === CR && content[at + 1] === LF)) end = textEnd;
      content[end] = escaped >= 0 ? escaped : byte;
      end += 1;
      at += escaped >= 0 ? 3 : 1;
      if (byte !== SPACE && byte !== TAB) textEnd = end;
    }
  }
  return content.subarray(0, textEnd);
}

/** Where the next line begins, when only white space is between `at` and the end of its line; -1 otherwise. */
function lineAfterSoftBreak(content: Buffer, at: number): number {
  let lineEnd = at;
  while (content[lineEnd] === SPACE || content[lineEnd] === TAB) lineEnd += 1;
  if (lineEnd === content.length) return lineEnd;
  if (content[lineEnd] === CR && content[lineEnd + 1] === LF) return lineEnd + 2;
  return content[lineEnd] === LF ? lineEnd + 1 : -1;
}
