import { isUtf8 } from 'node:buffer';
import type { PageForm } from '../../forms/forms-of-page.ts';
import { attribute, bodyStart, MAX_DEPTH, parseHtml, TooComplexError } from '../../forms/html-tree.ts';
import { orNull, rawTextOf, tidy } from '../../forms/page-texts.ts';
import { SIZES } from '../../sizes.ts';
import { AddressReader } from './addresses.ts';
import { problemsOf } from './all-problems.ts';
import type { Addresses, CheckedForm, CheckedPage, CheckInput, FormAdditions, FormsInput, Toolless } from './answer.ts';
import { widgetInsertions } from './captcha.ts';
import { countInFieldsets, fieldsOf } from './form-fields.ts';
import { toolAttributes, toolless } from './form-tools.ts';
import { withInsertions } from './insertions.ts';
import { namedForms } from './named-forms.ts';
import { enctypeOf, methodOf, type ReadForm, readForms } from './page-forms.ts';
import { PagePolicies } from './policies.ts';
import { type PageParts, readPage } from './read-page.ts';
import { readScripts } from './scripts.ts';

const BYTE_ORDER_MARK = '\uFEFF';

function read(bytes: Uint8Array, addresses: Addresses, maxDepth = Number.POSITIVE_INFINITY) {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const html = text.slice(mark.length);
  const { formEnds, ...parsed } = parseHtml(html, maxDepth);
  const parts = readPage(parsed);
  const address = new AddressReader(addresses, parts.base);
  const forms = readForms(parts, address);
  return { bytes, mark, html, formEnds, parts, address, forms };
}

/** The forms with as many of their fields as fit into the answer, in JSON. */
function fitted(forms: Iterable<CheckedForm>, maxChars: number): CheckedForm[] {
  let chars = 0;
  const fits = (part: unknown): boolean => {
    // A comma follows.
    chars += JSON.stringify(part).length + 1;
    return chars <= maxChars;
  };
  const answered: CheckedForm[] = [];
  for (const { fields, ...form } of forms) {
    if (!fits(form)) break;
    answered.push({ ...form, fields: fields.filter(fits) });
  }
  return answered;
}

function* checkedForms(forms: readonly ReadForm[], parts: PageParts): Generator<CheckedForm> {
  const othersIn = countInFieldsets(parts.controls);
  for (const { element, controls, submitsHere } of forms) {
    yield {
      action: attribute(element, 'action') ?? null,
      method: methodOf(attribute(element, 'method')),
      enctype: enctypeOf(attribute(element, 'enctype')),
      submits_here: submitsHere,
      fields: fieldsOf(controls, parts, othersIn),
    };
  }
}

/** undefined: the page is too complex. */
function unlessTooComplex<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooComplexError) return undefined;
    throw error;
  }
}

/** Returns the forms of a page, and what is wrong with them; undefined: the page is too complex. */
export const checkPage = ({
  html: bytes,
  addresses,
  maxFields,
  captcha,
  hasAllowedOrigins = false,
  maxForms = SIZES.check.maxForms,
  maxFormChars = SIZES.check.maxFormChars,
  scripts: ofSite = new Map(),
}: CheckInput): (CheckedPage & { toolless: Toolless }) | undefined =>
  unlessTooComplex(() => {
    const page = read(bytes, addresses);
    const { parts, address, forms } = page;
    const scripts = readScripts(parts, address, ofSite);
    const policies = new PagePolicies(parts, address);
    return {
      title: parts.title ? orNull(tidy(rawTextOf(parts.title))) : null,
      lang: orNull(tidy(parts.lang ?? '')),
      forms: fitted(checkedForms(forms.slice(0, maxForms), parts), maxFormChars),
      problems: problemsOf({ ...page, scripts, policies, hasAllowedOrigins, maxFields, captcha }),
      toolless: toolless(page),
    };
  });

/** Returns the forms of a page by their names; undefined: the page is too complex. */
export const formsOf = ({ html: bytes, addresses }: FormsInput): PageForm[] | undefined =>
  unlessTooComplex(() => namedForms(read(bytes, addresses)));

/**
 * Returns the page with what is added to its forms that are stored here: ALTCHA's widget where it is lacking, the attributes of tools;
 * undefined: the page is too complex.
 */
export const addToForms = (bytes: Uint8Array, { addresses, widget, tools }: FormAdditions): Uint8Array | undefined =>
  unlessTooComplex(() => {
    const page = read(bytes, addresses, MAX_DEPTH);
    const widgets = widget ? widgetInsertions(page, widget) : [];
    // Labels in another encoding would be read wrongly.
    const attributes = tools && isUtf8(bytes) ? toolAttributes(page, tools) : [];
    return Buffer.from(page.mark + withInsertions(page.html, [...attributes, ...widgets]));
  });

/** A doctype, behind which a text begins the body. */
const DOCTYPE = /^\s*(?:<!doctype[^>]*>)?/i;

/** The page with HTML that is the first in its body. Behind the doctype it is so too, but the page has no head then. */
export function addToBody(bytes: Uint8Array, added: string): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const html = text.slice(mark.length);
  const at = bodyStart(html) ?? DOCTYPE.exec(html)?.[0].length ?? 0;
  return Buffer.from(mark + withInsertions(html, [{ at, text: added }]));
}
