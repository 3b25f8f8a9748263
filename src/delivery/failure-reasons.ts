import type { Socket } from 'node:net';
import { errors } from 'undici';
import { SIZES } from '../limits.ts';

/*
 * The reasons why attempts fail, as owners read them.
 */

export const TIMED_OUT = 'the receiver did not answer completely within the time limit';
export const CUT_OFF = 'the connection was closed before the answer was complete';
export const INVALID_URL = 'the URL is not valid';
export const NOT_ALLOWED = 'webhooks may not reach this address';
export const LEADS_HERE = 'the URL leads back to this service';
export const UNRESOLVED = 'the name could not be resolved';
const NOT_HTTP = 'the answer is not HTTP';
const UNKNOWN = 'the attempt failed';
/** The codes are of the system, of OpenSSL or of undici. */
const REASONS: readonly [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$|ETIMEDOUT$)/, 'the receiver could not be reached'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, CUT_OFF],
  // undici does not accept 100 (Continue) and 101.
  [/^UND_ERR_SOCKET$/, NOT_HTTP],
  [/^UND_ERR_HEADERS_OVERFLOW$/, `the answer has more than ${SIZES.webhook.maxHeaderBytes} bytes of headers`],
  [/^(?:ERR_SSL_|EPROTO$)/, 'no secure connection could be made'],
  [/CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/, 'the certificate is not valid'],
];

/** An error whose message the owner may read. */
export class PlainError extends Error {}

/** `socket`: of the connection, if there was one. */
export function reasonFor(error: Error, socket: Socket | undefined): string {
  if (error instanceof PlainError) return error.message;
  if (socket?.readableEnded) return CUT_OFF;
  // This error has no code.
  if (error instanceof errors.HTTPParserError) return NOT_HTTP;
  const code = 'code' in error ? String(error.code) : '';
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? UNKNOWN;
}
