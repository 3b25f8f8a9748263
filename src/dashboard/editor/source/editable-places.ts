import {
  attribute,
  type HtmlElement,
  type HtmlText,
  isElement,
  isHtml,
  isText,
  typeOf,
} from '../../../forms/html-tree.ts';
import type { LinePlace } from './line-places.ts';
import { changeText, possibleText, readText, TEXT } from './new-text.ts';
import { isFilledIn } from './page-scripts.ts';
import type { PageSource, Range } from './page-source.ts';
import type { Edit } from './source-edits.ts';
import { contentOf, rangeOf, visit } from './source-walk.ts';
import { removeAttribute, setAttribute } from './tag-attributes.ts';

/**
 * A part of a page that can be edited where it stands. `id`: its index in the list. `text`: of a text, a button, or a link that has
 * nothing but a text. `from`, `to`: its HTML.
 */
export type Place = Range &
  LinePlace & {
    id: number;
    kind: 'text' | 'link' | 'image' | 'button';
    text?: string;
    href?: string;
    src?: string;
    alt?: string;
  };

/** A place with the nodes it was read from. `parent`: of a text, if it is all that this element has. */
export type FoundPlace = { place: Place; element?: HtmlElement; words?: Range; parent?: HtmlElement };

/** Elements whose content is no text of the page: it is code, a value, a drawing, or for other browsers. */
const CLOSED = new Set(
  'head script style template noscript iframe noembed noframes textarea select title xmp plaintext svg math object video audio canvas datalist frameset'.split(
    ' ',
  ),
);
export const isOpen = (element: HtmlElement): boolean => isHtml(element) && !CLOSED.has(element.tagName);

const isBlank = (text: string): boolean => !/[^\t\n\f\r ]/.test(text);

/** Returns a part of a text without the blanks around it. */
function withoutBlanks(text: string, { from, to }: Range): Range {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charAt(start))) start += 1;
  while (end > start && isBlank(text.charAt(end - 1))) end -= 1;
  return { from: start, to: end };
}

/** Returns a text without the blanks around it. */
export const trimmed = (text: string): string => {
  const { from, to } = withoutBlanks(text, { from: 0, to: text.length });
  return text.slice(from, to);
};

/** The part of the HTML that has the words of a text, without the blanks around them; undefined if it has tags too. */
export function wordsOf({ html, textRanges }: PageSource, text: HtmlText): Range | undefined {
  const ranges = textRanges.get(text)?.filter(({ from, to }) => !isBlank(html.slice(from, to)));
  const [first, last] = [ranges?.[0], ranges?.at(-1)];
  if (!first || !last) return undefined;
  const words = withoutBlanks(html, { from: first.from, to: last.to });
  return trimmed(readText(html.slice(words.from, words.to), TEXT)) === trimmed(text.value) ? words : undefined;
}

/** The text of an element that has nothing else. */
function onlyText({ childNodes }: HtmlElement): HtmlText | undefined {
  const [node, ...others] = childNodes;
  return node && isText(node) && others.length === 0 && !isBlank(node.value) ? node : undefined;
}

/** The words of a text that nothing but the HTML says. */
const typedWords = (source: PageSource, text: HtmlText): Range | undefined =>
  isFilledIn(source, text.value) ? undefined : wordsOf(source, text);

/** Where an element without any content gets its text. */
function emptyWords(element: HtmlElement): Range | undefined {
  const isEmpty = element.childNodes.every((node) => isText(node) && isBlank(node.value));
  const content = isEmpty ? contentOf(element) : undefined;
  return content && { from: content.from, to: content.from };
}

type Unnumbered = Omit<FoundPlace, 'place'> & { place: Omit<Place, 'id' | 'line' | 'column'> };

/** The place that an element is; undefined for one that is none. */
function elementPlace(source: PageSource, element: HtmlElement): Unnumbered | undefined {
  const range = rangeOf(source, element);
  if (!range || !isHtml(element) || source.copied.has(element)) return undefined;
  const { tagName } = element;
  if (tagName === 'img') {
    const [src, alt] = [attribute(element, 'src'), attribute(element, 'alt')];
    return { place: { ...range, kind: 'image', ...(src !== undefined && { src }), alt: alt ?? '' }, element };
  }
  if (tagName === 'input' && ['submit', 'button', 'reset'].includes(typeOf(element))) {
    return { place: { ...range, kind: 'button', text: attribute(element, 'value') ?? '' }, element };
  }
  const href = tagName === 'a' ? attribute(element, 'href') : undefined;
  if (href === undefined && tagName !== 'button') return undefined;
  const text = onlyText(element);
  const words = text ? typedWords(source, text) : href === undefined ? undefined : emptyWords(element);
  if (href === undefined && !words) return undefined;
  const shown = words && { text: readText(source.html.slice(words.from, words.to), TEXT) };
  const kind = href === undefined ? 'button' : 'link';
  return { place: { ...range, kind, ...(href !== undefined && { href }), ...shown }, element, ...(words && { words }) };
}

function textPlace(source: PageSource, text: HtmlText, parent: HtmlElement | undefined): Unnumbered | undefined {
  const words = isBlank(text.value) ? undefined : typedWords(source, text);
  if (!words) return undefined;
  const shown = readText(source.html.slice(words.from, words.to), TEXT);
  const isAll = parent?.sourceCodeLocation?.endTag && !source.copied.has(parent) && onlyText(parent) === text;
  return { place: { ...words, kind: 'text', text: shown }, words, ...(isAll && { parent }) };
}

const FOUND = new WeakMap<PageSource, readonly FoundPlace[]>();

/** All places of a page with the nodes they were read from. */
export function findPlaces(source: PageSource): readonly FoundPlace[] {
  const before = FOUND.get(source);
  if (before) return before;
  const found: FoundPlace[] = [];
  const whole = new Set<HtmlElement>();
  for (const { node, parent, isSound } of visit(source, isOpen)) {
    if (!isSound || (parent && whole.has(parent))) continue;
    const place = isElement(node)
      ? elementPlace(source, node)
      : isText(node)
        ? textPlace(source, node, parent)
        : undefined;
    if (!place) continue;
    if (place.element && place.words) whole.add(place.element);
    found.push({ ...place, place: { ...place.place, id: found.length, ...source.lineAt(place.place.from) } });
  }
  FOUND.set(source, found);
  return found;
}

/** The parts of a page that can be edited where they stand, in the order of the page. */
export const places = (source: PageSource): Place[] => findPlaces(source).map(({ place }) => place);

/** Returns the link that a place stands in. */
export const linkAround = (all: readonly Place[], { id, from, to }: Place): Place | undefined =>
  all.find((one) => one.kind === 'link' && one.id !== id && one.from <= from && to <= one.to);

function foundPlace(source: PageSource, id: number): FoundPlace {
  const found = findPlaces(source)[id];
  if (!found) throw new RangeError(`There is no place ${id}.`);
  return found;
}

const LINE_BREAK = /\r\n?|\n/g;

/** Returns a typed text as it can be written. */
const writable = (text: string): string => trimmed(possibleText(text).replaceAll(LINE_BREAK, '\n'));

/** Returns the edits of a text. With as many line breaks as before, each of its lines is one, so that the line breaks stay as they are written. */
function changeLines(html: string, words: Range, text: string): Edit[] {
  const breaks = Array.from(html.slice(words.from, words.to).matchAll(LINE_BREAK), ({ 0: written, index }) => ({
    ...{ from: words.from + index, to: words.from + index + written.length },
  }));
  const lines = text.split('\n');
  if (lines.length !== breaks.length + 1) return changeText(html, words, text, TEXT);
  return lines.flatMap((line, at) => {
    const [from, to] = [breaks[at - 1]?.to ?? words.from, breaks[at]?.from ?? words.to];
    return changeText(html, { from, to }, line, TEXT);
  });
}

/** Returns the edits that give a place another text. The blanks around the text stay, and so does the spelling of what is not changed. */
export function editText(source: PageSource, id: number, text: string): Edit[] {
  const { words, element } = foundPlace(source, id);
  const wanted = writable(text);
  if (words) return changeLines(source.html, words, wanted);
  return element?.tagName === 'input' ? setAttribute(source, element, 'value', wanted) : [];
}

/** Returns the edit that writes a text where another one was before it was emptied. */
export const fillText = ({ html }: PageSource, at: number, text: string): Edit[] =>
  changeText(html, { from: at, to: at }, writable(text), TEXT);

/** Returns the edits that give a link another text or another address. */
export function editLink(source: PageSource, id: number, { text, href }: { text?: string; href?: string }): Edit[] {
  const { element } = foundPlace(source, id);
  return [
    ...(element && href !== undefined ? setAttribute(source, element, 'href', href) : []),
    ...(text === undefined ? [] : editText(source, id, text)),
  ];
}

/** The other sources of an image, of which browsers would take one in place of its `src`. */
function otherSources(source: PageSource, image: HtmlElement): Edit[] {
  const { parentNode } = image;
  const beside = parentNode && isElement(parentNode) && isHtml(parentNode, 'picture') ? parentNode.childNodes : [];
  const sources = beside.filter(isElement).filter((element) => isHtml(element, 'source'));
  return [
    ...['srcset', 'sizes'].flatMap((name) => removeAttribute(source, image, name)),
    ...sources.flatMap((element) => removeAttribute(source, element, 'srcset')),
  ];
}

/** Returns the edits that give an image another source or another text. With another source, the image has no others. */
export function editImage(source: PageSource, id: number, { src, alt }: { src?: string; alt?: string }): Edit[] {
  const { element } = foundPlace(source, id);
  if (!element) return [];
  const isOther = src !== undefined && src !== attribute(element, 'src');
  return [
    ...(src !== undefined ? setAttribute(source, element, 'src', src) : []),
    ...(isOther ? otherSources(source, element) : []),
    ...(alt !== undefined ? setAttribute(source, element, 'alt', alt) : []),
  ];
}
