import { attribute, type HtmlElement, type HtmlNode, isElement, isHtml, isText } from '../../../../forms/html-tree.ts';
import { spell, TEXT } from '../new-text.ts';
import type { PageSource, Range } from '../page-source.ts';
import { contentOf, rangeOf } from '../source-walk.ts';
import { isIn } from './form-controls.ts';

/*
 * New fields and choices look like those beside them: the elements around and the classes are copied, and all else is not.
 */

/** Attributes that say how an element looks or is read, and not what it is. */
const COPIED = ['class', 'style', 'role', 'lang', 'dir'];

/** A part of a page that is copied. `words`: of its label. `controls`: what stands for each control; '' leaves it out. */
export type Shape = {
  nodes: readonly HtmlNode[];
  words: Range | undefined;
  controls: ReadonlyMap<HtmlElement, string>;
  /** The id of the new control, which a label beside it names. */
  id: string | undefined;
};

export const written = (name: string, value: string): string =>
  ` ${name}="${spell(value, { isText: false, quote: '"' }, '\n')}"`;

/** The attributes of an element that a copy has too, as they are written. */
export function copiedAttributes({ html }: PageSource, { sourceCodeLocation }: HtmlElement): string {
  const found = COPIED.flatMap((name) => {
    const location = sourceCodeLocation?.attrs?.[name];
    return location ? [` ${html.slice(location.startOffset, location.endOffset)}`] : [];
  });
  return found.join('');
}

const isBlank = (text: string): boolean => text.trim() === '';

/** Writes copies of one shape. */
class ShapeWriter {
  readonly #source: PageSource;
  readonly #shape: Shape;
  readonly #label: string;
  #text = '';

  constructor(source: PageSource, shape: Shape, label: string) {
    this.#source = source;
    this.#shape = shape;
    this.#label = label;
  }

  write(): string {
    for (const node of this.#shape.nodes) this.#add(node);
    return this.#text.trim();
  }

  #isKept(element: HtmlElement): boolean {
    const { words, controls } = this.#shape;
    if ([...controls.keys()].some((control) => isIn(control, element))) return true;
    const content = contentOf(element);
    return content !== undefined && words !== undefined && words.from >= content.from && words.to <= content.to;
  }

  #add(node: HtmlNode): void {
    if (isText(node)) this.#addText(node);
    else if (isElement(node)) this.#addElement(node);
  }

  #addText(node: HtmlNode): void {
    const { html } = this.#source;
    const range = rangeOf(this.#source, node);
    if (!range) return;
    const { words } = this.#shape;
    if (words && words.from >= range.from && words.to <= range.to) {
      const label = spell(this.#label, TEXT, '\n');
      this.#text += html.slice(range.from, words.from) + label + html.slice(words.to, range.to);
      return;
    }
    const raw = html.slice(range.from, range.to);
    // Between two blanks was something that is not copied.
    if (isBlank(raw)) this.#text = this.#text.trimEnd() + raw;
  }

  #addElement(element: HtmlElement): void {
    const control = this.#shape.controls.get(element);
    if (control !== undefined) this.#text += control;
    else if (this.#isKept(element)) this.#addKept(element);
    else if (isHtml(element, 'br')) this.#text += '<br>';
  }

  #addKept(element: HtmlElement): void {
    const { id } = this.#shape;
    const forId = attribute(element, 'for') !== undefined && id !== undefined ? written('for', id) : '';
    this.#text += `<${element.tagName}${copiedAttributes(this.#source, element)}${forId}>`;
    for (const node of element.childNodes) this.#add(node);
    if (element.sourceCodeLocation?.endTag) this.#text += `</${element.tagName}>`;
  }
}

/** Returns HTML with the shape of another part of the page, and another label. */
export const writeShape = (source: PageSource, shape: Shape, label: string): string =>
  new ShapeWriter(source, shape, label).write();
