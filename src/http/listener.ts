import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorRequestHandler, Express } from 'express';
import { createRequestIds } from '../lib/ids.ts';
import { SECURITY_TXT } from '../sites/site-paths.ts';
import { sendSecurityTxt } from './api/service/security-txt-endpoints.ts';
import type { App } from './app.ts';
import { endpointsOf } from './endpoints.ts';
import { ErrorResponder } from './error-responder.ts';
import { PageHosts } from './page-hosts.ts';
import { answerInTime, tookTooLong } from './request/deadline.ts';
import { formIn } from './request/form-address.ts';
import { pathOf, resolveHost, validateRequest } from './request/hosts.ts';
import { contextOf, type Observers, RequestContext, type Step } from './request/request-context.ts';
import { unavailable } from './response/errors.ts';
import { matchedRoute, routeOf } from './route-names.ts';
import { createApi } from './router.ts';
import { SubmissionRoute } from './submit/submission-route.ts';
import { VisitorPages } from './submit/visitor-pages.ts';

const START_POLL_MS = 25;

/**
 * Answers every request, in steps. The hot paths, pages and submissions, don't go through Express: finding a handler there would take
 * a third of a page's time.
 */
export class Listener {
  readonly steps: readonly Step[];
  readonly #app: App;
  readonly #api: Express;
  readonly #errors: ErrorResponder;
  readonly #newRequestId = createRequestIds();
  readonly #polledPaths: ReadonlySet<string>;
  readonly #observers: Observers;

  constructor(app: App) {
    const { log, metrics } = app;
    const endpoints = endpointsOf(app);
    const visitorPages = new VisitorPages(app);
    this.#app = app;
    this.#api = createApi(endpoints);
    this.#api.use(((error, request, _response, _next) =>
      this.#errors.fail(error, contextOf(request))) satisfies ErrorRequestHandler);
    this.#errors = new ErrorResponder(app, endpoints, visitorPages);
    this.#polledPaths = new Set(endpoints.filter(({ isPolled }) => isPolled).map(({ path }) => path));
    this.#observers = { log, metrics, logsAll: log.isLevelEnabled('debug') };
    this.steps = [
      this.#begin,
      this.#answerSecurityTxt,
      new PageHosts(app, visitorPages).handle,
      new SubmissionRoute(app, visitorPages).handle,
      this.#callApi,
    ];
  }

  /** Runs the steps, each when the one before has called `next`. A page in memory is answered before it returns. */
  readonly handle: RequestListener = (request, response) => {
    let count = 0;
    const next = (error?: unknown): void => {
      if (error !== undefined) {
        this.fail(error, request);
        return;
      }
      const step = this.steps[count];
      count += 1;
      try {
        step?.(request, response, next);
      } catch (thrown) {
        this.fail(thrown, request);
      }
    };
    next();
  };

  /** Answers the error of a step. */
  fail(error: unknown, request: IncomingMessage): void {
    const context = contextOf(request);
    if (context.slug === undefined) context.log();
    this.#errors.fail(error, context);
    context.count();
  }

  /** Makes the context of the request, and waits until the service has started. */
  readonly #begin: Step = (request, response, next) => {
    const context = new RequestContext(request, response, this.#newRequestId(), this.#observers);
    const host = resolveHost(request);
    context.path = pathOf(request);
    this.#locate(context, host);
    validateRequest(request);
    if (!this.#app.lifecycle.isStarting() || this.#polledPaths.has(context.path)) next();
    else void this.#waitForStart(context, host).then(() => next(), next);
  };

  #locate(context: RequestContext, host: string): void {
    const { request, path } = context;
    const page = this.#app.requests.hosts.pageAt(host);
    context.slug = page?.slug;
    context.domainHolder = page?.deploymentId;
    const form = page ? undefined : formIn(path);
    context.formId = form?.id;
    context.formAddress = form?.address ?? 'submit';
    context.route = routeOf(request, page !== undefined, form?.address);
  }

  /** Rejects with 503 when the service has not started after `startWaitTimeoutMs`. */
  async #waitForStart(context: RequestContext, host: string): Promise<void> {
    const {
      lifecycle: { isStarting },
      limits,
    } = this.#app;
    const { startWaitTimeoutMs } = limits.requests;
    // Polls: on one promise, a reaction of each request would pile up while the database is out of reach.
    for (let waited = 0; isStarting(); waited += START_POLL_MS) {
      if (waited >= startWaitTimeoutMs) throw unavailable('The service is starting: try again shortly.');
      await delay(START_POLL_MS, undefined, { ref: false });
    }
    // Custom domains are known now.
    this.#locate(context, host);
  }

  /** Answers on the hosts of pages, too. */
  readonly #answerSecurityTxt: Step = (request, response, next) => {
    const context = contextOf(request);
    const { abuseContact } = this.#app.config;
    if (context.path !== SECURITY_TXT || !abuseContact) {
      next();
      return;
    }
    context.route = `${request.method} ${SECURITY_TXT}`;
    sendSecurityTxt(request, response, { contact: abuseContact, requestId: context.requestId });
    if (context.slug === undefined) context.log();
    context.count();
  };

  readonly #callApi: Step = (request, response) => {
    const context = contextOf(request);
    response.once('close', () => {
      context.route = matchedRoute(request);
      context.count();
    });
    answerInTime(request, response, () => this.#errors.fail(tookTooLong(), context), this.#app.limits);
    if (!this.#polledPaths.has(context.path)) context.log();
    response.setHeader('x-request-id', context.requestId);
    response.setHeader('Cache-Control', 'no-store');
    this.#api(request, response);
  };
}
