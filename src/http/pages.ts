import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { HttpError } from './errors.ts';
import type { Encoding, PageCache, ReadyPage } from './page-cache.ts';
import { isSlug } from './slugs.ts';
import type { Submit } from './submit.ts';

/** Answers a request to a page's host; `path` is without its query. */
export type ServePage = (
  request: IncomingMessage,
  response: ServerResponse,
  target: { label: string; path: string; requestId: string },
) => Promise<void>;

const ALLOW = 'GET, HEAD, POST';
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

const notFound = (): HttpError => new HttpError(404, 'There is no page at this address.');

/** Which encoding a client gets. Browsers send a handful of different headers, so each is weighed once. */
function createNegotiate(): (request: IncomingMessage) => Encoding {
  const known = new LRUCache<string, Encoding>({ max: 1_000 });
  return (request) => {
    const header = request.headers['accept-encoding'];
    if (header === undefined) return 'identity';
    const before = known.get(header);
    if (before) return before;
    const accepted = new Negotiator(request).encodings([...ENCODINGS]);
    const encoding = ENCODINGS.find((name) => accepted.includes(name)) ?? 'identity';
    if (header.length <= 200) known.set(header, encoding);
    return encoding;
  };
}

/** If-None-Match (RFC 9110, 13.1.2): a list of tags compared weakly, or `*`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

const etagOf = (page: ReadyPage, encoding: Encoding): string =>
  encoding === 'identity' ? `"${page.etag}"` : `"${page.etag}-${encoding}"`;

export function createServePage(cache: PageCache, submit: Submit): ServePage {
  const negotiate = createNegotiate();

  return async (request, response, { label, path, requestId }) => {
    if (path !== '/' || !isSlug(label)) throw notFound();
    const found = cache.get(label);
    const page = found instanceof Promise ? await found : found;
    if (!page) throw notFound();
    const { method } = request;
    if (method === 'POST') {
      await submit(request, response, { deploymentId: page.deploymentId, requestId, headers: [] });
      return;
    }
    if (method !== 'GET' && method !== 'HEAD') {
      throw new HttpError(405, 'This page cannot be asked for in this way.', { Allow: ALLOW });
    }
    const encoding = negotiate(request);
    const etag = etagOf(page, encoding);
    const headers = [
      'ETag',
      etag,
      'Cache-Control',
      'public, max-age=0, must-revalidate',
      'Vary',
      'Accept-Encoding',
      'X-Content-Type-Options',
      'nosniff',
      'Origin-Agent-Cluster',
      '?1',
      'x-request-id',
      requestId,
    ];
    if (matches(request.headers['if-none-match'], etag)) {
      response.writeHead(304, headers);
      response.end();
      return;
    }
    const made = cache.body(label, page, encoding);
    const body = made instanceof Promise ? await made : made;
    headers.push('Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length));
    if (encoding !== 'identity') headers.push('Content-Encoding', encoding);
    response.writeHead(200, headers);
    response.end(method === 'HEAD' ? undefined : body);
  };
}

/** A page host's answer to what went wrong. */
export function writeErrorPage(response: ServerResponse, error: HttpError, requestId: string): void {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${error.status}</title><h1>${error.status}</h1><p>${error.message}</p></html>\n`;
  response.writeHead(error.status, {
    ...error.headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Origin-Agent-Cluster': '?1',
    'x-request-id': requestId,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
