import { attribute, type HtmlElement, hasAttribute, isElement, isHtml } from '../../../../forms/html-tree.ts';
import { withBlanksOf } from '../kept-blanks.ts';
import { changeText, possibleText, spell, TEXT } from '../new-text.ts';
import { type PageSource, type Range, readSource } from '../page-source.ts';
import { applyEdits, type Edit } from '../source-edits.ts';
import { contentOf, rangeOf } from '../source-walk.ts';
import { removeAttribute, setAttribute } from '../tag-attributes.ts';
import { followingDescriptions } from '../tool-descriptions.ts';
import { writtenLabel } from './field-labels.ts';
import { around, parentOf } from './form-controls.ts';
import { lineBreakBefore, type NewField, writeField } from './new-fields.ts';
import { changeOptions } from './option-edits.ts';
import {
  type FieldOption,
  type FoundField,
  type FoundForm,
  findField,
  findForm,
  type SourceField,
  type SourceForm,
} from './source-forms.ts';

type FormKey = Pick<SourceForm, 'index'>;
type FieldKey = Pick<SourceField, 'index'>;

/** Where a field goes in a form without fields: before its first button, or at its end. */
function placeInEmpty(source: PageSource, { element }: FoundForm): number {
  const end = source.formEnds.get(element) ?? contentOf(element)?.to ?? source.html.length;
  const button = firstButton(element);
  const top = button && [button, ...around(button)].find((one) => parentOf(one) === element);
  return top?.sourceCodeLocation?.startOffset ?? end;
}

function firstButton(element: HtmlElement): HtmlElement | undefined {
  for (const node of element.childNodes) {
    if (!isElement(node)) continue;
    if (
      node.tagName === 'button' ||
      (node.tagName === 'input' && /^(?:submit|image)$/i.test(attribute(node, 'type') ?? ''))
    )
      return node;
    const found = firstButton(node);
    if (found) return found;
  }
  return undefined;
}

/** Returns the edits after which a form can send files. */
function forFiles(source: PageSource, { element }: FoundForm): Edit[] {
  const isPost = attribute(element, 'method')?.toLowerCase() === 'post';
  return [
    ...(isPost ? [] : setAttribute(source, element, 'method', 'post')),
    ...setAttribute(source, element, 'enctype', 'multipart/form-data'),
  ];
}

/** Returns the edit that puts a field before another one, behind all, or into a form without fields. */
function insert(source: PageSource, form: FoundForm, text: string, next: FoundField | undefined): Edit {
  if (next?.unit) {
    const { from } = next.unit;
    return { from, to: from, text: text + (lineBreakBefore(source, from) || ' ') };
  }
  const last = form.fields.findLast(({ unit }) => unit);
  if (last?.unit) {
    const { from, to } = last.unit;
    return { from: to, to, text: (lineBreakBefore(source, from) || ' ') + text };
  }
  const at = placeInEmpty(source, form);
  return { from: at, to: at, text: text + (lineBreakBefore(source, at) || ' ') };
}

/** Returns whether a form has more fields after these edits. */
const hasMore = (source: PageSource, { form }: FoundForm, edits: readonly Edit[]): boolean =>
  findForm(readSource(applyEdits(source.html, edits)), form).form.fields.length > form.fields.length;

/**
 * Returns the edits that add a field, before another one or behind all. It has the shape of its neighbours, and a name made of its label
 * that no other field has.
 */
export function addField(source: PageSource, form: FormKey, field: NewField, before?: FieldKey): Edit[] {
  const found = findForm(source, form);
  const next = before && found.fields[before.index];
  const text = writeField(source, found, field, next?.field.index ?? found.fields.length);
  const forms = field.type === 'file' ? forFiles(source, found) : [];
  const edits = [...forms, insert(source, found, text, next)];
  if (hasMore(source, found, edits)) return edits;
  // A comment or an element without an end can take in the end of a form: a field at its beginning is one of it.
  const start = contentOf(found.element)?.from ?? 0;
  const atStart = [...forms, { from: start, to: start, text: `${text} ` }];
  return start > 0 && hasMore(source, found, atStart) ? atStart : edits;
}

/** The part of a field with the blanks before it. */
function withBlanks(source: PageSource, { from, to }: Range): Range {
  return { from: from - lineBreakBefore(source, from).length, to };
}

/** Returns the edit that takes a field out; none where it can't be. */
export function removeField(source: PageSource, form: FormKey, field: FieldKey): Edit[] {
  const { unit, field: found } = findField(source, form, field);
  return unit && found.isEditable ? [{ ...withBlanks(source, unit), text: '' }] : [];
}

/** Elements that only some others can have in them. */
const BOUND = new Set(['tr', 'td', 'th', 'li', 'dd', 'dt']);

/** Returns whether a field can stand beside another one. */
function fitsBeside({ unit }: FoundField, other: FoundField): boolean {
  const [node, target] = [unit?.nodes[0], other.unit?.nodes[0]];
  if (!node || !target) return false;
  const isBound = [node, target].some((one) => isElement(one) && BOUND.has(one.tagName));
  return !isBound || parentOf(node)?.tagName === parentOf(target)?.tagName;
}

/** Returns the edits that move a field to another index of its form; none where it can't stand there. */
export function moveField(source: PageSource, form: FormKey, field: FieldKey, to: number): Edit[] {
  const { fields } = findForm(source, form);
  const moved = findField(source, form, field);
  const target = fields[to];
  if (!target?.unit || !moved.unit || to === field.index || !moved.field.isEditable) return [];
  if (!fitsBeside(moved, target)) return [];
  const text = source.html.slice(moved.unit.from, moved.unit.to);
  const blanks = lineBreakBefore(source, moved.unit.from);
  const cut = { ...withBlanks(source, moved.unit), text: '' };
  const at = to < field.index ? target.unit.from : target.unit.to;
  return [cut, { from: at, to: at, text: to < field.index ? text + blanks : blanks + text }];
}

/** Returns the edits for a label, in words or in an attribute. A control without one gets an `aria-label`, a fieldset a legend. */
function relabel(source: PageSource, { label: place, labelledBy }: FoundField, label: string): Edit[] {
  const text = possibleText(label).replaceAll(/\s+/g, ' ').trim();
  const kept = withBlanksOf(writtenLabel(source, place), text);
  if (place?.words) return changeText(source.html, place.words, kept, TEXT);
  if (place) return setAttribute(source, place.element, place.name, kept);
  const at = labelledBy && isHtml(labelledBy, 'fieldset') ? contentOf(labelledBy)?.from : undefined;
  if (at !== undefined) return [{ from: at, to: at, text: `<legend>${spell(text, TEXT, '\n')}</legend>` }];
  return labelledBy ? setAttribute(source, labelledBy, 'aria-label', text) : [];
}

/** Returns the edit that puts an option for no choice before the first one, which browsers would send without a choice. */
function withNoChoice(source: PageSource, { controls: [select], options }: FoundField): Edit[] {
  if (select?.tagName !== 'select' || hasAttribute(select, 'multiple')) return [];
  if (Number(attribute(select, 'size') ?? 1) > 1) return [];
  if (options.some(({ control }) => hasAttribute(control, 'selected'))) return [];
  const first = select.childNodes.find(isElement);
  const range = first && rangeOf(source, first);
  const control = options[0]?.control;
  const isChoice = control !== undefined && (control === first || parentOf(control) === first);
  if (!range || !isChoice) return [];
  const text = `<option value=""></option>${lineBreakBefore(source, range.from)}`;
  return [{ from: range.from, to: range.from, text }];
}

function require(source: PageSource, found: FoundField, isRequired: boolean): Edit[] {
  const { controls, field } = found;
  if (!field.canBeRequired || field.isRequired === isRequired) return [];
  if (!isRequired) return controls.flatMap((control) => removeAttribute(source, control, 'required'));
  const required = controls.slice(0, 1).flatMap((control) => setAttribute(source, control, 'required', ''));
  return [...required, ...withNoChoice(source, found)];
}

/** Returns the edits of several steps, of which each is made in the HTML that the one before leaves. */
function inSteps(source: PageSource, steps: readonly ((source: PageSource) => Edit[])[]): Edit[] {
  let now = source;
  let edits: Edit[] = [];
  let made = 0;
  for (const step of steps) {
    const next = step(now);
    if (next.length === 0) continue;
    edits = next;
    made += 1;
    now = readSource(applyEdits(now.html, next));
  }
  return made > 1 ? [difference(source.html, now.html)] : edits;
}

/** Returns the edit that makes one text of another. */
function difference(before: string, after: string): Edit {
  let from = 0;
  while (from < before.length && before[from] === after[from]) from += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - from;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, text: after.slice(from, after.length - end) };
}

/** Returns the edits that change a field. Its name stays, so that its column in the inbox does. */
export function changeField(
  source: PageSource,
  form: FormKey,
  field: FieldKey,
  { label, isRequired, options }: { label?: string; isRequired?: boolean; options?: readonly FieldOption[] },
): Edit[] {
  const steps: ((now: PageSource) => Edit[])[] = [];
  if (label !== undefined) {
    steps.push((now) => {
      const found = findField(now, form, field);
      if (label === found.field.label) return [];
      return [...followingDescriptions(now, found.field.label, label), ...relabel(now, found, label)];
    });
  }
  if (isRequired !== undefined) steps.push((now) => require(now, findField(now, form, field), isRequired));
  if (options) steps.push((now) => changeOptions(now, findField(now, form, field), options));
  return inSteps(source, steps);
}
