import { FAILURES, failure } from '../../problems/delivery-failures.ts';
import { SIZES } from '../../sizes.ts';

/*
 * The reasons why requests to webhooks fail, by the codes of errors.
 */

/** The codes are of the system, of OpenSSL or of the parser of HTTP (HPE). */
const REASONS: readonly [code: RegExp, reason: string][] = [
  [/^ECONNREFUSED$/, FAILURES['connection-refused']],
  [/^(?:EHOST|ENET|EADDRNOTAVAIL$|ETIMEDOUT$)/, FAILURES.unreachable],
  [/^(?:ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_INVALID_EOF_STATE)$/, FAILURES['cut-off']],
  [/^HPE_HEADER_OVERFLOW$/, failure('long-headers', { limit: SIZES.webhook.maxHeaderBytes })],
  [/^HPE_/, FAILURES['not-http']],
  [/^(?:ERR_SSL_|EPROTO$)/, FAILURES['no-secure-connection']],
  [/CERT|ISSUER|SIGNATURE|CRL|INVALID_CA|PATH_LENGTH|PURPOSE|HOSTNAME/, FAILURES['invalid-certificate']],
];

/** An error whose message the owner may read. */
export class PlainError extends Error {}

export function reasonFor(error: unknown): string {
  if (error instanceof PlainError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS.find(([codes]) => codes.test(code))?.[1] ?? FAILURES.unknown;
}
