import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { escapeHtml } from '../html.ts';
import { endEarly, HttpError } from './errors.ts';
import { NO_SLUG } from './hosts.ts';
import type { Encoding, Found, PageCache, Variant } from './page-cache.ts';
import type { Contact } from './security-txt.ts';
import type { Submit } from './submit.ts';

/** A page's host and the path on it, without a query. */
type Target = { slug: string; path: string };

/** `isSubmission` is set once a request turns out to be one, which is answered like any other submission. */
type Visit = { requestId: string; isSubmission?: boolean };

/** Answers a request to a page's host: at once where the page is in memory, or when the promise settles. */
export type ServePage = (
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  visit: Visit,
) => void | Promise<void>;

const ALLOW = 'GET, HEAD, POST';
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

const noSuchPage = (): HttpError => new HttpError(404, 'There is no page at this address.');
const takenDown = (blockedBy: string): HttpError =>
  new HttpError(451, 'This page has been taken down.', { Link: `<${blockedBy}>; rel="blocked-by"` });

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

/** `blockedBy`: the URL of whoever takes pages down (RFC 7725, 4). */
export function createServePage(cache: PageCache, submit: Pick<Submit, 'take'>, blockedBy: string): ServePage {
  const negotiate = createNegotiate();

  function send(request: IncomingMessage, response: ServerResponse, requestId: string, variant: Variant): void {
    const { etag, headers, bodyHeaders, body } = variant;
    if (matches(request.headers['if-none-match'], etag)) {
      response.writeHead(304, [...headers, 'x-request-id', requestId]).end();
      return;
    }
    response.writeHead(200, [...headers, ...bodyHeaders, 'x-request-id', requestId]);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    slug: string,
    visit: Visit,
    page: Found,
  ): void | Promise<void> {
    const { method } = request;
    if (page === 'taken-down' && (method === 'GET' || method === 'HEAD')) throw takenDown(blockedBy);
    if (!page || page === 'taken-down') throw noSuchPage();
    const { requestId } = visit;
    if (method === 'POST') {
      visit.isSubmission = true;
      return submit.take(request, response, { ...page, requestId, headers: [] });
    }
    if (method !== 'GET' && method !== 'HEAD') {
      throw new HttpError(405, 'This page cannot be asked for in this way.', { Allow: ALLOW });
    }
    const variant = cache.variant(slug, page, negotiate(request));
    if (variant instanceof Promise) return variant.then((made) => send(request, response, requestId, made));
    send(request, response, requestId, variant);
  }

  return (request, response, { slug, path }, visit) => {
    if (path !== '/' || slug === NO_SLUG) throw noSuchPage();
    const page = cache.get(slug);
    if (page instanceof Promise) return page.then((found) => answer(request, response, slug, visit, found));
    return answer(request, response, slug, visit, page);
  };
}

/** A page host's answer to what went wrong. Whoever finds a page taken down is told whom to ask. */
export function writeErrorPage(
  response: ServerResponse,
  error: HttpError,
  requestId: string,
  abuseContact: Contact | undefined,
): void {
  const contact =
    error.status === 451 && abuseContact
      ? `<p>Questions about it go to <a href="${escapeHtml(abuseContact.uri)}">${escapeHtml(abuseContact.text)}</a>.</p>`
      : '';
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${error.status}</title><h1>${error.status}</h1><p>${error.message}</p>${contact}</html>\n`;
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
  endEarly(response, body);
}
