import type { LiveForm } from '../db/submissions/form-queries.ts';
import { isEmptyJson } from '../forms/control-fields.ts';
import { FORM_NAME, type PageForm, toFormName } from '../forms/forms-of-page.ts';
import { readJsonObject, unquote } from '../lib/json-text.ts';

/** The types of fields that a browser leaves out where nothing is chosen. */
const SOMETIMES_SENT: ReadonlySet<string> = new Set(['checkbox', 'radio', 'submit', 'select']);

/** A submission as its form is told by it: its names, the name of its form, and the names with a value. */
type Sent = { names: ReadonlySet<string>; formName: string | null; filled: ReadonlySet<string> };

function readSent(data: string): Sent {
  const { members } = readJsonObject(data);
  // Scripts send false for a box that is not ticked.
  const filled = members.filter(({ value }) => !isEmptyJson(value) && value !== 'false');
  const told = members.find(({ name, value }) => name === FORM_NAME && value.startsWith('"'));
  return {
    names: new Set(members.map(({ name }) => name)),
    formName: told ? toFormName(unquote(told.value)) : null,
    filled: new Set(filled.map(({ name }) => name)),
  };
}

/** How many of a form's fields a browser sends in any case; undefined where one of them was not sent, so that it is another form. */
function matchOf({ fields }: PageForm, { names }: Sent): number | undefined {
  const sent = fields.filter(({ type }) => !SOMETIMES_SENT.has(type));
  return sent.every(({ name }) => names.has(name)) ? sent.length : undefined;
}

/** The forms of a page that a submission may be of: those that it names, else those whose fields it has, else all. */
function formsOf(forms: readonly PageForm[], sent: Sent): readonly PageForm[] {
  const named = forms.filter(({ name }) => sent.formName !== null && name === sent.formName);
  if (named.length > 0) return named;
  const matches = forms.map((form) => ({ form, count: matchOf(form, sent) }));
  const most = Math.max(...matches.map(({ count = 0 }) => count));
  const matching = matches.filter(({ count }) => count !== undefined && count === most);
  return (matching.length > 0 ? matching : matches).map(({ form }) => form);
}

/** Returns whether a submission fills in the honeypot of its form: in each form that it may be of, the field is one. */
export function fillsHoneypot(forms: readonly PageForm[], data: string): boolean {
  const all = forms.filter(({ kind }) => kind !== 'loose');
  if (all.every(({ honeypot }) => honeypot === null)) return false;
  const sent = readSent(data);
  const possible = formsOf(all, sent);
  return possible.some(
    ({ honeypot }) =>
      honeypot !== null &&
      sent.filled.has(honeypot) &&
      possible.every((form) => form.honeypot === honeypot || form.fields.every(({ name }) => name !== honeypot)),
  );
}

/** The honeypots that forms declare in their own HTML, as forms on Netlify do. */
export class PageHoneypots {
  readonly #formsOf: (deploymentId: string) => Promise<readonly PageForm[]>;
  /** What was read stays as long as the form is in memory, which a change of its page ends. */
  readonly #known = new WeakMap<LiveForm, readonly PageForm[]>();

  constructor(formsOf: (deploymentId: string) => Promise<readonly PageForm[]>) {
    this.#formsOf = formsOf;
  }

  /** Returns whether a submission fills in a honeypot of the form of its page that it is of. */
  async isFilled(form: LiveForm, data: string): Promise<boolean> {
    const known = this.#known.get(form);
    const forms = known ?? (await this.#formsOf(form.deploymentId));
    // None may mean that nobody had time to read them.
    if (!known && forms.length > 0) this.#known.set(form, forms.some(({ honeypot }) => honeypot !== null) ? forms : []);
    return fillsHoneypot(forms, data);
  }
}
