import { attribute, type HtmlElement, hasAttribute, typeOf } from '../../../../forms/html-tree.ts';
import type { LinePlace } from '../line-places.ts';
import type { PageSource, Range } from '../page-source.ts';
import { fieldsetOf, groupLabelOf, type LabelPlace, labelOf, readLabel } from './field-labels.ts';
import { type FoundOption, groupOptions, isOptionsEditable, selectOptions } from './field-options.ts';
import { type Unit, unitOf } from './field-units.ts';
import { type FormParts, nameOf, type PageControls, readControls } from './form-controls.ts';

export type FieldType =
  | 'text'
  | 'email'
  | 'tel'
  | 'number'
  | 'date'
  | 'choice'
  | 'checkbox'
  | 'file'
  | 'long-text'
  | 'other';

/** Why a field can't be moved: its label stands elsewhere, or a tag has an attribute twice. */
export type WhyFixed = 'place' | 'repeated';

export type FieldOption = { value: string; label: string };

/**
 * A field of a form. `index`: in the list of the form. `from`, `to`: its HTML, with the label. `isEditable`: it can be moved and removed, and
 * otherwise `reason` says why not. `canBeLabelled`: not several controls without a label and a fieldset. `canBeRequired`: not several checkboxes. `canChangeOptions`: for a choice.
 */
export type SourceField = Range &
  LinePlace & {
    index: number;
    name: string;
    label: string;
    type: FieldType;
    isRequired: boolean;
    canBeLabelled: boolean;
    canBeRequired: boolean;
    options?: FieldOption[];
    canChangeOptions: boolean;
    isEditable: boolean;
    reason?: WhyFixed;
  };

/** A form of a page. `index`: in the list of forms. */
export type SourceForm = LinePlace & { index: number; fields: SourceField[] };

/** A field with the nodes it was read from. */
export type FoundField = {
  field: SourceField;
  controls: readonly HtmlElement[];
  label: LabelPlace | undefined;
  /** The element that can get a label: the control, or the fieldset of several. */
  labelledBy: HtmlElement | undefined;
  unit: Unit | undefined;
  options: readonly FoundOption[];
};

export type FoundForm = {
  form: SourceForm;
  element: HtmlElement;
  fields: readonly FoundField[];
  names: ReadonlySet<string>;
};

const TYPES: Readonly<Record<string, FieldType>> = {
  ...{ text: 'text', search: 'text', email: 'email', tel: 'tel', number: 'number', date: 'date' },
  ...{ select: 'choice', radio: 'choice', checkbox: 'checkbox', file: 'file', textarea: 'long-text' },
};
/** The types for which the standard has no `required`. */
const NEVER_REQUIRED = new Set(['color', 'range']);

/** The controls of each field: radio buttons and checkboxes with one name are one. */
function grouped(controls: readonly HtmlElement[]): HtmlElement[][] {
  const fields: HtmlElement[][] = [];
  const groups = new Map<string, HtmlElement[]>();
  for (const control of controls) {
    const type = typeOf(control);
    const key = `${type} ${nameOf(control)}`;
    const group = type === 'radio' || type === 'checkbox' ? groups.get(key) : undefined;
    if (group) group.push(control);
    else {
      const field = [control];
      fields.push(field);
      groups.set(key, field);
    }
  }
  return fields;
}

const startOf = ({ sourceCodeLocation }: HtmlElement): number => sourceCodeLocation?.startOffset ?? 0;
const endOf = ({ sourceCodeLocation }: HtmlElement): number => sourceCodeLocation?.endOffset ?? 0;

function readField(
  source: PageSource,
  page: PageControls,
  form: HtmlElement,
  index: number,
  controls: readonly HtmlElement[],
): FoundField[] {
  const [first] = controls;
  if (!first) return [];
  const type = typeOf(first);
  const isGroup = type === 'radio' || controls.length > 1;
  const label = isGroup ? groupLabelOf(source, page, controls) : labelOf(source, page, first);
  const labelledBy = isGroup ? fieldsetOf(page, controls) : first;
  const unit = unitOf(source, page, { controls, label, end: form });
  const isRepeated = controls.some((control) => source.repeating.has(startOf(control)));
  const options =
    type === 'select' ? selectOptions(source, first) : isGroup ? groupOptions(source, page, controls) : [];
  const reason = isRepeated ? 'repeated' : unit ? undefined : 'place';
  const from = unit?.from ?? startOf(first);
  const isChoice = isGroup || type === 'select';
  const field: SourceField = {
    index,
    name: nameOf(first),
    label: readLabel(source, label),
    type: isGroup ? 'choice' : (TYPES[type] ?? 'other'),
    isRequired: controls.some((control) => hasAttribute(control, 'required')) && !(isGroup && type === 'checkbox'),
    canBeLabelled: label !== undefined || labelledBy !== undefined,
    canBeRequired: !(isGroup && type === 'checkbox') && !NEVER_REQUIRED.has(type) && !isRepeated,
    ...(isChoice && { options: options.map(({ value, label: text }) => ({ value, label: text })) }),
    canChangeOptions: isChoice && !isRepeated && isOptionsEditable(options),
    isEditable: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...{ from, to: unit?.to ?? endOf(first), ...source.lineAt(from) },
  };
  return [{ field, controls, label, labelledBy, unit, options }];
}

function readForm(
  source: PageSource,
  page: PageControls,
  { form, controls, names }: FormParts,
  index: number,
): FoundForm {
  const fields = grouped(controls).flatMap((group, at) => readField(source, page, form, at, group));
  const place = source.lineAt(startOf(form));
  return { form: { index, fields: fields.map(({ field }) => field), ...place }, element: form, fields, names };
}

const FOUND = new WeakMap<PageSource, readonly FoundForm[]>();

/** All forms of a page with the nodes they were read from. */
function findForms(source: PageSource): readonly FoundForm[] {
  const before = FOUND.get(source);
  if (before) return before;
  const page = readControls(source);
  const found = page.forms.map((parts, index) => readForm(source, page, parts, index));
  FOUND.set(source, found);
  return found;
}

/** The forms of a page with the fields that visitors fill in, in the order of the page. */
export const forms = (source: PageSource): SourceForm[] => findForms(source).map(({ form }) => form);

/** The choices of all fields: also a single checkbox is one. */
export function allOptions(source: PageSource): FoundOption[] {
  return findForms(source).flatMap(({ fields }) =>
    fields.flatMap(({ field, controls: [control], label: place, options }) => {
      if (field.type !== 'checkbox' || !control) return options;
      return [{ value: attribute(control, 'value') ?? 'on', label: field.label, place, unit: undefined, control }];
    }),
  );
}

export function findForm(source: PageSource, { index }: Pick<SourceForm, 'index'>): FoundForm {
  const found = findForms(source)[index];
  if (!found) throw new RangeError(`There is no form ${index}.`);
  return found;
}

export function findField(
  source: PageSource,
  form: Pick<SourceForm, 'index'>,
  { index }: { index: number },
): FoundField {
  const found = findForm(source, form).fields[index];
  if (!found) throw new RangeError(`There is no field ${index}.`);
  return found;
}
