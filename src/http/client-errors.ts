import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, type ProblemDocument } from '../problems/problem-document.ts';
import { HttpError, isProblemWanted, problemFor } from './response/errors.ts';

// An import would also load node:http's own fetch: 50 ms and 13 MB at every start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const CLIENT_ERRORS: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError(431, 'The headers are too large: send fewer or shorter ones.'),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError(408, 'The request took too long to arrive: send it again.'),
};
const NOT_HTTP = new HttpError(400, 'The request is not valid HTTP: check how it is sent.');
// RFC 9110, 9.1: a method that no resource of this server has.
const NO_PROXY = new HttpError(501, 'CONNECT is refused: this is not a proxy.');

/** Answers what node:http could not parse as a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, timeoutMs: number): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  endWithError(socket, timeoutMs, CLIENT_ERRORS[error.code ?? ''] ?? NOT_HTTP);
}

/** Answers CONNECT. `baseUrl`: the address of the service. */
export function answerTunnel(
  { headers }: IncomingMessage,
  socket: Socket,
  { timeoutMs, baseUrl }: { timeoutMs: number; baseUrl: string },
): void {
  endWithError(
    socket,
    timeoutMs,
    NO_PROXY,
    isProblemWanted(NO_PROXY, headers) ? problemFor(NO_PROXY, headers, baseUrl) : undefined,
  );
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
