import { type Command, Option } from '@commander-js/extra-typings';
import { CommandError, UsageError } from '../command-error.ts';
import { COMMAND_LIMITS } from '../command-limits.ts';
import { declare } from '../declare.ts';
import { countOf, megabytes, printAnswer, printLine, say } from '../output.ts';
import { type Connect, connectToPage } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { readPage, STANDARD_INPUT } from './page-file.ts';

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
type Format = keyof typeof TYPES;

/** The words of an error about a field, in place of its name. */
const OPTIONS = {
  time: '--time',
  ip: '--ip',
  leave_out: '--leave-out',
  time_zone: '--time-zone',
  date_order: '--date-order',
};

/** A large file on a slow line, and the time in which the service stores the most rows. */
const IMPORT_TIMEOUT_MS = 15 * 60_000;

/** Says now and then that work goes on. */
async function withNotices<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const notice = setInterval(() => {
    say(`the import goes on, after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }, COMMAND_LIMITS.importNoticeMs);
  return await work().finally(() => clearInterval(notice));
}

const collected = (name: string, before: string[] | undefined): string[] => [...(before ?? []), name];

/** The format of a file, by the end of its name. */
function formatOf(file: string): Format {
  if (/\.(?:ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.(?:csv|tsv|txt)$/i.test(file)) return 'csv';
  throw new UsageError(`--format is needed for ${file === STANDARD_INPUT ? 'standard input' : file}: csv or ndjson`);
}

/** Sends a file with earlier submissions of a page. */
export const declareImport = (submissions: Command, connect: Connect): unknown =>
  declare(
    submissions,
    'import',
    'Import earlier submissions of a page from a file',
    'All rows are imported, or none. Where the page has submissions, each row has a time before the oldest of them.',
    '$ submissions import contact submissions.csv',
    '$ submissions import contact answers.csv --time Timestamp --date-order month-first',
    '$ submissions import contact entries.csv --time "Submitted at" --leave-out Status --leave-out "Entry ID"',
  )
    .argument('<id>', 'the page, by its id or its slug')
    .argument('<file>', 'CSV with a header row, or NDJSON; - is standard input')
    .addOption(
      new Option('--format <format>', 'csv or ndjson (by the name of the file)').choices(['csv', 'ndjson'] as const),
    )
    .option('--time <column>', 'column with the time (created_at)')
    .option('--ip <column>', 'column with the IP address (ip_address)')
    .option('--leave-out <column>', 'column that is not imported; can be given more than once', collected)
    .option('--time-zone <zone>', 'time zone of times without one, such as Europe/Berlin (yours)')
    .addOption(
      new Option('--date-order <order>', 'order of day and month in times such as 5/1/2024').choices([
        'day-first',
        'month-first',
      ] as const),
    )
    .action(async (name, file, { json, format, time, ip, leaveOut, timeZone, dateOrder }) => {
      const type = TYPES[format ?? formatOf(file)];
      const { service, id } = await connectToPage(connect, name, OPTIONS);
      const body = await readPage(file);
      const query = {
        ...(time !== undefined && { time }),
        ...(ip !== undefined && { ip }),
        ...(leaveOut && { leave_out: JSON.stringify(leaveOut) }),
        ...(timeZone !== undefined && { time_zone: timeZone }),
        ...(dateOrder && { date_order: dateOrder }),
      };
      await untilInterrupted(async (signal) => {
        say(`sending ${megabytes(body.length)}`);
        const params = { path: { deployId: id }, query };
        const headers = { 'Content-Type': type };
        const api = service.apiWithin(IMPORT_TIMEOUT_MS);
        const { data, text } = await withNotices(() =>
          service.answer(api.POST('/submissions/{deployId}/import', { params, body, headers, signal })),
        );
        if (data.errors.length > 0) {
          if (json) await printAnswer(text);
          else for (const { line, message } of data.errors) say(`line ${line}: ${message}`);
          throw new CommandError('nothing was imported: correct these lines of the file, or say what its columns are');
        }
        if (json) await printAnswer(text);
        else await printLine(String(data.imported));
        say(`imported ${countOf(data.imported, 'submission')}`);
      });
    });
