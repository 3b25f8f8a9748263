import { setTimeout as delay } from 'node:timers/promises';
import type { Resolve } from '../../delivery/webhooks/resolve.ts';
import { isReachable } from '../../lib/public-address.ts';
import { COMMAND_LIMITS } from '../../limits.ts';
import { ask } from './ask.ts';
import { connectionProblem } from './connection.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks that the service answers at BASE_URL, and is ready. */
export async function checkReady(baseUrl: string, resolve: Resolve, signal: AbortSignal): Promise<Finding> {
  const url = `${baseUrl}/readyz`;
  try {
    const { status, body } = await ask(url, { resolve, signal });
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

/** Checks that a page is served at its address. `html`: the page, which is in the database. */
export async function checkPage(url: string, html: string, resolve: Resolve, signal: AbortSignal): Promise<Finding> {
  let isMissing = false;
  try {
    for (;;) {
      const { status, body } = await ask(url, { resolve, signal });
      if (status === 200 && body === html) return ok(`${url} shows the page that was made for this check`);
      // Another process serves a new page a moment later.
      if (status !== 404) {
        return fail(
          `${url} answers ${status}, but not with the page that was made for this check`,
          'configure the proxy to forward all hosts under PAGES_DOMAIN, each with its own Host header',
        );
      }
      isMissing = true;
      await delay(COMMAND_LIMITS.doctor.storedPollMs, undefined, { signal });
    }
  } catch (error) {
    const isLate = isMissing && signal.aborted;
    const saw = `${url} does not show the page that was made for this check`;
    if (!isLate) {
      const problem = connectionProblem(error, url);
      return fail(`${saw}: ${problem.saw}`, problem.mend);
    }
    return fail(
      `${saw} (404, although the page is in the database)`,
      'check that the proxy forwards all hosts under PAGES_DOMAIN with their Host header, and that the service runs with ' +
        'the same PAGES_DOMAIN and database as this command',
    );
  }
}

/** An address that no machine has, because it is reserved for documentation (RFC 5737). */
export const MADE_UP = '192.0.2.123';

/**
 * Assesses the address that the service stored (`seen`) for a request with the X-Forwarded-For MADE_UP, sent from
 * `local`.
 */
export function judgeAddress({
  seen,
  local,
  baseUrl,
  trustProxy,
}: {
  seen: string;
  local: string;
  baseUrl: string;
  trustProxy: number | readonly string[];
}): Finding {
  const trust = typeof trustProxy === 'number' ? String(trustProxy) : trustProxy.join(',');
  if (seen === MADE_UP) {
    return fail(
      `the service trusts any X-Forwarded-For (it stored the made-up ${MADE_UP} as the visitor's address)`,
      `set TRUST_PROXY (${trust}) to the number of proxies, or to their networks, and restart the service`,
    );
  }
  // The service speaks no TLS: with https there is a proxy.
  if (trust === '0' && baseUrl.startsWith('https:')) {
    return fail(
      `the service sees the address of its proxy (${seen}) for every visitor`,
      'set TRUST_PROXY to the number of proxies in front of it, usually 1, and restart it',
    );
  }
  if (seen === local) return ok(`the service saw this machine's own address, ${seen}, and not one that was made up`);
  if (isReachable(seen, []) && !isReachable(local, [])) {
    return ok(`the service saw ${seen}, which should be this network's public address, and not one that was made up`);
  }
  return warn(
    `the service saw ${seen}, and this request came from ${local}`,
    `if ${seen} is a proxy's, set TRUST_PROXY (${trust}) to the number of proxies; if a network in between changes addresses (NAT), nothing is wrong`,
  );
}

/**
 * Checks that the service sees visitors' own addresses: sends a submission with a made-up one, and reads what was
 * stored.
 */
export async function checkAddress(
  {
    baseUrl,
    trustProxy,
    probe,
    storedAddress,
  }: {
    baseUrl: string;
    trustProxy: number | readonly string[];
    /** The id of the deployment that receives the submission. */
    probe: string;
    storedAddress(): Promise<string | undefined>;
  },
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Finding> {
  const url = `${baseUrl}/submit/${probe}`;
  const headers = { 'X-Forwarded-For': MADE_UP, 'Content-Type': 'application/json' };
  try {
    const { status, localAddress } = await ask(url, { resolve, signal, method: 'POST', headers, body: '{}' });
    const seen = await storedAddress();
    if (seen !== undefined) return judgeAddress({ seen, local: localAddress, baseUrl, trustProxy });
    return fail(
      `a submission to ${url} was answered with ${status}, and is not in the database`,
      'check that the service uses the same database as this command, and that the proxy forwards POST',
    );
  } catch (error) {
    const { saw, mend } = connectionProblem(error, url);
    return fail(
      `a submission to ${url} failed: ${saw}`,
      `check that the proxy forwards POST to the service, or: ${mend}`,
    );
  }
}
