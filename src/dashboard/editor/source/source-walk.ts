import { type HtmlElement, type HtmlNode, isElement, isHtml } from '../../../forms/html-tree.ts';
import type { PageSource, Range } from './page-source.ts';

/** Elements that need no tags. */
const TAGLESS = new Set(['html', 'head', 'body', 'tbody', 'colgroup']);

/** A node with the element around it. `isSound`: it and all around it stand in the HTML as they do in the tree. */
export type Visited = { node: HtmlNode; parent: HtmlElement | undefined; isSound: boolean };

type Level = {
  nodes: Iterator<HtmlNode>;
  parent: HtmlElement | undefined;
  isSound: boolean;
  /** Where the next node can begin, and where the last one ends at most. */
  next: number;
  end: number;
};

/** The part of the HTML that a node was read from; undefined where the parser made it up. */
export function rangeOf(source: PageSource, node: HtmlNode): Range | undefined {
  const ranges = source.textRanges.get(node);
  const [first, last] = [ranges?.[0], ranges?.at(-1)];
  if (first && last) return { from: first.from, to: last.to };
  const location = node.sourceCodeLocation;
  return location ? { from: location.startOffset, to: location.endOffset } : undefined;
}

/** The part of the HTML between the tags of an element; undefined where the parser made it up. */
export function contentOf({ sourceCodeLocation: location }: HtmlElement): Range | undefined {
  if (!location?.startTag) return undefined;
  const from = location.startTag.endOffset;
  return { from, to: Math.max(from, location.endTag?.startOffset ?? location.endOffset) };
}

function enter(source: PageSource, node: HtmlNode, level: Level): boolean {
  if (source.moved.has(node)) return false;
  const range = rangeOf(source, node);
  if (!range) return level.isSound && isElement(node) && TAGLESS.has(node.tagName);
  const isInside = range.from >= level.next && range.from <= level.end;
  // Blanks after the end of the body belong to its last text.
  const isWhole = range.to <= level.end || source.textRanges.has(node);
  if (isInside && isWhole) level.next = Math.min(range.to, level.end);
  return level.isSound && isInside && isWhole;
}

/** All nodes in the order of the tree, without the content of templates. `isEntered` says if those in an element follow. */
export function* visit(source: PageSource, isEntered: (element: HtmlElement) => boolean): Generator<Visited> {
  const all = { from: 0, to: source.html.length };
  const levels: Level[] = [
    { nodes: source.root.childNodes.values(), parent: undefined, isSound: true, next: all.from, end: all.to },
  ];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { value: node, done } = level.nodes.next();
    if (done) {
      levels.pop();
      const around = levels.at(-1);
      // An element without tags ends where its content ends.
      if (around && level.parent && !level.parent.sourceCodeLocation) around.next = Math.max(around.next, level.next);
      continue;
    }
    const isSound = enter(source, node, level);
    yield { node, parent: level.parent, isSound };
    if (!isElement(node) || isHtml(node, 'template') || !isEntered(node)) continue;
    const content = contentOf(node) ?? { from: level.next, to: level.end };
    levels.push({ nodes: node.childNodes.values(), parent: node, isSound, next: content.from, end: content.to });
  }
}
