import type { IncomingMessage } from 'node:http';
import type { FormAddress } from './request/form-address.ts';
import { NO_ROUTE } from './request/request-context.ts';

/*
 * The names of routes in the metrics: never a path that a client made up.
 */

const PAGE = 'page';

const ROUTES: Readonly<Record<FormAddress, string>> = {
  submit: '/submit/:deployId',
  foreign: '/f/:deployId',
  'foreign-json': '/f/:deployId.json',
};

/** The route of a request that a step before Express may answer, to the host of a page or to the address of a form. */
export function routeOf({ method }: IncomingMessage, isOnPage: boolean, address: FormAddress | undefined): string {
  if (isOnPage) return method === 'POST' ? `${method} ${ROUTES.submit}` : PAGE;
  return address === undefined ? NO_ROUTE : `${method} ${ROUTES[address]}`;
}

/** The route that Express has matched, as the reference names it. */
export function matchedRoute({ method, route }: IncomingMessage & { route?: { path?: unknown } }): string {
  return typeof route?.path === 'string' ? `${method} ${route.path}` : NO_ROUTE;
}
