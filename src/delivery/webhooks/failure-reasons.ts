import { SIZES } from '../../sizes.ts';

/*
 * The reasons why attempts fail, as owners read them.
 */

export const TIMED_OUT = 'the receiver did not answer completely within the time limit';
export const CUT_OFF = 'the connection was closed before the answer was complete';
export const INVALID_URL = 'the URL is not valid';
export const NOT_ALLOWED = 'webhooks may not reach this address';
export const LEADS_HERE = 'the URL leads back to this service';
export const LONG_INTERIM = `the receiver sent more than ${SIZES.webhook.maxAnswerBytes} bytes with a status of 1xx`;
export const UNRESOLVED = 'the name could not be resolved';
export const REFUSED = 'the receiver answered a success, and says that the message was not delivered';
const NOT_HTTP = 'the answer is not HTTP';
const UNKNOWN = 'the attempt failed';
/** The codes are of the system, of OpenSSL or of the parser of HTTP (HPE). */
const REASONS: readonly [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$|ETIMEDOUT$)/, 'the receiver could not be reached'],
  [/^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_INVALID_EOF_STATE)$/, CUT_OFF],
  [/^HPE_HEADER_OVERFLOW$/, `the answer has more than ${SIZES.webhook.maxHeaderBytes} bytes of headers`],
  [/^HPE_/, NOT_HTTP],
  [/^(?:ERR_SSL_|EPROTO$)/, 'no secure connection could be made'],
  [/CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/, 'the certificate is not valid'],
];

/** An error whose message the owner may read. */
export class PlainError extends Error {}

export function reasonFor(error: unknown): string {
  if (error instanceof PlainError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? UNKNOWN;
}
