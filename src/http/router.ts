import express, { type Express, type Response } from 'express';
import type { Endpoint, EndpointRequest, Method } from './operation/declaration.ts';
import { parameterNames } from './operation/operation.ts';
import { compressAnswers } from './response/compress.ts';
import { methodNotAllowed, noSuchPath } from './response/errors.ts';

const VERBS = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
  OPTIONS: 'options',
} as const satisfies Record<Method, string>;

const allowOf = (endpoints: readonly Endpoint[]): string =>
  endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');

/** Routes requests to endpoints, and answers 405 for the other methods of their paths. */
function mount(api: Express, endpoints: readonly Endpoint[]): void {
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  // A literal path is matched before a path that has a parameter in the same position, and a wildcard after both.
  const rank = (path: string): number => (path.includes('*') ? Number.MAX_SAFE_INTEGER : parameterNames(path).length);
  const paths = [...byPath].toSorted(([one], [other]) => rank(one) - rank(other));
  for (const [path, declared] of paths) {
    // The listener answers it, ahead of Express.
    if (declared.every(({ handle }) => !handle)) continue;
    const route = api.route(path);
    for (const { before } of declared) if (before) route.all(before);
    for (const { method, handle } of declared) {
      if (handle) route[VERBS[method]]((request: EndpointRequest, response: Response) => handle(request, response));
    }
    const allow = allowOf(declared);
    route.all(() => {
      throw methodNotAllowed(allow);
    });
  }
}

/** An Express app with these endpoints. It has no error handler. */
export function createApi(endpoints: readonly Endpoint[]): Express {
  const api = express();
  api.disable('x-powered-by');
  api.disable('etag');
  api.set('query parser', false);
  api.enable('case sensitive routing');
  api.enable('strict routing');
  // After the settings, with which the first use makes the router.
  api.use(compressAnswers());
  mount(api, endpoints);
  api.use(() => {
    throw noSuchPath();
  });
  return api;
}
