import { ALTCHA_ELEMENT, CAPTCHA_CLASSES, type CaptchaProvider } from '../../lib/captcha-fields.ts';
import { attribute, endOf, type HtmlElement, hasAttribute, isHtml, type ParsedHtml, walk } from './html-tree.ts';

/*
 * The parts of a page, collected in one pass: forms and their controls, labels, scripts, and what is loaded from elsewhere.
 * The inert content of a <template> is left out, except that forms are counted.
 */

export type Control = {
  element: HtmlElement;
  /** Its form owner in the standard's words; undefined: it belongs to no form. */
  form: HtmlElement | undefined;
  isDisabled: boolean;
  fieldset: HtmlElement | undefined;
  /** The nearest element around it with the role group or radiogroup. */
  group: HtmlElement | undefined;
};

const CONTROLS = new Set(['input', 'select', 'textarea', 'button']);
const LABELABLE = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
const GROUP_ROLES = new Set(['group', 'radiogroup']);

const isLabelable = (element: HtmlElement): boolean =>
  LABELABLE.has(element.tagName) &&
  !(element.tagName === 'input' && attribute(element, 'type')?.trim().toLowerCase() === 'hidden');

/** Whether a <template> is the content of its parent (declarative shadow DOM). */
const isShadowRoot = (template: HtmlElement): boolean =>
  /^(?:open|closed)$/i.test(attribute(template, 'shadowrootmode') ?? '');

function captchaOf(element: HtmlElement): CaptchaProvider | undefined {
  if (isHtml(element, ALTCHA_ELEMENT)) return 'altcha';
  const classes = attribute(element, 'class')?.split(/\s/) ?? [];
  return classes.map((name) => CAPTCHA_CLASSES.get(name)).find((provider) => provider !== undefined);
}

/** `id`: of what it labels; undefined: the first control in it. */
type FoundLabel = { element: HtmlElement; id: string | undefined; control?: HtmlElement };

/** The elements around an element. */
type Context = {
  form?: HtmlElement;
  label?: FoundLabel;
  group?: HtmlElement;
  fieldset?: HtmlElement;
  /** Whether controls are disabled by a fieldset, and whether they are in the first legend of the innermost one. */
  isDisabled: boolean;
  isDisabledInLegend: boolean;
  isInSearch: boolean;
  isInDatalist: boolean;
  isInTemplate: boolean;
};

type Ids = ReadonlyMap<string, HtmlElement>;
type Labels = ReadonlyMap<HtmlElement, readonly HtmlElement[]>;

/** "Reset the form owner" in the standard. */
function ownerOf({ element, form }: Control, ids: Ids, formOwners: ParsedHtml['formOwners']) {
  const id = attribute(element, 'form');
  if (id === undefined) return formOwners.get(element) ?? form;
  const owner = ids.get(id);
  return owner && isHtml(owner, 'form') ? owner : undefined;
}

/** The <label> elements of each control. */
function labelsOf(found: readonly FoundLabel[], ids: Ids): Labels {
  const labels = new Map<HtmlElement, HtmlElement[]>();
  for (const { element, id, control: first } of found) {
    const control = id === undefined ? first : ids.get(id);
    if (!control || !isHtml(control) || !isLabelable(control)) continue;
    const others = labels.get(control);
    if (others) others.push(element);
    else labels.set(control, [element]);
  }
  return labels;
}

const isGroup = (element: HtmlElement): boolean => GROUP_ROLES.has(attribute(element, 'role') ?? '');
const isSearch = (element: HtmlElement): boolean =>
  attribute(element, 'role') === 'search' || isHtml(element, 'search');

/** Collects the parts of a page while its tree is walked. */
class PageReader {
  title: HtmlElement | undefined;
  lang: string | undefined;
  /** The `href` of the first <base> that has one. */
  base: string | undefined;
  /** Whether a <template> has a form, which only a script can bring onto the page. */
  hasTemplateForm = false;
  /** The first element of each id. */
  readonly ids = new Map<string, HtmlElement>();
  readonly forms: { element: HtmlElement; isSearch: boolean }[] = [];
  /** Each with the form around it. */
  readonly controls: Control[] = [];
  readonly foundLabels: FoundLabel[] = [];
  /** Of each <fieldset>. */
  readonly legends = new Map<HtmlElement, HtmlElement>();
  readonly scripts: HtmlElement[] = [];
  readonly styles: HtmlElement[] = [];
  /** All elements with attributes, for what they load and for the scripts in them. */
  readonly elements: HtmlElement[] = [];
  /** The elements that captchas make their widgets of, with the form around each. */
  readonly captchas: { provider: CaptchaProvider; form: HtmlElement | undefined }[] = [];

  /** Reads an element; what is around the elements in it. */
  enter(element: HtmlElement, around: Context): Context {
    if (around.isInTemplate) {
      this.hasTemplateForm ||= isHtml(element, 'form');
      return around;
    }
    if (isHtml(element, 'template') && !isShadowRoot(element)) return { ...around, isInTemplate: true };
    if (element.attrs.length > 0) {
      // Without a place it is a copy that the parser has made.
      if (endOf(element) > 0) this.elements.push(element);
      const id = attribute(element, 'id');
      if (id !== undefined && id !== '' && !this.ids.has(id)) this.ids.set(id, element);
    }
    const provider = captchaOf(element);
    if (provider) this.captchas.push({ provider, form: around.form });
    const inside = { ...around };
    if (isGroup(element)) inside.group = element;
    if (isSearch(element)) inside.isInSearch = true;
    if (isHtml(element)) {
      this.#enterHtml(element, inside);
      if (isLabelable(element) && inside.label) inside.label.control ??= element;
      if (CONTROLS.has(element.tagName) && !inside.isInDatalist) {
        const { form, fieldset, group } = inside;
        const isDisabled = inside.isDisabled || hasAttribute(element, 'disabled');
        this.controls.push({ element, form, isDisabled, fieldset, group });
      }
    }
    return inside;
  }

  #enterHtml(element: HtmlElement, inside: Context): void {
    switch (element.tagName) {
      case 'html':
        this.lang ??= attribute(element, 'lang');
        break;
      case 'title':
        this.title ??= element;
        break;
      case 'base':
        this.base ??= attribute(element, 'href');
        break;
      case 'form':
        this.forms.push({ element, isSearch: inside.isInSearch });
        inside.form = element;
        break;
      case 'script':
        this.scripts.push(element);
        break;
      case 'style':
        this.styles.push(element);
        break;
      case 'datalist':
        inside.isInDatalist = true;
        break;
      case 'label': {
        const label: FoundLabel = { element, id: attribute(element, 'for') };
        this.foundLabels.push(label);
        if (label.id === undefined) inside.label = label;
        break;
      }
      case 'fieldset':
        inside.fieldset = element;
        inside.isDisabledInLegend = inside.isDisabled;
        inside.isDisabled ||= hasAttribute(element, 'disabled');
        break;
      case 'legend': {
        const { fieldset } = inside;
        if (!fieldset || element.parentNode !== fieldset || this.legends.has(fieldset)) break;
        this.legends.set(fieldset, element);
        inside.isDisabled = inside.isDisabledInLegend;
        break;
      }
    }
  }
}

export type PageParts = Omit<PageReader, 'enter' | 'foundLabels'> & {
  /** The <label> elements of each control. */
  labels: Labels;
};

export function readPage({ root, formOwners }: Pick<ParsedHtml, 'root' | 'formOwners'>): PageParts {
  const reader = new PageReader();
  const context: Context = {
    ...{ isDisabled: false, isDisabledInLegend: false },
    ...{ isInSearch: false, isInDatalist: false, isInTemplate: false },
  };
  walk(root, context, (element, around) => reader.enter(element, around));
  const { controls, foundLabels, ...parts } = reader;
  return {
    ...parts,
    controls: controls.map((control) => ({ ...control, form: ownerOf(control, parts.ids, formOwners) })),
    labels: labelsOf(foundLabels, parts.ids),
  };
}
