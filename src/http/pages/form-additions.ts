import type { FormAdditions, WidgetInput } from '../../compute/check/answer.ts';
import { ALTCHA_ELEMENT } from '../../forms/captcha-fields.ts';
import { escapeHtml } from '../../lib/html.ts';
import { langOf } from '../../lib/languages.ts';
import type { Hosts } from '../request/hosts.ts';
import { type Translations, translationsFor } from '../response/translations.ts';
import type { PageToRender } from './page-renderer.ts';

/** The HTML that is added to a page's forms without ALTCHA's widget. */
function altchaWidget(baseUrl: string, deploymentId: string, { needsJavaScript }: Translations): WidgetInput {
  const service = escapeHtml(baseUrl);
  return {
    script: `<script src="${service}/altcha.js" type="module" async></script>`,
    element:
      `<${ALTCHA_ELEMENT} challenge="${service}/altcha/challenge?deployment=${deploymentId}" auto="onsubmit"></${ALTCHA_ELEMENT}>` +
      `<noscript><p>${needsJavaScript}</p></noscript>`,
  };
}

/** Returns the texts in the language that a page names; English if it names none of ours. */
export const translationsOf = (html: Buffer): Translations =>
  translationsFor({}, { language: null, lang: langOf(html) });

/** Returns what the settings of a page add to its forms; undefined: nothing. */
export function formAdditions(
  hosts: Hosts,
  { deploymentId, slug, html, hasAltcha, hasFormTools }: PageToRender,
): FormAdditions | undefined {
  if (!hasAltcha && !hasFormTools) return undefined;
  const addresses = hosts.addressesFor({ id: deploymentId, slug });
  const translations = translationsOf(html);
  return {
    // A page of a site may be sent to another one, and is rendered before all files are known.
    addresses: { ...addresses, site: 'any' },
    widget: hasAltcha ? altchaWidget(addresses.baseUrl, deploymentId, translations) : undefined,
    tools: hasFormTools ? { leaveEmpty: translations.leaveEmpty } : undefined,
  };
}
