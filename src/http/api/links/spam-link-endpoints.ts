import { markAsSpam } from '../../../db/spam/spam-moves.ts';
import { findLinkedSubmission } from '../../../db/submissions/submission-queries.ts';
import { VIEW_PATHS } from '../../../lib/dashboard-paths.ts';
import { pageName } from '../../../sites/page-name.ts';
import type { App } from '../../app.ts';
import type { EndpointRequest } from '../../operation/declaration.ts';
import { queryOf } from '../../request/query-values.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { askStep, linkStep, SignedLink } from './link-endpoint.ts';

const noSuchLink = errorKind(
  {
    id: 'NoSuchSpamLink',
    description: 'The link was changed, or the submission is in the spam folder, or has been deleted.',
  },
  () =>
    new HttpError(
      404,
      'Check that the link is complete. If it is, the submission is in the spam folder already, or has been deleted.',
    ),
);

const link = { path: '/spam/:deployId/:submissionId', query: SignedLink, noSuchLink };

/** The submission of a link. Throws 404 before anything is looked up: only a person with a link can make the database work. */
async function find({ db, secrets: { links } }: App, { params, url }: EndpointRequest) {
  const { deployId: deploymentId = '', submissionId = '' } = params;
  if (!(await links()).isSpam({ deploymentId, submissionId }, queryOf(url))) throw noSuchLink();
  return findLinkedSubmission(db, deploymentId, submissionId);
}

/** Moves the submission of a link into the spam folder. */
async function move(app: App, request: EndpointRequest) {
  const found = await find(app, request);
  if (!found) return undefined;
  await markAsSpam(app.db, found.ownerId, found.deploymentId, [found.id]);
  // The folder may have had too much.
  app.lifecycle.onPurge();
  return found;
}

/** The link in a mail by which its owner moves a submission into the spam folder. */
export const spamLinkOperations = [
  askStep(link, {
    name: 'askToMoveToSpam',
    summary: 'Ask whether a submission is spam',
    find: (request, app) => find(app, request),
    page: (page) => ({
      title: 'Is this spam?',
      text: `The submission to ${pageName(page)} will be in the spam folder, and no longer in the inbox. You can release it from there.`,
      button: 'Move to spam',
    }),
  }),
  linkStep('POST', link, {
    name: 'moveToSpam',
    summary: 'Move a submission into the spam folder',
    description: 'The link is in the mail to the owner about the submission, and works while the submission exists.',
    answer: 'The submission is in the spam folder.',
    find: (request, app) => move(app, request),
    page: ({ deploymentId, ...page }) => ({
      title: 'Moved to spam',
      text: `The submission to ${pageName(page)} is in the spam folder. If that was a mistake, release it there.`,
      dashboard: `${VIEW_PATHS.inbox.replace(':id', deploymentId)}?view=spam`,
    }),
  }),
];
