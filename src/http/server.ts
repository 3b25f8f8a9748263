import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limits } from '../limits.ts';
import { SIZES } from '../sizes.ts';
import { AnswerQueue } from './answer-queue.ts';
import { answerClientError, answerTunnel } from './client-errors.ts';
import { ConnectionShares, type Network, type Peers } from './connection-shares.ts';
import { Pipeline, ReleasedPipelines } from './pipeline.ts';
import { isTooSlow, type Watched } from './slow-clients.ts';

// An import would also load node:http's own fetch: 50 ms and 13 MB at every start.
const { createServer } = process.getBuiltinModule('node:http');

type Connection = Watched & {
  readonly network: Network;
  /** Requests since the connection was last found idle. */
  requests: number;
  /** Requests without a finished answer. References to the answers themselves would keep these in memory. */
  unanswered: number;
  /** The answer to the request that came last, until it is finished. */
  last?: ServerResponse | undefined;
  /** Set when what follows can't be read as a request. */
  isUnreadable?: true;
  readonly pipeline: Pipeline;
};

/** Returns whether a request was answered before it had arrived, so that only its rest is still to be dropped. */
const isRefused = ({ unanswered, last }: Connection): boolean =>
  unanswered === 1 && last !== undefined && last.headersSent && !last.req.complete && last.req.readableFlowing === true;

/** An HTTP server that answers with `listener` and stops without resetting connections. */
export class HttpServer {
  readonly #baseUrl: string;
  readonly #allLimits: Limits;
  readonly #limits: Limits['server'];
  readonly #server: Server;
  readonly #shares: ConnectionShares;
  readonly #answers: AnswerQueue;
  readonly #connections = new Map<Socket, Connection>();
  readonly #paceCheck: NodeJS.Timeout;
  readonly #released = new ReleasedPipelines();
  #accepted = 0;
  #isDraining = false;

  /** `baseUrl`: the address of the service. */
  constructor(listener: RequestListener, allLimits: Limits, peers: Peers & { baseUrl: string }) {
    const { server: limits } = allLimits;
    this.#baseUrl = peers.baseUrl;
    this.#allLimits = allLimits;
    this.#limits = limits;
    this.#shares = new ConnectionShares(limits, peers, (socket) => this.#connections.get(socket)?.unanswered === 0);
    this.#answers = new AnswerQueue(listener, allLimits, peers);
    this.#server = createServer(
      {
        // The listener checks Host itself, so that a missing one is answered like any other error.
        requireHostHeader: false,
        maxHeaderSize: SIZES.internalHeaders.maxBytes,
        headersTimeout: limits.headersTimeoutMs,
        // A slow upload may go on as long as bytes arrive.
        requestTimeout: 0,
        // How often node:http looks for clients whose headers take too long.
        connectionsCheckingInterval: 2_000,
        // #onTimeout() closes idle connections: a timer set before and after each answer would be a twentieth of a
        // page's cost.
        keepAliveTimeout: 0,
      },
      this.#handle,
    )
      .on('connection', (socket) => this.#accept(socket))
      .on('clientError', (error, socket: Socket) => this.#onClientError(error, socket))
      .on('connect', (request, socket: Socket) => this.#refuseTunnel(request, socket))
      // The listener refuses an expectation that can't be met, like any other error.
      .on('checkExpectation', this.#handle)
      .setTimeout(limits.progressTimeoutMs, (socket) => this.#onTimeout(socket));
    this.#paceCheck = setInterval(() => this.#disconnectSlow(), limits.readingPaceCheckIntervalMs).unref();
  }

  /** Rejects when the address cannot be listened on. */
  async listen(port: number, host: string): Promise<AddressInfo> {
    // Connections that the system keeps until the process accepts them.
    await once(this.#server.listen({ port, host, backlog: 1_024 }), 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('Listening on no port.');
    return address;
  }

  /**
   * Accepts no more connections. Requests that come on open connections within `lingerMs` are answered with
   * `Connection: close`; those in progress are answered for up to `drainTimeoutMs`.
   */
  async close(): Promise<void> {
    this.#isDraining = true;
    const timeout = setTimeout(() => this.#server.closeAllConnections(), this.#limits.drainTimeoutMs);
    await this.#acceptQueued();
    // http's own close() would also close kept connections, and lose requests that are in transit.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
    for (const [socket, connection] of this.#connections) {
      if (connection.unanswered === 0 || isRefused(connection)) this.#linger(socket);
    }
    await closed;
    clearInterval(this.#paceCheck);
    clearTimeout(timeout);
  }

  /** Closes a connection on which no answer is due when nothing more comes. */
  #linger(socket: Socket): void {
    socket.setTimeout(Math.max(1, this.#limits.lingerMs));
  }

  #accept(socket: Socket): void {
    this.#accepted += 1;
    const network = this.#shares.add(socket);
    if (socket.destroyed) return;
    const pipeline = new Pipeline(socket, {
      network,
      released: this.#released,
      mayGoOn: () => connection.unanswered < 2 || connection.unanswered < this.#maxPipelined(socket, connection),
    });
    const connection: Connection = { network, pipeline, requests: 0, unanswered: 0 };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    this.#connections.delete(socket);
    if (!connection) return;
    const { network, pipeline, unanswered } = connection;
    this.#shares.remove(socket, network);
    network.unanswered -= unanswered;
    pipeline.end();
  }

  /** Accepts what the kernel has queued, of which each turn of the event loop accepts one: the kernel would reset it. */
  async #acceptQueued(): Promise<void> {
    const until = performance.now() + this.#limits.lingerMs;
    let before: number;
    do {
      before = this.#accepted;
      await nextTurn();
      await nextTurn();
    } while (this.#accepted > before && performance.now() < until);
  }

  readonly #handle: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (!connection || socket.destroyed) return;
    const isPipelined = connection.unanswered > 0;
    connection.requests += 1;
    connection.unanswered += 1;
    connection.network.unanswered += 1;
    connection.last = response;
    response.on('finish', () => this.#onAnswered(connection, response));
    const { progressTimeoutMs } = this.#limits;
    if (socket.timeout !== progressTimeoutMs) socket.setTimeout(progressTimeoutMs);
    if (this.#isDraining) response.shouldKeepAlive = false;
    if (isPipelined) this.#answers.addPipelined(request, response, connection.network);
    else this.#answers.add(request, response, connection.network);
  };

  #onAnswered(connection: Connection, response: ServerResponse): void {
    const { req: request } = response;
    const { socket } = request;
    // #forget() subtracts those of a connection that is closing.
    if (socket.destroyed) return;
    connection.unanswered -= 1;
    connection.network.unanswered -= 1;
    if (connection.last === response) connection.last = undefined;
    if (!request.complete) connection.unreceived = { request, since: performance.now() };
    const { pipeline } = connection;
    if (pipeline.isHeld && connection.unanswered <= this.#maxPipelined(socket, connection) / 2) pipeline.answered();
    if (connection.unanswered > 0) return;
    if (connection.isUnreadable) socket.end();
    else if (this.#isDraining) this.#linger(socket);
  }

  /** At least two: the end of the last request waits until others are answered. */
  #maxPipelined(socket: Socket, { network }: Connection): number {
    const { pipelinedRequests, pipelinedWhenCrowded } = this.#limits;
    return socket.writableNeedDrain || this.#shares.isCrowded(network) ? pipelinedWhenCrowded : pipelinedRequests;
  }

  /** Closes a connection on which nothing has moved for its time-out; an idle one after `keepAliveMs`. */
  #onTimeout(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (this.#isDraining) {
      const { bytesRead } = socket;
      // Bytes that have arrived are read first. An answer may still be on its way to the kernel.
      setImmediate(() => void (socket.bytesRead > bytesRead || socket.destroySoon()));
      return;
    }
    if (!connection || connection.requests === 0 || connection.unanswered > 0 || socket.timeout === undefined) {
      socket.destroy();
      return;
    }
    // The next time-out closes it, unless another request has come.
    connection.requests = 0;
    socket.setTimeout(Math.max(1, this.#limits.keepAliveMs - socket.timeout));
  }

  #disconnectSlow(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      if (isTooSlow(socket, connection, now, this.#allLimits)) socket.destroy();
    }
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection?.pipeline.keep(error)) {
      if (connection.network.waitingBytes > this.#limits.pipelinedBytesOfNetwork) socket.destroy();
      return;
    }
    const last = connection?.last;
    const isInBody = connection?.unanswered === 1 && last?.req.complete === false;
    if (!connection || !last || (isInBody && !last.headersSent)) {
      answerClientError(error, socket, this.#limits.progressTimeoutMs);
    } else if (isRefused(connection)) socket.end();
    else endAfterAnswers(connection, last);
  }

  /** Answers CONNECT. node:http hands the connection over, without its listeners. Requests that it has read before are still answered. */
  #refuseTunnel(request: IncomingMessage, socket: Socket): void {
    socket.on('error', () => socket.destroy()).resume();
    const connection = this.#connections.get(socket);
    if (connection?.last) endAfterAnswers(connection, connection.last);
    else answerTunnel(request, socket, { timeoutMs: this.#limits.progressTimeoutMs, baseUrl: this.#baseUrl });
  }
}

/** Closes a connection when the answers in progress are complete: another must not be mixed with them. */
function endAfterAnswers(connection: Connection, last: ServerResponse): void {
  connection.isUnreadable = true;
  last.shouldKeepAlive = false;
}
