import { attribute, type HtmlElement, isElement, isHtml, isText } from '../../../../forms/html-tree.ts';
import { wordsOf } from '../editable-places.ts';
import { readText, TEXT } from '../new-text.ts';
import type { PageSource, Range } from '../page-source.ts';
import { around, isIn, mainWords, type PageControls } from './form-controls.ts';

/** Where a label is written: between tags, or in an attribute. `element`: what the words are in. */
export type LabelPlace =
  | { words: Range; element: HtmlElement | undefined }
  | { words?: undefined; element: HtmlElement; name: 'aria-label' | 'placeholder' };

/** The text directly before a control, where a form has no labels. */
function textBefore(source: PageSource, control: HtmlElement): Range | undefined {
  const { childNodes = [] } = control.parentNode ?? {};
  const before = childNodes[childNodes.indexOf(control) - 1];
  return before && isText(before) ? wordsOf(source, before) : undefined;
}

/** The cells that labels stand in, by those of their controls. */
const LABEL_CELLS: Readonly<Record<string, readonly string[]>> = { td: ['td', 'th'], dd: ['dt'] };

/** Returns the cell before that of a control, where a form is a table or a list of terms. */
function cellBefore({ counts }: PageControls, control: HtmlElement): HtmlElement | undefined {
  const cell = around(control).find(({ tagName }) => tagName in LABEL_CELLS);
  if (!cell?.parentNode || counts.get(cell) !== 1) return undefined;
  const siblings = cell.parentNode.childNodes.filter(isElement);
  const before = siblings[siblings.indexOf(cell) - 1];
  const isLabel = before && !counts.get(before) && LABEL_CELLS[cell.tagName]?.includes(before.tagName);
  return isLabel ? before : undefined;
}

function wordsIn(source: PageSource, element: HtmlElement | undefined): LabelPlace | undefined {
  const words = element && mainWords(source, element);
  return words && { words, element };
}

/** The label of one control. */
export function labelOf(source: PageSource, page: PageControls, control: HtmlElement): LabelPlace | undefined {
  const { labels, byId } = page;
  for (const label of labels.get(control) ?? []) {
    const found = wordsIn(source, label);
    if (found) return found;
  }
  const [id = ''] = attribute(control, 'aria-labelledby')?.trim().split(/\s+/) ?? [];
  const named = wordsIn(source, byId.get(id));
  if (named) return named;
  if (attribute(control, 'aria-label')) return { element: control, name: 'aria-label' };
  const words = textBefore(source, control);
  if (words) return { words, element: undefined };
  const cell = wordsIn(source, cellBefore(page, control));
  if (cell) return cell;
  return attribute(control, 'placeholder') ? { element: control, name: 'placeholder' } : undefined;
}

/** The label of several controls: of the fieldset or the group that has only these. */
export function groupLabelOf(
  source: PageSource,
  { counts, byId }: PageControls,
  controls: readonly HtmlElement[],
): LabelPlace | undefined {
  const [first] = controls;
  if (!first) return undefined;
  for (const element of around(first)) {
    if ((counts.get(element) ?? 0) > controls.length) return undefined;
    if (!controls.every((control) => isIn(control, element))) continue;
    const legend = element.childNodes.filter(isElement).find((one) => isHtml(one, 'legend'));
    const [id = ''] = attribute(element, 'aria-labelledby')?.trim().split(/\s+/) ?? [];
    const found = wordsIn(source, legend ?? byId.get(id));
    if (found) return found;
    if (attribute(element, 'aria-label')) return { element, name: 'aria-label' };
  }
  return undefined;
}

/** The fieldset that has only these controls, and no legend. */
export function fieldsetOf({ counts }: PageControls, controls: readonly HtmlElement[]): HtmlElement | undefined {
  const [first] = controls;
  const fieldset = first && around(first).find((element) => isHtml(element, 'fieldset'));
  const isOwn = fieldset && counts.get(fieldset) === controls.length && controls.every((one) => isIn(one, fieldset));
  const hasLegend = fieldset?.childNodes.some((node) => isElement(node) && isHtml(node, 'legend'));
  return isOwn && !hasLegend ? fieldset : undefined;
}

/** A label with its blanks as they are written; '' for none. */
export function writtenLabel({ html }: PageSource, place: LabelPlace | undefined): string {
  if (!place) return '';
  if (place.words) return readText(html.slice(place.words.from, place.words.to), TEXT);
  return attribute(place.element, place.name) ?? '';
}

/** A label as people read it; '' for none. */
export const readLabel = (source: PageSource, place: LabelPlace | undefined): string =>
  writtenLabel(source, place).replaceAll(/\s+/g, ' ').trim();
