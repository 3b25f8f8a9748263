import { SIZES } from '../../limits.ts';
import type { Found, Severity } from './answer.ts';
import { isEntered, isSent, isSubmitButton, nameOf, typeOf } from './fields.ts';
import type { ReadForm } from './forms.ts';
import { attribute, type HtmlElement, hasAttribute, startOf } from './html-tree.ts';
import type { Control, PageParts } from './read-page.ts';
import { hasHandlers, type Scripts } from './scripts.ts';
import { rawTextOf, tidy } from './texts.ts';

/*
 * What is wrong with the fields and buttons of a form.
 */

/** Names that other services have for what `_hp`, `email` and `_redirect` are here. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ...['_gotcha', '_honey', '_honeypot', '_trap'].map((name) => [name, '_hp'] as const),
  ...['_replyto', '_reply_to'].map((name) => [name, 'email'] as const),
  ...['_next', '_after', '_return', '_success', '_thanks'].map((name) => [name, '_redirect'] as const),
]);
/** The text fields of the standard that "block implicit submission": with two of them, Enter does not send a form. */
const TEXT_TYPES = new Set('text search tel url email password date month week time datetime-local number'.split(' '));

/** A value of the page in a message, on one line. */
export const shown = (value: string): string => tidy(value, SIZES.check.maxShownChars);

/** Whether visitors see a control and enter something into it. */
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
  yield {
    code: 'field-without-name',
    // A box to agree or to show something with may be meant to send nothing, and a script may read the field.
    severity: isBox || scripts.hasOthers ? 'warning' : 'error',
    message: `What visitors enter here is not sent, because the field has no name: write name="${isBox && id === '' ? 'choice' : name}".`,
    at: startOf(element),
  };
}

export function* problemsOfName(element: HtmlElement): Generator<Found> {
  const name = nameOf(element);
  const isHidden = typeOf(element) === 'hidden';
  if (!name.startsWith('_') || !(isHidden || isEntered(element))) return;
  const report = (severity: Severity, message: string): Found => ({
    code: 'reserved-name',
    severity,
    message,
    at: startOf(element),
  });
  const foreign = FOREIGN_NAMES.get(name.toLowerCase());
  if (name === '_hp') {
    if (isFilledHoneypot(element)) {
      yield report(
        'error',
        'A submission with a value in _hp is dropped as spam, and this field always has one: write <input name="_hp"> without value, checked or required, or use another name.',
      );
    }
  } else if (foreign !== undefined) {
    yield report('warning', `${name} has no effect here: write name="${foreign}".`);
  } else if (!isHidden && name === '_redirect') {
    yield report(
      'warning',
      '_redirect says where visitors are sent afterwards, and is no field to fill in: write type="hidden", or use another name.',
    );
  } else if (!isHidden) {
    const without = name.replace(/^_+/, '');
    const other = without === '' ? 'another name' : `name="${shown(without)}"`;
    yield report('warning', `Fields whose names begin with _ are left out of mails: write ${other}.`);
  }
}

/** Whether the honeypot has a value that nobody has entered, or makes everybody enter one. */
function isFilledHoneypot(element: HtmlElement): boolean {
  const type = typeOf(element);
  if (hasAttribute(element, 'required')) return type !== 'hidden';
  if (type === 'checkbox' || type === 'radio') return hasAttribute(element, 'checked');
  if (type === 'textarea') return rawTextOf(element) !== '';
  return type !== 'select' && type !== 'file' && (attribute(element, 'value') ?? '') !== '';
}

export function* problemOfButton(
  { element, controls }: ReadForm,
  { elements }: PageParts,
  scripts: Scripts,
): Generator<Found> {
  if (scripts.callsSubmit || controls.some((control) => isSubmitButton(control.element))) return;
  // A button of a script's own, or one that a script has made an element for.
  if (controls.some((control) => typeOf(control.element) === 'button' && hasHandlers(control.element))) return;
  if (elements.some((one) => one.tagName.includes('-') && attribute(one, 'type')?.toLowerCase() === 'submit')) return;
  const texts = controls.filter((control) => TEXT_TYPES.has(typeOf(control.element)));
  const hasButton = controls.some((control) => typeOf(control.element) === 'button');
  const write = hasButton ? 'write type="submit" in its <button>' : 'write <button>Send</button> before </form>';
  yield {
    code: 'no-submit-button',
    severity: texts.length === 1 || scripts.hasOthers ? 'warning' : 'error',
    message: `The form has no button that sends it: ${write}.`,
    at: startOf(element),
  };
}
