import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorRequestHandler, Express } from 'express';
import { VIEW_PATHS } from '../lib/dashboard-paths.ts';
import { createRequestIds } from '../lib/ids.ts';
import { SECURITY_TXT, sendSecurityTxt } from './api/operations/security-txt.ts';
import type { App } from './app.ts';
import { createEndpoints } from './endpoints.ts';
import { ErrorResponder } from './error-responder.ts';
import { PageServer } from './pages/pages.ts';
import { answerInTime, tookTooLong } from './request/deadline.ts';
import type { Endpoint } from './request/declaration.ts';
import type { Exchange } from './request/exchange.ts';
import { pathOf, resolveHost, validateRequest } from './request/hosts.ts';
import { RequestLog } from './request-log.ts';
import { namesHtml } from './response/accept.ts';
import { methodNotAllowed, unavailable } from './response/errors.ts';
import { PAGE, routeOf, SUBMIT, submitIdIn } from './route-names.ts';
import { createApi } from './router.ts';
import { SubmissionService } from './submit/submission-service.ts';
import { THANKS, VisitorPages } from './submit/visitor-pages.ts';

/** An exchange as this file changes it. `startedAt`: as performance.now() returns it. */
type Context = Pick<Exchange, 'request' | 'response' | 'requestId'> & {
  readonly startedAt: number;
  path: string;
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
  /** Pages and accepted submissions are many, and are logged at the level debug only. */
  readonly #logsAll: boolean;

  constructor(app: App) {
    const { config, log, pages, responseWriter } = app;
    const endpoints = createEndpoints(app);
    this.#app = app;
    this.#api = createApi(endpoints, app);
    this.#api.use(((error, request, response, _next) => {
      const requestId = String(response.getHeader('x-request-id'));
      this.#errors.fail(error, { request, response, requestId, slug: undefined, isApi: true });
    }) satisfies ErrorRequestHandler);
    this.#pages = new PageServer(pages, responseWriter, config);
    this.#visitorPages = new VisitorPages(app);
    this.#submissions = new SubmissionService(app, this.#visitorPages);
    this.#errors = new ErrorResponder(app, endpoints, this.#visitorPages);
    this.#requestLog = new RequestLog(log, [...endpoints.map(({ path }) => path), ...Object.values(VIEW_PATHS)]);
    this.#earlyPaths = pathsOf(endpoints.filter(({ answersWhileStarting }) => answersWhileStarting));
    this.#polledPaths = pathsOf(endpoints.filter(({ isPolled }) => isPolled));
    this.#logsAll = log.isLevelEnabled('debug');
  }

  readonly handle: RequestListener = (request, response) => {
    const { hosts, isStarting } = this.#app;
    const context: Context = {
      request,
      response,
      requestId: this.#newRequestId(),
      startedAt: performance.now(),
      path: '',
      slug: undefined,
      isLogged: false,
      isApi: false,
    };
    if (this.#logsAll) this.#log(context);
    // A page in memory is answered before #answer() returns: a promise would add a twentieth to its cost.
    try {
      context.slug = hosts.slugOf(resolveHost(request));
      context.path = pathOf(request);
      validateRequest(request);
      const answering =
        isStarting() && !this.#earlyPaths.has(context.path)
          ? this.#untilStarted().then(() => this.#answer(context))
          : this.#answer(context);
      answering?.catch((error) => this.#fail(error, context));
    } catch (error) {
      this.#fail(error, context);
    }
  };

  /** Throws 503 when the service has not started after `startWaitTimeoutMs`. */
  async #untilStarted(): Promise<void> {
    const { isStarting, limits } = this.#app;
    const { startWaitTimeoutMs, startPollIntervalMs } = limits.requests;
    // Polls: on one promise, a reaction of each request would pile up while the database is out of reach.
    for (let waited = 0; isStarting(); waited += startPollIntervalMs) {
      if (waited >= startWaitTimeoutMs) throw unavailable('The service is starting: try again shortly.');
      await delay(startPollIntervalMs, undefined, { ref: false });
    }
  }

  /** Throws, or rejects with, the error that is to be answered. */
  #answer(context: Context): void | Promise<void> {
    const { request, response, requestId, path, slug } = context;
    const { config, metrics } = this.#app;
    if (path === SECURITY_TXT && config.abuseContact) {
      sendSecurityTxt(request, response, { contact: config.abuseContact, requestId });
      metrics.request(`${request.method} ${SECURITY_TXT}`, response.statusCode);
      if (slug === undefined) this.#log(context);
      return undefined;
    }
    if (slug !== undefined) return this.#answerOnPage(context, slug);
    const encodedId = submitIdIn(path);
    if (encodedId === undefined) return this.#callApi(context);
    const deploymentId = decodeURIComponent(encodedId);
    if (isRead(request) && namesHtml(request.headers)) return this.#refuseGet(context, deploymentId);
    return request.method === 'POST' ? this.#submit(context, deploymentId) : this.#callApi(context);
  }

  /** Answers on the host of a page. */
  #answerOnPage(exchange: Exchange, slug: string): void | Promise<void> {
    const { request, response, path } = exchange;
    const { metrics } = this.#app;
    if (path === FAVICON && isRead(request)) return this.#answerFavicon(exchange);
    if (path === THANKS) return this.#thank(exchange, slug);
    if (request.method === 'POST') return this.#submitToPage(exchange, slug);
    const serving = this.#pages.serve(exchange, slug);
    if (serving) return serving.then(() => metrics.request(PAGE, response.statusCode));
    metrics.request(PAGE, response.statusCode);
    return undefined;
  }

  /** No host has an icon at this path, so nothing is looked up. A page can name one. */
  #answerFavicon({ response, requestId }: Exchange): void {
    const { limits, metrics } = this.#app;
    response.writeHead(204, {
      'Cache-Control': `public, max-age=${limits.requests.faviconSeconds}`,
      'x-request-id': requestId,
    });
    response.end();
    metrics.request(PAGE, response.statusCode);
  }

  /** What a browser shows after it has posted a form to its own page. */
  async #thank({ request, response, requestId }: Exchange, slug: string): Promise<void> {
    if (!isRead(request)) throw methodNotAllowed('GET, HEAD');
    const deploymentId = await this.#pages.findForm(slug, '/');
    await this.#visitorPages.thank(response, deploymentId, { 'x-request-id': requestId });
    this.#app.metrics.request(PAGE, response.statusCode);
  }

  /** A form without an action posts to its own page. */
  async #submitToPage(exchange: Exchange, slug: string): Promise<void> {
    await this.#submit(exchange, await this.#pages.findForm(slug, exchange.path));
  }

  async #submit(exchange: Exchange, deploymentId: string): Promise<void> {
    await this.#submissions.submit(exchange, deploymentId);
    this.#app.metrics.request(SUBMIT, exchange.response.statusCode);
  }

  /** A form without method="post" arrives as a GET. */
  async #refuseGet(context: Context, deploymentId: string): Promise<void> {
    const { request, response, requestId } = context;
    this.#log(context);
    await this.#visitorPages.refuseGet(response, deploymentId, { 'x-request-id': requestId });
    this.#app.metrics.request(`${request.method} /submit/:deployId`, response.statusCode);
  }

  #callApi(context: Context): void {
    const { request, response, requestId, path } = context;
    const { metrics, limits } = this.#app;
    context.isApi = true;
    response.once('close', () => metrics.request(routeOf(request), response.statusCode));
    answerInTime(request, response, () => this.#errors.fail(tookTooLong(), context), limits);
    if (!this.#polledPaths.has(path)) this.#log(context);
    response.setHeader('x-request-id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    this.#api(request, response);
  }

  #fail(error: unknown, context: Context): void {
    if (context.slug === undefined) this.#log(context);
    this.#errors.fail(error, context);
  }

  /** Logs a line when the request has been answered, or its client has left; one line for each request. */
  #log(context: Context): void {
    if (context.isLogged) return;
    context.isLogged = true;
    this.#requestLog.add(context);
  }
}
