import { HEADER_END, isFileHeader } from './multipart-parts.ts';

/*
 * A browser sends all of a form whose files are far too large before it shows the answer. What it sends is read without
 * keeping the files, so that the answer has the texts.
 */

type DropFiles = {
  /** The next bytes of a multipart body without the contents of files. Call it once more at the end, without bytes. */
  filter(chunk?: Buffer): Buffer;
  /** The bytes of each file so far, in order. */
  readonly sizes: readonly number[];
};

/** No browser writes a longer header; what comes after one is kept as if it were text. */
const MAX_HEADER_BYTES = 16 * 1024;
const DASHES = '--';

/** Where in the body the bytes are that come next. */
type State = 'header' | 'text' | 'file' | 'end';

/** `boundary` as the content type names it. Each byte is looked at once or twice, whatever the body is. */
export function createDropFiles(boundary: string): DropFiles {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const sizes: number[] = [];
  // The first delimiter may be at the start of the body.
  let rest = Buffer.from('\r\n');
  let state: State = 'text';

  function take(data: Buffer, length: number, kept: Buffer[]): Buffer {
    if (state === 'file') sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + length;
    else kept.push(data.subarray(0, length));
    return data.subarray(length);
  }

  /** The bytes that can't be told yet: they may be the beginning of a delimiter or of a header. */
  function read(bytes: Buffer, kept: Buffer[]): Buffer {
    let data = bytes;
    for (;;) {
      if (state === 'end') return take(data, data.length, kept);
      if (state === 'header') {
        const headerEnd = data.indexOf(HEADER_END);
        if (headerEnd === -1 && data.length <= MAX_HEADER_BYTES) return data;
        const header = data.toString('latin1', delimiter.length, Math.max(headerEnd, 0));
        const isFile = headerEnd !== -1 && isFileHeader(header);
        const isEnd = data.toString('latin1', delimiter.length, delimiter.length + DASHES.length) === DASHES;
        data = take(data, headerEnd === -1 ? delimiter.length : headerEnd + HEADER_END.length, kept);
        state = isEnd ? 'end' : isFile ? 'file' : 'text';
        if (isFile && !isEnd) sizes.push(0);
      } else {
        const at = data.indexOf(delimiter);
        if (at === -1) return take(data, Math.max(0, data.length - delimiter.length + 1), kept);
        data = take(data, at, kept);
        state = 'header';
      }
    }
  }

  return {
    sizes,
    filter(chunk) {
      const kept: Buffer[] = [];
      const left = read(chunk && rest.length > 0 ? Buffer.concat([rest, chunk]) : (chunk ?? rest), kept);
      // Copied: the piece that is left out of a chunk would keep all of it in memory.
      rest = Buffer.from(left);
      if (!chunk) take(rest, rest.length, kept);
      return Buffer.concat(kept);
    },
  };
}
