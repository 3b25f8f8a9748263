import type { JSX } from 'preact';
import { CopyButton } from '../../ui/button.tsx';

/** What to put into the form, by provider. */
function captchaSnippet(provider: string, siteKey: string, id: string): string {
  const key = siteKey === '' ? 'YOUR_SITE_KEY' : siteKey.replaceAll(/[^\w.-]/g, '');
  switch (provider) {
    case 'altcha':
      return `<script src="${location.origin}/altcha.js" type="module" async></script>
<altcha-widget challenge="${location.origin}/altcha/challenge?deployment=${id}" auto="onsubmit"></altcha-widget>
<noscript><p>Please switch JavaScript on: this form uses it to tell people from robots.</p></noscript>`;
    case 'turnstile':
      return `<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>
<div class="cf-turnstile" data-sitekey="${key}"></div>`;
    case 'hcaptcha':
      return `<script src="https://js.hcaptcha.com/1/api.js" async defer></script>
<div class="h-captcha" data-sitekey="${key}"></div>`;
    default:
      return `<script src="https://www.google.com/recaptcha/api.js" async defer></script>
<div class="g-recaptcha" data-sitekey="${key}"></div>`;
  }
}

/** The captcha of the forms of a page, to copy. */
export function CaptchaSnippet({
  provider,
  siteKey,
  id,
}: {
  provider: string;
  siteKey: string;
  id: string;
}): JSX.Element {
  const snippet = captchaSnippet(provider, siteKey, id);
  return (
    <>
      <p class="hint">
        {provider === 'altcha'
          ? 'The forms of this page get the widget by themselves. Put this into a form on another site:'
          : 'Put this into the form:'}
      </p>
      <pre>
        <code>{snippet}</code>
      </pre>
      <CopyButton kind="plain" text={snippet}>
        Copy
      </CopyButton>
    </>
  );
}
