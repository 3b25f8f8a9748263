import type { Schemas } from '../client/client.ts';
import { LANGUAGES } from '../lib/languages.ts';
import type { FieldLabels, FieldSentences } from './dashboard-words.ts';
import { counted, fill, locale, t } from './texts/chosen-texts.ts';

/*
 * Each setting of a page as people see it, under its name in the API. A part of a setting has a name with dots.
 */

export type Settings = Schemas['Settings'];
export type Option = { value: string; label: string };
/** Settings as a form has them: each is a text. */
export type Typed = Readonly<Record<string, string>>;

/** The part of a view that a setting is in: those of the view of settings, and `receivers` of the view of notifications. */
type SectionName = 'thanks' | 'mail' | 'opening' | 'places' | 'senders' | 'spam' | 'deletion' | 'receivers';

/**
 * The control of a setting. `address-field`: the name of a field of the page's form that holds addresses. `addresses`: e-mail addresses,
 * one a line. `number-field`: the name of a field in which visitors say a number. `time`: in the zone of the owner.
 */
type Control =
  | (
      | 'address-field'
      | 'addresses'
      | 'lines'
      | 'number'
      | 'number-field'
      | 'origins'
      | 'password'
      | 'switch'
      | 'text'
      | 'texts'
      | 'time'
    )
  | ('url' | readonly Option[]);

/** A setting as people see it. */
export type FormField = {
  section: SectionName;
  label: string;
  hint?: string;
  control: Control;
  /** Says what to enter in place of a value that is wrong. Left out: what is sent is always right, or the service says it. */
  wrong?: string;
  isShown?(typed: Typed): boolean;
};

/** The names of the settings, and of the parts of those that are objects. */
type PartOf<Whole, Before extends string = ''> = {
  [Name in keyof Whole & string]-?: NonNullable<Whole[Name]> extends string | number | boolean | readonly unknown[]
    ? `${Before}${Name}`
    : PartOf<NonNullable<Whole[Name]>, `${Before}${Name}.`>;
}[keyof Whole & string];

const languageNames = new Intl.DisplayNames(locale, { type: 'language' });
const LANGUAGE_OPTIONS: readonly Option[] = [
  { value: '', label: t.settings.languageOfPage },
  ...LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value })),
];

const FREQUENCIES: readonly Option[] = [
  { value: 'submission', label: t.settings.frequencies.submission },
  { value: 'hour', label: t.settings.frequencies.hour },
  { value: 'day', label: t.settings.frequencies.day },
];

const CAPTCHA_OPTIONS: readonly Option[] = [
  { value: '', label: t.settings.captcha.none },
  { value: 'altcha', label: t.settings.captcha.altcha },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
  { value: 'recaptcha', label: 'Google reCAPTCHA' },
];

export const hasKeys = (typed: Typed): boolean => !['', 'altcha'].includes(typed['spam.captcha.provider'] ?? '');

export const hasConfirmation = (typed: Typed): boolean => typed['confirmation.field'] !== '';

const texts = t.settings.fields;

/** All settings, in the order of the views. */
export const FIELDS: Readonly<Record<PartOf<Settings>, FormField>> = {
  email_notifications: { section: 'receivers', ...texts.emailNotifications, control: 'switch' },
  notify_every: { section: 'receivers', ...texts.notifyEvery, control: FREQUENCIES },
  notify_owner: { section: 'receivers', ...texts.notifyOwner, control: 'switch' },
  recipients: { section: 'receivers', ...texts.recipients, control: 'addresses' },
  thanks_message: {
    section: 'thanks',
    ...texts.thanksMessage,
    control: 'texts',
    wrong: t.settings.wrong.text,
    isShown: ({ redirect_url: url }) => url === '',
  },
  redirect_url: { section: 'thanks', ...texts.redirectUrl, control: 'url' },
  language: { section: 'thanks', ...texts.language, control: LANGUAGE_OPTIONS },
  'confirmation.field': { section: 'mail', ...texts.confirmationField, control: 'address-field' },
  'confirmation.subject': {
    section: 'mail',
    ...texts.confirmationSubject,
    control: 'text',
    isShown: hasConfirmation,
  },
  'confirmation.text': { section: 'mail', ...texts.confirmationText, control: 'texts', isShown: hasConfirmation },
  opens_at: { section: 'opening', ...texts.opensAt, control: 'time', wrong: t.settings.wrong.time },
  closes_at: { section: 'opening', ...texts.closesAt, control: 'time', wrong: t.settings.wrong.time },
  closed_message: { section: 'opening', ...texts.closedMessage, control: 'texts', wrong: t.settings.wrong.text },
  closed_page: { section: 'opening', ...texts.closedPage, control: 'switch' },
  max_submissions: { section: 'places', ...texts.maxSubmissions, control: 'number' },
  places_field: { section: 'places', ...texts.placesField, control: 'number-field' },
  submissions_per_minute: { section: 'places', ...texts.submissionsPerMinute, control: 'number' },
  allowed_origins: { section: 'senders', ...texts.allowedOrigins, control: 'origins' },
  form_tools: { section: 'senders', ...texts.formTools, control: 'switch' },
  'spam.blocklist': { section: 'spam', ...texts.blocklist, control: 'lines' },
  'spam.captcha.provider': { section: 'spam', ...texts.captchaProvider, control: CAPTCHA_OPTIONS },
  'spam.captcha.site_key': { section: 'spam', ...texts.captchaSiteKey, control: 'text', isShown: hasKeys },
  'spam.captcha.secret': { section: 'spam', ...texts.captchaSecret, control: 'password', isShown: hasKeys },
  retention_days: { section: 'deletion', ...texts.retentionDays, control: 'number' },
  expires_at: { section: 'deletion', ...texts.expiresAt, control: 'time' },
};

/** The same by their names, which are any text. */
export const FIELD_OF: ReadonlyMap<string, FormField> = new Map(Object.entries(FIELDS));

/** The labels of the settings, by their names. */
export const LABELS: FieldLabels = Object.fromEntries(Object.entries(FIELDS).map(([name, { label }]) => [name, label]));

/** Says at a field what to enter. A number that is out of range, and a text that is too long, have a limit. */
export const sentenceOf: FieldSentences = (name, { code, limit, index }) => {
  const { control, wrong } = FIELD_OF.get(name) ?? {};
  if (code === 'conflict' && control === 'time') return t.settings.wrong.neverOpen;
  if (limit === undefined) return wrong;
  if (code === 'too-high') return fill(t.settings.wrong.atMost, { limit });
  if (code === 'too-low') return fill(t.settings.wrong.atLeast, { limit });
  if (code !== 'too-long') return wrong;
  const isList = index === undefined && (control === 'lines' || control === 'origins' || control === 'addresses');
  return isList ? fill(t.settings.wrong.tooMany, { limit }) : counted(t.settings.wrong.tooLong, limit);
};
