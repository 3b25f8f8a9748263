import { type Resolved, resolveSitePath } from '../../sites/resolve-site-path.ts';
import { INDEX, isHtmlPath } from '../../sites/site-paths.ts';
import { PLACEHOLDER } from '../render-page.ts';
import type { Addresses } from './answer.ts';

/** Longer ones are not parsed as URLs, which can take quadratic time. */
const MAX_URL_CHARS = 2_048;

/*
 * Where the addresses on a page lead.
 */

export type Target =
  /** The address that receives what the page's forms send. */
  | 'here'
  /** The address that receives what the forms of another page send. */
  | 'another-page'
  /** The page's own host, where no page has this path. */
  | 'own-host'
  /** This service, which has nothing there either. */
  | 'missing'
  | 'elsewhere'
  /** A scheme that sends nothing to a server, such as mailto. */
  | 'other-scheme'
  | 'script'
  | 'invalid';

/** Stands for the id and the host of a page that has none so far. */
const UNPUBLISHED = { url: 'https://page.invalid', id: 'd_page' };
const SUBMIT_PATH = /^\/submit\/(d_[0-9A-Za-z]+)$/;
/** The address for forms made for other services, which receives the same. */
const FOREIGN_PATH = /\/f\/(d_[0-9A-Za-z]+)(?:\.json)?$/;

/** `URL.href` without its scheme: a page may be reached by http and by https. */
const withoutScheme = (url: URL): string => url.host + url.pathname;

/** Reads the addresses on a page. */
export class AddressReader {
  readonly #action: string;
  readonly #own: URL;
  readonly #ownHosts: ReadonlySet<string>;
  readonly #service: URL;
  readonly #pagesDomain: string;
  readonly #isPublished: boolean;
  readonly #isAnyPage: boolean;
  /** The paths of a site's files. */
  readonly #files: ReadonlySet<string> | undefined;
  /** The URL that relative addresses are resolved against. */
  readonly #base: URL;
  /** The address of the page's forms, a URL without its scheme: a script that has this text sends to it. */
  readonly submitAddress: string;
  /** The address for forms made for other services, as it is written into a script. */
  readonly foreignAddress: string;

  /** `base`: the `href` of the page's <base>. */
  constructor({ baseUrl, pagesDomain, page, site: given }: Addresses, base: string | undefined) {
    this.#action = page?.action ?? `${baseUrl}/submit/${UNPUBLISHED.id}`;
    const site = given === 'any' ? undefined : given;
    const path = site?.path.split('/').map(encodeURIComponent).join('/') ?? '';
    this.#own = new URL(`/${path}`, page?.url ?? UNPUBLISHED.url);
    // Addresses that a page loads are judged as if the page were served by https.
    this.#own.protocol = 'https:';
    this.#ownHosts = new Set([this.#own.host, ...(page?.otherHosts ?? [])]);
    this.#service = new URL(baseUrl);
    this.#pagesDomain = pagesDomain;
    this.#isPublished = page !== undefined;
    this.#isAnyPage = given === 'any';
    this.#files = site && new Set(site.files);
    this.#base = (base === undefined ? undefined : this.#parse(base, this.#own)) ?? this.#own;
    this.foreignAddress = page?.action.replace('/submit/', '/f/') ?? `${baseUrl}/f/ and the id that the page gets`;
    this.submitAddress = page ? withoutScheme(new URL(page.action)) : `${this.#service.host}/submit/`;
  }

  /** The URL that an attribute has; undefined when it is none. Schemes other than http and https are not parsed. */
  resolve(value: string): URL | undefined {
    return this.#parse(value, this.#base);
  }

  /** The URL that a form with this action is sent to; undefined when it is none. */
  destinationOf(action: string | undefined): URL | undefined {
    // An empty action is the address of the document, whatever <base> says.
    return action === undefined || action.trim() === '' ? this.#own : this.resolve(action);
  }

  /** Where a form with this action leads. */
  targetOf(action: string | undefined): Target {
    const url = this.destinationOf(action);
    if (!url) return 'invalid';
    if (url.protocol === 'javascript:') return 'script';
    if (!/^https?:$/.test(url.protocol)) return 'other-scheme';
    if (this.#ownHosts.has(url.host)) return this.#isPage(url.pathname) ? 'here' : 'own-host';
    const address = withoutScheme(url).replace(FOREIGN_PATH, '/submit/$1');
    if (this.#isPublished && address === this.submitAddress) return 'here';
    const isOfPages = url.host.endsWith(`.${this.#pagesDomain}`);
    const isForm = isOfPages && url.pathname === '/';
    if (isForm || (this.isOfService(url) && [SUBMIT_PATH, FOREIGN_PATH].some((path) => path.test(url.pathname))))
      return this.#isPublished ? 'another-page' : 'here';
    return this.isOfService(url) || isOfPages ? 'missing' : 'elsewhere';
  }

  /** The address that the placeholder stands for. */
  get action(): URL {
    return new URL(this.#action);
  }

  /** True if the page belongs to a site, whose host has files. */
  get isOfSite(): boolean {
    return this.#files !== undefined;
  }

  /** The path of the site's file at an address; undefined: there is none. */
  fileOf(value: string): string | undefined {
    const url = this.#files && this.resolve(value);
    if (!url || !this.#ownHosts.has(url.host)) return undefined;
    const found = this.#find(url.pathname);
    return found instanceof Object ? found.file : undefined;
  }

  /** Returns whether a URL is on the page's own host. */
  isOwn(url: URL): boolean {
    return this.#ownHosts.has(url.host);
  }

  /**
   * Returns whether a host may become the page's own. A page that has not been published may still be given any name and
   * domains.
   */
  mayBecomeOwn(host: string): boolean {
    return !this.#isPublished && host !== this.#service.hostname;
  }

  /** Returns whether a URL is on the page's own host, at a path that has neither a page nor a file. */
  isMissing(url: URL): boolean {
    return this.#ownHosts.has(url.host) && this.#find(url.pathname) === undefined;
  }

  /** Returns whether a URL belongs to this service's API. */
  isOfService(url: URL): boolean {
    return url.host === this.#service.host;
  }

  #find(path: string): Resolved {
    return path === '/' || this.#isAnyPage
      ? { file: INDEX }
      : resolveSitePath((file) => this.#files?.has(file) ?? false, path);
  }

  #isPage(path: string): boolean {
    const found = this.#find(path);
    return found === 'no-slash' || (found !== undefined && isHtmlPath(found.file));
  }

  /** A text as visitors get it. */
  replaced(text: string): string {
    return text.replaceAll(PLACEHOLDER, this.#action);
  }

  #parse(value: string, base: URL): URL | undefined {
    const replaced = this.replaced(value).trim();
    return replaced.length > MAX_URL_CHARS ? undefined : (URL.parse(replaced, base.href) ?? undefined);
  }
}
