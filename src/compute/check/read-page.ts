import { ALTCHA_ELEMENT, CAPTCHA_CLASSES, type CaptchaProvider } from '../../lib/captcha-fields.ts';
import { attribute, type HtmlElement, type HtmlRoot, hasAttribute, isHtml, walk } from './html-tree.ts';

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
  LABELABLE.has(element.name) &&
  !(element.name === 'input' && attribute(element, 'type')?.trim().toLowerCase() === 'hidden');

/** Whether a <template> is the content of its parent (declarative shadow DOM). */
const isShadowRoot = (template: HtmlElement): boolean =>
  /^(?:open|closed)$/i.test(attribute(template, 'shadowrootmode') ?? '');

function captchaOf(element: HtmlElement): CaptchaProvider | undefined {
  if (isHtml(element, ALTCHA_ELEMENT)) return 'altcha';
  const classes = attribute(element, 'class')?.split(/\s/) ?? [];
  return classes.map((name) => CAPTCHA_CLASSES.get(name)).find((provider) => provider !== undefined);
}

type OpenFieldset = { element: HtmlElement; isDisabled: boolean; legend: 'none yet' | 'open' | 'closed' };
/** `id`: of what it labels; undefined: the first control in it, which is found after `labelablesBefore` others. */
type FoundLabel = {
  element: HtmlElement;
  id: string | undefined;
  control: HtmlElement | undefined;
  labelablesBefore: number;
};

export function readPage(root: HtmlRoot): PageParts {
  let title: HtmlElement | undefined;
  let lang: string | undefined;
  let base: string | undefined;
  let hasTemplateForm = false;
  const ids = new Map<string, HtmlElement>();
  const forms: { element: HtmlElement; isSearch: boolean }[] = [];
  const found: (Omit<Control, 'form'> & { around: HtmlElement | undefined })[] = [];
  const foundLabels: FoundLabel[] = [];
  const legends = new Map<HtmlElement, HtmlElement>();
  const scripts: HtmlElement[] = [];
  const styles: HtmlElement[] = [];
  const elements: HtmlElement[] = [];
  const captchas: PageParts['captchas'][number][] = [];

  // What is open where the pass is.
  const openForms: HtmlElement[] = [];
  const openFieldsets: OpenFieldset[] = [];
  const openLabels: FoundLabel[] = [];
  const openGroups: HtmlElement[] = [];
  let disabling = 0;
  let searches = 0;
  let datalists = 0;
  let inert = 0;
  let labelables = 0;

  const disables = ({ isDisabled, legend }: OpenFieldset): boolean => isDisabled && legend !== 'open';

  function enterHtml(element: HtmlElement): void {
    switch (element.name) {
      case 'html':
        lang ??= attribute(element, 'lang');
        return;
      case 'title':
        title ??= element;
        return;
      case 'base':
        base ??= attribute(element, 'href');
        return;
      case 'form':
        forms.push({ element, isSearch: searches > 0 });
        openForms.push(element);
        return;
      case 'script':
        scripts.push(element);
        return;
      case 'style':
        styles.push(element);
        return;
      case 'datalist':
        datalists += 1;
        return;
      case 'label': {
        const label = { element, id: attribute(element, 'for'), control: undefined, labelablesBefore: labelables };
        foundLabels.push(label);
        if (label.id === undefined) openLabels.push(label);
        return;
      }
      case 'fieldset': {
        const fieldset: OpenFieldset = { element, isDisabled: hasAttribute(element, 'disabled'), legend: 'none yet' };
        openFieldsets.push(fieldset);
        if (disables(fieldset)) disabling += 1;
        return;
      }
      case 'legend': {
        const fieldset = openFieldsets.at(-1);
        if (fieldset?.legend !== 'none yet' || element.parent !== fieldset.element) return;
        if (disables(fieldset)) disabling -= 1;
        fieldset.legend = 'open';
        legends.set(fieldset.element, element);
        return;
      }
    }
  }

  function enterControl(element: HtmlElement): void {
    if (isLabelable(element)) {
      const label = openLabels.at(-1);
      if (label?.labelablesBefore === labelables) label.control = element;
      labelables += 1;
    }
    if (!CONTROLS.has(element.name) || datalists > 0) return;
    found.push({
      element,
      around: openForms.at(-1),
      isDisabled: disabling > 0 || hasAttribute(element, 'disabled'),
      fieldset: openFieldsets.at(-1)?.element,
      group: openGroups.at(-1),
    });
  }

  function enter(element: HtmlElement): void {
    const html = isHtml(element, element.name);
    if (html && element.name === 'template' && !isShadowRoot(element)) inert += 1;
    if (inert > 0) {
      hasTemplateForm ||= html && element.name === 'form';
      return;
    }
    if (element.attributes.length > 0) {
      // Without a place it is a copy that the parser has made.
      if (element.end > 0) elements.push(element);
      const id = attribute(element, 'id');
      if (id !== undefined && id !== '' && !ids.has(id)) ids.set(id, element);
    }
    const captcha = captchaOf(element);
    if (captcha) captchas.push({ provider: captcha, form: openForms.at(-1) });
    const role = attribute(element, 'role');
    if (role !== undefined && GROUP_ROLES.has(role)) openGroups.push(element);
    if (role === 'search' || isHtml(element, 'search')) searches += 1;
    if (!html) return;
    enterHtml(element);
    if (LABELABLE.has(element.name)) enterControl(element);
  }

  function leave(element: HtmlElement): void {
    const html = isHtml(element, element.name);
    if (inert > 0) {
      if (html && element.name === 'template' && !isShadowRoot(element)) inert -= 1;
      return;
    }
    const role = attribute(element, 'role');
    if (role !== undefined && GROUP_ROLES.has(role)) openGroups.pop();
    if (role === 'search' || isHtml(element, 'search')) searches -= 1;
    if (!html) return;
    if (element.name === 'form') openForms.pop();
    else if (element.name === 'datalist') datalists -= 1;
    else if (element.name === 'label' && openLabels.at(-1)?.element === element) openLabels.pop();
    else if (element.name === 'fieldset') {
      const fieldset = openFieldsets.pop();
      if (fieldset && disables(fieldset)) disabling -= 1;
    } else if (element.name === 'legend') {
      const fieldset = openFieldsets.at(-1);
      if (fieldset?.legend !== 'open' || element.parent !== fieldset.element) return;
      fieldset.legend = 'closed';
      if (disables(fieldset)) disabling += 1;
    }
  }

  walk(root, enter, leave);

  /** "Reset the form owner" in the standard. */
  function ownerOf({ element, around }: (typeof found)[number]): HtmlElement | undefined {
    const id = attribute(element, 'form');
    if (id === undefined) return element.form ?? around;
    const owner = ids.get(id);
    return owner && isHtml(owner, 'form') ? owner : undefined;
  }
  const labels = new Map<HtmlElement, HtmlElement[]>();
  for (const { element, id, control: first } of foundLabels) {
    const control = id === undefined ? first : ids.get(id);
    if (!control || !isHtml(control, control.name) || !isLabelable(control)) continue;
    const others = labels.get(control);
    if (others) others.push(element);
    else labels.set(control, [element]);
  }
  const controls = found.map((control) => ({ ...control, form: ownerOf(control) }));
  return {
    ...{ title, lang, base, ids, forms, controls, labels, legends },
    ...{ scripts, styles, elements, captchas, hasTemplateForm },
  };
}
