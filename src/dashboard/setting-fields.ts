import type { Schemas } from '../client/client.ts';
import { LANGUAGES } from '../lib/languages.ts';
import type { FieldLabels, FieldSentences } from './dashboard-words.ts';

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

const languageNames = new Intl.DisplayNames(undefined, { type: 'language' });
const LANGUAGE_OPTIONS: readonly Option[] = [
  { value: '', label: 'As the page, or as the browser wants' },
  ...LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value })),
];

const FREQUENCIES: readonly Option[] = [
  { value: 'submission', label: 'A mail for each submission' },
  { value: 'hour', label: 'One mail an hour that lists what came' },
  { value: 'day', label: 'One mail a day that lists what came' },
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

const PLACEHOLDERS = '{{reference}}, {{page}} and {{date}}';

/** All settings, in the order of the views. */
export const FIELDS: Readonly<Record<PartOf<Settings>, FormField>> = {
  email_notifications: { section: 'receivers', label: 'Send mail about submissions', control: 'switch' },
  notify_every: { section: 'receivers', label: 'How often', control: FREQUENCIES },
  notify_owner: { section: 'receivers', label: 'Mail to you', control: 'switch' },
  recipients: {
    section: 'receivers',
    label: 'Recipients',
    hint: 'Up to five. An address other than yours gets a mail with a link first, and nothing more until it is opened.',
    control: 'addresses',
    wrong: 'Enter an e-mail address such as ada@example.org.',
  },
  thanks_message: {
    section: 'thanks',
    label: 'Thank-you message',
    hint: 'Visitors read it after they have sent the form. Left empty: that their message has been sent.',
    control: 'texts',
    wrong: 'Write a text, or leave it empty.',
    isShown: ({ redirect_url: url }) => url === '',
  },
  redirect_url: {
    section: 'thanks',
    label: 'Redirect URL',
    hint: 'A page of your own that visitors see after they have sent the form. Left empty: one that thanks them.',
    control: 'url',
    wrong: 'Enter the address of a page, such as https://example.org/thanks, or leave it empty.',
  },
  language: {
    section: 'thanks',
    label: 'Language',
    hint: 'Of the pages that thank visitors, or say what is wrong.',
    control: LANGUAGE_OPTIONS,
  },
  'confirmation.field': {
    section: 'mail',
    label: 'Thank visitors by mail',
    hint: 'To the address in this field, once a day at most.',
    control: 'address-field',
    wrong: 'Choose the field that holds the address.',
  },
  'confirmation.subject': {
    section: 'mail',
    label: 'Subject of the mail',
    control: 'text',
    wrong: `Write a subject of one line. Only ${PLACEHOLDERS} are replaced: leave other double braces out.`,
    isShown: hasConfirmation,
  },
  'confirmation.text': {
    section: 'mail',
    label: 'Text of the mail',
    hint: '{{reference}} becomes the number of the submission, {{page}} the name of the page, and {{date}} the day.',
    control: 'texts',
    wrong: `Write a text. Only ${PLACEHOLDERS} are replaced: leave other double braces out.`,
    isShown: hasConfirmation,
  },
  opens_at: {
    section: 'opening',
    label: 'Opens',
    hint: 'Left empty: it is open at once.',
    control: 'time',
    wrong: 'Enter a day and a time, or leave it empty.',
  },
  closes_at: {
    section: 'opening',
    label: 'Closes',
    hint: 'Left empty: never.',
    control: 'time',
    wrong: 'Enter a day and a time, or leave it empty.',
  },
  closed_message: {
    section: 'opening',
    label: 'Message while it is closed',
    hint: 'Visitors read it before the form opens and after it has closed. A form that is full has a text of its own.',
    control: 'texts',
    wrong: 'Write a text, or leave it empty.',
  },
  closed_page: {
    section: 'opening',
    label: 'Say so in place of the page',
    hint: 'While the form is not open yet, closed or full, visitors read it before they fill in anything.',
    control: 'switch',
  },
  max_submissions: {
    section: 'places',
    label: 'Places',
    hint: 'The form is full when so many are taken. A deleted submission frees its places, and a test takes none. Left empty: no limit.',
    control: 'number',
    wrong: 'Enter a whole number such as 40, or leave it empty.',
  },
  places_field: {
    section: 'places',
    label: 'Count places by',
    hint: 'The field in which visitors say how many they are.',
    control: 'number-field',
    wrong: 'Enter the name of a field, or leave it empty.',
  },
  submissions_per_minute: {
    section: 'places',
    label: 'Submissions a minute',
    hint: 'More are asked to wait for a moment. Left empty: 10.',
    control: 'number',
    wrong: 'Enter a whole number such as 60, or leave it empty.',
  },
  allowed_origins: {
    section: 'senders',
    label: 'Allowed sites',
    hint: 'One a line, such as example.org, or capacitor://localhost for an app; null for pages that hide where they are. Left empty: forms of any site may send.',
    control: 'origins',
    wrong: 'Enter a site such as https://example.org, or remove the line.',
  },
  form_tools: {
    section: 'senders',
    label: 'Offer the forms to agents in browsers',
    hint: 'A browser can have an agent fill in a form (WebMCP). The service describes each form and its fields by their headings and labels.',
    control: 'switch',
  },
  'spam.blocklist': {
    section: 'spam',
    label: 'Blocked words',
    hint: 'One a line. A submission that has one of them as a whole word is kept apart as spam; casino* also finds casinos.',
    control: 'lines',
    wrong: 'Shorten each word to at most 100 characters.',
  },
  'spam.captcha.provider': { section: 'spam', label: 'Captcha', control: CAPTCHA_OPTIONS },
  'spam.captcha.site_key': {
    section: 'spam',
    label: 'Site key',
    control: 'text',
    wrong: 'Enter the site key that the provider gave you.',
    isShown: hasKeys,
  },
  'spam.captcha.secret': {
    section: 'spam',
    label: 'Secret',
    hint: 'It is never shown again. Left empty, the one of the same captcha stays.',
    control: 'password',
    wrong: 'Enter the secret that the provider gave you.',
    isShown: hasKeys,
  },
  retention_days: {
    section: 'deletion',
    label: 'Delete submissions after days',
    hint: 'From 1 to 3,650, files and spam too. Left empty: never.',
    control: 'number',
    wrong: 'Enter a whole number such as 365, or leave it empty.',
  },
  expires_at: {
    section: 'deletion',
    label: 'Take the page offline',
    hint: 'It goes to the trash then, with its submissions. Left empty: never.',
    control: 'time',
    wrong: 'Enter a day and a time in the future, or leave it empty.',
  },
};

/** The same by their names, which are any text. */
export const FIELD_OF: ReadonlyMap<string, FormField> = new Map(Object.entries(FIELDS));

/** The labels of the settings, by their names. */
export const LABELS: FieldLabels = Object.fromEntries(Object.entries(FIELDS).map(([name, { label }]) => [name, label]));

const NEVER_OPEN = 'The form would close before it opens: change one of the two.';

/** Says at a field what to enter. A number that is out of range, and a text that is too long, have a limit. */
export const sentenceOf: FieldSentences = (name, { code, limit, index }) => {
  const { control, wrong } = FIELD_OF.get(name) ?? {};
  if (code === 'conflict' && control === 'time') return NEVER_OPEN;
  const most = limit?.toLocaleString();
  if (code === 'too-high') return `At most ${most}.`;
  if (code === 'too-low') return `At least ${most}.`;
  if (code !== 'too-long') return wrong;
  const isList = index === undefined && (control === 'lines' || control === 'origins' || control === 'addresses');
  return isList ? `At most ${most} of them.` : `At most ${most} characters: shorten it.`;
};
