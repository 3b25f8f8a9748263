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
export function readQuery<S extends z.ZodObject>(url: string, schema: S): z.infer<S> {
  const read = schema.safeParse(queryValues(url, Object.keys(schema.shape)));
  if (!read.success) throw badQuery(read.error.issues[0]?.message ?? '');
  return read.data;
}
