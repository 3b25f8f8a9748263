import { SIZES } from '../../limits.ts';
import { createReadAddress } from './addresses.ts';
import type { Addresses, CheckedPage, CheckInput, LabelsInput, PageLabels } from './answer.ts';
import { countInFieldsets, fieldsOf } from './fields.ts';
import { attribute, parseHtml, TooComplexError } from './html-tree.ts';
import { enctypeOf, methodOf, problemsOf, readForms } from './problems.ts';
import { readPage } from './read-page.ts';
import { readScripts } from './scripts.ts';
import { rawTextOf, tidy } from './texts.ts';

function read(bytes: Uint8Array, addresses: Addresses) {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const html = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const parts = readPage(parseHtml(html));
  const address = createReadAddress(addresses, parts.base);
  const forms = readForms(parts, address);
  return { html, parts, address, forms, othersIn: countInFieldsets(parts.controls) };
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

const orNull = (text: string): string | null => (text === '' ? null : text);

/** What is on a page, and what is wrong with it; undefined: it is too complex. */
export const checkPage = ({ html: bytes, addresses, maxFields }: CheckInput): CheckedPage | undefined =>
  unlessTooComplex(() => {
    const { html, parts, address, forms, othersIn } = read(bytes, addresses);
    const scripts = readScripts(parts, address.submitAddress);
    return {
      title: parts.title ? orNull(tidy(rawTextOf(parts.title))) : null,
      lang: orNull(tidy(parts.lang ?? '')),
      forms: forms.slice(0, SIZES.check.maxForms).map(({ element, controls, submitsHere }) => ({
        action: attribute(element, 'action') ?? null,
        method: methodOf(attribute(element, 'method')),
        enctype: enctypeOf(attribute(element, 'enctype')),
        submits_here: submitsHere,
        fields: fieldsOf(controls, parts, othersIn),
      })),
      problems: problemsOf({ html, parts, forms, address, scripts, maxFields }),
    };
  });

/**
 * What people call the fields of a page; undefined: it is too complex. Where a name has several labels, those of the
 * forms that are stored here come first.
 */
export const labelsOf = ({ html: bytes, addresses }: LabelsInput): PageLabels | undefined =>
  unlessTooComplex(() => {
    const { parts, forms, othersIn } = read(bytes, addresses);
    const stored = forms.filter(({ submitsHere }) => submitsHere);
    const others = forms.filter(({ submitsHere }) => !submitsHere);
    const free = parts.controls.filter(({ form }) => form === undefined);
    const labels = new Map<string, string>();
    for (const controls of [...[...stored, ...others].map((form) => form.controls), free]) {
      // A script may switch a field on.
      const enabled = controls.map((control) => ({ ...control, isDisabled: false }));
      for (const { name, label } of fieldsOf(enabled, parts, othersIn)) {
        if (label === null || labels.has(name) || name.startsWith('_') || name.length > SIZES.check.maxNameChars)
          continue;
        labels.set(name, label);
        if (labels.size === SIZES.check.maxLabels) return [...labels];
      }
    }
    return [...labels];
  });
