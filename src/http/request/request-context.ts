import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Resolved } from '../../sites/resolve-site-path.ts';
import type { Exchange } from './exchange.ts';
import type { FormAddress } from './form-address.ts';
import { logRequest } from './request-log.ts';

/** A step on the way of a request: it answers, or calls `next`, perhaps with an error. Express calls its handlers in the same way. */
export type Step = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** The part of a site that tells which file is at a path. */
export type SitePaths = { resolve(path: string): Resolved };

/** `logsAll`: pages and accepted submissions too. */
export type Observers = { log: Log; metrics: Metrics; logsAll: boolean };

/** The route of a path that nothing has, and of a request that can't be read. */
export const NO_ROUTE = 'other';

const CONTEXT = Symbol('context');
/**
 * The context of a request is a property of it. In a map of all, the entries of closed requests would keep garbage alive, as those
 * of deadlines would.
 */
type Known = IncomingMessage & { [CONTEXT]?: RequestContext };

/** An exchange from its beginning to its end, with what the steps have found out. */
export class RequestContext implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The time of performance.now(). */
  readonly startedAt = performance.now();
  path = '';
  slug: string | null | undefined = undefined;
  /** The deployment that has the custom domain of the request. */
  domainHolder: string | undefined = undefined;
  /** The id of a deployment, percent-encoded: that in the path of a form's address, or that to whose page a form is posted. */
  formId: string | undefined = undefined;
  /** How the address to which a form is posted answers. */
  formAddress: FormAddress = 'submit';
  /** The files of the site to one of whose pages a form is posted. */
  site: SitePaths | undefined = undefined;
  /** The name of the route in the metrics. */
  route = NO_ROUTE;
  readonly #observers: Observers;

  constructor(request: Known, response: ServerResponse, requestId: string, observers: Observers) {
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.#observers = observers;
    request[CONTEXT] = this;
    if (observers.logsAll) logRequest(observers.log, this);
  }

  /** Logs a line when the request has been answered, or its client has left. Pages and accepted submissions are many, and have none. */
  log(): void {
    const { log, logsAll } = this.#observers;
    if (!logsAll) logRequest(log, this);
  }

  /** Counts the request with the status of its answer, and the time since it began. */
  count(): void {
    const { route, request, response, startedAt } = this;
    const seconds = (performance.now() - startedAt) / 1_000;
    this.#observers.metrics.request(route, response.statusCode, request.method ?? '', seconds);
  }

  /** Counts the request once it is answered. Passes the error on where that fails. */
  countAfter(answering: void | Promise<void>, next: (error: unknown) => void): void {
    // A page in memory has been answered: a promise would add a twentieth to its cost.
    if (answering) void answering.then(() => this.count(), next);
    else this.count();
  }
}

/** Throws where no step has made the context of a request. */
export function contextOf(request: Known): RequestContext {
  const context = request[CONTEXT];
  if (!context) throw new Error('The request has no context: the step that makes it comes first.');
  return context;
}
