import { readJsonList } from '../lib/json-text.ts';
import { CAPTCHA_FIELDS } from './captcha-fields.ts';
import { shownControls } from './foreign-mark.ts';

/*
 * Fields that say what to do with a submission: ours, and those of services from which forms move here. They are stored
 * like every other field. Mails and tables leave them out, except the address for Reply-To.
 */

/**
 * The purpose of a field. `honeypot`: when it is filled in, nothing is stored. `spam-honeypot`: then the submission is spam.
 * `shown-subject`: the subject of mails, and data. `ignored`: it has no effect here.
 */
export type ControlKind =
  | 'honeypot'
  | 'spam-honeypot'
  | 'redirect'
  | 'reply-to'
  | 'subject'
  | 'shown-subject'
  | 'ignored';

/** The honeypot: people don't see it, robots fill it in. */
export const HONEYPOT = '_hp';
/** Where a visitor is sent after a submission. */
export const REDIRECT = '_redirect';

/** The field of a submission that the owner sends as a test. Mail shows it, which leaves out fields whose names begin with `_`. */
export const TEST_MARK = { name: 'test', text: 'This is a test, and was sent by the owner of the page.' };

const all = (control: ControlKind, ...names: string[]) => names.map((name) => [name, control] as const);

/** Ours, those of Formspree, FormSubmit and Basin, and what widgets of captchas send. */
const ALWAYS: ReadonlyMap<string, ControlKind> = new Map([
  ...all('honeypot', HONEYPOT),
  ...all('spam-honeypot', '_gotcha', '_honey'),
  ...all('redirect', REDIRECT, '_next'),
  ...all('reply-to', '_replyto'),
  ...all('subject', '_subject'),
  ...all('ignored', '_cc', '_autoresponse', '_template', '_format', '_captcha', '_blacklist', '_webhook', '_language'),
  ...all('ignored', ...Object.values(CAPTCHA_FIELDS)),
]);

const NETLIFY_FIELD = 'form-name';

/** Names that have a meaning only beside the field that every form of a service has: Web3Forms, Netlify, whose `subject` may be a visitor's. */
const BESIDE: readonly (readonly [field: string, controls: ReadonlyMap<string, ControlKind>])[] = [
  [
    'access_key',
    new Map([
      ...all('spam-honeypot', 'botcheck'),
      ...all('redirect', 'redirect'),
      ...all('reply-to', 'replyto'),
      ...all('subject', 'subject'),
      ...all('ignored', 'access_key', 'from_name', 'ccemail'),
    ]),
  ],
  [
    NETLIFY_FIELD,
    new Map([
      ...all('spam-honeypot', 'bot-field'),
      ...all('shown-subject', 'subject'),
      ...all('ignored', NETLIFY_FIELD),
    ]),
  ],
];

/** The fields of all services, which have their meaning in a form that posts to /f/. Of two for one name, the last counts. */
const FOREIGN: ReadonlyMap<string, ControlKind> = new Map([
  ...BESIDE.toReversed().flatMap(([, controls]) => [...controls]),
  ...all('spam-honeypot', 'honeypot'),
  ...ALWAYS,
]);

/**
 * The purpose of a form's fields, by their names: undefined for content. `names`: of all its fields. `id`: of the submission, which
 * says whether it came by /f/.
 */
export function controlsOf(names: readonly string[], id = ''): (name: string) => ControlKind | undefined {
  const isShown = shownControls(id);
  if (isShown) {
    const shown = names.includes(NETLIFY_FIELD) ? 'shown-subject' : undefined;
    return (name) => (isShown(name) ? (name === 'subject' ? shown : undefined) : FOREIGN.get(name));
  }
  const beside = BESIDE.filter(([field]) => names.includes(field));
  return (name) => ALWAYS.get(name) ?? beside.find(([, controls]) => controls.has(name))?.[1].get(name);
}

/** Returns whether columns and exports show a field to people: content, and the visitor's address in a field for Reply-To. */
export const isForPeople = (control: ControlKind | undefined): boolean =>
  control === undefined || control === 'reply-to' || control === 'shown-subject';

/** Returns whether a JSON text, known to be valid, is null, `""` or a list of only those. */
export function isEmptyJson(text: string): boolean {
  if (!text.startsWith('[')) return text === 'null' || text === '""';
  let at = 1;
  while (at < text.length - 1) {
    if (text.startsWith('null', at)) at += 4;
    else if (text.startsWith('""', at)) at += 2;
    else if (' ,\n\r\t'.includes(text.charAt(at))) at += 1;
    else return false;
  }
  return true;
}

/** Returns whether a JSON text is that of a box that is not ticked: scripts send false for it, as JSON or as a text. */
export const isUnticked = (json: string): boolean =>
  json.startsWith('[')
    ? readJsonList(json).every(isUnticked)
    : isEmptyJson(json) || json === 'false' || json === '"false"';
