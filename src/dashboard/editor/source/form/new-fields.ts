import slugify from '@sindresorhus/slugify';
import { controlsOf } from '../../../../forms/control-fields.ts';
import { attribute, type HtmlElement, isElement, typeOf } from '../../../../forms/html-tree.ts';
import { possibleText, spell, TEXT } from '../new-text.ts';
import type { PageSource } from '../page-source.ts';
import type { FoundOption } from './field-options.ts';
import { copiedAttributes, writeShape, written } from './field-shapes.ts';
import type { FieldOption, FieldType, FoundField, FoundForm } from './source-forms.ts';

/** A field that is added. `options`: of a choice. */
export type NewField = {
  label: string;
  type: Exclude<FieldType, 'other'>;
  isRequired: boolean;
  options?: readonly FieldOption[];
};

type Named = NewField & { name: string; id: string };

/** Returns a name for a new field: its label in letters that all programs can read, and no other field's. */
function newName({ names }: Pick<FoundForm, 'names'>, label: string): string {
  const words = slugify(label, { separator: '_', decamelize: false }).slice(0, 40) || 'field';
  const isFree = (name: string): boolean => !names.has(name) && controlsOf([...names, name])(name) === undefined;
  let name = words;
  for (let number = 2; !isFree(name); number += 1) name = `${words}_${number}`;
  return name;
}

/** Returns an id that no element of the page has. */
function newId({ html }: PageSource, name: string): string {
  let id = name;
  for (let number = 2; html.includes(id); number += 1) id = `${name}_${number}`;
  return id;
}

const sentValue = ({ value, label }: FieldOption): string => value || label;

const TYPE_ATTRIBUTES: Readonly<Record<string, string>> = {
  text: '',
  email: ' type="email" autocomplete="email"',
  tel: ' type="tel" autocomplete="tel"',
  number: ' type="number"',
  date: ' type="date"',
  file: ' type="file"',
  checkbox: ' type="checkbox" value="yes"',
};

const tagOf = (type: FieldType): string => (type === 'choice' ? 'select' : type === 'long-text' ? 'textarea' : 'input');

/** How a control looks: its classes and styles. `lineBreak`: the one before the field, with its indentation. */
type Look = { attributes: string; hasId: boolean; lineBreak: string };

/** Writes a control. */
function controlOf(
  { type, name, id, isRequired, options = [] }: Named,
  { attributes, hasId, lineBreak }: Look,
): string {
  const required = isRequired ? ' required' : '';
  const shared = `${written('name', name)}${hasId ? written('id', id) : ''}${attributes}`;
  if (type === 'long-text') return `<textarea${shared} rows="4"${required}></textarea>`;
  if (type !== 'choice') return `<input${shared}${TYPE_ATTRIBUTES[type] ?? ''}${required}>`;
  const [inner, outer] = lineBreak === '' ? ['', ''] : [`${lineBreak}    `, `${lineBreak}  `];
  // Visitors have to choose: the first option stands for no choice.
  const first = isRequired ? `${inner}<option value=""></option>` : '';
  return `<select${shared}${required}>${first}${options.map((option) => inner + optionOf(option)).join('')}${outer}</select>`;
}

/** Writes an option of a <select>. */
export function optionOf(option: FieldOption): string {
  const value = sentValue(option) === option.label ? '' : written('value', sentValue(option));
  return `<option${value}>${spell(possibleText(option.label), TEXT, '\n')}</option>`;
}

/** Writes a choice like another one: a radio button or a checkbox, with its label. */
export function choiceLike(
  source: PageSource,
  like: FoundOption,
  { name, id, option, isRequired }: { name: string; id: string; option: FieldOption; isRequired: boolean },
): string {
  const required = isRequired ? ' required' : '';
  const hasId = attribute(like.control, 'id') !== undefined;
  const value = written('value', possibleText(sentValue(option)));
  const look = copiedAttributes(source, like.control);
  const type = written('type', typeOf(like.control));
  const control = `<input${type}${written('name', name)}${hasId ? written('id', id) : ''}${value}${look}${required}>`;
  const shape = {
    nodes: like.unit?.nodes ?? [],
    words: like.place?.words,
    controls: new Map([[like.control, control]]),
    id,
  };
  return writeShape(source, shape, possibleText(option.label));
}

/** Returns whether a field is one control with words beside it, which others can be like. */
const isSimple = ({ field, label, unit }: FoundField): boolean =>
  !['checkbox', 'other'].includes(field.type) && unit !== undefined && label?.words !== undefined;

const isGroup = ({ controls: [first] }: FoundField): boolean =>
  first !== undefined && ['radio', 'checkbox'].includes(typeOf(first));

/** Writes a choice of radio buttons like another one. */
function groupLike(source: PageSource, like: FoundField, field: Named): string {
  const [first] = like.options;
  if (!first) return '';
  const list = (field.options ?? []).map((option, at) => {
    const isRequired = field.isRequired && at === 0;
    return choiceLike(source, first, { name: field.name, id: `${field.id}_${at + 1}`, option, isRequired });
  });
  const between = lineBreakBefore(source, first.unit?.from ?? 0);
  const controls = new Map<HtmlElement, string>();
  for (const { unit } of like.options)
    for (const node of unit?.nodes ?? []) if (isElement(node)) controls.set(node, '');
  const [node] = first.unit?.nodes ?? [];
  if (node && isElement(node)) controls.set(node, list.join(between));
  return writeShape(
    source,
    { nodes: like.unit?.nodes ?? [], words: like.label?.words, controls, id: undefined },
    field.label,
  );
}

/** Writes a field like another one, with its own control. */
function simpleLike(source: PageSource, like: FoundField, field: Named, fields: readonly FoundField[]): string {
  const [control] = like.controls;
  if (!control) return '';
  const same = fields
    .flatMap(({ controls }) => controls)
    .find((one) => one.tagName === tagOf(field.type) && !isChoiceBox(one));
  const hasId = attribute(control, 'id') !== undefined;
  const lineBreak = lineBreakBefore(source, like.field.from);
  const text = controlOf(field, { attributes: copiedAttributes(source, same ?? control), hasId, lineBreak });
  const shape = {
    nodes: like.unit?.nodes ?? [],
    words: like.label?.words,
    controls: new Map([[control, text]]),
    id: field.id,
  };
  return writeShape(source, shape, field.label);
}

const isChoiceBox = (element: HtmlElement): boolean => ['radio', 'checkbox'].includes(typeOf(element));

/** Returns the blanks before a place, if they begin a line: new parts beside it begin with the same. */
export function lineBreakBefore({ html }: PageSource, at: number): string {
  let from = at;
  while (/[\t ]/.test(html.charAt(from - 1))) from -= 1;
  if (html.charAt(from - 1) !== '\n') return '';
  return html.slice(html.charAt(from - 2) === '\r' ? from - 2 : from - 1, at);
}

/** Writes a checkbox like another one, or like a choice of a field. */
function checkboxLike(source: PageSource, fields: readonly FoundField[], field: Named): string | undefined {
  const box = fields.find((one) => one.field.type === 'checkbox' && one.unit && one.label?.words);
  const [control] = box?.controls ?? [];
  const like =
    box && control
      ? { control, place: box.label, unit: box.unit, value: '', label: '' }
      : fields.find((one) => isGroup(one) && one.field.canChangeOptions)?.options[0];
  if (!like) return undefined;
  const text = choiceLike(source, like, {
    ...{ name: field.name, id: field.id, isRequired: field.isRequired },
    option: { value: field.label, label: field.label },
  });
  const [inner, outer] = [
    lineBreakBefore(source, like.unit?.from ?? 0),
    lineBreakBefore(source, fields[0]?.field.from ?? 0),
  ];
  const indented = inner === '' || outer === '' ? text : text.replaceAll(inner, outer);
  return indented.replace(/ type="radio"/, ' type="checkbox"');
}

/** Writes a field for a form in which no other can be its model. */
function plainField(field: Named): string {
  const label = spell(field.label, TEXT, '\n');
  const control = controlOf(field, { attributes: '', hasId: false, lineBreak: '' });
  return field.type === 'checkbox'
    ? `<p><label>${control} ${label}</label></p>`
    : `<p><label>${label} ${control}</label></p>`;
}

/** Writes a new field for a form. `near`: the index of the field that it stands beside. */
export function writeField(source: PageSource, form: FoundForm, given: NewField, near: number): string {
  const label = possibleText(given.label).replaceAll(/\s+/g, ' ').trim();
  const name = newName(form, label);
  const field: Named = { ...given, label, name, id: newId(source, name) };
  // The nearest comes first.
  const fields = form.fields.toSorted(
    (one, other) => Math.abs(one.field.index - near) - Math.abs(other.field.index - near),
  );
  if (field.type === 'checkbox') return checkboxLike(source, fields, field) ?? plainField(field);
  const choice = fields.find((one) => one.field.type === 'choice' && one.field.isEditable);
  if (field.type === 'choice' && choice && isGroup(choice) && choice.field.canChangeOptions && choice.label?.words) {
    return groupLike(source, choice, field);
  }
  const like = fields.find((one) => isSimple(one) && !isGroup(one));
  return like ? simpleLike(source, like, field, fields) : plainField(field);
}
