import { SIZES } from '../../limits.ts';
import { PLACEHOLDER } from '../render-page.ts';
import type { Addresses } from './answer.ts';

/*
 * Where the addresses on a page lead.
 */

export type Target =
  /** The address that receives what the page's forms send. */
  | 'here'
  /** The same of another page. */
  | 'another-page'
  /** The page's own host, where this path is not. */
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

/** `URL.href` without its scheme: a page may be reached by http and by https. */
const withoutScheme = (url: URL): string => url.host + url.pathname;

export type ReadAddress = {
  /** The URL that an attribute has; undefined when it is none. Schemes other than http and https are not parsed. */
  resolve(value: string): URL | undefined;
  /** Where a form with this action leads. */
  targetOf(action: string | undefined): Target;
  /** Whether a URL is on the page's own host, at another path than that of the page. */
  isMissing(url: URL): boolean;
  /** What a script has in it that sends to the address of the page's forms: a URL without its scheme. */
  submitAddress: string;
  /** Whether a URL is of this service's API. */
  isOfService(url: URL): boolean;
};

/** `base`: the `href` of the page's <base>. */
export function createReadAddress({ baseUrl, pagesDomain, page }: Addresses, base: string | undefined): ReadAddress {
  const action = page?.action ?? `${baseUrl}/submit/${UNPUBLISHED.id}`;
  const own = new URL('/', page?.url ?? UNPUBLISHED.url);
  // What a page loads is judged as if the page were served by https.
  own.protocol = 'https:';
  const service = new URL(baseUrl);
  const parse = (value: string, from: URL): URL | undefined => {
    const replaced = value.replaceAll(PLACEHOLDER, action).trim();
    return replaced.length > SIZES.internalCheck.urlChars ? undefined : (URL.parse(replaced, from.href) ?? undefined);
  };
  const from = (base === undefined ? undefined : parse(base, own)) ?? own;

  const submitted = withoutScheme(new URL(action));

  return {
    submitAddress: page ? submitted : `${service.host}/submit/`,
    resolve: (value) => parse(value, from),
    isMissing: (url) => url.host === own.host && url.pathname !== '/',
    isOfService: (url) => url.host === service.host,
    targetOf(value) {
      // An empty action is the address of the document, whatever <base> says.
      const url = value === undefined || value.trim() === '' ? own : parse(value, from);
      if (!url) return 'invalid';
      if (url.protocol === 'javascript:') return 'script';
      if (!/^https?:$/.test(url.protocol)) return 'other-scheme';
      if (url.host === own.host) return url.pathname === '/' ? 'here' : 'own-host';
      if (withoutScheme(url) === submitted) return 'here';
      if (url.host === service.host && SUBMIT_PATH.test(url.pathname)) return page ? 'another-page' : 'here';
      if (url.host.endsWith(`.${pagesDomain}`) && url.pathname === '/') return page ? 'another-page' : 'here';
      return url.host === service.host || url.host.endsWith(`.${pagesDomain}`) ? 'missing' : 'elsewhere';
    },
  };
}
