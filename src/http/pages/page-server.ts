import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Config, pageUrl } from '../../config.ts';
import type { Database } from '../../db/postgres/connect.ts';
import type { Closing } from '../../db/submissions/store-submissions.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { Limits } from '../../limits.ts';
import type { PageLook } from '../../sites/page-look.ts';
import { isPreviewLabel } from '../../sites/preview-hosts.ts';
import { INDEX, isHtmlPath, isScriptPath, isShownAsPage, siteFileType } from '../../sites/site-paths.ts';
import { Closings } from '../../submissions/closings.ts';
import { fill } from '../../texts/fill.ts';
import type { Exchange } from '../request/exchange.ts';
import { chooseEncoding } from '../response/accept.ts';
import { endEarly, errorKind, HttpError, methodNotAllowed } from '../response/errors.ts';
import { writeSmallPage } from '../response/small-page.ts';
import { type Translations, translationsFor, whenToTryAgain } from '../response/translations.ts';
import { type ContentSender, partOf } from './content-sender.ts';
import { type Found, isDown, isMoved, type Moved, type PageCache, type ReadyPage } from './page-cache.ts';
import type { ReadyFile } from './site.ts';

export const noSuchPage = (): HttpError => new HttpError(404, 'There is no page at this address.');
const wrongMethod = (): HttpError =>
  new HttpError(405, 'This method is not allowed here: use GET, HEAD or POST.', { Allow: 'GET, HEAD, POST' });
const takenDown = errorKind(
  { id: 'TakenDown', description: 'The operator has taken the page down.' },
  (blockedBy: string) =>
    new HttpError(451, 'This page has been taken down.', { Link: `<${blockedBy}>; rel="blocked-by"` }),
  'https://example.org',
);

const suspendedPage = errorKind(
  { id: 'SuspendedPage', description: 'The operator has suspended the owner of the page.' },
  () => new HttpError(403, 'This page is not available.'),
);

/** Returns whether a page has ended by the clock, whether or not it is in the trash already. */
const hasEnded = ({ expiresAt }: ReadyPage): boolean => expiresAt !== null && expiresAt <= Date.now();

/**
 * The policy of files without the line that says that nobody has claimed the page: shown as a page, such as an SVG or XHTML, they run no
 * script and send no form. Images, styles and scripts that a page loads stay as they are.
 */
const WITHOUT_NOTE = 'sandbox';

/** Returns whether a file has no such line, and can have scripts and forms: a PDF, which no sandbox shows, has neither of a page. */
const isActive = (path: string): boolean => !isHtmlPath(path) && /^text\/html|[/+]xml(?:;|$)/.test(siteFileType(path));

/** The methods of a file that is no page. */
const FILE_METHODS = 'GET, HEAD';
/** The files with which a site answers where it has no other. */
const NOT_FOUND = ['404.html', '404.htm'];

/** The header of all answers on the host of an unlisted page: search engines show none of them. */
const NOINDEX = ['X-Robots-Tag', 'noindex'] as const;

const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** Returns whether a path has HTML, or leads to it. */
function isOfHtml({ path }: Exchange, { site }: ReadyPage): boolean {
  if (path === '/') return true;
  const target = site?.resolve(path);
  return target !== undefined && (target === 'no-slash' || isShownAsPage(target.file));
}

/** Answers that the form of a page is closed. */
type SayClosed = (exchange: Exchange, deploymentId: string, closing: Closing) => Promise<void>;

/** Answers requests to the hosts of pages. */
export class PageServer {
  readonly #pages: PageCache;
  readonly #sender: ContentSender;
  /** The URL of the service that blocks pages that were taken down (RFC 7725, 4). */
  readonly #blockedBy: string;
  readonly #config: Config;
  readonly #limits: Limits;
  readonly #closings: Closings;
  readonly #sayClosed: SayClosed;

  constructor(
    pages: PageCache,
    sender: ContentSender,
    { config, limits, db }: { config: Config; limits: Limits; db: Database },
    sayClosed: SayClosed,
  ) {
    this.#closings = new Closings(db);
    this.#sayClosed = sayClosed;
    this.#pages = pages;
    this.#sender = sender;
    this.#blockedBy = config.baseUrl;
    this.#config = config;
    this.#limits = limits;
  }

  /** Answers with the page, or a file of it; without a promise when it is in memory. Throws HttpError. */
  serve(exchange: Exchange, slug: string | null): void | Promise<void> {
    if (slug === null) throw noSuchPage();
    const page = this.#find(slug);
    return page instanceof Promise
      ? page.then((found) => this.#answer(exchange, slug, found))
      : this.#answer(exchange, slug, page);
  }

  /** The slug that the page under a slug has now, which may be another. */
  async currentSlug(slug: string | null): Promise<string | null> {
    const found = await this.#find(slug);
    return isMoved(found) ? found.movedTo : slug;
  }

  /** Returns whether the site under a slug has something at a path that the service answers for other pages. */
  async hasOwn(slug: string | null, path: string): Promise<boolean> {
    const page = await this.#find(slug);
    return page !== undefined && !isDown(page) && !isMoved(page) && page.site?.resolve(path) !== undefined;
  }

  /** Keeps search engines from an answer that the service gives on the host of an unlisted page. */
  async keepFromSearch({ response }: Exchange, slug: string | null): Promise<void> {
    const page = await this.#find(slug);
    if (page !== undefined && !isDown(page) && !isMoved(page) && page.isUnlisted) response.setHeader(...NOINDEX);
  }

  /**
   * Returns whether the site under a slug has a script at a path. `deploymentId` is the deployment whose custom domain is
   * asked for; it is undefined on the host of the slug.
   */
  async hasScript(slug: string | null, path: string, deploymentId: string | undefined): Promise<boolean> {
    const page = await this.#find(slug);
    // Where a page was before, an old worker would go on showing it.
    if (!page || isDown(page) || isMoved(page)) return false;
    if ((deploymentId ?? page.deploymentId) !== page.deploymentId) return false;
    const target = page.site?.resolve(path);
    return target !== undefined && target !== 'no-slash' && isScriptPath(target.file);
  }

  /** Returns whether the page under a slug belongs to another deployment than this one. */
  async isOfAnother(slug: string | null, deploymentId: string | undefined): Promise<boolean> {
    const page = await this.#find(slug);
    return page !== undefined && !isDown(page) && !isMoved(page) && page.deploymentId !== deploymentId;
  }

  /** The id of the deployment whose page is under a slug. Throws 404. */
  async findDeployment(slug: string | null): Promise<string> {
    return (await this.#findLive(slug)).deploymentId;
  }

  /**
   * The deployment to one of whose pages a form was posted; undefined when the answer is a redirect. Throws 404, and
   * 405 for a file that is no page.
   */
  async findForm(
    exchange: Exchange,
    slug: string | null,
  ): Promise<Pick<ReadyPage, 'deploymentId' | 'site'> | undefined> {
    const page = await this.#findLive(slug);
    const { site } = page;
    if (exchange.path === '/') return page;
    const target = site?.resolve(exchange.path);
    if (!target) throw noSuchPage();
    if (target === 'no-slash') return void this.#addSlash(exchange);
    if (!isHtmlPath(target.file)) throw methodNotAllowed(FILE_METHODS);
    return page;
  }

  #find(slug: string | null): Found | Promise<Found> {
    return slug === null ? undefined : this.#pages.get(slug);
  }

  async #findLive(slug: string | null): Promise<ReadyPage> {
    const page = await this.#find(slug);
    if (isMoved(page)) return this.#findLive(page.movedTo);
    if (page === 'suspended') throw suspendedPage();
    if (!page || isDown(page) || hasEnded(page)) throw noSuchPage();
    return page;
  }

  #answer(exchange: Exchange, slug: string, page: Found): void | Promise<void> {
    const isRead = isReading(exchange.request);
    if (isMoved(page)) return isRead ? this.#redirect(exchange, page) : this.serve(exchange, page.movedTo);
    if (page === 'suspended') throw suspendedPage();
    if (page === 'taken-down' && isRead) throw takenDown(this.#blockedBy);
    if (!page || isDown(page) || hasEnded(page)) throw noSuchPage();
    const { opening, deploymentId } = page;
    if (page.isUnlisted) exchange.response.setHeader(...NOINDEX);
    const checking = opening && isRead && isOfHtml(exchange, page) && this.#closings.get(deploymentId, opening);
    if (!checking) return this.#answerOpen(exchange, slug, page);
    return checking.then((closing) =>
      closing ? this.#sayClosed(exchange, deploymentId, closing) : this.#answerOpen(exchange, slug, page),
    );
  }

  #answerOpen(exchange: Exchange, slug: string, page: ReadyPage): void | Promise<void> {
    if (exchange.path !== '/') return this.#answerPath(exchange, slug, page);
    if (!isReading(exchange.request)) throw wrongMethod();
    return this.#answerBody(exchange, slug, { page, body: page });
  }

  /** Answers on a path of a site. */
  #answerPath(exchange: Exchange, slug: string, page: ReadyPage): void | Promise<void> {
    const { site } = page;
    const isRead = isReading(exchange.request);
    const target = site?.resolve(exchange.path);
    if (target === 'no-slash') return this.#addSlash(exchange);
    const path = target?.file ?? (isRead ? NOT_FOUND.find((name) => site?.file(name)) : undefined);
    if (target && !isRead) throw isHtmlPath(target.file) ? wrongMethod() : methodNotAllowed(FILE_METHODS);
    if (path === INDEX) return this.#answerBody(exchange, slug, { page, body: page });
    const file = path === undefined ? undefined : site?.file(path);
    if (!site || !file) throw noSuchPage();
    if (page.isUnlisted && !isPreviewLabel(slug) && isActive(file.path)) {
      exchange.response.setHeader('Content-Security-Policy', WITHOUT_NOTE);
    }
    if (!site.isKept(file)) return this.#sender.sendStored(exchange, page.ownerId, file);
    const body = this.#pages.file(slug, page, site, file);
    const status = target ? 200 : 404;
    return body instanceof Promise
      ? body.then((read) => this.#answerBody(exchange, slug, { page, body: read, status }))
      : this.#answerBody(exchange, slug, { page, body, status });
  }

  #answerBody(
    exchange: Exchange,
    slug: string,
    { page, body, status = 200 }: { page: ReadyPage; body: ReadyPage | ReadyFile; status?: number },
  ): void | Promise<void> {
    const { request } = exchange;
    const part = status === 200 ? partOf(request, body) : undefined;
    const encoding = body.isCompressed && !part ? chooseEncoding(request) : 'identity';
    const variant = this.#pages.variant(slug, page, body, encoding);
    const answer = { content: body, part, status };
    return variant instanceof Promise
      ? variant.then((made) => this.#sender.send(exchange, answer, made))
      : this.#sender.send(exchange, answer, variant);
  }

  /** Redirects to the address that a renamed page has now. No cache keeps it: another page may get the slug later. */
  #redirect({ request: { url = '' }, response, requestId }: Exchange, { movedTo }: Moved): void {
    response.writeHead(308, {
      ...{ Location: pageUrl(this.#config, movedTo) + url, 'Content-Length': 0, 'x-request-id': requestId },
      'Cache-Control': 'no-store',
    });
    endEarly(response, '', this.#limits);
  }

  /** Redirects to the same address with a slash, on which the links of a folder's page are relative to the folder. */
  #addSlash({ request: { url = '' }, response, requestId, path }: Exchange): void {
    const location = `${path}/${url.slice(path.length)}`;
    response.writeHead(308, {
      ...{ Location: location, 'Content-Length': 0, 'x-request-id': requestId },
      'Cache-Control': 'public, max-age=0, must-revalidate',
    });
    endEarly(response, '', this.#limits);
  }
}

/** Answers an error on a page's host. `look`: that of the page, if it is known. When the page was taken down, the contact for abuse is shown. */
export function writeErrorPage(
  response: ServerResponse,
  error: HttpError,
  requestId: string,
  { config: { abuseContact }, limits }: { config: Config; limits: Limits },
  look: PageLook | undefined,
): void {
  const translations = translationsFor(response.req.headers);
  const { title, text, more = '' } = wordsOf(error, translations);
  const contact =
    error.status === 451 && abuseContact
      ? `\n<p>${fill(translations.takenDown.contact, { link: `<a href="${escapeHtml(abuseContact.uri)}">${escapeHtml(abuseContact.text)}</a>` })}</p>`
      : '';
  const content = `<p>${text}${more && translations.gap}${more}</p>${contact}`;
  const headers = { ...error.headers, 'x-request-id': requestId };
  writeSmallPage(response, error.status, { translations, sign: 'problem', title, content, look }, headers, limits);
}

function wordsOf(error: HttpError, translations: Translations): { title: string; text: string; more?: string } {
  switch (error.status) {
    case 404:
      return translations.noPage;
    case 405:
      return translations.wrongMethod;
    case 403:
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
