import { controlsOf, isForPeople } from '../../../../forms/control-fields.ts';
import {
  attribute,
  type HtmlElement,
  type HtmlNode,
  hasAttribute,
  isElement,
  isHtml,
  isText,
  typeOf,
} from '../../../../forms/html-tree.ts';
import { isOpen, wordsOf } from '../editable-places.ts';
import type { PageSource, Range } from '../page-source.ts';
import { visit } from '../source-walk.ts';

const CONTROLS = new Set(['input', 'select', 'textarea', 'button']);
/** Controls that visitors enter nothing into. */
const NOT_ENTERED = new Set(['hidden', 'button', 'reset', 'submit', 'image']);

/** Controls that are read, of a page: a submission has no more fields, and finding the label of each takes time. */
const MAX_CONTROLS = 1_000;

/** The controls of a form that visitors fill in and owners see, and the names of all its controls. */
export type FormParts = { form: HtmlElement; controls: HtmlElement[]; names: Set<string> };

/** The parts of a page that its forms need. */
export type PageControls = {
  forms: FormParts[];
  /** How many controls of any kind are in an element, and itself one. */
  counts: ReadonlyMap<HtmlElement, number>;
  byId: ReadonlyMap<string, HtmlElement>;
  /** The elements that label a control. */
  labels: ReadonlyMap<HtmlElement, readonly HtmlElement[]>;
};

export const nameOf = (element: HtmlElement): string => attribute(element, 'name') ?? '';

/** The element around a node; undefined at the top. */
export function parentOf({ parentNode }: HtmlNode): HtmlElement | undefined {
  return parentNode && isElement(parentNode) ? parentNode : undefined;
}

/** The elements around a node, from the inside out. */
export function around(node: HtmlNode): HtmlElement[] {
  const elements: HtmlElement[] = [];
  for (let parent = parentOf(node); parent; parent = parentOf(parent)) elements.push(parent);
  return elements;
}

export const isIn = (node: HtmlNode, element: HtmlElement): boolean =>
  node === element || around(node).includes(element);

function firstControlIn(element: HtmlElement): HtmlElement | undefined {
  for (const node of element.childNodes) {
    if (!isElement(node)) continue;
    const found = CONTROLS.has(node.tagName) && isHtml(node) ? node : firstControlIn(node);
    if (found) return found;
  }
  return undefined;
}

/** All elements of a page that stand in the HTML as they do in the tree. */
function soundElements(source: PageSource): HtmlElement[] {
  const elements: HtmlElement[] = [];
  for (const { node, isSound } of visit(source, (element) => isHtml(element))) {
    if (isSound && isElement(node) && isHtml(node)) elements.push(node);
  }
  return elements;
}

function labelsIn(elements: readonly HtmlElement[], byId: ReadonlyMap<string, HtmlElement>) {
  const labels = new Map<HtmlElement, HtmlElement[]>();
  for (const label of elements) {
    if (label.tagName !== 'label') continue;
    const id = attribute(label, 'for');
    const control = id === undefined ? firstControlIn(label) : byId.get(id);
    if (!control) continue;
    const others = labels.get(control);
    if (others) others.push(label);
    else labels.set(control, [label]);
  }
  return labels;
}

/** Returns whether visitors see a control and enter something into it. */
const isEntered = (control: HtmlElement): boolean =>
  nameOf(control) !== '' && !NOT_ENTERED.has(typeOf(control)) && !hasAttribute(control, 'hidden');

/** Finds the forms of a page and their controls. */
export function readControls(source: PageSource): PageControls {
  const elements = soundElements(source);
  const byId = new Map<string, HtmlElement>();
  const counts = new Map<HtmlElement, number>();
  const all = new Map<HtmlElement, HtmlElement[]>();
  for (const element of elements) {
    const id = attribute(element, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    if (element.tagName === 'form') all.set(element, []);
  }
  let left = MAX_CONTROLS;
  for (const element of elements) {
    if (!CONTROLS.has(element.tagName) || left === 0) continue;
    left -= 1;
    for (const one of [element, ...around(element)]) counts.set(one, (counts.get(one) ?? 0) + 1);
    const id = attribute(element, 'form');
    const form = id === undefined ? source.formOwners.get(element) : byId.get(id);
    if (form) all.get(form)?.push(element);
  }
  const forms = Array.from(all, ([form, controls]) => {
    const names = new Set(controls.map(nameOf));
    const known = controlsOf([...names]);
    return {
      form,
      names,
      controls: controls.filter((control) => isEntered(control) && isForPeople(known(nameOf(control)))),
    };
  });
  return { forms, counts, byId, labels: labelsIn(elements, byId) };
}

const WORDS = new WeakMap<HtmlElement, { words: Range | undefined }>();

const HAS_WORD = /[\p{L}\p{N}]/u;

/** The first words in an element, which are its name for people. Those without a letter are marks, such as an asterisk. */
export function mainWords(source: PageSource, element: HtmlElement): Range | undefined {
  // Many controls can be named by one element.
  const known = WORDS.get(element);
  if (known) return known.words;
  let first: Range | undefined;
  for (const node of element.childNodes) {
    const words = isText(node)
      ? wordsOf(source, node)
      : isElement(node) && isOpen(node) && !CONTROLS.has(node.tagName)
        ? mainWords(source, node)
        : undefined;
    const isNamed = words && HAS_WORD.test(source.html.slice(words.from, words.to));
    if (isNamed || !first) first = words;
    if (isNamed) break;
  }
  WORDS.set(element, { words: first });
  return first;
}
