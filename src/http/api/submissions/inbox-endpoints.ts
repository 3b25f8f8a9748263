import { z } from 'zod';
import { type FoundSubmission, findFound } from '../../../db/submissions/found-submissions.ts';
import { markSubmissions, STATUSES } from '../../../db/submissions/submission-mark-queries.ts';
import { submissionJson } from '../../../db/submissions/submission-queries.ts';
import { markTests } from '../../../db/submissions/test-submission-queries.ts';
import { refused } from '../../../problems/refusal.ts';
import { LINES } from '../../../settings/values.ts';
import { jsonText } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { REPLACES } from '../../operation/tool.ts';
import { LINK_HEADER, nextLink } from '../../request/link-header.ts';
import { Paging } from '../../request/paging.ts';
import {
  answerObject,
  countField,
  flagField,
  positiveField,
  textField,
  textOrNull,
} from '../../request/shared-fields.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { bulkOperation } from './bulk-endpoints.ts';
import { boundedSearch, cursor, FilterQuery, isInvalidStatus, SEARCH_COMMAND, search } from './inbox-filter.ts';
import { Listed, noSuchSubmission, ownSubmission } from './submission-endpoints.ts';

/** Characters (code points) of a note. */
const MAX_NOTE_CHARS = 2_000;

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
    short: 'Empty removes it.',
  }),
  status: z.enum(STATUSES, isInvalidStatus).optional().meta({ description: 'Whether the owner is done with it.' }),
});

/** A submission in the shape of `InboxSubmissionBody`; its data is sent unchanged. */
export function inboxJson(found: FoundSubmission): string {
  const { read, starred, note, status, form, isTest: test, pageVersion: page_version } = found;
  return `${submissionJson(found).slice(0, -1)},${JSON.stringify({ read, starred, note, status, form, test, page_version }).slice(1)}`;
}

const searchOperation = operation('GET', '/submissions/:deployId/search', 'searchSubmissions', {
  guests: 'reader',
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
  noAudit: 'Marks and notes are the daily work in the inbox.',
  guests: 'reader',
  tool: {
    name: 'mark_submission',
    description: 'Marks a submission as read, with a star, as done, or with a note. What is left out stays.',
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

/** Finding submissions, and keeping track of them. */
export const inboxOperations = [searchOperation, bulkOperation, markOperation];
