import { Resolver } from 'node:dns/promises';
import type { Dispatcher } from 'undici';
import { DELIVERY_HEADER } from '../../lib/delivery-header.ts';
import type { Cidr } from '../../lib/public-address.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { CUT_OFF, INVALID_URL, LEADS_HERE, reasonFor, TIMED_OUT } from '../failure-reasons.ts';
import { fencedConnector } from './fenced-connector.ts';
import type { OwnAddress } from './own-address.ts';
import { createResolve, type Resolve } from './resolve.ts';
import { secondsOf } from './retry-after.ts';
import { sign } from './signature.ts';
import { type Connection, Connections } from './webhook-connections.ts';

export type Attempt = {
  /** The HTTP status, if one came. */
  status?: number;
  /** The reason why it failed, as the owner reads it; absent when it succeeded. */
  error?: string;
  /** The seconds that Retry-After asks for: 0 or more, without a limit. */
  retryAfter?: number;
  /** Whether another attempt would fail as well: there is none. */
  isFinal?: boolean;
  /** Whether a mail server has refused the recipient, or the mail, for good. */
  isRefused?: boolean;
};

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
  readonly #own: OwnAddress;
  readonly #dns: Resolver;
  readonly #connections: Connections;

  constructor({
    limits,
    allowedNetworks,
    own,
    resolve,
  }: {
    limits: Limits;
    /** Networks that webhooks may reach although they are not public. */
    allowedNetworks: readonly Cidr[];
    own: OwnAddress;
    resolve?: Resolve;
  }) {
    const { dnsTimeoutMs, dnsTries } = limits.delivery;
    this.#own = own;
    this.#dns = new Resolver({ timeout: dnsTimeoutMs, maxTimeout: dnsTimeoutMs, tries: dnsTries });
    const connect = fencedConnector(allowedNetworks, own, resolve ?? createResolve(this.#dns, limits), limits);
    this.#connections = new Connections(connect, limits);
  }

  /**
   * Posts a message once. Never rejects. `signal` is the deadline of the whole attempt, including the look-up of the name:
   * when it fires, the connection is closed and the attempt has failed. When a reused connection is closed instead of an
   * answer, the message is sent again on a new one, so a receiver may get it twice.
   */
  async send({ id, url, secrets, headers, body }: Message, signal: AbortSignal): Promise<Attempt> {
    const target = URL.parse(url);
    if (!target || !/^https?:$/.test(target.protocol)) return { error: INVALID_URL };
    if (this.#own.isIn(target)) return { error: LEADS_HERE };
    if (signal.aborted) return { error: TIMED_OUT };
    const timestamp = Math.floor(Date.now() / 1000);
    const exchange = new Exchange(this.#connections, signal, target.origin, {
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
    });
    return exchange.run();
  }

  /** Waits for the running attempts. */
  async close(): Promise<void> {
    await this.#connections.close();
    this.#dns.cancel();
  }
}

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #connections: Connections;
  readonly #signal: AbortSignal;
  readonly #origin: string;
  readonly #request: Dispatcher.DispatchOptions;
  readonly #ended = Promise.withResolvers<Attempt>();
  #connection: Connection;
  #answer: Attempt = {};
  #bodyBytes = 0;

  constructor(connections: Connections, signal: AbortSignal, origin: string, request: Dispatcher.DispatchOptions) {
    this.#connections = connections;
    this.#signal = signal;
    this.#origin = origin;
    this.#request = request;
    this.#connection = connections.reuseOrOpen(origin);
  }

  run(): Promise<Attempt> {
    this.#signal.addEventListener('abort', this.#expire);
    this.#connection.client.dispatch(this.#request, this);
    return this.#ended.promise;
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status >= 200) this.#answer = answerOf(status, headers['retry-after']);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes <= SIZES.webhook.maxAnswerBytes) return;
    this.#end(this.#answer);
    this.#connections.drop(this.#connection);
  }

  onResponseEnd(): void {
    // undici treats a body without a length as complete when a reset ends it.
    if (this.#connection.socket?.errored) this.#fail(CUT_OFF);
    else {
      this.#end(this.#answer);
      this.#connections.release(this.#connection);
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    const reason = reasonFor(error, this.#connection.socket);
    const isStale = reason === CUT_OFF && this.#connection.isReused && this.#answer.status === undefined;
    if (isStale && !this.#signal.aborted) this.#sendAgain();
    else this.#fail(reason);
  }

  /** The receiver closed an idle connection just as it was reused, which is no answer to this request. */
  #sendAgain(): void {
    this.#connections.drop(this.#connection);
    this.#connection = this.#connections.open(this.#origin);
    this.#connection.client.dispatch(this.#request, this);
  }

  readonly #expire = (): void => this.#fail(TIMED_OUT);

  /** An error status that was received comes before the reason: it tells the owner more. */
  #fail(reason: string): void {
    this.#end({ error: reason, ...this.#answer });
    this.#connections.drop(this.#connection);
  }

  #end(attempt: Attempt): void {
    this.#signal.removeEventListener('abort', this.#expire);
    this.#ended.resolve(attempt);
  }
}

function answerOf(status: number, retryAfter: string | string[] | undefined): Attempt {
  if (status < 300) return { status };
  const seconds = typeof retryAfter === 'string' ? secondsOf(retryAfter) : undefined;
  return { status, error: `the receiver answered ${status}`, ...(seconds !== undefined && { retryAfter: seconds }) };
}
