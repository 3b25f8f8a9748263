import type { WidgetInput } from '../../compute/check/answer.ts';
import { ALTCHA_ELEMENT } from '../../forms/captcha-fields.ts';
import { escapeHtml } from '../../lib/html.ts';
import { langOf } from '../../lib/languages.ts';
import type { Hosts } from '../request/hosts.ts';
import { translationsFor } from '../response/translations.ts';

/** The HTML that is added to a page's forms without ALTCHA's widget. */
export function altchaWidget(
  hosts: Hosts,
  { deploymentId, slug, html }: { deploymentId: string; slug: string; html: Buffer },
): WidgetInput {
  const addresses = hosts.addressesFor({ id: deploymentId, slug });
  const service = escapeHtml(addresses.baseUrl);
  const { needsJavaScript } = translationsFor({}, { language: null, lang: langOf(html) });
  return {
    // A page of a site may be sent to another one, and is rendered before all files are known.
    addresses: { ...addresses, site: 'any' },
    script: `<script src="${service}/altcha.js" type="module" async></script>`,
    element:
      `<${ALTCHA_ELEMENT} challenge="${service}/altcha/challenge?deployment=${deploymentId}" auto="onsubmit"></${ALTCHA_ELEMENT}>` +
      `<noscript><p>${needsJavaScript}</p></noscript>`,
  };
}
