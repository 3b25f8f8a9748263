import { createReadStream } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_LIMITS } from '../../limits.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { countOf } from './findings.ts';
import { untilInterrupted } from './interrupt.ts';
import { bar, columnsOf, createStatusLine, isTerminal, print, printableCsv, printableJson, say } from './output.ts';
import { ApiError, ConnectionError, idOf, isTransient, pause, piecesOf, type Service } from './service.ts';
import { replaceFile } from './write-file.ts';

export const FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];
const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
export type ExportOptions = { format: Format; output?: string | undefined; labels?: true | undefined };

const PROGRESS_COLUMNS = 40;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const CANNOT_GO_ON =
  'the connection broke, and what is printed cannot be taken back: begin again, or name a file with --output';

/** Where an export is written. `begin` leaves out what was written before; false where that can't be done. */
type Sink = { write(bytes: Uint8Array): Promise<void>; begin(): Promise<boolean> };

type Download = {
  service: Service;
  id: string;
  options: ExportOptions;
  sink: Sink;
  signal: AbortSignal;
  show: Show;
  tell: (line: string) => void;
};
type Show = (state: { records: number; bytes: number }) => void;

const pathOf = ({ id, options: { format, labels } }: Download, after?: string): string => {
  const query = new URLSearchParams({ ...(labels && { labels: '1' }), ...(after !== undefined && { after }) });
  return `/submissions/${encodeURIComponent(id)}/export.${format}${query.size > 0 ? `?${query}` : ''}`;
};

async function* download(from: Download, after?: string): AsyncGenerator<Uint8Array> {
  const abort = new AbortController();
  const signal = AbortSignal.any([from.signal, abort.signal]);
  const type = TYPES[from.options.format];
  yield* piecesOf(
    await from.service.open(pathOf(from, after), { type, signal }),
    COMMAND_LIMITS.exports.idleTimeoutMs,
    abort,
  );
}

/**
 * Runs tries until one succeeds. A broken connection costs a try unless the export came further than ever before: `furthest` says how far.
 */
async function untilWhole(
  { signal, tell }: Pick<Download, 'signal' | 'tell'>,
  attempt: () => Promise<void>,
  furthest: () => number,
): Promise<void> {
  let failures = 0;
  for (;;) {
    const before = furthest();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      failures = furthest() > before ? 1 : failures + 1;
      if (failures > COMMAND_LIMITS.exports.tries) throw error;
      tell(`${error.message}; going on in a moment`);
      await pause(failures, error, signal);
    }
  }
}

/** Where records end: behind line feeds, in CSV behind those outside quotes. It reads one piece after another. */
function createRecordEnds(isCsv: boolean): (piece: Uint8Array) => number[] {
  let isQuoted = false;
  return (piece) => {
    const ends: number[] = [];
    for (let at = 0; at < piece.length; at += 1) {
      if (piece[at] === LINE_FEED && !isQuoted) ends.push(at + 1);
      else if (isCsv && piece[at] === QUOTE) isQuoted = !isQuoted;
    }
    return ends;
  };
}

/** The id in the last line of whole lines of NDJSON. */
const lastIdOf = (lines: Buffer): string => JSON.parse(lines.toString('utf8', lines.lastIndexOf(LINE_FEED, -2) + 1)).id;

/**
 * CSV and NDJSON: only whole records are written. After a broken connection, NDJSON goes on behind the last submission that was
 * written. CSV begins again, because its columns may have changed. Answers how many submissions there are.
 */
async function exportRecords(from: Download): Promise<number> {
  const { sink, options, show } = from;
  const isCsv = options.format === 'csv';
  let lastId: string | undefined;
  let [records, bytes, furthest] = [0, 0, 0];

  async function attempt(): Promise<void> {
    if (bytes > 0 && lastId === undefined) {
      if (!(await sink.begin())) throw new CommandError(CANNOT_GO_ON);
      [records, bytes] = [0, 0];
    }
    const endsIn = createRecordEnds(isCsv);
    let unfinished: Uint8Array[] = [];
    for await (const piece of download(from, lastId)) {
      const ends = endsIn(piece);
      const end = ends.at(-1) ?? 0;
      if (end > 0) {
        const whole = Buffer.concat([...unfinished, piece.subarray(0, end)]);
        // The first record of CSV is the header row.
        records += ends.length - (isCsv && bytes === 0 ? 1 : 0);
        bytes += whole.length;
        await sink.write(whole);
        if (!isCsv) lastId = lastIdOf(whole);
        furthest = Math.max(furthest, bytes);
        show({ records, bytes });
        unfinished = [];
      }
      if (end < piece.length) unfinished.push(piece.subarray(end));
    }
    if (unfinished.length > 0) throw new ConnectionError('the connection broke in the middle of a submission');
  }

  await untilWhole(
    from,
    async () => {
      try {
        await attempt();
      } catch (error) {
        if (lastId === undefined || !(error instanceof ApiError) || error.status !== 404) throw error;
        lastId = undefined;
        throw new ConnectionError('the last submission that had arrived was deleted');
      }
    },
    () => furthest,
  );
  return records;
}

/** A workbook is compressed as a whole: it begins again. */
async function exportWorkbook(from: Download): Promise<undefined> {
  let hasBegun = false;
  await untilWhole(
    from,
    async () => {
      if (hasBegun && !(await from.sink.begin())) throw new CommandError(CANNOT_GO_ON);
      hasBegun = true;
      let bytes = 0;
      for await (const piece of download(from)) {
        await from.sink.write(piece);
        bytes += piece.length;
        from.show({ records: 0, bytes });
      }
    },
    () => 0,
  );
  return undefined;
}

function intoHandle(out: FileHandle): Sink {
  let position = 0;
  return {
    async write(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const { bytesWritten } = await out.write(bytes, from, bytes.length - from, position);
        from += bytesWritten;
        position += bytesWritten;
      }
    },
    async begin() {
      await out.truncate(0);
      position = 0;
      return true;
    },
  };
}

/** Lets `run` fill a file that then takes its name, or what is there if that is no file, such as /dev/null. */
async function intoOutput<T>(output: string, run: (sink: Sink) => Promise<T>): Promise<T> {
  const real = await fs.realpath(output).catch(() => output);
  const there = await fs.stat(real).catch(() => undefined);
  if (there?.isDirectory()) throw new CommandError(`${output} is a folder: name a file`);
  if (!there || there.isFile()) return await replaceFile(real, (out) => run(intoHandle(out)));
  const out = await fs.open(real, 'w');
  try {
    return await run({ write: (bytes) => out.writeFile(bytes), begin: async () => false });
  } finally {
    await out.close();
  }
}

/** Standard output; a terminal gets no control characters. */
function ontoStandardOutput(format: Format): Sink {
  const decoder = new TextDecoder();
  const shown = format === 'csv' ? printableCsv : printableJson;
  return {
    write: (bytes) => print(isTerminal() ? shown(decoder.decode(bytes, { stream: true })) : bytes),
    begin: async () => false,
  };
}

/** Writes all submissions of a deployment to a file, or to standard output. */
export const exportSubmissions = (service: Service, name: string, options: ExportOptions): Promise<void> =>
  untilInterrupted(async (signal) => {
    const { format } = options;
    const output = options.output === '-' ? undefined : options.output;
    if (format === 'xlsx' && output === undefined && isTerminal()) {
      throw new UsageError('a workbook cannot be printed on a terminal: add --output FILE');
    }
    if (options.labels && format === 'ndjson')
      throw new UsageError('--labels is for csv and xlsx, which have a header row');
    const id = await idOf(service, name);
    const { data } = await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } }, signal }));
    const status = createStatusLine();
    const show: Show = ({ records, bytes }) => {
      // A terminal that shows the submissions has no place for a bar.
      if (output !== undefined || !isTerminal()) status.show(progressLine(records, data.submission_count, bytes));
    };
    const tell = (line: string): void => {
      status.clear();
      say(line);
    };
    const from = { service, id, options, signal, show, tell };
    const run = (sink: Sink): Promise<number | undefined> =>
      format === 'xlsx' ? exportWorkbook({ ...from, sink }) : exportRecords({ ...from, sink });
    try {
      if (output !== undefined) {
        const records = await intoOutput(output, run);
        status.clear();
        say(`wrote ${records === undefined ? 'all submissions' : countOf(records, 'submission')} to ${output}`);
      } else if (format === 'xlsx') await throughFile(run);
      else await run(ontoStandardOutput(format));
    } finally {
      status.clear();
    }
  });

/** A workbook for a pipe is complete before its first byte is written. */
async function throughFile(run: (sink: Sink) => Promise<unknown>): Promise<void> {
  const folder = await fs.mkdtemp(join(tmpdir(), 'formhost-'));
  try {
    const file = join(folder, 'export.xlsx');
    await replaceFile(file, (out) => run(intoHandle(out)), 0o600);
    for await (const piece of createReadStream(file)) await print(piece);
  } finally {
    await fs.rm(folder, { recursive: true });
  }
}

function progressLine(records: number, total: number, bytes: number): string {
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  if (records === 0) return size;
  const columns = Math.max(0, Math.min(PROGRESS_COLUMNS, columnsOf(process.stderr) - 40));
  const share = total === 0 ? 1 : records / total;
  const percent = `${Math.min(100, Math.floor(share * 100))} %`.padStart(5);
  return `${bar(share, columns)} ${percent}  ${records.toLocaleString('en')} of ${total.toLocaleString('en')}  ${size}`;
}
