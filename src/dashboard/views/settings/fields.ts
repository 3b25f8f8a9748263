import type { Schemas } from '../../../client/client.ts';
import { LANGUAGES } from '../../../lib/languages.ts';

/*
 * The settings of a page as a form has them: each is a text, under its name in the API. A part of a setting has a name with dots.
 */

export type Settings = Schemas['Settings'];
type Option = { value: string; label: string };
export type Typed = Readonly<Record<string, string>>;

export type SettingField = {
  label: string;
  hint?: string;
  control: 'lines' | 'number' | 'password' | 'text' | 'url' | readonly Option[];
  isShown?(typed: Typed): boolean;
};

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
const hasKeys = (typed: Typed): boolean => !['', 'altcha'].includes(typed['spam.captcha.provider'] ?? '');

const AFTER_SENDING: Readonly<Record<string, SettingField>> = {
  redirect_url: {
    label: 'Redirect URL',
    hint: 'Where visitors are sent after they have sent the form. Left empty: to a page that thanks them.',
    control: 'url',
  },
  language: {
    label: 'Language',
    hint: 'Of the pages that thank visitors, or say what is wrong.',
    control: LANGUAGE_OPTIONS,
  },
  retention_days: {
    label: 'Delete submissions after days',
    hint: 'From 1 to 3,650, files and spam too. Left empty: never.',
    control: 'number',
  },
};

const WHO_MAY_SEND: Readonly<Record<string, SettingField>> = {
  allowed_origins: {
    label: 'Allowed sites',
    hint: 'One a line, such as https://example.org. Left empty: forms of any site may send.',
    control: 'lines',
  },
  'spam.blocklist': {
    label: 'Blocked words',
    hint: 'One a line. A submission that has one of them as a whole word is kept apart as spam; casino* also finds casinos.',
    control: 'lines',
  },
  'spam.captcha.provider': { label: 'Captcha', control: CAPTCHA_OPTIONS },
  'spam.captcha.site_key': { label: 'Site key', control: 'text', isShown: hasKeys },
  'spam.captcha.secret': {
    label: 'Secret',
    hint: 'It is never shown again. Left empty, the one of the same captcha stays.',
    control: 'password',
    isShown: hasKeys,
  },
};

/** All settings, by the question that they answer. */
export const QUESTIONS = [
  { question: 'After sending', fields: AFTER_SENDING },
  { question: 'Who may send', fields: WHO_MAY_SEND },
] as const;

export const FIELDS: Readonly<Record<string, SettingField>> = { ...AFTER_SENDING, ...WHO_MAY_SEND };

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n');
  return String(value ?? '');
}

/** The settings as they are typed at first. */
export const toTyped = (settings: Settings): Typed =>
  Object.fromEntries(
    Object.keys(FIELDS).map((name) => {
      const read = (value: unknown, part: string): unknown => Object(value)[part];
      return [name, toText(name.split('.').reduce(read, settings))];
    }),
  );

/** What is typed, as the API takes it. What should be a number and is none goes as it is: the API says what is wrong. */
function toValue(control: SettingField['control'], typed: string): string | number | string[] | null {
  const text = typed.trim();
  if (control === 'lines') {
    return text === '' ? [] : text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  }
  if (text === '') return null;
  return control === 'number' && /^\d+$/.test(text) ? Number(text) : text;
}

/** What has changed, as the API takes it: what others change meanwhile stays. */
export function changesOf(typed: Typed, saved: Typed): Record<string, unknown> {
  const changed = Object.keys(FIELDS).filter((name) => typed[name] !== saved[name]);
  const valueIn = (name: string) => toValue(FIELDS[name]?.control ?? 'text', typed[name] ?? '');
  const simple = changed.filter((name) => !name.includes('.')).map((name) => [name, valueIn(name)]);
  const captcha = {
    provider: valueIn('spam.captcha.provider'),
    ...(hasKeys(typed) && {
      site_key: valueIn('spam.captcha.site_key') ?? undefined,
      secret: valueIn('spam.captcha.secret') ?? undefined,
    }),
  };
  return {
    ...Object.fromEntries(simple),
    ...(changed.some((name) => name.startsWith('spam.')) && {
      spam: { blocklist: valueIn('spam.blocklist'), captcha: captcha.provider === null ? null : captcha },
    }),
  };
}
