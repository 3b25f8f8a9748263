import { findLinkedRecipient, unsubscribeRecipient } from '../../../db/deliveries/mail-recipient-queries.ts';
import { findLinkedPage, unsubscribe } from '../../../db/deployments/deployment-queries.ts';
import { pageName } from '../../../sites/page-name.ts';
import type { App } from '../../app.ts';
import type { EndpointRequest } from '../../operation/declaration.ts';
import { queryOf } from '../../request/query-values.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { askStep, linkStep, SignedLink } from './link-endpoint.ts';

const noSuchLink = errorKind(
  {
    id: 'NoSuchUnsubscribeLink',
    description: 'The link was changed, its deployment has been deleted, or its recipient has been removed.',
  },
  () => new HttpError(404, 'Check that the link is complete. If it is, the page has been deleted, and sends no mail.'),
);

const ofOwner = { path: '/unsubscribe/:deployId', query: SignedLink, noSuchLink };
const ofRecipient = { path: '/unsubscribe/:deployId/:recipientId', query: SignedLink, noSuchLink };
const LIST_UNSUBSCRIBE = '`List-Unsubscribe` in each mail (its body, `List-Unsubscribe=One-Click`, is not read)';
const STOP = { button: 'Stop the mails', oneClick: true } as const;

type Ids = [deploymentId: string, recipientId: string];

/** The ids of a link. Throws 404 before anything is looked up: only a person with a link can make the database work. */
async function checked({ secrets: { links } }: App, { params, url }: EndpointRequest): Promise<Ids> {
  const { deployId = '', recipientId } = params;
  if (!(await links()).isUnsubscribe(deployId, queryOf(url), recipientId)) throw noSuchLink();
  return [deployId, recipientId ?? ''];
}

const ownerOperations = [
  askStep(ofOwner, {
    name: 'askToUnsubscribe',
    summary: 'Ask whether to stop the mails about a deployment',
    find: async (request, app) => findLinkedPage(app.db, (await checked(app, request))[0]),
    page: (page) => ({
      title: `Stop the mails about ${pageName(page)}?`,
      text: `Submissions to ${pageName(page)} will still be stored, and sent to its webhooks. You will get no mail about them.`,
      ...STOP,
    }),
  }),
  linkStep('POST', ofOwner, {
    name: 'unsubscribe',
    summary: 'Stop the mails about a deployment (RFC 8058)',
    description:
      'Sets `email_notifications` of the deployment to false, or `notify_owner` where a recipient gets the mail too. The link ' +
      `of ${LIST_UNSUBSCRIBE} works while the deployment exists.`,
    answer: 'Mail is off, as it may have been before.',
    async find(request, app) {
      const [id] = await checked(app, request);
      const page = await unsubscribe(app.db, id);
      return page && { id, ...page };
    },
    page: ({ id, ...page }, app) => ({
      title: `No more mails about ${pageName(page)}`,
      text: `You get no more mails about submissions to ${pageName(page)}. The owner of the page switches them on again with this request:`,
      code: `curl -X PATCH ${app.config.baseUrl}/deploy/${id} -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '{"email_notifications": true, "notify_owner": true}'`,
    }),
  }),
];

const recipientOperations = [
  askStep(ofRecipient, {
    name: 'askRecipientToUnsubscribe',
    summary: 'Ask a recipient whether to stop the mails about a deployment',
    find: async (request, app) => findLinkedRecipient(app.db, ...(await checked(app, request))),
    page: ({ email, ...page }) => ({
      title: `Stop the mails about ${pageName(page)}?`,
      text: `${email} will get no more mail about submissions to ${pageName(page)}. Other recipients will.`,
      ...STOP,
    }),
  }),
  linkStep('POST', ofRecipient, {
    name: 'unsubscribeRecipient',
    summary: 'Stop the mails to a recipient (RFC 8058)',
    description:
      'Ends the mails about the deployment to one of its `recipients`, who is no longer confirmed. The link ' +
      `of ${LIST_UNSUBSCRIBE} works while the recipient is in the list.`,
    answer: 'The recipient gets no mail, as may have been before.',
    find: async (request, app) => unsubscribeRecipient(app.db, ...(await checked(app, request))),
    page: ({ email, ...page }) => ({
      title: `No more mails about ${pageName(page)}`,
      text: `${email} gets no more mail about submissions to ${pageName(page)}. If you want it again, ask the owner of the page.`,
    }),
  }),
];

/** The links in mails that stop the mails about a deployment (RFC 8058), to its owner or to one of its recipients. */
export const unsubscribeOperations = [...ownerOperations, ...recipientOperations];
