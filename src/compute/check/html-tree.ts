import { Parser, html as standard, type Token, type TreeAdapter, type TreeAdapterTypeMap } from 'parse5';
import { SIZES } from '../../limits.ts';

/*
 * A page as the HTML standard parses it: a tree of what checks read, with places in the source. Its nodes are smaller
 * than those of parse5's own tree, which takes three times the memory for a page of tags only.
 */

type Parent = HtmlRoot | HtmlElement;
type Child = HtmlElement | HtmlText | Ignored;
type Children = { first: Child | undefined; last: Child | undefined };
type Place = { parent: Parent | undefined; previous: Child | undefined; next: Child | undefined };

/** The document, or the content of a <template>. */
export type HtmlRoot = Children & { kind: 'root'; parent: undefined; mode: standard.DOCUMENT_MODE };
export type HtmlText = Place & { kind: 'text'; text: string };
/** A comment, which is in no tree. */
type Ignored = Place & { kind: 'ignored' };
export type HtmlElement = Children &
  Place & {
    kind: 'element';
    /** In lower case; SVG and MathML have their own letter case. */
    name: string;
    namespace: standard.NS;
    attributes: Token.Attribute[];
    /** The form that the parser associates it with. */
    form: HtmlElement | undefined;
    /** What a <template> has, which is no child of it. */
    content: HtmlRoot | undefined;
    /** Where its start tag begins and ends in the source; both 0 where the parser made it up. */
    start: number;
    end: number;
  };

type Types = TreeAdapterTypeMap<
  HtmlRoot | Child,
  Parent,
  Child,
  HtmlRoot,
  HtmlRoot,
  HtmlElement,
  Ignored,
  HtmlText,
  HtmlElement,
  never
>;

/** Wrong nesting makes the parser copy elements, many more than the page has. */
export class TooComplexError extends Error {}

const NO_ATTRIBUTES: Token.Attribute[] = [];

/** The elements that the parser associates with a form ("form-associated elements" in the standard). */
const FORM_ASSOCIATED = new Set(['button', 'fieldset', 'img', 'input', 'object', 'output', 'select', 'textarea']);

/** Whether an element is one of HTML, with this name. */
export const isHtml = (node: HtmlElement, name: string): boolean =>
  node.name === name && node.namespace === standard.NS.HTML;

/** The value of an attribute; undefined where it is missing. */
export function attribute(element: HtmlElement, name: string): string | undefined {
  for (const one of element.attributes) if (one.name === name) return one.value;
  return undefined;
}

export const hasAttribute = (element: HtmlElement, name: string): boolean => attribute(element, name) !== undefined;

function detach(node: Child): void {
  const { parent, previous, next } = node;
  if (!parent) return;
  if (previous) previous.next = next;
  else parent.first = next;
  if (next) next.previous = previous;
  else parent.last = previous;
  node.parent = undefined;
  node.previous = undefined;
  node.next = undefined;
}

/** Puts a node before another one, or at the end. */
function insert(parent: Parent, node: Child, before: Child | undefined): void {
  if (node.kind === 'ignored') return;
  const previous = before ? before.previous : parent.last;
  node.parent = parent;
  node.previous = previous;
  node.next = before;
  if (previous) previous.next = node;
  else parent.first = node;
  if (before) before.previous = node;
  else parent.last = node;
}

const newRoot = (): HtmlRoot => ({
  kind: 'root',
  mode: standard.DOCUMENT_MODE.NO_QUIRKS,
  parent: undefined,
  first: undefined,
  last: undefined,
});

/** `maxNodes`: more than these throw TooComplexError. */
function createTreeAdapter(maxNodes: number): TreeAdapter<Types> {
  let nodes = 0;
  const ignored: Ignored = { kind: 'ignored', parent: undefined, previous: undefined, next: undefined };

  function count(): void {
    nodes += 1;
    if (nodes > maxNodes) throw new TooComplexError();
  }

  const newText = (text: string): HtmlText => {
    count();
    return { kind: 'text', text, parent: undefined, previous: undefined, next: undefined };
  };

  function insertText(parent: Parent, text: string, before: Child | undefined): void {
    const previous = before ? before.previous : parent.last;
    if (previous?.kind === 'text') previous.text += text;
    else insert(parent, newText(text), before);
  }

  return {
    createDocument: newRoot,
    createDocumentFragment: newRoot,
    createElement(name, namespace, attributes) {
      count();
      return {
        kind: 'element',
        name,
        namespace,
        attributes: attributes.length === 0 ? NO_ATTRIBUTES : attributes,
        form: undefined,
        content: undefined,
        start: 0,
        end: 0,
        parent: undefined,
        previous: undefined,
        next: undefined,
        first: undefined,
        last: undefined,
      };
    },
    // "Create an element for a token" in the standard. Trees are never apart here: no script moves a form.
    onElementCreated(element, { formElement, isInTemplate }) {
      if (!formElement || isInTemplate || !FORM_ASSOCIATED.has(element.name)) return;
      if (element.name !== 'img' && hasAttribute(element, 'form')) return;
      element.form = formElement;
    },
    createCommentNode: () => ignored,
    createTextNode: newText,
    appendChild: (parent, node) => insert(parent, node, undefined),
    insertBefore: insert,
    insertText: (parent, text) => insertText(parent, text, undefined),
    insertTextBefore: insertText,
    detachNode: detach,
    adoptAttributes(element, attributes) {
      const names = new Set(element.attributes.map(({ name }) => name));
      element.attributes = [...element.attributes, ...attributes.filter(({ name }) => !names.has(name))];
    },
    setTemplateContent(element, content) {
      element.content = content;
    },
    getTemplateContent: ({ content }) => content ?? newRoot(),
    setDocumentType: () => undefined,
    setDocumentMode(root, mode) {
      root.mode = mode;
    },
    getDocumentMode: ({ mode }) => mode,
    getFirstChild: ({ first }) => first ?? null,
    getChildNodes({ first }) {
      const children: Child[] = [];
      for (let child = first; child; child = child.next) children.push(child);
      return children;
    },
    getParentNode: ({ parent }) => parent ?? null,
    getAttrList: ({ attributes }) => attributes,
    getTagName: ({ name }) => name,
    getNamespaceURI: ({ namespace }) => namespace,
    getTextNodeContent: ({ text }) => text,
    getCommentNodeContent: () => '',
    getDocumentTypeNodeName: () => '',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    isTextNode: (node): node is HtmlText => node.kind === 'text',
    isCommentNode: (node): node is Ignored => node.kind === 'ignored',
    isDocumentTypeNode: (_node): _node is never => false,
    isElementNode: (node): node is HtmlElement => node.kind === 'element',
    // Where elements end is not needed: the parser leaves it out where there is no beginning.
    getNodeSourceCodeLocation: () => undefined,
    updateNodeSourceCodeLocation: () => undefined,
    setNodeSourceCodeLocation(node, location) {
      if (node.kind !== 'element' || !location) return;
      node.start = location.startOffset;
      node.end = location.endOffset;
    },
  };
}

/** Elements that can't contain a widget. */
const NO_WIDGET_IN = new Set(['button', 'select', 'table', 'tbody', 'thead', 'tfoot', 'tr', 'colgroup']);

class PageParser extends Parser<Types> {
  /** Where the content of each form ends in the source: at its `</form>`, or before an element that is open there. */
  readonly formEnds = new Map<HtmlElement, number>();
  maxDepth = Number.POSITIVE_INFINITY;

  override onItemPush(node: Parent, tid: standard.TAG_ID, isTop: boolean): void {
    if (this.openElements.depth > this.maxDepth) throw new TooComplexError();
    super.onItemPush(node, tid, isTop);
  }
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
    for (let depth = 0; slot >= 0 && depth < SIZES.internalCheck.depth; depth += 1) {
      const element = this.openElements.items[slot];
      if (element === form) this.formEnds.set(form, end);
      if (element === form || element?.kind !== 'element') return;
      if (NO_WIDGET_IN.has(element.name) || element.namespace !== standard.NS.HTML) end = element.start;
      slot = this.openElements.slotBelow(slot);
    }
  }
  // Text needs no place in the source. The parser would look for its node among all others of its parent.
  override onCharacter(token: Token.CharacterToken): void {
    token.location = null;
    super.onCharacter(token);
  }
  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    token.location = null;
    super.onWhitespaceCharacter(token);
  }
}

/** `formEnds`: where markup can be put at the end of a form, as indexes of the source. */
type ParsedHtml = { root: HtmlRoot; formEnds: ReadonlyMap<HtmlElement, number> };

/** Parses a page without a byte order mark. Throws TooComplexError, also where elements nest deeper than `maxDepth`. */
export function parseHtml(html: string, maxDepth: number): ParsedHtml {
  const treeAdapter = createTreeAdapter(html.length + SIZES.internalCheck.spareNodes);
  const parser = new PageParser({ treeAdapter, sourceCodeLocationInfo: true });
  parser.maxDepth = maxDepth;
  parser.tokenizer.write(html, true);
  return { root: parser.document, formEnds: parser.formEnds };
}

/** Visits every element in the order of the source, and each again after what it contains. */
export function walk(
  root: HtmlRoot,
  enter: (element: HtmlElement) => void,
  leave: (element: HtmlElement) => void,
): void {
  // By hand: a page may be nested deeper than functions can.
  const hosts: HtmlElement[] = [];
  let node: Child | undefined = root.first;
  let parent: HtmlElement | undefined;
  for (;;) {
    while (node) {
      if (node.kind !== 'element') {
        node = node.next;
        continue;
      }
      enter(node);
      parent = node;
      if (node.content) hosts.push(node);
      node = node.content ? node.content.first : node.first;
    }
    if (!parent) return;
    leave(parent);
    if (parent.content) hosts.pop();
    node = parent.next;
    const above: Parent | undefined = parent.parent;
    parent = above?.kind === 'element' ? above : hosts.at(-1);
  }
}
