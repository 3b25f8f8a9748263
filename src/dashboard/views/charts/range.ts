/** As many days as the service counts at a time. */
export const MAX_DAYS = 1_000;
/** Few enough days to be shown by hour. */
const DAYS_BY_HOUR = 3;

/** The times that a chart is about, as they are in the address: `?range=7d`, or `?from=2026-11-01&to=2026-11-21`. */
export type Range = {
  name: RangeName;
  by: 'hour' | 'day';
  /** A value that GET /deploy/:id/stats takes: a time, or a day of the browser's zone. */
  from: string;
  to: string | undefined;
  /** When it begins and ends, in milliseconds since 1970. */
  starts: number;
  ends: number;
};

export const RANGES = [
  { name: '24h', label: '24 hours', days: undefined },
  { name: '7d', label: '7 days', days: 7 },
  { name: '30d', label: '30 days', days: 30 },
  { name: '90d', label: '90 days', days: 90 },
] as const;

type RangeName = (typeof RANGES)[number]['name'] | 'own';

const HOURS = 24;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** A day of the browser's zone as `<input type="date">` has it. */
export const dayOf = (date: Date): string =>
  `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;

/** When a day begins, or the day that many days later. */
function dayStart(day: string, later = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + later);
}

const daysBefore = (now: Date, days: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);

/** Whole days from the first to the last, both included; undefined when that is none, or more than can be counted. */
export function ownRange(first: string, last: string): Range | undefined {
  const starts = dayStart(first);
  const ends = dayStart(last, 1);
  if (!starts || !ends || starts >= ends) return undefined;
  const days = Math.round((ends.getTime() - starts.getTime()) / (24 * 60 * 60 * 1_000));
  if (days > MAX_DAYS) return undefined;
  return {
    name: 'own',
    by: days <= DAYS_BY_HOUR ? 'hour' : 'day',
    from: dayOf(starts),
    to: dayOf(ends),
    starts: starts.getTime(),
    ends: ends.getTime(),
  };
}

/** The range in the address; 30 days when it names nothing that can be shown. */
export function rangeOf(query: Partial<Record<string, string>>, now = new Date()): Range {
  const own = ownRange(query.from ?? '', query.to ?? '');
  if (own) return own;
  if (query.range === '24h') {
    const hour = new Date(now);
    hour.setMinutes(0, 0, 0);
    const starts = hour.getTime() - (HOURS - 1) * 60 * 60 * 1_000;
    const from = new Date(starts).toISOString();
    return { name: '24h', by: 'hour', from, to: undefined, starts, ends: now.getTime() };
  }
  const { name, days } = RANGES.find((range) => range.name === query.range && range.days !== undefined) ?? RANGES[2];
  const starts = daysBefore(now, (days ?? 1) - 1);
  return { name, by: 'day', from: dayOf(starts), to: undefined, starts: starts.getTime(), ends: now.getTime() };
}
