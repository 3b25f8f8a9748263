import { z } from 'zod';
import type { Database } from '../../../db/postgres/connect.ts';
import { markAsSpam } from '../../../db/spam/spam-moves.ts';
import { type MarkChange, markSubmissions } from '../../../db/submissions/submission-mark-queries.ts';
import { deleteTests, markTests } from '../../../db/submissions/test-submission-queries.ts';
import { trashSubmissions } from '../../../db/submissions/trashed-submission-queries.ts';
import { SUBMISSION_ID } from '../../../lib/ids.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { invalidField } from '../../request/json-body.ts';
import { answerObject, countField } from '../../request/shared-fields.ts';
import type { HttpError } from '../../response/errors.ts';
import { ownDeployment } from '../deployments/own-deployment.ts';
import { cursor, filterFields, onlyForm, onlyStarred, onlyStatus, onlyUnread, search } from './inbox-filter.ts';

/** More than maxBulkIds ids take. */
const MAX_BULK_BODY_BYTES = 256 * 1024;

const Done = answerObject('BulkDone', {
  done: countField('How many submissions this has changed.', 1),
  next_cursor: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Only for a `filter`: where the next request goes on; null at the end.', example: null }),
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

/** Changes many submissions at once. */
export const bulkOperation = operation('POST', '/submissions/:deployId/bulk', 'changeSubmissions', {
  audit: 'submission.delete',
  guests: 'reader',
  guestFields: [
    { field: 'action', value: 'delete', guests: 'editor' },
    { field: 'action', value: 'spam', guests: 'editor' },
  ],
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
      filter: 'in place of ids: fields q, from, to, unread, starred, status and form, as in a search',
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
