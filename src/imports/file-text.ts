import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UnreadableFile } from './unreadable-file.ts';

/** Bytes that are read before other work has a turn. */
const SLICE_BYTES = 64 * 1024;

const UTF_8_BOM = Buffer.from('\uFEFF');

/** The encodings of files that begin with a byte order mark of UTF-16, as Excel writes them. */
const UTF_16 = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;

/** Yields a file in slices; other work has a turn after each. */
export async function* slicesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) {
    yield content.subarray(at, at + SLICE_BYTES);
    await nextTurn();
  }
}

const beginsWith = (content: Buffer, mark: Buffer): boolean => content.subarray(0, mark.length).equals(mark);

/** The text of a file as UTF-8 without a byte order mark. `isCut`: its end may be missing. Throws UnreadableFile. */
export async function toUtf8(content: Buffer, isCut = false): Promise<Buffer> {
  const found = UTF_16.find(({ mark }) => beginsWith(content, mark));
  if (found) return fromUtf16(content, found.encoding, isCut);
  const text = beginsWith(content, UTF_8_BOM) ? content.subarray(UTF_8_BOM.length) : content;
  const whole = isCut ? withoutHalfCharacter(text) : text;
  if (isUtf8(whole)) return whole;
  throw new UnreadableFile(
    'The file is in an unknown encoding: save it as UTF-8, or as UTF-16 with a byte order mark.',
  );
}

async function fromUtf16(
  content: Buffer,
  encoding: (typeof UTF_16)[number]['encoding'],
  isCut: boolean,
): Promise<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const pieces: Buffer[] = [];
  try {
    for await (const slice of slicesOf(content)) pieces.push(Buffer.from(decoder.decode(slice, { stream: true })));
    if (!isCut) pieces.push(Buffer.from(decoder.decode()));
  } catch {
    throw new UnreadableFile('The file begins as UTF-16 and is none: save it as UTF-8.');
  }
  return Buffer.concat(pieces);
}

/** A text without the bytes of a character at its end that is not complete. */
function withoutHalfCharacter(text: Buffer): Buffer {
  // A character has at most four bytes. Those after its first begin with the bits 10.
  let at = text.length - 1;
  while (at > text.length - 4 && at > 0 && ((text[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return isUtf8(text.subarray(at)) ? text : text.subarray(0, Math.max(at, 0));
}
