import type { Response } from 'express';
import limitConcurrency from 'p-limit';
import { z } from 'zod';
import { openAccount } from '../../../db/account/session-queries.ts';
import { VIEW_PATHS } from '../../../lib/dashboard-paths.ts';
import { newToken, TOKEN } from '../../../lib/ids.ts';
import { toMailAddress } from '../../../lib/mail-address.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { OpenidError, OpenidProvider } from '../../../openid/openid-provider.ts';
import { literal } from '../../../problems/sentence.ts';
import type { App } from '../../app.ts';
import { type EndpointRequest, perService } from '../../operation/declaration.ts';
import { publicOperation } from '../../operation/operation.ts';
import { pauseDeadline } from '../../request/deadline.ts';
import { RateLimit } from '../../request/rate-limit.ts';
import { cookiesNamed } from '../../request/session-cookie.ts';
import { errorKind, HttpError, retryAfter, unavailable } from '../../response/errors.ts';
import { cookieHeader, signIn } from './session-endpoints.ts';

/** Requests of one network to sign in in each process: all people of a company may share one. */
const MAX_TRIES = 1_000;
const seconds = 10 * 60;
/** Requests to the provider at a time, and those that wait. */
const MAX_ASKING = 8;
const MAX_WAITING = 100;
/** How long a person has for signing in at the provider. */
const COOKIE_SECONDS = 15 * 60;

const noProvider = errorKind(
  { id: 'NoOpenidProvider', description: 'The service has no provider of OpenID Connect.' },
  () => new HttpError(404, 'This service has no OpenID Connect: sign in by mail or with an API key.'),
);
const providerFailed = errorKind(
  {
    id: 'OpenidProviderFailed',
    description: 'The provider of OpenID Connect can not be reached, or refuses this service.',
  },
  () =>
    new HttpError(
      503,
      'The provider that signs you in does not answer as it should. Try again in a minute, or tell the operator, whose log says why.',
      retryAfter(60_000),
    ),
);
const signInOver = errorKind(
  {
    id: 'OpenidSignInOver',
    description: 'The answer of the provider has been used, has expired, is wrong, or belongs to another browser.',
  },
  () => new HttpError(400, 'This sign-in has been used, is over, or began in another browser. Sign in again.'),
);
const canceled = errorKind(
  { id: 'OpenidCanceled', description: 'The provider, or the person, has refused.' },
  (code: string) => new HttpError(403, `The provider has not signed you in. It says: ${literal(code)}.`),
  'access_denied',
);
const noVerifiedAddress = errorKind(
  { id: 'OpenidNoVerifiedAddress', description: 'The provider knows no verified address of the person.' },
  () => new HttpError(403, 'The provider does not say that your e-mail address is verified. Verify it there first.'),
);
const noAccount = errorKind(
  {
    id: 'OpenidNoAccount',
    description:
      'The address has no account, is not that of a guest, and its domain is none of `OIDC_DOMAINS`; or the address is suspended.',
  },
  (email: string) =>
    new HttpError(
      403,
      `${literal(email)} has no account here. Ask the operator for one, or sign in with another address.`,
    ),
  'you@example.com',
);
const tooManySignIns = errorKind(
  {
    id: 'TooManySignIns',
    description: `More than ${MAX_TRIES} requests of one network in ${seconds / 60} minutes.`,
    isCounted: true,
  },
  (leftMs: number) => new HttpError(429, 'Too many sign-ins from your network: try again later.', retryAfter(leftMs)),
  seconds * 1_000,
);

const CALLBACK = '/session/oidc/callback';

/** The cookie that binds a sign-in to its browser. It is sent when the provider leads back, from another site. */
class FlowCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor({ config: { baseUrl }, requests: { sessionCookie } }: App) {
    this.#name = `${sessionCookie.name}-oidc`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`;
  }

  tokenOf({ headers }: EndpointRequest): string | undefined {
    const [pair = '', ...others] = cookiesNamed(this.#name, headers);
    const token = pair.slice(this.#name.length + 1);
    return others.length === 0 && TOKEN.test(token) ? token : undefined;
  }

  keep(token: string): string {
    return `${this.#name}=${token}; Max-Age=${COOKIE_SECONDS}; ${this.#attributes}`;
  }

  get remove(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}

/** Signs people in at the provider of a service. */
class OpenidSignIns {
  readonly #app: App;
  readonly #provider: OpenidProvider | undefined;
  readonly #cookie: FlowCookie;
  readonly #tries = new RateLimit({ name: 'openid-sign-ins', max: MAX_TRIES, seconds, refusal: tooManySignIns });
  readonly #asking = limitConcurrency(MAX_ASKING);

  constructor(app: App) {
    const { config, limits } = app;
    this.#app = app;
    this.#cookie = new FlowCookie(app);
    this.#provider =
      config.oidc &&
      new OpenidProvider(config.oidc, {
        redirectUri: `${config.baseUrl}${CALLBACK}`,
        timeoutMs: limits.openid.timeoutMs,
      });
  }

  /** Returns where the person signs in. */
  async begin(request: EndpointRequest, response: Response): Promise<string> {
    const provider = this.#providerOrThrow();
    await this.#count(request, response);
    const token = newToken();
    const address = await this.#ask(response, () => provider.addressFor(token));
    response.append('Set-Cookie', this.#cookie.keep(token));
    return address;
  }

  /** Signs the person in whom the provider leads back. */
  async finish(request: EndpointRequest, response: Response): Promise<void> {
    const provider = this.#providerOrThrow();
    const { config, db } = this.#app;
    const token = this.#cookie.tokenOf(request);
    const answer = new URL(request.url, config.baseUrl).searchParams;
    if (token === undefined || !provider.isAnswerTo(token, answer)) throw signInOver();
    // It works once.
    response.append('Set-Cookie', this.#cookie.remove);
    await this.#count(request, response);
    const claims = await this.#ask(response, () => provider.claimsOf(token, answer));
    const email = toMailAddress(claims.email ?? '')?.toLowerCase();
    if (email === undefined || !claims.isVerified) throw noVerifiedAddress();
    const mayOpen = config.oidcDomains.includes(email.slice(email.lastIndexOf('@') + 1));
    if (!(await openAccount(db, email, mayOpen ? config.defaultPlan : undefined))) throw noAccount(email);
    await signIn(this.#app, response, { email }, { refusal: () => noAccount(email) });
  }

  #providerOrThrow(): OpenidProvider {
    if (!this.#provider) throw noProvider();
    return this.#provider;
  }

  #count(request: EndpointRequest, response: Response): Promise<void> {
    // Before the first await: a socket that has closed has no address.
    return this.#tries.count(networkOf(this.#app.requests.clientAddress(request)), { request, response });
  }

  /** Asks the provider. Only the log says what is wrong with it. */
  async #ask<T>(response: Response, question: () => Promise<T>): Promise<T> {
    if (this.#asking.pendingCount >= MAX_WAITING) {
      throw unavailable('Too many people are signing in: try again shortly.');
    }
    const resumeDeadline = pauseDeadline(response);
    try {
      return await this.#asking(question);
    } catch (error) {
      if (!(error instanceof OpenidError)) throw error;
      const { kind, code, message } = error;
      this.#app.log.warn({ code, reason: message }, 'a sign-in by OpenID Connect has failed');
      if (kind === 'provider') throw providerFailed();
      throw kind === 'refused' ? signInOver() : canceled(/^[\w.-]{1,100}$/.test(code) ? code : 'unknown');
    } finally {
      resumeDeadline();
    }
  }
}

const signInsOf = perService((app) => new OpenidSignIns(app));

/** People open them, in a browser. */
const shared = {
  isHidden: true,
  errorPageTitle: 'You are not signed in',
  errorPageDashboard: VIEW_PATHS.pages,
} as const;

const beginOperation = publicOperation('GET', '/session/oidc', 'beginOpenidSignIn', {
  ...shared,
  summary: 'Sign a browser in with OpenID Connect',
  description: 'Leads to the provider, which leads back.',
  answer: {
    status: 303,
    description: 'To the provider.',
    headers: { ...cookieHeader, Location: { schema: z.url() } },
  },
  errors: [noProvider, providerFailed, tooManySignIns],
  async handle(request, response, app) {
    const address = await signInsOf(app).begin(request, response);
    response.set({ Location: address, 'Cache-Control': 'no-store' }).end();
  },
});

const finishOperation = publicOperation('GET', CALLBACK, 'finishOpenidSignIn', {
  ...shared,
  summary: 'Finish a sign-in with OpenID Connect',
  description: 'The provider leads there. It works once, in the browser that began.',
  answer: {
    status: 303,
    description: `To \`${VIEW_PATHS.pages}\`, signed in.`,
    headers: { ...cookieHeader, Location: { schema: { const: VIEW_PATHS.pages } } },
  },
  errors: [noProvider, signInOver, canceled, noVerifiedAddress, noAccount, providerFailed, tooManySignIns],
  async handle(request, response, app) {
    await signInsOf(app).finish(request, response);
    response.set({ Location: VIEW_PATHS.pages, 'Cache-Control': 'no-store' }).end();
  },
});

/** Signing in with a provider of OpenID Connect. */
export const oidcOperations = [beginOperation, finishOperation];
