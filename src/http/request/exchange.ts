import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request with its response, and what the listener knows of it. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The path as the request sent it, without the query. */
  readonly path: string;
  /** The slug of the host, null for a page's host at which there is no page; undefined for a host of the API. */
  readonly slug: string | null | undefined;
};
