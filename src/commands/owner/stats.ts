import { type Command, Option } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { columnsOf, isTerminal, printAnswer, printLine, printTable, styled } from '../output.ts';
import { type Connect, connectToPage } from './service.ts';

const MIN_BAR_COLUMNS = 10;

/** Prints how many submissions there were by hour or day: bars on a terminal, or lines for other programs. */
export const declareStats = (program: Command, connect: Connect): unknown =>
  forPage(program, 'stats', 'Count submissions by day or hour', '$ stats contact --by hour --tz Europe/Berlin')
    .option('--from <time>', 'from this time or day on (30 days ago)')
    .option('--to <time>', 'before this time or day')
    .addOption(new Option('--by <unit>', 'day or hour').choices(['day', 'hour'] as const))
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (UTC)')
    .action(async (name, { json, from, to, by, tz }) => {
      const { service, id } = await connectToPage(connect, name);
      const query = { ...(from && { from }), ...(to && { to }), ...(by && { by }), ...(tz && { tz }) };
      const { data, text } = await service.answer(
        service.api.GET('/deploy/{id}/stats', { params: { path: { id }, query } }),
      );
      if (json) return await printAnswer(text);
      if (isTerminal()) return await printChart(data, by === 'hour', tz);
      const rows = data.buckets.map(({ start, submissions }) => [start, submissions]);
      await printTable([], rows);
    });

type Statistics = { buckets: readonly { start: string; submissions: number }[]; total: number };

async function printChart({ buckets, total }: Statistics, isByHour: boolean, timeZone = 'UTC'): Promise<void> {
  // Swedish writes dates as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    ...(isByHour && { timeStyle: 'short' as const }),
  });
  const most = Math.max(1, ...buckets.map(({ submissions }) => submissions));
  const labelColumns = isByHour ? '2026-01-01 00:00'.length : '2026-01-01'.length;
  const numberColumns = most.toLocaleString('en').length;
  const columns = Math.max(MIN_BAR_COLUMNS, columnsOf(process.stdout) - labelColumns - numberColumns - 3);
  for (const { start, submissions } of buckets) {
    const number = submissions.toLocaleString('en').padStart(numberColumns);
    const bar = '█'.repeat(Math.round((submissions / most) * columns));
    await printLine(`${clock.format(new Date(start))} ${number} ${styled('green', bar)}`.trimEnd());
  }
  await printLine(styled('bold', `${'total'.padEnd(labelColumns)} ${total.toLocaleString('en')}`));
}
