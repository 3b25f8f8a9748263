import { defaultTreeAdapter, type Token } from 'parse5';
import {
  boundedOptions,
  type HtmlElement,
  type HtmlNode,
  type HtmlRoot,
  isElement,
  isText,
  MAX_DEPTH,
  PageParser,
  TooComplexError,
} from '../../../forms/html-tree.ts';
import { type LinePlace, linePlaces } from './line-places.ts';
import { type SafeTag, safeTag } from './safe-tags.ts';

/** A part of the HTML, by UTF-16 offsets. */
export type Range = { from: number; to: number };

/** HTML and its tree. All other functions of this folder take it. */
export type PageSource = {
  html: string;
  root: HtmlRoot;
  /** False where the page is too complex or too long to be read: it has no places, no head and no forms then. */
  isRead: boolean;
  /** The parts of the HTML that each text comes from; there are several where tags between them have no effect. */
  textRanges: ReadonlyMap<HtmlNode, readonly Range[]>;
  /** The nodes that are in the tree at another place than in the HTML. */
  moved: ReadonlySet<HtmlNode>;
  /** The elements that wrong nesting puts into the tree several times: all have the attributes of one start tag. */
  copied: ReadonlySet<HtmlNode>;
  /** The start tags that have an attribute twice, by their offsets. */
  repeating: ReadonlySet<number>;
  /** The start tags that could run something, by their offsets, and how they are written without that. */
  safeTags: ReadonlyMap<number, SafeTag>;
  formOwners: ReadonlyMap<HtmlElement, HtmlElement>;
  formEnds: ReadonlyMap<HtmlElement, number>;
  lineAt(at: number): LinePlace;
};

/** Where texts and tags come from. */
class SourceNotes {
  readonly textRanges = new Map<HtmlNode, Range[]>();
  readonly moved = new Set<HtmlNode>();
  readonly copied = new Set<HtmlNode>();
  readonly #firstWith = new Map<HtmlElement['attrs'], HtmlElement>();
  readonly repeating = new Set<number>();
  readonly safeTags = new Map<number, SafeTag>();
  /** The characters that become text now, and if they are put before the table that they are in. */
  characters: { token: Token.CharacterToken; isMoved: boolean } | undefined;
  isRepeating = false;

  noteText(node: HtmlNode): void {
    if (!isText(node) || !this.characters) return;
    const { token, isMoved } = this.characters;
    const { startOffset: from = 0, endOffset: to = 0 } = token.location ?? {};
    const ranges = this.textRanges.get(node);
    const last = ranges?.at(-1);
    if (!ranges) this.textRanges.set(node, [{ from, to }]);
    else if (last?.to === from) last.to = to;
    else ranges.push({ from, to });
    if (isMoved) this.moved.add(node);
  }

  noteElement(element: HtmlElement): void {
    const first = this.#firstWith.get(element.attrs);
    if (!first) this.#firstWith.set(element.attrs, element);
    else {
      this.copied.add(first);
      this.moved.add(element);
    }
  }

  noteStartTag(token: Token.TagToken): void {
    const at = token.location?.startOffset ?? 0;
    if (this.isRepeating) this.repeating.add(at);
    this.isRepeating = false;
    const safe = safeTag(token);
    if (safe) this.safeTags.set(at, safe);
  }
}

/** Makes a parser write notes. */
function notingOptions(options: ReturnType<typeof boundedOptions>, notes: SourceNotes): typeof options {
  return {
    ...options,
    treeAdapter: {
      ...options.treeAdapter,
      createElement(tagName, namespace, attrs) {
        const element = defaultTreeAdapter.createElement(tagName, namespace, attrs);
        notes.noteElement(element);
        return element;
      },
      // Before a table, what stands in it and may not.
      insertBefore(parent, node, before) {
        defaultTreeAdapter.insertBefore(parent, node, before);
        notes.moved.add(node);
      },
      setNodeSourceCodeLocation(node, location) {
        defaultTreeAdapter.setNodeSourceCodeLocation(node, location);
        if ('value' in node) notes.noteText(node);
      },
      updateNodeSourceCodeLocation(node, location) {
        defaultTreeAdapter.updateNodeSourceCodeLocation(node, location);
        if ('value' in node) notes.noteText(node);
      },
    },
    onParseError({ code }) {
      notes.isRepeating ||= code === 'duplicate-attribute';
    },
  };
}

class SourceParser extends PageParser {
  readonly notes: SourceNotes;

  constructor(options: ReturnType<typeof boundedOptions>, notes: SourceNotes) {
    super(notingOptions(options, notes));
    this.notes = notes;
  }

  override _insertCharacters(token: Token.CharacterToken): void {
    this.notes.characters = { token, isMoved: this._shouldFosterParentOnInsertion() };
    super._insertCharacters(token);
  }

  override onStartTag(token: Token.TagToken): void {
    this.notes.noteStartTag(token);
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.notes.isRepeating = false;
    super.onEndTag(token);
  }
}

/** Returns HTML with a space in place of a byte order mark: parsers get none, and offsets stay. */
const withoutMark = (html: string): string => (html.startsWith('\ufeff') ? ` ${html.slice(1)}` : html);

/**
 * Corrects where a head and a body without end tags end: the parser says too early an offset for a head before a text, and none for a body
 * of a page without `<html>`.
 */
function mendEnds({ childNodes }: HtmlRoot, end: number): void {
  const parts = childNodes.find(isElement)?.childNodes.filter(isElement) ?? [];
  for (const part of parts) {
    const location = part.sourceCodeLocation;
    if (!location?.startTag || location.endTag) continue;
    if (part.tagName === 'body') {
      // A `</html>` ends it.
      if (location.endOffset === location.startTag.endOffset) location.endOffset = end;
    } else if (part.tagName === 'head') {
      const ends = part.childNodes.map((node) => node.sourceCodeLocation?.endOffset ?? 0);
      location.endOffset = ends.reduce((last, one) => Math.max(last, one), location.endOffset);
    }
  }
}

/** Parses HTML. The time is linear in its length: pages that would take more are not read. */
export function readSource(html: string): PageSource {
  const formOwners = new Map<HtmlElement, HtmlElement>();
  const lineAt = linePlaces(html);
  try {
    const notes = new SourceNotes();
    const parser = new SourceParser(boundedOptions(html, MAX_DEPTH, formOwners), notes);
    parser.tokenizer.write(withoutMark(html), true);
    const { document: root, formEnds } = parser;
    mendEnds(root, html.length);
    const { textRanges, moved, copied, repeating, safeTags } = notes;
    return { html, root, isRead: true, textRanges, moved, copied, repeating, safeTags, formOwners, formEnds, lineAt };
  } catch (error) {
    if (!(error instanceof TooComplexError)) throw error;
    return unread(html);
  }
}

/** Returns HTML that is not parsed: it has no places, no head and no forms. */
export const unread = (html: string): PageSource => ({
  ...readSource(''),
  html,
  isRead: false,
  lineAt: linePlaces(html),
});
