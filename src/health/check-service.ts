import { getDomain } from 'tldts';
import { type Config, isLocalHost } from '../config.ts';
import { countEndingDomains, listEndingDomains } from '../db/domains/ending-domain-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { type Answer, ask, connectionProblem, type Route } from './ask.ts';
import { type Finding, fail, ok, skip, warn } from './finding.ts';

/*
 * Checks of the service from outside: its names, BASE_URL and a page, with their certificates.
 */

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A certificate that ends within this time is a warning: renewal should have happened. */
const MIN_CERTIFICATE_DAYS = 14;

/** The problems by the codes of OpenSSL and Node. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: "it is not valid yet by this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
};

/** `isRight` returns whether an answer comes from this service. `mend` is the advice if it does not. */
type Expected = { isRight(answer: Answer): boolean; mend: string };

export const READY: Expected = {
  isRight: ({ status, body }) => status === 200 && body.replaceAll(/\s/g, '') === '{"status":"ready"}',
  mend: 'configure the proxy to forward it to HOST:PORT; after a 503, look in the log of the service for what is not ready',
};

export const PAGE: Expected = {
  // Every page of the service has this header.
  isRight: ({ status, headers }) => status === 200 && headers['origin-agent-cluster'] === '?1',
  mend:
    'configure the proxy to forward all hosts under PAGES_DOMAIN, each with its own Host header, and check that the service ' +
    'runs with the same PAGES_DOMAIN and database as this command',
};

/** Checks that the service answers at a URL, with a certificate that browsers trust. */
export async function checkAddress(url: string, { isRight, mend }: Expected, route: Route): Promise<Finding> {
  const answer = await ask(url, route).catch((error: unknown) => connectionProblem(error, url));
  if ('mend' in answer) return fail(`${url} does not answer: ${answer.saw}`, answer.mend);
  const { hostname } = new URL(url);
  const { names, until, problem } = answer.certificate ?? {};
  const days = until && Math.floor((until.getTime() - Date.now()) / DAY_MS);
  const certificate = `a certificate for ${names || 'no name'}, until ${until?.toISOString().slice(0, 10)} (${days} days)`;
  if (problem !== undefined) {
    return fail(
      `${url} has ${certificate}, which is not valid: ${CERTIFICATE_PROBLEMS[problem] ?? `its authority is not known, or its chain is not complete (${problem})`}`,
      `let the proxy serve a certificate for ${hostname} (for pages: a wildcard) with its whole chain (fullchain.pem), from an ` +
        'authority that browsers know; for one of your own set NODE_EXTRA_CA_CERTS',
    );
  }
  if (!isRight(answer)) return fail(`${url} answers ${answer.status}, but not as the service does`, mend);
  if (days === undefined) {
    if (isLocalHost(hostname)) return ok(`${url} answers as it should`);
    return warn(`${url} is http: others on the way can read requests`, 'put a proxy with TLS in front of it');
  }
  const saw = `${url} answers as it should, with ${certificate}`;
  return days < MIN_CERTIFICATE_DAYS ? warn(saw, 'check why the certificate has not been renewed') : ok(saw);
}

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

/** Domains that a message names. */
const MAX_NAMED_DOMAINS = 5;

/** Checks whether custom domains are about to end, because their proof has gone from DNS. */
export async function checkCustomDomains(db: Database | undefined): Promise<Finding> {
  if (!db) return skip('the database cannot be used');
  const count = await countEndingDomains(db);
  if (count === 0) return ok('no custom domain is about to end');
  const names = (await listEndingDomains(db, MAX_NAMED_DOMAINS)).join(', ');
  return warn(
    `${count} custom ${count === 1 ? 'domain is' : 'domains are'} about to end, without a proof in DNS: ${names}${count > MAX_NAMED_DOMAINS ? ', …' : ''}`,
    'tell the owners, who got a mail, to add the TXT record again that *Address* in the dashboard shows',
  );
}

/** Checks that a service that others reach knows the proxy in front of it. */
export function checkProxy({ baseUrl, trustProxy }: Pick<Config, 'baseUrl' | 'trustProxy'>): Finding {
  if (isLocalHost(new URL(baseUrl).hostname)) return skip('BASE_URL is local');
  if (trustProxy !== 0) return ok('TRUST_PROXY names the proxies');
  return warn(
    'TRUST_PROXY is 0, and BASE_URL is not local: behind a proxy, all visitors have its address, and share its limits',
    'set TRUST_PROXY to the number of proxies, or to their networks',
  );
}
