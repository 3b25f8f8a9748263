import { HttpError } from './errors.ts';

const MOST = 2 ** 31 - 1;
const MOST_ON_A_PAGE = 100;
const DEFAULT_LIMIT = 50;

/** A query parameter that counts from 1: digits only, given at most once. */
function count(query: URLSearchParams, name: string, fallback: number): number {
  const [text, ...more] = query.getAll(name);
  if (text === undefined) return fallback;
  const value = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (more.length > 0 || value < 1 || value > MOST) {
    throw new HttpError(400, `${name} is invalid: send a whole number from 1 to ${MOST}, once.`);
  }
  return value;
}

/** The page of a list that a URL asks for; throws 400. A higher limit than there is becomes that. */
export function readPaging(url: string): { page: number; limit: number } {
  const query = new URLSearchParams(/\?(.*)/s.exec(url)?.[1] ?? '');
  return {
    page: count(query, 'page', 1),
    limit: Math.min(count(query, 'limit', DEFAULT_LIMIT), MOST_ON_A_PAGE),
  };
}
