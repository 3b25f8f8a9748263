/*
 * The fields in which a form sends what its captcha has made. They are stored like every other field.
 */

export const CAPTCHA_PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'recaptcha'] as const;
export type CaptchaProvider = (typeof CAPTCHA_PROVIDERS)[number];

/** The providers that are asked whether a token is genuine. */
export type AskedProvider = Exclude<CaptchaProvider, 'altcha'>;

/** A token that a visitor has sent, with the secret and the site key of the form's owner. */
export type TokenQuestion = {
  provider: AskedProvider;
  deploymentId: string;
  token: string;
  secret: string;
  siteKey: string | undefined;
  ipAddress: string;
};

/** `misconfigured`: the provider does not know the secret. `unavailable`: it gave no answer that can be read, in time. */
export type TokenState = 'genuine' | 'wrong' | 'reused' | 'misconfigured' | 'unavailable';

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
