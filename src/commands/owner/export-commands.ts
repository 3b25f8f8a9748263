import fs from 'node:fs/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import { CommandError, UsageError } from '../command-error.ts';
import { declare, forPage } from '../declare.ts';
import { isTerminal, megabytes, type Output, print, printableLines, printLine, say } from '../output.ts';
import { replaceFile } from '../write-file.ts';
import { type Connect, ConnectionError, connectToPage, isTransient, pause, type Service } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
type Format = keyof typeof TYPES;

/** Tries in a row that bring nothing new. */
const TRIES = 6;
/** The service reads all submissions for their columns before the first byte of CSV. */
export const IDLE_TIMEOUT_MS = 120_000;
export const OUTPUT = 'write this file, when all has arrived; - is standard output';
const LINE_FEED = 0x0a;

/** Writes all submissions of a page to a file, or to standard output. */
export const declareExport = (program: Command, connect: Connect): unknown =>
  forPage(
    program,
    'export',
    'Get all submissions as a file',
    '--json is the same as --format ndjson. After a broken connection ndjson goes on where it was; csv and xlsx fail.',
    '$ export contact --format csv --output contact.csv',
    '$ export contact --format ndjson | jq -r .data.email',
  )
    .addOption(new Option('--format <format>', 'csv, ndjson or xlsx').choices(['csv', 'ndjson', 'xlsx'] as const))
    .option('--output <file>', OUTPUT)
    .option('--labels', 'labels of the form in the header row, instead of names (csv and xlsx)')
    .action(async (name, { json, labels, ...options }) => {
      const format = options.format ?? (json ? 'ndjson' : undefined);
      if (format === undefined) throw new UsageError('--format is needed: csv, ndjson or xlsx');
      if (json && format !== 'ndjson') throw new UsageError(`--json cannot be ${format}: leave one of them out`);
      const output = options.output === '-' ? undefined : options.output;
      if (format === 'xlsx' && output === undefined && isTerminal()) {
        throw new UsageError('a workbook cannot be printed on a terminal: add --output FILE');
      }
      if (labels && format === 'ndjson') throw new UsageError('--labels is for csv and xlsx, which have a header row');
      const { service, id } = await connectToPage(connect, name);
      await untilInterrupted(async (signal) => {
        // A page that is not there, or a service that is away, is no reason to try again.
        await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } }, signal }));
        const pieces =
          format === 'ndjson'
            ? downloadLines(service, id, signal)
            : download(service, id, format, labels ? { labels: '1' } : {}, signal);
        await (output === undefined ? printPieces(pieces) : saveTo(output, pieces));
      });
    });

/** Downloads an export. */
async function* download(
  service: Service,
  id: string,
  format: Format,
  query: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const path = `/submissions/${encodeURIComponent(id)}/export.${format}?${new URLSearchParams(query)}`;
  yield* await service.open(path, { type: TYPES[format], signal, idleMs: IDLE_TIMEOUT_MS });
}

/** Downloads NDJSON in whole lines. After a broken connection it goes on after the last submission that has arrived. */
async function* downloadLines(service: Service, id: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let query = {};
  for (let failures = 0; ; ) {
    let rest = Buffer.alloc(0);
    try {
      for await (const piece of download(service, id, 'ndjson', query, signal)) {
        const text = Buffer.concat([rest, piece]);
        const end = text.lastIndexOf(LINE_FEED) + 1;
        rest = text.subarray(end);
        if (end === 0) continue;
        yield text.subarray(0, end);
        query = { after: JSON.parse(text.toString('utf8', text.lastIndexOf(LINE_FEED, end - 2) + 1, end)).id };
        failures = 0;
      }
      if (rest.length === 0) return;
      throw new ConnectionError('the connection broke in the middle of a submission');
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (failures > TRIES || !isTransient(error)) throw error;
      say(`${error.message}; going on in a moment`);
      await pause(failures, error, signal);
    }
  }
}

async function printPieces(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    await print(isTerminal() ? printableLines(decoder.decode(piece, { stream: true })) : piece);
  }
}

/** Writes a file when everything has arrived. Anything that is no file, such as /dev/null, is written at once. */
async function saveTo(output: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
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

export function declareFiles(program: Command, connect: Connect): void {
  const group = program.command('files').description('Get the files that visitors have sent');
  declare(
    group,
    'get',
    'Get a file of a submission',
    '$ files get /submissions/d_0Vbb…/sub_0Vbb…/files/file_0Vbb… --output cv.pdf',
  )
    .argument('<url>', 'the url that the submission has for the file')
    .option('--output <file>', OUTPUT)
    .action((url, options) =>
      getFile(options, async (signal) => {
        const service = await connect();
        return service.open(pathOf(service, url), { type: '', signal, idleMs: IDLE_TIMEOUT_MS });
      }),
    );
}

/** Writes a file that the service has to a file here, or to standard output, but not to a terminal. `open` asks for it. */
export async function getFile(
  { json, output }: Output & { output?: string | undefined },
  open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>,
): Promise<void> {
  const isPrinted = output === undefined || output === '-';
  if (isPrinted && (json || isTerminal())) throw new UsageError('a file is not printed here: add --output FILE');
  await untilInterrupted(async (signal) => {
    const pieces = await open(signal);
    if (isPrinted) {
      for await (const piece of pieces) await print(piece);
      return;
    }
    await saveTo(output, pieces);
    if (json) await printLine(JSON.stringify({ file: output }));
  });
}

/** The path of a file: its `url` in a submission, or the same with the address of this service. Throws a CommandError. */
function pathOf(service: Service, url: string): string {
  const address = URL.parse(url, service.url);
  if (address?.origin === service.url && /^\/submissions\/[^/]+\/[^/]+\/files\/[^/]+$/.test(address.pathname)) {
    return address.pathname;
  }
  throw new CommandError(`${url} is not a file at ${service.url}: give the url that a submission has for it`);
}
