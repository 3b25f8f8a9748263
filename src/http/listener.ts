import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorRequestHandler, Express } from 'express';
import { createRequestIds } from '../lib/ids.ts';
import { SECURITY_TXT } from '../lib/site-paths.ts';
import { sendSecurityTxt } from './api/operations/security-txt.ts';
import type { App } from './app.ts';
import { endpointsOf } from './endpoints.ts';
import { ErrorResponder } from './error-responder.ts';
import { ContentSender } from './pages/content-sender.ts';
import { noSuchPage, PageServer } from './pages/pages.ts';
import { asksForWorker, sendWorkerRemoval } from './pages/worker-removal.ts';
import { answerInTime, tookTooLong } from './request/deadline.ts';
import type { Exchange } from './request/exchange.ts';
import { pathOf, resolveHost, validateRequest } from './request/hosts.ts';
import { logRequest } from './request-log.ts';
import { namesHtml, namesProblem } from './response/accept.ts';
import { methodNotAllowed, unavailable } from './response/errors.ts';
import { matchedRoute, NO_ROUTE, routeOf, submitIdIn } from './route-names.ts';
import { createApi } from './router.ts';
import { SubmissionService } from './submit/submission-service.ts';
import { THANKS, VisitorPages } from './submit/visitor-pages.ts';

const START_POLL_MS = 25;
/** Browsers ask every host for an icon, and are told for so long that there is none. */
const FAVICON_SECONDS = 86_400;

/** An exchange as this file changes it. `startedAt`: as performance.now() returns it. `route`: its name in the metrics. */
type Context = Pick<Exchange, 'request' | 'response' | 'requestId'> & {
  readonly startedAt: number;
  path: string;
  slug: string | undefined;
  /** The deployment that has the custom domain of the request. */
  domainHolder: string | undefined;
  route: string;
};

/** Browsers ask every host for it, and report a 404 as an error. */
const FAVICON = '/favicon.ico';

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** Answers every request. The hot paths, pages and submissions, don't go through Express. */
export class Listener {
  readonly #app: App;
  readonly #api: Express;
  readonly #pages: PageServer;
  readonly #submissions: SubmissionService;
  readonly #visitorPages: VisitorPages;
  readonly #errors: ErrorResponder;
  readonly #newRequestId = createRequestIds();
  readonly #polledPaths: ReadonlySet<string>;
  /** Pages and accepted submissions are many, and are logged at the level debug only. */
  readonly #logsAll: boolean;

  constructor(app: App) {
    const { log, pages, siteFiles, responseWriter, clientAddress } = app;
    const endpoints = endpointsOf(app);
    this.#app = app;
    this.#api = createApi(endpoints);
    this.#api.use(((error, request, response, _next) => {
      const requestId = String(response.getHeader('x-request-id'));
      this.#errors.fail(error, { request, response, requestId, slug: undefined });
    }) satisfies ErrorRequestHandler);
    this.#pages = new PageServer(pages, new ContentSender(siteFiles, responseWriter, clientAddress), app);
    this.#visitorPages = new VisitorPages(app);
    this.#submissions = new SubmissionService(app, this.#visitorPages);
    this.#errors = new ErrorResponder(app, endpoints, this.#visitorPages);
    this.#polledPaths = new Set(endpoints.filter(({ isPolled }) => isPolled).map(({ path }) => path));
    this.#logsAll = log.isLevelEnabled('debug');
  }

  readonly handle: RequestListener = (request, response) => {
    const { isStarting, log } = this.#app;
    const context: Context = {
      request,
      response,
      requestId: this.#newRequestId(),
      startedAt: performance.now(),
      path: '',
      slug: undefined,
      domainHolder: undefined,
      route: NO_ROUTE,
    };
    if (this.#logsAll) logRequest(log, context);
    // A page in memory is answered before #answer() returns: a promise would add a twentieth to its cost.
    try {
      const host = resolveHost(request);
      context.path = pathOf(request);
      this.#findSlug(context, host);
      validateRequest(request);
      const answering =
        isStarting() && !this.#polledPaths.has(context.path)
          ? this.#answerOnceStarted(context, host)
          : this.#answer(context);
      if (!answering) this.#count(context);
      else
        void answering.then(
          () => this.#count(context),
          (error: unknown) => this.#fail(error, context),
        );
    } catch (error) {
      this.#fail(error, context);
    }
  };

  #findSlug(context: Context, host: string): void {
    const page = this.#app.hosts.pageAt(host);
    context.slug = page?.slug;
    context.domainHolder = page?.deploymentId;
    context.route = routeOf(context.request, context.slug, context.path);
  }

  async #answerOnceStarted(context: Context, host: string): Promise<void> {
    await this.#untilStarted();
    // Custom domains are known now.
    this.#findSlug(context, host);
    await this.#answer(context);
  }

  /** Throws 503 when the service has not started after `startWaitTimeoutMs`. */
  async #untilStarted(): Promise<void> {
    const { isStarting, limits } = this.#app;
    const { startWaitTimeoutMs } = limits.requests;
    // Polls: on one promise, a reaction of each request would pile up while the database is out of reach.
    for (let waited = 0; isStarting(); waited += START_POLL_MS) {
      if (waited >= startWaitTimeoutMs) throw unavailable('The service is starting: try again shortly.');
      await delay(START_POLL_MS, undefined, { ref: false });
    }
  }

  /** Throws, or rejects with, the error that is to be answered. */
  #answer(context: Context): void | Promise<void> {
    const { request, response, requestId, path, slug } = context;
    const { abuseContact } = this.#app.config;
    if (path === SECURITY_TXT && abuseContact) {
      context.route = `${request.method} ${SECURITY_TXT}`;
      sendSecurityTxt(request, response, { contact: abuseContact, requestId });
      if (slug === undefined) this.#log(context);
      return undefined;
    }
    if (asksForWorker(request) && !this.#app.hosts.isOfApi(request.headers.host ?? ''))
      return this.#answerWorker(context);
    if (slug !== undefined && context.domainHolder === undefined) return this.#answerOnPage(context, slug);
    if (slug !== undefined) return this.#answerAtDomain(context, slug);
    const encodedId = submitIdIn(path);
    if (encodedId === undefined) return this.#callApi(context);
    const deploymentId = decodeURIComponent(encodedId);
    if (request.method === 'POST') return this.#submissions.submit(context, deploymentId);
    return isRead(request) && namesHtml(request.headers) && !namesProblem(request.headers)
      ? this.#refuseGet(context, deploymentId)
      : this.#callApi(context);
  }

  /** Answers a browser that looks for the script of a service worker: with that of the site, or one that removes the worker. */
  async #answerWorker(context: Context): Promise<void> {
    const { slug, path, domainHolder } = context;
    const isOwn = slug !== undefined && (await this.#pages.hasScript(slug, path, domainHolder));
    if (isOwn) return this.#pages.serve(context, slug);
    sendWorkerRemoval(context);
    if (slug === undefined) this.#log(context);
  }

  /** Answers on the host of a page. */
  #answerOnPage(exchange: Exchange, slug: string): void | Promise<void> {
    const { request, path } = exchange;
    if (path === FAVICON || path === THANKS) return this.#answerOwnOrService(exchange, slug);
    return request.method === 'POST' ? this.#submitToPage(exchange, slug) : this.#pages.serve(exchange, slug);
  }

  /** Answers at a custom domain, unless its page has just gone and another one has got the slug. */
  async #answerAtDomain(context: Context, slug: string): Promise<void> {
    if (await this.#pages.isOfAnother(slug, context.domainHolder)) throw noSuchPage();
    await this.#answerOnPage(context, slug);
  }

  /** A site's own file comes before that of the service. */
  async #answerOwnOrService(exchange: Exchange, slug: string): Promise<void> {
    const { request, path } = exchange;
    const isOwn = await this.#pages.hasOwn(slug, path);
    if (!isOwn && path === THANKS) return this.#thank(exchange, slug);
    if (!isOwn && isRead(request)) return this.#answerFavicon(exchange);
    return request.method === 'POST' ? this.#submitToPage(exchange, slug) : this.#pages.serve(exchange, slug);
  }

  #answerFavicon({ response, requestId }: Exchange): void {
    response.writeHead(204, { 'Cache-Control': `public, max-age=${FAVICON_SECONDS}`, 'x-request-id': requestId }).end();
  }

  /** Answers with the page that a browser shows after it has posted a form to its own page. */
  async #thank({ request, response, requestId }: Exchange, slug: string): Promise<void> {
    if (!isRead(request)) throw methodNotAllowed('GET, HEAD');
    const deploymentId = await this.#pages.findDeployment(slug);
    await this.#visitorPages.thank(response, deploymentId, { 'x-request-id': requestId });
  }

  /** A form without an action posts to its own page. */
  async #submitToPage(exchange: Exchange, slug: string): Promise<void> {
    const deploymentId = await this.#pages.findForm(exchange, slug);
    if (deploymentId !== undefined) await this.#submissions.submit(exchange, deploymentId);
  }

  /** A form without method="post" arrives as a GET. */
  #refuseGet(context: Context, deploymentId: string): Promise<void> {
    this.#log(context);
    return this.#visitorPages.refuseGet(context.response, deploymentId, { 'x-request-id': context.requestId });
  }

  /** Settles when the answer is closed. */
  #callApi(context: Context): Promise<void> {
    const { request, response, requestId, path } = context;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    response.once('close', () => {
      context.route = matchedRoute(request);
      resolve();
    });
    answerInTime(request, response, () => this.#errors.fail(tookTooLong(), context), this.#app.limits);
    if (!this.#polledPaths.has(path)) this.#log(context);
    response.setHeader('x-request-id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    this.#api(request, response);
    return closed;
  }

  #fail(error: unknown, context: Context): void {
    if (context.slug === undefined) this.#log(context);
    this.#errors.fail(error, context);
    this.#count(context);
  }

  #count({ route, response }: Context): void {
    this.#app.metrics.request(route, response.statusCode);
  }

  /** Logs a line when the request has been answered, or its client has left. */
  #log(context: Context): void {
    if (!this.#logsAll) logRequest(this.#app.log, context);
  }
}
