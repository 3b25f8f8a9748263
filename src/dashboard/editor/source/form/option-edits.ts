import { attribute } from '../../../../forms/html-tree.ts';
import { withBlanksOf } from '../kept-blanks.ts';
import { changeText, possibleText, TEXT } from '../new-text.ts';
import type { PageSource, Range } from '../page-source.ts';
import { applyEdits, type Edit } from '../source-edits.ts';
import { setAttribute } from '../tag-attributes.ts';
import { writtenLabel } from './field-labels.ts';
import type { FoundOption } from './field-options.ts';
import { nameOf } from './form-controls.ts';
import { choiceLike, lineBreakBefore, optionOf } from './new-fields.ts';
import { allOptions, type FieldOption, type FoundField } from './source-forms.ts';

const tidy = (text: string): string => possibleText(text).replaceAll(/\s+/g, ' ').trim();

/** Returns the edit by which a value that was the label becomes the new one: otherwise submissions would say the old one. */
function revalued(source: PageSource, { value, label, control }: FoundOption, text: string): Edit[] {
  const follows = value === label && attribute(control, 'value') !== undefined;
  return follows ? setAttribute(source, control, 'value', text) : [];
}

/** Returns the edits that give a choice another label. */
function relabelled(source: PageSource, option: FoundOption, wanted: string): Edit[] {
  const { place, label } = option;
  const text = tidy(wanted);
  if (!place?.words || text === label) return [];
  const kept = withBlanksOf(writtenLabel(source, place), text);
  return [...revalued(source, option, text), ...changeText(source.html, place.words, kept, TEXT)];
}

/** Returns the edit of the value of a choice whose label, at this part of the HTML, becomes a text. */
export function followingValue(source: PageSource, { from }: Range, text: string): Edit[] {
  const option = allOptions(source).find(({ place }) => place?.words?.from === from);
  return option ? revalued(source, option, tidy(text)) : [];
}

/** The HTML of a choice that stays, with its wanted label. */
function keptText(source: PageSource, option: FoundOption, label: string): string {
  const { from, to } = option.unit ?? { from: 0, to: 0 };
  const edits = relabelled(source, option, label).map((edit) => ({
    ...edit,
    from: edit.from - from,
    to: edit.to - from,
  }));
  return applyEdits(source.html.slice(from, to), edits);
}

/** Which of the choices that are there each wanted one is: that with its value. */
function matched(options: readonly FoundOption[], wanted: readonly FieldOption[]): (FoundOption | undefined)[] {
  const left = new Set(options);
  return wanted.map(({ value }) => {
    const found = [...left].find((option) => option.value === value);
    if (found) left.delete(found);
    return found;
  });
}

function newOption(
  source: PageSource,
  { controls: [first], field, options }: FoundField,
  option: FieldOption,
  at: number,
): string {
  const like = options.at(-1);
  if (field.type !== 'choice' || !first || !like) return '';
  if (first.tagName === 'select') return optionOf(option);
  const name = nameOf(first);
  return choiceLike(source, like, { name, id: freeId(source, `${name}_${at + 1}`), option, isRequired: false });
}

function freeId({ html }: PageSource, wanted: string): string {
  let id = wanted;
  while (html.includes(id)) id += '_';
  return id;
}

/**
 * Returns the edits that give a field other choices. Each that is there is known by its value, and stays as it is written, except for a new
 * label. New ones have the shape of the last.
 */
export function changeOptions(source: PageSource, field: FoundField, wanted: readonly FieldOption[]): Edit[] {
  const { options } = field;
  const found = matched(options, wanted);
  const isSameList = options.length === wanted.length && options.every((option, at) => option === found[at]);
  if (isSameList) return options.flatMap((option, at) => relabelled(source, option, wanted[at]?.label ?? option.label));
  const [first, last] = [options[0]?.unit, options.at(-1)?.unit];
  if (!field.field.canChangeOptions || !first || !last || wanted.length === 0) return [];
  const between = lineBreakBefore(source, first.from);
  const texts = wanted.map((option, at) => {
    const kept = found[at];
    return (kept ? keptText(source, kept, option.label) : newOption(source, field, option, at)).trimEnd();
  });
  return [{ from: first.from, to: last.to, text: texts.join(between) }];
}
