import { setTimeout as delay } from 'node:timers/promises';
import type { Resolve } from '../delivery/resolve.ts';
import { isReachable } from '../public-address.ts';
import { ask } from './ask.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const AGAIN_MS = 100;

/** That what answers at BASE_URL is the service, and ready. */
export async function checkReady(baseUrl: string, resolve: Resolve, signal: AbortSignal): Promise<Finding> {
  const url = `${baseUrl}/readyz`;
  try {
    const { status, body } = await ask(url, { resolve, signal });
    if (status === 200 && body.replaceAll(/\s/g, '') === '{"status":"ready"}') return ok(`${url} answers 200`);
    if (status === 503) {
      return fail(`${url} answers 503`, 'see in the log of the service, or of the proxy, what is not ready');
    }
    return fail(`${url} answers ${status}, and not as the service does`, 'have the proxy pass it on to HOST:PORT');
  } catch (error) {
    return fail(`${url} does not answer (${reasonOf(error)})`, 'start the service, and the proxy in front of it');
  }
}

/** That a page which is in this database is shown at its address: `html` is what is there. */
export async function checkPage(url: string, html: string, resolve: Resolve, signal: AbortSignal): Promise<Finding> {
  let isMissing = false;
  try {
    for (;;) {
      const { status, body } = await ask(url, { resolve, signal });
      if (status === 200 && body === html) return ok(`${url} shows the page that was made for this check`);
      // A process hears of a new page a moment later.
      if (status !== 404) {
        return fail(
          `${url} answers ${status}, and not with the page that was made for this check`,
          'have the proxy pass on all hosts under PAGES_DOMAIN, each with its own Host header',
        );
      }
      isMissing = true;
      await delay(AGAIN_MS, undefined, { signal });
    }
  } catch (error) {
    const reason = isMissing ? '404, although the page is in the database' : reasonOf(error);
    return fail(
      `${url} does not show the page that was made for this check (${reason})`,
      'see that the proxy passes on all hosts under PAGES_DOMAIN with their Host header, and that the service runs with ' +
        'the same PAGES_DOMAIN and database as this command',
    );
  }
}

/** For documentation only (RFC 5737), so that nobody has it. */
export const MADE_UP = '192.0.2.123';

/** Whom the service took a request of ours for, when its X-Forwarded-For said MADE_UP, and it came from `local`. */
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
      `the service believes any X-Forwarded-For (${MADE_UP}, made up, was taken for the visitor)`,
      `set TRUST_PROXY (${trust}) to the number of proxies that there are, or to their networks, and start the service anew`,
    );
  }
  // The service speaks no TLS: with https there is a proxy.
  if (trust === '0' && baseUrl.startsWith('https:')) {
    return fail(
      `the service takes its proxy (${seen}) for every visitor`,
      'set TRUST_PROXY to the number of proxies in front of it, 1 most often, and start it anew',
    );
  }
  if (seen === local) return ok(`the service saw this machine's own address, ${seen}, and not one that was made up`);
  if (isReachable(seen, []) && !isReachable(local, [])) {
    return ok(`the service saw ${seen}, which should be this network's public address, and not one that was made up`);
  }
  return warn(
    `the service saw ${seen}, and this request came from ${local}`,
    `if ${seen} is a proxy's, set TRUST_PROXY (${trust}) to the number of proxies; if the network changes addresses on the way, all is well`,
  );
}

/** That visitors are known by their own address: sends a submission with a made-up one, and looks at what was stored. */
export async function checkAddress(
  {
    baseUrl,
    trustProxy,
    probe,
    storedAddress,
  }: {
    baseUrl: string;
    trustProxy: number | readonly string[];
    /** The id of a deployment that takes it. */
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
      'see that the service runs with the same database as this command, and that the proxy passes POST on',
    );
  } catch (error) {
    return fail(
      `a submission to ${url} failed (${reasonOf(error)})`,
      'see that the proxy passes POST on to the service',
    );
  }
}
