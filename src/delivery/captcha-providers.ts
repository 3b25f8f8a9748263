import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { AskedProvider, TokenQuestion, TokenState } from '../forms/captcha-fields.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { type Fence, FencedAgent } from './webhooks/fenced-agent.ts';

/** A longer answer can't be read. */
const MAX_ANSWER_CHARS = 16 * 1024;
/** reCAPTCHA 3 says how likely it is a person; its documentation recommends this bound. */
const MIN_SCORE = 0.5;

/** Where each is asked. */
export type SiteverifyUrls = Readonly<Record<AskedProvider, string>>;

/** The addresses are from the documentation of the providers. */
const SITEVERIFY_URLS: SiteverifyUrls = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
};

const Answer = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).optional(),
  score: z.number().optional(),
});

const REUSED = /duplicate|already-seen/;
const MISCONFIGURED = /secret|sitekey/;

function stateOf({ success, 'error-codes': codes = [], score }: z.infer<typeof Answer>): TokenState {
  if (success) return score === undefined || score >= MIN_SCORE ? 'genuine' : 'wrong';
  if (codes.some((code) => MISCONFIGURED.test(code))) return 'misconfigured';
  return codes.some((code) => REUSED.test(code)) ? 'reused' : 'wrong';
}

/** Asks providers of captchas about tokens. */
export class CaptchaProviders {
  readonly #urls: SiteverifyUrls;
  readonly #limits: Limits['spam'];
  readonly #agent: FencedAgent;
  readonly #queue;

  constructor({
    limits,
    urls = SITEVERIFY_URLS,
    ...fence
  }: Fence & { limits: Limits; urls: SiteverifyUrls | undefined }) {
    this.#urls = urls;
    this.#limits = limits.spam;
    this.#agent = new FencedAgent({ ...fence, limits, dnsTimeoutMs: limits.spam.providerDnsTimeoutMs });
    // The questions of a deployment are a part of all.
    this.#queue = new FairQueue<string>({ slots: 16, slotsOfKey: 4, maxWaiting: 500 });
  }

  /** Settles within `providerTimeoutMs`; never rejects. */
  ask({ provider, deploymentId, token, secret, siteKey, ipAddress }: TokenQuestion): Promise<TokenState> {
    const signal = AbortSignal.timeout(this.#limits.providerTimeoutMs);
    const form = new URLSearchParams({ secret, response: token, remoteip: ipAddress });
    if (siteKey !== undefined && provider === 'hcaptcha') form.set('sitekey', siteKey);
    return (
      this.#queue
        .run(deploymentId, this.#limits.providerSlotTimeoutMs, () =>
          this.#post(new URL(this.#urls[provider]), form, signal),
        )
        // Nothing is logged: an error could have the address, and with it nothing that an operator can correct.
        .catch(() => 'unavailable')
    );
  }

  /** Refuses the questions that wait, and closes all connections. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#agent.close();
  }

  #post(url: URL, form: URLSearchParams, signal: AbortSignal): Promise<TokenState> {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'formhost',
      // When a connection that is used again is cut off, the provider may have used the token up.
      connection: 'close',
    };
    return this.#agent.request({ url, headers, body: form.toString(), signal }, readState);
  }
}

async function readState(response: IncomingMessage): Promise<TokenState> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_ANSWER_CHARS) return 'unavailable';
  }
  // Some answer a wrong token with a 4xx, and its reason.
  const { statusCode = 500 } = response;
  return statusCode < 500 ? stateOf(Answer.parse(JSON.parse(text))) : 'unavailable';
}
