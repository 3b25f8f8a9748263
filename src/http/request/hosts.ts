import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config.ts';
import { isSlug } from '../../lib/slugs.ts';
import { HttpError } from '../response/errors.ts';

/** The slug of a page's host whose label can't be a slug. */
export const NO_SLUG = '';

/** The host of `host:port`, in lower case, without a trailing dot. */
export const nameOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '');

/** Tells pages' hosts from the API's: a page's is its slug and the pages' domain. Every other host is the API's. */
export class Hosts {
  readonly #apiHost: string;
  readonly #pagesSuffix: string;

  constructor({ baseUrl, pagesDomain }: Pick<Config, 'baseUrl' | 'pagesDomain'>) {
    this.#apiHost = nameOf(new URL(baseUrl).host);
    this.#pagesSuffix = `.${nameOf(pagesDomain)}`;
  }

  /** The slug of a page's host, NO_SLUG where its label can't be one; undefined for a host of the API. */
  slugOf(host: string): string | undefined {
    const name = nameOf(host);
    if (!name.endsWith(this.#pagesSuffix) || name === this.#apiHost) return undefined;
    const label = name.slice(0, -this.#pagesSuffix.length);
    if (label === '' || label.includes('.')) return undefined;
    return isSlug(label) ? label : NO_SLUG;
  }
}

const malformedTarget = (): HttpError =>
  new HttpError(400, 'The request target is malformed: send a path, without a fragment.');

/**
 * The host of a request (RFC 9112, 3.2): the authority of an absolute target, or else the Host header. Sets
 * `request.url` to the path of an absolute target. Throws 400 for two Hosts, for none in HTTP/1.1, and for a target
 * with a fragment.
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
