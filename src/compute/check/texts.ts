import { SIZES } from '../../limits.ts';
import { attribute, type HtmlElement, type HtmlText, isHtml } from './html-tree.ts';

/*
 * Texts as people see them, in time that does not depend on how much is nested.
 */

/** Elements that begin and end a line. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section table tbody td th tr ul'.split(
    ' ',
  ),
);
/** Elements whose content is no text of a label: the values of controls, and what is not shown. */
const LEFT_OUT = new Set(['select', 'textarea', 'button', 'script', 'style', 'template', 'datalist', 'noscript']);

/** White space as one space each; '' for none. At most SIZES.check.maxTextChars, then `…`. */
export function tidy(text: string): string {
  const words = text
    .slice(0, SIZES.internalCheck.rawTextChars)
    .replaceAll(/[\s\p{Cc}\u200b\ufeff]+/gu, ' ')
    .trim();
  if (words.length <= SIZES.check.maxTextChars) return words;
  return `${words.slice(0, SIZES.check.maxTextChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const isLeftOut = (element: HtmlElement): boolean =>
  LEFT_OUT.has(element.name) || attribute(element, 'aria-hidden')?.toLowerCase() === 'true';

/** The text in an element. What `aria-hidden` marks, such as an asterisk, is left out. */
export function textOf(element: HtmlElement): string {
  let text = '';
  let nodes = 0;
  let node: HtmlElement | HtmlText | undefined = firstOf(element);
  while (node && nodes < SIZES.internalCheck.textNodes && text.length < SIZES.internalCheck.rawTextChars) {
    nodes += 1;
    let below: HtmlElement | HtmlText | undefined;
    if (node.kind === 'text') text += node.text.slice(0, SIZES.internalCheck.rawTextChars);
    else {
      if (BLOCKS.has(node.name)) text += ' ';
      if (isHtml(node, 'img') || isHtml(node, 'area')) text += attribute(node, 'alt') ?? '';
      if (!isLeftOut(node)) below = firstOf(node);
    }
    node = below ?? after(node, element);
    if (node === undefined) break;
  }
  return tidy(text);

  /** What follows a node in the element; a space where a line ends. */
  function after(from: HtmlElement | HtmlText, top: HtmlElement): HtmlElement | HtmlText | undefined {
    let at: HtmlElement | HtmlText = from;
    for (;;) {
      if (at.kind === 'element' && BLOCKS.has(at.name)) text += ' ';
      const next = nextOf(at);
      if (next) return next;
      const { parent } = at;
      if (!parent || parent === top || parent.kind === 'root') return undefined;
      at = parent;
    }
  }
}

function firstOf({ first }: HtmlElement): HtmlElement | HtmlText | undefined {
  return first?.kind === 'ignored' ? undefined : first;
}

function nextOf({ next }: HtmlElement | HtmlText): HtmlElement | HtmlText | undefined {
  return next?.kind === 'ignored' ? undefined : next;
}

/** The text directly in an element, whole: that of a script, a style or a title. */
export function rawTextOf({ first }: HtmlElement): string {
  return first?.kind === 'text' ? first.text : '';
}

/** The same as it is in the source, where line breaks are as they were written. */
export function sourceTextOf(html: string, { name, end }: HtmlElement): string {
  const endTag = new RegExp(`</${name}`, 'gi');
  endTag.lastIndex = end;
  return html.slice(end, endTag.exec(html)?.index);
}
