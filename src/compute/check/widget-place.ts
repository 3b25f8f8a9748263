import { type HtmlElement, isElement, isHtml, NO_WIDGET_IN, startOf, typeOf } from '../../forms/html-tree.ts';
import { isSubmitButton } from './form-fields.ts';
import type { ReadForm } from './page-forms.ts';

/* The place of a captcha's widget in a form: above the button that sends it. */

const BUTTONS: ReadonlySet<string> = new Set(['submit', 'image', 'button', 'reset']);

/** The element around another one; undefined for that of the page itself. */
function around({ parentNode: parent }: HtmlElement): HtmlElement | undefined {
  return parent && isElement(parent) ? parent : undefined;
}

/** The elements around the fields that people see. Each is looked at once, however many fields it has. */
function aroundFields({ controls }: ReadForm): ReadonlySet<HtmlElement> {
  const found = new Set<HtmlElement>();
  for (const { element } of controls) {
    if (BUTTONS.has(typeOf(element)) || typeOf(element) === 'hidden') continue;
    let outer = around(element);
    while (outer && !found.has(outer)) {
      found.add(outer);
      outer = around(outer);
    }
  }
  return found;
}

/** Returns whether the parser leaves a widget directly before an element where it is put. */
function canStandBefore(element: HtmlElement): boolean {
  const outer = around(element);
  return outer !== undefined && isHtml(outer) && !NO_WIDGET_IN.has(outer.tagName);
}

function isWithin(element: HtmlElement, form: HtmlElement): boolean {
  let outer = around(element);
  while (outer && outer !== form) outer = around(outer);
  return outer === form;
}

/** The button that sends a form, and stands last in it. Of several that stand together, it is the first. */
function sendingButton({ controls }: ReadForm, end: number): HtmlElement | undefined {
  const elements = controls.map(({ element }) => element).filter((element) => startOf(element) < end);
  let at = elements.findLastIndex(isSubmitButton);
  const parent = elements[at]?.parentNode;
  for (let before = at - 1; before >= 0; before -= 1) {
    const element = elements[before];
    if (!element || element.parentNode !== parent || !BUTTONS.has(typeOf(element))) break;
    at = before;
  }
  return elements[at];
}

/** Returns where in the source of a page the widget of a form is put. `end`: where it can be put at the end of the form. */
export function placeAbove(form: ReadForm, end: number): number {
  const button = sendingButton(form, end);
  if (!button) return end;
  const withFields = aroundFields(form);
  // A line of buttons stays as it is: the widget is above it.
  let place = canStandBefore(button) ? button : undefined;
  let outer = around(button);
  for (; outer && outer !== form.element && !withFields.has(outer); outer = around(outer)) {
    if (canStandBefore(outer)) place = outer;
  }
  const at = place && isWithin(place, form.element) ? startOf(place) : 0;
  return at > startOf(form.element) && at < end ? at : end;
}
