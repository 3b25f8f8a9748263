import { z } from 'zod';
import { findLinkedRecipient, unsubscribeRecipient } from '../../../db/deliveries/mail-recipients.ts';
import { findLinkedSlug, unsubscribe } from '../../../db/deployments/deployments.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, publicEndpoint } from '../../request/endpoint.ts';
import { queryOf } from '../../request/query.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { writeLinkPage } from '../../response/link-page.ts';

const noSuchLink = errorKind(
  {
    id: 'NoSuchUnsubscribeLink',
    description: 'The link was changed, its deployment has been deleted, or its recipient has been removed.',
  },
  () => new HttpError(404, 'Check that the link is complete. If it is, the page has been deleted, and sends no mail.'),
);

const query = z.object({
  signature: z
    .string()
    .meta({ description: 'A signature of the id.', example: 'KtuzOmS1nxRCbGFkHD0HuT2ZVbZ9O3bNqRzu3kXkzUs' }),
});
const page = { type: 'text/html', schema: z.string(), example: '<!doctype html>' } as const;
const common = {
  tag: 'Links',
  errorPageTitle: 'This link cannot be opened',
  query,
  errors: [noSuchLink],
} as const;

/** The link in a mail that stops the mails about a deployment (RFC 8058). */
export function unsubscribeEndpoints({ db, config, limits, links }: App) {
  /** The deployment of a link. Throws 404 before anything is looked up: only who has a link can make the database work. */
  async function checked(request: EndpointRequest): Promise<string> {
    const { deployId = '' } = request.params;
    if (!(await links()).isUnsubscribe(deployId, queryOf(request.url))) throw noSuchLink();
    return deployId;
  }

  /** The ids of a recipient's link. Throws 404, as above. */
  async function checkedRecipient(request: EndpointRequest): Promise<{ deployId: string; recipientId: string }> {
    const { deployId = '', recipientId = '' } = request.params;
    if (!(await links()).isUnsubscribe(deployId, queryOf(request.url), recipientId)) throw noSuchLink();
    return { deployId, recipientId };
  }

  return {
    ask: publicEndpoint({
      ...common,
      method: 'GET',
      path: '/unsubscribe/:deployId',
      name: 'askToUnsubscribe',
      summary: 'Ask whether to stop the mails about a deployment',
      description:
        'A page with a button. It changes nothing: software that checks the links of mails opens it as well.',
      answer: { ...page, status: 200, description: 'A page with a button, which posts to the same address.' },
      handle: (request) => async (response) => {
        const id = await checked(request);
        const slug = await findLinkedSlug(db, id);
        if (slug === undefined) throw noSuchLink();
        writeLinkPage(
          response,
          200,
          {
            title: `Stop the mails about ${slug}?`,
            text: `Submissions to ${slug} will still be stored, and sent to its webhooks. You will get no mail about them.`,
            button: 'Stop the mails',
            oneClick: true,
          },
          limits,
        );
      },
    }),

    unsubscribe: publicEndpoint({
      ...common,
      method: 'POST',
      path: '/unsubscribe/:deployId',
      name: 'unsubscribe',
      summary: 'Stop the mails about a deployment (RFC 8058)',
      description:
        'Sets `email_notifications` of the deployment to false, or `notify_owner` where a recipient gets the mail too. ' +
        'The link of `List-Unsubscribe` in each mail about a submission; ' +
        'it works while the deployment exists. Mail software sends the body `List-Unsubscribe=One-Click`, which is not read.',
      answer: { ...page, status: 200, description: 'Mail is off, as it may have been before.' },
      handle: (request) => async (response) => {
        const id = await checked(request);
        const slug = await unsubscribe(db, id);
        if (slug === undefined) throw noSuchLink();
        writeLinkPage(
          response,
          200,
          {
            title: `No more mails about ${slug}`,
            text: `You get no more mails about submissions to ${slug}. The owner of the page switches them on again with this request:`,
            code: `curl -X PATCH ${config.baseUrl}/deploy/${id} -H "Authorization: Bearer YOUR_API_KEY" -H "Content-Type: application/json" -d '{"email_notifications": true, "notify_owner": true}'`,
          },
          limits,
        );
      },
    }),

    askRecipient: publicEndpoint({
      ...common,
      method: 'GET',
      path: '/unsubscribe/:deployId/:recipientId',
      name: 'askRecipientToUnsubscribe',
      summary: 'Ask a recipient whether to stop the mails about a deployment',
      description:
        'A page with a button. It changes nothing: software that checks the links of mails opens it as well.',
      answer: { ...page, status: 200, description: 'A page with a button, which posts to the same address.' },
      handle: (request) => async (response) => {
        const { deployId, recipientId } = await checkedRecipient(request);
        const recipient = await findLinkedRecipient(db, deployId, recipientId);
        if (recipient === undefined) throw noSuchLink();
        writeLinkPage(
          response,
          200,
          {
            title: `Stop the mails about ${recipient.slug}?`,
            text: `${recipient.email} will get no more mail about submissions to ${recipient.slug}. Other recipients will.`,
            button: 'Stop the mails',
            oneClick: true,
          },
          limits,
        );
      },
    }),

    unsubscribeRecipient: publicEndpoint({
      ...common,
      method: 'POST',
      path: '/unsubscribe/:deployId/:recipientId',
      name: 'unsubscribeRecipient',
      summary: 'Stop the mails to a recipient (RFC 8058)',
      description:
        'Ends the mails about the deployment to one of its `recipients`, who is no longer confirmed. The link of ' +
        '`List-Unsubscribe` in each mail to the recipient; it works while the recipient is in the list. Mail software ' +
        'sends the body `List-Unsubscribe=One-Click`, which is not read.',
      answer: { ...page, status: 200, description: 'The recipient gets no mail, as may have been before.' },
      handle: (request) => async (response) => {
        const { deployId, recipientId } = await checkedRecipient(request);
        const recipient = await unsubscribeRecipient(db, deployId, recipientId);
        if (recipient === undefined) throw noSuchLink();
        writeLinkPage(
          response,
          200,
          {
            title: `No more mails about ${recipient.slug}`,
            text: `${recipient.email} gets no more mail about submissions to ${recipient.slug}. If you want it again, ask the owner of the page.`,
          },
          limits,
        );
      },
    }),
  };
}
