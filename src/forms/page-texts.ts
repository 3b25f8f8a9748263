import { SIZES } from '../sizes.ts';
import { attribute, endOf, type HtmlElement, isElement, isHtml, isText } from './html-tree.ts';

/** Nodes that are read for one text: elements can be read for several. */
const MAX_NODES = 200;
/** Characters that are read for one text: many are white space, which is left out. */
const MAX_RAW_CHARS = 800;

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

/** White space as one space each; '' for none. At most `maxChars`, of which the last is `…` where there are more. */
export function tidy(text: string, maxChars: number = SIZES.check.maxTextChars): string {
  const words = text
    .slice(0, MAX_RAW_CHARS)
    .replaceAll(/[\s\p{Cc}\u200b\ufeff]+/gu, ' ')
    .trim();
  if (words.length <= maxChars) return words;
  return `${words.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

export const orNull = (text: string): string | null => (text === '' ? null : text);

const isLeftOut = (element: HtmlElement): boolean =>
  LEFT_OUT.has(element.tagName) || attribute(element, 'aria-hidden')?.toLowerCase() === 'true';

/** The text in an element, without what `aria-hidden` marks, such as an asterisk. */
export function textOf(element: HtmlElement): string {
  let text = '';
  let nodes = 0;
  // It nests no deeper than MAX_NODES.
  const read = ({ childNodes }: HtmlElement): void => {
    for (const node of childNodes) {
      if (nodes >= MAX_NODES || text.length >= MAX_RAW_CHARS) return;
      nodes += 1;
      if (isText(node)) text += node.value.slice(0, MAX_RAW_CHARS);
      if (!isElement(node)) continue;
      // A line begins and ends.
      const space = BLOCKS.has(node.tagName) ? ' ' : '';
      text += space;
      if (isHtml(node, 'img') || isHtml(node, 'area')) text += attribute(node, 'alt') ?? '';
      if (!isLeftOut(node)) read(node);
      text += space;
    }
  };
  read(element);
  return tidy(text);
}

/** The text directly in an element, whole: that of a script, a style or a title. */
export const rawTextOf = ({ childNodes }: HtmlElement): string =>
  childNodes.map((node) => (isText(node) ? node.value : '')).join('');

/** Returns the text directly in an element as the source has it, with its original line breaks. */
export function sourceTextOf(html: string, element: HtmlElement): string {
  const endTag = new RegExp(`</${element.tagName}`, 'gi');
  endTag.lastIndex = endOf(element);
  return html.slice(endOf(element), endTag.exec(html)?.index);
}
