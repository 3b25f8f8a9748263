import { attribute, type HtmlElement, hasAttribute, isElement, isHtml, typeOf } from '../../forms/html-tree.ts';
import { orNull, rawTextOf, textOf, tidy } from '../../forms/page-texts.ts';
import type { Field, Option } from './answer.ts';
import type { Control, Ids, PageParts } from './read-page.ts';

/** Ids in one `aria-labelledby` that are looked up. */
const MAX_LABEL_IDS = 5;

/*
 * The fields that a form sends, and their labels.
 */

/** The types for which the standard has no `required`. */
const NEVER_REQUIRED = new Set(['button', 'color', 'hidden', 'image', 'range', 'reset', 'submit']);
/** The types for which the standard has a `placeholder`. */
const WITH_PLACEHOLDER = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number', 'textarea']);
/** The types that visitors enter nothing into. */
const NOT_ENTERED = new Set(['hidden', 'button', 'reset', 'submit', 'image']);
/** Several controls with one name are one field. */
const CHOICES = new Set(['radio', 'checkbox', 'submit']);

/** Returns whether visitors enter something into a control. */
export const isEntered = (element: HtmlElement): boolean => !NOT_ENTERED.has(typeOf(element));

/** Returns whether a control sends a form. An <input> of the type `image` does so too. */
export const isSubmitButton = (element: HtmlElement): boolean => ['submit', 'image'].includes(typeOf(element));

/** The name under which a control is sent; '' for none. */
export const nameOf = (element: HtmlElement): string => attribute(element, 'name') ?? '';

/** Returns whether a control can be sent as a field. The coordinates of an image are not a field. */
export const isSent = ({ element, isDisabled }: Control): boolean =>
  !isDisabled && nameOf(element) !== '' && !['button', 'reset', 'image'].includes(typeOf(element));

type Naming = Pick<PageParts, 'labels' | 'legends'>;

/** `ids`: those of the tree that the element is in. */
function ariaLabelOf(element: HtmlElement, ids: Ids): string {
  const named = (attribute(element, 'aria-labelledby') ?? '')
    .slice(0, 1_000)
    .trim()
    .split(/\s+/)
    .slice(0, MAX_LABEL_IDS);
  const texts = named.map((id) => {
    const at = ids.get(id);
    return at ? textOf(at) : '';
  });
  return tidy(texts.join(' ')) || tidy(attribute(element, 'aria-label') ?? '');
}

/** The label of a control, or else its placeholder. */
function labelOf({ element, ids }: Control, naming: Naming): string | null {
  const type = typeOf(element);
  if (type === 'hidden') return null;
  for (const label of naming.labels.get(element) ?? []) {
    const text = textOf(label);
    if (text !== '') return text;
  }
  const label = ariaLabelOf(element, ids);
  if (label !== '') return label;
  return WITH_PLACEHOLDER.has(type) ? orNull(tidy(attribute(element, 'placeholder') ?? '')) : null;
}

const asciiTrimmed = (text: string): string => text.replaceAll(/[\t\n\f\r ]+/g, ' ').replaceAll(/^ | $/g, '');

function optionOf(option: HtmlElement): Option {
  const text = rawTextOf(option);
  return {
    value: attribute(option, 'value') ?? asciiTrimmed(text),
    label: orNull(tidy(attribute(option, 'label') || text)),
  };
}

/** The options of a <select> that can be chosen. */
function optionsOf(select: HtmlElement): Option[] {
  const options: Option[] = [];
  const isSingle = !hasAttribute(select, 'multiple') && Number(attribute(select, 'size') ?? 1) <= 1;
  let isFirst = true;
  const add = (option: HtmlElement): void => {
    const isFirstOption = isFirst;
    isFirst = false;
    if (hasAttribute(option, 'disabled')) return;
    const read = optionOf(option);
    // "Placeholder label option" in the standard: it stands for no choice.
    const isPlaceholder = isFirstOption && option.parentNode === select && isSingle && hasAttribute(select, 'required');
    if (!(isPlaceholder && read.value === '')) options.push(read);
  };
  for (const child of select.childNodes.filter(isElement)) {
    if (isHtml(child, 'option')) add(child);
    if (!isHtml(child, 'optgroup') || hasAttribute(child, 'disabled')) continue;
    for (const inner of child.childNodes.filter(isElement)) if (isHtml(inner, 'option')) add(inner);
  }
  return options;
}

/** A choice among several: a radio button, a checkbox, a button that sends the form. */
function choiceOf(control: Control, naming: Naming): Option {
  const { element } = control;
  const value = attribute(element, 'value');
  if (typeOf(element) !== 'submit') return { value: value ?? 'on', label: labelOf(control, naming) };
  const text = element.tagName === 'input' ? (value ?? '') : textOf(element);
  return { value: value ?? '', label: orNull(tidy(text)) };
}

/** How many controls of other names are directly in a <fieldset>. */
type OthersIn = (fieldset: HtmlElement, name: string) => number;

/** The label of a group of choices: of its <fieldset>, if that is about this group, or of an element with a role. */
function groupLabelOf({ element, fieldset, group, ids }: Control, naming: Naming, othersIn: OthersIn): string | null {
  const legend = fieldset && naming.legends.get(fieldset);
  // One more is often the text for another choice.
  if (fieldset && legend && othersIn(fieldset, nameOf(element)) <= 1) return orNull(textOf(legend));
  return group ? orNull(ariaLabelOf(group, ids)) : null;
}

/** Counts, for each <fieldset>, the visible controls that are directly in it by their names. */
export function countInFieldsets(controls: readonly Control[]): OthersIn {
  const counts = new Map<HtmlElement, { all: number; byName: Map<string, number> }>();
  for (const { element, fieldset } of controls) {
    if (!fieldset || !isEntered(element)) continue;
    const count = counts.get(fieldset) ?? { all: 0, byName: new Map<string, number>() };
    counts.set(fieldset, count);
    count.all += 1;
    count.byName.set(nameOf(element), (count.byName.get(nameOf(element)) ?? 0) + 1);
  }
  return (fieldset, name) => {
    const count = counts.get(fieldset);
    return count ? count.all - (count.byName.get(name) ?? 0) : 0;
  };
}

/** A field, and the first of its controls. */
type FieldWithControl = { field: Field; control: Control };

/** The fields that some controls send, in the order of the page, each with the first of its controls. */
export function fieldsWithControls(
  controls: readonly Control[],
  naming: Naming,
  othersIn: OthersIn,
): FieldWithControl[] {
  const fields: FieldWithControl[] = [];
  const choices = new Map<string, FieldWithControl & { options: Option[] }>();
  for (const control of controls) {
    if (!isSent(control)) continue;
    const { element } = control;
    const [name, type] = [nameOf(element), typeOf(element)];
    const required = hasAttribute(element, 'required') && !NEVER_REQUIRED.has(type);
    if (!CHOICES.has(type)) {
      const options = type === 'select' ? optionsOf(element) : null;
      fields.push({ field: { name, label: labelOf(control, naming), type, required, options }, control });
      continue;
    }
    const option = choiceOf(control, naming);
    const key = `${type} ${name}`;
    const others = choices.get(key);
    if (others) {
      others.options.push(option);
      others.field.required ||= required;
      continue;
    }
    const options = [option];
    // A button's text says what is chosen, and not what it is about.
    const field = { name, label: type === 'submit' ? null : option.label, type, required, options };
    fields.push({ field, control });
    choices.set(key, { field, options, control });
  }
  for (const { field, options, control } of choices.values()) {
    if (options.length > 1) field.label = groupLabelOf(control, naming, othersIn);
  }
  return fields;
}

/** The fields that some controls send, in the order of the page. */
export const fieldsOf = (...of: Parameters<typeof fieldsWithControls>): Field[] =>
  fieldsWithControls(...of).map(({ field }) => field);
