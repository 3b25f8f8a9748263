import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { escapeHtml } from '../../lib/html.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { NO_SLUG } from '../request/hosts.ts';
import { createChooseEncoding, type Encoding } from '../response/accept.ts';
import { HttpError } from '../response/errors.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { writeSmallPage } from '../response/small-page.ts';
import { type Speech, whenToTryAgain } from '../response/translations.ts';
import type { Found, PageCache, ReadyPage, Variant } from './page-cache.ts';

/** A page's host and the path on it, without a query. */
type Target = { slug: string; path: string };

/** Answers a request to a page's host; without a promise when the page is in memory. Throws HttpError. */
export type ServePage = (
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  requestId: string,
) => void | Promise<void>;

/** The id of the deployment to whose page a form was posted. Throws 404. */
export type FindForm = (target: Target) => string | Promise<string>;

const noSuchPage = (): HttpError => new HttpError(404, 'There is no page at this address.');
const wrongMethod = (): HttpError =>
  new HttpError(405, 'This method is not allowed here: use GET, HEAD or POST.', { Allow: 'GET, HEAD, POST' });
const takenDown = (blockedBy: string): HttpError =>
  new HttpError(451, 'This page has been taken down.', { Link: `<${blockedBy}>; rel="blocked-by"` });

/** If-None-Match (RFC 9110, 13.1.2): a list of tags compared weakly, or `*`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function checkTarget({ slug, path }: Target): void {
  if (path !== '/' || slug === NO_SLUG) throw noSuchPage();
}

/** `blockedBy`: the URL of the service that blocks pages that were taken down (RFC 7725, 4). */
export function createServePage(cache: PageCache, sending: ResponseWriter, blockedBy: string): ServePage {
  const chooseEncoding = createChooseEncoding();

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    page: ReadyPage,
    variant: Variant,
  ): void | Promise<void> {
    const { etag, okHeaders, notModifiedHeaders, body } = variant;
    if (matches(request.headers['if-none-match'], etag)) {
      notModifiedHeaders[notModifiedHeaders.length - 1] = requestId;
      response.writeHead(304, notModifiedHeaders).end();
      return;
    }
    const isLarge = request.method !== 'HEAD' && body.length > SIZES.internalPages.largeBytes;
    if (isLarge && !response.closed) response.once('close', sending.share(page.ownerId, body));
    okHeaders[okHeaders.length - 1] = requestId;
    response.writeHead(200, okHeaders);
    if (isLarge && body.length > SIZES.internalAnswers.sliceBytes) return sending.stream(response, [body]);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    slug: string,
    requestId: string,
    encoding: Encoding,
    page: Found,
  ): void | Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (page === 'taken-down' && isRead) throw takenDown(blockedBy);
    if (!page || page === 'taken-down') throw noSuchPage();
    if (!isRead) throw wrongMethod();
    const variant = cache.variant(slug, page, encoding);
    if (variant instanceof Promise) return variant.then((made) => send(request, response, requestId, page, made));
    return send(request, response, requestId, page, variant);
  }

  return (request, response, target, requestId) => {
    checkTarget(target);
    const { slug } = target;
    const encoding = chooseEncoding(request);
    const page = cache.get(slug);
    if (page instanceof Promise) {
      return page.then((found) => answer(request, response, slug, requestId, encoding, found));
    }
    return answer(request, response, slug, requestId, encoding, page);
  };
}

export function createFindForm(cache: Pick<PageCache, 'head'>): FindForm {
  function deploymentOf(page: Awaited<ReturnType<PageCache['head']>>): string {
    if (!page || page === 'taken-down') throw noSuchPage();
    return page.deploymentId;
  }
  return (target) => {
    checkTarget(target);
    const page = cache.head(target.slug);
    return page instanceof Promise ? page.then(deploymentOf) : deploymentOf(page);
  };
}

/** Answers an error on a page's host. When the page was taken down, `abuseContact` is shown. */
export function writeErrorPage(
  response: ServerResponse,
  error: HttpError,
  { requestId, abuseContact, speech }: { requestId: string; abuseContact: Config['abuseContact']; speech: Speech },
  limits: Limits,
): void {
  const { title, text, more = '' } = wordsOf(error, speech);
  const contact =
    error.status === 451 && abuseContact
      ? `\n<p>${speech.takenDown.contact(`<a href="${escapeHtml(abuseContact.uri)}">${escapeHtml(abuseContact.text)}</a>`)}</p>`
      : '';
  const content = `<p>${text}${more && speech.gap}${more}</p>${contact}`;
  const headers = { ...error.headers, 'x-request-id': requestId };
  writeSmallPage(response, error.status, { speech, sign: 'problem', title, content }, headers, limits);
}

function wordsOf(error: HttpError, speech: Speech): { title: string; text: string; more?: string } {
  switch (error.status) {
    case 404:
      return speech.noPage;
    case 405:
      return speech.wrongMethod;
    case 451:
      return speech.takenDown;
    case 500:
      return { ...speech.pageFailed, more: whenToTryAgain(error, speech) };
    case 503:
      return { ...speech.pageBusy, more: whenToTryAgain(error, speech) };
    default:
      return speech.badRequest;
  }
}
