import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import type { Resolve } from '../../delivery/webhooks/resolve.ts';
import { connectionProblem, isUnknownName } from './connection.ts';
import { type Finding, fail, ok, reasonOf, skip, warn } from './finding.ts';

/** The host of an origin or of PAGES_DOMAIN, without brackets and port. */
export const hostOf = (address: string): string =>
  new URL(address.includes('://') ? address : `http://${address}`).hostname.replace(/^\[|\]$/g, '');

async function addressesOf(resolve: Resolve, name: string): Promise<string[]> {
  return (await resolve(name)).map(({ address }) => address).toSorted();
}

/** Checks that BASE_URL's host has an address. */
export async function checkApiName(host: string, resolve: Resolve): Promise<Finding> {
  if (isIP(host) !== 0) return skip(`BASE_URL has an address, ${host}, and no name`);
  try {
    return ok(`${host} is ${(await addressesOf(resolve, host)).join(', ')}`);
  } catch (error) {
    const { saw, mend } = connectionProblem(error, `https://${host}`, 'name');
    return fail(saw, mend);
  }
}

/** Checks that every name under the pages' domain has an address, with two random names: one could exist by chance. */
export async function checkPageNames(pagesHost: string, apiHost: string, resolve: Resolve): Promise<Finding> {
  const names = [1, 2].map(() => `doctor-${randomBytes(6).toString('hex')}.${pagesHost}`);
  const wildcard = `*.${pagesHost}`;
  try {
    const [first = [], second = []] = await Promise.all(names.map((name) => addressesOf(resolve, name)));
    const api = isIP(apiHost) === 0 ? await addressesOf(resolve, apiHost).catch(() => []) : [apiHost];
    const lead = first.join(', ');
    const others = second.filter((address) => !first.includes(address));
    if (others.length === 0 && first.some((address) => api.includes(address))) {
      return ok(`${wildcard} is ${lead}, as ${apiHost} is`);
    }
    return warn(
      `${wildcard} is ${[...first, ...others].join(', ')}, and ${apiHost} is ${api.join(', ') || 'nowhere'}`,
      `point ${wildcard} to where ${apiHost} is, unless what is there (such as a CDN) passes requests on to this service`,
    );
  } catch (error) {
    return fail(
      `made-up names under ${pagesHost} do not resolve (${reasonOf(error)})`,
      isUnknownName(error)
        ? `add a wildcard record, ${wildcard}, that points to where ${apiHost} does`
        : connectionProblem(error, `https://${pagesHost}`, 'name').mend,
    );
  }
}

const WHY =
  'browsers let pages set cookies for all of it, and a phishing warning for one page is a warning for all of it';

/**
 * Checks that the API is not under the registrable domain of the pages, by the Public Suffix List with its private
 * part. Hosts without such a domain, such as `forms` in a private network, are skipped.
 */
export function checkDomains(pagesHost: string, apiHost: string): Finding {
  const registrable = (host: string): string | null => getDomain(host, { allowPrivateDomains: true });
  const page = `page.${pagesHost}`;
  const pages = registrable(page);
  const api = registrable(apiHost);
  if (pages === null || !pagesHost.includes('.')) return skip(`${pagesHost} is under no public suffix`);
  if (pages === page) return ok(`${pagesHost} is on the Public Suffix List: each page is a site of its own`);
  if (api === pages) {
    return warn(
      `the pages and the API are both under ${pages}: ${WHY}`,
      `give the pages a domain that nothing else uses, or have ${pagesHost} put on the Public Suffix List ` +
        '(https://publicsuffix.org/submit/)',
    );
  }
  return ok(`the pages are under ${pages}, the API is not`);
}
