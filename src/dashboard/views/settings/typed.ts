import {
  FIELDS,
  type FormField,
  hasConfirmation,
  hasKeys,
  QUESTIONS,
  type Settings,
  type Typed,
} from '../../setting-fields.ts';

/*
 * The settings of a page as its form has them.
 */

const FORM_FIELDS = new Map(
  Object.entries(FIELDS).flatMap(([name, field]) => ('control' in field ? [[name, field] as const] : [])),
);

/** The fields of the form, by the question that they answer. */
export const SECTIONS = QUESTIONS.map((question) => ({
  question,
  fields: new Map([...FORM_FIELDS].filter(([, field]) => field.question === question)),
}));

/** A time as `<input type="datetime-local">` has it. */
function toLocal(time: string): string {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toText(control: FormField['control'], value: unknown): string {
  if (Array.isArray(value)) return value.join('\n');
  const text = String(value ?? '');
  return control === 'time' && text !== '' ? toLocal(text) : text;
}

/** The settings as they are typed at first. */
export const toTyped = (settings: Settings): Typed =>
  Object.fromEntries(
    Array.from(FORM_FIELDS, ([name, { control }]) => {
      const read = (value: unknown, part: string): unknown => Object(value)[part];
      return [name, toText(control, name.split('.').reduce(read, settings))];
    }),
  );

/** A text as the API takes it. The service says what is wrong with it. */
function toValue(control: FormField['control'], typed: string): string | number | string[] | null {
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
  const changed = [...FORM_FIELDS.keys()].filter((name) => typed[name] !== saved[name]);
  const valueIn = (name: string) => toValue(FORM_FIELDS.get(name)?.control ?? 'text', typed[name] ?? '');
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
