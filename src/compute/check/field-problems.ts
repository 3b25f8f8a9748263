import { CAPTCHA_FIELDS, CAPTCHA_PROVIDERS, type CaptchaProvider } from '../../forms/captcha-fields.ts';
import type { ControlKind } from '../../forms/control-fields.ts';
import { attribute, type HtmlElement, hasAttribute, startOf, typeOf } from '../../forms/html-tree.ts';
import { rawTextOf, tidy } from '../../forms/page-texts.ts';
import type { Found } from './answer.ts';
import { isEntered, isSent, isSubmitButton, nameOf } from './form-fields.ts';
import type { ReadForm } from './page-forms.ts';
import type { Control, PageParts } from './read-page.ts';
import { hasHandlers, type Scripts } from './scripts.ts';

/** Characters of a page's value in a message, which stays on one line. */
const MAX_SHOWN_CHARS = 60;

/*
 * Finds what is wrong with the fields and buttons of a form.
 */

/** The advice for a field that has a meaning for another service only. */
const FOREIGN_FIELDS: ReadonlyMap<string, string> = new Map([
  ...['_honeypot', '_trap'].map((name) => [name, 'write name="_hp"'] as const),
  ['_reply_to', 'write name="email"'],
  ...['_after', '_return', '_success', '_thanks'].map((name) => [name, 'write name="_redirect"'] as const),
  ...['_cc', 'ccemail'].map((name) => [name, 'send mail to others by the setting recipients, and remove it'] as const),
  ['_autoresponse', 'write the text into the setting confirmation, and remove it'],
  ...['_template', '_format'].map((name) => [name, 'mails have one layout, remove it'] as const),
  ['_captcha', 'switch a captcha on or off by the setting spam, and remove it'],
  ['_blacklist', 'write the words into the blocklist of the setting spam, and remove it'],
  ['_webhook', 'add a webhook to the page, and remove it'],
  ['_language', 'choose the language of the pages for visitors by the setting language, and remove it'],
  ['_url', 'remove it'],
  ['from_name', 'mails come from the address of the service, remove it'],
  // Other fields of these two services have their meaning beside it only.
  [
    'access_key',
    'write _gotcha, _redirect, _replyto and _subject in place of botcheck, redirect, replyto and subject, and remove it',
  ],
  ['form-name', 'write _gotcha in place of bot-field, and remove it'],
  ...CAPTCHA_PROVIDERS.map(
    (provider) => [CAPTCHA_FIELDS[provider], `switch ${provider} on by the setting spam, or remove it`] as const,
  ),
]);
/** The text fields of the standard that "block implicit submission": with two of them, Enter does not send a form. */
const TEXT_TYPES = new Set('text search tel url email password date month week time datetime-local number'.split(' '));

/** A value of the page in a message, on one line. */
export const shown = (value: string): string => tidy(value, MAX_SHOWN_CHARS);

/** Returns whether visitors see a control and enter something into it. */
export const isVisible = (element: HtmlElement): boolean => isEntered(element) && !hasAttribute(element, 'hidden');

/** How many fields a form sends at most: one of each group of radio buttons, and one button. */
export function countFields(controls: readonly Control[]): number {
  const once = new Set<string>();
  let count = 0;
  for (const control of controls.filter(isSent)) {
    const type = typeOf(control.element);
    if (type === 'radio') once.add(`radio ${nameOf(control.element)}`);
    else if (type === 'submit') once.add('submit');
    else count += 1;
  }
  return count + once.size;
}

export function* problemOfNameless(element: HtmlElement, scripts: Scripts): Generator<Found> {
  if (nameOf(element) !== '' || !isVisible(element) || hasHandlers(element) || hasAttribute(element, 'readonly'))
    return;
  const id = attribute(element, 'id') ?? '';
  const type = typeOf(element);
  const name = /^[A-Za-z][\w-]{0,40}$/.test(id) ? id : type === 'email' || type === 'tel' ? type : 'message';
  const isBox = type === 'checkbox' || type === 'radio';
  // A box to agree or to show something with may be meant to send nothing, and a script may read the field.
  const severity = isBox || scripts.hasOthers ? 'warning' : 'error';
  const message = `What visitors enter here is not sent, because the field has no name: write name="${isBox && id === '' ? 'choice' : name}".`;
  yield { code: 'field-without-name', severity, message, at: startOf(element) };
}

type ControlOf = (name: string) => ControlKind | undefined;

/** The advice for a field that has no effect here: another service's, or a control field in other letters. */
function insteadOf(name: string, controlOf: ControlOf, captcha: CaptchaProvider | undefined): string | undefined {
  const control = controlOf(name);
  if (control !== 'ignored' && !name.startsWith('_')) return undefined;
  if (captcha !== undefined && name === CAPTCHA_FIELDS[captcha]) return undefined;
  const lower = name.toLowerCase();
  const isMiswritten = control === undefined && controlOf(lower) !== undefined;
  return FOREIGN_FIELDS.get(lower) ?? (isMiswritten ? `write name="${lower}"` : undefined);
}

/** `controlOf`: what a field is for, where that is no content. `captcha`: the one that the page's settings switch on. */
export function* problemsOfName(
  element: HtmlElement,
  controlOf: ControlOf,
  captcha: CaptchaProvider | undefined,
): Generator<Found> {
  const name = nameOf(element);
  const control = controlOf(name);
  const isHidden = typeOf(element) === 'hidden';
  if (!(isHidden || isEntered(element))) return;
  const report = (severity: Found['severity'], message: string, code: Found['code'] = 'reserved-name'): Found => ({
    code,
    severity,
    message,
    at: startOf(element),
  });
  const instead = insteadOf(name, controlOf, captcha);
  if (control === 'honeypot' || control === 'spam-honeypot') {
    if (isFilledHoneypot(element)) {
      const fate = control === 'honeypot' ? 'dropped as spam' : 'put into the spam folder';
      yield report(
        'error',
        `A submission with a value in ${name} is ${fate}, and this field always has one: write <input name="${name}"> without value, checked or required, or use another name.`,
      );
    }
  } else if (instead !== undefined) {
    yield report('warning', `${name} has no effect here: ${instead}.`, 'foreign-field');
  } else if (control === 'redirect' && !isHidden) {
    yield report(
      'warning',
      `${name} says where visitors are sent afterwards, and is no field to fill in: write type="hidden", or use another name.`,
    );
  } else if (control === 'reply-to' && !isHidden) {
    yield report('warning', `Tables and exports leave ${name} out: write name="email", which is for replies too.`);
  } else if (control === undefined && !isHidden && name.startsWith('_')) {
    const without = name.replace(/^_+/, '');
    const other = without === '' ? 'another name' : `name="${shown(without)}"`;
    yield report('warning', `Fields whose names begin with _ are left out of mails: write ${other}.`);
  }
}

/** Returns whether the honeypot has a value that nobody has entered, or requires everybody to enter one. */
function isFilledHoneypot(element: HtmlElement): boolean {
  const type = typeOf(element);
  if (hasAttribute(element, 'required')) return type !== 'hidden';
  if (type === 'checkbox' || type === 'radio') return hasAttribute(element, 'checked');
  if (type === 'textarea') return rawTextOf(element) !== '';
  return type !== 'select' && type !== 'file' && (attribute(element, 'value') ?? '') !== '';
}

export function* problemOfButton(
  { element, controls }: ReadForm,
  { hasSubmitElement }: PageParts,
  scripts: Scripts,
): Generator<Found> {
  if (scripts.callsSubmit || controls.some((control) => isSubmitButton(control.element))) return;
  // A button of a script's own, or one that a script has made an element for.
  if (controls.some((control) => typeOf(control.element) === 'button' && hasHandlers(control.element))) return;
  if (hasSubmitElement) return;
  const texts = controls.filter((control) => TEXT_TYPES.has(typeOf(control.element)));
  const hasButton = controls.some((control) => typeOf(control.element) === 'button');
  const write = hasButton ? 'write type="submit" in its <button>' : 'write <button>Send</button> before </form>';
  const severity = texts.length === 1 || scripts.hasOthers ? 'warning' : 'error';
  const message = `The form has no button that sends it: ${write}.`;
  yield { code: 'no-submit-button', severity, message, at: startOf(element) };
}
