import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { escapeHtml } from '../html.ts';
import { HttpError } from './errors.ts';
import { NO_SLUG } from './hosts.ts';
import type { Encoding, Found, PageCache, Variant } from './page-cache.ts';
import type { Contact } from './security-txt.ts';
import { writeSmallPage } from './small-page.ts';
import type { Submit } from './submit.ts';
import type { Visitor } from './visitors.ts';

// Not imported, for the reason that src/server.ts gives.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** A page's host and the path on it, without a query. */
type Target = { slug: string; path: string };

/** `isSubmission` is set once a request turns out to be one, which is answered like any other submission. */
type Visit = { requestId: string; visitor?: Visitor | undefined; isSubmission?: boolean };

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
    const { etag, okHeaders, notModifiedHeaders, body } = variant;
    if (matches(request.headers['if-none-match'], etag)) {
      notModifiedHeaders[notModifiedHeaders.length - 1] = requestId;
      response.writeHead(304, notModifiedHeaders).end();
      return;
    }
    okHeaders[okHeaders.length - 1] = requestId;
    response.writeHead(200, okHeaders);
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
    const { requestId, visitor } = visit;
    if (method === 'POST') {
      visit.isSubmission = true;
      if (visitor) visitor.slug = slug;
      return submit.take(request, response, { ...page, requestId, cors: false, visitor });
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
      ? `\n<p>Questions about it go to <a href="${escapeHtml(abuseContact.uri)}">${escapeHtml(abuseContact.text)}</a>.</p>`
      : '';
  const title = STATUS_CODES[error.status] ?? 'Error';
  const content = `<p>${escapeHtml(error.message)}</p>${contact}`;
  writeSmallPage(response, error.status, { title, content }, { ...error.headers, 'x-request-id': requestId });
}
