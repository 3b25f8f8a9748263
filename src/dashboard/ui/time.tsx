import type { JSX } from 'preact';

const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const long = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** The zone of the browser. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** A time of the API, in the zone and the language of the browser. */
export const Time = ({ at, isShort = false }: { at: string; isShort?: boolean }): JSX.Element => (
  <time dateTime={at} title={long.format(new Date(at))}>
    {(isShort ? short : full).format(new Date(at))}
  </time>
);

export const numbers = new Intl.NumberFormat();

/** A count with its noun: `1 submission`, `12,000 submissions`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numbers.format(count)} ${count === 1 ? one : many}`;
