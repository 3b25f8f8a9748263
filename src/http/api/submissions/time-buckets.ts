/*
 * Hours and days of a time zone (IANA), with daylight saving: days of 23 and 25 hours, and days without a midnight.
 */

const HOUR = 3_600_000;
const UNITS = { hour: HOUR, day: 24 * HOUR } as const;
export type Unit = keyof typeof UNITS;

/** Milliseconds by which local time is ahead of UTC at an instant. */
type OffsetAt = (instant: number) => number;

/** Returns whether `Intl` knows the time zone by this name. Offsets such as +01:00 are not names of zones. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && offsetIn(name) !== undefined;
  } catch {
    return false;
  }
}

// "GMT", "GMT+05:30", or with seconds before there were zones.
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Throws RangeError when there is no such zone. */
function offsetIn(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const read: OffsetAt = (instant) => {
    const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(instant)) ?? [];
    const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -ahead : ahead;
  };
  // Days of UTC whose ends have the same offset: no zone changes it twice in a day, and a look costs microseconds.
  const steady = new Map<number, number | undefined>();
  return (instant) => {
    const day = Math.floor(instant / UNITS.day);
    if (!steady.has(day)) {
      const offset = read(day * UNITS.day);
      steady.set(day, offset === read((day + 1) * UNITS.day) ? offset : undefined);
    }
    return steady.get(day) ?? read(instant);
  };
}

/** The first instant at which local time is `local` or later; `local` in milliseconds, as if it were UTC. */
function instantOf(local: number, offsetAt: OffsetAt): number {
  const before = offsetAt(local - UNITS.day);
  const after = offsetAt(local + UNITS.day);
  if (before === after) return local - before;
  const instants = [local - before, local - after].toSorted((a, b) => a - b);
  // No instant has this local time if the clock was put forward over it. Then the offset before the change counts.
  return instants.find((instant) => instant + offsetAt(instant) === local) ?? local - before;
}

/** Returns the function that tells the instant of a local time, which is in milliseconds as if it were UTC. */
export function localClock(timeZone: string): (local: number) => number {
  const offsetAt = offsetIn(timeZone);
  return (local) => instantOf(local, offsetAt);
}

/** The instant at which a day such as 2026-11-22 begins, or the one so many days after it. */
export const startOfDay = (date: string, timeZone: string): number => instantOf(Date.parse(date), offsetIn(timeZone));

/** The instant at which the day of an instant begins, or the day so many days before that. */
export function startOfDayBefore(instant: number, days: number, timeZone: string): number {
  const offsetAt = offsetIn(timeZone);
  const local = instant + offsetAt(instant);
  return instantOf(local - modulo(local, UNITS.day) - days * UNITS.day, offsetAt);
}

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

/**
 * The starts of the hours or days from that of `from` to the last before `to`, in milliseconds since 1970; at most one
 * more than `max`.
 */
export function startsBetween(
  { from, to, by, timeZone }: { from: number; to: number; by: Unit; timeZone: string },
  max: number,
): number[] {
  const offsetAt = offsetIn(timeZone);
  const local = from + offsetAt(from);
  const first = local - modulo(local, UNITS[by]);
  const starts: number[] = [];
  let start = by === 'day' ? instantOf(first, offsetAt) : first - offsetAt(from);
  for (let count = 1; start < to && starts.length <= max; count += 1) {
    // A zone that moved to the other side of the date line has skipped a day.
    if (start !== starts.at(-1)) starts.push(start);
    // Not every hour has 60 minutes: the next begins when the clock next shows a full one.
    const untilNext = HOUR - modulo(start + offsetAt(start), HOUR);
    start = by === 'day' ? instantOf(first + count * UNITS.day, offsetAt) : start + untilNext;
  }
  return starts;
}
