import type { WidgetInput } from '../../compute/check/answer.ts';
import { type Config, pageUrl, submitUrl } from '../../config.ts';
import { ALTCHA_ELEMENT } from '../../lib/captcha-fields.ts';
import { escapeHtml } from '../../lib/html.ts';
import { langOf } from '../../lib/languages.ts';
import type { Speak } from '../response/translations.ts';

/** A page that is to be rendered. `hasAltcha`: whether its settings switch ALTCHA on. */
export type PageToRender = { deploymentId: string; slug: string; html: Buffer; hasAltcha: boolean };

/** What a page's forms get that lack ALTCHA's widget; undefined: they get nothing. */
export type WidgetFor = (page: PageToRender) => WidgetInput | undefined;

export const createWidgetFor =
  (config: Config, speak: Speak): WidgetFor =>
  ({ deploymentId, slug, html, hasAltcha }) => {
    if (!hasAltcha) return undefined;
    const { baseUrl, pagesDomain } = config;
    const service = escapeHtml(baseUrl);
    const { needsJavaScript } = speak({}, { language: null, lang: langOf(html) });
    return {
      addresses: {
        ...{ baseUrl, pagesDomain },
        page: { url: pageUrl(config, slug), action: submitUrl(config) + deploymentId },
      },
      script: `<script src="${service}/altcha.js" type="module" async></script>`,
      element:
        `<${ALTCHA_ELEMENT} challenge="${service}/altcha/challenge?deployment=${deploymentId}" auto="onsubmit"></${ALTCHA_ELEMENT}>` +
        `<noscript><p>${needsJavaScript}</p></noscript>`,
    };
  };
