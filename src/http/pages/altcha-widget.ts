import type { WidgetInput } from '../../compute/check/answer.ts';
import { type Config, pageUrl, submitUrl } from '../../config.ts';
import { ALTCHA_ELEMENT } from '../../lib/captcha-fields.ts';
import { escapeHtml } from '../../lib/html.ts';
import { langOf } from '../../lib/languages.ts';
import { translationsFor } from '../response/translations.ts';

/** The HTML that is added to a page's forms without ALTCHA's widget. */
export function altchaWidget(
  config: Config,
  { deploymentId, slug, html }: { deploymentId: string; slug: string; html: Buffer },
): WidgetInput {
  const { baseUrl, pagesDomain } = config;
  const service = escapeHtml(baseUrl);
  const { needsJavaScript } = translationsFor({}, { language: null, lang: langOf(html) });
  // A page of a site may be sent to another one, and is rendered before all files are known.
  const page = { url: pageUrl(config, slug), action: submitUrl(config) + deploymentId, site: 'any' } as const;
  return {
    addresses: { baseUrl, pagesDomain, page },
    script: `<script src="${service}/altcha.js" type="module" async></script>`,
    element:
      `<${ALTCHA_ELEMENT} challenge="${service}/altcha/challenge?deployment=${deploymentId}" auto="onsubmit"></${ALTCHA_ELEMENT}>` +
      `<noscript><p>${needsJavaScript}</p></noscript>`,
  };
}
