import { attribute, type HtmlElement, isElement, isHtml, isText } from '../../../../forms/html-tree.ts';
import { wordsOf } from '../editable-places.ts';
import type { PageSource, Range } from '../page-source.ts';
import { rangeOf } from '../source-walk.ts';
import { type LabelPlace, labelOf, readLabel } from './field-labels.ts';
import { type Unit, unitOf } from './field-units.ts';
import { around, isIn, type PageControls, parentOf } from './form-controls.ts';

/** One choice of a field. `unit`: its HTML; undefined where it can't be taken out. `control`: the option, or the radio button. */
export type FoundOption = {
  value: string;
  label: string;
  place: LabelPlace | undefined;
  unit: Unit | undefined;
  control: HtmlElement;
};

/** The words of an option, or an empty part in it. */
function optionWords(source: PageSource, option: HtmlElement): Range | undefined {
  const [node, ...others] = option.childNodes;
  return node && isText(node) && others.length === 0 ? wordsOf(source, node) : undefined;
}

/** The options of a <select>, without a first one that stands for no choice. In groups they have no `unit`. */
export function selectOptions(source: PageSource, select: HtmlElement): FoundOption[] {
  const elements = select.childNodes.filter(isElement);
  const isFlat = elements.every((element) => isHtml(element, 'option'));
  const options = elements.flatMap((element) =>
    isHtml(element, 'optgroup') ? element.childNodes.filter(isElement) : [element],
  );
  return options.flatMap((control, at): FoundOption[] => {
    const words = optionWords(source, control);
    const place = words && { words, element: control };
    const label = readLabel(source, place);
    const value = attribute(control, 'value') ?? label;
    if (at === 0 && value === '') return [];
    const range = rangeOf(source, control);
    const unit = isFlat && words && range ? { ...range, nodes: [control] } : undefined;
    return [{ value, label: label || value, place, unit, control }];
  });
}

/** Returns whether an element has all choices of a field; of a single one, whether it is for a group. */
function isAround(element: HtmlElement, controls: readonly HtmlElement[]): boolean {
  if (controls.length > 1) return controls.every((control) => isIn(control, element));
  return ['fieldset', 'form'].includes(element.tagName) || attribute(element, 'role')?.endsWith('group') === true;
}

/** The choices of radio buttons or checkboxes with one name. */
export function groupOptions(source: PageSource, page: PageControls, controls: readonly HtmlElement[]): FoundOption[] {
  const [first] = controls;
  const end = first && around(first).find((element) => isAround(element, controls));
  return controls.map((control) => {
    const place = labelOf(source, page, control) ?? textAfter(source, control);
    const value = attribute(control, 'value') ?? 'on';
    const unit = end && unitOf(source, page, { controls: [control], label: place, end });
    return { value, label: readLabel(source, place) || value, place, unit, control };
  });
}

/** The text directly after a control that has no label. */
function textAfter(source: PageSource, control: HtmlElement): LabelPlace | undefined {
  const { childNodes = [] } = control.parentNode ?? {};
  const after = childNodes[childNodes.indexOf(control) + 1];
  const words = after && isText(after) ? wordsOf(source, after) : undefined;
  return words && { words, element: undefined };
}

/** Returns whether the choices follow each other in one element, each with a part of its own. */
export function isOptionsEditable(options: readonly FoundOption[]): boolean {
  const [first] = options;
  const parent = first?.unit?.nodes[0] && parentOf(first.unit.nodes[0]);
  return (
    parent !== undefined &&
    options.every(({ unit, place }, at) => {
      const [node] = unit?.nodes ?? [];
      const next = options[at + 1]?.unit;
      return node && place?.words && parentOf(node) === parent && (!unit || !next || unit.to <= next.from);
    })
  );
}
