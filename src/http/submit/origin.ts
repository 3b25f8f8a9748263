import type { IncomingMessage } from 'node:http';
import { type Config, pageUrl } from '../../config.ts';
import type { LiveForm } from '../../db/submissions/forms.ts';
import { originRefused } from './refusals.ts';

/** Throws when the form accepts nothing from the page that has sent the submission (RFC 6454). A client without Origin is no browser. */
export function checkOrigin(
  { headers: { origin, 'sec-fetch-site': site } }: IncomingMessage,
  { slug, rules: { allowedOrigins } }: LiveForm,
  config: Config,
): void {
  if (allowedOrigins.length === 0 || origin === undefined || site === 'same-origin') return;
  // The service's own error pages send a form again.
  const own = [config.baseUrl, pageUrl(config, slug)].map((url) => new URL(url).origin);
  if (!own.includes(origin) && !allowedOrigins.includes(origin)) throw originRefused(origin);
}
