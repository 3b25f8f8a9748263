import { CsvError, type InfoRecord, parse } from 'csv-parse';
import type { LineFault, Problem } from '../problems/line-faults.ts';
import { slicesOf } from './file-text.ts';

/** A record of a CSV file. `line`: where it begins, from 1. */
export type CsvRecord = { line: number; cells: readonly string[] };

const LF = 0x0a;
const CR = 0x0d;

const SEPARATORS = [',', ';', '\t'] as const;
/** The first line by which Excel learns of a separator. */
const SEPARATOR_LINE = /^sep=([,;\t])\r?\n/;
/** Bytes at the beginning of a file in which its separator is looked for. */
const HEAD_BYTES = 64 * 1024;

/** Counts lines of a file as it is read: `\n`, `\r\n` and `\r` end one. */
class LineCount {
  readonly #content: Buffer;
  #at = 0;
  #line: number;

  constructor(content: Buffer, firstLine: number) {
    this.#content = content;
    this.#line = firstLine;
  }

  /** The line on which the record begins that comes next, behind lines without content. */
  next(): number {
    while (this.#isEndOfLine(this.#at)) this.#step();
    return this.#line;
  }

  /** Counts on to a byte. */
  moveTo(byte: number): void {
    while (this.#at < byte) this.#step();
  }

  #isEndOfLine(at: number): boolean {
    return this.#content[at] === LF || this.#content[at] === CR;
  }

  #step(): void {
    const isCounted =
      this.#content[this.#at] === LF || (this.#content[this.#at] === CR && this.#content[this.#at + 1] !== LF);
    if (isCounted) this.#line += 1;
    this.#at += 1;
  }
}

/** Returns the separator that the first record has most of, outside of quotes. */
function separatorOf(head: string): string {
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const character of head) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '\n' || character === '\r') break;
    else if (counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return Array.from(counts).reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** The faults by the codes of the parser. */
const FAULTS: Readonly<Record<string, LineFault>> = {
  CSV_QUOTE_NOT_CLOSED: 'open-quote',
  CSV_INVALID_CLOSING_QUOTE: 'early-quote',
  INVALID_OPENING_QUOTE: 'inner-quote',
  CSV_MAX_RECORD_SIZE: 'long-row',
};

/** Settles as the callback of a call says. */
const settled = (call: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));

/**
 * Reads the records of a CSV file (RFC 4180) in UTF-8, in batches: separated by commas, semicolons or tabs, whichever the first record has.
 * Ends with a problem where it can't read on. `maxChars`: of a record.
 */
export async function* readCsv(content: Buffer, maxChars: number): AsyncGenerator<(CsvRecord | Problem)[]> {
  const head = content.toString('utf8', 0, HEAD_BYTES).replace(/^[\r\n]+/, '');
  const [declared = '', separator = separatorOf(head)] = SEPARATOR_LINE.exec(head) ?? [];
  const rest = content.subarray(declared === '' ? 0 : content.indexOf(declared) + declared.length);
  const lines = new LineCount(rest, declared === '' ? 1 : 2);
  let batch: (CsvRecord | Problem)[] = [];
  const parser = parse({
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: maxChars,
    relax_column_count: true,
    skip_empty_lines: true,
    on_record(cells: string[], { bytes }: InfoRecord) {
      batch.push({ line: lines.next(), cells });
      lines.moveTo(bytes);
      // The parser keeps no record itself then.
      return null;
    },
  });
  // Each failure also reaches the callback of its call.
  parser.on('error', () => undefined).resume();
  const write = (slice: Buffer): Promise<void> => settled((done) => void parser.write(slice, done));
  const end = (): Promise<void> => settled((done) => void parser.once('error', done).end(done));
  try {
    for await (const slice of slicesOf(rest)) {
      await write(slice);
      yield batch;
      batch = [];
    }
    await end();
    yield batch;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield [...batch, { line: lines.next(), problem: FAULTS[error.code] ?? 'unreadable-row' }];
  } finally {
    parser.destroy();
  }
}
