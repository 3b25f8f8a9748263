import type { IncomingMessage, ServerResponse } from 'node:http';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import type { PageLook } from '../sites/page-look.ts';
import { withoutEndpoint } from './api/oauth/oauth-errors.ts';
import type { App } from './app.ts';
import type { Endpoint } from './operation/declaration.ts';
import { writeErrorPage } from './pages/page-server.ts';
import type { Exchange } from './request/exchange.ts';
import { type FormAddress, formIn } from './request/form-address.ts';
import { pathOf } from './request/hosts.ts';
import { namesHtml } from './response/accept.ts';
import {
  type HttpError,
  isNoSuchPath,
  isProblemWanted,
  toLoggedError,
  varyByAccept,
  writeError,
} from './response/errors.ts';
import { writeLinkPage } from './response/link-page.ts';
import { writeSmallPage } from './response/small-page.ts';
import { translationsFor } from './response/translations.ts';
import { matchedRoute } from './route-names.ts';
import { CORS } from './submit/answer-submission.ts';
import { inForeignForm } from './submit/foreign-answer.ts';
import { type Visitor, visitorOf } from './submit/visitor.ts';
import type { VisitorPages } from './submit/visitor-pages.ts';

/** The person whose form is refused; undefined where an answer for programs, or a page's error, suits. */
function visitorIn(request: IncomingMessage, slug: Exchange['slug']): Visitor | undefined {
  const isForm = slug === undefined ? addressOf(request, slug) !== undefined : pathOf(request) === '/';
  return isForm ? visitorOf(request, { slug, formAddress: addressOf(request, slug) ?? 'submit' }) : undefined;
}

/** The kind of the form's address that a request is sent to; undefined for any other path, and on the host of a page. */
const addressOf = (request: IncomingMessage, slug: Exchange['slug']): FormAddress | undefined =>
  slug === undefined ? formIn(pathOf(request))?.address : undefined;

const isReadInBrowser = ({ method = '', headers }: IncomingMessage): boolean =>
  ['GET', 'HEAD'].includes(method) && namesHtml(headers);

/** Answers errors, each in the form that suits the request: a document that the client asks for, a page, or JSON. */
export class ErrorResponder {
  readonly #app: App;
  readonly #visitorPages: VisitorPages;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(app: App, endpoints: readonly Endpoint[], visitorPages: VisitorPages) {
    this.#app = app;
    this.#visitorPages = visitorPages;
    this.#endpoints = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]));
  }

  fail(thrown: unknown, { request, response, requestId, slug }: Omit<Exchange, 'path'>): void {
    // A request that took too long has been answered already.
    if (response.writableEnded) return;
    const { log, limits } = this.#app;
    const address = addressOf(request, slug);
    const logged = toLoggedError(thrown, log, requestId);
    const cause = slug === undefined ? withoutEndpoint(logged, pathOf(request)) : logged;
    const error = address === undefined || address === 'submit' ? cause : inForeignForm(cause);
    const visitor = visitorIn(request, slug);
    // Also below /submit/ and /f/ where nothing is: pages of any origin may read the 404.
    const hasCors = slug === undefined && request.method === 'POST' && /^\/(?:submit|f)\//.test(pathOf(request));
    const isOfApi = slug === undefined;
    const headers = {
      'x-request-id': requestId,
      ...(hasCors ? CORS : {}),
      ...(isOfApi ? varyByAccept(response, error) : {}),
    };
    const endpoint = this.#endpoints.get(matchedRoute(request).replace(/^HEAD /, 'GET '));
    const title = endpoint?.errorPageTitle;
    const next = error.status === 404 ? endpoint?.ifMissing : undefined;
    if (response.headersSent) response.destroy();
    else if (isOfApi && isProblemWanted(error, request.headers)) writeError(response, error, headers, this.#app, next);
    else if (visitor)
      this.#visitorPages.refuse(response, visitor, { refusal: { kind: 'unreadable', error }, error }, headers);
    else if (!isOfApi) writeErrorPage(response, error, requestId, this.#app, this.#lookOf(slug));
    else if (isNoSuchPath(error) && isReadInBrowser(request)) this.#writeLost(response, error, headers);
    else if (title === undefined) writeError(response, error, headers, this.#app);
    else {
      const { errorPageDashboard: dashboard } = endpoint ?? {};
      const page = {
        ...{ title, text: error.message, headers: { ...error.headers, ...headers } },
        ...(dashboard !== undefined && { dashboard }),
      };
      writeLinkPage(response, error.status, page, limits);
    }
  }

  /** The look of the page under a slug, if it is in memory: an error costs no query. */
  #lookOf(slug: string | null): PageLook | undefined {
    return slug === null ? undefined : this.#app.pages.cache.inMemory(slug)?.look;
  }

  /** The page for a person at an address where nothing is. */
  #writeLost(response: ServerResponse, error: HttpError, headers: Readonly<Record<string, string>>): void {
    const translations = translationsFor(response.req.headers);
    const { noPage, openDashboard } = translations;
    const content = `<p>${noPage.text}</p>\n<p><a class="button" href="${VIEW_PATHS.pages}">${openDashboard}</a></p>`;
    const page = { translations, sign: 'problem', title: noPage.title, content } as const;
    writeSmallPage(response, error.status, page, { ...error.headers, ...headers }, this.#app.limits);
  }
}
