import { type LineError, type Problem, toLineError } from '../problems/line-faults.ts';
import { SIZES } from '../sizes.ts';
import { shortened } from './import-columns.ts';
import { type Reading, type Row, readRows } from './import-rows.ts';
import { type InstantOf, readTime } from './import-times.ts';

/** How the times of a file are read. `now`: the time of rows without one, and the last that is possible. */
export type TimeReading = { instantOf: InstantOf; now: number };

/** The file has more rows than an import may have. */
export class TooManyRows extends Error {}

const { maxRows, maxErrors } = SIZES.import;
const FIRST_TIME = 0;

/** The times of the rows of a file, in the order of the file, in milliseconds since 1970. */
export type Plan = { times: readonly number[]; bytes: number; isTimed: boolean };

/** The rows of a file as they are read: their times, which may have two meanings until all are known, and their errors. */
class Rows {
  readonly errors: LineError[] = [];
  readonly dayFirst: number[] = [];
  readonly monthFirst: number[] = [];
  /** Lines with a time that only one order can mean, and with one that both can. */
  onlyDayFirst: number | undefined;
  onlyMonthFirst: number | undefined;
  ambiguous: number | undefined;
  bytes = 0;
  isTimed = true;
  readonly #times: TimeReading;

  constructor(times: TimeReading) {
    this.#times = times;
  }

  get count(): number {
    return this.dayFirst.length;
  }

  add({ line, time, data }: Row): void {
    const { instantOf, now } = this.#times;
    this.bytes += Buffer.byteLength(data);
    if (time === undefined) {
      this.isTimed = false;
      this.#addTimes(now, now);
      return;
    }
    const read = readTime(time, instantOf);
    if (!read) this.fail({ line, problem: 'no-time', value: shortened(time) });
    const { dayFirst, monthFirst } = read ?? { dayFirst: now, monthFirst: now };
    if (dayFirst === undefined) this.onlyMonthFirst ??= line;
    else if (monthFirst === undefined) this.onlyDayFirst ??= line;
    else if (dayFirst !== monthFirst) this.ambiguous ??= line;
    this.#addTimes(dayFirst ?? Number.NaN, monthFirst ?? Number.NaN, line);
  }

  fail(problem: Problem): void {
    if (this.errors.length < maxErrors) this.errors.push(toLineError(problem));
  }

  #addTimes(dayFirst: number, monthFirst: number, line = 0): void {
    const { now } = this.#times;
    const isBetween = (ms: number): boolean => Number.isNaN(ms) || (ms >= FIRST_TIME && ms <= now);
    if (!isBetween(dayFirst) && !isBetween(monthFirst)) {
      this.fail({ line, problem: Math.min(dayFirst, monthFirst) < FIRST_TIME ? 'before-1970' : 'in-future' });
    }
    this.dayFirst.push(dayFirst);
    this.monthFirst.push(monthFirst);
  }
}

/** The times of rows, in the order of day and month that they show, or that is given. Adds an error where there is none. */
function timesOf(rows: Rows, { dateOrder }: Reading['mapping'], now: number): readonly number[] {
  const { onlyDayFirst, onlyMonthFirst, ambiguous, dayFirst, monthFirst } = rows;
  if (dateOrder === 'day-first' && onlyMonthFirst !== undefined)
    rows.fail({ line: onlyMonthFirst, problem: 'month-first' });
  else if (dateOrder === 'month-first' && onlyDayFirst !== undefined)
    rows.fail({ line: onlyDayFirst, problem: 'day-first' });
  else if (onlyDayFirst !== undefined && onlyMonthFirst !== undefined) {
    rows.fail({
      line: Math.max(onlyDayFirst, onlyMonthFirst),
      problem: 'other-order',
      value: Math.min(onlyDayFirst, onlyMonthFirst),
    });
  } else if (
    ambiguous !== undefined &&
    dateOrder === undefined &&
    onlyDayFirst === undefined &&
    onlyMonthFirst === undefined
  ) {
    rows.fail({ line: ambiguous, problem: 'either-order' });
  }
  const isDayFirst = dateOrder === undefined ? onlyMonthFirst === undefined : dateOrder === 'day-first';
  const times = isDayFirst ? dayFirst : monthFirst;
  if (rows.errors.length === 0 && times.some((ms) => ms < FIRST_TIME || ms > now)) {
    rows.fail({ line: ambiguous ?? 0, problem: 'impossible-order' });
  }
  return times;
}

/**
 * Reads a file for its times and errors, which are the first ones in the order of their lines. Throws UnreadableFile, TooManyRows, and what
 * `signal` says.
 */
export async function planImport(
  content: Buffer,
  reading: Reading,
  times: TimeReading,
  signal: AbortSignal,
): Promise<Plan | { errors: LineError[] }> {
  const rows = new Rows(times);
  let count = 0;
  for await (const batch of readRows(content, reading)) {
    signal.throwIfAborted();
    count += batch.length;
    if (count > maxRows) throw new TooManyRows();
    for (const row of batch) {
      if ('problem' in row) rows.fail(row);
      else rows.add(row);
    }
  }
  const read = timesOf(rows, reading.mapping, times.now);
  const { errors, bytes, isTimed } = rows;
  if (errors.length > 0) return { errors: errors.toSorted((one, other) => one.line - other.line) };
  return { times: read, bytes, isTimed };
}

/** The rows of a file in the order of their times. Those of the same time keep the order of the file, or the reverse if it begins with the newest. */
export function orderOf(times: readonly number[]): Uint32Array {
  const isNewestFirst = (times[0] ?? 0) > (times.at(-1) ?? 0);
  const order = Uint32Array.from({ length: times.length }, (_, index) => index);
  const timeAt = (index: number): number => times[index] ?? 0;
  return order.sort((one, other) => timeAt(one) - timeAt(other) || (isNewestFirst ? other - one : one - other));
}
