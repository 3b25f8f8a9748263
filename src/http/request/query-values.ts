import { z } from 'zod';
import { issueTemplate, valueErrors } from '../../problems/from-zod.ts';
import { refused } from '../../problems/refusal.ts';
import type { ValueError } from '../../problems/value-errors.ts';
import { errorKind, HttpError } from '../response/errors.ts';
import { invalidNumber } from './paging.ts';

export const badQuery = errorKind(
  {
    id: 'BadQuery',
    description: 'A parameter of the query has no such value, or is given twice; also for the reasons of any request.',
  },
  (errors: readonly ValueError[], message: string = errors[0]?.detail ?? '') =>
    new HttpError(400, message, {}, { errors }),
  [{ parameter: 'limit', code: 'wrong-type', detail: invalidNumber('limit') }],
);

/** The query of a URL, without the question mark. */
export const queryOf = (url: string | undefined): string => /\?(.*)/s.exec(url ?? '')?.[1] ?? '';

/** The parameters of a URL's query with these names, if they are given. One that is given more than once is a list. */
export function queryValues(url: string | undefined, names: readonly string[]): Record<string, string | string[]> {
  const query = new URLSearchParams(queryOf(url));
  return Object.fromEntries(
    names.flatMap((name) => {
      const [first, ...more] = query.getAll(name);
      return first === undefined ? [] : [[name, more.length > 0 ? [first, ...more] : first]];
    }),
  );
}

/** The query of a URL; throws 400. No schema accepts a list. */
export const readQuery = <S extends z.ZodObject>(url: string, schema: S): z.infer<S> =>
  checkQuery(queryValues(url, Object.keys(schema.shape)), schema);

/** The parameters of a query, as the schema says; throws 400. */
export function checkQuery<S extends z.ZodObject>(values: Readonly<Record<string, unknown>>, schema: S): z.infer<S> {
  const read = schema.safeParse(values);
  if (read.success) return read.data;
  const { issues } = read.error;
  const errors = valueErrors(issues, values, Object.keys(schema.shape), ([name]) => ({ parameter: String(name) }));
  throw badQuery(errors, issues[0] && issueTemplate(issues[0]));
}

const FIRST_YEAR = '1970';
const END_YEAR = '9999';

const invalidTime = (name: string): string =>
  `${name} is invalid: send a time such as 2026-11-22T10:00:00Z or a day such as 2026-11-22{once}.{plus}`;
/** The error of a range that ends before it begins. */
export const NOT_BEFORE = '{from} is not before {to}: {send} an earlier {from}, or a later {to}.';
/** The pattern in the reference; `Time` knows the calendar. */
const TIME_OR_DAY = /^\d{4}-\d\d-\d\d(?:T[0-9:.]+(?:Z|[+-]\d\d:\d\d))?$/;
const Time = z.union([
  z.iso.datetime({ offset: true }),
  // To the minute.
  z.iso.datetime({ offset: true, precision: -1 }),
  z.iso.date(),
]);

/** A time with Z or an offset, or a day, that begins or ends a range; optional. */
export const timeBound = (name: string) =>
  z
    .string(invalidTime(name))
    .regex(TIME_OR_DAY, invalidTime(name))
    .refine((text) => Time.safeParse(text).success, refused('wrong-format', invalidTime(name)))
    // Postgres reads no year 0000, and an offset can lead beyond 9999.
    .refine(
      (text) => text >= FIRST_YEAR && text < END_YEAR,
      refused('not-allowed', `${name} is out of range: send a time of the years ${FIRST_YEAR} to 9998.`),
    )
    .optional();
