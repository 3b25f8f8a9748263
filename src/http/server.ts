import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limits } from '../limits.ts';
import { PROBLEM_TYPE, type ProblemDocument, problemOf } from '../problems/document.ts';
import { SIZES } from '../sizes.ts';
import { HttpError, isProblemWanted } from './response/errors.ts';

// An import would also load node:http's own fetch: 50 ms and 13 MB at every start.
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

const CLIENT_ERRORS: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError(431, 'The headers are too large: send fewer or shorter ones.'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError(408, 'The request took too long to arrive: send it again.'),
};
const NOT_HTTP = new HttpError(400, 'The request is not valid HTTP: check how it is sent.');
// RFC 9110, 9.1: a method that no resource of this server has.
const NO_PROXY = new HttpError(501, 'CONNECT is refused: this is not a proxy.');

type Connection = {
  /** Requests since the connection was last found idle. */
  requests: number;
  /** Requests without a finished answer. References to the answers themselves would keep these in memory. */
  unanswered: number;
  /** The answer to the request that came last, until it is finished. */
  last?: ServerResponse | undefined;
  /** Set when what follows can't be read as a request. */
  isUnreadable?: true;
  /**
   * While an answer is being read: when the current measurement began (performance.now()), and how many bytes had been
   * sent.
   */
  pace?: { since: number; sent: number } | undefined;
};

/** Answers what node:http could not parse as a request. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket, timeoutMs: number): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  endWithError(socket, timeoutMs, CLIENT_ERRORS[error.code ?? ''] ?? NOT_HTTP);
}

/**
 * Answers where there is no response object. Later bytes are dropped until the client ends the connection, for at most
 * `timeoutMs`: closing a connection with unread bytes resets it, and the answer may be lost.
 */
function endWithError(
  socket: Socket,
  timeoutMs: number,
  { status, message, headers }: HttpError,
  problem?: ProblemDocument,
): void {
  // Already answered, or already closing.
  if (!socket.writable) return;
  const timeout = setTimeout(() => socket.destroy(), timeoutMs).unref();
  socket.once('close', () => clearTimeout(timeout));
  const body = JSON.stringify(problem ?? { error: message });
  const all = {
    ...headers,
    'Content-Type': problem ? PROBLEM_TYPE : 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    // The request may have been a submission, whose answers any origin may read.
    'Access-Control-Allow-Origin': '*',
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Whether a request was answered before it had arrived, and only the rest of it is still to be dropped. */
const isRefused = ({ unanswered, last }: Connection): boolean =>
  unanswered === 1 && last !== undefined && last.headersSent && !last.req.complete && last.req.readableFlowing === true;

/** An HTTP server that answers with `listener` and stops without resetting connections. */
export class HttpServer {
  readonly #listener: RequestListener;
  readonly #baseUrl: string;
  readonly #limits: Limits['server'];
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  readonly #paceCheck: NodeJS.Timeout;
  #pending: Parameters<RequestListener>[] = [];
  #accepted = 0;
  #isDraining = false;

  /** `baseUrl`: the address of the service. */
  constructor(listener: RequestListener, { server: limits }: Limits, baseUrl: string) {
    this.#listener = listener;
    this.#baseUrl = baseUrl;
    this.#limits = limits;
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
    this.#server.maxConnections = limits.connections;
    this.#paceCheck = setInterval(() => this.#disconnectSlowReaders(), limits.readingPaceCheckIntervalMs).unref();
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
    this.#connections.set(socket, { requests: 0, unanswered: 0 });
    socket.once('close', () => this.#connections.delete(socket));
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
    if (!connection) return;
    // A pipelined request starts at once, after those before it: node:http stops reading when answers pile up.
    const isPipelined = connection.unanswered > 0;
    connection.requests += 1;
    connection.unanswered += 1;
    connection.last = response;
    response.on('finish', () => {
      connection.unanswered -= 1;
      if (connection.last === response) connection.last = undefined;
      if (connection.unanswered > 0) return;
      if (connection.isUnreadable) socket.end();
      else if (this.#isDraining) this.#linger(socket);
    });
    const { progressTimeoutMs } = this.#limits;
    if (socket.timeout !== progressTimeoutMs) socket.setTimeout(progressTimeoutMs);
    if (this.#isDraining) response.shouldKeepAlive = false;
    if (isPipelined) this.#answerPending();
    if (isPipelined || request.method !== 'GET') this.#listener(request, response);
    else if (this.#pending.push([request, response]) === 1) setImmediate(() => this.#answerPending());
  };

  /**
   * Answers GETs together at the end of a turn of the event loop. Reading all, then writing all, takes a sixth less
   * processor time for each page than alternating.
   */
  #answerPending(): void {
    const all = this.#pending;
    this.#pending = [];
    // A client that has disconnected meanwhile is neither answered nor logged.
    for (const [request, response] of all) if (!request.destroyed) this.#listener(request, response);
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

  #disconnectSlowReaders(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#connections) {
      if (socket.writableLength === 0) {
        connection.pace = undefined;
        continue;
      }
      const sent = socket.bytesWritten - socket.writableLength;
      const { pace } = connection;
      if (!pace || sent - pace.sent >= this.#limits.readingPaceBytes) connection.pace = { since: now, sent };
      else if (now - pace.since >= this.#limits.readingPaceMs) socket.destroy();
    }
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#connections.get(socket);
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
    else {
      const problem = isProblemWanted(NO_PROXY, request.headers) ? problemOf(NO_PROXY, this.#baseUrl) : undefined;
      endWithError(socket, this.#limits.progressTimeoutMs, NO_PROXY, problem);
    }
  }
}

/** Closes a connection when the answers in progress are complete: another must not be mixed with them. */
function endAfterAnswers(connection: Connection, last: ServerResponse): void {
  connection.isUnreadable = true;
  last.shouldKeepAlive = false;
}
