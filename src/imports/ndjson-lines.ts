import type { Problem } from '../problems/line-faults.ts';
import { slicesOf } from './file-text.ts';

const LF = 0x0a;

/** Yields the lines of a file in UTF-8, in batches, without those of white space alone. A line of more than `maxBytes` is a problem. */
export async function* readLines(
  content: Buffer,
  maxBytes: number,
): AsyncGenerator<({ line: number; text: string } | Problem)[]> {
  let line = 1;
  let from = 0;
  let read = 0;
  for await (const slice of slicesOf(content)) {
    read += slice.length;
    const batch: ({ line: number; text: string } | Problem)[] = [];
    for (let end = content.indexOf(LF, from); from < read; end = content.indexOf(LF, from)) {
      const isLast = end === -1;
      // A line that goes on in the next slices is read with the slice of its end.
      if (isLast ? read < content.length : end >= read) break;
      const bytes = content.subarray(from, isLast ? content.length : end);
      const text = bytes.length > maxBytes ? undefined : bytes.toString('utf8');
      if (text === undefined) batch.push({ line, problem: 'long-line', value: maxBytes });
      else if (/\S/.test(text)) batch.push({ line, text });
      line += 1;
      from = isLast ? content.length : end + 1;
    }
    yield batch;
  }
}
