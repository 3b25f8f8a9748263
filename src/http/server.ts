import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../limits.ts';

// An import would also load node:http's own fetch: 50 ms and 13 MB at every start.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

type HttpServer = {
  /** Rejects when the address cannot be listened on. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /**
   * Accepts no new connections after `lingerMs`, answers requests in flight for up to `drainTimeoutMs`, closes the
   * remaining connections.
   */
  close(): Promise<void>;
};

const CLIENT_ERRORS: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are too large: send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive: send it again.'],
};

type Connection = {
  /** Requests since the connection was last found idle. */
  requests: number;
  /** Requests without a finished answer. References to the answers themselves would keep these in memory. */
  unanswered: number;
  /** The answer to the request that came last, until it is finished. */
  last?: ServerResponse | undefined;
  /** Set when what follows can't be read as a request. */
  isUnreadable?: true;
  /** While the server stops and no answer is due: since when (performance.now()) this many bytes have come. */
  silent?: { since: number; bytesRead: number };
  /**
   * While an answer is being read: when the current measurement began (performance.now()), and how many bytes had been
   * sent.
   */
  pace?: { since: number; sent: number } | undefined;
};

/** Answers what node:http could not parse as a request. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket, timeoutMs: number): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP: check how it is sent.',
  ];
  endWithError(socket, timeoutMs, status, message);
}

/**
 * Answers where there is no response object. Later bytes are dropped until the client ends the connection, for at most
 * `timeoutMs`: closing a connection with unread bytes resets it, and the answer may be lost.
 */
function endWithError(socket: Socket, timeoutMs: number, status: string, message: string): void {
  // Already answered, or already closing.
  if (!socket.writable) return;
  const cut = setTimeout(() => socket.destroy(), timeoutMs).unref();
  socket.once('close', () => clearTimeout(cut));
  const body = JSON.stringify({ error: message });
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    // The request may have been a submission, whose answers any origin may read.
    'Access-Control-Allow-Origin: *',
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

/** An HTTP server that answers with `listener` and stops without resetting connections. */
export function createServer(listener: RequestListener, { server: limits }: Limits): HttpServer {
  const { progressTimeoutMs } = limits;
  let draining = false;
  const connections = new Map<Socket, Connection>();

  // GETs are answered together at the end of a turn of the event loop. Reading all, then writing all, takes a sixth
  // less processor time for each page than alternating.
  let pending: Parameters<RequestListener>[] = [];
  function answerPending(): void {
    const all = pending;
    pending = [];
    // A client that has disconnected meanwhile is neither answered nor logged.
    for (const [request, response] of all) if (!request.destroyed) listener(request, response);
  }

  const handle: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    // A pipelined request starts at once, after those before it: node:http stops reading when answers pile up.
    const isPipelined = connection.unanswered > 0;
    connection.requests += 1;
    connection.unanswered += 1;
    connection.last = response;
    response.on('finish', () => {
      connection.unanswered -= 1;
      if (connection.last === response) connection.last = undefined;
      if (connection.isUnreadable && connection.unanswered === 0) socket.end();
    });
    if (socket.timeout !== progressTimeoutMs) socket.setTimeout(progressTimeoutMs);
    if (draining) response.shouldKeepAlive = false;
    if (isPipelined) answerPending();
    if (isPipelined || request.method !== 'GET') listener(request, response);
    else if (pending.push([request, response]) === 1) setImmediate(answerPending);
  };

  /** Whether a request was answered before it had arrived, and only the rest of it is still to be dropped. */
  const isRefused = ({ unanswered, last }: Connection): boolean =>
    unanswered === 1 &&
    last !== undefined &&
    last.headersSent &&
    !last.req.complete &&
    last.req.readableFlowing === true;

  /** Closes connections on which no answer is due, and nothing has come for `silentMs`. */
  function closeSilent(): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      if (connection.unanswered > 0 && !isRefused(connection)) continue;
      const { bytesRead } = socket;
      if (connection.silent?.bytesRead !== bytesRead) connection.silent = { since: now, bytesRead };
      else if (now - connection.silent.since >= limits.silentMs) socket.destroySoon();
    }
  }

  /** Closes a connection on which nothing has moved for its time-out; an idle one after `keepAliveMs`. */
  function onTimeout(socket: Socket): void {
    const connection = connections.get(socket);
    if (!connection || connection.requests === 0 || connection.unanswered > 0 || socket.timeout === undefined) {
      socket.destroy();
      return;
    }
    // The next time-out closes it, unless another request has come.
    connection.requests = 0;
    socket.setTimeout(Math.max(1, limits.keepAliveMs - socket.timeout));
  }

  function cutSlowReaders(): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      if (socket.writableLength === 0) {
        connection.pace = undefined;
        continue;
      }
      const sent = socket.bytesWritten - socket.writableLength;
      const { pace } = connection;
      if (!pace || sent - pace.sent >= limits.readingPaceBytes) connection.pace = { since: now, sent };
      else if (now - pace.since >= limits.readingPaceMs) socket.destroy();
    }
  }
  const paceCheck = setInterval(cutSlowReaders, limits.readingPaceCheckIntervalMs).unref();

  const server = createHttpServer(
    {
      // The listener checks Host itself, so that a missing one is answered like any other error.
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      // A slow upload may go on as long as bytes arrive.
      requestTimeout: 0,
      connectionsCheckingInterval: limits.headersCheckIntervalMs,
      // onTimeout() closes idle connections: a timer set before and after each answer would be a twentieth of a page's
      // cost.
      keepAliveTimeout: 0,
    },
    handle,
  );
  server.on('connection', (socket) => {
    connections.set(socket, { requests: 0, unanswered: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.maxConnections = limits.connections;
  server.setTimeout(progressTimeoutMs, onTimeout);
  server.on('clientError', (error, socket: Socket) => {
    const connection = connections.get(socket);
    const { unanswered = 0, last } = connection ?? {};
    const isInBody = unanswered === 1 && last !== undefined && !last.req.complete;
    if (unanswered === 0 || (isInBody && !last.headersSent)) answerClientError(error, socket, progressTimeoutMs);
    else if (connection && isRefused(connection)) socket.end();
    // Another answer must not be mixed with those in progress. They are completed, and then the connection is closed.
    else if (connection && last) {
      connection.isUnreadable = true;
      last.shouldKeepAlive = false;
    }
  });
  // node:http hands the connection over, without its listeners. What it has read before is still answered.
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy()).resume();
    const connection = connections.get(socket);
    // RFC 9110, 9.1: a method that no resource of this server has.
    if (!connection?.last)
      endWithError(socket, progressTimeoutMs, '501 Not Implemented', 'CONNECT is refused: this is not a proxy.');
    else {
      connection.isUnreadable = true;
      connection.last.shouldKeepAlive = false;
    }
  });
  // The listener refuses an expectation that can't be met, like any other error.
  server.on('checkExpectation', handle);

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: limits.listenBacklog }, () => {
          server.off('error', reject);
          const address = server.address();
          if (address === null || typeof address === 'string') reject(new Error('Listening on no port.'));
          else resolve(address);
        });
      }),
    async close() {
      draining = true;
      const cut = setTimeout(() => server.closeAllConnections(), limits.drainTimeoutMs);
      await delay(limits.lingerMs);
      // http's own close() would also close kept connections, and lose requests that are on their way.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const closeIdle = (): void => {
        server.closeIdleConnections();
        // Browsers open connections in advance. To node:http, one that never carried a byte is not idle.
        for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
        closeSilent();
      };
      closeIdle();
      // Answers that end from now on leave their connections open.
      const closing = setInterval(closeIdle, limits.lingerMs);
      await closed;
      clearInterval(closing);
      clearInterval(paceCheck);
      clearTimeout(cut);
    },
  };
}
