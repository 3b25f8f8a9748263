import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import {
  beginSession,
  countSignInTry,
  endSession,
  endSessions,
  findSignInLink,
  makeSignInLink,
  useSignInLink,
} from '../../../db/account/sessions.ts';
import { hashOfKey, isApiKey, isSessionId, newToken, TOKEN } from '../../../lib/ids.ts';
import { isMailAddress } from '../../../lib/mail-address.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../limits.ts';
import type { App } from '../../app.ts';
import { keyRefused, tooManyUnknownKeys, unauthorized } from '../../request/auth.ts';
import type { EndpointRequest } from '../../request/declaration.ts';
import { endpoint, publicEndpoint } from '../../request/endpoint.ts';
import { RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, retryAfter } from '../../response/errors.ts';
import { writeLinkPage } from '../../response/link-page.ts';

/** No larger body is read by a thread, which owners share. */
const NO_OWNER = 0;
/** What a browser is sent to when it has signed in. */
const SIGNED_IN = '/dashboard';

const otherSite = errorKind(
  { id: 'OtherSite', description: 'The request comes from a page of another site.' },
  () => new HttpError(403, 'Another site may not sign in here: open the service itself.'),
);
const tooManyTries = errorKind(
  {
    id: 'TooManyTries',
    description:
      `In an hour, more than ${SIZES.signIn.maxLinks} links for one address from one network, ` +
      `${SIZES.signIn.maxLinksOfAddress} for one address, or ${SIZES.signIn.maxLinksOfNetwork} from one network.`,
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many links were asked for: use the last one, or try again later.', retryAfter(leftMs)),
  SIZES.signIn.windowSeconds * 1_000,
);
const noMail = errorKind(
  { id: 'NoMail', description: 'The service has no mail server.' },
  () => new HttpError(404, 'This service sends no mail: sign in with an API key.'),
);
const noSession = errorKind(
  { id: 'NoSession', description: 'The request has an API key, and no session.' },
  () => new HttpError(404, 'There is no session to end: this request has an API key.'),
);
const noSuchLink = errorKind(
  { id: 'NoSuchSignInLink', description: 'The link was changed, has been used, or has expired.' },
  () =>
    new HttpError(
      404,
      `A link works once, for ${SIZES.session.linkMinutes} minutes. Ask for another one, and open that.`,
    ),
);

const Key = z.object({ key: z.string('key is missing: send an API key as a string.') });
const Email = z.object({
  email: z
    .string('email is missing: send an address as a string.')
    .max(SIZES.mail.maxAddressChars, 'email is too long to be an address.')
    .refine(isMailAddress, 'email is not an address: send one such as you@example.com.'),
});
const SignedIn = z.strictObject({ email: z.string(), plan: z.string() }).meta({ id: 'SignedIn' });
const Message = z.strictObject({ message: z.string() });

const page = { type: 'text/html', schema: z.string(), example: '<!doctype html>' } as const;
const cookieHeader = {
  'Set-Cookie': { description: 'The cookie of the session.', schema: { type: 'string' } },
} as const;
const link = {
  tag: 'Account',
  errorPageTitle: 'This link cannot be opened',
  // People open it, and no program calls it.
  isHidden: true,
} as const;

/** Browsers that are signed in: a cookie stands for an API key, for pages of the service itself. */
export function sessionEndpoints({
  db,
  config,
  limits,
  log,
  authentication,
  bodyReader,
  clientAddress,
  sessionCookie,
  mailLink,
}: App) {
  const sending = limitConcurrency(limits.mail.maxConcurrentSignInLinks);
  const { maxLinks, maxLinksOfAddress, maxLinksOfNetwork, windowSeconds: seconds } = SIZES.signIn;
  const linksOfNetwork = new RateLimit({ max: maxLinksOfNetwork, seconds });

  function refuseOtherSites({ headers }: EndpointRequest): void {
    if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') throw otherSite();
  }

  /**
   * Counts a try; in how many milliseconds there may be another when this one is too many. It stops at the first limit, so
   * that a network which has no tries left uses up nobody else's. The tries for an address are those of all processes.
   */
  async function countTry(network: string, email: string): Promise<number | undefined> {
    const networkLeftMs = await linksOfNetwork.use(network);
    if (networkLeftMs !== undefined) return networkLeftMs;
    const counts: [string, number][] = [
      [`client ${network} address ${email}`, maxLinks],
      [`address ${email}`, maxLinksOfAddress],
    ];
    for (const [name, limit] of counts) {
      const leftMs = await countSignInTry(db, hashOfKey(name).toString('base64'), { limit, seconds });
      if (leftMs !== undefined) return leftMs;
    }
    return undefined;
  }

  /** Begins a session, always with a token of its own: what the browser had before is not used. */
  async function signIn(response: Response, keyId: string): Promise<void> {
    const token = newToken(config.cell);
    await beginSession(db, keyId, hashOfKey(token));
    response.append('Set-Cookie', sessionCookie.keep(token));
  }

  /** Runs after the answer, which says nothing of whether there is such an owner. */
  function sendLink(email: string, mail: NonNullable<App['mailLink']>): void {
    if (sending.pendingCount >= limits.mail.maxWaitingSignInLinks) {
      log.warn('a link to sign in was not sent: too many wait for the mail server');
      return;
    }
    const token = newToken(config.cell);
    const send = async (): Promise<void> => {
      if (await makeSignInLink(db, email, hashOfKey(token))) {
        await mail(email, `${config.baseUrl}/session/mail/${token}`);
      }
    };
    sending(send).catch((error: unknown) => log.warn({ err: error }, 'a link to sign in was not sent'));
  }

  const tokenOf = ({ params: { token = '' } }: EndpointRequest): Buffer => {
    if (!TOKEN.test(token)) throw noSuchLink();
    return hashOfKey(token);
  };

  return {
    begin: publicEndpoint({
      method: 'POST',
      path: '/session',
      name: 'signIn',
      tag: 'Account',
      summary: 'Sign a browser in with an API key',
      description:
        `Sets a cookie that stands for the key on every endpoint, for ${SIZES.session.lifetimeDays} days since its last use, and no longer than the key ` +
        'works. It is read only from requests of pages of the service itself (`Sec-Fetch-Site: same-origin`, or its `Origin`).',
      content: {
        'application/json': { schema: Key, example: { key: 'fh_Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU' } },
      },
      answer: {
        status: 200,
        description: 'The browser is signed in.',
        headers: cookieHeader,
        schema: SignedIn,
        example: { email: 'you@example.com', plan: 'unlimited' },
      },
      errors: [otherSite, unauthorized, tooManyUnknownKeys],
      handle: (request) => async (response) => {
        const { key } = await bodyReader.fields(request, NO_OWNER, { schema: Key, maxBytes: SIZES.body.settingsBytes });
        refuseOtherSites(request);
        if (!isApiKey(key)) throw keyRefused();
        const { email, plan, credentialId } = await authentication.ofKey(request, key);
        await signIn(response, credentialId);
        response.json({ email, plan });
      },
    }),

    end: endpoint({
      method: 'DELETE',
      path: '/session',
      name: 'signOut',
      tag: 'Account',
      summary: 'Sign this browser out',
      scope: 'read',
      description: 'Ends the session of the cookie.',
      answer: {
        status: 200,
        description: 'The session has ended.',
        headers: cookieHeader,
        schema: Message,
        example: { message: 'Signed out' },
      },
      errors: [noSession],
      async handle({ owner }) {
        if (!isSessionId(owner.credentialId)) throw noSession();
        await endSession(db, owner.credentialId);
        return (response) => {
          response.append('Set-Cookie', sessionCookie.remove);
          response.json({ message: 'Signed out' });
        };
      },
    }),

    endAll: endpoint({
      method: 'DELETE',
      path: '/sessions',
      name: 'signOutEverywhere',
      tag: 'Account',
      summary: 'Sign all browsers out',
      description: 'Ends all sessions of the owner. Keys stay as they are.',
      answer: {
        status: 200,
        description: 'No browser is signed in.',
        headers: cookieHeader,
        schema: Message,
        example: { message: 'Signed out everywhere' },
      },
      async handle({ owner }) {
        await endSessions(db, owner.id);
        return (response) => {
          response.append('Set-Cookie', sessionCookie.remove);
          response.json({ message: 'Signed out everywhere' });
        };
      },
    }),

    askForLink: publicEndpoint({
      method: 'POST',
      path: '/session/mail',
      name: 'askForSignInLink',
      tag: 'Account',
      summary: 'Get a link by mail that signs a browser in',
      description:
        `If an owner has this address and a valid key, a mail brings a link that works once, for ${SIZES.session.linkMinutes} minutes. The answer is the ` +
        'same if not.',
      content: { 'application/json': { schema: Email, example: { email: 'you@example.com' } } },
      answer: {
        status: 202,
        description: 'A mail is sent, if there is such an owner.',
        schema: Message,
        example: { message: 'If this address has an account, a mail with a link is on its way' },
      },
      errors: [noMail, otherSite, tooManyTries],
      handle: (request) => async (response) => {
        if (!mailLink) throw noMail();
        // Before the first await: a socket that has closed has no address.
        const network = networkOf(clientAddress(request));
        const sent = await bodyReader.fields(request, NO_OWNER, { schema: Email, maxBytes: SIZES.body.settingsBytes });
        refuseOtherSites(request);
        const email = sent.email.toLowerCase();
        const leftMs = await countTry(network, email);
        if (leftMs !== undefined) throw tooManyTries(leftMs);
        response.status(202).json({ message: 'If this address has an account, a mail with a link is on its way' });
        sendLink(email, mailLink);
      },
    }),

    askToSignIn: publicEndpoint({
      ...link,
      method: 'GET',
      path: '/session/mail/:token',
      name: 'askToSignIn',
      summary: 'Ask whether to sign in',
      description:
        'A page with a button. It uses nothing up: software that checks the links of mails opens it as well.',
      answer: { ...page, status: 200, description: 'A page with a button, which posts to the same address.' },
      errors: [noSuchLink],
      handle: (request) => async (response) => {
        const email = await findSignInLink(db, tokenOf(request));
        if (email === undefined) throw noSuchLink();
        const text = `You will be signed in as ${email} in this browser.`;
        // With no-referrer, browsers would hide the Origin of what the button posts.
        const headers = { 'Referrer-Policy': 'same-origin' };
        writeLinkPage(response, 200, { title: 'Sign in to formhost', text, button: 'Sign in' }, limits, headers);
      },
    }),

    useLink: publicEndpoint({
      ...link,
      method: 'POST',
      path: '/session/mail/:token',
      name: 'useSignInLink',
      summary: 'Sign a browser in with a link',
      description: 'Uses the link up. The body is not read.',
      answer: {
        status: 303,
        description: `To \`${SIGNED_IN}\`, signed in.`,
        headers: { ...cookieHeader, Location: { schema: { const: SIGNED_IN } } },
      },
      errors: [otherSite, noSuchLink],
      handle: (request) => async (response) => {
        refuseOtherSites(request);
        // A form of any site can post here. Over plain http, only its Origin tells.
        const { origin } = request.headers;
        if (origin !== undefined && !sessionCookie.isSameOrigin(request)) throw otherSite();
        const keyId = await useSignInLink(db, tokenOf(request));
        if (keyId === undefined) throw noSuchLink();
        await signIn(response, keyId);
        response.status(303).set('Location', SIGNED_IN).end();
      },
    }),
  };
}
