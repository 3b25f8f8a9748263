import type { IncomingMessage } from 'node:http';
import { pathOf } from './request/hosts.ts';

/*
 * The names of routes in the metrics.
 */

export const PAGE = 'page';
export const SUBMIT = 'POST /submit/:deployId';
const NO_ROUTE = 'other';

const SUBMIT_PATH = /^\/submit\/([^/]+)$/;

/** The id in the path of a form's address, percent-encoded; undefined for another path. */
export const submitIdIn = (path: string): string | undefined => SUBMIT_PATH.exec(path)?.[1];

/** The route that Express matched, as the API's reference names it: never a path that a client made up. */
export function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const path = request.route?.path;
  return typeof path === 'string' ? `${request.method} ${path}` : NO_ROUTE;
}

/** Whether a request posts a form to its address on a host of the API. */
export const isSubmission = (request: IncomingMessage): boolean =>
  request.method === 'POST' && submitIdIn(pathOf(request)) !== undefined;
