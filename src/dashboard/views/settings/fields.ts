import type { Schemas } from '../../../client/client.ts';
import { LANGUAGES } from '../../../lib/languages.ts';
import { timeZone } from '../../ui/time.tsx';

/*
 * The settings of a page as a form has them: each is a text, under its name in the API. A part of a setting has a name with dots.
 */

export type Settings = Schemas['Settings'];
export type Option = { value: string; label: string };
export type Typed = Readonly<Record<string, string>>;

export type SettingField = {
  label: string;
  hint?: string;
  /** `form-field`: the name of a field of the page's form. `time`: in the zone of the browser. */
  control: 'form-field' | 'lines' | 'number' | 'password' | 'text' | 'texts' | 'time' | 'url' | readonly Option[];
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

const hasConfirmation = (typed: Typed): boolean => typed['confirmation.field'] !== '';

/** All settings, by the question that they answer. */
export const QUESTIONS: readonly { question: string; fields: Readonly<Record<string, SettingField>> }[] = [
  {
    question: 'After sending',
    fields: {
      redirect_url: {
        label: 'Redirect URL',
        hint: 'The page that visitors see after they have sent the form. Left empty: one that thanks them.',
        control: 'url',
      },
      language: {
        label: 'Language',
        hint: 'Of the pages that thank visitors, or say what is wrong.',
        control: LANGUAGE_OPTIONS,
      },
      'confirmation.field': {
        label: 'Thank visitors by mail',
        hint: 'To the address in this field, once a day at most.',
        control: 'form-field',
      },
      'confirmation.subject': { label: 'Subject of the mail', control: 'text', isShown: hasConfirmation },
      'confirmation.text': {
        label: 'Text of the mail',
        hint: '{{reference}} becomes the number of the submission, {{page}} the name of the page, and {{date}} the day.',
        control: 'texts',
        isShown: hasConfirmation,
      },
    },
  },
  {
    question: 'Who may send',
    fields: {
      allowed_origins: {
        label: 'Allowed sites',
        hint: 'One a line, such as https://example.org, or capacitor://localhost for an app; null for pages that hide where they are. Left empty: forms of any site may send.',
        control: 'lines',
      },
      submissions_per_minute: {
        label: 'Submissions a minute',
        hint: 'More are refused for a moment. Left empty: 10.',
        control: 'number',
      },
    },
  },
  {
    question: 'When it is open',
    fields: {
      opens_at: {
        label: 'Opens',
        hint: `In the time zone ${timeZone}. Left empty: it is open at once.`,
        control: 'time',
      },
      closes_at: { label: 'Closes', hint: `In the time zone ${timeZone}. Left empty: never.`, control: 'time' },
      max_submissions: {
        label: 'Places',
        hint: 'It closes with as many submissions. A deleted one frees its place. Left empty: no limit.',
        control: 'number',
      },
      closed_message: {
        label: 'Message while it is closed',
        hint: 'Visitors who send the form then read it. Left empty: that it is not open yet, closed or full.',
        control: 'texts',
      },
    },
  },
  {
    question: 'Spam',
    fields: {
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
    },
  },
  {
    question: 'Delete',
    fields: {
      retention_days: {
        label: 'Delete submissions after days',
        hint: 'From 1 to 3,650, files and spam too. Left empty: never.',
        control: 'number',
      },
    },
  },
];

export const FIELDS: Readonly<Record<string, SettingField>> = Object.assign(
  {},
  ...QUESTIONS.map(({ fields }) => fields),
);

/** A time as `<input type="datetime-local">` has it. */
function toLocal(time: string): string {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toText(control: SettingField['control'], value: unknown): string {
  if (Array.isArray(value)) return value.join('\n');
  const text = String(value ?? '');
  return control === 'time' && text !== '' ? toLocal(text) : text;
}

/** The settings as they are typed at first. */
export const toTyped = (settings: Settings): Typed =>
  Object.fromEntries(
    Object.entries(FIELDS).map(([name, { control }]) => {
      const read = (value: unknown, part: string): unknown => Object(value)[part];
      return [name, toText(control, name.split('.').reduce(read, settings))];
    }),
  );

/** A text as the API takes it. The service says what is wrong with it. */
function toValue(control: SettingField['control'], typed: string): string | number | string[] | null {
  const text = typed.trim();
  if (control === 'lines') {
    return text === '' ? [] : text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  }
  if (text === '') return null;
  if (control === 'time') return new Date(text).toISOString();
  return control === 'number' && /^\d+$/.test(text) ? Number(text) : text;
}

const THANKS: Typed = {
  'confirmation.subject': 'Thank you',
  'confirmation.text': 'Thank you. We have received what you sent.\n\nYour reference: {{reference}}',
};

/** The settings after something was typed. A mail begins with a text that one can change. */
export const typeInto = (typed: Typed, name: string, text: string): Typed => ({
  ...typed,
  ...(name === 'confirmation.field' && typed['confirmation.text'] === '' && THANKS),
  [name]: text,
});

/** The changed fields, as the API takes them: fields that others change meanwhile stay. */
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
    ...(changed.some((name) => name.startsWith('confirmation.')) && {
      confirmation: hasConfirmation(typed)
        ? {
            field: typed['confirmation.field'],
            subject: valueIn('confirmation.subject') ?? '',
            text: valueIn('confirmation.text') ?? '',
          }
        : null,
    }),
  };
}
