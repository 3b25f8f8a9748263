import type { IncomingMessage } from 'node:http';
import { pathOf } from './hosts.ts';
import { queryOf } from './query-values.ts';

/*
 * The header Link (RFC 8288), with which lists lead to their other pages.
 */

/** Which page of a list an answer is. */
type Page = { total: number; page: number; limit: number };

/** The header, for the declaration of an answer. */
export const LINK_HEADER = {
  Link: {
    description: 'The next page and the previous one, if there are any: `</deploy?page=3>; rel="next"`.',
    required: false,
    schema: { type: 'string' },
  },
} as const;

/** A link to a path with the query of a request, in which `changes` replace parameters. */
function linkTo(
  rel: 'next' | 'prev',
  path: string,
  { url }: IncomingMessage,
  changes: Readonly<Record<string, number | string>>,
): string {
  const query = new URLSearchParams(queryOf(url));
  for (const [name, value] of Object.entries(changes)) query.set(name, String(value));
  return `<${path}${query.size > 0 ? '?' : ''}${query}>; rel="${rel}"`;
}

/** The link from an answer that ends at a cursor; `place`: the path and the parameters of the next request. */
export const nextLink = (
  request: IncomingMessage,
  { path = pathOf(request), ...changes }: { path?: string; cursor?: number | string },
): { Link: string } => ({ Link: linkTo('next', path, request, changes) });

const isPage = (answer: unknown): answer is Page =>
  answer instanceof Object && 'total' in answer && 'page' in answer && 'limit' in answer;

/** The links from a page of a list to its neighbours; nothing where an answer is none, or has none. */
export function pageLinks(request: IncomingMessage, answer: unknown): { Link?: string } {
  if (!isPage(answer)) return {};
  const { total, page, limit } = answer;
  const last = Math.max(1, Math.ceil(total / limit));
  const links = [
    ...(page < last ? [linkTo('next', pathOf(request), request, { page: page + 1 })] : []),
    ...(page > 1 ? [linkTo('prev', pathOf(request), request, { page: Math.min(page - 1, last) })] : []),
  ];
  return links.length > 0 ? { Link: links.join(', ') } : {};
}
