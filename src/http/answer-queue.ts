import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Limits } from '../limits.ts';
import { type Network, type Peers, ProxiedRequests } from './connection-shares.ts';
import { type HttpError, unavailable, writeError } from './response/errors.ts';

const tooManyRequests = (): HttpError =>
  unavailable('Too many requests of your network are in progress: try again when some have been answered.');

/**
 * Passes requests on to the listener, GETs together at the end of a turn of the event loop. Reading all, then writing all,
 * takes a sixth less processor time for each page than alternating.
 */
export class AnswerQueue {
  readonly #listener: RequestListener;
  readonly #proxied: ProxiedRequests;
  readonly #app: { config: { baseUrl: string }; limits: Limits };
  #pending: [IncomingMessage, ServerResponse, Network][] = [];

  constructor(listener: RequestListener, limits: Limits, { baseUrl, ...peers }: Peers & { baseUrl: string }) {
    this.#listener = listener;
    this.#proxied = new ProxiedRequests(limits.server, peers);
    this.#app = { config: { baseUrl }, limits };
  }

  /** Answers a GET with the others of this turn, and any other request at once. */
  add(request: IncomingMessage, response: ServerResponse, network: Network): void {
    if (request.method !== 'GET') this.#answer(request, response, network);
    else if (this.#pending.push([request, response, network]) === 1) setImmediate(() => this.#answerPending());
  }

  /** Answers a request at once, after those before it on its connection. */
  addPipelined(request: IncomingMessage, response: ServerResponse, network: Network): void {
    this.#answerPending();
    this.#answer(request, response, network);
  }

  #answerPending(): void {
    const all = this.#pending;
    this.#pending = [];
    // A client that has disconnected meanwhile is neither answered nor logged.
    for (const [request, response, network] of all) {
      if (!request.destroyed) this.#answer(request, response, network);
    }
  }

  /** Answers a request. Behind a proxy, a client that has too many under way is refused. */
  #answer(request: IncomingMessage, response: ServerResponse, network: Network): void {
    if (!network.isProxy) {
      this.#listener(request, response);
      return;
    }
    if (this.#proxied.isFull(request)) {
      writeError(response, tooManyRequests(), {}, this.#app);
      return;
    }
    this.#listener(request, response);
    // A page in memory has been answered.
    if (!response.writableEnded && !response.closed) response.once('close', this.#proxied.add(request));
  }
}
