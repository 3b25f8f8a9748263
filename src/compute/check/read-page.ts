import { ALTCHA_ELEMENT, CAPTCHA_CLASSES, type CaptchaProvider } from '../../lib/captcha-fields.ts';
import {
  attribute,
  endOf,
  type HtmlElement,
  hasAttribute,
  isElement,
  isHtml,
  type ParsedHtml,
  walk,
} from './html-tree.ts';

/*
 * What is on a page, collected in one pass: forms and their controls, labels, scripts, and what is loaded from elsewhere.
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

export type PageParts = {
  title: HtmlElement | undefined;
  lang: string | undefined;
  /** The `href` of the first <base> that has one. */
  base: string | undefined;
  /** The first element of each id. */
  ids: ReadonlyMap<string, HtmlElement>;
  forms: readonly { element: HtmlElement; isSearch: boolean }[];
  controls: readonly Control[];
  /** The <label> elements of each control. */
  labels: ReadonlyMap<HtmlElement, readonly HtmlElement[]>;
  /** Of each <fieldset>. */
  legends: ReadonlyMap<HtmlElement, HtmlElement>;
  scripts: readonly HtmlElement[];
  styles: readonly HtmlElement[];
  /** All elements with attributes, for what they load and for the scripts in them. */
  elements: readonly HtmlElement[];
  /** The elements that captchas make their widgets of, with the form around each. */
  captchas: readonly { provider: CaptchaProvider; form: HtmlElement | undefined }[];
  /** Whether a <template> has a form, which only a script can bring onto the page. */
  hasTemplateForm: boolean;
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

type FoundControl = Omit<Control, 'form'> & { around: HtmlElement | undefined };
type OpenFieldset = {
  element: HtmlElement;
  isDisabled: boolean;
  /** Whether a fieldset around it disables it. */
  isInDisabled: boolean;
  legend: 'none yet' | 'open' | 'closed';
};
/** `id`: of what it labels; undefined: the first control in it, which is found after `labelablesBefore` others. */
type FoundLabel = {
  element: HtmlElement;
  id: string | undefined;
  control: HtmlElement | undefined;
  labelablesBefore: number;
};

/** "Reset the form owner" in the standard. */
function ownerOf({ element, around }: FoundControl, ids: PageParts['ids'], formOwners: ParsedHtml['formOwners']) {
  const id = attribute(element, 'form');
  if (id === undefined) return formOwners.get(element) ?? around;
  const owner = ids.get(id);
  return owner && isHtml(owner, 'form') ? owner : undefined;
}

/** The <label> elements of each control. */
function labelsOf(found: readonly FoundLabel[], ids: PageParts['ids']): PageParts['labels'] {
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

const isInertTemplate = (element: HtmlElement): boolean => isHtml(element, 'template') && !isShadowRoot(element);
const isGroup = (element: HtmlElement): boolean => GROUP_ROLES.has(attribute(element, 'role') ?? '');
const isSearch = (element: HtmlElement): boolean =>
  attribute(element, 'role') === 'search' || isHtml(element, 'search');

/** Collects the parts of a page while the elements of its tree are entered and left. */
class PageReader {
  title: HtmlElement | undefined;
  lang: string | undefined;
  base: string | undefined;
  hasTemplateForm = false;
  readonly ids = new Map<string, HtmlElement>();
  readonly forms: { element: HtmlElement; isSearch: boolean }[] = [];
  readonly foundControls: FoundControl[] = [];
  readonly foundLabels: FoundLabel[] = [];
  readonly legends = new Map<HtmlElement, HtmlElement>();
  readonly scripts: HtmlElement[] = [];
  readonly styles: HtmlElement[] = [];
  readonly elements: HtmlElement[] = [];
  readonly captchas: PageParts['captchas'][number][] = [];

  // What is open where the walk is.
  readonly #openForms: HtmlElement[] = [];
  readonly #openFieldsets: OpenFieldset[] = [];
  readonly #openLabels: FoundLabel[] = [];
  readonly #openGroups: HtmlElement[] = [];
  #openSearches = 0;
  #openDatalists = 0;
  #openTemplates = 0;
  #labelables = 0;

  /** Whether controls are disabled here by a fieldset: the controls in its first legend are not. */
  get #isDisabled(): boolean {
    const fieldset = this.#openFieldsets.at(-1);
    return fieldset !== undefined && (fieldset.isInDisabled || (fieldset.isDisabled && fieldset.legend !== 'open'));
  }

  enter(element: HtmlElement): void {
    if (isInertTemplate(element)) this.#openTemplates += 1;
    if (this.#openTemplates > 0) {
      this.hasTemplateForm ||= isHtml(element, 'form');
      return;
    }
    if (element.attrs.length > 0) {
      // Without a place it is a copy that the parser has made.
      if (endOf(element) > 0) this.elements.push(element);
      const id = attribute(element, 'id');
      if (id !== undefined && id !== '' && !this.ids.has(id)) this.ids.set(id, element);
    }
    const provider = captchaOf(element);
    if (provider) this.captchas.push({ provider, form: this.#openForms.at(-1) });
    if (isGroup(element)) this.#openGroups.push(element);
    if (isSearch(element)) this.#openSearches += 1;
    if (!isHtml(element)) return;
    this.#enterHtml(element);
    if (isLabelable(element)) this.#enterLabelable(element);
    if (CONTROLS.has(element.tagName) && this.#openDatalists === 0) this.#enterControl(element);
  }

  #enterHtml(element: HtmlElement): void {
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
        this.forms.push({ element, isSearch: this.#openSearches > 0 });
        this.#openForms.push(element);
        break;
      case 'script':
        this.scripts.push(element);
        break;
      case 'style':
        this.styles.push(element);
        break;
      case 'datalist':
        this.#openDatalists += 1;
        break;
      case 'label':
        this.#enterLabel(element);
        break;
      case 'fieldset':
        this.#enterFieldset(element);
        break;
      case 'legend':
        this.#enterLegend(element);
        break;
    }
  }

  #enterLabel(element: HtmlElement): void {
    const id = attribute(element, 'for');
    const label = { element, id, control: undefined, labelablesBefore: this.#labelables };
    this.foundLabels.push(label);
    if (id === undefined) this.#openLabels.push(label);
  }

  #enterFieldset(element: HtmlElement): void {
    const isDisabled = hasAttribute(element, 'disabled');
    this.#openFieldsets.push({ element, isDisabled, isInDisabled: this.#isDisabled, legend: 'none yet' });
  }

  #enterLegend(element: HtmlElement): void {
    const fieldset = this.#openFieldsets.at(-1);
    if (fieldset?.legend !== 'none yet' || element.parentNode !== fieldset.element) return;
    fieldset.legend = 'open';
    this.legends.set(fieldset.element, element);
  }

  #enterLabelable(element: HtmlElement): void {
    const label = this.#openLabels.at(-1);
    if (label?.labelablesBefore === this.#labelables) label.control = element;
    this.#labelables += 1;
  }

  #enterControl(element: HtmlElement): void {
    this.foundControls.push({
      element,
      around: this.#openForms.at(-1),
      isDisabled: hasAttribute(element, 'disabled') || this.#isDisabled,
      fieldset: this.#openFieldsets.at(-1)?.element,
      group: this.#openGroups.at(-1),
    });
  }

  leave(element: HtmlElement): void {
    if (this.#openTemplates > 0) {
      if (isInertTemplate(element)) this.#openTemplates -= 1;
      return;
    }
    if (isGroup(element)) this.#openGroups.pop();
    if (isSearch(element)) this.#openSearches -= 1;
    if (isHtml(element, 'form')) this.#openForms.pop();
    if (isHtml(element, 'datalist')) this.#openDatalists -= 1;
    if (isHtml(element, 'fieldset')) this.#openFieldsets.pop();
    if (this.#openLabels.at(-1)?.element === element) this.#openLabels.pop();
    const fieldset = this.#openFieldsets.at(-1);
    if (fieldset && this.legends.get(fieldset.element) === element) fieldset.legend = 'closed';
  }
}

export function readPage({ root, formOwners }: Pick<ParsedHtml, 'root' | 'formOwners'>): PageParts {
  const reader = new PageReader();
  walk(
    root,
    (node) => {
      if (isElement(node)) reader.enter(node);
      return 'enter';
    },
    (element) => reader.leave(element),
  );
  const { foundControls, foundLabels, ...parts } = reader;
  return {
    ...parts,
    controls: foundControls.map((control) => ({ ...control, form: ownerOf(control, parts.ids, formOwners) })),
    labels: labelsOf(foundLabels, parts.ids),
  };
}
