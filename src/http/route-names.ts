import type { IncomingMessage } from 'node:http';
import { pathOf } from './request/hosts.ts';

/*
 * The names of routes in the metrics: never a path that a client made up.
 */

const PAGE = 'page';
export const NO_ROUTE = 'other';

const SUBMIT_PATH = /^\/submit\/([^/]+)$/;

/** The id in the path of a form's address, percent-encoded; undefined for another path. */
export const submitIdIn = (path: string): string | undefined => SUBMIT_PATH.exec(path)?.[1];

/** Returns whether a request posts a form to its address on a host of the API. */
export const isSubmission = (request: IncomingMessage): boolean =>
  request.method === 'POST' && submitIdIn(pathOf(request)) !== undefined;

/** The route of a request that the listener answers itself. `slug`: of the page whose host it is for. */
export function routeOf({ method }: IncomingMessage, slug: string | undefined, path: string): string {
  if (slug !== undefined && method !== 'POST') return PAGE;
  return slug !== undefined || submitIdIn(path) !== undefined ? `${method} /submit/:deployId` : NO_ROUTE;
}

/** The route that Express has matched, as the reference names it. */
export function matchedRoute({ method, route }: IncomingMessage & { route?: { path?: unknown } }): string {
  return typeof route?.path === 'string' ? `${method} ${route.path}` : NO_ROUTE;
}
