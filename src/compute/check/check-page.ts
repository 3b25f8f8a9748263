import { SIZES } from '../../sizes.ts';
import { AddressReader } from './addresses.ts';
import type { Addresses, CheckedPage, CheckInput, LabelsInput, PageLabels, WidgetInput } from './answer.ts';
import { withWidgets } from './captcha.ts';
import { countInFieldsets, fieldsOf } from './fields.ts';
import { enctypeOf, methodOf, readForms } from './forms.ts';
import { attribute, MAX_DEPTH, parseHtml, TooComplexError } from './html-tree.ts';
import { problemsOf } from './problems.ts';
import { readPage } from './read-page.ts';
import { readScripts } from './scripts.ts';
import { orNull, rawTextOf, tidy } from './texts.ts';

/** Names beyond this have no label. */
const MAX_NAME_CHARS = 200;
const BYTE_ORDER_MARK = '\uFEFF';

function read(bytes: Uint8Array, addresses: Addresses, maxDepth = Number.POSITIVE_INFINITY) {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const html = text.slice(mark.length);
  const { formEnds, ...parsed } = parseHtml(html, maxDepth);
  const parts = readPage(parsed);
  const address = new AddressReader(addresses, parts.base);
  const forms = readForms(parts, address);
  return { mark, html, formEnds, parts, address, forms };
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
  maxForms = SIZES.check.maxForms,
}: CheckInput): CheckedPage | undefined =>
  unlessTooComplex(() => {
    const page = read(bytes, addresses);
    const { parts, address, forms } = page;
    const othersIn = countInFieldsets(parts.controls);
    const scripts = readScripts(parts, address.submitAddress);
    return {
      title: parts.title ? orNull(tidy(rawTextOf(parts.title))) : null,
      lang: orNull(tidy(parts.lang ?? '')),
      forms: forms.slice(0, maxForms).map(({ element, controls, submitsHere }) => ({
        action: attribute(element, 'action') ?? null,
        method: methodOf(attribute(element, 'method')),
        enctype: enctypeOf(attribute(element, 'enctype')),
        submits_here: submitsHere,
        fields: fieldsOf(controls, parts, othersIn),
      })),
      problems: problemsOf({ ...page, scripts, maxFields, captcha }),
    };
  });

/**
 * Returns the labels of a page's fields; undefined: the page is too complex. Where a name has several labels, those of the
 * forms that are stored here come first.
 */
export const labelsOf = ({ html: bytes, addresses }: LabelsInput): PageLabels | undefined =>
  unlessTooComplex(() => {
    const { parts, forms } = read(bytes, addresses);
    const othersIn = countInFieldsets(parts.controls);
    const stored = forms.filter(({ submitsHere }) => submitsHere);
    const others = forms.filter(({ submitsHere }) => !submitsHere);
    const free = parts.controls.filter(({ form }) => form === undefined);
    const labels = new Map<string, string>();
    for (const controls of [...[...stored, ...others].map((form) => form.controls), free]) {
      // A script may switch a field on.
      const enabled = controls.map((control) => ({ ...control, isDisabled: false }));
      for (const { name, label } of fieldsOf(enabled, parts, othersIn)) {
        if (label === null || labels.has(name) || name.startsWith('_') || name.length > MAX_NAME_CHARS) continue;
        labels.set(name, label);
        if (labels.size === SIZES.check.maxLabels) return [...labels];
      }
    }
    return [...labels];
  });

/**
 * The page with ALTCHA's widget in each of its forms that is stored here and lacks it. A page that is too complex stays
 * as it is: visitors wait for this.
 */
export const addWidgets = (bytes: Uint8Array, { addresses, ...widget }: WidgetInput): Uint8Array =>
  unlessTooComplex(() => {
    const page = read(bytes, addresses, MAX_DEPTH);
    return Buffer.from(page.mark + withWidgets(page.html, page, widget));
  }) ?? bytes;
