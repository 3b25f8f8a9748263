import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** Characters of an Accept or Accept-Encoding that is read. Browsers send at most a third of that. */
export const MAX_ACCEPT = 1_000;

/** Whether the Accept of a request names text/html with a q above 0, in any letter case (RFC 9110, 8.3.1). */
export const namesHtml = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.length <= MAX_ACCEPT &&
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes('text/html');
