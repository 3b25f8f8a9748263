import { columnsOf, isTerminal, type Output, printAnswer, printLine, printTable, styled } from '../output.ts';
import type { Service } from './service.ts';

export type StatsOptions = Output & {
  from?: string | undefined;
  to?: string | undefined;
  by?: 'hour' | 'day' | undefined;
  tz?: string | undefined;
};

const MIN_BAR_COLUMNS = 10;

/** Prints how many submissions there were by hour or day: bars on a terminal, or lines for other programs. */
export async function stats(service: Service, id: string, { json, from, to, by, tz }: StatsOptions): Promise<void> {
  const query = { ...(from && { from }), ...(to && { to }), ...(by && { by }), ...(tz && { tz }) };
  const { data, text } = await service.answer(
    service.api.GET('/deploy/{id}/stats', { params: { path: { id }, query } }),
  );
  if (json) return await printAnswer(text);
  const { buckets, total } = data;
  if (!isTerminal()) {
    return await printTable(
      [],
      buckets.map(({ start, submissions }) => [start, String(submissions)]),
    );
  }
  // Swedish writes dates as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: tz ?? 'UTC',
    dateStyle: 'short',
    ...(by === 'hour' && { timeStyle: 'short' as const }),
  });
  const most = Math.max(1, ...buckets.map(({ submissions }) => submissions));
  const labelColumns = by === 'hour' ? '2026-01-01 00:00'.length : '2026-01-01'.length;
  const numberColumns = most.toLocaleString('en').length;
  const columns = Math.max(MIN_BAR_COLUMNS, columnsOf(process.stdout) - labelColumns - numberColumns - 3);
  for (const { start, submissions } of buckets) {
    const number = submissions.toLocaleString('en').padStart(numberColumns);
    const bar = '█'.repeat(Math.round((submissions / most) * columns));
    await printLine(`${clock.format(new Date(start))} ${number} ${styled('green', bar)}`.trimEnd());
  }
  await printLine(styled('bold', `${'total'.padEnd(labelColumns)} ${total.toLocaleString('en')}`));
}
