import { attribute, type HtmlElement, isElement, isHtml } from '../../../forms/html-tree.ts';
import type { PageSource } from './page-source.ts';
import { contentOf, visit } from './source-walk.ts';

/** How scripts put texts on a page; jQuery's `text()` without an argument reads one. */
const MAKES_TEXT =
  /\b(?:innerHTML|outerHTML|textContent|innerText|insertAdjacent|document\.write|createElement|append(?:Child)?\(|createRoot|hydrate|render\(|createApp\(|new\s+Vue\()|\.(?:text|html)\(\s*[^\s)]/;
const SCRIPT_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;
/** Attributes by which scripts find the elements that they give a text. */
const FILLED_BY = ['x-text', 'x-html', 'v-text', 'v-html', 'ng-bind'];

const isRun = (element: HtmlElement): boolean =>
  isHtml(element, 'script') && SCRIPT_TYPE.test(attribute(element, 'type')?.trim() ?? '');

/** Returns whether an element is a script that can put texts on the page, or one to which a script gives its text. */
export function makesText(source: PageSource, element: HtmlElement): boolean {
  if (FILLED_BY.some((name) => attribute(element, name) !== undefined)) return true;
  if (!isRun(element)) return false;
  if (attribute(element, 'src') !== undefined) return true;
  const { from, to } = contentOf(element) ?? { from: 0, to: 0 };
  return MAKES_TEXT.test(source.html.slice(from, to));
}

const SCRIPTED = new WeakMap<PageSource, boolean>();

function hasScripts(source: PageSource): boolean {
  const before = SCRIPTED.get(source);
  if (before !== undefined) return before;
  let isScripted = false;
  for (const { node } of visit(source, (element) => isHtml(element)))
    isScripted ||= isElement(node) && isHtml(node, 'script');
  SCRIPTED.set(source, isScripted);
  return isScripted;
}

/** Returns whether a script fills in a text, such as `Hello {{ name }}`. */
export function isFilledIn(source: PageSource, text: string): boolean {
  const at = text.indexOf('{{');
  return at >= 0 && text.includes('}}', at) && hasScripts(source);
}
