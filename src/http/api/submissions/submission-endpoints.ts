import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import type { Deployment } from '../../../db/deployments/deployment-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { listSubmissions } from '../../../db/submissions/list-submissions.ts';
import {
  deleteSubmissions,
  findSubmission,
  type NumberedSubmission,
  submissionJson,
} from '../../../db/submissions/submission-queries.ts';
import { readSubmissions } from '../../../db/submissions/submission-reader.ts';
import { deleteTests, findTest } from '../../../db/submissions/test-submission-queries.ts';
import { trashSubmissions } from '../../../db/submissions/trashed-submission-queries.ts';
import { SUBMISSION_ID } from '../../../lib/ids.ts';
import type { Place } from '../../../problems/value-errors.ts';
import { SIZES } from '../../../sizes.ts';
import { JsonPieces, jsonText } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { pageLinks } from '../../request/link-header.ts';
import { Paging, paged } from '../../request/paging.ts';
import { badQuery } from '../../request/query-values.ts';
import { answerObject, submissionId, textField, time } from '../../request/shared-fields.ts';
import { foundOr404, missing, ownDeployment } from '../deployments/own-deployment.ts';

export const Listed = answerObject('Submission', {
  id: submissionId,
  data: z.record(z.string(), z.unknown()).meta({
    description:
      'The fields, exactly as submitted; a JSON body keeps its text. In forms a value is a string, a list where a name repeats, or ' +
      'a file, `{"filename","content_type","size","url"}`, whose url is a path of this API.',
    example: { name: 'Ada', email: 'ada@example.org' },
  }),
  ip_address: textField("The client's address, IPv4 or IPv6.", '203.0.113.7'),
  created_at: time,
});
const Submissions = answerObject('Submissions', { submissions: z.array(Listed), ...paged });
const Deleted = answerObject('SubmissionDeleted', { message: z.literal('Submission deleted'), id: submissionId });

/** An unknown submission, an unknown deployment and those of another owner get the same error. */
export const noSuchSubmission = missing(
  'NoSuchSubmission',
  'or no such submission of it',
  'No such submission: check the ids, and that they belong to the owner of the API key.',
);

/** The owner's submission, or test, with these ids; throws 404. `test`: as in a Position. */
export const ownSubmission = async (
  db: Database,
  owner: Owner,
  { deployId, submissionId }: { deployId: string; submissionId: string },
): Promise<NumberedSubmission & { test: number }> => {
  const submission = await findSubmission(db, owner.id, deployId, submissionId);
  if (submission) return { ...submission, test: 0 };
  return foundOr404(await findTest(db, owner.id, deployId, submissionId), noSuchSubmission);
};

export const noSuchCursor = missing(
  'NoSuchCursor',
  'or no submission of it with the id in place of a cursor',
  'No such submission: go on from the cursor of an answer, or begin with 0.',
);

/** The digits of a number that JavaScript has exactly. */
const CURSOR = /^[0-9]{1,15}$/;

/**
 * The number after which reading goes on: a cursor, or that of the submission with an id, which is below 1 where it was imported. `place`:
 * that of a cursor which is not in the path. Throws 400 and 404.
 */
export async function numberAt(
  db: Database,
  owner: Owner,
  { id, lastSubmissionNumber }: Deployment,
  { name, cursor, place }: { name: string; cursor: string; place?: Place },
): Promise<number> {
  // Beyond the last one is a cursor from before a backup was restored: what comes next would be missed.
  if (CURSOR.test(cursor)) return Math.min(Number(cursor), lastSubmissionNumber);
  if (!SUBMISSION_ID.test(cursor)) {
    const detail = `{${name}} is invalid: {send} 0, the id of a submission, or the cursor of an answer.`;
    throw badQuery(place ? [{ ...place, code: 'wrong-format', detail }] : [], detail);
  }
  return foundOr404(await findSubmission(db, owner.id, id, cursor), noSuchCursor).number;
}

const listOperation = operation('GET', '/submissions/:deployId', 'listSubmissions', {
  guests: 'reader',
  tool: {
    name: 'list_submissions',
    description: 'Newest first; get_submission has one in full.',
    isBounded: true,
    readsVisitors: true,
  },
  command: {
    usage: 'submissions list <id>',
    text: 'Show all submissions of a page, newest first',
    shows: 'submissions',
  },
  summary: 'List the submissions of a {deployment}',
  description: 'Newest first.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: Paging,
  answer: { description: 'A page of submissions.', schema: Submissions },
  async handle({ request, queue, resource, query: { page, limit }, setHeaders }, { db }) {
    const { first, rest } = await listSubmissions(db, resource, { page, limit });
    const total = resource.submissionCount;
    const bytes = first.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    async function* pieces(): AsyncGenerator<string> {
      yield `{"submissions":[${first.map(submissionJson).join(',')}`;
      for await (const batch of rest ? readSubmissions(db, resource.id, rest, queue) : []) {
        yield batch.map((submission) => `,${submissionJson(submission)}`).join('');
      }
      yield `],"total":${total},"page":${page},"limit":${limit}}`;
    }
    setHeaders(pageLinks(request, { total, page, limit }));
    const inMemory = rest ? Math.max(bytes, SIZES.internal.listBatchBytes) : bytes;
    return new JsonPieces(inMemory, pieces());
  },
});

const getOperation = operation('GET', '/submissions/:deployId/:submissionId', 'getSubmission', {
  guests: 'reader',
  tool: { name: 'get_submission', description: 'One submission in full.', readsVisitors: true },
  command: { usage: 'submissions show <id> <submission>', text: 'Show a submission', shows: 'submission' },
  summary: 'Get a submission',
  description: 'One submission, in the shape in which the list has it.',
  find: (owner, params, { db }) => ownSubmission(db, owner, params),
  answer: { description: 'The submission.', schema: Listed },
  errors: [noSuchSubmission],
  handle: async ({ resource }) => jsonText(submissionJson(resource)),
});

const permanent = z
  .literal('1', 'permanent is invalid: send permanent=1, or leave it out.')
  .optional()
  .meta({ description: 'With `1`, it is erased at once, with its files.', short: '1: for good.' });

const deleteOperation = operation('DELETE', '/submissions/:deployId/:submissionId', 'deleteSubmission', {
  audit: 'submission.delete',
  guests: 'editor',
  tool: {
    name: 'delete_submission',
    description: `Deletes a submission. restore_submission brings it back for ${SIZES.trash.submissionDays} days.`,
    fields: [],
  },
  command: {
    usage: 'submissions delete <id> <submission>',
    text: 'Delete a submission',
    help: [
      `It can be restored for ${SIZES.trash.submissionDays} days, unless it is deleted with --permanent.`,
      '$ submissions delete contact sub_0Vbb… --yes',
    ],
    texts: { permanent: 'for good, with its files' },
    asks: ({ submission }) => `Delete ${submission}, with its files?`,
    prints: ({ id }) => id,
    says: () => 'deleted, with its files and its pending deliveries',
  },
  summary: 'Delete a submission',
  description:
    `It is in the trash for ${SIZES.trash.submissionDays} days, from which it can be restored. Its files count for the storage of the plan ` +
    'until then, but cannot be read. It takes no place of the form any more, and its pending deliveries end. A test is erased at once.',
  query: z.object({ permanent }),
  answer: { description: 'The submission is deleted.', schema: Deleted },
  errors: [noSuchSubmission],
  async handle({ owner, params: { deployId, submissionId: id }, query: { permanent } }, { db }) {
    const remove = permanent === undefined ? trashSubmissions : deleteSubmissions;
    const removed = (await remove(db, owner.id, deployId, [id])) || (await deleteTests(db, owner.id, deployId, [id]));
    if (removed === 0) throw noSuchSubmission();
    return { message: 'Submission deleted' as const, id };
  },
});

/** The submissions of a deployment. */
export const submissionOperations = [listOperation, getOperation, deleteOperation];
