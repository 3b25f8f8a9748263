import { attribute, type HtmlElement, isElement, isHtml, isText } from '../../../forms/html-tree.ts';
import { findPlaces, isOpen, wordsOf } from './editable-places.ts';
import type { LinePlace } from './line-places.ts';
import type { PageSource } from './page-source.ts';
import { contentOf, rangeOf, visit } from './source-walk.ts';

/** Why a text can't be edited in place: a script makes it, it is in a drawing, or tags are missing, or all of the page is too complex. */
export type WhyUntouchable = 'script' | 'drawing' | 'nesting' | 'complex';

/** A part that can only be changed in the code. */
export type UntouchablePart = LinePlace & { why: WhyUntouchable };

/** Parts that are listed of each kind. */
const MAX_OF_KIND = 100;
/** How scripts put texts on a page. */
const MAKES_TEXT =
  /\b(?:innerHTML|outerHTML|textContent|innerText|insertAdjacent|document\.write|createElement|append(?:Child)?\(|createRoot|hydrate|render\()/;
const SCRIPT_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;

function makesText(source: PageSource, script: HtmlElement): boolean {
  if (!SCRIPT_TYPE.test(attribute(script, 'type')?.trim() ?? '')) return false;
  if (attribute(script, 'src') !== undefined) return true;
  const { from, to } = contentOf(script) ?? { from: 0, to: 0 };
  return MAKES_TEXT.test(source.html.slice(from, to));
}

/** Elements that are looked into: what is closed to editing has texts too. */
const isLookedInto = (element: HtmlElement): boolean => isOpen(element) || element.tagName === 'head';

/** The texts that people see and can't edit in place: made by scripts, in drawings, or where the tree is not as the HTML. */
export function untouchable(source: PageSource): UntouchablePart[] {
  if (!source.isRead) return [{ line: 1, column: 1, why: 'complex' }];
  const places = new Set(findPlaces(source).map(({ place }) => place.from));
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
      if (isHtml(node, 'script') && makesText(source, node)) add('script', range.from);
      if (node.tagName === 'svg' && hasText(node)) add('drawing', range.from);
    } else if (isText(node) && parent?.tagName !== 'head' && node.value.trim() !== '') {
      const words = wordsOf(source, node);
      const isInButton = parent && ['a', 'button'].includes(parent.tagName);
      if (!isSound || !words || !(places.has(words.from) || isInButton)) add('nesting', words?.from ?? range.from);
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
