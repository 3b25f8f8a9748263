import { type HtmlElement, type HtmlNode, isElement, isHtml, isText } from '../../../../forms/html-tree.ts';
import type { PageSource, Range } from '../page-source.ts';
import { contentOf, rangeOf } from '../source-walk.ts';
import type { LabelPlace } from './field-labels.ts';
import { around, isIn, type PageControls, parentOf } from './form-controls.ts';

/** The nodes that are a field in the HTML, with its label: siblings that follow each other. */
export type Unit = Range & { nodes: readonly HtmlNode[] };

/** Elements that can be around one field. */
const WRAPPERS = new Set(['label', 'div', 'p', 'li', 'tr', 'td', 'th', 'dd', 'span', 'fieldset', 'section']);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

function hasHeading(element: HtmlElement): boolean {
  return element.childNodes.some((node) => isElement(node) && (HEADINGS.has(node.tagName) || hasHeading(node)));
}

/** The innermost element that has all of some controls; a single control itself. */
function commonOf(controls: readonly HtmlElement[]): HtmlElement | undefined {
  const [first, ...others] = controls;
  if (!first || others.length === 0) return first;
  return around(first).find((element) => others.every((control) => isIn(control, element)));
}

/** The outermost element around `inner` that is about nothing else. */
function outermost(
  { counts }: PageControls,
  inner: HtmlElement,
  { controls: { length: count }, label, end }: Parameters<typeof unitOf>[2],
): HtmlElement {
  let outer = inner;
  for (const element of around(inner)) {
    const isOwn = label?.element && parentOf(label.element) === element;
    const isGroup = element.tagName !== 'fieldset' || count > 1 || isOwn;
    if (element === end || !WRAPPERS.has(element.tagName) || !isGroup) break;
    if (!element.sourceCodeLocation || counts.get(element) !== count || hasHeading(element)) break;
    outer = element;
  }
  return outer;
}

/** The element around a node that is directly in another one. */
function childAround(node: HtmlNode, parent: HtmlElement): HtmlNode | undefined {
  if (parentOf(node) === parent) return node;
  return around(node).find((element) => parentOf(element) === parent);
}

const isBreak = (node: HtmlNode | undefined): boolean => node !== undefined && isElement(node) && isHtml(node, 'br');
const isBlankText = (node: HtmlNode | undefined): boolean =>
  node !== undefined && isText(node) && node.value.trim() === '';

/** A line break that ends a field which nothing is around. */
function withBreak(siblings: readonly HtmlNode[], last: number): number {
  const next = isBlankText(siblings[last + 1]) ? last + 2 : last + 1;
  return isBreak(siblings[next]) ? next : last;
}

/**
 * Finds the part of the HTML that is one field, or one choice of a field: its controls, the label, and the elements around them that are
 * about nothing else. undefined: the label stands elsewhere. `end`: an element that is around more than this.
 */
export function unitOf(
  source: PageSource,
  page: PageControls,
  part: { controls: readonly HtmlElement[]; label: LabelPlace | undefined; end: HtmlElement },
): Unit | undefined {
  const { controls, label, end } = part;
  const inner = commonOf(controls);
  if (!inner || inner === end || page.counts.get(inner) !== controls.length) return undefined;
  const outer = outermost(page, inner, part);
  const range = rangeOf(source, outer);
  const parent = parentOf(outer);
  if (!range || !parent) return undefined;
  const words = label?.words;
  const content = outer === inner && controls.length === 1 ? undefined : contentOf(outer);
  if (content && (!words || (words.from >= content.from && words.to <= content.to)))
    return { ...range, nodes: [outer] };
  const siblings = parent.childNodes;
  const at = siblings.indexOf(outer);
  const labelNode = words && siblingWith(source, parent, words, label.element);
  const labelAt = labelNode ? siblings.indexOf(labelNode) : at;
  if (words && !labelNode) return undefined;
  const [first, last] = [Math.min(at, labelAt), Math.max(at, labelAt)];
  if (!siblings.slice(first + 1, last).every((node) => isBlankText(node) || isBreak(node))) return undefined;
  const nodes = siblings.slice(first, withBreak(siblings, last) + 1);
  if (countIn(page, nodes) !== controls.length) return undefined;
  const [from, to] = [rangeOf(source, nodes[0] ?? outer), rangeOf(source, nodes.at(-1) ?? outer)];
  if (!from || !to) return undefined;
  const isTextFirst = labelNode && isText(labelNode) && labelAt === first;
  return { from: isTextFirst ? words.from : from.from, to: to.to, nodes };
}

const countIn = ({ counts }: PageControls, nodes: readonly HtmlNode[]): number =>
  nodes.reduce((sum, node) => sum + (isElement(node) ? (counts.get(node) ?? 0) : 0), 0);

/** The node directly in an element that has the words of a label. */
function siblingWith(source: PageSource, parent: HtmlElement, words: Range, element: HtmlElement | undefined) {
  if (element) return childAround(element, parent);
  return parent.childNodes.find((node) => {
    const range = isText(node) ? rangeOf(source, node) : undefined;
    return range && range.from <= words.from && range.to >= words.to;
  });
}
