import { errors } from 'undici';
import { SIZES } from '../../sizes.ts';

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
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$|ETIMEDOUT$|UND_ERR_CONNECT_TIMEOUT$)/, 'the receiver could not be reached'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, CUT_OFF],
  [/^UND_ERR_HEADERS_OVERFLOW$/, `the answer has more than ${SIZES.webhook.maxHeaderBytes} bytes of headers`],
  [/^(?:ERR_SSL_|EPROTO$)/, 'no secure connection could be made'],
  [/CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/, 'the certificate is not valid'],
];

/** An error whose message the owner may read. */
export class PlainError extends Error {}

export function reasonFor(error: unknown): string {
  if (error instanceof PlainError) return error.message;
  if (error instanceof errors.HTTPParserError) return error.message.includes('Invalid EOF') ? CUT_OFF : NOT_HTTP;
  // The same class says that the connection has ended, and that undici does not accept an answer, such as 100 and 101.
  if (error instanceof errors.SocketError) return error.message.startsWith('bad ') ? NOT_HTTP : CUT_OFF;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? UNKNOWN;
}
