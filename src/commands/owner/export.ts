import fs from 'node:fs/promises';
import { CommandError, UsageError } from '../command-error.ts';
import { COMMAND_LIMITS } from '../limits.ts';
import { isTerminal, megabytes, print, printableCsv, printableJson, say } from '../output.ts';
import { replaceFile } from '../write-file.ts';
import { untilInterrupted } from './interrupt.ts';
import { ConnectionError, isTransient, pause, type Service } from './service.ts';

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
type Format = keyof typeof TYPES;
export type ExportOptions = { format: Format; output?: string | undefined; labels?: true | undefined };

const LINE_FEED = 0x0a;

/** Downloads an export. `after`: the id of the last submission that is not needed. */
async function* download(
  service: Service,
  id: string,
  { format, labels }: ExportOptions,
  signal: AbortSignal,
  after?: string,
): AsyncGenerator<Uint8Array> {
  const query = new URLSearchParams({ ...(labels && { labels: '1' }), ...(after !== undefined && { after }) });
  const path = `/submissions/${encodeURIComponent(id)}/export.${format}${query.size > 0 ? `?${query}` : ''}`;
  yield* await service.open(path, { type: TYPES[format], signal, idleMs: COMMAND_LIMITS.exports.idleTimeoutMs });
}

/** Downloads NDJSON in whole lines. After a broken connection it goes on after the last submission that has arrived. */
async function* downloadLines(
  service: Service,
  id: string,
  options: ExportOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let lastId: string | undefined;
  for (let failures = 0; ; ) {
    let rest = Buffer.alloc(0);
    try {
      for await (const piece of download(service, id, options, signal, lastId)) {
        const text = Buffer.concat([rest, piece]);
        const end = text.lastIndexOf(LINE_FEED) + 1;
        rest = text.subarray(end);
        if (end === 0) continue;
        yield text.subarray(0, end);
        lastId = JSON.parse(text.toString('utf8', text.lastIndexOf(LINE_FEED, end - 2) + 1, end)).id;
        failures = 0;
      }
      if (rest.length === 0) return;
      throw new ConnectionError('the connection broke in the middle of a submission');
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (failures > COMMAND_LIMITS.exports.tries || !isTransient(error)) throw error;
      say(`${error.message}; going on in a moment`);
      await pause(failures, error, signal);
    }
  }
}

async function printPieces(pieces: AsyncIterable<Uint8Array>, format: Format): Promise<void> {
  const decoder = new TextDecoder();
  const shown = format === 'csv' ? printableCsv : printableJson;
  for await (const piece of pieces) {
    await print(isTerminal() ? shown(decoder.decode(piece, { stream: true })) : piece);
  }
}

/** Writes a file when everything has arrived. What is no file, such as /dev/null, is written at once. */
export async function saveTo(output: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const real = await fs.realpath(output).catch(() => output);
  const there = await fs.stat(real).catch(() => undefined);
  if (there?.isDirectory()) throw new CommandError(`${output} is a folder: name a file`);
  let bytes = 0;
  const write = async (out: fs.FileHandle): Promise<void> => {
    for await (const piece of pieces) {
      await out.writeFile(piece);
      bytes += piece.length;
    }
  };
  if (!there || there.isFile()) await replaceFile(real, write);
  else {
    await using out = await fs.open(real, 'w');
    await write(out);
  }
  say(`wrote ${megabytes(bytes)} to ${output}`);
}

/** Writes all submissions of a deployment to a file, or to standard output. */
export const exportSubmissions = (service: Service, id: string, options: ExportOptions): Promise<void> =>
  untilInterrupted(async (signal) => {
    const { format, labels } = options;
    const output = options.output === '-' ? undefined : options.output;
    if (format === 'xlsx' && output === undefined && isTerminal()) {
      throw new UsageError('a workbook cannot be printed on a terminal: add --output FILE');
    }
    if (labels && format === 'ndjson') throw new UsageError('--labels is for csv and xlsx, which have a header row');
    // A page that is not there, or a service that is away, is no reason to try again.
    await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } }, signal }));
    const pieces = (format === 'ndjson' ? downloadLines : download)(service, id, options, signal);
    await (output === undefined ? printPieces(pieces, format) : saveTo(output, pieces));
  });
