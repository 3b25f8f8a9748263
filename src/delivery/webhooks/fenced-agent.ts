import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type Cidr, isReachable } from '../../lib/public-address.ts';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { CUT_OFF, LEADS_HERE, NOT_ALLOWED, PlainError, UNRESOLVED } from './failure-reasons.ts';
import type { OwnAddress } from './own-address.ts';
import { type Resolve, resolveName } from './resolve.ts';

export type Fence = {
  /** Networks that may be reached although they are not public. */
  allowedNetworks: readonly Cidr[];
  own: Pick<OwnAddress, 'isIn' | 'isAt'>;
};

type Options = Fence & { limits: Limits; dnsTimeoutMs: number; resolve?: Resolve | undefined };

/** Makes requests, only to addresses that webhooks may reach, and never to this service. */
export class FencedAgent {
  readonly #fence: Fence;
  readonly #dns: Resolver;
  readonly #resolve: Resolve;
  readonly #connect: buildConnector.connector;
  readonly #agent: Agent;
  /** All connections, also those that are being made. */
  readonly #sockets = new Set<Socket>();

  constructor({ limits, dnsTimeoutMs, resolve, ...fence }: Options) {
    this.#fence = fence;
    this.#dns = new Resolver({ timeout: dnsTimeoutMs, maxTimeout: dnsTimeoutMs, tries: 2 });
    this.#resolve = resolve ?? ((name) => resolveName(name, this.#dns, limits));
    this.#connect = buildConnector({
      allowH2: false,
      // A connection that nobody waits for any more is not made.
      timeout: limits.delivery.connectTimeoutMs,
      autoSelectFamily: true,
      // A distant receiver answers before the next address is tried; an address that never answers costs no more.
      autoSelectFamilyAttemptTimeout: 1_000,
      lookup: this.#lookUp,
    });
    this.#agent = new Agent({
      allowH2: false,
      connect: this.#connectFenced,
      maxHeaderSize: SIZES.webhook.maxHeaderBytes,
      keepAliveMaxTimeout: 10_000,
      // Only the signal of a request limits its time.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Rejects when the signal fires: undici itself waits until the connection is made, or can't be made. */
  async request(
    options: Dispatcher.RequestOptions & { origin: string; signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    const { signal } = options;
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      return await Promise.race([this.#agent.request(options), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Closes all connections, also those that are in use or being made. */
  async close(): Promise<void> {
    this.#dns.cancel();
    await this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #isReachable(address: string): boolean {
    return isReachable(address, this.#fence.allowedNetworks);
  }

  /** Not called for IP literals. */
  readonly #lookUp: LookupFunction = (name, _options, found) =>
    void this.#resolve(name).then(
      (addresses) => {
        const reachable = addresses.filter(({ address }) => this.#isReachable(address));
        found(reachable.length === 0 ? new PlainError(NOT_ALLOWED) : null, reachable);
      },
      () => found(new PlainError(UNRESOLVED), []),
    );

  readonly #connectFenced: buildConnector.connector = (options, callback) => {
    const { hostname } = options;
    if (isIP(hostname) !== 0 && !this.#isReachable(hostname)) {
      callback(new PlainError(NOT_ALLOWED), null);
      return;
    }
    // undici's types do not tell that it returns the socket.
    const connecting: unknown = this.#connect(options, (...outcome) => {
      const [, socket] = outcome;
      const refusal = socket ? this.#refusalOf(socket) : undefined;
      if (refusal === undefined) {
        callback(...outcome);
        return;
      }
      socket?.destroy();
      callback(new PlainError(refusal), null);
    });
    if (connecting instanceof Socket) {
      this.#sockets.add(connecting);
      connecting.once('close', () => this.#sockets.delete(connecting));
    }
  };

  /** Why a connection must not be used, by the address that it has reached. */
  #refusalOf({ remoteAddress, remotePort }: Socket): string | undefined {
    // Undefined when the connection has been reset.
    if (remoteAddress === undefined || remotePort === undefined) return CUT_OFF;
    if (!this.#isReachable(remoteAddress)) return NOT_ALLOWED;
    return this.#fence.own.isAt(remoteAddress, remotePort) ? LEADS_HERE : undefined;
  }
}
