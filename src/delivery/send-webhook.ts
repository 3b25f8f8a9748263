import { Resolver } from 'node:dns/promises';
import type { Dispatcher } from 'undici';
import { DELIVERY_HEADER } from '../delivery-header.ts';
import { type Limits, SIZES } from '../limits.ts';
import type { Cidr } from '../public-address.ts';
import { CUT_OFF, INVALID_URL, LEADS_HERE, reasonFor, TIMED_OUT } from './failure-reasons.ts';
import { fencedConnector } from './fenced-connector.ts';
import type { OwnAddress } from './own-address.ts';
import { createResolve, type Resolve } from './resolve.ts';
import { secondsOf } from './retry-after.ts';
import { sign } from './signature.ts';
import { type Connection, createConnections } from './webhook-connections.ts';

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

/**
 * Posts a message to a webhook once (Standard Webhooks 1.0); `body` is JSON. Never rejects. `signal` is the deadline of
 * the whole attempt, including the look-up of the name: when it fires, the connection is closed and the attempt has
 * failed. When a reused connection is closed instead of an answer, the message is sent again on a new one, so a
 * receiver may get it twice.
 */
type SendWebhook = (message: Message, signal: AbortSignal) => Promise<Attempt>;

type Message = {
  id: string;
  url: string;
  secrets: readonly string[];
  /** In addition to those that every message has. */
  headers: Readonly<Record<string, string>>;
  body: string;
};

export function createSendWebhook({
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
}): { send: SendWebhook; close(): Promise<void> } {
  const dns = new Resolver({
    timeout: limits.delivery.dnsTimeoutMs,
    maxTimeout: limits.delivery.dnsTimeoutMs,
    tries: limits.delivery.dnsTries,
  });
  const connections = createConnections(
    fencedConnector(allowedNetworks, own, resolve ?? createResolve(dns, limits), limits),
    limits,
  );

  const send: SendWebhook = ({ id, url, secrets, headers, body }, signal) =>
    new Promise((settle) => {
      const target = URL.parse(url);
      if (!target || !/^https?:$/.test(target.protocol)) return settle({ error: INVALID_URL });
      if (own.isIn(target)) return settle({ error: LEADS_HERE });
      if (signal.aborted) return settle({ error: TIMED_OUT });

      const timestamp = Math.floor(Date.now() / 1000);
      let connection = connections.reuseOrOpen(target.origin);
      let answer: Attempt = {};
      let bodyBytes = 0;

      const finish = (attempt: Attempt, dispose: (connection: Connection) => void): void => {
        signal.removeEventListener('abort', expire);
        settle(attempt);
        dispose(connection);
      };
      // An error status that was received comes before the reason: it tells the owner more.
      const fail = (reason: string): void => finish({ error: reason, ...answer }, connections.drop);
      const expire = (): void => fail(TIMED_OUT);
      signal.addEventListener('abort', expire);

      const request: Dispatcher.DispatchOptions = {
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
      };
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, status, headers) {
          if (status >= 200) answer = answerOf(status, headers['retry-after']);
        },
        onResponseData(_controller, chunk) {
          bodyBytes += chunk.length;
          if (bodyBytes > SIZES.webhook.maxAnswerBytes) finish(answer, connections.drop);
        },
        onResponseEnd() {
          // undici treats a body without a length as complete when a reset ends it.
          if (connection.socket?.errored) fail(CUT_OFF);
          else finish(answer, connections.release);
        },
        onResponseError(_controller, error) {
          const reason = reasonFor(error, connection.socket);
          const isStale = reason === CUT_OFF && connection.isReused && answer.status === undefined;
          if (!isStale || signal.aborted) return fail(reason);
          // The receiver closed an idle connection just as it was reused, which is no answer to this request.
          connections.drop(connection);
          connection = connections.open(target.origin);
          connection.client.dispatch(request, handler);
        },
      };
      connection.client.dispatch(request, handler);
    });

  return {
    send,
    /** Waits for the running attempts. */
    async close() {
      await connections.close();
      dns.cancel();
    },
  };
}

function answerOf(status: number, retryAfter: string | string[] | undefined): Attempt {
  if (status < 300) return { status };
  const seconds = typeof retryAfter === 'string' ? secondsOf(retryAfter) : undefined;
  return { status, error: `the receiver answered ${status}`, ...(seconds !== undefined && { retryAfter: seconds }) };
}
