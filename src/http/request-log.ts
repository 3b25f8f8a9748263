import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../lib/log.ts';
import { pathOf } from './request/hosts.ts';

/** Logs a line for a request when its response has closed. `startedAt` is a time of performance.now(). */
export type LogRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  context: Readonly<{ requestId: string; startedAt: number; slug: string | undefined }>,
) => void;

const ID = '(?:d|sub|file|wh|dl)_[0-9A-Za-z]{1,60}';

/**
 * Matches paths of one word, and those that are made of the words of the service's paths (`paths`, as endpoints
 * declare them) and ids.
 */
function loggablePaths(paths: readonly string[]): RegExp {
  const words = new Set(paths.flatMap((path) => path.split('/').filter((part) => !/^[:*]/.test(part))));
  const literal = [...words].filter((word) => word !== '').map((word) => word.replaceAll('.', '\\.'));
  return new RegExp(`^/(?:[a-z]*|${literal.join('|')})(?:/(?:${ID}|${literal.join('|')}))*$`);
}

export function createLogRequest(log: Log, paths: readonly string[]): LogRequest {
  const loggable = loggablePaths(paths);
  // Only the beginning of any other path is logged: it may contain a key.
  const loggedAs = (path: string): string =>
    loggable.test(path) ? path : `${/^\/[a-z]{0,20}/.exec(path)?.[0] ?? ''}…`;

  return (request, response, context) => {
    response.on('close', () => {
      log.info(
        {
          req_id: context.requestId,
          method: request.method,
          slug: context.slug,
          path: loggedAs(pathOf(request)),
          status: response.statusCode,
          ms: Math.round(performance.now() - context.startedAt),
        },
        response.writableFinished ? 'answered' : 'client left',
      );
    });
  };
}
