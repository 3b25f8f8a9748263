import { attribute, type HtmlElement, hasAttribute, typeOf } from '../../forms/html-tree.ts';
import type { AddressReader, Target } from './addresses.ts';
import type { CheckedForm } from './answer.ts';
import { isSubmitButton } from './form-fields.ts';
import type { Control, PageParts } from './read-page.ts';

/*
 * The forms of a page, and where each of their buttons sends them.
 */

/** Buttons of a form whose own address, method or encoding is looked at. */
const MAX_WAYS = 20;

/** One way in which a form can be sent: by its own attributes, or by those of a button. */
export type Way = {
  /** The element whose attribute decides the address, and that which decides the method. */
  action: { element: HtmlElement; value: string | undefined; target: Target };
  method: { element: HtmlElement; value: CheckedForm['method'] };
  enctype: { element: HtmlElement; value: CheckedForm['enctype'] };
};

export type ReadForm = {
  element: HtmlElement;
  isSearch: boolean;
  controls: readonly Control[];
  ways: readonly Way[];
  /** True if one of its ways leads to the page's own form. */
  submitsHere: boolean;
};

export const MULTIPART = 'multipart/form-data';
export const TEXT = 'text/plain';
export const enctypeOf = (value: string | undefined): CheckedForm['enctype'] => {
  const type = value?.toLowerCase();
  return type === MULTIPART || type === TEXT ? type : 'application/x-www-form-urlencoded';
};
export const methodOf = (value: string | undefined): CheckedForm['method'] => {
  const method = value?.toLowerCase();
  return method === 'post' || method === 'dialog' ? method : 'get';
};

/** The ways of a form, each once: one for each button that changes something, and its own. */
function waysOf(form: HtmlElement, controls: readonly Control[], address: AddressReader): Way[] {
  const own: Way = {
    action: { element: form, value: attribute(form, 'action'), target: address.targetOf(attribute(form, 'action')) },
    method: { element: form, value: methodOf(attribute(form, 'method')) },
    enctype: { element: form, value: enctypeOf(attribute(form, 'enctype')) },
  };
  const buttons = controls.filter(({ element }) => isSubmitButton(element)).map(({ element }) => element);
  const overriding = ['formaction', 'formmethod', 'formenctype'];
  const changing = buttons.filter((button) => overriding.some((name) => hasAttribute(button, name)));
  const ways = changing.slice(0, MAX_WAYS).map((element): Way => {
    const [action, method, enctype] = overriding.map((name) => attribute(element, name));
    return {
      action: action === undefined ? own.action : { element, value: action, target: address.targetOf(action) },
      method: method === undefined ? own.method : { element, value: methodOf(method) },
      enctype: enctype === undefined ? own.enctype : { element, value: enctypeOf(enctype) },
    };
  });
  return buttons.length > 0 && changing.length === buttons.length ? ways : [own, ...ways];
}

const leadsHere = ({ action, method }: Way): boolean => action.target === 'here' && method.value === 'post';

export function readForms({ forms, controls }: PageParts, address: AddressReader): ReadForm[] {
  const byForm = new Map<HtmlElement, Control[]>(forms.map(({ element }) => [element, []]));
  for (const control of controls) if (control.form) byForm.get(control.form)?.push(control);
  return forms.map(({ element, isSearch }) => {
    const own = byForm.get(element) ?? [];
    const ways = waysOf(element, own, address);
    const isSearchForm = isSearch || own.some((control) => typeOf(control.element) === 'search');
    return { element, isSearch: isSearchForm, controls: own, ways, submitsHere: ways.some(leadsHere) };
  });
}
