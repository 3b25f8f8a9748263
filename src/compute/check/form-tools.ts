import { controlsOf } from '../../forms/control-fields.ts';
import { attribute, type HtmlElement, hasAttribute, startOf } from '../../forms/html-tree.ts';
import { rawTextOf, textOf, tidy } from '../../forms/page-texts.ts';
import { escapeHtml } from '../../lib/html.ts';
import { SIZES } from '../../sizes.ts';
import type { Toolless, ToolsInput } from './answer.ts';
import { countInFieldsets, fieldsWithControls, isEntered, nameOf } from './form-fields.ts';
import type { Insertion } from './insertions.ts';
import { headingsOf, isHidden, nameOfForm } from './named-forms.ts';
import type { ReadForm } from './page-forms.ts';
import { lineAt } from './places.ts';
import type { PageParts } from './read-page.ts';

/*
 * Forms as tools of agents in browsers (WebMCP, declarative API): the attributes `toolname` and `tooldescription` of a form, and
 * `toolparamdescription` of its fields.
 */

/** The name of a form that has none of Latin letters. */
const DEFAULT_NAME = 'form';
const MAX_NAME_CHARS = 60;

type ToolsPage = { parts: PageParts; forms: readonly ReadForm[] };

const canBeTool = ({ submitsHere, isSearch }: ReadForm): boolean => submitsHere && !isSearch;

/** Letters, digits and underlines of a text: all that the name of a tool may have, besides `-` and `.`. */
const toToolName = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_NAME_CHARS)
    .replaceAll(/^_+|_+$/g, '');

/** Returns a name that no other tool of the page has, and notes it. */
function unused(name: string, names: Set<string>): string {
  let found = name;
  for (let count = 2; names.has(found); count += 1) found = `${name}_${count}`;
  names.add(found);
  return found;
}

/** Where an attribute can be put into a start tag: before the others, since the first of two with one name counts. */
const attributePlace = (element: HtmlElement): number => startOf(element) + 1 + element.tagName.length;

/** An attribute for an element that lacks it; undefined for one that has it, and for an empty text. */
function added(element: HtmlElement, name: string, text: string | null): Insertion | undefined {
  if (!text || hasAttribute(element, name)) return undefined;
  return { at: attributePlace(element), text: ` ${name}="${escapeHtml(text)}"` };
}

/** The descriptions of the fields of a form: of several controls with one name, the first has it. */
function* paramAttributes(
  { controls }: ReadForm,
  parts: PageParts,
  othersIn: ReturnType<typeof countInFieldsets>,
  leaveEmpty: string,
): Generator<Insertion | undefined> {
  const controlOf = controlsOf(controls.map(({ element }) => nameOf(element)));
  for (const { field, control } of fieldsWithControls(controls, parts, othersIn)) {
    const { element } = control;
    const isTrap = /honeypot/.test(controlOf(field.name) ?? '');
    if (!isEntered(element) || (isHidden(element) && !isTrap)) continue;
    yield added(element, 'toolparamdescription', isTrap ? leaveEmpty : field.label);
  }
}

/** The description of a form: its own label or its heading, and the title of the page. */
function descriptionOf({ element }: ReadForm, heading: HtmlElement | undefined, { title }: PageParts): string {
  const own = tidy(attribute(element, 'aria-label') ?? '') || (heading ? textOf(heading) : '');
  const ofPage = title ? tidy(rawTextOf(title)) : '';
  return [...new Set([own, ofPage])].filter((text) => text !== '').join(' – ');
}

/** The attributes that the forms of a page lack. A form whose `toolname` is empty is to be no tool. */
export function toolAttributes({ parts, forms }: ToolsPage, { leaveEmpty }: ToolsInput): Insertion[] {
  const headings = headingsOf(forms, parts);
  const othersIn = countInFieldsets(parts.controls);
  const names = new Set(forms.flatMap(({ element }) => attribute(element, 'toolname') ?? []));
  const attributes: Insertion[] = [];
  let chars = 0;
  const add = (insertions: Iterable<Insertion | undefined>): boolean => {
    for (const one of insertions) {
      if (!one) continue;
      chars += one.text.length;
      // A label can be that of many fields.
      if (chars > SIZES.check.maxToolChars) return false;
      attributes.push(one);
    }
    return true;
  };
  for (const form of forms.slice(0, SIZES.check.maxForms)) {
    const { element } = form;
    if (!canBeTool(form) || attribute(element, 'toolname')?.trim() === '') continue;
    const heading = headings.get(element);
    const description = descriptionOf(form, heading, parts);
    const name = toToolName(nameOfForm(form, heading) ?? description) || DEFAULT_NAME;
    const ofForm = [
      hasAttribute(element, 'toolname') ? undefined : added(element, 'toolname', unused(name, names)),
      added(element, 'tooldescription', description || attribute(element, 'toolname') || name),
    ];
    if (!add(ofForm) || !add(paramAttributes(form, parts, othersIn, leaveEmpty))) break;
  }
  return attributes;
}

/** The forms that agents in browsers do not know as tools. */
export function toolless({ forms, html }: ToolsPage & { html: string }): Toolless {
  const found = forms.filter((form) => canBeTool(form) && !hasAttribute(form.element, 'toolname'));
  const [first] = found;
  return { count: found.length, line: first && lineAt(html, startOf(first.element)) };
}
