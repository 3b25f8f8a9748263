import { ALTCHA_ELEMENT, CAPTCHA_CLASSES, type CaptchaProvider } from '../../forms/captcha-fields.ts';
import {
  attribute,
  endOf,
  type HtmlElement,
  hasAttribute,
  isHtml,
  type ParsedHtml,
  walk,
} from '../../forms/html-tree.ts';

/*
 * The parts of a page, collected in one pass: forms and their controls, labels, scripts, and what is loaded from elsewhere.
 * The inert content of a <template> is left out, except that forms are counted. A shadow root is a tree of its own: its controls
 * belong to no form outside, and its ids are found from inside only.
 */

/** The first element of each id, in one tree. */
export type Ids = ReadonlyMap<string, HtmlElement>;

export type Control = {
  element: HtmlElement;
  /** The ids of the tree that has the control. */
  ids: Ids;
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

/** The elements that can have a shadow root ("valid shadow host name" in the DOM standard), besides custom ones. */
const SHADOW_HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

/** The element whose content a <template> is (declarative shadow DOM); undefined: it is the host of none. */
function shadowHostOf(template: HtmlElement): HtmlElement | undefined {
  if (!/^(?:open|closed)$/i.test(attribute(template, 'shadowrootmode') ?? '')) return undefined;
  const { parentNode: host } = template;
  if (!host || !('tagName' in host) || !isHtml(host)) return undefined;
  return SHADOW_HOSTS.has(host.tagName) || /^[a-z].*-/.test(host.tagName) ? host : undefined;
}

function captchaOf(element: HtmlElement): CaptchaProvider | undefined {
  if (isHtml(element, ALTCHA_ELEMENT)) return 'altcha';
  const classes = attribute(element, 'class')?.split(/\s/) ?? [];
  return classes.map((name) => CAPTCHA_CLASSES.get(name)).find((provider) => provider !== undefined);
}

/** `id`: of what it labels; undefined: the first control in it. */
type FoundLabel = { element: HtmlElement; id: string | undefined; ids: Ids; control?: HtmlElement };

/** The elements around an element, in its tree. */
type Context = {
  ids: Map<string, HtmlElement>;
  form?: HtmlElement;
  label?: FoundLabel;
  group?: HtmlElement;
  fieldset?: HtmlElement;
  /** True if a fieldset disables the controls. `isDisabledInLegend`: they are in the first legend of the innermost fieldset. */
  isDisabled: boolean;
  isDisabledInLegend: boolean;
  isInSearch: boolean;
  isInDatalist: boolean;
  isInTemplate: boolean;
  isInShadow: boolean;
};

/** Returns the context of the elements at the top of a tree. */
const topOfTree = (): Context => ({
  ids: new Map(),
  ...{ isDisabled: false, isDisabledInLegend: false, isInSearch: false },
  ...{ isInDatalist: false, isInTemplate: false, isInShadow: false },
});

type Labels = ReadonlyMap<HtmlElement, readonly HtmlElement[]>;

/** "Reset the form owner" in the standard. */
function ownerOf({ element, form, ids }: Control, formOwners: ParsedHtml['formOwners']) {
  const id = attribute(element, 'form');
  if (id === undefined) return formOwners.get(element) ?? form;
  const owner = ids.get(id);
  return owner && isHtml(owner, 'form') ? owner : undefined;
}

/** The <label> elements of each control. */
function labelsOf(found: readonly FoundLabel[]): Labels {
  const labels = new Map<HtmlElement, HtmlElement[]>();
  for (const { element, id, ids, control: first } of found) {
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
  /** True if a <template> has a form, which only a script can bring onto the page. */
  hasTemplateForm = false;
  /** True if an element that a script defines stands for a button that sends a form. */
  hasSubmitElement = false;
  readonly forms: { element: HtmlElement; isSearch: boolean }[] = [];
  /** Each with the form around it. */
  readonly headings: { element: HtmlElement; form: HtmlElement | undefined }[] = [];
  /** Each with the form around it. */
  readonly controls: Control[] = [];
  readonly foundLabels: FoundLabel[] = [];
  /** The first legend of each <fieldset>. */
  readonly legends = new Map<HtmlElement, HtmlElement>();
  readonly scripts: HtmlElement[] = [];
  readonly styles: HtmlElement[] = [];
  readonly metas: HtmlElement[] = [];
  /** All elements with attributes, for what they load and for the scripts in them. */
  readonly elements: HtmlElement[] = [];
  /** The elements that captchas make their widgets of, with the form around each. */
  readonly captchas: { provider: CaptchaProvider; form: HtmlElement | undefined }[] = [];
  readonly #shadowHosts = new Set<HtmlElement>();

  /** Reads an element; what is around the elements in it. */
  enter(element: HtmlElement, around: Context): Context {
    if (around.isInTemplate) {
      this.hasTemplateForm ||= isHtml(element, 'form');
      return around;
    }
    if (isHtml(element, 'template')) return this.#enterTemplate(element, around);
    if (element.attrs.length > 0) this.#enterAttributes(element, around);
    const provider = captchaOf(element);
    if (provider) this.captchas.push({ provider, form: around.form });
    const inside = { ...around };
    if (isGroup(element)) inside.group = element;
    if (isSearch(element)) inside.isInSearch = true;
    if (isHtml(element)) {
      this.#enterHtml(element, inside);
      if (isLabelable(element) && inside.label) inside.label.control ??= element;
      if (CONTROLS.has(element.tagName) && !inside.isInDatalist) {
        const { form, fieldset, group, ids } = inside;
        const isDisabled = inside.isDisabled || hasAttribute(element, 'disabled');
        this.controls.push({ element, form, isDisabled, fieldset, group, ids });
      }
    }
    return inside;
  }

  #enterTemplate(template: HtmlElement, around: Context): Context {
    const host = shadowHostOf(template);
    // The first one is the content of its host, and others stay templates.
    if (!host || this.#shadowHosts.has(host)) return { ...around, isInTemplate: true };
    this.#shadowHosts.add(host);
    return { ...topOfTree(), isInSearch: around.isInSearch, isInShadow: true };
  }

  #enterAttributes(element: HtmlElement, { ids }: Context): void {
    // Without a place it is a copy that the parser has made.
    if (endOf(element) > 0) this.elements.push(element);
    const id = attribute(element, 'id');
    if (id !== undefined && id !== '' && !ids.has(id)) ids.set(id, element);
    this.hasSubmitElement ||= element.tagName.includes('-') && attribute(element, 'type')?.toLowerCase() === 'submit';
  }

  /** Reads what only the tree of the document has. */
  #enterDocument(element: HtmlElement): void {
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
      case 'meta':
        this.metas.push(element);
        break;
    }
  }

  #enterHtml(element: HtmlElement, inside: Context): void {
    if (!inside.isInShadow) this.#enterDocument(element);
    switch (element.tagName) {
      case 'form':
        this.forms.push({ element, isSearch: inside.isInSearch });
        inside.form = element;
        break;
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        this.headings.push({ element, form: inside.form });
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
        const label: FoundLabel = { element, id: attribute(element, 'for'), ids: inside.ids };
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
  walk(root, topOfTree(), (element, around) => reader.enter(element, around));
  const { controls, foundLabels, ...parts } = reader;
  return {
    ...parts,
    controls: controls.map((control) => ({ ...control, form: ownerOf(control, formOwners) })),
    labels: labelsOf(foundLabels),
  };
}
