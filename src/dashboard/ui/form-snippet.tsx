import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { escapeHtml } from '../../lib/html.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { CopyButton } from './copy-button.tsx';
import { Snippet } from './snippet.tsx';

type FormField = Schemas['FormField'];

const WORDS = t.page.snippet;

const field = (name: string, label: string, type = 'text', options: FormField['options'] = null): FormField => ({
  ...{ name, label, type, options },
  required: true,
});
/** The fields of a form where the page has none. */
const EXAMPLE = [
  field('name', WORDS.name),
  field('email', WORDS.email, 'email'),
  field('message', WORDS.message, 'textarea'),
];

/** Browsers fill in fields with these names. */
const AUTOCOMPLETE: ReadonlySet<string> = new Set(['name', 'email']);
const LEFT_OUT: ReadonlySet<string> = new Set(['hidden', 'submit', 'button', 'image', 'reset']);
const isChoice = ({ type }: FormField): boolean => type === 'radio' || type === 'checkbox';

const attribute = (name: string, value: string): string => ` ${name}="${escapeHtml(value)}"`;

/** A select, a text area or an input. */
function control({ name, type, required, options }: FormField): string {
  const isRequired = required ? ' required' : '';
  if (type === 'select') {
    const all = (options ?? []).map(({ value, label }) => {
      const text = escapeHtml(label ?? value);
      return `    <option${label === value ? '' : attribute('value', value)}>${text}</option>\n`;
    });
    return `<select${attribute('name', name)}${isRequired}>\n${all.join('')}  </select>`;
  }
  if (type === 'textarea') return `<textarea${attribute('name', name)}${isRequired}></textarea>`;
  const ofType = type === 'text' ? '' : attribute('type', type);
  const filledIn = AUTOCOMPLETE.has(name) ? attribute('autocomplete', name) : '';
  return `<input${attribute('name', name)}${ofType}${filledIn}${isRequired}>`;
}

/** Radio buttons or checkboxes with one name. */
function choices({ name, label, type, required, options }: FormField): string {
  const isRequired = required && type === 'radio' ? ' required' : '';
  const all = (options ?? []).map(
    ({ value, label: text }) =>
      `    <label><input${attribute('type', type)}${attribute('name', name)}${attribute('value', value)}${isRequired}> ${escapeHtml(text ?? value)}</label>\n`,
  );
  return `  <fieldset>\n    <legend>${escapeHtml(label ?? name)}</legend>\n${all.join('')}  </fieldset>\n`;
}

const lineOf = (one: FormField): string =>
  isChoice(one) ? choices(one) : `  <p><label>${escapeHtml(one.label ?? one.name)} ${control(one)}</label></p>\n`;

/** A form that sends to an address. `fields`: of a page's own form. */
export function formSnippet(action: string, fields: readonly FormField[] = EXAMPLE): string {
  const shown = fields.filter(({ name, type }) => !name.startsWith('_') && !LEFT_OUT.has(type));
  const enctype = shown.some(({ type }) => type === 'file') ? ' enctype="multipart/form-data"' : '';
  return `<form method="post" action="${action}"${enctype}>
${(shown.length === 0 ? EXAMPLE : shown).map(lineOf).join('')}  <!-- ${WORDS.honeypot} -->
  <input name="_hp" hidden tabindex="-1" autocomplete="off">
  <button>${escapeHtml(WORDS.send)}</button>
</form>
`;
}

/** The address that a form on another site sends to, and such a form: with the fields of the page's own, or an example. */
export function FormSnippet({ id, fields }: { id: string; fields?: readonly FormField[] }): JSX.Element {
  const action = `${location.origin}/submit/${id}`;
  return (
    <>
      <p class="muted">
        <Rich text={t.page.snippet.hint} with={{ address: <>{action}</> }} />
      </p>
      <Snippet text={formSnippet(action, fields)}>
        <CopyButton kind="plain" text={action}>
          {t.page.snippet.copyAddress}
        </CopyButton>
      </Snippet>
    </>
  );
}
