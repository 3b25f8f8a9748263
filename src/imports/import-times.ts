/*
 * Times as form services and spreadsheets write them: RFC 3339, what JavaScript and mails write, days by numbers, and seconds or
 * milliseconds since 1970.
 */

/** Longer texts are no times. */
const MAX_CHARS = 100;

/** A time, in milliseconds since 1970: one for each order of day and month, or the same where there is only one. */
export type ReadTime = { dayFirst: number | undefined; monthFirst: number | undefined };

/** Returns the instant of a local time, which is in milliseconds as if it were UTC. */
export type InstantOf = (local: number) => number;

/** Minutes by which zones are ahead of UTC: those of mails (RFC 5322, 4.3) and of Europe. Others have several meanings. */
const ZONES: Readonly<Record<string, number>> = {
  ...{ Z: 0, UT: 0, UTC: 0, GMT: 0, WET: 0, WEST: 60, CET: 60, CEST: 120, EET: 120, EEST: 180 },
  ...{ EST: -300, EDT: -240, CST: -360, CDT: -300, MST: -420, MDT: -360, PST: -480, PDT: -420 },
};
const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAME = `(${MONTHS.join('|')})[a-z]{0,6}\\.?`;
const WEEKDAY = '(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6},? )?';

const CLOCK = '(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?(?: ?([ap])\\.?m\\.?)?';
const OFFSET = '(?:UTC|GMT)?[+\\-]\\d{1,2}(?::?\\d\\d)?';
/** The time of day, with a zone, behind a day. */
const REST = `(?:(?:T|,? (?:at )?)${CLOCK}(?: ?(${OFFSET}|${Object.keys(ZONES).join('|')})(?: \\([^()]*\\))?)?)?$`;
const pattern = (day: string): RegExp => new RegExp(`^${day}${REST}`, 'i');

const YEAR_FIRST = pattern('(\\d{4})([\\-/.])(\\d{1,2})\\2(\\d{1,2})');
const YEAR_LAST = pattern('(\\d{1,2})([\\-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)');
const DAY_NAMED = pattern(`${WEEKDAY}(\\d{1,2})[ \\-]${MONTH_NAME}[ \\-](\\d{4})`);
const MONTH_NAMED = pattern(`${WEEKDAY}${MONTH_NAME} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})`);
/** Seconds, or milliseconds, since 1970. */
const EPOCH = /^(?:(\d{9,10})(\.\d{1,9})?|(\d{12,13}))$/;

type Rest = (string | undefined)[];

/** The instant of a day and the rest of a match; undefined where the calendar or the clock has none. */
function instant(
  [year, month, day]: readonly [number, number, number],
  rest: Rest,
  instantOf: InstantOf,
): number | undefined {
  const [hourText = '0', minuteText = '0', secondText = '0', fraction = '', half, zone] = rest;
  const [hour, minute, second] = [Number(hourText), Number(minuteText), Number(secondText)];
  const isOfHalf = half === undefined || (hour >= 1 && hour <= 12);
  if (hour > 23 || minute > 59 || second > 59 || !isOfHalf) return undefined;
  const hours = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const date = Date.UTC(year, month - 1, day);
  const read = new Date(date);
  if (read.getUTCFullYear() !== year || read.getUTCMonth() !== month - 1 || read.getUTCDate() !== day) return undefined;
  const local = date + ((hours * 60 + minute) * 60 + second) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  if (zone === undefined) return instantOf(local);
  const ahead = minutesOf(zone);
  return ahead === undefined ? undefined : local - ahead * 60_000;
}

/** Minutes by which a zone is ahead of UTC. */
function minutesOf(zone: string): number | undefined {
  const named = ZONES[zone.toUpperCase()];
  if (named !== undefined) return named;
  const [, sign, hours = '', minutes = '0'] = /([+-])(\d{1,2})(?::?(\d\d))?$/.exec(zone) ?? [];
  const ahead = Number(hours) * 60 + Number(minutes);
  return ahead > 15 * 60 || Number(minutes) > 59 ? undefined : sign === '-' ? -ahead : ahead;
}

const same = (ms: number | undefined): ReadTime | undefined =>
  ms === undefined ? undefined : { dayFirst: ms, monthFirst: ms };

const fullYear = (year: string): number => (year.length === 2 ? 2_000 + Number(year) : Number(year));

const monthOf = (name = ''): number => MONTHS.indexOf(name.toLowerCase()) + 1;

/** Reads a time; undefined where it is none. `instantOf`: of a time without a zone. */
export function readTime(given: string, instantOf: InstantOf): ReadTime | undefined {
  if (given.length > MAX_CHARS) return undefined;
  const text = given.trim().replaceAll(/\s+/g, ' ');
  const [, seconds, part = '', milliseconds] = EPOCH.exec(text) ?? [];
  if (seconds !== undefined) return same(Math.floor(Number(seconds + part) * 1_000));
  if (milliseconds !== undefined) return same(Number(milliseconds));
  const [yearFirst, year, , month, date, ...rest] = YEAR_FIRST.exec(text) ?? [];
  if (yearFirst !== undefined) return same(instant([Number(year), Number(month), Number(date)], rest, instantOf));
  const numbers = YEAR_LAST.exec(text);
  if (numbers) return ofNumbers(numbers, instantOf);
  const [dayNamed, day, name, ofYear, ...behindDay] = DAY_NAMED.exec(text) ?? [];
  if (dayNamed !== undefined) return same(instant([Number(ofYear), monthOf(name), Number(day)], behindDay, instantOf));
  const [monthNamed, inName, inDay, inYear, ...behindMonth] = MONTH_NAMED.exec(text) ?? [];
  if (monthNamed === undefined) return undefined;
  return same(instant([Number(inYear), monthOf(inName), Number(inDay)], behindMonth, instantOf));
}

/** A day such as 5/1/2024, in both orders. With dots, the day is first everywhere. */
function ofNumbers(
  [, one = '', separator, other = '', year = '', ...rest]: RegExpExecArray,
  instantOf: InstantOf,
): ReadTime | undefined {
  const [first, second, inYear] = [Number(one), Number(other), fullYear(year)];
  const dayFirst = instant([inYear, second, first], rest, instantOf);
  if (separator === '.') return same(dayFirst);
  const monthFirst = instant([inYear, first, second], rest, instantOf);
  return dayFirst === undefined && monthFirst === undefined ? undefined : { dayFirst, monthFirst };
}
