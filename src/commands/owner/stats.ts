import { bar, columnsOf, isTerminal, printAnswer, printLine, printTable, styled } from './output.ts';
import { idOf, type Service } from './service.ts';

export type StatsOptions = {
  json?: true | undefined;
  from?: string | undefined;
  to?: string | undefined;
  by?: 'hour' | 'day' | undefined;
  tz?: string | undefined;
};

const MIN_BAR_COLUMNS = 10;

/** The beginning of an hour or a day, as clocks in the zone show it. */
function labelsOf(starts: readonly string[], by: 'hour' | 'day', timeZone: string): string[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    ...(by === 'hour' && { timeStyle: 'short' as const }),
  });
  return starts.map((start) => format.format(new Date(start)));
}

/** How many submissions there were by hour or day: a chart as wide as the terminal, or lines for other programs. */
export async function stats(service: Service, name: string, { json, ...range }: StatsOptions): Promise<void> {
  const id = await idOf(service, name);
  const query = {
    ...(range.from !== undefined && { from: range.from }),
    ...(range.to !== undefined && { to: range.to }),
    ...(range.by !== undefined && { by: range.by }),
    ...(range.tz !== undefined && { tz: range.tz }),
  };
  const { data, text } = await service.answer(
    service.api.GET('/deploy/{id}/stats', { params: { path: { id }, query } }),
  );
  if (json) return await printAnswer(text);
  const { buckets, total } = data;
  if (!isTerminal()) {
    await printTable(
      [],
      buckets.map(({ start, submissions }) => [start, String(submissions)]),
    );
    return;
  }
  const labels = labelsOf(
    buckets.map(({ start }) => start),
    range.by ?? 'day',
    range.tz ?? 'UTC',
  );
  const most = Math.max(1, ...buckets.map(({ submissions }) => submissions));
  const labelColumns = Math.max(0, ...labels.map(({ length }) => length));
  const numberColumns = most.toLocaleString('en').length;
  const columns = Math.max(MIN_BAR_COLUMNS, columnsOf(process.stdout) - labelColumns - numberColumns - 3);
  for (const [at, { submissions }] of buckets.entries()) {
    const filled = bar(submissions / most, columns).replaceAll('░', ' ');
    const number = submissions.toLocaleString('en').padStart(numberColumns);
    await printLine(
      `${(labels[at] ?? '').padEnd(labelColumns)} ${number} ${styled('green', filled.trimEnd())}`.trimEnd(),
    );
  }
  await printLine(styled('bold', `${'total'.padEnd(labelColumns)} ${total.toLocaleString('en')}`));
}
