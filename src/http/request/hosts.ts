import type { IncomingMessage } from 'node:http';
import type { Addresses } from '../../compute/check/answer.ts';
import { type Config, pageUrl, submitUrl } from '../../config.ts';
import { refererUrl } from '../../forms/origins.ts';
import { isSlug } from '../../sites/slugs.ts';
import { HttpError } from '../response/errors.ts';
import type { PageAt, ProvenDomains } from './proven-domains.ts';

/** The host of `host:port`, in lower case, without a trailing dot. */
export const nameOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '');

/**
 * Tells pages' hosts from the API's. A page is at its slug under the pages' domain, and at its custom domains. Every other
 * host is the API's.
 */
export class Hosts {
  readonly #config: Config;
  readonly #domains: Pick<ProvenDomains, 'pageAt' | 'domainsOf'>;
  readonly #apiHost: string;
  readonly #pagesSuffix: string;
  /** The protocol of all pages' origins. */
  readonly #protocol: string;
  /** The port with the colon before it; empty if it is the protocol's default. */
  readonly #port: string;

  constructor(config: Config, domains: Pick<ProvenDomains, 'pageAt' | 'domainsOf'>) {
    const { protocol, port } = new URL(pageUrl(config, 'a-page'));
    this.#config = config;
    this.#domains = domains;
    this.#apiHost = nameOf(new URL(config.baseUrl).host);
    this.#pagesSuffix = `.${nameOf(config.pagesDomain)}`;
    this.#protocol = protocol;
    this.#port = port && `:${port}`;
  }

  /** Returns whether a host is that of BASE_URL, which never belonged to a page. Any other host may have. */
  isOfApi(host: string): boolean {
    return nameOf(host) === this.#apiHost;
  }

  /** The page at a host; undefined for a host of the API. */
  pageAt(host: string): PageAt | undefined {
    const name = nameOf(host);
    if (name === this.#apiHost) return undefined;
    if (!name.endsWith(this.#pagesSuffix)) return this.#domains.pageAt(name);
    const label = name.slice(0, -this.#pagesSuffix.length);
    if (label === '' || label.includes('.')) return undefined;
    return { slug: isSlug(label) ? label : null };
  }

  /** The slug of a page's host, null where there can be no page; undefined for a host of the API. */
  slugOf(host: string): string | null | undefined {
    return this.pageAt(host)?.slug;
  }

  /** Returns whether an origin (RFC 6454) belongs to a page, under any of its hosts. */
  isOriginOf(slug: string, origin: string): boolean {
    const host = origin.slice(this.#protocol.length + 2, origin.length - this.#port.length);
    return origin === this.#originOf(host) && !host.includes(':') && this.slugOf(host) === slug;
  }

  /** The origin at which a visitor has opened a page, as the request shows it; else that of the page's slug. */
  originFor({ headers: { host = '', origin = '', referer = '' } }: IncomingMessage, slug: string): string {
    const shown = [this.#originOf(nameOf(host)), origin, refererUrl(referer)?.origin ?? ''];
    return shown.find((each) => this.isOriginOf(slug, each)) ?? pageUrl(this.#config, slug);
  }

  /** The addresses by which the form check tells where forms lead. `page`: left out for HTML that is not published. */
  addressesFor(page?: { id: string; slug: string }): Addresses {
    const { baseUrl, pagesDomain } = this.#config;
    return {
      baseUrl,
      pagesDomain,
      page: page && {
        url: pageUrl(this.#config, page.slug),
        action: submitUrl(this.#config) + page.id,
        otherHosts: this.#domains.domainsOf(page).map((domain) => domain + this.#port),
      },
    };
  }

  #originOf(hostname: string): string {
    return `${this.#protocol}//${hostname}${this.#port}`;
  }
}

const malformedTarget = (): HttpError =>
  new HttpError(400, 'The request target is malformed: send a path, without a fragment.');

/**
 * The host of a request (RFC 9112, 3.2): the authority of an absolute target, or else the Host header. Replaces an
 * absolute target by its path, and the Host header by its authority. Throws 400 for two Hosts, for none in HTTP/1.1, and
 * for a target with a fragment.
 */
export function resolveHost(request: IncomingMessage): string {
  let hosts = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && request.httpVersionMinor > 0)) {
    throw new HttpError(400, 'The request needs one Host header: send exactly one.');
  }
  const { url = '' } = request;
  // Express would read the target with url.parse(), ten times as slow.
  if (url.includes('#')) throw malformedTarget();
  if (url.startsWith('/') || url === '*') return request.headers.host ?? '';
  const [, authority, rest = ''] = /^https?:\/\/([^/?]+)(.*)$/is.exec(url) ?? [];
  if (authority === undefined) throw malformedTarget();
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
  return authority;
}

/** Throws 417 for an expectation that can't be met, and 400 for a path that can't be decoded. */
export function validateRequest({ url = '', headers: { expect } }: IncomingMessage): void {
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new HttpError(417, 'The expectation cannot be met: leave the Expect header out.');
  }
  if (!url.includes('%')) return;
  try {
    decodeURIComponent(url.replace(/\?.*$/s, ''));
  } catch {
    throw new HttpError(400, 'The path cannot be decoded: percent-encode it as UTF-8.');
  }
}

/** A request's path as it was sent, without the query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
};
