import { SIZES } from '../../sizes.ts';
import { HEADER_END, isFileHeader } from './multipart-parts.ts';

/*
 * A browser sends all of a form whose files are far too large before it shows the answer. What it sends is read without
 * keeping the files, so that the answer has the texts.
 */

const DASHES = '--';

/** Where in the body the bytes are that come next. */
type State = 'header' | 'text' | 'file' | 'end';

/** A multipart body without the contents of its files. Each byte is looked at once or twice, whatever the body is. */
export class DropFiles {
  /** The bytes of each file so far, in order. */
  readonly sizes: number[] = [];
  readonly #delimiter: Buffer;
  readonly #maxParts: number;
  /** Bytes that may be the beginning of a delimiter or of a header. The first delimiter may be at the start of the body. */
  #rest: Buffer = Buffer.from('\r\n');
  #state: State = 'text';
  #parts = 0;

  /** `boundary` as the content type names it. After `maxParts` all is kept. */
  constructor(boundary: string, maxParts: number) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#maxParts = maxParts;
  }

  /** What is kept of the next bytes of the body. Call it once more at the end, without bytes. */
  filter(chunk?: Buffer): Buffer {
    const kept: Buffer[] = [];
    // Copied: a piece of a chunk would keep all of it in memory.
    this.#rest = Buffer.from(this.#read(chunk ? Buffer.concat([this.#rest, chunk]) : this.#rest, kept));
    if (!chunk) this.#take(this.#rest, kept);
    return Buffer.concat(kept);
  }

  /** Returns the bytes at the end of which it is not known yet whether they are a delimiter. */
  #read(data: Buffer, kept: Buffer[]): Buffer {
    let at = 0;
    // Searched for once, not for each of many delimiters before it.
    let headerEnd = data.indexOf(HEADER_END);
    while (this.#state !== 'end') {
      if (this.#state !== 'header') {
        const next = data.indexOf(this.#delimiter, at);
        const end = next === -1 ? Math.max(at, data.length - this.#delimiter.length + 1) : next;
        this.#take(data.subarray(at, end), kept);
        if (next === -1) return data.subarray(end);
        at = end;
        this.#state = 'header';
      }
      if (headerEnd !== -1 && headerEnd < at) headerEnd = data.indexOf(HEADER_END, at);
      const isWhole = headerEnd !== -1 && headerEnd - at <= SIZES.internal.droppedHeaderBytes;
      if (!isWhole && data.length - at <= SIZES.internal.droppedHeaderBytes) return data.subarray(at);
      const from = at + this.#delimiter.length;
      this.#parts += 1;
      if (this.#parts > this.#maxParts || data.toString('latin1', from, from + DASHES.length) === DASHES) {
        this.#state = 'end';
      } else {
        const isFile = isWhole && isFileHeader(data.toString('latin1', from, headerEnd));
        const end = isWhole ? headerEnd + HEADER_END.length : from;
        this.#state = 'text';
        this.#take(data.subarray(at, end), kept);
        at = end;
        if (isFile) this.sizes.push(0);
        this.#state = isFile ? 'file' : 'text';
      }
    }
    this.#take(data.subarray(at), kept);
    return data.subarray(data.length);
  }

  #take(bytes: Buffer, kept: Buffer[]): void {
    if (this.#state === 'file') this.sizes.push((this.sizes.pop() ?? 0) + bytes.length);
    else kept.push(bytes);
  }
}
