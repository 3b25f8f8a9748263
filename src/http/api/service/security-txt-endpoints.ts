import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { SECURITY_TXT } from '../../../sites/site-paths.ts';
import { publicOperation } from '../../operation/operation.ts';
import { methodNotAllowed, noSuchPath } from '../../response/errors.ts';

/** Less than a year, as RFC 9116 (2.5.5) recommends. An older copy has to be fetched again. */
const VALID_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1_000;

const contactText = (uri: string, expires: string): string =>
  `Contact: ${uri}\nExpires: ${expires}\nPreferred-Languages: en\n`;

/** Where to report abuse and vulnerabilities (RFC 9116). Answered by sendSecurityTxt, on any host. */
export const securityTxt = publicOperation('GET', SECURITY_TXT, 'getSecurityTxt', {
  summary: 'Get the contact for abuse and vulnerabilities (RFC 9116)',
  description: 'Answered on the hosts of pages too, if the operator has set ABUSE_CONTACT.',
  answer: {
    description: 'The contact of the operator.',
    type: 'text/plain',
    schema: z.string(),
    example: contactText('mailto:abuse@example.org', '2027-05-20T11:08:48.298Z'),
  },
  errors: [{ id: 'NoContact', description: 'ABUSE_CONTACT is not set.', example: noSuchPath() }],
});

export function sendSecurityTxt(
  { method }: IncomingMessage,
  response: ServerResponse,
  { contact, requestId }: { contact: { uri: string }; requestId: string },
): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed('GET, HEAD');
  const body = contactText(contact.uri, new Date(Date.now() + VALID_DAYS * DAY_MS).toISOString());
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
