import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

// An import would also evaluate what node:http hands out of its own fetch: 50 ms and 13 MB at every start.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

export type HttpServer = {
  /** Rejects when the address cannot be listened on. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Takes no new connection after LINGER_MS, answers what is in flight within DRAIN_MS, cuts the rest. */
  close(): Promise<void>;
};

const HEADERS_TIMEOUT_MS = 20_000;
// A connection on which nothing moves in the middle of a request or an answer is cut.
const PROGRESS_TIMEOUT_MS = 20_000;
const CHECK_MS = 2_000;
// A connection beyond these is closed at once.
const MAX_CONNECTIONS = 10_000;
// Longer than the minute that proxies keep a connection for, so that they close first.
const KEEP_ALIVE_MS = 65_000;
// What was on its way when the server was told to stop, on a new connection or a kept one, has come after this.
const LINGER_MS = 250;
const DRAIN_MS = 8_000;

const CLIENT_ERRORS: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are too large: send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive: send it again.'],
};

/** Of answers only their number: holding them themselves would keep them in memory. */
type Connection = {
  /** Since it was last found idle. */
  requests: number;
  unanswered: number;
  /** The answer to the request that came last, until it is given. */
  last?: ServerResponse | undefined;
  /** Why nothing more can be read on it, where that is still to be said. */
  unreadable?: NodeJS.ErrnoException | undefined;
};

/**
 * Whether answers have to be given before anything else is said: to requests that have come as a whole, and one that has begun and
 * doesn't wait for more of its request.
 */
const owesAnswers = ({ unanswered, last }: Connection): boolean =>
  unanswered > (last && !last.req.complete && (!last.headersSent || last.req.readableFlowing) ? 1 : 0);

/**
 * Answers what node:http could not read as a request; there is no response object for it. What comes then is thrown away until the
 * other side ends, or has had its time: closed with something unread, a connection is reset, and what was answered may be lost.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  // It was told already, or that its last answer is the last.
  if (!socket.writable) return;
  const cut = setTimeout(() => socket.destroy(), PROGRESS_TIMEOUT_MS).unref();
  socket.once('close', () => clearTimeout(cut));
  const [status, message] = CLIENT_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP: check how it is sent.',
  ];
  const body = JSON.stringify({ error: message });
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    // It may have been a submission, whose answers are for any origin, and says nothing of anybody.
    'Access-Control-Allow-Origin: *',
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}

/** An HTTP server that answers with `listener`, and ends without resetting anyone. */
export function createServer(listener: RequestListener): HttpServer {
  let draining = false;
  const connections = new Map<Socket, Connection>();

  // What was asked for in a turn of the event loop is answered at its end: reading all, then writing all, takes a sixth
  // less of the processor for each page than doing it in turn.
  let asked: Parameters<RequestListener>[] = [];
  function answerAsked(): void {
    const all = asked;
    asked = [];
    // Whoever has left meanwhile gets nothing, and isn't logged.
    for (const [request, response] of all) if (!request.destroyed) listener(request, response);
  }

  const handle: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    // It is gone.
    if (!connection) return;
    // One that is sent behind another is begun behind it, and at once: node:http stops reading where answers pile up.
    const isPipelined = connection.unanswered > 0;
    connection.requests += 1;
    connection.unanswered += 1;
    connection.last = response;
    response.on('finish', () => {
      connection.unanswered -= 1;
      if (connection.last === response) connection.last = undefined;
      const { unreadable } = connection;
      if (!unreadable || owesAnswers(connection)) return;
      connection.unreadable = undefined;
      answerClientError(unreadable, socket);
      socket.resume();
    });
    if (socket.timeout !== PROGRESS_TIMEOUT_MS) socket.setTimeout(PROGRESS_TIMEOUT_MS);
    if (draining) response.shouldKeepAlive = false;
    if (isPipelined) answerAsked();
    if (isPipelined || request.method !== 'GET') listener(request, response);
    else if (asked.push([request, response]) === 1) setImmediate(answerAsked);
  };

  /** Nothing has moved on a connection for its time-out: it is cut, but one that is idle is kept until KEEP_ALIVE_MS are over. */
  function onQuiet(socket: Socket): void {
    const connection = connections.get(socket);
    if (!connection || connection.requests === 0 || connection.unanswered > 0 || socket.timeout === undefined) {
      socket.destroy();
      return;
    }
    // The next time it is cut, unless there was another request.
    connection.requests = 0;
    socket.setTimeout(KEEP_ALIVE_MS - socket.timeout);
  }
  const server = createHttpServer(
    {
      // The listener asks for Host itself, so that its absence is answered like any other error.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // A slow upload is let finish as long as it moves.
      requestTimeout: 0,
      connectionsCheckingInterval: CHECK_MS,
      // A timer that is set anew before and after each answer would be a twentieth of a page's cost: onQuiet() cuts idle ones.
      keepAliveTimeout: 0,
    },
    handle,
  );
  server.on('connection', (socket) => {
    connections.set(socket, { requests: 0, unanswered: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(PROGRESS_TIMEOUT_MS, onQuiet);
  server.on('clientError', (error, socket: Socket) => {
    const connection = connections.get(socket);
    if (!connection || !owesAnswers(connection)) {
      answerClientError(error, socket);
      return;
    }
    // What was asked for before it is answered before it. What is sent behind it isn't read until then: it would keep the connection open.
    connection.unreadable ??= error;
    socket.pause();
  });
  // The listener answers what cannot be expected, like any other error.
  server.on('checkExpectation', handle);

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog: 1_024 }, () => {
          server.off('error', reject);
          const address = server.address();
          if (address === null || typeof address === 'string') reject(new Error('Listening on no port.'));
          else resolve(address);
        });
      }),
    async close() {
      draining = true;
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await delay(LINGER_MS);
      // http's own close() would cut kept connections as well, and with them requests that are on their way.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const closeIdle = (): void => {
        server.closeIdleConnections();
        // Browsers open connections ahead of need; one that never carried a byte is not idle to node:http.
        for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
      };
      closeIdle();
      // What is answered from now on may have been begun before, and leave its connection open.
      const closing = setInterval(closeIdle, LINGER_MS);
      await closed;
      clearInterval(closing);
      clearTimeout(cut);
    },
  };
}
