import { z } from 'zod';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import {
  beforeOf,
  type Position,
  type SearchedPage,
  searchSubmissions,
} from '../../../db/submissions/search-submissions.ts';
import { firstNumbersAt } from '../../../db/submissions/statistics-queries.ts';
import { STATUSES, type Status } from '../../../db/submissions/submission-mark-queries.ts';
import { hasTestsBehind, testsBetween } from '../../../db/submissions/test-submission-queries.ts';
import { MAX_FORM_NAME_CHARS, toFormName } from '../../../forms/forms-of-page.ts';
import { createMatcher } from '../../../forms/submission-search.ts';
import { refused } from '../../../problems/refusal.ts';
import type { Place } from '../../../problems/value-errors.ts';
import type { App } from '../../app.ts';
import type { Settings } from '../../operation/declaration.ts';
import { badQuery, NOT_BEFORE, timeBound } from '../../request/query-values.ts';

/*
 * Filters of submissions, in queries and bodies, and the search that obeys them.
 */

const MAX_QUERY_CHARS = 200;

const onlyIf = (name: string, description: string) =>
  z.literal('true', `${name} is invalid: send true{once}, or leave it out.`).optional().meta({ description });

/** The fields of a filter. */
export const filterFields = {
  q: z
    .string('q is invalid: send it once.')
    .max(MAX_QUERY_CHARS, `q is too long: send at most ${MAX_QUERY_CHARS} characters.`)
    .optional()
    .meta({
      description:
        'A text to find in the names or values of fields, or the names of files, as a person sees them, whatever the case.',
      short: 'A text in names or values.',
      example: 'ada',
    }),
  from: timeBound('from').meta({
    description: 'The first time of receipt that counts, in ISO 8601; a day is one in UTC.',
    short: 'Time or day (ISO 8601), included.',
  }),
  to: timeBound('to').meta({
    description: 'The first time of receipt that no longer counts.',
    short: 'Before this time or day.',
  }),
};
export const onlyUnread = 'Only submissions that are not marked as read.';
export const onlyStarred = 'Only submissions with a star.';
export const isInvalidStatus = `status is invalid: send ${STATUSES.join(' or ')}, or leave it out.`;
export const onlyStatus = z
  .enum(STATUSES, isInvalidStatus)
  .optional()
  .meta({ description: 'Only submissions with this status: `open` or `done`.', short: 'open or done.' });

const isInvalidForm = 'form is invalid: send the name of a form, as a submission has it{once}.';
export const onlyForm = z
  .string(isInvalidForm)
  .max(MAX_FORM_NAME_CHARS, `form is too long: send at most ${MAX_FORM_NAME_CHARS} characters.`)
  .refine((text) => toFormName(text) !== null, refused('wrong-format', isInvalidForm))
  .optional()
  .meta({
    description: 'Only submissions of the form with this name, of a page with several.',
    short: 'The name of a form.',
    example: 'contact',
  });

/** The filter in the query of a URL. */
export const FilterQuery = z.object({
  ...filterFields,
  unread: onlyIf('unread', onlyUnread),
  starred: onlyIf('starred', onlyStarred),
  status: onlyStatus,
  form: onlyForm,
});
export type Filter = { q?: string | undefined; from?: string | undefined; to?: string | undefined } & {
  [Mark in 'unread' | 'starred']?: unknown;
} & { status?: Status | undefined; form?: string | undefined };

/** Where a search goes on. */
export const cursorField = (pattern: RegExp) =>
  z
    .string('cursor is invalid: send the next_cursor of an answer{once}.')
    .regex(pattern, 'cursor is invalid: send the next_cursor of an answer.')
    .optional()
    .meta({ description: 'The `next_cursor` of the answer before.', short: 'The last next_cursor.' });

/** The number of a submission, where 0 is `-0`; with a test behind it, that of the test too. */
export const cursor = cursorField(/^(?:-?[1-9][0-9]{0,14}|-0|(?:0|-?[1-9][0-9]{0,14})\.[1-9][0-9]{0,14})$/);
/** A position in the submissions of one page, as a cursor, and back. */
export function cursorAt({ number, test }: { number: number; test: number }): string {
  if (test > 0) return `${number}.${test}`;
  return number === 0 ? '-0' : String(number);
}
export function positionAt(text: string): { number: number; test: number } {
  const [number, test = 0] = text.split('.').map(Number);
  return { number: number ?? 0, test };
}

/** The times of a filter; throws 400 where they leave nothing. `place`: that of its `from`. */
export function timesOf(
  { from, to }: Filter,
  place: Place = { parameter: 'from' },
): { from: Date | undefined; to: Date | undefined } {
  const [start, end] = [from, to].map((text) => (text === undefined ? undefined : new Date(text)));
  if (start && end && start >= end) throw badQuery([{ ...place, code: 'conflict', detail: NOT_BEFORE }]);
  return { from: start, to: end };
}

/** The search of a filter without its times, and the time that one request may take. */
export const searchOf = ({ limits: { reads } }: App, { q, unread, starred, status, form }: Filter) => ({
  matches: q ? createMatcher(q) : () => true,
  unread: unread !== undefined,
  starred: starred !== undefined,
  status,
  form: form === undefined ? undefined : (toFormName(form) ?? undefined),
  maxMs: reads.searchMs,
  turnMs: reads.searchSliceMs,
});

/** The submissions that the times and the cursor of a filter cover; throws 400. */
export async function rangeOf(
  db: Database,
  { id, firstSubmissionNumber, lastSubmissionNumber }: Deployment,
  { cursor, ...filter }: Filter & { cursor?: string | undefined },
  place?: Place,
): Promise<SearchedPage> {
  const { from: start, to: end } = timesOf(filter, place);
  const [first = firstSubmissionNumber] = start ? await firstNumbersAt(db, id, [start]) : [];
  const [last = lastSubmissionNumber + 1] = end ? await firstNumbersAt(db, id, [end]) : [];
  const range = { deploymentId: id, after: first - 1, before: last, tests: testsBetween(start, end) };
  if (cursor === undefined) return range;
  const position = positionAt(cursor);
  return { ...range, before: Math.min(last, beforeOf(position)), tests: { ...range.tests, ...position } };
}

/** Searches one deployment. `next`: the cursor that goes on; null at the end. */
export async function search(
  app: App,
  deployment: Deployment,
  filter: Filter & { cursor?: string | undefined },
  { limit, place }: { limit: number; place?: Place },
) {
  const range = await rangeOf(app.db, deployment, filter, place);
  const { next, ...found } = await searchSubmissions(app.db, [range], { ...searchOf(app, filter), limit });
  return { ...found, next: next && (await isMoreBehind(app.db, range, next)) ? cursorAt(next) : null };
}

/** Returns whether something stands behind a position: perhaps, where only reading it would tell. */
async function isMoreBehind(db: Database, range: SearchedPage, position: Position): Promise<boolean> {
  return beforeOf(position) > range.after + 1 || (await hasTestsBehind(db, range, position));
}

/** Shared by the commands that search. */
export const SEARCH_COMMAND = {
  as: { from: '--from <time>', to: '--to <time>' },
  texts: {
    q: 'text to find, in any case; "" finds all',
    from: 'received from this time or day on',
    to: 'received before this time or day',
    unread: 'only what is not marked as read',
    starred: 'only what has a star',
    status: 'only what is open, or done',
    form: 'only what this form of the page has sent',
  },
  shows: 'submissions',
  counts: { of: ({ submissions }: { submissions: readonly unknown[] }) => submissions.length, outcome: 'found' },
} as const;

export const boundedSearch = ({ limits }: Settings): string =>
  `A request works for ${limits.reads.searchMs / 1_000} second at most: it returns what it has found by then, and the ` +
  '`next_cursor` for the rest.';
