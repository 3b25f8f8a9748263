import { z } from 'zod';
import { releaseSpam, restoreSpam } from '../../../db/spam/spam-moves.ts';
import {
  deleteSpam,
  listSpam,
  readSpamBatch,
  SPAM_REASONS,
  type SpamSubmission,
} from '../../../db/spam/spam-queries.ts';
import { submissionJson } from '../../../db/submissions/submission-queries.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { pageLinks } from '../../request/link-header.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, submissionId } from '../../request/shared-fields.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { foundOr404, missing, ownDeployment } from '../deployments/own-deployment.ts';
import { batchedList } from './batched-list.ts';
import { noFreePlace } from './no-free-place.ts';
import { Listed } from './submission-endpoints.ts';

const Kept = answerObject('SpamSubmission', {
  ...Listed.shape,
  reason: z.enum(SPAM_REASONS).meta({
    description:
      'Why it is kept apart. `blocklist`: it has one of the words. `honeypot`: a honeypot of another service is filled in. ' +
      '`captcha-missing`: it has no token, so no widget ran. ' +
      '`captcha-failed`: the token is wrong or too old. `captcha-reused`: it counted before. `captcha-misconfigured`: the provider ' +
      'does not know the secret. `captcha-unavailable`: the provider gave no answer. `marked`: somebody has marked it.',
  }),
});
const Spam = answerObject('Spam', { submissions: z.array(Kept), ...paged });
const Released = answerObject('SpamReleased', { message: z.literal('Submission released'), id: submissionId });
const Restored = answerObject('SpamRestored', { message: z.literal('Submission restored'), id: submissionId });
const Deleted = answerObject('SpamDeleted', { message: z.literal('Spam deleted'), id: submissionId });
const Emptied = answerObject('SpamEmptied', { message: z.literal('All spam deleted') });

/** An unknown submission, one that is not kept as spam, an unknown deployment and those of another owner get the same error. */
const noSuchSpam = missing(
  'NoSuchSpam',
  'or it keeps no such submission as spam',
  'No such spam: check the ids, and that it has not been released or removed.',
);

const IF_MISSING = '{GET /deploy/:id/spam} has what can be released.';

const neverAccepted = errorKind(
  { id: 'NeverAccepted', description: 'The submission came as spam, so there is nothing to restore.' },
  () => new HttpError(409, 'The submission came as spam: {POST /deploy/:id/spam/:submissionId/release} accepts it.'),
);

/** A submission in the shape of `Kept`; its data is sent unchanged. */
const spamJson = (submission: SpamSubmission): string =>
  `${submissionJson(submission).slice(0, -1)},"reason":"${submission.reason}"}`;

const listOperation = operation('GET', '/deploy/:id/spam', 'listSpam', {
  guests: 'editor',
  tool: {
    name: 'list_spam',
    description: 'Newest first, with the reason of each.',
    isBounded: true,
    readsVisitors: true,
  },
  command: { usage: 'spam list <id>', text: 'List the spam of a page, with the reasons', shows: 'submissions' },
  summary: 'List what is kept as spam',
  description:
    'Newest first. Its senders have got the answer of a success. It is in no list, count, export, webhook or mail until it is ' +
    `released. A deployment keeps its last ${SIZES.spam.max}, for ${SIZES.spam.lifetimeDays} days; what comes beyond ${SIZES.spam.rateMax} a minute is ` +
    `dropped. Its files have at most ${SIZES.spam.maxFilesBytes / 1_000_000} MB together: those of the oldest are removed, and their links return 404; what was marked keeps its own.`,
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: Paging,
  answer: { description: 'A page of spam.', schema: Spam },
  async handle({ request, owner, queue, resource: { id }, query: paging, setHeaders }, { db }) {
    const spam = foundOr404(await listSpam(db, owner.id, id, paging));
    setHeaders(pageLinks(request, { total: spam.total, ...paging }));
    return batchedList(spam, paging, async (batch) => (await queue(() => readSpamBatch(db, id, batch))).map(spamJson));
  },
});

// Releasing, restoring and deleting also check the deployment.
const releaseOperation = operation('POST', '/deploy/:id/spam/:submissionId/release', 'releaseSpam', {
  audit: 'submission.restore',
  guests: 'editor',
  tool: {
    name: 'release_spam',
    description: 'Accepts a submission of list_spam as if it came now, also for webhooks and mail.',
  },
  command: {
    usage: 'spam release <id> <submission>',
    text: 'Accept a submission that is no spam',
    prints: ({ id }) => id,
    says: () => 'released: it is a submission like others now, and webhooks and mail get it',
  },
  summary: 'Release a submission: it is no spam',
  description:
    'It is accepted like a new one, with the present time and deliveries, even if the form is closed. It keeps its id. It takes its ' +
    'places, which have to be free.',
  answer: { description: 'The submission is accepted.', schema: Released },
  errors: [noSuchSpam, noFreePlace],
  ifMissing: IF_MISSING,
  async handle({ owner, params: { id: deploymentId, submissionId: id } }, { db }) {
    const outcome = await releaseSpam(db, { ownerId: owner.id, deploymentId, id });
    if (outcome === 'missing') throw noSuchSpam();
    if (outcome === 'full') throw noFreePlace();
    return { message: 'Submission released' as const, id };
  },
});

const restoreOperation = operation('POST', '/deploy/:id/spam/:submissionId/restore', 'restoreSpam', {
  audit: 'submission.restore',
  guests: 'editor',
  command: {
    usage: 'spam restore <id> <submission>',
    text: 'Take back that a submission was marked as spam',
    prints: ({ id }) => id,
    says: () => 'restored, with its files, note and marks',
  },
  summary: 'Restore a submission that was marked as spam',
  description:
    'As it was: with its id, time, files, marks, note and status. Nothing is delivered again. A closed form does not refuse it, but it ' +
    'takes its places again, which have to be free. What came as spam was never accepted: it is released.',
  answer: { description: 'The submission is in the list again.', schema: Restored },
  errors: [noSuchSpam, noFreePlace, neverAccepted],
  ifMissing: IF_MISSING,
  async handle({ owner, params: { id: deploymentId, submissionId: id } }, { db }) {
    const outcome = await restoreSpam(db, { ownerId: owner.id, deploymentId, id });
    switch (outcome) {
      case 'missing':
        throw noSuchSpam();
      case 'full':
        throw noFreePlace();
      case 'never-accepted':
        throw neverAccepted();
      case 'done':
        return { message: 'Submission restored' as const, id };
    }
  },
});

const deleteOperation = operation('DELETE', '/deploy/:id/spam/:submissionId', 'deleteSpam', {
  audit: 'submission.delete',
  guests: 'editor',
  command: {
    usage: 'spam delete <id> <submission>',
    text: 'Delete spam for good',
    help: ['$ spam delete contact sub_0Vbb… --yes'],
    asks: ({ submission }) => `Delete ${submission} for good, with its files?`,
    prints: ({ id }) => id,
    says: () => 'deleted for good, with its files',
  },
  summary: 'Delete spam',
  description: 'Permanently, with its files.',
  answer: { description: 'It is deleted.', schema: Deleted },
  errors: [noSuchSpam],
  ifMissing: IF_MISSING,
  async handle({ owner, params: { id: deploymentId, submissionId: id } }, { db, lifecycle: { onPurge } }) {
    if ((await deleteSpam(db, owner.id, deploymentId, id)) === 0) throw noSuchSpam();
    onPurge();
    return { message: 'Spam deleted' as const, id };
  },
});

const deleteAllOperation = operation('DELETE', '/deploy/:id/spam', 'emptySpam', {
  audit: 'submission.delete',
  guests: 'editor',
  command: {
    usage: 'spam delete-all <id>',
    text: 'Delete all spam of a page for good',
    help: ['$ spam delete-all contact --yes'],
    asks: ({ id }) => `Delete all spam of ${id} for good?`,
    prints: (_answer, { id = '' }) => id,
    says: () => 'deleted all spam for good',
  },
  summary: 'Delete all spam of a {deployment}',
  description: 'Permanently, with its files.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'There is no spam.', schema: Emptied },
  async handle({ owner, resource: { id } }, { db, lifecycle: { onPurge } }) {
    await deleteSpam(db, owner.id, id);
    onPurge();
    return { message: 'All spam deleted' as const };
  },
});

/** Submissions that are kept apart as spam. */
export const spamOperations = [listOperation, deleteAllOperation, releaseOperation, restoreOperation, deleteOperation];
