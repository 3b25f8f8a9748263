import { z } from 'zod';
import { submissionJson } from '../../../db/submissions/submission-queries.ts';
import {
  eraseTrashed,
  listTrashedSubmissions,
  readTrashedBatch,
  restoreSubmission,
  type TrashedSubmission,
} from '../../../db/submissions/trashed-submission-queries.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { pageLinks } from '../../request/link-header.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, submissionId, time } from '../../request/shared-fields.ts';
import { foundOr404, missing, ownDeployment } from '../deployments/own-deployment.ts';
import { batchedList } from './batched-list.ts';
import { noFreePlace } from './no-free-place.ts';
import { Listed } from './submission-endpoints.ts';

const { submissionDays } = SIZES.trash;

const Trashed = answerObject('TrashedSubmission', {
  ...Listed.shape,
  deleted_at: time.meta({ description: 'When it was deleted.' }),
});
const Trash = answerObject('TrashedSubmissions', { submissions: z.array(Trashed), ...paged });
const Restored = answerObject('SubmissionRestored', { message: z.literal('Submission restored'), id: submissionId });
const Erased = answerObject('SubmissionErased', {
  message: z.literal('Submission deleted for good'),
  id: submissionId,
});

/** An unknown submission, one that is not in the trash, an unknown deployment and those of another owner get the same error. */
const notInTrash = missing(
  'NoSuchTrashedSubmission',
  'or no such submission is in its trash',
  'No such deleted submission: check the ids, and that it has not been restored or removed.',
);
const IF_MISSING = '{GET /submissions/:deployId/trash} has what can be restored.';

/** A submission in the shape of `Trashed`; its data is sent unchanged. */
const trashedJson = ({ deletedAt, ...submission }: TrashedSubmission): string =>
  `${submissionJson(submission).slice(0, -1)},"deleted_at":"${deletedAt.toISOString()}"}`;

const listOperation = operation('GET', '/submissions/:deployId/trash', 'listTrashedSubmissions', {
  guests: 'editor',
  tool: {
    name: 'list_deleted_submissions',
    description: 'The last deleted first; restore_submission brings one back.',
    isBounded: true,
    readsVisitors: true,
  },
  command: {
    usage: 'submissions trash <id>',
    text: 'List the deleted submissions of a page, the last deleted first',
    shows: 'submissions',
  },
  summary: 'List the deleted submissions of a {deployment}',
  description:
    `The last deleted first. They are kept for ${submissionDays} days, until they are restored or erased, and their files count for ` +
    'the storage of the plan. They take no place of the form, and are in no other list, count, export, webhook or mail. What ' +
    '`retention_days` removes is never here.',
  find: (owner, { deployId }, { db }) => ownDeployment(db, owner, deployId),
  query: Paging,
  answer: { description: 'A page of deleted submissions.', schema: Trash },
  async handle({ request, owner, queue, resource: { id }, query: paging, setHeaders }, { db }) {
    const trash = foundOr404(await listTrashedSubmissions(db, owner.id, id, paging));
    setHeaders(pageLinks(request, { total: trash.total, ...paging }));
    return batchedList(trash, paging, async (batch) =>
      (await queue(() => readTrashedBatch(db, id, batch))).map(trashedJson),
    );
  },
});

// Restoring and erasing also check the deployment.
const restoreOperation = operation('POST', '/submissions/:deployId/trash/:submissionId/restore', 'restoreSubmission', {
  audit: 'submission.restore',
  guests: 'editor',
  tool: { name: 'restore_submission', description: 'Brings a deleted submission back, with its note and marks.' },
  command: {
    usage: 'submissions restore <id> <submission>',
    text: 'Bring a deleted submission back',
    prints: ({ id }) => id,
    says: () => 'restored, with its files, note and marks',
  },
  summary: 'Restore a deleted submission',
  description:
    'With its id, time, files, marks, note and status. Nothing is delivered again. A closed form does not refuse it, but it takes its ' +
    'place again, which has to be free.',
  answer: { description: 'The submission is in the list again.', schema: Restored },
  errors: [notInTrash, noFreePlace],
  ifMissing: IF_MISSING,
  async handle({ owner, params: { deployId, submissionId: id } }, { db }) {
    const outcome = await restoreSubmission(db, owner.id, deployId, id);
    if (outcome === 'missing') throw notInTrash();
    if (outcome === 'full') throw noFreePlace();
    return { message: 'Submission restored' as const, id };
  },
});

const eraseOperation = operation('DELETE', '/submissions/:deployId/trash/:submissionId', 'eraseSubmission', {
  audit: 'submission.erase',
  guests: 'editor',
  command: {
    usage: 'submissions purge <id> <submission>',
    text: 'Delete a submission in the trash for good',
    help: ['$ submissions purge contact sub_0Vbb… --yes'],
    asks: ({ submission }) => `Delete ${submission} for good, with its files?`,
    prints: ({ id }) => id,
    says: () => 'deleted for good, with its files',
  },
  summary: 'Delete a submission in the trash for good',
  description: 'With its files.',
  answer: { description: 'The submission is gone.', schema: Erased },
  errors: [notInTrash],
  ifMissing: IF_MISSING,
  async handle({ owner, params: { deployId, submissionId: id } }, { db }) {
    if (!(await eraseTrashed(db, owner.id, deployId, id))) throw notInTrash();
    return { message: 'Submission deleted for good' as const, id };
  },
});

/** Deleted submissions, which their owner can restore or erase. */
export const submissionTrashOperations = [listOperation, restoreOperation, eraseOperation];
