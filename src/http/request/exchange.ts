import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request with its response, and what the listener knows of it. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The path as the request sent it, without the query. */
  readonly path: string;
  /** Set when the request is for a page's host. */
  readonly slug: string | undefined;
};
