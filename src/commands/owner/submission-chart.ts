import { columnsOf, isTerminal, printLine, printTable, styled } from '../output.ts';

const MIN_BAR_COLUMNS = 10;

type Statistics = { buckets: readonly { start: string; submissions: number }[]; total: number };

/** Prints how many submissions there were by hour or day: bars on a terminal, or lines for other programs. `by`, `tz`: those of the request. */
export async function printStatistics(json: string, { by, tz }: Readonly<Record<string, unknown>>): Promise<void> {
  const statistics: Statistics = JSON.parse(json);
  if (isTerminal()) return await printChart(statistics, by === 'hour', typeof tz === 'string' ? tz : 'UTC');
  await printTable(
    [],
    statistics.buckets.map(({ start, submissions }) => [start, submissions]),
  );
}

async function printChart({ buckets, total }: Statistics, isByHour: boolean, timeZone: string): Promise<void> {
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
