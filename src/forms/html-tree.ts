import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  Parser,
  type ParserOptions,
  html as standard,
  type Token,
} from 'parse5';

/** The elements and attributes of a page are fewer than half of its characters. Misnested tags make the parser copy many more. */
const SPARE_NODES = 10_000;
/** Open elements that are looked through for the form that a `</form>` ends. Browsers nest no deeper. */
export const MAX_DEPTH = 512;

/*
 * A page as the HTML standard parses it: parse5's tree, and what the parser knows of forms.
 */

export type HtmlRoot = DefaultTreeAdapterTypes.ParentNode;
export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlText = DefaultTreeAdapterTypes.TextNode;
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

/** Wrong nesting makes the parser copy elements, many more than the page has. */
export class TooComplexError extends Error {}

/** The elements that the parser associates with a form ("form-associated elements" in the standard). */
const FORM_ASSOCIATED = new Set(['button', 'fieldset', 'img', 'input', 'object', 'output', 'select', 'textarea']);
/** Elements that can't contain a widget. */
export const NO_WIDGET_IN = new Set(['button', 'select', 'table', 'tbody', 'thead', 'tfoot', 'tr', 'colgroup']);

export const { isElementNode: isElement, isTextNode: isText } = defaultTreeAdapter;

/** Returns whether an element belongs to HTML, and has this name if one is given. */
export const isHtml = ({ tagName, namespaceURI }: HtmlElement, name = tagName): boolean =>
  tagName === name && namespaceURI === standard.NS.HTML;

/** The value of an attribute; undefined where it is missing. */
export const attribute = ({ attrs }: HtmlElement, name: string): string | undefined =>
  attrs.find((one) => one.name === name)?.value;

export const hasAttribute = (element: HtmlElement, name: string): boolean => attribute(element, name) !== undefined;

const INPUT_TYPES = new Set(
  'button checkbox color date datetime-local email file hidden image month number password radio range reset search submit tel text time url week'.split(
    ' ',
  ),
);

/** `select`, `textarea`, or the type of an <input> or a <button>. */
export function typeOf(element: HtmlElement): string {
  const { tagName: name } = element;
  if (name === 'select' || name === 'textarea') return name;
  const type = attribute(element, 'type')?.toLowerCase() ?? '';
  if (name === 'button') return type === 'reset' || type === 'button' ? type : 'submit';
  return INPUT_TYPES.has(type) ? type : 'text';
}

/** Where the start tag begins and ends in the source; both 0 where the parser made the element up. */
export const startOf = ({ sourceCodeLocation }: HtmlElement): number => sourceCodeLocation?.startOffset ?? 0;
export const endOf = ({ sourceCodeLocation }: HtmlElement): number => sourceCodeLocation?.startTag?.endOffset ?? 0;
export const startTagOf = (html: string, element: HtmlElement): string => html.slice(startOf(element), endOf(element));

/** `formOwners`: the form that the parser associates an element with. `formEnds`: where markup can be put at the end of a form. */
export type ParsedHtml = {
  root: HtmlRoot;
  formOwners: ReadonlyMap<HtmlElement, HtmlElement>;
  formEnds: ReadonlyMap<HtmlElement, number>;
};

/** A parser that also finds where markup can be put at the end of a form. */
export class PageParser extends Parser<DefaultTreeAdapterMap> {
  /** At the `</form>` of each form in the source, or before an element that is open there. */
  readonly formEnds = new Map<HtmlElement, number>();

  override onEndTag(token: Token.TagToken): void {
    const { formElement: form, openElements } = this;
    if (token.tagID === standard.TAG_ID.FORM && form && token.location && openElements.tmplCount === 0) {
      this.#endForm(form, token.location.startOffset);
    }
    super.onEndTag(token);
  }

  #endForm(form: HtmlElement, at: number): void {
    let end = at;
    let slot = this.openElements.stackTop;
    for (let depth = 0; slot >= 0 && depth < MAX_DEPTH; depth += 1) {
      const element = this.openElements.items[slot];
      if (element === form) this.formEnds.set(form, end);
      if (element === form || !element || !isElement(element)) return;
      if (NO_WIDGET_IN.has(element.tagName) || !isHtml(element)) end = startOf(element);
      slot = this.openElements.slotBelow(slot);
    }
  }
}

/**
 * Options that write down in `formOwners` which form the parser associates an element with, and end the work with a TooComplexError,
 * also where elements nest deeper than `maxDepth`.
 */
export function boundedOptions(
  html: string,
  maxDepth: number,
  formOwners: Map<HtmlElement, HtmlElement>,
): ParserOptions<DefaultTreeAdapterMap> & { treeAdapter: typeof defaultTreeAdapter } {
  let spareNodes = html.length / 2 + SPARE_NODES;
  let depth = 0;
  return {
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      // "Create an element for a token" in the standard. Trees are never apart here: no script moves a form.
      onElementCreated(element, { formElement, isInTemplate }) {
        spareNodes -= 1 + element.attrs.length;
        if (spareNodes < 0) throw new TooComplexError();
        if (!formElement || isInTemplate || !FORM_ASSOCIATED.has(element.tagName)) return;
        if (element.tagName === 'img' || !hasAttribute(element, 'form')) formOwners.set(element, formElement);
      },
      onItemPush() {
        depth += 1;
        if (depth > maxDepth) throw new TooComplexError();
      },
      onItemPop() {
        depth -= 1;
      },
    },
  };
}

/** Parses a page without a byte order mark. Throws TooComplexError, also where elements nest deeper than `maxDepth`. */
export function parseHtml(html: string, maxDepth: number): ParsedHtml {
  const formOwners = new Map<HtmlElement, HtmlElement>();
  const parser = new PageParser(boundedOptions(html, maxDepth, formOwners));
  parser.tokenizer.write(html, true);
  return { root: parser.document, formOwners, formEnds: parser.formEnds };
}

/** The nodes in an element; of a `<template>`, those of its content. */
const childrenOf = (node: HtmlRoot): readonly HtmlNode[] =>
  'content' in node ? node.content.childNodes : node.childNodes;

/** Visits elements in the order of the source. `enter` gets what it returned for the element around. */
export function walk<Context extends object>(
  root: HtmlRoot,
  context: Context,
  enter: (element: HtmlElement, around: Context) => Context,
): void {
  // Without recursion: a page may be nested deeper than functions can.
  const open = [{ nodes: childrenOf(root).values(), context }];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const { value: node, done } = level.nodes.next();
    if (done) open.pop();
    else if (isElement(node)) open.push({ nodes: childrenOf(node).values(), context: enter(node, level.context) });
  }
}

/** A head that is longer, or nested deeper, is not read: nobody waits for pages that are made to be slow. */
const MAX_HEAD_CHARS = 128 * 1024;
const MAX_HEAD_DEPTH = 32;

/** Ends the work of the parser. `at`: the place that it has found. */
class Ended extends Error {
  readonly at: number | undefined;

  constructor(at: number | undefined) {
    super('The head has been read.');
    this.at = at;
  }
}

/** Reads the head of a page, and knows the place of the token that begins the body. */
class HeadParser extends Parser<DefaultTreeAdapterMap> {
  #last: Token.Token | undefined;

  override onStartTag(token: Token.TagToken): void {
    this.#last = token;
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.#last = token;
    super.onEndTag(token);
  }

  override onCharacter(token: Token.CharacterToken): void {
    this.#last = token;
    super.onCharacter(token);
  }

  override onNullCharacter(token: Token.CharacterToken): void {
    this.#last = token;
    super.onNullCharacter(token);
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.#last = token;
    super.onWhitespaceCharacter(token);
  }

  /** The place behind the tag of a body, or before anything else that makes one. */
  placeOf(name: string): number | undefined {
    const { location = null } = this.#last ?? {};
    const isOwnTag = name === 'body' && this.#last && 'tagName' in this.#last && this.#last.tagName === name;
    return isOwnTag ? location?.endOffset : location?.startOffset;
  }
}

/**
 * Returns where in the source of a page a text would be the first in its body, whatever is open at the end of the page; undefined: that is
 * not found. Before a <frameset>, a text makes it a page with a body.
 */
export function bodyStart(html: string): number | undefined {
  let depth = 0;
  const parser = new HeadParser({
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush(element) {
        if (isHtml(element, 'body') || isHtml(element, 'frameset')) throw new Ended(parser.placeOf(element.tagName));
        depth += 1;
        if (depth > MAX_HEAD_DEPTH) throw new Ended(undefined);
      },
      onItemPop() {
        depth -= 1;
      },
    },
  });
  try {
    parser.tokenizer.write(html.slice(0, MAX_HEAD_CHARS), false);
  } catch (error) {
    if (error instanceof Ended) return error.at;
    throw error;
  }
  return undefined;
}
