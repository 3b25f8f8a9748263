import type { IncomingMessage } from 'node:http';
import { pathOf } from './request/hosts.ts';
import { NO_ROUTE } from './request/request-context.ts';

/*
 * The names of routes in the metrics: never a path that a client made up.
 */

const PAGE = 'page';

const SUBMIT_PATH = /^\/submit\/([^/]+)$/;

/** The id in the path of a form's address, percent-encoded; undefined for another path. */
export const submitIdIn = (path: string): string | undefined => SUBMIT_PATH.exec(path)?.[1];

/** Returns whether a request posts a form to its address on a host of the API. */
export const isSubmission = (request: IncomingMessage): boolean =>
  request.method === 'POST' && submitIdIn(pathOf(request)) !== undefined;

/** The route of a request that a step before Express may answer, to the host of a page or to the address of a form. */
export function routeOf({ method }: IncomingMessage, isOnPage: boolean, isForm: boolean): string {
  if (isOnPage && method !== 'POST') return PAGE;
  return isOnPage || isForm ? `${method} /submit/:deployId` : NO_ROUTE;
}

/** The route that Express has matched, as the reference names it. */
export function matchedRoute({ method, route }: IncomingMessage & { route?: { path?: unknown } }): string {
  return typeof route?.path === 'string' ? `${method} ${route.path}` : NO_ROUTE;
}
