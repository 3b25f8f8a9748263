import { t } from '../../texts/chosen-texts.ts';
import { dayOf, dayStart } from '../../ui/time.tsx';

const DAY_MS = 86_400_000;
/** Few enough days to be shown by hour. */
const DAYS_BY_HOUR = 3;

export const RANGES = [
  { name: '24h', label: t.statistics.range.hours24, days: 1 },
  { name: '7d', label: t.statistics.range.days7, days: 7 },
  { name: '30d', label: t.statistics.range.days30, days: 30 },
  { name: '90d', label: t.statistics.range.days90, days: 90 },
] as const;

/** The times that a chart is about, as GET /deploy/:id/stats takes them: `from` is a time, or a day of the browser's zone. */
export type Range = { name: string; by: 'hour' | 'day'; from: string; to: string | undefined };

/** The range in an address, `?range=7d` or `?from=2026-11-01&to=2026-11-21`; 30 days when it names nothing that can be shown. */
export function rangeOf(query: Partial<Record<string, string>>): Range {
  const [starts, ends] = [dayStart(query.from), dayStart(query.to, 1)];
  if (starts && ends) {
    const days = (ends.getTime() - starts.getTime()) / DAY_MS;
    return { name: 'own', by: days > DAYS_BY_HOUR ? 'day' : 'hour', from: dayOf(starts), to: dayOf(ends) };
  }
  const { name, days } = RANGES.find((range) => range.name === query.range) ?? RANGES[2];
  const from = new Date();
  if (name === '24h') from.setHours(from.getHours() - 23, 0, 0, 0);
  else from.setDate(from.getDate() + 1 - days);
  return {
    name,
    by: name === '24h' ? 'hour' : 'day',
    from: name === '24h' ? from.toISOString() : dayOf(from),
    to: undefined,
  };
}
