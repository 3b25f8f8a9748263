import { FIELD_OF, type FormField, hasConfirmation, hasKeys, type Settings, type Typed } from '../setting-fields.ts';
import { t } from '../texts/chosen-texts.ts';
import { instantAt, toLocalTime, zoneOfOwner } from './local-time.ts';
import { toAddress, toHttpUrl, toSite } from './typed-addresses.ts';

/*
 * The settings of a page as forms have them, and back as the API takes them.
 */

/** An address that was typed and not added to the recipients yet. */
export const NEW_RECIPIENT = 'recipients.new';

const partOf = (value: unknown, part: string): unknown => (value instanceof Object ? Reflect.get(value, part) : value);

function toText(control: FormField['control'], value: unknown): string {
  if (control === 'addresses' && Array.isArray(value)) return value.map((one) => partOf(one, 'email')).join('\n');
  if (Array.isArray(value)) return value.join('\n');
  const text = String(value ?? '');
  return control === 'time' && text !== '' ? toLocalTime(Date.parse(text), zoneOfOwner()) : text;
}

/** The settings as they are typed at first. */
export const toTyped = (settings: Settings): Typed => ({
  ...Object.fromEntries(
    Array.from(FIELD_OF, ([name, { control }]) => [
      name,
      toText(
        control,
        name.split('.').reduce<unknown>((value, part) => partOf(value, part), settings),
      ),
    ]),
  ),
  [NEW_RECIPIENT]: '',
});

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));

/** A text as the API takes it. The service says what is wrong with it. */
function toValue(control: FormField['control'], typed: string): string | number | boolean | string[] | null {
  const text = typed.trim();
  if (control === 'lines') return linesOf(text);
  if (control === 'origins') return linesOf(text).map(toSite);
  if (control === 'addresses') return linesOf(text).map(toAddress);
  if (control === 'switch') return text === 'true';
  if (text === '') return null;
  if (control === 'time') return instantAt(text, zoneOfOwner())?.toISOString() ?? text;
  if (control === 'url') return toHttpUrl(text);
  if (control !== 'number') return text;
  // People write 1,000, 1.000 and 1 000.
  const digits = text.replaceAll(/(?<=\d)[\s.,'’](?=\d{3}(?!\d))/g, '');
  return /^\d+$/.test(digits) ? Number(digits) : text;
}

const THANKS: Typed = {
  'confirmation.subject': t.settings.firstMail.subject,
  'confirmation.text': t.settings.firstMail.text,
};

/** The settings after something was typed. A mail begins with a text that one can change. */
export const typeInto = (typed: Typed, name: string, text: string): Typed => ({
  ...typed,
  ...(name === 'confirmation.field' && typed['confirmation.text'] === '' && THANKS),
  [name]: text,
});

/** The names of the settings that differ from those that were read. */
export const changedNames = (typed: Typed, read: Typed): string[] =>
  Object.keys(typed).filter((name) => typed[name] !== read[name]);

/** Settings whose parts are new together: their form had one control before. */
const GROUPS = ['confirmation.field', 'spam.captcha.provider'];

/** How many changes a person has made. */
export function countChanges(typed: Typed, read: Typed): number {
  const groups = GROUPS.filter((name) => typed[name] !== read[name]).map((name) => name.replace(/\w+$/, ''));
  const changes = changedNames(typed, read).map((name) => groups.find((group) => name.startsWith(group)) ?? name);
  const [before, now] = [read, typed].map(({ recipients = '' }) => linesOf(recipients));
  const moved = [...(before ?? []), ...(now ?? [])].filter((one) => !(before?.includes(one) && now?.includes(one)));
  return new Set(changes).size + Math.max(0, moved.length - 1);
}

/** The changed fields, as the API takes them: fields that others change meanwhile stay. */
export function changesOf(typed: Typed, read: Typed): Record<string, unknown> {
  const changed = changedNames(typed, read);
  const valueIn = (name: string) => toValue(FIELD_OF.get(name)?.control ?? 'text', typed[name] ?? '');
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
    ...(changed.includes(NEW_RECIPIENT) && { recipients: recipientsIn(typed) }),
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

/** The recipients with the one that was typed and not added. */
export const recipientsIn = (typed: Typed): string[] => [
  ...new Set([...linesOf(typed.recipients ?? ''), ...linesOf(typed[NEW_RECIPIENT] ?? '')].map(toAddress)),
];

/** Returns the value of a list that an error is about. */
export const itemAt = (typed: Typed, name: string, index: number): string | undefined =>
  name === 'recipients' ? recipientsIn(typed)[index] : linesOf(typed[name] ?? '')[index];
