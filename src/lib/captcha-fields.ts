/*
 * The fields in which a form sends what its captcha has made. They are stored like every other field.
 */

export const CAPTCHA_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'recaptcha'] as const;
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number];

/** The name that each provider's widget gives its field. */
export const CAPTCHA_FIELDS: Readonly<Record<CaptchaProvider, string>> = {
  altcha: 'altcha',
  turnstile: 'cf-turnstile-response',
  hcaptcha: 'h-captcha-response',
  recaptcha: 'g-recaptcha-response',
};

/** The name of the element that is ALTCHA's widget. */
export const ALTCHA_ELEMENT = 'altcha-widget';

/** The class of the element that the script of each other provider makes a widget of. */
export const CAPTCHA_CLASSES: ReadonlyMap<string, CaptchaProvider> = new Map([
  ['cf-turnstile', 'turnstile'],
  ['h-captcha', 'hcaptcha'],
  ['g-recaptcha', 'recaptcha'],
]);
