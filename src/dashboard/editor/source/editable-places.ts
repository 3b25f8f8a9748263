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
import type { PageSource, Range } from './page-source.ts';
import type { Edit } from './source-edits.ts';
import { rangeOf, visit } from './source-walk.ts';
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

const trimmed = (text: string): string => {
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
  const words = text && wordsOf(source, text);
  if (href === undefined && !words) return undefined;
  const shown = words && { text: readText(source.html.slice(words.from, words.to), TEXT) };
  const kind = href === undefined ? 'button' : 'link';
  return { place: { ...range, kind, ...(href !== undefined && { href }), ...shown }, element, ...(words && { words }) };
}

function textPlace(source: PageSource, text: HtmlText, parent: HtmlElement | undefined): Unnumbered | undefined {
  const words = isBlank(text.value) ? undefined : wordsOf(source, text);
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

function foundPlace(source: PageSource, id: number): FoundPlace {
  const found = findPlaces(source)[id];
  if (!found) throw new RangeError(`There is no place ${id}.`);
  return found;
}

/** Returns the edit that gives a place another text. The blanks around the text stay, and so does the spelling of what is not changed. */
export function editText(source: PageSource, id: number, text: string): Edit[] {
  const { words, element } = foundPlace(source, id);
  const wanted = trimmed(possibleText(text).replaceAll(/\r\n?/g, '\n'));
  if (words) return changeText(source.html, words, wanted, TEXT);
  return element?.tagName === 'input' ? setAttribute(source, element, 'value', wanted) : [];
}

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
