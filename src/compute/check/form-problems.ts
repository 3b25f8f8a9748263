import type { CaptchaProvider } from '../../forms/captcha-fields.ts';
import { controlsOf } from '../../forms/control-fields.ts';
import { type HtmlElement, startOf, startTagOf, typeOf } from '../../forms/html-tree.ts';
import { PLACEHOLDER } from '../render-page.ts';
import type { AddressReader, Target } from './addresses.ts';
import type { Found } from './answer.ts';
import { legacyCharsetOf } from './charsets.ts';
import { countFields, problemOfButton, problemOfNameless, problemsOfName, shown } from './field-problems.ts';
import { isSent, nameOf } from './form-fields.ts';
import { MULTIPART, type ReadForm, TEXT, type Way } from './page-forms.ts';
import type { PagePolicies } from './policies.ts';
import { problemsOfWayPolicy } from './policy-problems.ts';
import type { PageParts } from './read-page.ts';
import { isGivenToScript, type Scripts } from './scripts.ts';

/** A longer value is not compared with the placeholder. */
const MAX_MISSPELT_CHARS = 100;

/*
 * Finds what keeps a form from arriving. Where a script may send it, its attributes are not judged.
 */

export type Page = {
  /** The bytes of the page as it was sent. `html` is its text without a byte order mark. */
  bytes: Uint8Array;
  html: string;
  parts: PageParts;
  forms: readonly ReadForm[];
  /** True if one of the forms leads to the page's own form, or may do so by a script. */
  isAnyHere: boolean;
  address: AddressReader;
  scripts: Scripts;
  /** Where markup can be put at the end of a form. */
  formEnds: ReadonlyMap<HtmlElement, number>;
  captcha?: CaptchaProvider | undefined;
  policies: PagePolicies;
  /** True if the page's settings refuse forms that come from an unknown origin. */
  hasAllowedOrigins: boolean;
  /** Fields that a submission may have. */
  maxFields: number;
};

/** The placeholder as people misspell it: other braces or none, spaces, other letters; for the whole of an address. */
const MISSPELT = /^[\s{[(<%$#_@"'\\]*form[\s_\\-]*action[\s}\])>%$#_@"'\\;]*$/i;
/** A placeholder that nothing replaces. */
const OTHER_PLACEHOLDER = /^\s*\{\{[^{}]{0,100}\}\}\s*$/;

function decoded(value: string): string {
  return value.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/**
 * Returns whether an address was meant to be the placeholder, but is not. `tag` is the source of the tag that has the
 * address.
 */
function isMisspelt(value: string, target: Target, tag: string): boolean {
  // Written with character references it is right in the tree, and not replaced in the source.
  if (value.includes(PLACEHOLDER)) return target !== 'here' || !tag.includes(PLACEHOLDER);
  if (value.length > MAX_MISSPELT_CHARS) return false;
  const text = decoded(value);
  return MISSPELT.test(text) || OTHER_PLACEHOLDER.test(text);
}

/** Returns whether a script may send a form, whatever the form's attributes say. */
const isLeftToScript = (form: HtmlElement, { action: { target } }: Way, scripts: Scripts): boolean =>
  isGivenToScript(form) || scripts.hasAddress || target === 'script' || (scripts.sendsForms && target === 'here');

/** Returns whether a way was meant to lead to the page's own form, right or wrong. */
function isMeantHere(html: string, { action: { element, value, target } }: Way): boolean {
  return target === 'here' || isMisspelt(value ?? '', target, startTagOf(html, element));
}

function* problemsOfWay(form: ReadForm, way: Way, page: Page): Generator<Found> {
  const { action, method } = way;
  if (method.value === 'dialog') return;
  const write = `write ${action.element === form.element ? 'action' : 'formaction'}="${PLACEHOLDER}"`;
  const at = startOf(action.element);
  const isWrong = isMisspelt(action.value ?? '', action.target, startTagOf(page.html, action.element));
  if (isWrong) {
    const message = `Nothing replaces this address: ${write} exactly so, in capital letters, with two braces on each side and nothing around them.`;
    yield { code: 'placeholder-misspelt', severity: 'error', message, at };
  }
  const isByScript = isLeftToScript(form.element, way, page.scripts);
  yield* problemsOfWayPolicy(way, isByScript, page);
  if (isByScript) return;
  if (isWrong || action.target === 'here') yield* problemsOfSending(form, way, page);
  else {
    const fault = elsewhereFault(form, way, page, write);
    if (fault) yield { code: 'form-goes-elsewhere', ...fault, at };
  }
}

/** Finds what is wrong with how a form is sent, whose address is right. */
function* problemsOfSending(form: ReadForm, way: Way, page: Page): Generator<Found> {
  const { method, enctype } = way;
  if (method.value === 'get') {
    const severity = getFault(form, way, page);
    if (!severity) return;
    const message =
      method.element === form.element
        ? 'The form is sent with GET, so that nothing is stored: write method="post" in its <form>.'
        : 'The button sends the form with GET, so that nothing is stored: write formmethod="post", or leave formmethod out.';
    yield { code: 'method-get', severity, message, at: startOf(method.element) };
  }
  const hasFile = form.controls.some((control) => isSent(control) && typeOf(control.element) === 'file');
  const where = enctype.element === form.element ? 'enctype' : 'formenctype';
  const at = startOf(enctype.element);
  const charset = legacyCharsetOf(form.element);
  if (method.value === 'post' && charset !== undefined) {
    const message = `The form is sent in ${charset}, and read as UTF-8, which refuses other letters than English ones: leave accept-charset out.`;
    yield { code: 'legacy-charset', severity: 'error', message, at: startOf(form.element) };
  }
  if (!hasFile && method.value === 'post' && enctype.value === TEXT) {
    const message = `The form is sent as ${TEXT}, which is refused: leave ${where} out.`;
    yield { code: 'method-get', severity: 'error', message, at };
  }
  if (hasFile && enctype.value !== MULTIPART) {
    const message = `Only the name of the file is sent, and not the file: write ${where}="${MULTIPART}".`;
    yield { code: 'file-without-multipart', severity: 'error', message, at };
  }
}

type Fault = Pick<Found, 'severity' | 'message'>;

/** The fault of a way that does not lead to the page's own form; `write`: the advice. */
function elsewhereFault(form: ReadForm, way: Way, page: Page, write: string): Fault | undefined {
  const { action, method } = way;
  const { isAnyHere } = page;
  const isSearch = form.isSearch && method.value === 'get';
  const url = shown(action.value ?? '');
  switch (action.target) {
    case 'own-host': {
      const message = page.address.isOfSite
        ? `The site has no page at ${url}: ${write}.`
        : `There is nothing at ${url} on the host of the page: ${write}.`;
      return { severity: isSearch ? 'warning' : 'error', message };
    }
    case 'missing':
      return { severity: 'error', message: `This service has no form at ${url}: ${write}.` };
    case 'another-page':
      return { severity: 'warning', message: `The form sends to another page: ${write} if it belongs to this one.` };
    case 'invalid':
      return { severity: 'error', message: `The address ${url} is not a URL: ${write}.` };
    case 'other-scheme':
    case 'elsewhere': {
      // Such forms are no mistake beside a form that is stored here.
      const isHarmless = method.value === 'get' || action.target === 'other-scheme';
      if (isSearch || (isHarmless && isAnyHere)) return undefined;
      const message = `The form sends to ${url}, and not to this service: ${write} to receive what it sends.`;
      return { severity: isHarmless || isAnyHere ? 'warning' : 'error', message };
    }
    default:
      return undefined;
  }
}

/** How bad it is that a form leads to its own page with GET; undefined: it is not. */
function getFault(form: ReadForm, { action }: Way, { isAnyHere, scripts, html }: Page): Found['severity'] | undefined {
  const tag = startTagOf(html, action.element);
  const isOwnPage = !tag.includes(PLACEHOLDER) && !/\/submit\//.test(action.value ?? '');
  if (!isOwnPage) return 'error';
  // A form of which nobody expects that anything is stored.
  if (form.isSearch || form.controls.length === 0) return undefined;
  return scripts.hasOthers || isAnyHere ? 'warning' : 'error';
}

export function* problemsOfForm(form: ReadForm, page: Page): Generator<Found> {
  const { element, controls } = form;
  const { html, parts, scripts, maxFields } = page;
  for (const way of form.ways) yield* problemsOfWay(form, way, page);
  const meant = form.ways.filter((way) => way.method.value !== 'dialog' && isMeantHere(html, way));
  const isByScript = form.ways.some((way) => isLeftToScript(element, way, scripts));
  const expectsAnswers = meant.some((way) => way.method.value === 'post' || getFault(form, way, page) !== undefined);
  if (!isByScript && !expectsAnswers) return;
  const enabled = controls.filter(({ isDisabled }) => !isDisabled).map((control) => control.element);
  const controlOf = controlsOf(enabled.map(nameOf));
  for (const one of enabled) yield* problemsOfName(one, controlOf, page.captcha);
  if (isByScript) return;
  for (const one of enabled) yield* problemOfNameless(one, scripts);
  yield* problemOfButton(form, parts, scripts);
  const count = countFields(controls);
  if (count > maxFields) {
    const message = `The form sends up to ${count} fields, and a submission has at most ${maxFields}: remove ${count - maxFields}, or divide the form into two.`;
    yield { code: 'too-many-fields', severity: 'error', message, at: startOf(element) };
  }
}
