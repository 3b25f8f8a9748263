import { Resolver } from 'node:dns/promises';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';
import { type Cidr, isReachable } from '../public-address.ts';
import { createResolve, type Resolve } from './resolve.ts';
import { sign } from './signature.ts';

export type Attempt = {
  /** The HTTP status, if one came. */
  status?: number;
  /** Why it failed, in a few plain words fit for the owner; absent when it succeeded. */
  error?: string;
  /** The seconds that Retry-After asks for, however many, at least 0. */
  retryAfter?: number;
};

/**
 * Posts a message to a webhook once (Standard Webhooks 1.0), `body` being JSON. Never rejects. `signal` is the deadline
 * of the whole attempt, looking up the name included: when it fires, the connection is let go and the attempt has failed.
 * A kept connection that ends in place of an answer is replaced once, so a receiver may get the message twice.
 */
export type SendWebhook = (
  message: { id: string; url: string; secrets: readonly string[]; body: string },
  signal: AbortSignal,
) => Promise<Attempt>;

const MOST_HEADER_BYTES = 16 * 1024;
const MOST_BODY_BYTES = 64 * 1024;
const MOST_IDLE_MS = 10_000;
/** Connections that are kept for later, to all receivers together. */
const MOST_IDLE = 512;
// A far receiver may take so long to take a connection; one that never does, as IPv6 often, costs no more than this.
const NEXT_ADDRESS_MS = 1_000;
const DNS = { timeout: 2_000, tries: 2, maxTimeout: 2_000 };

const TIMED_OUT = 'no whole answer within the time-out';
const CUT_OFF = 'the connection was closed before the answer was whole';
const INVALID_URL = 'the URL is not valid';
const FENCED_OFF = 'the address is not one that webhooks may reach';
const UNRESOLVED = 'the name could not be resolved';
const NOT_HTTP = 'the answer is not HTTP';
const UNKNOWN = 'the attempt failed';
const REASONS: readonly [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$|ETIMEDOUT$)/, 'the receiver could not be reached'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, CUT_OFF],
  // An answer that undici has no use for: 100 (Continue), 101.
  [/^UND_ERR_SOCKET$/, NOT_HTTP],
  [/^UND_ERR_HEADERS_OVERFLOW$/, `the answer has more than ${MOST_HEADER_BYTES} bytes of headers`],
  [/^(?:ERR_SSL_|EPROTO$)/, 'no secure connection could be made'],
  [/CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/, 'the certificate is not valid'],
];

/** An error whose message is fit for the owner. */
class PlainError extends Error {}

export function createSendWebhook({
  allowedNetworks,
  resolve,
}: {
  /** Networks that webhooks may reach although they are not public. */
  allowedNetworks: readonly Cidr[];
  resolve?: Resolve;
}): { send: SendWebhook; close(): Promise<void> } {
  const dns = new Resolver(DNS);
  const connections = createConnections(fencedConnector(allowedNetworks, resolve ?? createResolve(dns)));

  const send: SendWebhook = ({ id, url, secrets, body }, signal) =>
    new Promise((settle) => {
      const target = URL.parse(url);
      if (!target || !/^https?:$/.test(target.protocol)) return settle({ error: INVALID_URL });
      if (signal.aborted) return settle({ error: TIMED_OUT });

      const timestamp = Math.floor(Date.now() / 1000);
      let connection = connections.take(target.origin);
      let answer: Attempt = {};
      let bodyBytes = 0;

      const finish = (attempt: Attempt, leave: (connection: Connection) => void): void => {
        signal.removeEventListener('abort', expire);
        settle(attempt);
        leave(connection);
      };
      // Where the status is a failure in itself, that is what the owner needs to know.
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
          if (bodyBytes > MOST_BODY_BYTES) finish(answer, connections.drop);
        },
        onResponseEnd() {
          // A body without a length that a reset ends passes for whole.
          if (connection.socket?.errored) fail(CUT_OFF);
          else finish(answer, connections.release);
        },
        onResponseError(_controller, error) {
          const reason = reasonFor(error, connection.socket);
          const isStale = reason === CUT_OFF && connection.isKept && answer.status === undefined;
          if (!isStale || signal.aborted) return fail(reason);
          // The receiver closed a kept connection just as it was used again: that says nothing about this request.
          connections.drop(connection);
          connection = connections.open(target.origin);
          connection.client.dispatch(request, handler);
        },
      };
      connection.client.dispatch(request, handler);
    });

  return {
    send,
    /** Waits for the attempts under way. */
    async close() {
      await connections.close();
      dns.cancel();
    },
  };
}

/** One connection to an origin, which carries one attempt at a time. */
type Connection = {
  origin: string;
  client: Client;
  socket: Socket | undefined;
  /** Aborted when it is dropped: ends its socket, at whatever stage. */
  life: AbortController;
  /** Whether it has carried an attempt before. */
  isKept: boolean;
};
type Connect = (options: buildConnector.Options, signal: AbortSignal, callback: buildConnector.Callback) => void;

/**
 * The connections there are. Not undici's Agent, which neither lets a connection go while it is being made nor tells
 * which attempt it is made for.
 */
function createConnections(connect: Connect) {
  const all = new Set<Connection>();
  const idle = new Map<string, Connection[]>();
  let idleCount = 0;

  function open(origin: string): Connection {
    const life = new AbortController();
    const client = new Client(origin, {
      allowH2: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      keepAliveMaxTimeout: MOST_IDLE_MS,
      // The attempt's signal is the only clock.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) =>
        connect(options, life.signal, (...outcome) => {
          connection.socket = outcome[1] ?? undefined;
          callback(...outcome);
        }),
    });
    const connection: Connection = { origin, client, socket: undefined, life, isKept: false };
    // In an attempt it is the attempt's to drop, or the client's to connect anew.
    client.on('disconnect', () => {
      if (idle.get(origin)?.includes(connection)) drop(connection);
    });
    all.add(connection);
    return connection;
  }

  function remove(connection: Connection): void {
    const free = idle.get(connection.origin) ?? [];
    const others = free.filter((other) => other !== connection);
    idleCount -= free.length - others.length;
    if (others.length > 0) idle.set(connection.origin, others);
    else idle.delete(connection.origin);
  }

  function drop(connection: Connection): void {
    remove(connection);
    all.delete(connection);
    connection.life.abort();
  }

  return {
    open,
    drop,
    take(origin: string): Connection {
      const kept = idle.get(origin)?.pop();
      if (kept) idleCount -= 1;
      return kept ?? open(origin);
    },
    release(connection: Connection): void {
      if (idleCount >= MOST_IDLE) {
        drop(connection);
        return;
      }
      idleCount += 1;
      connection.isKept = true;
      const free = idle.get(connection.origin);
      if (free) free.push(connection);
      else idle.set(connection.origin, [connection]);
    },
    async close(): Promise<void> {
      await Promise.all(Array.from(all, ({ client }) => client.close()));
    },
  };
}

/** Connects to reachable addresses only: no others are looked up, tried, or spoken to. */
function fencedConnector(allowedNetworks: readonly Cidr[], resolve: Resolve): Connect {
  const secure = buildConnector({ allowH2: false, timeout: 0 });

  return (options, signal, callback) => {
    const { hostname, protocol, port } = options;
    if (isIP(hostname) !== 0 && !isReachable(hostname, allowedNetworks)) {
      return callback(new PlainError(FENCED_OFF), null);
    }

    // Not called for literals.
    const lookup: LookupFunction = (name, _options, found) =>
      void resolve(name).then(
        (addresses) => {
          const reachable = addresses.filter(({ address }) => isReachable(address, allowedNetworks));
          found(reachable.length === 0 ? new PlainError(FENCED_OFF) : null, reachable);
        },
        () => found(new PlainError(UNRESOLVED), []),
      );

    const socket = connectTcp({
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      lookup,
      signal,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      noDelay: true,
    });
    const fail = (error: Error): void => callback(error, null);
    socket.once('error', fail);
    socket.once('connect', () => {
      const { remoteAddress } = socket;
      // None when it has been reset by now.
      if (remoteAddress === undefined) return void socket.destroy(new PlainError(CUT_OFF));
      if (!isReachable(remoteAddress, allowedNetworks)) return void socket.destroy(new PlainError(FENCED_OFF));
      socket.off('error', fail);
      if (protocol === 'http:') return callback(null, socket);
      // What happens to it shows in the TLS socket about it.
      socket.on('error', () => {});
      secure({ ...options, httpSocket: socket }, callback);
    });
  };
}

function answerOf(status: number, retryAfter: string | string[] | undefined): Attempt {
  if (status < 300) return { status };
  const seconds = typeof retryAfter === 'string' ? secondsOf(retryAfter) : undefined;
  return { status, error: `the receiver answered ${status}`, ...(seconds !== undefined && { retryAfter: seconds }) };
}

function reasonFor(error: Error, socket: Socket | undefined): string {
  if (error instanceof PlainError) return error.message;
  if (socket?.readableEnded) return CUT_OFF;
  // Which has no code.
  if (error instanceof errors.HTTPParserError) return NOT_HTTP;
  const code = 'code' in error ? String(error.code) : '';
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? UNKNOWN;
}

const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d) \d\d:\d\d:\d\d GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The seconds that a Retry-After means: a number, or a date in any of HTTP's forms (RFC 9110, 10.2.3 and 5.6.7). */
function secondsOf(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = ASCTIME_DATE.test(retryAfter) ? `${retryAfter} GMT` : HTTP_DATE.test(retryAfter) ? retryAfter : '';
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - Date.now()) / 1000));
}
