import { toFormName } from '../../forms/forms-of-page.ts';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { fill, locale, t } from '../texts/chosen-texts.ts';
import { dayOf, dayStart } from '../ui/time.tsx';

/** The submissions that a list shows. */
export type Filter = {
  q: string;
  /** Days in the zone of the browser, such as 2026-01-31, or empty. */
  from: string;
  to: string;
  unread: boolean;
  starred: boolean;
  /** Says if the owner is done with them; empty for both. */
  status: '' | 'open' | 'done';
  /** The name of the form, of several; empty for all. */
  form: string;
};

export const NO_FILTER: Filter = { q: '', from: '', to: '', unread: false, starred: false, status: '', form: '' };

/** True if a text or times are looked for, in whatever folder. */
export const isSearch = ({ q, from, to }: Filter): boolean => q !== '' || from !== '' || to !== '';

export const isFiltered = (filter: Filter): boolean =>
  isSearch(filter) || filter.unread || filter.starred || filter.status !== '' || filter.form !== '';

/** The filter in an address. */
export const filterOf = (query: Readonly<Record<string, string>>): Filter => ({
  q: (query.q ?? '').slice(0, DASHBOARD_LIMITS.inbox.queryChars),
  from: dayStart(query.from) ? (query.from ?? '') : '',
  to: dayStart(query.to) ? (query.to ?? '') : '',
  unread: query.unread === '1',
  starred: query.starred === '1',
  status: query.status === 'open' || query.status === 'done' ? query.status : '',
  form: toFormName(query.form ?? '') ?? '',
});

/** The end of an address that has this filter. */
export function searchOf({ q, from, to, unread, starred, status, form }: Filter): string {
  const parameters = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(unread && { unread: '1' }),
    ...(starred && { starred: '1' }),
    ...(status !== '' && { status }),
    ...(form !== '' && { form }),
  }).toString();
  return parameters === '' ? '' : `?${parameters}`;
}

/** The filter as the API takes it. */
export function queryOf({ q, from, to, unread, starred, status, form }: Filter) {
  const [start, end] = [dayStart(from), dayStart(to, 1)];
  return {
    ...(q !== '' && { q }),
    ...(start && { from: start.toISOString() }),
    ...(end && { to: end.toISOString() }),
    ...(unread && { unread: 'true' as const }),
    ...(starred && { starred: 'true' as const }),
    ...(status !== '' && { status }),
    ...(form !== '' && { form }),
  };
}

type Days = Pick<Filter, 'from' | 'to'>;

/** Times that people ask for often, up to today. */
export function presets(now = new Date()): readonly (Days & { label: string })[] {
  const daysAgo = (days: number): string => {
    const at = new Date(now);
    at.setDate(at.getDate() - days);
    return dayOf(at);
  };
  const to = dayOf(now);
  const firstOfMonth = dayOf(new Date(now.getFullYear(), now.getMonth(), 1));
  return [
    { label: t.inbox.dates.today, from: to, to },
    { label: t.inbox.dates.last7Days, from: daysAgo(6), to },
    { label: t.inbox.dates.last30Days, from: daysAgo(29), to },
    { label: t.inbox.dates.thisMonth, from: firstOfMonth, to },
  ];
}

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const inWords = (text: string): string => day.format(dayStart(text) ?? new Date());

/** The times of a filter in words; empty without them. */
export function daysInWords({ from, to }: Days): string {
  const preset = presets().find((one) => one.from === from && one.to === to);
  if (preset) return preset.label;
  const { between, since, until } = t.inbox.dates;
  if (from !== '' && to !== '') {
    return from === to ? inWords(from) : fill(between, { from: inWords(from), to: inWords(to) });
  }
  if (from !== '') return fill(since, { day: inWords(from) });
  return to === '' ? '' : fill(until, { day: inWords(to) });
}
