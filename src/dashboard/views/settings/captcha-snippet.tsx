import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Snippet } from '../../ui/snippet.tsx';

const WIDGETS: Readonly<Record<string, { script: string; name: string }>> = {
  turnstile: { script: 'https://challenges.cloudflare.com/turnstile/v0/api.js', name: 'cf-turnstile' },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js', name: 'h-captcha' },
  recaptcha: { script: 'https://www.google.com/recaptcha/api.js', name: 'g-recaptcha' },
};

/** The HTML of a captcha, for the form. */
function captchaSnippet(provider: string, siteKey: string, id: string): string {
  const widget = WIDGETS[provider];
  if (!widget) {
    return `<script src="${location.origin}/altcha.js" type="module" async></script>
<altcha-widget challenge="${location.origin}/altcha/challenge?deployment=${id}" auto="onsubmit"></altcha-widget>
<noscript><p>${t.settings.captcha.noScript}</p></noscript>`;
  }
  const key = siteKey === '' ? 'YOUR_SITE_KEY' : siteKey.replaceAll(/[^\w.-]/g, '');
  return `<script src="${widget.script}" async defer></script>
<div class="${widget.name}" data-sitekey="${key}"></div>`;
}

/** The captcha of the forms of a page, to copy. */
export const CaptchaSnippet = ({
  provider,
  siteKey,
  id,
}: {
  provider: string;
  siteKey: string;
  id: string;
}): JSX.Element => (
  <>
    <p class="hint">{provider === 'altcha' ? t.settings.captcha.elsewhere : t.settings.captcha.aboveButton}</p>
    <Snippet text={captchaSnippet(provider, siteKey, id)} />
  </>
);
