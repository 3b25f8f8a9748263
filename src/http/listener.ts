import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Express } from 'express';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { createRequestIds } from '../lib/ids.ts';
import { SECURITY_TXT, sendSecurityTxt } from './api/operations/security-txt.ts';
import type { App } from './app.ts';
import { createEndpoints } from './endpoints.ts';
import { ErrorResponder } from './error-responder.ts';
import { PageServer } from './pages/pages.ts';
import { answerInTime, tooSlow } from './request/deadline.ts';
import type { Endpoint } from './request/declaration.ts';
import { pathOf, resolveHost, validateRequest } from './request/hosts.ts';
import { untilStarted } from './request/until-started.ts';
import { RequestLog } from './request-log.ts';
import { namesHtml } from './response/accept.ts';
import { methodNotAllowed } from './response/errors.ts';
import { PAGE, routeOf, SUBMIT, submitIdIn } from './route-names.ts';
import { createApi } from './router.ts';
import { SubmissionService } from './submit/submission-service.ts';
import { THANKS, VisitorPages } from './submit/visitor-pages.ts';

/** What is known of a request; only this file changes it. */
type Context = {
  requestId: string;
  /** As performance.now() returns it. */
  startedAt: number;
  /** Set when the request is for a page's host. */
  slug: string | undefined;
  isLogged: boolean;
  isApi: boolean;
};

/** Browsers ask every host for it, and report a 404 as an error. */
const FAVICON = '/favicon.ico';

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

const pathsOf = (endpoints: readonly Endpoint[]): ReadonlySet<string> => new Set(endpoints.map(({ path }) => path));

/** Answers every request. The hot paths, pages and submissions, don't go through Express. */
export class Listener {
  readonly #app: App;
  readonly #api: Express;
  readonly #pages: PageServer;
  readonly #submissions: SubmissionService;
  readonly #visitorPages: VisitorPages;
  readonly #errors: ErrorResponder;
  readonly #requestLog: RequestLog;
  readonly #newRequestId = createRequestIds();
  readonly #earlyPaths: ReadonlySet<string>;
  readonly #polledPaths: ReadonlySet<string>;
  readonly #logsAnswers: boolean;
  /** Pages and accepted submissions are many, and are logged at the level debug only. */
  readonly #logsAll: boolean;

  constructor(app: App) {
    const { config, log, pages, responseWriter } = app;
    const endpoints = createEndpoints(app);
    this.#app = app;
    this.#api = createApi(endpoints, app);
    this.#api.use(((error, request, response, _next) => {
      const requestId = String(response.getHeader('x-request-id'));
      this.#errors.fail(error, request, response, { requestId, slug: undefined, isApi: true });
    }) satisfies ErrorRequestHandler);
    this.#pages = new PageServer(pages, responseWriter, config);
    this.#visitorPages = new VisitorPages(app);
    this.#submissions = new SubmissionService(app, this.#visitorPages);
    this.#errors = new ErrorResponder(app, endpoints, this.#visitorPages);
    this.#requestLog = new RequestLog(log, [...endpoints.map(({ path }) => path), ...Object.values(VIEW_PATHS)]);
    this.#earlyPaths = pathsOf(endpoints.filter(({ answersWhileStarting }) => answersWhileStarting));
    this.#polledPaths = pathsOf(endpoints.filter(({ isPolled }) => isPolled));
    this.#logsAnswers = log.isLevelEnabled('info');
    this.#logsAll = log.isLevelEnabled('debug');
  }

  readonly handle: RequestListener = (request, response) => {
    const { hosts, sessionCookie, isStarting, limits } = this.#app;
    const context: Context = {
      requestId: this.#newRequestId(),
      startedAt: performance.now(),
      slug: undefined,
      isLogged: false,
      isApi: false,
    };
    if (this.#logsAll) this.#log(request, response, context);
    // A page in memory is answered before #answer() returns: a promise would add a twentieth to its cost.
    try {
      context.slug = hosts.slugOf(resolveHost(request));
      validateRequest(request, sessionCookie.name);
      const answering =
        isStarting() && !this.#earlyPaths.has(pathOf(request))
          ? untilStarted(isStarting, limits).then(() => this.#answer(request, response, context))
          : this.#answer(request, response, context);
      answering?.catch((error) => this.#fail(error, request, response, context));
    } catch (error) {
      this.#fail(error, request, response, context);
    }
  };

  /** Throws, or rejects with, the error that is to be answered. */
  #answer(request: IncomingMessage, response: ServerResponse, context: Context): void | Promise<void> {
    const { config, metrics } = this.#app;
    const path = pathOf(request);
    if (path === SECURITY_TXT && config.abuseContact) {
      sendSecurityTxt(request, response, { contact: config.abuseContact, requestId: context.requestId });
      metrics.request(`${request.method} ${SECURITY_TXT}`, response.statusCode);
      if (context.slug === undefined) this.#log(request, response, context);
      return undefined;
    }
    if (context.slug !== undefined) return this.#answerOnPage(request, response, context.slug, path, context.requestId);
    const encodedId = submitIdIn(path);
    if (encodedId === undefined) return this.#callApi(request, response, context);
    const deploymentId = decodeURIComponent(encodedId);
    if (isRead(request) && namesHtml(request.headers)) return this.#refuseGet(request, response, context, deploymentId);
    if (request.method !== 'POST') return this.#callApi(request, response, context);
    return this.#submit(request, response, deploymentId, context);
  }

  /** Answers on the host of a page. */
  #answerOnPage(
    request: IncomingMessage,
    response: ServerResponse,
    slug: string,
    path: string,
    requestId: string,
  ): void | Promise<void> {
    const { metrics } = this.#app;
    if (path === FAVICON && isRead(request)) return this.#answerFavicon(response, requestId);
    if (path === THANKS) return this.#thank(request, response, slug, requestId);
    if (request.method === 'POST') return this.#submitToPage(request, response, slug, path, requestId);
    const serving = this.#pages.serve(request, response, slug, path, requestId);
    if (serving) return serving.then(() => metrics.request(PAGE, response.statusCode));
    metrics.request(PAGE, response.statusCode);
    return undefined;
  }

  /** No host has an icon at this path, so nothing is looked up. A page can name one. */
  #answerFavicon(response: ServerResponse, requestId: string): void {
    const { limits, metrics } = this.#app;
    response.writeHead(204, {
      'Cache-Control': `public, max-age=${limits.requests.faviconSeconds}`,
      'x-request-id': requestId,
    });
    response.end();
    metrics.request(PAGE, response.statusCode);
  }

  /** What a browser shows after it has posted a form to its own page. */
  async #thank(request: IncomingMessage, response: ServerResponse, slug: string, requestId: string): Promise<void> {
    if (!isRead(request)) throw methodNotAllowed('GET, HEAD');
    const deploymentId = await this.#pages.findForm(slug, '/');
    await this.#visitorPages.thank(response, deploymentId, { 'x-request-id': requestId });
    this.#app.metrics.request(PAGE, response.statusCode);
  }

  /** A form without an action posts to its own page. */
  async #submitToPage(
    request: IncomingMessage,
    response: ServerResponse,
    slug: string,
    path: string,
    requestId: string,
  ): Promise<void> {
    const deploymentId = await this.#pages.findForm(slug, path);
    await this.#submit(request, response, deploymentId, { requestId, slug });
  }

  async #submit(
    request: IncomingMessage,
    response: ServerResponse,
    deploymentId: string,
    { requestId, slug }: Pick<Context, 'requestId' | 'slug'>,
  ): Promise<void> {
    await this.#submissions.submit(request, response, { deploymentId, requestId, pageSlug: slug });
    this.#app.metrics.request(SUBMIT, response.statusCode);
  }

  /** A form without method="post" arrives as a GET. */
  async #refuseGet(
    request: IncomingMessage,
    response: ServerResponse,
    context: Context,
    deploymentId: string,
  ): Promise<void> {
    this.#log(request, response, context);
    await this.#visitorPages.refuseGet(response, deploymentId, { 'x-request-id': context.requestId });
    this.#app.metrics.request(`${request.method} /submit/:deployId`, response.statusCode);
  }

  #callApi(request: IncomingMessage, response: ServerResponse, context: Context): void {
    const { metrics, limits } = this.#app;
    context.isApi = true;
    response.once('close', () => metrics.request(routeOf(request), response.statusCode));
    answerInTime(request, response, () => this.#errors.fail(tooSlow(), request, response, context), limits);
    if (!this.#polledPaths.has(pathOf(request))) this.#log(request, response, context);
    response.setHeader('x-request-id', context.requestId);
    response.setHeader('Cache-Control', 'no-store');
    this.#api(request, response);
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, context: Context): void {
    if (context.slug === undefined) this.#log(request, response, context);
    this.#errors.fail(error, request, response, context);
  }

  /** Logs a line when the request has been answered, or its client has left; one line for each request. */
  #log(request: IncomingMessage, response: ServerResponse, context: Context): void {
    if (context.isLogged || !this.#logsAnswers) return;
    context.isLogged = true;
    this.#requestLog.add(request, response, context);
  }
}
