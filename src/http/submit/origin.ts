import type { IncomingMessage } from 'node:http';
import type { LiveForm } from '../../db/submissions/forms.ts';
import type { App } from '../app.ts';
import { originRefused } from './refusals.ts';

/** Throws when the form accepts nothing from the page that has sent the submission (RFC 6454). A client without Origin is no browser. */
export function checkOrigin(
  { headers: { origin, 'sec-fetch-site': site } }: IncomingMessage,
  { slug, rules: { allowedOrigins } }: LiveForm,
  { config, hosts }: Pick<App, 'config' | 'hosts'>,
): void {
  if (allowedOrigins.length === 0 || origin === undefined || site === 'same-origin') return;
  // The service's own error pages send a form again.
  if (origin === config.baseUrl || hosts.isOriginOf(slug, origin) || allowedOrigins.includes(origin)) return;
  throw originRefused(origin);
}
