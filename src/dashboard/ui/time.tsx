import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { locale, t } from '../texts/chosen-texts.ts';

/** How often times such as "5 minutes ago" are told anew. */
const CLOCK_MS = 60_000;

const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' });
const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const shortAgo = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' });

/** The zone of the browser. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** A day of the browser's zone as `<input type="date">` has it: Swedish dates are written like 2026-01-31. */
export const dayOf = (at: Date): string => at.toLocaleDateString('sv');

/** When a day begins in the browser's zone, or the day that many days later; undefined when it is no day. */
export function dayStart(day = '', later = 0): Date | undefined {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(start.getTime()) ? start : undefined;
}

/** The time, as often as times that are shown change. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, CLOCK_MS);

/** How long ago it was, or will be: in minutes, hours, or days of a week; further away, the date. */
function distance(at: Date, format: Intl.RelativeTimeFormat): string {
  const minutes = (at.getTime() - now.value) / 60_000;
  if (Math.abs(minutes) < 1) return format.format(0, 'second');
  if (Math.abs(minutes) < 60) return format.format(Math.trunc(minutes), 'minute');
  const hours = minutes / 60;
  if (Math.abs(hours) < 24) return format.format(Math.trunc(hours), 'hour');
  const days = hours / 24;
  return Math.abs(days) < 7 ? format.format(Math.trunc(days), 'day') : date.format(at);
}

/** A time of the API: how far away it is, and exactly when in the zone of the browser, for people who point at it. */
export const Time = ({ at, isShort = false }: { at: string; isShort?: boolean }): JSX.Element => (
  <time dateTime={at} title={exact.format(new Date(at))}>
    {distance(new Date(at), isShort ? shortAgo : ago)}
  </time>
);

/** A day and a time in the zone of the browser. */
export const exactTime = (at: string): string => minute.format(new Date(at));

/** A time in the past of which only the hour is known. */
export const RoughTime = ({ at }: { at: string }): JSX.Element => (
  <>{now.value - Date.parse(at) < 3_600_000 ? t.bar.inTheLastHour : distance(new Date(at), ago)}</>
);
