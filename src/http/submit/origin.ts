import type { IncomingMessage } from 'node:http';
import type { LiveForm } from '../../db/submissions/forms.ts';
import { asListed, HIDDEN_ORIGIN, webOriginOf } from '../../lib/origins.ts';
import type { App } from '../app.ts';
import { originRefused } from './refusals.ts';

/**
 * Throws when the form accepts nothing from the page that has sent the submission (RFC 6454). A client without Origin is no
 * browser. A page whose origin is hidden, by its referrer policy or by a redirect, may still be known: scripts can change neither
 * Sec-Fetch-Site nor the origin in Referer.
 */
export function checkOrigin(
  { headers: { origin, referer = '', 'sec-fetch-site': site } }: IncomingMessage,
  { slug, rules: { allowedOrigins } }: LiveForm,
  { config, hosts }: Pick<App, 'config' | 'hosts'>,
): void {
  if (allowedOrigins.length === 0 || origin === undefined || site === 'same-origin') return;
  const isAllowed = (each: string): boolean =>
    // The service's own error pages send a form again.
    each === config.baseUrl || hosts.isOriginOf(slug, each) || allowedOrigins.includes(asListed(each));
  if (isAllowed(origin)) return;
  const named = origin === HIDDEN_ORIGIN ? webOriginOf(referer) : undefined;
  if (named === undefined || !isAllowed(named)) throw originRefused(origin);
}
