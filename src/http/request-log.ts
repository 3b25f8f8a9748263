import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';
import { pathOf } from './hosts.ts';

/** A path of the API as it is; of any other no more than where it begins, for a key may have got into it. */
const loggable = (path: string): string =>
  /^\/[a-z]*(?:\/(?:(?:d|sub|file|wh|dl)_[0-9A-Za-z]{1,60}|html|files|export\.(?:csv|ndjson)|secret|rotate|test|deliveries|retry))*$/.test(
    path,
  )
    ? path
    : `${/^\/[a-z]{0,20}/.exec(path)?.[0] ?? ''}…`;

/** Logs a line for a request once its answer is out, with what is known of it by then. `startedAt` is as performance.now() tells it. */
export function logWhenDone(
  log: Log,
  request: IncomingMessage,
  response: ServerResponse,
  context: Readonly<{ requestId: string; startedAt: number; slug: string | undefined }>,
): void {
  response.on('close', () => {
    log.info(
      {
        req_id: context.requestId,
        method: request.method,
        slug: context.slug,
        path: loggable(pathOf(request)),
        status: response.statusCode,
        ms: Math.round(performance.now() - context.startedAt),
      },
      response.writableFinished ? 'answered' : 'client left',
    );
  });
}
