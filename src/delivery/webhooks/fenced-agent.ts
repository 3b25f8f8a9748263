import { Resolver } from 'node:dns/promises';
import type { Agent, ClientRequest, IncomingMessage, InformationEvent } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { type Cidr, isReachable } from '../../lib/public-address.ts';
import type { Limits } from '../../limits.ts';
import { FAILURES, failure } from '../../problems/delivery-failures.ts';
import { SIZES } from '../../sizes.ts';
import { PlainError } from './failure-reasons.ts';
import type { OwnAddress } from './own-address.ts';
import { type Resolve, resolveName } from './resolve.ts';

// An import would also load its own fetch.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** An idle connection is closed after this time, or sooner where the receiver says so. */
const KEEP_ALIVE_MS = 4_000;
const SWITCHING_PROTOCOLS = 101;
const MIN_RESPONSE_BYTES = 'HTTP/1.1 100 \r\n\r\n'.length;

export type Fence = {
  /** Networks that may be reached although they are not public. */
  allowedNetworks: readonly Cidr[];
  own: Pick<OwnAddress, 'isIn' | 'isAt'>;
};

type AgentSettings = Fence & { limits: Limits; dnsTimeoutMs: number; resolve?: Resolve | undefined };

/**
 * A POST to an http or https URL; without a body, a GET. `signal` limits all of it, from the look-up of the name to the last byte
 * that is read.
 */
type FencedRequest = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
  signal: AbortSignal;
};

/** Makes requests, only to addresses that webhooks may reach, and never to this service. */
export class FencedAgent {
  readonly #fence: Fence;
  readonly #dns: Resolver;
  readonly #resolve: Resolve;
  readonly #http: Agent;
  readonly #https: Agent;
  /** All connections, also those that are being made. */
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor({ limits, dnsTimeoutMs, resolve, ...fence }: AgentSettings) {
    this.#fence = fence;
    this.#dns = new Resolver({ timeout: dnsTimeoutMs, maxTimeout: dnsTimeoutMs, tries: 2 });
    this.#resolve = resolve ?? ((name) => resolveName(name, this.#dns, limits));
    const options = {
      keepAlive: true,
      timeout: KEEP_ALIVE_MS,
      autoSelectFamily: true,
      // A distant receiver answers before the next address is tried; an address that never answers costs no more.
      autoSelectFamilyAttemptTimeout: 1_000,
      lookup: this.#lookUp,
    };
    this.#http = new http.Agent(options);
    this.#https = new https.Agent(options);
  }

  /**
   * Sends a request, and returns what `read` returns for the response, or rejects. Responses with 1xx before it are passed over, however
   * many they are (RFC 9110, 15.2), up to `maxAnswerBytes`.
   */
  async request<T>(sent: FencedRequest, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
    const { signal } = sent;
    signal.throwIfAborted();
    const request = this.#begin(sent);
    const end = (): void => void request.destroy(signal.reason);
    // Ended before it has its connection, it would leave the connection to the next request, and open until then.
    const abort = (): void => (request.socket ? end() : void request.once('socket', end));
    signal.addEventListener('abort', abort);
    try {
      return await answerOf(request, read);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Closes all connections, also those that are in use or being made. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#dns.cancel();
    const closed = Array.from(this.#sockets, (socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #begin({ url, headers, body }: FencedRequest): ClientRequest {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (this.#isClosed) throw new PlainError(FAILURES['cut-off']);
    if (isIP(host) !== 0 && !this.#isReachable(host)) throw new PlainError(FAILURES['fenced-address']);
    const isSecure = url.protocol === 'https:';
    const request = (isSecure ? https : http).request({
      agent: isSecure ? this.#https : this.#http,
      host,
      port: url.port,
      path: url.pathname + url.search,
      method: body === undefined ? 'GET' : 'POST',
      // Otherwise an interim response of HTTP/1.0, or with `Connection: close`, would be the last one. The strict parser protects
      // those who pass an answer on, and here nobody does.
      insecureHTTPParser: true,
      headers,
      maxHeaderSize: SIZES.webhook.maxHeaderBytes,
    });
    request.once('socket', (socket) => this.#watch(socket));
    return request.end(body);
  }

  #isReachable(address: string): boolean {
    return isReachable(address, this.#fence.allowedNetworks);
  }

  /** Not called for IP literals. */
  readonly #lookUp: LookupFunction = (name, _options, found) =>
    void this.#resolve(name).then(
      (addresses) => {
        const reachable = addresses.filter(({ address }) => this.#isReachable(address));
        found(reachable.length === 0 ? new PlainError(FAILURES['fenced-address']) : null, reachable);
      },
      () => found(new PlainError(FAILURES.unresolved), []),
    );

  /** Closes a connection that has reached an address that it must not use. */
  #watch(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const check = (): void => {
      const refusal = this.#refusalOf(socket);
      if (refusal !== undefined) socket.destroy(new PlainError(refusal));
    };
    // Before the others that wait for the connection, because they write.
    if (socket.connecting) socket.prependOnceListener('connect', check);
    else check();
  }

  /** Why a connection must not be used, by the address that it has reached. */
  #refusalOf({ remoteAddress, remotePort }: Socket): string | undefined {
    // Undefined when the connection has been reset.
    if (remoteAddress === undefined || remotePort === undefined) return FAILURES['cut-off'];
    if (!this.#isReachable(remoteAddress)) return FAILURES['fenced-address'];
    return this.#fence.own.isAt(remoteAddress, remotePort) ? FAILURES['leads-here'] : undefined;
  }
}

/** Settles with what `read` returns for the response, or rejects. */
function answerOf<T>(request: ClientRequest, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let interimBytes = 0;
  let isAnswered = false;
  let broken: Error | undefined;
  const finish = (response: IncomingMessage): void => {
    isAnswered = true;
    // Nothing that comes after it is an answer.
    if (response.statusCode === SWITCHING_PROTOCOLS) response.destroy();
    // An error of the request says more than that its response has ended early.
    read(response).then(resolve, (error: unknown) => reject(broken ?? error));
  };
  request.on('error', (error) => {
    broken ??= error;
    // A whole response counts, although bytes follow it that are no HTTP.
    if (!isAnswered) reject(error);
  });
  request.on('information', (interim) => {
    interimBytes += bytesOf(interim);
    const limit = SIZES.webhook.maxAnswerBytes;
    if (interimBytes > limit) request.destroy(new PlainError(failure('long-interim', { limit })));
  });
  request.once('response', finish).once('upgrade', finish);
  return promise;
}

/** The size of a response without content. */
const bytesOf = ({ statusMessage, rawHeaders }: InformationEvent): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + ': '.length, statusMessage.length + MIN_RESPONSE_BYTES);
