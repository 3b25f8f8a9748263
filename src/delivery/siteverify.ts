import { Resolver } from 'node:dns/promises';
import { z } from 'zod';
import type { CaptchaProvider } from '../lib/captcha-fields.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import type { Cidr } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';
import { SIZES } from '../limits.ts';
import { fencedConnector } from './webhooks/fenced-connector.ts';
import type { OwnAddress } from './webhooks/own-address.ts';
import { createResolve } from './webhooks/resolve.ts';
import { Connections } from './webhooks/webhook-connections.ts';

/** The providers that are asked whether a token is genuine. */
type AskedProvider = Exclude<CaptchaProvider, 'altcha'>;

/** Where each is asked. */
export type SiteverifyUrls = Readonly<Record<AskedProvider, string>>;

/** As their documentation says. */
const SITEVERIFY_URLS: SiteverifyUrls = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
};

/** `misconfigured`: the provider does not know the secret. `unavailable`: it gave no answer that can be read, in time. */
type TokenState = 'genuine' | 'wrong' | 'reused' | 'misconfigured' | 'unavailable';

/** Asks a provider about a token; never rejects. */
export type AskProvider = (question: {
  provider: AskedProvider;
  deploymentId: string;
  token: string;
  secret: string;
  siteKey: string | undefined;
  ipAddress: string;
}) => Promise<TokenState>;

/** `close` waits for the requests that are running. */
export type Siteverify = { ask: AskProvider; close(): Promise<void> };

const Answer = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).optional(),
  score: z.number().optional(),
});

const REUSED = /duplicate|already-seen/;
const MISCONFIGURED = /secret|sitekey/;

function stateOf({ success, 'error-codes': codes = [], score }: z.infer<typeof Answer>): TokenState {
  if (success) return score === undefined || score >= SIZES.captcha.minScore ? 'genuine' : 'wrong';
  if (codes.some((code) => MISCONFIGURED.test(code))) return 'misconfigured';
  return codes.some((code) => REUSED.test(code)) ? 'reused' : 'wrong';
}

export function createSiteverify({
  limits: all,
  allowedNetworks,
  own,
  urls = SITEVERIFY_URLS,
}: {
  limits: Limits;
  /** Networks that may be reached although they are not public. */
  allowedNetworks: readonly Cidr[];
  own: OwnAddress;
  urls: SiteverifyUrls | undefined;
}): Siteverify {
  const limits = all.spam;
  const dns = new Resolver({
    timeout: limits.providerDnsTimeoutMs,
    maxTimeout: limits.providerDnsTimeoutMs,
    tries: all.delivery.dnsTries,
  });
  const connections = new Connections(fencedConnector(allowedNetworks, own, createResolve(dns, all), all), all);
  const queue = createFairQueue<string>({ slots: limits.providerRequests, maxWaiting: limits.providerWaiting });
  let asked = 0;

  async function post(url: URL, form: string, signal: AbortSignal): Promise<TokenState> {
    // A new one each time: when a reused one is cut off, the provider may have used the token up.
    const connection = connections.open(url.origin);
    try {
      const { statusCode, body } = await connection.client.request({
        path: url.pathname + url.search,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'formhost' },
        body: form,
        signal,
      });
      let text = '';
      for await (const chunk of body.setEncoding('utf8')) {
        text += chunk;
        if (text.length > limits.providerAnswerBytes) return 'unavailable';
      }
      // Some answer a wrong token with a 4xx, and its reason.
      return statusCode < 500 ? stateOf(Answer.parse(JSON.parse(text))) : 'unavailable';
    } finally {
      connections.drop(connection);
    }
  }

  return {
    async ask({ provider, deploymentId, token, secret, siteKey, ipAddress }) {
      const signal = AbortSignal.timeout(limits.providerTimeoutMs);
      const form = new URLSearchParams({ secret, response: token, remoteip: ipAddress });
      if (siteKey !== undefined && provider === 'hcaptcha') form.set('sitekey', siteKey);
      // The queue runs one task of a key at a time.
      asked = (asked + 1) % limits.providerRequestsOfDeployment;
      const { promise: tooLate, resolve } = Promise.withResolvers<TokenState>();
      signal.addEventListener('abort', () => resolve('unavailable'));
      const asking = queue
        .run(`${deploymentId} ${asked}`, limits.providerSlotTimeoutMs, () =>
          post(new URL(urls[provider]), form.toString(), signal),
        )
        // Nothing is logged: an error could have the address, and with it nothing that an operator can correct.
        .catch((): TokenState => 'unavailable');
      return Promise.race([asking, tooLate]);
    },
    async close() {
      queue.close();
      await connections.close();
      dns.cancel();
    },
  };
}
