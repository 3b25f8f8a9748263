import type { Log } from '../../lib/log.ts';
import type { Exchange } from './exchange.ts';
import { pathOf } from './hosts.ts';

const MAX_PATH_CHARS = 500;

/** A word, or an id. Any other part of a path may be a secret. */
const SHOWN = /^(?:[a-z.-]{0,26}|(?:d|sub|file|wh|dl)_[0-9A-Za-z]{1,60}(?:\.json)?)$/;

const shownPath = (path: string): string =>
  path
    .slice(0, MAX_PATH_CHARS)
    .split('/')
    .map((part) => (SHOWN.test(part) ? part : '…'))
    .join('/');

/** Logs a line for a request when its response has closed. `startedAt`: a time of performance.now(). */
export function logRequest(
  log: Log,
  { request, response, requestId, slug, startedAt }: Omit<Exchange, 'path'> & { readonly startedAt: number },
): void {
  if (!log.isLevelEnabled('info')) return;
  response.on('close', () => {
    log.info(
      {
        req_id: requestId,
        method: request.method,
        slug,
        path: shownPath(pathOf(request)),
        status: response.statusCode,
        ms: Math.round(performance.now() - startedAt),
      },
      response.writableFinished ? 'answered' : 'client left',
    );
  });
}
