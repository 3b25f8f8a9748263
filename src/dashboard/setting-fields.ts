import type { Schemas } from '../client/client.ts';
import { LANGUAGES } from '../lib/languages.ts';
import type { FieldLabels } from './dashboard-words.ts';

/*
 * Each setting of a page as people see it, under its name in the API. A part of a setting has a name with dots.
 */

export type Settings = Schemas['Settings'];
export type Option = { value: string; label: string };
/** Settings as a form has them: each is a text. */
export type Typed = Readonly<Record<string, string>>;

/** The questions of the view of settings, in their order. */
export const QUESTIONS = ['After sending', 'Who may send', 'When it is open', 'Spam', 'Delete'] as const;

/** A setting in the view of settings. */
export type FormField = {
  question: (typeof QUESTIONS)[number];
  label: string;
  hint?: string;
  /** `form-field`: the name of a field of the page's form. `time`: in the zone of the browser. */
  control: 'form-field' | 'lines' | 'number' | 'password' | 'text' | 'texts' | 'time' | 'url' | readonly Option[];
  isShown?(typed: Typed): boolean;
};

/** A setting in the view of notifications, which has the controls. */
type MailField = { question: 'Mail'; label: string; hint?: string };

/** The names of the settings, and of the parts of those that are objects. */
type PartOf<Whole, Before extends string = ''> = {
  [Name in keyof Whole & string]-?: NonNullable<Whole[Name]> extends string | number | boolean | readonly unknown[]
    ? `${Before}${Name}`
    : PartOf<NonNullable<Whole[Name]>, `${Before}${Name}.`>;
}[keyof Whole & string];

const languageNames = new Intl.DisplayNames(undefined, { type: 'language' });
const LANGUAGE_OPTIONS: readonly Option[] = [
  { value: '', label: 'As the page, or as the browser wants' },
  ...LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value })),
];

const CAPTCHA_OPTIONS: readonly Option[] = [
  { value: '', label: 'None' },
  { value: 'altcha', label: 'ALTCHA (of this service, no third party)' },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
  { value: 'recaptcha', label: 'Google reCAPTCHA' },
];

export const hasKeys = (typed: Typed): boolean => !['', 'altcha'].includes(typed['spam.captcha.provider'] ?? '');

export const hasConfirmation = (typed: Typed): boolean => typed['confirmation.field'] !== '';

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** All settings, in the order of the views. */
export const FIELDS: Readonly<Record<PartOf<Settings>, FormField | MailField>> = {
  email_notifications: { question: 'Mail', label: 'Send mail about submissions' },
  notify_every: { question: 'Mail', label: 'How often' },
  notify_owner: { question: 'Mail', label: 'Mail to you' },
  recipients: {
    question: 'Mail',
    label: 'Recipients',
    hint: 'Up to five. An address other than yours gets a mail with a link first, and nothing more until it is opened.',
  },
  redirect_url: {
    question: 'After sending',
    label: 'Redirect URL',
    hint: 'The page that visitors see after they have sent the form. Left empty: one that thanks them.',
    control: 'url',
  },
  language: {
    question: 'After sending',
    label: 'Language',
    hint: 'Of the pages that thank visitors, or say what is wrong.',
    control: LANGUAGE_OPTIONS,
  },
  'confirmation.field': {
    question: 'After sending',
    label: 'Thank visitors by mail',
    hint: 'To the address in this field, once a day at most.',
    control: 'form-field',
  },
  'confirmation.subject': {
    question: 'After sending',
    label: 'Subject of the mail',
    control: 'text',
    isShown: hasConfirmation,
  },
  'confirmation.text': {
    question: 'After sending',
    label: 'Text of the mail',
    hint: '{{reference}} becomes the number of the submission, {{page}} the name of the page, and {{date}} the day.',
    control: 'texts',
    isShown: hasConfirmation,
  },
  allowed_origins: {
    question: 'Who may send',
    label: 'Allowed sites',
    hint: 'One a line, such as https://example.org, or capacitor://localhost for an app; null for pages that hide where they are. Left empty: forms of any site may send.',
    control: 'lines',
  },
  submissions_per_minute: {
    question: 'Who may send',
    label: 'Submissions a minute',
    hint: 'More are refused for a moment. Left empty: 10.',
    control: 'number',
  },
  opens_at: {
    question: 'When it is open',
    label: 'Opens',
    hint: `In the time zone ${timeZone}. Left empty: it is open at once.`,
    control: 'time',
  },
  closes_at: {
    question: 'When it is open',
    label: 'Closes',
    hint: `In the time zone ${timeZone}. Left empty: never.`,
    control: 'time',
  },
  max_submissions: {
    question: 'When it is open',
    label: 'Places',
    hint: 'It closes with as many submissions. A deleted one frees its place. Left empty: no limit.',
    control: 'number',
  },
  closed_message: {
    question: 'When it is open',
    label: 'Message while it is closed',
    hint: 'Visitors who send the form then read it. Left empty: that it is not open yet, closed or full.',
    control: 'texts',
  },
  'spam.blocklist': {
    question: 'Spam',
    label: 'Blocked words',
    hint: 'One a line. A submission that has one of them as a whole word is kept apart as spam; casino* also finds casinos.',
    control: 'lines',
  },
  'spam.captcha.provider': { question: 'Spam', label: 'Captcha', control: CAPTCHA_OPTIONS },
  'spam.captcha.site_key': { question: 'Spam', label: 'Site key', control: 'text', isShown: hasKeys },
  'spam.captcha.secret': {
    question: 'Spam',
    label: 'Secret',
    hint: 'It is never shown again. Left empty, the one of the same captcha stays.',
    control: 'password',
    isShown: hasKeys,
  },
  retention_days: {
    question: 'Delete',
    label: 'Delete submissions after days',
    hint: 'From 1 to 3,650, files and spam too. Left empty: never.',
    control: 'number',
  },
};

/** The labels of the settings, by their names. */
export const LABELS: FieldLabels = Object.fromEntries(Object.entries(FIELDS).map(([name, { label }]) => [name, label]));
