import { z } from 'zod';
import { confirmRecipient, findLinkedRecipient } from '../../../db/deliveries/mail-recipients.ts';
import { SIZES } from '../../../limits.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, publicEndpoint } from '../../request/endpoint.ts';
import { queryOf } from '../../request/query.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { writeLinkPage } from '../../response/link-page.ts';

/** The same for a wrong signature, and for a recipient that is in no list. */
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

const page = { type: 'text/html', schema: z.string(), example: '<!doctype html>' } as const;
const common = {
  tag: 'Links',
  errorPageTitle: 'This link cannot be opened',
  path: '/confirm/:deployId/:recipientId',
  query: z.object({
    expires: z.string().meta({ description: 'Until when it works, in seconds since 1970.', example: '1795968000' }),
    signature: z.string().meta({
      description: 'A signature of the ids and of `expires`.',
      example: 'KtuzOmS1nxRCbGFkHD0HuT2ZVbZ9O3bNqRzu3kXkzUs',
    }),
  }),
  errors: [noSuchLink, linkExpired],
} as const;

/** The link in a mail by which a recipient confirms that it wants mail about a deployment. */
export function confirmEndpoints({ db, limits, links }: App) {
  /** The ids of a link. Throws before anything is looked up: only who has a link can make the database work. */
  async function checked(request: EndpointRequest): Promise<[deploymentId: string, recipientId: string]> {
    const { deployId: deploymentId = '', recipientId = '' } = request.params;
    const state = (await links()).checkConfirm({ deploymentId, recipientId }, queryOf(request.url));
    if (state === 'wrong') throw noSuchLink();
    if (state === 'expired') throw linkExpired();
    return [deploymentId, recipientId];
  }

  return {
    ask: publicEndpoint({
      ...common,
      method: 'GET',
      name: 'askToConfirm',
      summary: 'Ask a recipient whether to send mail about a deployment',
      description:
        'A page with a button. It changes nothing: software that checks the links of mails opens it as well.',
      answer: { ...page, status: 200, description: 'A page with a button, which posts to the same address.' },
      handle: (request) => async (response) => {
        const recipient = await findLinkedRecipient(db, ...(await checked(request)));
        if (recipient === undefined) throw noSuchLink();
        const { email, slug } = recipient;
        writeLinkPage(
          response,
          200,
          {
            title: `Get mail about ${slug}?`,
            text: `When a form of ${slug} is submitted, what was sent will be mailed to ${email}. Each mail has a link that stops them.`,
            button: 'Send me these mails',
          },
          limits,
        );
      },
    }),

    confirm: publicEndpoint({
      ...common,
      method: 'POST',
      name: 'confirmRecipient',
      summary: 'Confirm a recipient',
      description:
        'From now on the recipient gets mail about the deployment while it is in `recipients`. The link is in the one mail ' +
        `that a new recipient gets, and works for ${SIZES.links.confirmationDays} days.`,
      answer: { ...page, status: 200, description: 'The recipient is confirmed, as it may have been before.' },
      handle: (request) => async (response) => {
        const recipient = await confirmRecipient(db, ...(await checked(request)));
        if (recipient === undefined) throw noSuchLink();
        const { email, slug } = recipient;
        writeLinkPage(
          response,
          200,
          {
            title: `You get mail about ${slug}`,
            text: `What is submitted to ${slug} is mailed to ${email} from now on. Each mail has a link that stops them.`,
          },
          limits,
        );
      },
    }),
  };
}
