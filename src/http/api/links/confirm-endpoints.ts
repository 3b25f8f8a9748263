import { confirmRecipient, findLinkedRecipient } from '../../../db/deliveries/mail-recipient-queries.ts';
import { pageName } from '../../../sites/page-name.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { EndpointRequest } from '../../operation/declaration.ts';
import { queryOf } from '../../request/query-values.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { askStep, ExpiringLink, linkStep } from './link-endpoint.ts';

/** A wrong signature gets the same error as a recipient that is in no list. */
const noSuchLink = errorKind(
  {
    id: 'NoSuchConfirmationLink',
    description: 'The link was changed, its recipient has been removed, or its deployment has been deleted.',
  },
  () =>
    new HttpError(
      404,
      'Check that the link is complete. If it is, the owner of the page has removed your address, and no mail will come.',
    ),
);
const linkExpired = errorKind(
  { id: 'ConfirmationLinkExpired', description: 'The link has expired.' },
  () =>
    new HttpError(
      410,
      `This link has expired: it works for ${SIZES.links.confirmationDays} days. If you want the mails, ask the owner of the page to send your address again.`,
    ),
);

const link = { path: '/confirm/:deployId/:recipientId', query: ExpiringLink, noSuchLink, errors: [linkExpired] };

type Ids = [deploymentId: string, recipientId: string];

/** The ids of a link. Throws before anything is looked up: only a person with a link can make the database work. */
async function checked({ secrets: { links } }: App, { params, url }: EndpointRequest): Promise<Ids> {
  const { deployId: deploymentId = '', recipientId = '' } = params;
  const state = (await links()).checkConfirm({ deploymentId, recipientId }, queryOf(url));
  if (state === 'wrong') throw noSuchLink();
  if (state === 'expired') throw linkExpired();
  return [deploymentId, recipientId];
}

/** The link in a mail by which a recipient confirms that it wants mail about a deployment. */
export const confirmOperations = [
  askStep(link, {
    name: 'askToConfirm',
    summary: 'Ask a recipient whether to send mail about a deployment',
    find: async (request, app) => findLinkedRecipient(app.db, ...(await checked(app, request))),
    page: ({ email, ...page }) => ({
      title: `Get mail about ${pageName(page)}?`,
      text: `When a form of ${pageName(page)} is submitted, what was sent will be mailed to ${email}. Each mail has a link that stops them.`,
      button: 'Send me these mails',
    }),
  }),
  linkStep('POST', link, {
    name: 'confirmRecipient',
    summary: 'Confirm a recipient',
    description:
      'From now on the recipient gets mail about the deployment, while it is in `recipients`. The link in the mail to a new ' +
      `recipient works for ${SIZES.links.confirmationDays} days.`,
    answer: 'The recipient is confirmed, as it may have been before.',
    find: async (request, app) => confirmRecipient(app.db, ...(await checked(app, request))),
    page: ({ email, ...page }) => ({
      title: `You get mail about ${pageName(page)}`,
      text: `What is submitted to ${pageName(page)} is mailed to ${email} from now on. Each mail has a link that stops them.`,
    }),
  }),
];
