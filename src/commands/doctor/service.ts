import { ask, connectionProblem, type Route } from './ask.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/*
 * Checks of the service from outside: BASE_URL, pages and certificates.
 */

/** Checks that the service answers at BASE_URL, and is ready. */
export async function checkReady(baseUrl: string, route: Route): Promise<Finding> {
  const url = `${baseUrl}/readyz`;
  try {
    const { status, body } = await ask(url, route);
    if (status === 200 && body.replaceAll(/\s/g, '') === '{"status":"ready"}') return ok(`${url} answers 200`);
    if (status === 503) {
      return fail(`${url} answers 503`, 'look in the log of the service, or of the proxy, for what is not ready');
    }
    return fail(
      `${url} answers ${status}, but not as the service does`,
      'configure the proxy to forward it to HOST:PORT',
    );
  } catch (error) {
    const { saw, mend } = connectionProblem(error, url);
    return fail(`${url} does not answer: ${saw}`, `start the service, and the proxy in front of it, or: ${mend}`);
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A certificate that ends within this time is a warning: renewal should have happened. */
const MIN_CERTIFICATE_DAYS = 14;

/** By the codes of OpenSSL and Node. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: "it is not valid yet by this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
};

/** Checks that browsers trust the certificate at a URL. `wanted`: the name that it has to be for. */
export async function checkCertificate(url: string, wanted: string, route: Route): Promise<Finding> {
  const answer = await ask(url, route).catch((error: unknown) => connectionProblem(error, url));
  if ('mend' in answer) return fail(answer.saw, answer.mend);
  if (!answer.certificate) return fail(`${url} is not https`, 'put a proxy with TLS in front of it');
  const { names, until, problem } = answer.certificate;
  const days = Math.floor((until.getTime() - Date.now()) / DAY_MS);
  const saw = `a certificate for ${names || 'no name'}, until ${until.toISOString().slice(0, 10)} (${days} days)`;
  if (problem !== undefined) {
    return fail(
      `${saw}, which is not valid: ${CERTIFICATE_PROBLEMS[problem] ?? `its authority is not known, or its chain is not complete (${problem})`}`,
      `let the proxy serve a certificate for ${wanted} with its whole chain (fullchain.pem), from an authority that browsers know; ` +
        'for one of your own set NODE_EXTRA_CA_CERTS',
    );
  }
  return days < MIN_CERTIFICATE_DAYS ? warn(saw, 'check why it has not been renewed') : ok(saw);
}

/** Checks that a page is shown at its address. */
export async function checkPage(url: string, route: Route): Promise<Finding> {
  try {
    const { status, headers } = await ask(url, route);
    // Every page of the service has this header.
    if (status === 200 && headers['origin-agent-cluster'] === '?1') return ok(`${url} shows its page`);
    return fail(
      `${url} does not show its page, but answers ${status}`,
      'configure the proxy to forward all hosts under PAGES_DOMAIN, each with its own Host header, and check that the service ' +
        'runs with the same PAGES_DOMAIN and database as this command',
    );
  } catch (error) {
    const { saw, mend } = connectionProblem(error, url);
    return fail(`${url} does not show its page: ${saw}`, mend);
  }
}
