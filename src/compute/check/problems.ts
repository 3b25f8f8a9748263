import type { CaptchaProvider } from '../../lib/captcha-fields.ts';
import { SIZES } from '../../limits.ts';
import { PLACEHOLDER } from '../render-page.ts';
import type { ReadAddress, Target } from './addresses.ts';
import type { Code, Found, Problem, Severity } from './answer.ts';
import { assetsOf, faultOf } from './assets.ts';
import { problemsOfCaptcha } from './captcha.ts';
import { isSubmitButton, nameOf, typeOf } from './fields.ts';
import { MULTIPART, type ReadForm, TEXT, type Way } from './forms.ts';
import { attribute, endOf, type HtmlElement, hasAttribute, startOf, startTagOf } from './html-tree.ts';
import type { Control, PageParts } from './read-page.ts';
import { hasHandlers, isGivenToScript, isJavaScript, type Scripts } from './scripts.ts';
import { rawTextOf, sourceTextOf, tidy } from './texts.ts';

/*
 * What keeps a page's forms from arriving. Nothing is reported that a page has whose forms work: where a script may
 * send a form, its attributes are not judged.
 */

/** The placeholder as people misspell it: other braces or none, spaces, other letters; for the whole of an address. */
const MISSPELT = /^[\s{[(<%$#_@"'\\]*form[\s_\\-]*action[\s}\])>%$#_@"'\\;]*$/i;
const MISSPELT_IN_SCRIPT = /(["'`])\s{0,9}(?:\{|%7B){2}\s{0,9}form[\s_\\-]{0,3}action\s{0,9}(?:\}|%7D){2}\s{0,9}\1/gi;
/** A placeholder that nothing replaces. */
const OTHER_PLACEHOLDER = /^\s*\{\{[^{}]{0,100}\}\}\s*$/;

function decoded(value: string): string {
  return value.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Whether an address was to be the placeholder, and is not. `tag`: the source of the tag that it is in. */
function isMisspelt(value: string, target: Target, tag: string): boolean {
  // Written with character references it is right in the tree, and not replaced in the source.
  if (value.includes(PLACEHOLDER)) return target !== 'here' || !tag.includes(PLACEHOLDER);
  if (value.length > SIZES.internalCheck.misspeltChars) return false;
  const text = decoded(value);
  return MISSPELT.test(text) || OTHER_PLACEHOLDER.test(text);
}

const POST_HERE = '<form method="post" action="{{FORM_ACTION}}">';
/** Names that other services have for what `_hp`, `email` and `_redirect` are here. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ...['_gotcha', '_honey', '_honeypot', '_trap'].map((name) => [name, '_hp'] as const),
  ...['_replyto', '_reply_to'].map((name) => [name, 'email'] as const),
  ...['_next', '_after', '_return', '_success', '_thanks'].map((name) => [name, '_redirect'] as const),
]);
/** The text fields of the standard that "block implicit submission": with two of them, Enter does not send a form. */
const TEXT_TYPES = new Set('text search tel url email password date month week time datetime-local number'.split(' '));
const NO_FIELDS = new Set(['hidden', 'submit', 'button', 'reset', 'image']);

/** A value of the page in a message, on one line. */
function shown(value: string): string {
  const text = tidy(value);
  return text.length <= SIZES.check.maxShownChars
    ? text
    : `${text.slice(0, SIZES.check.maxShownChars - 1).toWellFormed()}…`;
}

const isVisible = (element: HtmlElement): boolean =>
  !NO_FIELDS.has(typeOf(element)) && !hasAttribute(element, 'hidden');

type Page = {
  html: string;
  parts: PageParts;
  forms: readonly ReadForm[];
  /** Whether one of them leads to the page's own form, or may do so by a script. */
  isAnyHere: boolean;
  address: ReadAddress;
  scripts: Scripts;
  /** Where markup can be put at the end of a form. */
  formEnds: ReadonlyMap<HtmlElement, number>;
  captcha?: CaptchaProvider | undefined;
  /** Fields that a submission may have. */
  maxFields: number;
};

function* problemsOfPage({ html, parts, forms, scripts }: Page): Generator<Found> {
  if (forms.length === 0 && !parts.hasTemplateForm && !scripts.sendsForms && !scripts.hasOthers) {
    const message = parts.controls.some(({ element }) => isVisible(element))
      ? `The fields of the page are in no form: put ${POST_HERE} before them and </form> behind the button that sends them.`
      : `The page has no form: write ${POST_HERE}, fields with names, a button and </form>, to receive what visitors send.`;
    yield { code: 'no-form', severity: 'warning', message, at: 0 };
  }
  for (const script of parts.scripts) {
    if (!isJavaScript(script) || hasAttribute(script, 'src')) continue;
    for (const match of sourceTextOf(html, script).matchAll(MISSPELT_IN_SCRIPT)) {
      if (match[0].includes(PLACEHOLDER)) continue;
      const message = `Nothing replaces this text: write ${PLACEHOLDER} exactly so, in capital letters, with two braces on each side and no spaces.`;
      yield { code: 'placeholder-misspelt', severity: 'error', message, at: endOf(script) + match.index };
    }
  }
}

/** Whether a script may send a form, whatever this way of it says. */
const isLeftToScript = (form: HtmlElement, { action: { target } }: Way, scripts: Scripts): boolean =>
  isGivenToScript(form) || scripts.hasAddress || target === 'script' || (scripts.sendsForms && target === 'here');

/** Whether a way was to lead to the page's own form, right or wrong. */
function isMeantHere(html: string, { action: { element, value, target } }: Way): boolean {
  return target === 'here' || isMisspelt(value ?? '', target, startTagOf(html, element));
}

function* problemsOfWay(form: ReadForm, way: Way, page: Page): Generator<Found> {
  const { html, isAnyHere, scripts } = page;
  const { action, method, enctype } = way;
  if (method.value === 'dialog') return;
  const tag = startTagOf(html, action.element);
  const name = action.element === form.element ? 'action' : 'formaction';
  const write = `write ${name}="${PLACEHOLDER}"`;
  const at = startOf(action.element);
  if (action.value !== undefined && isMisspelt(action.value, action.target, tag)) {
    const message = `Nothing replaces this address: ${write} exactly so, in capital letters, with two braces on each side and nothing around them.`;
    yield { code: 'placeholder-misspelt', severity: 'error', message, at };
  } else if (action.target !== 'here') {
    if (isLeftToScript(form.element, way, scripts)) return;
    const fault = elsewhereFault(form, way, isAnyHere);
    if (fault) {
      yield {
        code: 'form-goes-elsewhere',
        severity: fault.severity,
        message: `${fault.reason}: ${write}${fault.end}.`,
        at,
      };
    }
    return;
  }
  if (isLeftToScript(form.element, way, scripts)) return;
  if (method.value === 'get') {
    const severity = getFault(form, way, page);
    if (!severity) return;
    const message =
      method.element === form.element
        ? 'The form is sent with GET, so that nothing is stored: write method="post" in its <form>.'
        : 'The button sends the form with GET, so that nothing is stored: write formmethod="post", or leave formmethod out.';
    yield { code: 'method-get', severity, message, at: startOf(method.element) };
  }
  const hasFile = form.controls.some(
    ({ element, isDisabled }) => !isDisabled && typeOf(element) === 'file' && nameOf(element) !== '',
  );
  const where = enctype.element === form.element ? 'enctype' : 'formenctype';
  if (!hasFile && method.value === 'post' && enctype.value === TEXT) {
    const message = `The form is sent as ${TEXT}, which is refused: leave ${where} out.`;
    yield { code: 'method-get', severity: 'error', message, at: startOf(enctype.element) };
  }
  if (hasFile && enctype.value !== MULTIPART) {
    const message = `Only the name of the file is sent, and not the file: write ${where}="${MULTIPART}".`;
    yield { code: 'file-without-multipart', severity: 'error', message, at: startOf(enctype.element) };
  }
}

type ElsewhereFault = { severity: Severity; reason: string; end: string };

function elsewhereFault(form: ReadForm, { action, method }: Way, isAnyHere: boolean): ElsewhereFault | undefined {
  const isSearch = form.isSearch && method.value === 'get';
  const url = shown(action.value ?? '');
  switch (action.target) {
    case 'own-host':
      return {
        severity: isSearch ? 'warning' : 'error',
        reason: `The host of a page has only the path /, and nothing at ${url}`,
        end: '',
      };
    case 'missing':
      return { severity: 'error', reason: `This service has no form at ${url}`, end: '' };
    case 'another-page':
      return { severity: 'warning', reason: 'The form sends to another page', end: ' if it belongs to this one' };
    case 'other-scheme':
    case 'elsewhere': {
      // Such forms are no mistake beside a form that is stored here.
      const isHarmless = method.value === 'get' || action.target === 'other-scheme';
      if (isSearch || (isHarmless && isAnyHere)) return undefined;
      return {
        severity: isHarmless || isAnyHere ? 'warning' : 'error',
        reason: `The form sends to ${url}, and not to this service`,
        end: ' to receive what it sends',
      };
    }
    case 'invalid':
      return { severity: 'error', reason: `The address ${url} is not a URL`, end: '' };
    default:
      return undefined;
  }
}

/** How bad it is that a form leads to its own page with GET; undefined: it is not. */
function getFault(form: ReadForm, { action }: Way, { isAnyHere, scripts, html }: Page): Severity | undefined {
  const tag = startTagOf(html, action.element);
  const isOwnPage = !tag.includes(PLACEHOLDER) && !/\/submit\//.test(action.value ?? '');
  if (!isOwnPage) return 'error';
  // A form of which nobody expects that anything is stored.
  if (form.isSearch || form.controls.length === 0) return undefined;
  return scripts.hasOthers || isAnyHere ? 'warning' : 'error';
}

function* problemsOfForm(form: ReadForm, page: Page): Generator<Found> {
  const { element, controls } = form;
  const { html, scripts, maxFields } = page;
  for (const way of form.ways) yield* problemsOfWay(form, way, page);
  const meant = form.ways.filter((way) => way.method.value !== 'dialog' && isMeantHere(html, way));
  const isByScript = form.ways.some((way) => isLeftToScript(element, way, scripts));
  const expectsAnswers = meant.some((way) => way.method.value === 'post' || getFault(form, way, page) !== undefined);
  if (!isByScript && !expectsAnswers) return;
  for (const control of controls) if (!control.isDisabled) yield* problemsOfName(control.element);
  if (isByScript) return;
  for (const control of controls) if (!control.isDisabled) yield* problemOfNameless(control.element, scripts);
  yield* problemOfButton(form, page);
  const count = countFields(controls);
  if (count > maxFields) {
    const message = `The form sends up to ${count} fields, and a submission has at most ${maxFields}: remove ${count - maxFields}, or divide the form into two.`;
    yield { code: 'too-many-fields', severity: 'error', message, at: startOf(element) };
  }
}

/** How many fields a form sends at most: one of each group of radio buttons, and one button. */
function countFields(controls: readonly Control[]): number {
  const once = new Set<string>();
  let count = 0;
  for (const { element, isDisabled } of controls) {
    const [name, type] = [nameOf(element), typeOf(element)];
    if (isDisabled || name === '' || type === 'button' || type === 'reset' || type === 'image') continue;
    if (type === 'radio') once.add(`radio ${name}`);
    else if (type === 'submit') once.add('submit');
    else count += 1;
  }
  return count + once.size;
}

function* problemOfNameless(element: HtmlElement, scripts: Scripts): Generator<Found> {
  if (nameOf(element) !== '' || !isVisible(element) || hasHandlers(element) || hasAttribute(element, 'readonly'))
    return;
  const id = attribute(element, 'id') ?? '';
  const type = typeOf(element);
  const name = /^[A-Za-z][\w-]{0,40}$/.test(id) ? id : type === 'email' || type === 'tel' ? type : 'message';
  const isBox = type === 'checkbox' || type === 'radio';
  yield {
    code: 'field-without-name',
    // A box to agree or to show something with may be meant to send nothing, and a script may read the field.
    severity: isBox || scripts.hasOthers ? 'warning' : 'error',
    message: `What visitors enter here is not sent, because the field has no name: write name="${isBox && id === '' ? 'choice' : name}".`,
    at: startOf(element),
  };
}

function* problemsOfName(element: HtmlElement): Generator<Found> {
  const [name, type] = [nameOf(element), typeOf(element)];
  if (!name.startsWith('_') || NO_FIELDS.has(type) !== (type === 'hidden')) return;
  const report = (severity: Severity, message: string): Found => ({
    code: 'reserved-name',
    severity,
    message,
    at: startOf(element),
  });
  const foreign = FOREIGN_NAMES.get(name.toLowerCase());
  if (name === '_hp') {
    if (isFilledHoneypot(element)) {
      yield report(
        'error',
        'A submission with a value in _hp is dropped as spam, and this field always has one: write <input name="_hp"> without value, checked or required, or use another name.',
      );
    }
  } else if (foreign !== undefined) {
    yield report('warning', `${name} has no effect here: write name="${foreign}".`);
  } else if (type !== 'hidden' && name === '_redirect') {
    yield report(
      'warning',
      '_redirect says where visitors are sent afterwards, and is no field to fill in: write type="hidden", or use another name.',
    );
  } else if (type !== 'hidden' && name !== '_redirect') {
    const without = name.replace(/^_+/, '');
    const other = without === '' ? 'another name' : `name="${shown(without)}"`;
    yield report('warning', `Fields whose names begin with _ are left out of mails: write ${other}.`);
  }
}

/** Whether the honeypot has a value that nobody has entered, or makes everybody enter one. */
function isFilledHoneypot(element: HtmlElement): boolean {
  const type = typeOf(element);
  if (hasAttribute(element, 'required')) return type !== 'hidden';
  if (type === 'checkbox' || type === 'radio') return hasAttribute(element, 'checked');
  if (type === 'textarea') return rawTextOf(element) !== '';
  return type !== 'select' && type !== 'file' && (attribute(element, 'value') ?? '') !== '';
}

function* problemOfButton({ element, controls }: ReadForm, { parts, scripts }: Page): Generator<Found> {
  if (scripts.callsSubmit || controls.some((control) => isSubmitButton(control.element))) return;
  // A button of a script's own, or one that a script has made an element for.
  if (controls.some((control) => typeOf(control.element) === 'button' && hasHandlers(control.element))) return;
  if (parts.elements.some((one) => one.tagName.includes('-') && attribute(one, 'type')?.toLowerCase() === 'submit'))
    return;
  const texts = controls.filter((control) => TEXT_TYPES.has(typeOf(control.element)));
  const hasButton = controls.some((control) => typeOf(control.element) === 'button');
  const write = hasButton ? 'write type="submit" in its <button>' : 'write <button>Send</button> before </form>';
  yield {
    code: 'no-submit-button',
    severity: texts.length === 1 || scripts.hasOthers ? 'warning' : 'error',
    message: `The form has no button that sends it: ${write}.`,
    at: startOf(element),
  };
}

function* problemsOfAssets({ html, parts, address }: Page): Generator<Found> {
  for (const { url, at } of assetsOf(html, parts)) {
    const fault = faultOf(url, address);
    const name = shown(url);
    if (fault === 'relative') {
      const message = `The host of a page has only the path /, and no file ${name}: write an address that begins with https://, or put the content into the page.`;
      yield { code: 'relative-asset', severity: 'warning', message, at };
    }
    if (fault === 'insecure') {
      const message = `Browsers don't load ${name} on a page with https: write https:// instead of http://.`;
      yield { code: 'insecure-asset', severity: 'warning', message, at };
    }
  }
}

function* allProblems(page: Page): Generator<Found> {
  yield* problemsOfPage(page);
  for (const form of page.forms) yield* problemsOfForm(form, page);
  yield* problemsOfCaptcha(page.captcha, page, page.scripts);
  yield* problemsOfAssets(page);
}

const LINE_END = /\r\n?|\n/g;

/** The problems of a page in the order of the source, at most SIZES.check.maxProblemsPerCode of each code. */
export function problemsOf(of: Omit<Page, 'isAnyHere'>): Problem[] {
  const isAnyHere =
    of.scripts.sendsForms || of.forms.some(({ element, submitsHere }) => submitsHere || isGivenToScript(element));
  const page: Page = { ...of, isAnyHere };
  const found = new Map<string, Found>();
  const counts = new Map<Code, number>();
  for (const problem of allProblems(page)) {
    const count = counts.get(problem.code) ?? 0;
    // A form of several ways can have a fault in each of them, at one place.
    const key = `${problem.code} ${problem.at} ${problem.message}`;
    if (count === SIZES.check.maxProblemsPerCode || found.has(key)) continue;
    counts.set(problem.code, count + 1);
    found.set(key, problem);
  }
  const sorted = [...found.values()].toSorted((one, other) => one.at - other.at);
  let [line, lineStart] = [1, 0];
  const lineEnd = new RegExp(LINE_END);
  let next = lineEnd.exec(page.html);
  return sorted.map(({ code, severity, message, at }) => {
    for (; next && lineEnd.lastIndex <= at; next = lineEnd.exec(page.html)) {
      line += 1;
      lineStart = lineEnd.lastIndex;
    }
    return { code, severity, message, line, column: at - lineStart + 1 };
  });
}
