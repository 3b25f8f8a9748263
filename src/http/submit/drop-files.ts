import { SIZES } from '../../limits.ts';
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

const DASHES = '--';

/** Where in the body the bytes are that come next. */
type State = 'header' | 'text' | 'file' | 'end';

/**
 * `boundary` as the content type names it. After `maxParts` all is kept. Each byte is looked at once or twice, whatever the
 * body is.
 */
export function createDropFiles(boundary: string, maxParts: number): DropFiles {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const sizes: number[] = [];
  // The first delimiter may be at the start of the body.
  let rest = Buffer.from('\r\n');
  let state: State = 'text';
  let parts = 0;

  /** The bytes that can't be told yet: they may be the beginning of a delimiter or of a header. */
  function read(data: Buffer, kept: Buffer[]): Buffer {
    let at = 0;
    const takeTo = (end: number): void => {
      if (state === 'file') sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + end - at;
      else if (end > at) kept.push(data.subarray(at, end));
      at = end;
    };
    // Searched for once, not for each of many delimiters before it.
    let headerEnd = data.indexOf(HEADER_END);
    while (state !== 'end') {
      if (state === 'header') {
        if (headerEnd !== -1 && headerEnd < at) headerEnd = data.indexOf(HEADER_END, at);
        const isWhole = headerEnd !== -1 && headerEnd - at <= SIZES.internal.droppedHeaderBytes;
        if (!isWhole && data.length - at <= SIZES.internal.droppedHeaderBytes) return data.subarray(at);
        const from = at + delimiter.length;
        parts += 1;
        if (parts > maxParts || data.toString('latin1', from, from + DASHES.length) === DASHES) {
          state = 'end';
        } else {
          const isFile = isWhole && isFileHeader(data.toString('latin1', from, headerEnd));
          takeTo(isWhole ? headerEnd + HEADER_END.length : from);
          state = isFile ? 'file' : 'text';
          if (isFile) sizes.push(0);
        }
      } else {
        const next = data.indexOf(delimiter, at);
        takeTo(next === -1 ? Math.max(at, data.length - delimiter.length + 1) : next);
        if (next === -1) return data.subarray(at);
        state = 'header';
      }
    }
    takeTo(data.length);
    return data.subarray(at);
  }

  return {
    sizes,
    filter(chunk) {
      const kept: Buffer[] = [];
      // Copied: a piece of a chunk would keep all of it in memory.
      rest = Buffer.from(read(chunk ? Buffer.concat([rest, chunk]) : rest, kept));
      if (!chunk && state === 'file') sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + rest.length;
      else if (!chunk) kept.push(rest);
      return Buffer.concat(kept);
    },
  };
}
