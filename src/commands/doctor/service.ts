import { setTimeout as delay } from 'node:timers/promises';
import type { Resolve } from '../../delivery/webhooks/resolve.ts';
import { isReachable } from '../../lib/public-address.ts';
import { COMMAND_LIMITS } from '../../limits.ts';
import { ask, connectionProblem } from './ask.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/*
 * Checks of the service from outside: BASE_URL, pages, certificates, and the addresses of visitors.
 */

/** How a request is sent, and for how long an answer is waited for. */
export type Route = { resolve: Resolve; signal: AbortSignal };

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
  return days < COMMAND_LIMITS.doctor.certificateDays ? warn(saw, 'check why it has not been renewed') : ok(saw);
}

/** Checks that a page is served at its address. `html`: the page, which is in the database. */
export async function checkPage(url: string, html: string, route: Route): Promise<Finding> {
  const saw = `${url} does not show the page that was made for this check`;
  const mend =
    'configure the proxy to forward all hosts under PAGES_DOMAIN, each with its own Host header, and check that the service runs ' +
    'with the same PAGES_DOMAIN and database as this command';
  let isMissing = false;
  try {
    for (;;) {
      const { status, body } = await ask(url, route);
      if (status === 200 && body === html) return ok(`${url} shows the page that was made for this check`);
      if (status !== 404) return fail(`${saw}, but answers ${status}`, mend);
      isMissing = true;
      // Another process serves a new page a moment later.
      await delay(COMMAND_LIMITS.doctor.storedPollMs, undefined, { signal: route.signal });
    }
  } catch (error) {
    if (isMissing) return fail(`${saw} (404, although the page is in the database)`, mend);
    const problem = connectionProblem(error, url);
    return fail(`${saw}: ${problem.saw}`, problem.mend);
  }
}

/** An address that no machine has, because it is reserved for documentation (RFC 5737). */
const MADE_UP = '192.0.2.123';

export type Visit = {
  baseUrl: string;
  /** TRUST_PROXY. */
  trust: string;
  /** The id of the deployment that receives the submission. */
  probe: string;
  storedAddress(): Promise<string | undefined>;
};

/** Checks that the service sees visitors' own addresses: sends a submission with a made-up one, and reads what was stored. */
export async function checkVisitors({ baseUrl, trust, probe, storedAddress }: Visit, route: Route): Promise<Finding> {
  const url = `${baseUrl}/submit/${probe}`;
  const headers = { 'X-Forwarded-For': MADE_UP, 'Content-Type': 'application/json' };
  const answer = await ask(url, { ...route, method: 'POST', headers, body: '{}' }).catch((error: unknown) =>
    connectionProblem(error, url),
  );
  if ('mend' in answer) return fail(`a submission to ${url} failed: ${answer.saw}`, answer.mend);
  const seen = await storedAddress();
  if (seen === undefined) {
    return fail(
      `a submission to ${url} was answered with ${answer.status}, and is not in the database`,
      'check that the service uses the same database as this command, and that the proxy forwards POST',
    );
  }
  const mend = `set TRUST_PROXY (${trust}) to the number of proxies in front of the service, usually 1, and restart it`;
  if (seen === MADE_UP) return fail(`the service trusts any X-Forwarded-For (it stored the made-up ${seen})`, mend);
  // The service speaks no TLS: with https there is a proxy.
  if (trust === '0' && baseUrl.startsWith('https:')) {
    return fail(`the service sees the address of its proxy (${seen}) for every visitor`, mend);
  }
  const { localAddress } = answer;
  if (seen === localAddress || (isReachable(seen, []) && !isReachable(localAddress, []))) {
    return ok(`the service saw the visitor's own address, ${seen}, and not one that was made up`);
  }
  return warn(
    `the service saw ${seen}, and this request came from ${localAddress}`,
    `if ${seen} is a proxy's, ${mend}; if a network in between changes addresses (NAT), nothing is wrong`,
  );
}
