import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import { signInUrl } from '../../../config.ts';
import { findSignInLink, makeSignInLink, useSignInLink } from '../../../db/account/session-queries.ts';
import { hashOfKey, newToken } from '../../../lib/ids.ts';
import type { Language } from '../../../lib/languages.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { mailAddress } from '../../../settings/values.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { publicOperation } from '../../operation/operation.ts';
import { translationsOfPerson } from '../../request/person-language.ts';
import { RATE_LIMIT_HEADERS, RateLimit } from '../../request/rate-limit.ts';
import { errorKind, HttpError, retryAfter } from '../../response/errors.ts';
import { askStep, linkErrors, tokenHash } from '../links/link-endpoint.ts';
import { foundByLink, tooManyUnknownLinks } from '../links/unknown-links.ts';
import { cookieHeader, otherSite, readSignIn, refuseForeignForms, signIn } from './session-endpoints.ts';

/* Links that sign in which may be asked for in an hour. */

/** The maximum that one network may request for one address. */
const MAX_LINKS = 5;
/** By all networks for one address: more than one network may ask for, so that nobody can lock an owner out alone. */
const MAX_LINKS_OF_ADDRESS = 20;
/** By one network for all addresses, in each process: several owners may share a network. */
const MAX_LINKS_OF_NETWORK = 100;
const seconds = 60 * 60;
/** Links that wait for the mail server. */
const MAX_WAITING = 100;

/** A browser that has signed in is sent there. */
const SIGNED_IN = '/dashboard';

const tooManyTries = errorKind(
  {
    id: 'TooManyTries',
    description:
      `In an hour, more than ${MAX_LINKS} links for one address from one network, ` +
      `${MAX_LINKS_OF_ADDRESS} for one address, or ${MAX_LINKS_OF_NETWORK} from one network.`,
    isCounted: true,
  },
  (leftMs: number) =>
    new HttpError(429, 'Too many links were asked for: use the last one, or try again later.', retryAfter(leftMs)),
  seconds * 1_000,
);
const WINDOW = { seconds, refusal: tooManyTries };
const noMail = errorKind(
  { id: 'NoMail', description: 'The service has no mail server.' },
  () => new HttpError(404, 'This service sends no mail: sign in with an API key.'),
);
const noSuchLink = errorKind(
  {
    id: 'NoSuchSignInLink',
    description: 'The link was changed, has been used, or has expired, or the address is suspended.',
  },
  () =>
    new HttpError(
      404,
      `A link works once, for ${SIZES.session.linkMinutes} minutes. Ask for another one, and open that.`,
    ),
);

const Email = z.object({
  email: mailAddress(
    'email is not an address: send one such as you@example.com.',
    'email is missing: send an address as a string.',
  ),
});

/** The plan of an address that signs in by mail for the first time; undefined where it may not. */
const planOfNew = ({ signUp, defaultPlan }: App['config']): string | undefined =>
  signUp === 'open' ? defaultPlan : undefined;

type Exchange = { request: EndpointRequest; response: Response };

/** Sends links that sign in, and bounds how many may be asked for. */
class SignInLinks {
  readonly #app: App;
  readonly #ofNetwork = new RateLimit({
    name: 'sign-in-links-of-network',
    max: MAX_LINKS_OF_NETWORK,
    ...WINDOW,
  });
  readonly #ofNetworkAndAddress: RateLimit;
  /** Nobody learns from it how often others ask for an address. */
  readonly #ofAddress: RateLimit;
  /** Links are made and sent two at a time. */
  readonly #sending = limitConcurrency(2);

  constructor(app: App) {
    this.#app = app;
    const shared = { ...WINDOW, sharedIn: app.db };
    this.#ofNetworkAndAddress = new RateLimit({ name: 'sign-in-links', max: MAX_LINKS, ...shared });
    this.#ofAddress = new RateLimit({
      name: 'sign-in-links-for-address',
      max: MAX_LINKS_OF_ADDRESS,
      ...shared,
      isDiscreet: true,
    });
  }

  /**
   * Counts a try; throws 429 when it is one too many. It stops at the first limit, so that a network which has no tries
   * left uses up nobody else's. The tries for an address are those of all processes.
   */
  async countTry(network: string, email: string, exchange: Exchange): Promise<void> {
    await this.#ofNetwork.count(network, exchange);
    await this.#ofNetworkAndAddress.count(`${network} ${email}`, exchange);
    await this.#ofAddress.count(email, exchange);
  }

  /** Runs after the answer, which says nothing of whether there is such an owner. */
  send(email: string, language: Language, mail: NonNullable<App['delivery']['mailAccount']>): void {
    const { db, config, log } = this.#app;
    if (this.#sending.pendingCount >= MAX_WAITING) {
      log.warn('a link to sign in was not sent: too many wait for the mail server');
      return;
    }
    const token = newToken();
    const send = async (): Promise<void> => {
      if (await makeSignInLink(db, email, { hash: hashOfKey(token), plan: planOfNew(config) })) {
        await mail(email, { kind: 'sign-in', language, url: signInUrl(config, token) });
      }
    };
    this.#sending(send).catch((error: unknown) => log.warn({ err: error }, 'a link to sign in was not sent'));
  }
}

const SENT = 'If this address has an account, a mail with a link is on its way';
/** Where everybody may sign up, every address gets one. */
const SENT_TO_ANY = 'A mail with a link is on its way';

const linksOf = perService((app) => new SignInLinks(app));

const requestOperation = publicOperation('POST', '/session/mail', 'askForSignInLink', {
  summary: 'Get a link by mail that signs a browser in',
  description:
    `If an owner has this address, or everybody may sign up (\`SIGN_UP=open\`), a mail brings a link that works once, for ${SIZES.session.linkMinutes} minutes. The answer is the same if not. ` +
    `The session is that of a valid key with the scope \`full\`. If the owner has none, it needs no key, may do everything, and ends ${SIZES.session.lifetimeDays} days ` +
    'after its last use, or when the address changes or is suspended.',
  content: { 'application/json': { schema: Email, example: { email: 'you@example.com' } } },
  answer: {
    status: 202,
    description: 'A mail is sent, if there is such an owner.',
    headers: RATE_LIMIT_HEADERS,
    schema: z.strictObject({ message: z.enum([SENT, SENT_TO_ANY]) }),
  },
  errors: [noMail, otherSite, tooManyTries],
  async handle(request, response, app) {
    const {
      delivery: { mailAccount },
      requests: { clientAddress },
    } = app;
    const links = linksOf(app);
    if (!mailAccount) throw noMail();
    // Before the first await: a socket that has closed has no address.
    const network = networkOf(clientAddress(request));
    const { email } = await readSignIn(app, request, Email);
    await links.countTry(network, email, { request, response });
    response.json({ message: app.config.signUp === 'open' ? SENT_TO_ANY : SENT });
    links.send(email, translationsOfPerson(request.headers).language, mailAccount);
  },
});

/** People open it, and no program calls it. */
const PATH = '/session/mail/:token';

const askToSignIn = askStep(
  { path: PATH, isHidden: true, noSuchLink },
  {
    name: 'askToSignIn',
    summary: 'Ask whether to sign in',
    find: async (request, app) => findSignInLink(app.db, tokenHash(request, noSuchLink), planOfNew(app.config)),
    page: ({ email, isNew }) => ({
      title: isNew ? 'Sign up to formhost' : 'Sign in to formhost',
      text: `You will ${isNew ? `get an account for ${email}, and be signed in` : `be signed in as ${email}`} in this browser.`,
      button: 'Sign in',
      isSignIn: true,
      // With no-referrer, browsers would hide the Origin of what the button posts.
      headers: { 'Referrer-Policy': 'same-origin' },
    }),
  },
);

const useOperation = publicOperation('POST', PATH, 'useSignInLink', {
  audit: 'sign-in',
  ...linkErrors,
  isHidden: true,
  summary: 'Sign a browser in with a link',
  description: 'Uses the link up. The body is not read.',
  answer: {
    status: 303,
    description: `To \`${SIGNED_IN}\`, signed in.`,
    headers: { ...cookieHeader, Location: { schema: { const: SIGNED_IN } } },
  },
  errors: [otherSite, noSuchLink, tooManyUnknownLinks],
  async handle(request, response, app) {
    refuseForeignForms(app, request);
    const hash = tokenHash(request, noSuchLink);
    const find = () => useSignInLink(app.db, hash, planOfNew(app.config));
    const standsFor = await foundByLink(app, { request, response }, { find, noSuchLink });
    await signIn(app, response, standsFor, { refusal: noSuchLink });
    response.set('Location', SIGNED_IN).end();
  },
});

/** Links in mails that sign a browser in. */
export const signInLinkOperations = [requestOperation, askToSignIn, useOperation];
