import type { IncomingMessage } from 'node:http';
import { type Config, pageUrl } from '../../config.ts';
import type { LiveForm } from '../../db/submissions/forms.ts';

/**
 * The header Origin (RFC 6454) of a submission that its form accepts nothing from; undefined when it is accepted. A client
 * that sends none is no browser.
 */
export function refusedOrigin(
  { headers: { origin, 'sec-fetch-site': site } }: IncomingMessage,
  { slug, rules: { allowedOrigins } }: LiveForm,
  config: Config,
): string | undefined {
  if (allowedOrigins.length === 0 || origin === undefined || site === 'same-origin') return undefined;
  // The service's own error pages send a form again.
  const own = [config.baseUrl, pageUrl(config, slug)].map((url) => new URL(url).origin);
  return own.includes(origin) || allowedOrigins.includes(origin) ? undefined : origin;
}
