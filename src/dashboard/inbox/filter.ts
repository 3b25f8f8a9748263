import { DASHBOARD_LIMITS } from '../limits.ts';

/** The submissions that a list shows. */
export type Filter = {
  q: string;
  /** Days in the zone of the browser, such as 2026-01-31, or empty. */
  from: string;
  to: string;
  unread: boolean;
  starred: boolean;
};

export const NO_FILTER: Filter = { q: '', from: '', to: '', unread: false, starred: false };

export const isFiltered = ({ q, from, to, unread, starred }: Filter): boolean =>
  q !== '' || from !== '' || to !== '' || unread || starred;

/** A day as a date field has it; empty when it is none. */
const dayIn = (text = ''): string => (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');

/** The filter in an address. */
export const filterOf = (query: Readonly<Record<string, string>>): Filter => ({
  q: (query.q ?? '').slice(0, DASHBOARD_LIMITS.inbox.queryChars),
  from: dayIn(query.from),
  to: dayIn(query.to),
  unread: query.unread === '1',
  starred: query.starred === '1',
});

/** The end of an address that has this filter. */
export function searchOf({ q, from, to, unread, starred }: Filter): string {
  const parameters = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(unread && { unread: '1' }),
    ...(starred && { starred: '1' }),
  }).toString();
  return parameters === '' ? '' : `?${parameters}`;
}

/** The time at which a day begins in the zone of the browser; `later`: so many days after it. */
function startOf(day: string, later = 0): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return day === '' || Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

/** The filter as the API takes it. */
export function queryOf({ q, from, to, unread, starred }: Filter) {
  const [start, end] = [startOf(from), startOf(to, 1)];
  return {
    ...(q !== '' && { q }),
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
    ...(unread && { unread: 'true' as const }),
    ...(starred && { starred: 'true' as const }),
  };
}
