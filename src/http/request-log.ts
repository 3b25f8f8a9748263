import type { Log } from '../lib/log.ts';
import type { Exchange } from './request/exchange.ts';
import { pathOf } from './request/hosts.ts';

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

/** The log of requests: a line for each when its response has closed. */
export class RequestLog {
  readonly #log: Log;
  readonly #loggable: RegExp;

  /** `paths`: of endpoints, as they declare them, and of views. */
  constructor(log: Log, paths: readonly string[]) {
    this.#log = log;
    this.#loggable = loggablePaths(paths);
  }

  /** `startedAt`: a time of performance.now(). */
  add({
    request,
    response,
    requestId,
    slug,
    startedAt,
  }: Omit<Exchange, 'path'> & { readonly startedAt: number }): void {
    response.on('close', () => {
      this.#log.info(
        {
          req_id: requestId,
          method: request.method,
          slug,
          path: this.#shown(pathOf(request)),
          status: response.statusCode,
          ms: Math.round(performance.now() - startedAt),
        },
        response.writableFinished ? 'answered' : 'client left',
      );
    });
  }

  /** Only the beginning of a path that is not the service's: it may contain a key. */
  #shown(path: string): string {
    return this.#loggable.test(path) ? path : `${/^\/[a-z]{0,20}/.exec(path)?.[0] ?? ''}…`;
  }
}
