import type { z } from 'zod';
import { errorKind, HttpError } from './errors.ts';
import { invalidNumber } from './paging.ts';

export const badQuery = errorKind(
  {
    id: 'BadQuery',
    description: 'A parameter of the query has no such value, or is given twice; also for the reasons of any request.',
  },
  (message: string) => new HttpError(400, message),
  invalidNumber('limit'),
);

/** The query of a URL; throws 400. A parameter that is given more than once is a list, which no schema accepts. */
export function readQuery<S extends z.ZodObject>(url: string, schema: S): z.infer<S> {
  const query = new URLSearchParams(/\?(.*)/s.exec(url)?.[1] ?? '');
  const given = Object.keys(schema.shape).map((name) => {
    const values = query.getAll(name);
    return [name, values.length > 1 ? values : values[0]];
  });
  const read = schema.safeParse(Object.fromEntries(given));
  if (!read.success) throw badQuery(read.error.issues[0]?.message ?? '');
  return read.data;
}
