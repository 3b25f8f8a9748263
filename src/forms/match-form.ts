import { type JsonMember, readJsonObject, unquote } from '../lib/json-text.ts';
import { controlsOf, isUnticked } from './control-fields.ts';
import { FORM_NAME, type PageForm, toFormName } from './forms-of-page.ts';

/*
 * Tells from which form of a page a submission comes: by its form-name, otherwise by the names of its fields.
 */

/** A field that browsers do not send in each case: it is not ticked, or another button was pressed. */
const SOMETIMES_SENT = new Set(['checkbox', 'radio', 'submit', 'select']);

/** The forms that may send to the page: its own ones. */
const ownOf = (forms: readonly PageForm[]): readonly PageForm[] => forms.filter(({ kind }) => kind === 'own');

/** The names of the forms of a page, where it has several that are told apart; none where it has one form, or none. */
export function severalNames(forms: readonly PageForm[]): string[] {
  const names = new Set(ownOf(forms).map(({ name }) => name));
  return names.size > 1 ? [...names].filter((name) => name !== null) : [];
}

/** Returns whether the JSON text of a submission may have a form-name. */
export const mayHaveFormName = (data: string): boolean => data.includes(`"${FORM_NAME}"`);

/** The form-name of a submission: that of the first such field with a text. */
function toldName(members: readonly JsonMember[]): string | null {
  for (const { name, value } of members) {
    if (name !== FORM_NAME || !/^\s*(?:\[\s*)?"/.test(value)) continue;
    const text: unknown = JSON.parse(value);
    const first: unknown = Array.isArray(text) ? text[0] : text;
    const told = typeof first === 'string' ? toFormName(first) : null;
    if (told !== null) return told;
  }
  return null;
}

/** The fields of a submission by their names, each with the JSON text of its value, without those that no form of a page has for itself. */
function sentFields(members: readonly JsonMember[], forms: readonly PageForm[]): ReadonlyMap<string, string> {
  const known = new Set(forms.flatMap(({ fields }) => fields.map(({ name }) => name)));
  const controlOf = controlsOf(members.map(({ name }) => name));
  const content = members.filter(({ name }) => known.has(name) || controlOf(name) === undefined);
  return new Map(content.map(({ name, value }) => [name, value]));
}

/** How well a form fits what was sent: `isExact` before `likeness`, 0 to 1, before `values`, those of hidden fields and buttons. */
type Fit = { form: PageForm; isExact: boolean; likeness: number; values: number };

function fitOf(form: PageForm, sent: ReadonlyMap<string, string>): Fit {
  let [found, missing, values] = [0, 0, 0];
  for (const { name, type, values: own } of form.fields) {
    const value = sent.get(name);
    if (value !== undefined) found += 1;
    else if (!SOMETIMES_SENT.has(type)) missing += 1;
    if (value === undefined || own === null || !value.startsWith('"')) continue;
    values += own.includes(unquote(value)) ? 1 : -1;
  }
  const all = form.fields.length + sent.size - found;
  return { form, isExact: missing === 0 && found === sent.size, likeness: all === 0 ? 0 : found / all, values };
}

const compare = (one: Fit, other: Fit): number =>
  Number(other.isExact) - Number(one.isExact) || other.likeness - one.likeness || other.values - one.values;

/** The forms that fit best, which fit equally well; none where no form has a field that was sent. */
function bestOf(forms: readonly PageForm[], sent: ReadonlyMap<string, string>): PageForm[] {
  const fits = forms.map((form) => fitOf(form, sent)).filter(({ likeness }) => likeness > 0);
  const [best] = fits.toSorted(compare);
  return best ? fits.filter((fit) => compare(best, fit) === 0).map(({ form }) => form) : [];
}

/** The forms of a page of which a submission may be: those that it names, else those that fit best, else all. */
function possibleForms(own: readonly PageForm[], members: readonly JsonMember[], told: string | null) {
  const named = told === null ? [] : own.filter(({ name }) => name === told);
  if (named.length === 1) return named;
  const best = bestOf(named.length > 0 ? named : own, sentFields(members, own));
  return best.length > 0 ? best : named.length > 0 ? named : own;
}

/** Returns whether the honeypot of a form is filled in. Where several forms are possible, the field is a honeypot in each that has it. */
function isHoneypotFilled(possible: readonly PageForm[], members: readonly JsonMember[]): boolean {
  if (possible.every(({ honeypot }) => honeypot === null)) return false;
  const filled = new Set(members.filter(({ value }) => !isUnticked(value)).map(({ name }) => name));
  return possible.some(
    ({ honeypot }) =>
      honeypot !== null &&
      filled.has(honeypot) &&
      possible.every((form) => form.honeypot === honeypot || form.fields.every(({ name }) => name !== honeypot)),
  );
}

/**
 * The form of a submission. `name`: its form-name, otherwise that of the form of the page that fits best; null where that can't be
 * said, and where it is the only form of the page. `isHoneypotFilled`: whether the field is filled in that the form declares as its
 * honeypot.
 */
export type FormMatch = { name: string | null; isHoneypotFilled: boolean };

/** Tells of which of the forms of a page a submission with this JSON text is. */
export function matchForm(forms: readonly PageForm[], data: string): FormMatch {
  const own = ownOf(forms);
  const { members } = readJsonObject(data);
  const told = toldName(members);
  const names = new Set(own.map(({ name }) => name));
  const isSaid = told !== null || names.size < 2;
  const possible = isSaid && own.every(({ honeypot }) => honeypot === null) ? [] : possibleForms(own, members, told);
  return { name: nameOf(told, names, possible), isHoneypotFilled: isHoneypotFilled(possible, members) };
}

function nameOf(told: string | null, ofPage: ReadonlySet<string | null>, possible: readonly PageForm[]): string | null {
  if (told !== null) return ofPage.size === 1 && ofPage.has(told) ? null : told;
  const [name = null, ...others] = ofPage.size < 2 ? [] : new Set(possible.map((form) => form.name));
  return others.length === 0 ? name : null;
}
