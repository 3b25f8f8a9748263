import { attribute, type HtmlElement, isElement, isText } from '../../../forms/html-tree.ts';
import { findPlaces, isOpen, wordsOf } from './editable-places.ts';
import { findForm, forms } from './form/source-forms.ts';
import type { LinePlace } from './line-places.ts';
import { isFilledIn, makesText } from './page-scripts.ts';
import type { PageSource } from './page-source.ts';
import { rangeOf, visit } from './source-walk.ts';

/**
 * Why a text can't be edited in place: a script makes it; it is in a drawing, a formula, something embedded or a field; tags are missing;
 * it is not to be seen in the frame; or all of the page is too complex.
 */
export type WhyUntouchable = 'script' | 'drawing' | 'formula' | 'embedded' | 'field' | 'nesting' | 'hidden' | 'complex';

/** A part that can only be changed in the code. */
export type UntouchablePart = LinePlace & { why: WhyUntouchable };

/** Parts that are listed of each kind. */
const MAX_OF_KIND = 100;
/** Elements that show something else than texts of the page. */
const EMBEDDING = new Set(['iframe', 'video', 'audio', 'canvas', 'object', 'embed']);

/** Elements that are looked into: what is closed to editing has texts too. */
const isLookedInto = (element: HtmlElement): boolean => isOpen(element) || element.tagName === 'head';

/** The controls whose placeholder is their label, which is edited in the settings of the page. */
function placeholderLabels(source: PageSource): ReadonlySet<HtmlElement> {
  const labels = forms(source).flatMap((form) => findForm(source, form).fields.map(({ label }) => label));
  return new Set(
    labels.flatMap((label) => (label && !label.words && label.name === 'placeholder' ? label.element : [])),
  );
}

/** Returns why an element is edited in the code; undefined for one that is not, or whose content says it. */
function reasonOf(
  source: PageSource,
  element: HtmlElement,
  labels: ReadonlySet<HtmlElement>,
): WhyUntouchable | undefined {
  if (makesText(source, element)) return 'script';
  const { tagName } = element;
  if (tagName === 'svg') return hasText(element) ? 'drawing' : undefined;
  if (tagName === 'math') return hasText(element) ? 'formula' : undefined;
  if (EMBEDDING.has(tagName)) return 'embedded';
  if (tagName !== 'input' && tagName !== 'textarea') return undefined;
  return hasText(element) || (attribute(element, 'placeholder')?.trim() && !labels.has(element)) ? 'field' : undefined;
}

/** The parts that people see and can't edit in place: made by scripts, no texts of the page, or where the tree is not as the HTML. */
export function untouchable(source: PageSource): UntouchablePart[] {
  if (!source.isRead) return [{ line: 1, column: 1, why: 'complex' }];
  const places = new Set(findPlaces(source).map(({ place }) => place.from));
  const labels = placeholderLabels(source);
  const parts = new Map<WhyUntouchable, number[]>();
  const add = (why: WhyUntouchable, at: number): void => {
    const found = parts.get(why);
    if (!found) parts.set(why, [at]);
    else if (found.length < MAX_OF_KIND) found.push(at);
  };
  for (const { node, parent, isSound } of visit(source, isLookedInto)) {
    const range = rangeOf(source, node);
    if (!range) continue;
    if (isElement(node)) {
      const why = reasonOf(source, node, labels);
      if (why) add(why, range.from);
    } else if (isText(node) && parent?.tagName !== 'head' && node.value.trim() !== '') {
      const words = wordsOf(source, node);
      const isInButton = parent && ['a', 'button'].includes(parent.tagName);
      if (isFilledIn(source, node.value)) add('script', words?.from ?? range.from);
      else if (!isSound || !words || !(places.has(words.from) || isInButton)) add('nesting', words?.from ?? range.from);
    }
  }
  const sorted = Array.from(parts, ([why, found]) => found.map((at) => ({ why, at }))).flat();
  return sorted.toSorted((one, other) => one.at - other.at).map(({ why, at }) => ({ ...source.lineAt(at), why }));
}

function hasText(element: HtmlElement): boolean {
  return element.childNodes.some((node) =>
    isText(node) ? node.value.trim() !== '' : isElement(node) && hasText(node),
  );
}
