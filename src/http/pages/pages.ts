import type { ServerResponse } from 'node:http';
import type { Config } from '../../config.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { fill } from '../../texts/texts.ts';
import type { Exchange } from '../request/exchange.ts';
import { NO_SLUG } from '../request/hosts.ts';
import { chooseEncoding } from '../response/accept.ts';
import { ERROR_CODE, HttpError } from '../response/errors.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { writeSmallPage } from '../response/small-page.ts';
import { type Translations, translationsFor, whenToTryAgain } from '../response/translations.ts';
import type { Found, PageCache, ReadyPage, Variant } from './page-cache.ts';

const noSuchPage = (): HttpError => new HttpError(404, 'There is no page at this address.');
const wrongMethod = (): HttpError =>
  new HttpError(405, 'This method is not allowed here: use GET, HEAD or POST.', { Allow: 'GET, HEAD, POST' });
const takenDown = (blockedBy: string): HttpError =>
  new HttpError(451, 'This page has been taken down.', {
    [ERROR_CODE]: 'taken-down',
    Link: `<${blockedBy}>; rel="blocked-by"`,
  });

/** If-None-Match (RFC 9110, 13.1.2): a list of tags compared weakly, or `*`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function checkAddress(slug: string, path: string): void {
  if (path !== '/' || slug === NO_SLUG) throw noSuchPage();
}

/** Answers requests to the hosts of pages. */
export class PageServer {
  readonly #pages: PageCache;
  readonly #writer: ResponseWriter;
  /** The URL of the service that blocks pages that were taken down (RFC 7725, 4). */
  readonly #blockedBy: string;

  constructor(pages: PageCache, writer: ResponseWriter, { baseUrl }: Config) {
    this.#pages = pages;
    this.#writer = writer;
    this.#blockedBy = baseUrl;
  }

  /** Answers with the page; without a promise when it is in memory. Throws HttpError. */
  serve(exchange: Exchange, slug: string): void | Promise<void> {
    checkAddress(slug, exchange.path);
    const page = this.#pages.get(slug);
    return page instanceof Promise
      ? page.then((found) => this.#answer(exchange, slug, found))
      : this.#answer(exchange, slug, page);
  }

  /** The id of the deployment to whose page a form was posted. Throws 404. */
  async findForm(slug: string, path: string): Promise<string> {
    checkAddress(slug, path);
    const page = await this.#pages.get(slug);
    if (!page || page === 'taken-down') throw noSuchPage();
    return page.deploymentId;
  }

  #answer(exchange: Exchange, slug: string, page: Found): void | Promise<void> {
    const { request } = exchange;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (page === 'taken-down' && isRead) throw takenDown(this.#blockedBy);
    if (!page || page === 'taken-down') throw noSuchPage();
    if (!isRead) throw wrongMethod();
    const variant = this.#pages.variant(slug, page, chooseEncoding(request));
    return variant instanceof Promise
      ? variant.then((made) => this.#send(exchange, page, made))
      : this.#send(exchange, page, variant);
  }

  #send(
    { request, response, requestId }: Exchange,
    page: ReadyPage,
    { etag, okHeaders, notModifiedHeaders, body }: Variant,
  ): void | Promise<void> {
    if (matches(request.headers['if-none-match'], etag)) {
      notModifiedHeaders[notModifiedHeaders.length - 1] = requestId;
      response.writeHead(304, notModifiedHeaders).end();
      return;
    }
    const isLarge = request.method !== 'HEAD' && body.length > SIZES.internalPages.largeBytes;
    if (isLarge && !response.closed) response.once('close', this.#writer.countShared(page.ownerId, body));
    okHeaders[okHeaders.length - 1] = requestId;
    response.writeHead(200, okHeaders);
    if (isLarge && body.length > SIZES.internalAnswers.sliceBytes) return this.#writer.stream(response, [body]);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

/** Answers an error on a page's host. When the page was taken down, the contact for abuse is shown. */
export function writeErrorPage(
  response: ServerResponse,
  error: HttpError,
  requestId: string,
  { config: { abuseContact }, limits }: { config: Config; limits: Limits },
): void {
  const translations = translationsFor(response.req.headers);
  const { title, text, more = '' } = wordsOf(error, translations);
  const contact =
    error.status === 451 && abuseContact
      ? `\n<p>${fill(translations.takenDown.contact, { link: `<a href="${escapeHtml(abuseContact.uri)}">${escapeHtml(abuseContact.text)}</a>` })}</p>`
      : '';
  const content = `<p>${text}${more && translations.gap}${more}</p>${contact}`;
  const headers = { ...error.headers, 'x-request-id': requestId };
  writeSmallPage(response, error.status, { translations, sign: 'problem', title, content }, headers, limits);
}

function wordsOf(error: HttpError, translations: Translations): { title: string; text: string; more?: string } {
  switch (error.status) {
    case 404:
      return translations.noPage;
    case 405:
      return translations.wrongMethod;
    case 451:
      return translations.takenDown;
    case 500:
      return { ...translations.pageFailed, more: whenToTryAgain(error, translations) };
    case 503:
      return { ...translations.pageBusy, more: whenToTryAgain(error, translations) };
    default:
      return translations.badRequest;
  }
}
