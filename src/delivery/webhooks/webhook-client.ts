import type { IncomingMessage } from 'node:http';
import type { Header } from '../../db/deliveries/webhook-queries.ts';
import type { Limits } from '../../limits.ts';
import { FAILURES, failure } from '../../problems/delivery-failures.ts';
import { SIZES } from '../../sizes.ts';
import { signedHeaders } from '../../webhooks/signed-message.ts';
import type { Attempt } from '../attempt.ts';
import { AnswerHead, secondsIn } from './answer-head.ts';
import { reasonFor } from './failure-reasons.ts';
import { type Fence, FencedAgent } from './fenced-agent.ts';
import type { Resolve } from './resolve.ts';

type Message = {
  id: string;
  url: string;
  secrets: readonly string[];
  /** The headers of the webhook's owner. */
  ownHeaders?: readonly Header[];
  /** The headers in addition to those that every message has. */
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
  async send({ id, url, secrets, ownHeaders = [], headers, body }: Message, signal: AbortSignal): Promise<Attempt> {
    const target = URL.parse(url);
    if (!target || !/^https?:$/.test(target.protocol)) return { error: FAILURES['invalid-url'] };
    if (this.#own.isIn(target)) return { error: FAILURES['leads-here'] };
    const head = new AnswerHead(ownHeaders);
    let answer: Attempt = {};
    try {
      const sent = {
        ...Object.fromEntries(ownHeaders),
        ...signedHeaders({ id, body }, secrets),
        ...headers,
      };
      // The platform would write the headers before a text in the encoding of the text: values of Latin-1 would change.
      const content = ownHeaders.length > 0 ? Buffer.from(body) : body;
      await this.#agent.request({ url: target, headers: sent, body: content, signal }, (response) => {
        answer = answerOf(response, target);
        return readToEnd(response, head, signal);
      });
      return withText(answer, head);
    } catch (error) {
      // An error status that was received comes before the reason: it tells the owner more.
      return { error: signal.aborted ? FAILURES['receiver-slow'] : reasonFor(error), ...withText(answer, head) };
    }
  }

  /** Closes all connections, also those in use. */
  close(): Promise<void> {
    return this.#agent.close();
  }
}

function answerOf({ statusCode: status = 0, headers, headersDistinct }: IncomingMessage, target: URL): Attempt {
  if ((status >= 200 && status < 300) || isScriptThatRan(status, target, headers.location)) return { status };
  const [retryAfter, ...others] = headersDistinct['retry-after'] ?? [];
  const seconds = retryAfter !== undefined && others.length === 0 ? secondsOf(retryAfter) : undefined;
  return {
    status,
    error: failure('receiver-status', { status }),
    ...(seconds !== undefined && { retryAfter: seconds }),
  };
}

/** Google Apps Script runs a script, and then leads to its output. Another 302 of it leads to a form that signs in. */
const SCRIPT_HOST = 'script.google.com';
const SCRIPT_OUTPUT = 'https://script.googleusercontent.com';

const isScriptThatRan = (status: number, { protocol, hostname }: URL, location = ''): boolean =>
  status === 302 && protocol === 'https:' && hostname === SCRIPT_HOST && URL.parse(location)?.origin === SCRIPT_OUTPUT;

/** A date as asctime() of C writes it: without its time zone, which is GMT (RFC 9110, 5.6.7). */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The value of Retry-After in seconds: a number, or a date (RFC 9110, 10.2.3). */
export function secondsOf(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = ASCTIME.test(retryAfter) ? `${retryAfter} GMT` : retryAfter;
  const time = date.endsWith(' GMT') ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - Date.now()) / 1_000));
}

/** Returns the attempt with what was read of the answer. A receiver may name the seconds to wait in a text alone. */
function withText(answer: Attempt, head: AnswerHead): Attempt {
  const response = answer.status === undefined ? undefined : head.text();
  if (response === undefined) return answer;
  const retryAfter = answer.retryAfter ?? (answer.status === TOO_MANY ? secondsIn(response) : undefined);
  return { ...answer, response, ...(retryAfter !== undefined && { retryAfter }) };
}

const TOO_MANY = 429;

/** Reads the body to its end. Afterwards the connection can be used again. A long one is not read to its end, and its connection is closed. */
async function readToEnd(response: IncomingMessage, head: AnswerHead, signal: AbortSignal): Promise<void> {
  head.begin(response.headers);
  let bytes = 0;
  try {
    for await (const chunk of response) {
      head.add(chunk);
      bytes += chunk.length;
      if (bytes > SIZES.webhook.maxAnswerBytes) return;
    }
  } catch (error) {
    // A body without a length ends with its connection, and a reset is an end as well.
    if (signal.aborted || LENGTH_HEADERS.some((name) => name in response.headers)) throw error;
  }
}

const LENGTH_HEADERS = ['content-length', 'transfer-encoding'];
