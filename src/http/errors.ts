import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { isOutOfReach } from '../db/connect.ts';

/** An answer other than success. `message` is shown to the client: a sentence that says what to do, nothing of the request in it. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    // Nobody looks at where an answer was thrown, and a stack is a tenth of what a refusal costs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.headers = headers;
  }
}

/** The last handler of a route: whatever method has none. `allow` names those that have one. */
export const methodNotAllowed =
  (allow: string): RequestHandler =>
  () => {
    throw new HttpError(405, `This method is not allowed here: use ${allow}.`, { Allow: allow });
  };

/** What the client is told of an error; nothing of what went wrong inside. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isOutOfReach(error)) {
    return new HttpError(503, 'The service cannot reach its database just now: try again shortly.', {
      'Retry-After': '2',
    });
  }
  // Express' router found a path parameter that does not decode.
  if (error instanceof URIError) return new HttpError(400, 'The path cannot be decoded: percent-encode it as UTF-8.');
  return new HttpError(500, 'Internal server error');
}

// A client that goes on sending what was refused is cut after so long.
const DRAIN_MS = 10_000;

/** The API's answer to what went wrong: `{"error": "<what to do>"}`. */
export function writeError(
  response: ServerResponse,
  error: HttpError,
  headers: Readonly<Record<string, string>>,
): void {
  const body = JSON.stringify({ error: error.message });
  response.writeHead(error.status, {
    ...error.headers,
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  endEarly(response, body);
}

/**
 * Ends an answer that a client may get while it is still sending: what it sends is let through, unread, for a time.
 * Closing at once would reset the connection, and the client would see that in place of the answer.
 */
export function endEarly(response: ServerResponse, body: string): void {
  const request = response.req;
  if (request.complete || request.destroyed) {
    response.end(body);
    return;
  }
  // A body whose length is known is whole for the client before the response ends.
  response.write(body);
  const cut = setTimeout(() => request.socket.destroy(), DRAIN_MS);
  const end = (): void => {
    clearTimeout(cut);
    response.end();
  };
  request.once('end', end).once('close', end).once('error', end).resume();
}
