import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from './errors.ts';

/** Whom to write to about abuse: where to, and how it is shown. */
export type Contact = { uri: string; text: string };

export const SECURITY_TXT = '/.well-known/security.txt';

// Less than a year, as RFC 9116 (2.5.5) recommends; a copy that is older is to be asked for again.
const VALID_MS = 180 * 24 * 60 * 60 * 1_000;

/** Answers with whom to tell of abuse and of holes (RFC 9116), on any host. */
export function sendSecurityTxt(
  { method }: IncomingMessage,
  response: ServerResponse,
  { contact, requestId }: { contact: Contact; requestId: string },
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new HttpError(405, 'This method is not allowed here: use GET, HEAD.', { Allow: 'GET, HEAD' });
  }
  const expires = new Date(Date.now() + VALID_MS).toISOString();
  const body = `Contact: ${contact.uri}\nExpires: ${expires}\nPreferred-Languages: en\n`;
  response.writeHead(200, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Origin-Agent-Cluster': '?1',
    'x-request-id': requestId,
  });
  response.end(body);
}
