import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { dayStart } from '../ui/time.tsx';

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

/** The filter in an address. */
export const filterOf = (query: Readonly<Record<string, string>>): Filter => ({
  q: (query.q ?? '').slice(0, DASHBOARD_LIMITS.inbox.queryChars),
  from: dayStart(query.from) ? (query.from ?? '') : '',
  to: dayStart(query.to) ? (query.to ?? '') : '',
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

/** The filter as the API takes it. */
export function queryOf({ q, from, to, unread, starred }: Filter) {
  const [start, end] = [dayStart(from), dayStart(to, 1)];
  return {
    ...(q !== '' && { q }),
    ...(start && { from: start.toISOString() }),
    ...(end && { to: end.toISOString() }),
    ...(unread && { unread: 'true' as const }),
    ...(starred && { starred: 'true' as const }),
  };
}
