/*
 * The forms of a page, as its HTML and that of its files has them, and what is told by them.
 */

/** A field of a form, once for each name. */
export type PageField = {
  name: string;
  /** `select`, `textarea`, or the type of the `<input>` or `<button>`. */
  type: string;
  /** The name that people read; null without a label. */
  label: string | null;
  /** False where visitors do not see it: of the type `hidden`, or hidden by an attribute or its style. */
  isShown: boolean;
  /** The values that a hidden field, or buttons of this name, can send; null for fields that visitors enter something into. */
  values: readonly string[] | null;
};

export type PageForm = {
  /** `own`: it may send to the page's own address. `other`: it does not. `loose`: fields that belong to no form. */
  kind: 'own' | 'other' | 'loose';
  /** Its `form-name`, else its `name` or `id`, else the heading in or before it, as `toFormName` writes it; null without any. */
  name: string | null;
  /** The name of the field that `netlify-honeypot` or `data-netlify-honeypot` declares; null: none. */
  honeypot: string | null;
  fields: readonly PageField[];
};

/** The labels of a page's fields, by the names of the fields. A field without a label is not there. */
export type Labels = ReadonlyMap<string, string>;

/** The field by which a form of Netlify says its name. */
export const FORM_NAME = 'form-name';

/** UTF-16 units of the name of a form. */
export const MAX_FORM_NAME_CHARS = 200;
/** Characters of a name that are read: many may be white space, which is left out. */
const MAX_READ_CHARS = 800;
/** Controls are no text, and marks of direction would change how the text around a name is shown. */
const UNSEEN = /[\s\p{Cc}\u200b\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** The name of a form as it is stored and compared, at most 200 UTF-16 units; null for a text that shows nothing. */
export function toFormName(text: string): string | null {
  const name = text.slice(0, MAX_READ_CHARS).replaceAll(UNSEEN, ' ').trim().toWellFormed();
  const cut = name.slice(0, MAX_FORM_NAME_CHARS).replace(/[\ud800-\udbff]$/, '');
  return cut === '' ? null : cut;
}

/**
 * The labels of the fields of all forms. Where a name has several labels, those of the forms that are stored here come
 * first. `formName`: of the form whose fields have its own labels, or none.
 */
export function labelsOf(forms: readonly PageForm[], formName: string | null = null): Labels {
  const labels = new Map<string, string>();
  const [named, unnamed] = [new Set<string>(), new Set<string>()];
  const add = (form: PageForm): void => {
    for (const { name, label } of form.fields) {
      if (label !== null && !labels.has(name) && !unnamed.has(name) && !name.startsWith('_')) labels.set(name, label);
      named.add(name);
    }
  };
  const isNamed = (form: PageForm): boolean => form.kind === 'own' && formName !== null && form.name === formName;
  for (const form of forms) if (isNamed(form)) add(form);
  for (const name of named) if (!labels.has(name)) unnamed.add(name);
  for (const kind of ['own', 'other', 'loose']) {
    for (const form of forms) if (form.kind === kind && !isNamed(form)) add(form);
  }
  return labels;
}

/** The names of the fields that take a mail address by their type. */
export const addressFieldsOf = (forms: readonly PageForm[]): ReadonlySet<string> =>
  new Set(forms.flatMap(({ fields }) => fields.filter(({ type }) => type === 'email').map(({ name }) => name)));

/** Two forms, `form-name`, or a honeypot of Netlify. */
const TOLD_APART = /<form[\s/>][\s\S]*<form[\s/>]|netlify-honeypot|form-name/i;

/** Returns whether the text of a page may have what a submission is matched with: several forms, or names of forms. */
export const mayTellFormsApart = (html: Buffer): boolean => TOLD_APART.test(html.toString('latin1'));
