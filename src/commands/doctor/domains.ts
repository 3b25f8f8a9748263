import { getDomain } from 'tldts';
import { type Finding, ok, skip, warn } from './finding.ts';

/**
 * Checks that the API is not under the registrable domain of the pages, by the Public Suffix List with its private part:
 * browsers let a page set cookies for all of that domain. Hosts without one, such as `forms` in a private network, are
 * skipped.
 */
export function checkDomains(pagesHost: string, apiHost: string): Finding {
  const registrable = (host: string): string | null => getDomain(host, { allowPrivateDomains: true });
  const page = `page.${pagesHost}`;
  const pages = registrable(page);
  if (pages === null || !pagesHost.includes('.')) return skip(`${pagesHost} is under no public suffix`);
  if (pages === page) return ok(`${pagesHost} is on the Public Suffix List: each page is a site of its own`);
  if (registrable(apiHost) !== pages) return ok(`the pages are under ${pages}, the API is not`);
  return warn(
    `the pages and the API are both under ${pages}: a page can set cookies for the API, and a warning about phishing is about both`,
    'give the pages a domain that nothing else uses',
  );
}
