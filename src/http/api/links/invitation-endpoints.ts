import { acceptInvitation, findInvitation } from '../../../db/account/guest-queries.ts';
import { FIRST_OWNER } from '../../../lib/mail-address.ts';
import { pageName } from '../../../sites/page-name.ts';
import { SIZES } from '../../../sizes.ts';
import { publicOperation } from '../../operation/operation.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { cookieHeader, otherSite, refuseForeignForms, signIn } from '../account/session-endpoints.ts';
import { askStep, linkErrors, tokenHash } from './link-endpoint.ts';
import { foundByLink, tooManyUnknownLinks } from './unknown-links.ts';

const noSuchLink = errorKind(
  {
    id: 'NoSuchInvitation',
    description:
      'The link was changed, has been used, or has expired, the guest was removed, or the owner of the page or the address of the guest is suspended.',
  },
  () =>
    new HttpError(
      404,
      `An invitation works once, for ${SIZES.guest.linkDays} days. If you have accepted it before, sign in with your address; otherwise ask the owner of the page.`,
    ),
);

/** People open it, and no program calls it. */
const PATH = '/invitations/:token';

const askToAccept = askStep(
  { path: PATH, isHidden: true, noSuchLink },
  {
    name: 'askToAcceptInvitation',
    summary: 'Ask a guest whether to accept an invitation',
    find: async (request, app) => findInvitation(app.db, tokenHash(request, noSuchLink)),
    page: ({ email, inviter, ...page }) => ({
      title: `Open ${pageName(page)}`,
      text: `${inviter === FIRST_OWNER ? 'The owner' : inviter} shares this page with you. You will be signed in as ${email} in this browser.`,
      button: 'Sign in',
      isSignIn: true,
      // With no-referrer, browsers would hide the Origin of what the button posts.
      headers: { 'Referrer-Policy': 'same-origin' },
    }),
  },
);

const acceptOperation = publicOperation('POST', PATH, 'acceptInvitation', {
  ...linkErrors,
  isHidden: true,
  summary: 'Accept an invitation, and sign a browser in',
  description: 'Uses the link up. The body is not read.',
  answer: {
    status: 303,
    description: 'To the page in the dashboard, signed in.',
    headers: { ...cookieHeader, Location: { schema: { type: 'string' } } },
  },
  errors: [otherSite, noSuchLink, tooManyUnknownLinks],
  async handle(request, response, app) {
    refuseForeignForms(app, request);
    const hash = tokenHash(request, noSuchLink);
    const find = () => acceptInvitation(app.db, hash);
    const accepted = await foundByLink(app, { request, response }, { find, noSuchLink });
    await signIn(app, response, { email: accepted.email }, { refusal: noSuchLink });
    response.set('Location', `/dashboard/pages/${accepted.deploymentId}`).end();
  },
});

/** The links in invitations, which sign a guest in. */
export const invitationOperations = [askToAccept, acceptOperation];
