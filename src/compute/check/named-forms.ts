import { FORM_NAME, type PageField, type PageForm, toFormName } from '../../forms/forms-of-page.ts';
import { attribute, type HtmlElement, hasAttribute, startOf } from '../../forms/html-tree.ts';
import { textOf } from '../../forms/page-texts.ts';
import { SIZES } from '../../sizes.ts';
import type { AddressReader } from './addresses.ts';
import type { Field } from './answer.ts';
import { countInFieldsets, fieldsOf, nameOf } from './form-fields.ts';
import type { ReadForm } from './page-forms.ts';
import type { Control, PageParts } from './read-page.ts';
import { isGivenToScript, readScripts, type Scripts } from './scripts.ts';

/*
 * The forms of a page by their names, with the fields that tell them apart.
 */

/** Fields with longer names, and longer values, tell nothing apart. */
const MAX_CHARS = 200;
/** Values of the buttons with one name. */
const MAX_VALUES = 20;
/** Elements around a control that may hide it. */
const MAX_AROUND = 20;

/** A page as it was read for a check. */
type ReadPage = { parts: PageParts; address: AddressReader; forms: readonly ReadForm[] };

const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i;
const hides = (element: HtmlElement): boolean =>
  hasAttribute(element, 'hidden') || HIDING_STYLE.test((attribute(element, 'style') ?? '').slice(0, 1_000));

/** Returns whether an attribute or a style of the page's elements, not one of a style sheet, hides a control. */
export function isHidden(control: HtmlElement): boolean {
  let element: HtmlElement = control;
  for (let depth = 0; depth < MAX_AROUND; depth += 1) {
    if (hides(element)) return true;
    const { parentNode } = element;
    if (!parentNode || !('tagName' in parentNode)) return false;
    element = parentNode;
  }
  return false;
}

/** Returns whether a form may send to the page's own address: by its attributes, or by a script, which no address in it forbids. */
function isOwn({ element, isSearch, ways }: ReadForm, scripts: Scripts): boolean {
  if (isSearch) return false;
  const hasScript = isGivenToScript(element) || scripts.sendsForms || scripts.hasOthers;
  return ways.some(({ action: { target }, method }) => {
    if (method.value === 'post') return target === 'here' || target === 'own-host';
    const isOfScript = method.value === 'get' && attribute(method.element, 'method') === undefined;
    return isOfScript && hasScript && (target === 'here' || target === 'script');
  });
}

/** The heading in each form, else the last one before it that is in no form. */
export function headingsOf(forms: readonly ReadForm[], { headings }: PageParts): ReadonlyMap<HtmlElement, HtmlElement> {
  const found = new Map<HtmlElement, HtmlElement>();
  for (const { element, form } of headings) if (form && !found.has(form)) found.set(form, element);
  const free = headings.filter(({ form, element }) => !form && textOf(element) !== '');
  let next = 0;
  for (const { element } of forms) {
    while (next < free.length && startOf(free[next]?.element ?? element) < startOf(element)) next += 1;
    const before = free[next - 1];
    if (before && !found.has(element)) found.set(element, before.element);
  }
  return found;
}

export function nameOfForm({ element, controls }: ReadForm, heading: HtmlElement | undefined): string | null {
  const told = controls.find((control) => nameOf(control.element) === FORM_NAME)?.element;
  const texts = [told && attribute(told, 'value'), attribute(element, 'name'), attribute(element, 'id')];
  for (const text of texts) {
    const name = toFormName(text ?? '');
    if (name !== null) return name;
  }
  return heading ? toFormName(textOf(heading)) : null;
}

function honeypotOf({ element }: ReadForm): string | null {
  const field = attribute(element, 'netlify-honeypot') ?? attribute(element, 'data-netlify-honeypot') ?? '';
  return field === '' || field.length > MAX_CHARS ? null : field;
}

/** The values that fields send, and that nobody enters. */
function valuesOf({ type, options }: Field, controls: readonly Control[]): string[] | null {
  if (type === 'submit') return (options ?? []).slice(0, MAX_VALUES).map(({ value }) => value.slice(0, MAX_CHARS));
  if (type !== 'hidden') return null;
  const values = controls.map(({ element }) => (attribute(element, 'value') ?? '').slice(0, MAX_CHARS));
  return values.slice(0, MAX_VALUES);
}

/** The fields of some controls, each name once. */
function pageFieldsOf(controls: readonly Control[], parts: PageParts, othersIn: ReturnType<typeof countInFieldsets>) {
  // A script may switch a field on.
  const enabled = controls.map((control) => ({ ...control, isDisabled: false }));
  const byName = Map.groupBy(enabled, ({ element }) => nameOf(element));
  const fields = new Map<string, PageField>();
  for (const field of fieldsOf(enabled, parts, othersIn)) {
    const { name, type, label } = field;
    const known = fields.get(name);
    if (known) {
      if (known.label === null && label !== null) fields.set(name, { ...known, label });
      continue;
    }
    if (name.length > MAX_CHARS) continue;
    const own = byName.get(name) ?? [];
    const isShown = type !== 'hidden' && !own.every(({ element }) => isHidden(element));
    fields.set(name, { name, type, label, isShown, values: valuesOf(field, own) });
  }
  return [...fields.values()];
}

/** The forms of a page in their order, and its fields that belong to no form; as many as are kept. */
export function namedForms({ parts, address, forms }: ReadPage): PageForm[] {
  const othersIn = countInFieldsets(parts.controls);
  const scripts = readScripts(parts, address, new Map());
  const headings = headingsOf(forms, parts);
  const { maxKeptForms, maxKeptFields } = SIZES.check;
  const found: PageForm[] = [];
  let left = maxKeptFields;
  const add = (form: Omit<PageForm, 'fields'>, controls: readonly Control[]): void => {
    const fields = left > 0 ? pageFieldsOf(controls, parts, othersIn).slice(0, left) : [];
    left -= fields.length;
    found.push({ ...form, fields });
  };
  for (const form of forms.slice(0, maxKeptForms)) {
    const name = nameOfForm(form, headings.get(form.element));
    add({ kind: isOwn(form, scripts) ? 'own' : 'other', name, honeypot: honeypotOf(form) }, form.controls);
  }
  const loose = parts.controls.filter(({ form }) => form === undefined);
  if (loose.length > 0) add({ kind: 'loose', name: null, honeypot: null }, loose);
  return found;
}
