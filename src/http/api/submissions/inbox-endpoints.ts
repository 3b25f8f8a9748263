import { z } from 'zod';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { markAsSpam } from '../../../db/spam/spam-moves.ts';
import { type FoundSubmission, findFound } from '../../../db/submissions/found-submissions.ts';
import {
  beforeOf,
  type Position,
  type SearchedPage,
  searchSubmissions,
} from '../../../db/submissions/search-submissions.ts';
import { firstNumbersAt } from '../../../db/submissions/statistics-queries.ts';
import {
  type MarkChange,
  markSubmissions,
  STATUSES,
  type Status,
} from '../../../db/submissions/submission-mark-queries.ts';
import { submissionJson } from '../../../db/submissions/submission-queries.ts';
import {
  deleteTests,
  hasTestsBehind,
  markTests,
  testsBetween,
} from '../../../db/submissions/test-submission-queries.ts';
import { trashSubmissions } from '../../../db/submissions/trashed-submission-queries.ts';
import { MAX_FORM_NAME_CHARS, toFormName } from '../../../forms/forms-of-page.ts';
import { createMatcher } from '../../../forms/submission-search.ts';
import { SUBMISSION_ID } from '../../../lib/ids.ts';
import { refused } from '../../../problems/refusal.ts';
import type { Place } from '../../../problems/value-errors.ts';
import { LINES } from '../../../settings/values.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { Settings } from '../../operation/declaration.ts';
import { jsonText } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { REPLACES } from '../../operation/tool.ts';
import { invalidField } from '../../request/json-body.ts';
import { LINK_HEADER, nextLink } from '../../request/link-header.ts';
import { Paging } from '../../request/paging.ts';
import { badQuery, NOT_BEFORE, timeBound } from '../../request/query-values.ts';
import {
  answerObject,
  countField,
  flagField,
  positiveField,
  textField,
  textOrNull,
} from '../../request/shared-fields.ts';
import type { HttpError } from '../../response/errors.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { Listed, noSuchSubmission, ownSubmission } from './submission-endpoints.ts';

const MAX_QUERY_CHARS = 200;
/** Characters (code points) of a note. */
const MAX_NOTE_CHARS = 2_000;
/** More than maxBulkIds ids take. */
const MAX_BULK_BODY_BYTES = 256 * 1024;

export const InboxSubmissionBody = answerObject('InboxSubmission', {
  ...Listed.shape,
  read: flagField('Whether somebody has marked it as read. Reading it over the API does not.', true),
  starred: flagField('Whether it has a star.', false),
  note: textField("The owner's note about it; empty at first.", 'Called back on Monday'),
  status: z
    .enum(STATUSES)
    .meta({ description: '`done` once the owner has said so; `open` at first.', example: 'open' }),
  form: textOrNull(
    'The form of the page that has sent it: its `form-name`, else the name or the id of the form, else the heading in or before it. ' +
      'null where the page had one form, and where the form is not known.',
    null,
  ),
  test: flagField('Whether the owner has sent it to test the form. It is no submission then.', false),
  page_version: positiveField('The version of the page that was live when it was accepted.', 1),
});
const Results = answerObject('SearchResults', {
  submissions: z.array(InboxSubmissionBody),
  next_cursor: textOrNull('Where the next request goes on; null at the end.', null),
  searched: countField('How many submissions this request has looked at.', 1),
  total: countField('How many submissions the deployment has.', 1),
});
const Done = answerObject('BulkDone', {
  done: countField('How many submissions this has changed.', 1),
  next_cursor: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Only for a `filter`: where the next request goes on; null at the end.', example: null }),
});

const onlyIf = (name: string, description: string) =>
  z.literal('true', `${name} is invalid: send true{once}, or leave it out.`).optional().meta({ description });

/** The fields of a filter. */
const filterFields = {
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
    short: 'Time or day (ISO 8601), not included.',
  }),
};
const onlyUnread = 'Only submissions that are not marked as read.';
const onlyStarred = 'Only submissions with a star.';
const isInvalidStatus = `status is invalid: send ${STATUSES.join(' or ')}, or leave it out.`;
const onlyStatus = z
  .enum(STATUSES, isInvalidStatus)
  .optional()
  .meta({ description: 'Only submissions with this status: `open` or `done`.', short: 'open or done.' });

const isInvalidForm = 'form is invalid: send the name of a form, as a submission has it{once}.';
const onlyForm = z
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
    .meta({ description: 'The `next_cursor` of the answer before.', short: 'The cursor of the answer before.' });

/** The number of a submission, where 0 is `-0`; with a test behind it, that of the test too. */
const cursor = cursorField(/^(?:-?[1-9][0-9]{0,14}|-0|(?:0|-?[1-9][0-9]{0,14})\.[1-9][0-9]{0,14})$/);
/** A position in the submissions of one page, as a cursor, and back. */
export function cursorAt({ number, test }: { number: number; test: number }): string {
  if (test > 0) return `${number}.${test}`;
  return number === 0 ? '-0' : String(number);
}
export function positionAt(text: string): { number: number; test: number } {
  const [number, test = 0] = text.split('.').map(Number);
  return { number: number ?? 0, test };
}

const Query = FilterQuery.extend({ limit: Paging.shape.limit, cursor });

const isBoolean = (name: string) =>
  z.boolean(`${name} is not a boolean: send true or false, or leave it out.`).optional();
const note = z
  .string('note is not a string: send a text, or leave it out.')
  .max(MAX_NOTE_CHARS, `note is too long: send at most ${MAX_NOTE_CHARS} characters.`)
  .refine((text) => LINES.test(text), refused('wrong-format', 'note has a control character: leave it out.'));
const MarksBody = z.object({
  read: isBoolean('read').meta({ description: 'Whether it is read.' }),
  starred: isBoolean('starred').meta({ description: 'Whether it has a star.' }),
  note: note.optional().meta({
    description: `A note of the owner, at most ${MAX_NOTE_CHARS} characters. An empty one removes it. No search looks into it.`,
    short: 'A note; an empty text removes it.',
  }),
  status: z.enum(STATUSES, isInvalidStatus).optional().meta({ description: 'Whether the owner is done with it.' }),
});

const ACTIONS = ['read', 'unread', 'star', 'unstar', 'done', 'open', 'delete', 'spam'] as const;
/** Makes a change to submissions of a live deployment; how many it has changed. */
type Change = (db: Database, ownerId: number, deploymentId: string, ids: readonly string[]) => Promise<number>;
const changesMarks =
  (marks: MarkChange): Change =>
  async (...of) =>
    (await markSubmissions(...of, marks)) + (await markTests(...of, marks));
const CHANGES: Readonly<Record<(typeof ACTIONS)[number], Change>> = {
  read: changesMarks({ read: true }),
  unread: changesMarks({ read: false }),
  star: changesMarks({ starred: true }),
  unstar: changesMarks({ starred: false }),
  done: changesMarks({ status: 'done' }),
  open: changesMarks({ status: 'open' }),
  delete: async (...of) => (await trashSubmissions(...of)) + (await deleteTests(...of)),
  spam: markAsSpam,
};
const invalidIds = `ids is invalid: send a list of at most ${SIZES.search.maxBulkIds} ids of submissions.`;
const isTrue = (name: string, description: string) =>
  z.literal(true, `${name} is invalid: send true, or leave it out.`).optional().meta({ description });
const Bulk = z.object({
  action: z.enum(ACTIONS, `action is invalid: send ${ACTIONS.join(', ')}.`).meta({
    description:
      'The change of each of them. `delete`: move it to the trash. `spam`: keep it apart, in GET /deploy/:id/spam.',
  }),
  ids: z
    .array(z.string(invalidIds), invalidIds)
    .max(SIZES.search.maxBulkIds, invalidIds)
    .optional()
    .meta({ description: `At most ${SIZES.search.maxBulkIds}. Ids that are not there are passed over.` }),
  // A misspelt field would select, and perhaps delete, everything.
  filter: z
    .strictObject(
      {
        ...filterFields,
        unread: isTrue('unread', onlyUnread),
        starred: isTrue('starred', onlyStarred),
        status: onlyStatus,
        form: onlyForm,
      },
      'filter is invalid: send an object such as {"q": "ada"}, with no fields but q, from, to, unread, starred, status and form.',
    )
    .optional()
    .meta({ description: 'In place of `ids`: all that a search finds, in several requests. `{}`: all submissions.' }),
  cursor: cursor.meta({ description: 'With a `filter`: the `next_cursor` of the answer before.' }),
});

/** A submission in the shape of `InboxSubmissionBody`; its data is sent unchanged. */
export function inboxJson(found: FoundSubmission): string {
  const { read, starred, note, status, form, isTest: test, pageVersion: page_version } = found;
  return `${submissionJson(found).slice(0, -1)},${JSON.stringify({ read, starred, note, status, form, test, page_version }).slice(1)}`;
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
async function search(
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

const searchOperation = operation('GET', '/submissions/:deployId/search', 'searchSubmissions', {
  tool: {
    name: 'search_submissions',
    description: 'Finds a text in submissions, or those of a time, newest first.',
    fields: ['q', 'from', 'to', 'status', 'form', 'cursor', 'limit'],
    isBounded: true,
    readsVisitors: true,
  },
  command: {
    usage: 'search <id> <query>',
    help: [
      'With --json there is a line for each answer of the API.',
      '$ search contact ada@example.org',
      '$ search contact "" --unread --from 2026-11-01',
    ],
    ...SEARCH_COMMAND,
    as: { q: '<query>', ...SEARCH_COMMAND.as },
  },
  summary: 'Search submissions',
  description: (app) => `Newest first. ${boundedSearch(app)}`,
  find: (owner, { deployId }, app) => ownDeployment(app.db, owner, deployId),
  query: Query,
  answer: { description: 'The submissions that were found.', headers: LINK_HEADER, schema: Results },
  async handle({ request, resource, query, setHeaders }, app) {
    const { positions, searched, next } = await search(app, resource, query, query);
    const submissions = await findFound(app.db, positions);
    const rest = JSON.stringify({ next_cursor: next, searched, total: resource.submissionCount });
    const text = `{"submissions":[${submissions.map(inboxJson).join(',')}],${rest.slice(1)}`;
    if (next !== null) setHeaders(nextLink(request, { cursor: next }));
    return jsonText(text);
  },
});

const markOperation = operation('PATCH', '/submissions/:deployId/:submissionId', 'markSubmission', {
  tool: {
    name: 'mark_submission',
    description: 'What is left out stays.',
    readsVisitors: true,
    hints: REPLACES,
  },
  command: {
    usage: 'submissions mark <id> <submission>',
    text: 'Mark a submission as read, with a star, as done, or with a note',
    help: [
      '$ submissions mark contact sub_0Vbb… --read --no-starred',
      '$ submissions mark contact sub_0Vbb… --status done --note "Called back on Monday"',
    ],
    texts: { note: 'a note; "" removes it' },
    shows: 'submission',
  },
  summary: 'Mark a submission as read, with a star, as done, or with a note',
  description:
    'What is left out stays as it is. A note or a status does not mark it as read. Returns the submission as a search shows it.',
  // Not its data, which would stay in memory while a slow body arrives.
  async find(owner, params, { db }) {
    const { number, test } = await ownSubmission(db, owner, params);
    return { number, test };
  },
  body: { schema: MarksBody, example: { read: true } },
  answer: { description: 'The submission.', schema: InboxSubmissionBody },
  errors: [noSuchSubmission],
  async handle({ owner, params, resource, body }, { db }) {
    const mark = resource.test === 0 ? markSubmissions : markTests;
    const changed = await mark(db, owner.id, params.deployId, [params.submissionId], body);
    // The deployment may have been deleted while the body arrived.
    if (changed === 0) await ownSubmission(db, owner, params);
    const [found] = await findFound(db, [{ deploymentId: params.deployId, ...resource }]);
    if (!found) throw noSuchSubmission();
    return jsonText(inboxJson(found));
  },
});

const idsOrFilter = (code: 'missing' | 'conflict'): HttpError =>
  invalidField([
    { pointer: '/ids', code, detail: '{ids} and {filter} are both given, or neither: {send} one of them.' },
  ]);

const cursorWithoutFilter = (): HttpError =>
  invalidField([
    {
      pointer: '/cursor',
      code: 'conflict',
      detail: '{cursor} is given with {ids}: {send} it with a {filter}, or leave it out.',
    },
  ]);

const bulkOperation = operation('POST', '/submissions/:deployId/bulk', 'changeSubmissions', {
  command: {
    usage: 'submissions change <id> <action> [submission...]',
    text: 'Mark, delete or keep apart many submissions',
    help: [
      'Name the submissions, or give a filter: all that a search finds. {} is all submissions of the page.',
      '$ submissions change contact read sub_0Vbb… sub_0Vbc…',
      `$ submissions change contact delete --yes --filter '{"q":"casino","to":"2026-11-01"}'`,
    ],
    as: { ids: '[submission...]' },
    texts: {
      action: 'what is done with each; spam keeps it apart',
      ids: 'ids of submissions',
      filter: 'in place of ids: fields q, from, to, unread, starred and status, as in a search',
    },
    asks: ({ id, action }) => (action === 'delete' ? `Delete submissions of ${id}, with their files?` : undefined),
    counts: { of: ({ done }) => done, outcome: 'changed' },
  },
  summary: 'Mark, delete or keep apart many submissions',
  description: (app) =>
    'If it fails, some of them may have been changed: send it again. With a `filter`, one request changes as many as it finds in ' +
    `${app.limits.reads.searchMs / 1_000} second, at most ${SIZES.search.maxBulkIds}: send it again with the \`next_cursor\` until that is null.`,
  find: (owner, { deployId }, app) => ownDeployment(app.db, owner, deployId),
  body: {
    schema: Bulk,
    example: { action: 'read', ids: ['sub_0VbbZBZeswpZ5bGpjxVeCiYz'] },
    maxBytes: MAX_BULK_BODY_BYTES,
  },
  answer: { description: 'It is done.', schema: Done, example: { done: 1 } },
  async handle({ owner, resource, body: { action, ids: given, filter, cursor } }, app) {
    const { db } = app;
    if (!given === !filter) throw idsOrFilter(given ? 'conflict' : 'missing');
    if (given && cursor !== undefined) throw cursorWithoutFilter();
    const scope = { limit: SIZES.search.maxBulkIds, place: { pointer: '/filter/from' } };
    const found = filter && (await search(app, resource, { ...filter, cursor }, scope));
    // Only ids reach Postgres, which refuses some texts (NUL).
    const ids = found?.positions.map(({ id }) => id) ?? [...new Set(given?.filter((id) => SUBMISSION_ID.test(id)))];
    const done = await CHANGES[action](db, owner.id, resource.id, ids);
    // None may be there because the deployment was deleted while the body arrived.
    if (done === 0) await ownDeployment(db, owner, resource.id);
    // The folder may have had too much.
    if (action === 'spam') app.lifecycle.onPurge();
    return { done, ...(found && { next_cursor: found.next }) };
  },
});

/** Finding submissions, and keeping track of them. */
export const inboxOperations = [searchOperation, bulkOperation, markOperation];
