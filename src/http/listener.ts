import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Express } from 'express';
import type { Config } from '../config.ts';
import type { Log } from '../lib/log.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Forms } from '../submissions/forms.ts';
import { SECURITY_TXT, sendSecurityTxt } from './api/operations/security-txt.ts';
import { type FindForm, type ServePage, writeErrorPage } from './pages/pages.ts';
import { answerInTime, tooSlow } from './request/deadline.ts';
import type { Endpoint } from './request/endpoint.ts';
import { type Place, pathOf, resolveHost, validateRequest } from './request/hosts.ts';
import { untilStarted } from './request/until-started.ts';
import type { LogRequest } from './request-log.ts';
import { namesHtml } from './response/accept.ts';
import { methodNotAllowed, toLoggedError, writeError } from './response/errors.ts';
import { writeLinkPage } from './response/link-page.ts';
import type { Speak } from './response/translations.ts';
import type { ShowThanks } from './submit/endpoint.ts';
import { SubmissionError } from './submit/refusals.ts';
import { CORS, type SubmissionHandler } from './submit/submission-handler.ts';
import { THANKS, type Visitor, type VisitorPages, visitorOf } from './submit/visitors.ts';

/** What is known of a request; only this file changes it. */
type Context = {
  requestId: string;
  /** As performance.now() returns it. */
  startedAt: number;
  /** Set when the request is for a page's host. */
  slug: string | undefined;
  isLogged: boolean;
};

/** The routes that metrics count besides those of the API. */
const PAGE = 'page';
const SUBMIT = 'POST /submit/:deployId';
const SUBMIT_PATH = /^\/submit\/([^/]+)$/;
const NO_ROUTE = 'other';

/** Browsers ask every host for it, and report a 404 as an error. */
const FAVICON = '/favicon.ico';

/** Answers every request. The hot paths, pages and submissions, don't go through Express. */
export function createListener({
  api,
  endpoints,
  servePage,
  findForm,
  submit,
  visitorPages,
  forms,
  showThanks,
  speak,
  placeOf,
  cookieName,
  abuseContact,
  metrics,
  log,
  logRequest,
  newRequestId,
  isStarting,
  limits,
}: {
  /** Gets its error handler here. */
  api: Express;
  /** The endpoints of `api`. */
  endpoints: readonly Endpoint[];
  servePage: ServePage;
  findForm: FindForm;
  submit: SubmissionHandler;
  visitorPages: VisitorPages;
  forms: Forms;
  showThanks: ShowThanks;
  speak: Speak;
  placeOf(host: string): Place;
  /** Of sessions; other cookies mean nothing. */
  cookieName: string;
  abuseContact: Config['abuseContact'];
  metrics: Metrics;
  log: Log;
  logRequest: LogRequest;
  newRequestId(): string;
  isStarting(): boolean;
  limits: Limits;
}): RequestListener {
  const pathsOf = (some: readonly Endpoint[]): ReadonlySet<string> => new Set(some.map(({ path }) => path));
  const earlyPaths = pathsOf(endpoints.filter(({ answersWhileStarting }) => answersWhileStarting));
  const errorPageTitles: ReadonlyMap<string, string | undefined> = new Map(
    endpoints.map(({ method, path, errorPageTitle }) => [`${method} ${path}`, errorPageTitle]),
  );
  const polledPaths = pathsOf(endpoints.filter(({ isPolled }) => isPolled));
  const logsAnswers = log.isLevelEnabled('info');
  // Pages and accepted submissions are many, and are logged at this level only.
  const logsAll = log.isLevelEnabled('debug');

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const context: Context = {
      requestId: newRequestId(),
      startedAt: performance.now(),
      slug: undefined,
      isLogged: false,
    };
    if (logsAll) logOnce(request, response, context);
    // A page in memory is answered before dispatch() returns: a promise would add a twentieth to its cost.
    try {
      const place = placeOf(resolveHost(request));
      if (place !== 'api') context.slug = place.slug;
      validateRequest(request, cookieName);
      const answering =
        isStarting() && !earlyPaths.has(pathOf(request))
          ? untilStarted(isStarting, limits).then(() => dispatch(request, response, context))
          : dispatch(request, response, context);
      answering?.catch((error) => fail(error, request, response, context));
    } catch (error) {
      fail(error, request, response, context);
    }
  }

  /** Throws, or rejects with, the error that is to be answered. */
  function dispatch(request: IncomingMessage, response: ServerResponse, context: Context): void | Promise<void> {
    const { requestId, slug } = context;
    const path = pathOf(request);
    if (path === SECURITY_TXT && abuseContact) {
      return answerSecurityTxt(request, response, context, abuseContact);
    }
    if (slug !== undefined) {
      if (path === FAVICON && isRead(request)) return answerFavicon(response, requestId);
      if (path === THANKS) return thankOnPage(request, response, slug, requestId);
      if (request.method === 'POST') return submitToPage(request, response, slug, path, requestId);
      const serving = servePage(request, response, { slug, path }, requestId);
      if (serving) return serving.then(() => metrics.request(PAGE, response.statusCode));
      metrics.request(PAGE, response.statusCode);
      return undefined;
    }
    const encodedId = SUBMIT_PATH.exec(path)?.[1];
    if (encodedId === undefined) return callApi(request, response, context);
    const deploymentId = decodeURIComponent(encodedId);
    if (isRead(request) && namesHtml(request.headers)) return refuseGet(request, response, context, deploymentId);
    if (request.method !== 'POST') return callApi(request, response, context);
    return submit
      .handle(request, response, { deploymentId, requestId, pageSlug: undefined })
      .then(() => metrics.request(SUBMIT, response.statusCode));
  }

  /** A form without an action posts to its own page. */
  async function submitToPage(
    request: IncomingMessage,
    response: ServerResponse,
    slug: string,
    path: string,
    requestId: string,
  ): Promise<void> {
    const deploymentId = await findForm({ slug, path });
    await submit.handle(request, response, { deploymentId, requestId, pageSlug: slug });
    metrics.request(SUBMIT, response.statusCode);
  }

  /** What a browser shows after it has posted a form to its own page. */
  async function thankOnPage(
    request: IncomingMessage,
    response: ServerResponse,
    slug: string,
    requestId: string,
  ): Promise<void> {
    if (!isRead(request)) throw methodNotAllowed('GET, HEAD');
    await showThanks(response, await findForm({ slug, path: '/' }), { 'x-request-id': requestId });
    metrics.request(PAGE, response.statusCode);
  }

  /** No host has an icon at this path, so nothing is looked up. A page can name one. */
  function answerFavicon(response: ServerResponse, requestId: string): void {
    response.writeHead(204, {
      'Cache-Control': `public, max-age=${limits.requests.faviconSeconds}`,
      'x-request-id': requestId,
    });
    response.end();
    metrics.request(PAGE, response.statusCode);
  }

  /** A form without method="post" arrives as a GET. */
  async function refuseGet(
    request: IncomingMessage,
    response: ServerResponse,
    context: Context,
    deploymentId: string,
  ): Promise<void> {
    const { requestId } = context;
    logOnce(request, response, context);
    const form = await forms.get(deploymentId).catch(() => undefined);
    visitorPages.refuseGet(response, form, { 'x-request-id': requestId });
    metrics.request(`${request.method} /submit/:deployId`, response.statusCode);
  }

  function callApi(request: IncomingMessage, response: ServerResponse, context: Context): void {
    const { requestId } = context;
    response.once('close', () => metrics.request(routeOf(request), response.statusCode));
    answerInTime(request, response, () => failApi(tooSlow(), request, response, requestId), limits);
    if (!polledPaths.has(pathOf(request))) logOnce(request, response, context);
    response.setHeader('x-request-id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    api(request, response);
  }

  function answerSecurityTxt(
    request: IncomingMessage,
    response: ServerResponse,
    context: Context,
    contact: NonNullable<Config['abuseContact']>,
  ): void {
    sendSecurityTxt(request, response, { contact, requestId: context.requestId });
    metrics.request(`${request.method} ${SECURITY_TXT}`, response.statusCode);
    if (context.slug === undefined) logOnce(request, response, context);
  }

  /** Answers an error in the form that suits the request: JSON, or a page. */
  function fail(thrown: unknown, request: IncomingMessage, response: ServerResponse, context: Context): void {
    const { requestId, slug } = context;
    if (slug === undefined) logOnce(request, response, context);
    if (response.writableEnded) return;
    if (thrown instanceof SubmissionError) {
      refuse(thrown.cause, thrown.visitor, response, context);
    } else if (slug === undefined && isToSubmit(request)) {
      refuse(thrown, visitorOf(request, undefined), response, context);
    } else if (slug !== undefined && pathOf(request) === '/' && visitorOf(request, slug)) {
      refuse(thrown, visitorOf(request, slug), response, context);
    } else {
      const error = toLoggedError(thrown, log, requestId);
      metrics.request(slug === undefined ? NO_ROUTE : PAGE, error.status);
      if (response.headersSent) response.destroy();
      else if (slug === undefined) writeError(response, error, { 'x-request-id': requestId }, limits);
      else writeErrorPage(response, error, { requestId, abuseContact, speech: speak(request.headers) }, limits);
    }
  }

  /** Answers a submission that was not accepted. */
  function refuse(
    cause: unknown,
    visitor: Visitor | undefined,
    response: ServerResponse,
    { requestId, slug }: Context,
  ): void {
    const error = toLoggedError(cause, log, requestId);
    metrics.request(SUBMIT, error.status);
    const headers = { 'x-request-id': requestId, ...(slug === undefined ? CORS : {}) };
    if (response.headersSent) response.destroy();
    else if (visitor) visitorPages.refuse(response, visitor, error, headers);
    else writeError(response, error, headers, limits);
  }

  /** Answers an error of the API. Metrics count the answer when it is closed. */
  function failApi(cause: unknown, request: IncomingMessage, response: ServerResponse, requestId: string): void {
    // answerInTime may have answered already.
    if (response.writableEnded) return;
    const error = toLoggedError(cause, log, requestId);
    const headers = { 'x-request-id': requestId, ...(isToSubmit(request) ? CORS : {}) };
    const title = errorPageTitles.get(routeOf(request).replace(/^HEAD /, 'GET '));
    if (response.headersSent) response.destroy();
    else if (title !== undefined)
      writeLinkPage(response, error.status, { title, text: error.message }, limits, { ...error.headers, ...headers });
    else writeError(response, error, headers, limits);
  }

  /** Logs a line when the request has been answered, or its client has left; one line for each request. */
  function logOnce(request: IncomingMessage, response: ServerResponse, context: Context): void {
    if (context.isLogged || !logsAnswers) return;
    context.isLogged = true;
    logRequest(request, response, context);
  }

  api.use(((error, request, response, _next) =>
    failApi(error, request, response, String(response.getHeader('x-request-id')))) satisfies ErrorRequestHandler);

  return listener;
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** Also for paths below /submit/ that don't exist: pages of any origin may read the 404. */
const isToSubmit = (request: IncomingMessage): boolean =>
  request.method === 'POST' && pathOf(request).startsWith('/submit/');

/** The route that Express matched, as the API's reference names it: never a path that a client made up. */
function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const path = request.route?.path;
  return typeof path === 'string' ? `${request.method} ${path}` : NO_ROUTE;
}
