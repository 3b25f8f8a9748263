import type { Dispatcher } from 'undici';
import { DELIVERY_HEADER } from '../../lib/delivery-header.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import type { Attempt } from '../attempt.ts';
import { INVALID_URL, LEADS_HERE, reasonFor, TIMED_OUT } from './failure-reasons.ts';
import { type Fence, FencedAgent } from './fenced-agent.ts';
import type { Resolve } from './resolve.ts';
import { sign } from './signature.ts';

type Message = {
  id: string;
  url: string;
  secrets: readonly string[];
  /** In addition to those that every message has. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
};

/** Posts messages to webhooks (Standard Webhooks 1.0). */
export class WebhookClient {
  readonly #own: Fence['own'];
  readonly #agent: FencedAgent;

  constructor(options: Fence & { limits: Limits; resolve?: Resolve }) {
    this.#own = options.own;
    this.#agent = new FencedAgent({ ...options, dnsTimeoutMs: options.limits.delivery.dnsTimeoutMs });
  }

  /**
   * Posts a message once. Never rejects. `signal` is the deadline of the whole attempt, including the look-up of the name:
   * when it fires, the attempt has failed.
   */
  async send({ id, url, secrets, headers, body }: Message, signal: AbortSignal): Promise<Attempt> {
    const target = URL.parse(url);
    if (!target || !/^https?:$/.test(target.protocol)) return { error: INVALID_URL };
    if (this.#own.isIn(target)) return { error: LEADS_HERE };
    const timestamp = Math.floor(Date.now() / 1000);
    let answer: Attempt = {};
    try {
      const response = await this.#agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'formhost',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': sign({ id, timestamp, body }, secrets),
          [DELIVERY_HEADER]: id,
          ...headers,
        },
        body,
        signal,
      });
      answer = answerOf(response);
      await readToEnd(response.body);
      return answer;
    } catch (error) {
      // An error status that was received comes before the reason: it tells the owner more.
      return { error: signal.aborted ? TIMED_OUT : reasonFor(error), ...answer };
    }
  }

  /** Closes all connections, also those in use. */
  close(): Promise<void> {
    return this.#agent.close();
  }
}

function answerOf({ statusCode: status, headers: { 'retry-after': retryAfter } }: Dispatcher.ResponseData): Attempt {
  if (status < 300) return { status };
  const seconds = typeof retryAfter === 'string' ? secondsOf(retryAfter) : undefined;
  return { status, error: `the receiver answered ${status}`, ...(seconds !== undefined && { retryAfter: seconds }) };
}

/** A date as asctime() of C writes it: without its time zone, which is GMT (RFC 9110, 5.6.7). */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The value of Retry-After in seconds: a number, or a date (RFC 9110, 10.2.3). */
export function secondsOf(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = ASCTIME.test(retryAfter) ? `${retryAfter} GMT` : retryAfter;
  const time = date.endsWith(' GMT') ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - Date.now()) / 1_000));
}

/** Afterwards the connection can be used again. A long body is not read to its end, and its connection is closed. */
async function readToEnd(body: Dispatcher.ResponseData['body']): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > SIZES.webhook.maxAnswerBytes) return;
  }
}
