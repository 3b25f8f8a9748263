import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Config } from './config.ts';
import type { Database } from './db/connect.ts';
import { findPage, findPageVersion, findSlug } from './db/deployments.ts';
import type { SubmissionQueue } from './db/submission-queue.ts';
import type { UploadQueue } from './db/upload-queue.ts';
import { createAuthenticate } from './http/auth.ts';
import { createBodyReader } from './http/body.ts';
import { clientAddressFrom } from './http/client-address.ts';
import { answerInTime, tooSlow } from './http/deadline.ts';
import { deliveriesRouter } from './http/deliveries.ts';
import { deploymentsRouter } from './http/deployments.ts';
import { HttpError, methodNotAllowed, toHttpError, writeError } from './http/errors.ts';
import { exportsRouter } from './http/exports.ts';
import { withFormAction } from './http/form-action.ts';
import { healthRouter } from './http/health.ts';
import { checkHead, createHostSplit, pathOf, resolveHost } from './http/hosts.ts';
import { createPageCache, type PageLookups } from './http/page-cache.ts';
import { createServePage, writeErrorPage } from './http/pages.ts';
import { referenceRouter } from './http/reference.ts';
import { logWhenDone } from './http/request-log.ts';
import { SECURITY_TXT, sendSecurityTxt } from './http/security-txt.ts';
import { submissionFilesRouter } from './http/submission-files.ts';
import { submissionsRouter } from './http/submissions.ts';
import { CORS, createSubmit, preflight } from './http/submit.ts';
import { tlsRouter } from './http/tls.ts';
import { createVisitorPages, type Visitor, visitorOf } from './http/visitors.ts';
import { webhooksRouter } from './http/webhooks.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export type App = {
  listener: RequestListener;
  /** What is live under a slug has changed elsewhere. */
  forgetPage(slug: string): void;
  /** Changes elsewhere may have been missed. */
  doubtPages(): void;
  pageLookups(): PageLookups;
};

/** What is known of a request: `slug` is set when it is headed for a page's host. */
type Context = {
  requestId: string;
  /** As performance.now() tells it. */
  startedAt: number;
  /** Set when a form was posted by a browser that shows what it is answered. */
  visitor: Visitor | undefined;
  slug: string | undefined;
  isSubmission: boolean;
  isApi: boolean;
  isLogged: boolean;
};
type Failed = Pick<Context, 'requestId'> & Partial<Pick<Context, 'visitor' | 'slug' | 'isSubmission' | 'isApi'>>;

/** Routes that Express doesn't see. */
const PAGE = 'page';
const SUBMIT = 'POST /submit/:deployId';
/** What matched none. */
const OTHER = 'other';

/** Every request comes in here: pages by their host and submissions by their path go straight on, the rest to Express. */
export function createApp({
  config,
  db,
  queue,
  uploads,
  reviewDeliveries,
  metrics,
  log,
  newRequestId,
  pagesAreCurrent,
  isStarting,
  untilReady,
  isReady,
}: {
  config: Config;
  db: Database;
  queue: SubmissionQueue;
  uploads: UploadQueue;
  /** Is told of a deployment whose deliveries, or where they go, have changed. */
  reviewDeliveries(deploymentId: string): void;
  metrics: Metrics;
  log: Log;
  newRequestId(): string;
  /** Whether every change of a page up to now has been heard of. */
  pagesAreCurrent(): boolean;
  isStarting(): boolean;
  /** Settles when the service can serve; rejects when that takes longer than a client should wait. */
  untilReady(): Promise<void>;
  isReady(): Promise<boolean>;
}): App {
  const body = createBodyReader({ largest: Math.max(config.maxHtmlBytes, config.maxFilesBytes) });
  const clientAddress = clientAddressFrom(config.trustProxy);
  const authenticate = createAuthenticate(db, clientAddress);
  const placeOf = createHostSplit(config);
  const urlOf = (slug: string): string => `${config.pagesScheme}://${slug}.${config.pagesDomain}`;
  // Page hits and accepted submissions are many: a line for each is for who looks for something.
  const logsAll = log.isLevelEnabled('debug');
  const logsAnswers = log.isLevelEnabled('info');

  const pages = createPageCache({
    find: (slug) => findPage(db, slug),
    findVersion: (slug) => findPageVersion(db, slug),
    render: ({ html, deploymentId }) => withFormAction(html, `${config.baseUrl}/submit/${deploymentId}`),
    current: pagesAreCurrent,
  });
  const visitorPages = createVisitorPages(urlOf);
  const submit = createSubmit({
    queue,
    uploads,
    findSlug: (id) => findSlug(db, id),
    hearsOfChanges: pagesAreCurrent,
    visitorPages,
    body,
    clientAddress,
    maxSubmissionBytes: config.maxSubmissionBytes,
    maxFileBytes: config.maxFileBytes,
    maxFilesBytes: config.maxFilesBytes,
    count: metrics.submission,
  });
  function forgetPage(slug: string): void {
    pages.forget(slug);
    submit.forget();
  }

  const servePage = createServePage(pages, submit, config.baseUrl);

  const apiHost = new URL(config.baseUrl).hostname;
  const api = createApi()
    .use(healthRouter(isReady))
    .use(tlsRouter({ apiHost, placeOf, findPage: pages.get }));
  api.route('/submit/:deployId').options(preflight).all(methodNotAllowed('OPTIONS, POST'));
  api
    .use(
      deploymentsRouter({
        db,
        authenticate,
        body,
        onPageChange: forgetPage,
        reviewDeliveries,
        urlOf,
        planLimits: config.planLimits,
        reservedSlugs: config.reservedSlugs,
        maxHtmlBytes: config.maxHtmlBytes,
      }),
    )
    .use(exportsRouter({ db, authenticate }))
    .use(submissionsRouter({ db, authenticate, reviewDeliveries }))
    .use(submissionFilesRouter({ db, authenticate }))
    .use(webhooksRouter({ db, authenticate, body, reviewDeliveries, allowedNetworks: config.webhookAllowCidrs }))
    .use(deliveriesRouter({ db, authenticate, reviewDeliveries }))
    .use(
      referenceRouter({
        baseUrl: config.baseUrl,
        urlOf,
        maxHtmlBytes: config.maxHtmlBytes,
        reservedSlugs: config.reservedSlugs,
        maxSubmissionBytes: config.maxSubmissionBytes,
        maxFileBytes: config.maxFileBytes,
        maxFilesBytes: config.maxFilesBytes,
        allowedNetworks: config.webhookAllowCidrs,
      }),
    )
    .use(() => {
      throw new HttpError(404, 'There is nothing at this path: check it against the API reference.');
    })
    .use(((error, request, response, _next) =>
      fail(error, request, response, {
        requestId: String(response.getHeader('x-request-id')),
        isApi: true,
      })) satisfies ErrorRequestHandler);

  /** Answers an error in the way of the place that was asked. */
  function fail(cause: unknown, request: IncomingMessage, response: ServerResponse, context: Failed): void {
    // It was too late, and has been told so.
    if (response.writableEnded) return;
    const { requestId, slug, isSubmission, visitor } = context;
    const error = toHttpError(cause);
    const isSubmit = slug === undefined && request.method === 'POST' && pathOf(request).startsWith('/submit/');
    if (!context.isApi) {
      metrics.request(isSubmit || isSubmission ? SUBMIT : slug === undefined ? OTHER : PAGE, error.status);
    }
    const isForeseen = cause instanceof HttpError || error.status < 500;
    if (!isForeseen) log.error({ req_id: requestId, err: cause }, 'request failed');
    if (response.headersSent) {
      response.destroy();
    } else if (slug !== undefined && !isSubmission) {
      writeErrorPage(response, error, requestId, config.abuseContact);
    } else {
      const headers = { 'x-request-id': requestId, ...(isSubmit ? CORS : {}) };
      if (visitor && (isSubmit || isSubmission)) visitorPages.refuse(response, visitor, error, headers);
      else writeError(response, error, headers);
    }
  }

  /** Has a request answered, the hot paths first; throws, or rejects, with what is to be answered as an error. */
  function dispatch(request: IncomingMessage, response: ServerResponse, context: Context): void | Promise<void> {
    const { requestId, slug } = context;
    const path = pathOf(request);
    if (path === SECURITY_TXT && config.abuseContact) {
      sendSecurityTxt(request, response, { contact: config.abuseContact, requestId });
      metrics.request(`${request.method} ${SECURITY_TXT}`, response.statusCode);
      if (slug === undefined) logOnce(request, response, context);
      return undefined;
    }
    if (slug !== undefined) {
      const serving = servePage(request, response, { slug, path }, context);
      if (serving) {
        return serving.then(() => metrics.request(context.isSubmission ? SUBMIT : PAGE, response.statusCode));
      }
      metrics.request(PAGE, response.statusCode);
      return undefined;
    }
    const deploymentId = request.method === 'POST' ? /^\/submit\/([^/]+)$/.exec(path)?.[1] : undefined;
    if (deploymentId !== undefined) {
      return submit
        .take(request, response, {
          deploymentId: decodeURIComponent(deploymentId),
          requestId,
          cors: true,
          visitor: context.visitor,
        })
        .then(() => metrics.request(SUBMIT, response.statusCode));
    }
    context.isApi = true;
    response.once('close', () => metrics.request(routeOf(request), response.statusCode));
    answerInTime(request, response, () => fail(tooSlow(), request, response, context));
    if (!isPolled(request)) logOnce(request, response, context);
    response.setHeader('x-request-id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    api(request, response);
  }

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const context: Context = {
      requestId: newRequestId(),
      startedAt: performance.now(),
      visitor: visitorOf(request),
      slug: undefined,
      isSubmission: false,
      isApi: false,
      isLogged: false,
    };
    if (logsAll) logOnce(request, response, context);
    // A page that is in memory is answered before dispatch() returns: a promise would be a twentieth of its cost.
    try {
      const place = placeOf(resolveHost(request));
      if (place !== 'api') context.slug = place.slug;
      checkHead(request);
      const answering =
        isStarting() && !isHealth(request)
          ? untilReady().then(() => dispatch(request, response, context))
          : dispatch(request, response, context);
      answering?.catch((error) => failed(error, request, response, context));
    } catch (error) {
      failed(error, request, response, context);
    }
  }

  function failed(error: unknown, request: IncomingMessage, response: ServerResponse, context: Context): void {
    if (context.slug === undefined) logOnce(request, response, context);
    fail(error, request, response, context);
  }

  return {
    listener,
    forgetPage,
    doubtPages() {
      pages.doubtAll();
      submit.forget();
    },
    pageLookups: () => pages.lookups,
  };

  /** Logs a line once the answer is out, one for each request. */
  function logOnce(request: IncomingMessage, response: ServerResponse, context: Context): void {
    if (context.isLogged || !logsAnswers) return;
    context.isLogged = true;
    logWhenDone(log, request, response, context);
  }
}

function createApi(): Express {
  const api = express();
  api.disable('x-powered-by');
  api.disable('etag');
  // Express takes what has no ETag for the same as "*" in If-None-Match, and would answer 304.
  Object.defineProperty(api.request, 'fresh', {
    get() {
      return this.res.hasHeader('ETag') && Reflect.get(express.request, 'fresh', this);
    },
  });
  api.set('query parser', false);
  api.enable('case sensitive routing');
  api.enable('strict routing');
  return api;
}

/** What Express matched, as the API's reference names it: never what a client made up. */
function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const path = request.route?.path;
  return typeof path === 'string' ? `${request.method} ${path}` : OTHER;
}

const isHealth = (request: IncomingMessage): boolean => ['/healthz', '/readyz'].includes(pathOf(request));
/** What machines ask all the time. */
const isPolled = (request: IncomingMessage): boolean => isHealth(request) || pathOf(request) === '/internal/tls';
