import { z } from 'zod';
import { HttpError } from './errors.ts';

const MOST = 2 ** 31 - 1;
const MOST_ON_A_PAGE = 100;
const DEFAULT_LIMIT = 50;

/** A query parameter that counts from 1: digits only, given at most once. */
function count(name: string, fallback: number) {
  const problem = `${name} is invalid: send a whole number from 1 to ${MOST}, once.`;
  return z.preprocess(
    (text) => (typeof text === 'string' && /^[0-9]+$/.test(text) ? Number(text) : text),
    z.int(problem).min(1, problem).max(MOST, problem).default(fallback),
  );
}

export const Paging = z.object({
  page: count('page', 1).meta({ description: 'Page number, from 1. A page past the end is empty.' }),
  limit: count('limit', DEFAULT_LIMIT).meta({
    description: `Items on a page. More than ${MOST_ON_A_PAGE} is served, and answered, as ${MOST_ON_A_PAGE}.`,
  }),
});

/** What an answer says of the page it is. */
export const paged = {
  page: z.int().min(1).max(MOST).meta({ description: 'The page that this is.' }),
  limit: z.int().min(1).max(MOST_ON_A_PAGE).meta({ description: 'How many items a page has at most.' }),
};

/** The page of a list that a URL asks for; throws 400. A higher limit than there is becomes that. */
export function readPaging(url: string): { page: number; limit: number } {
  const query = new URLSearchParams(/\?(.*)/s.exec(url)?.[1] ?? '');
  const given = (name: string): string | string[] | undefined => {
    const values = query.getAll(name);
    return values.length > 1 ? values : values[0];
  };
  const read = Paging.safeParse({ page: given('page'), limit: given('limit') });
  if (!read.success) throw new HttpError(400, read.error.issues[0]?.message ?? '');
  return { page: read.data.page, limit: Math.min(read.data.limit, MOST_ON_A_PAGE) };
}
