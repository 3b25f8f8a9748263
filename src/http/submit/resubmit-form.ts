import { escapeHtml } from '../../lib/html.ts';
import { SIZES } from '../../limits.ts';
import type { Speech } from '../response/translations.ts';
import type { Form } from './form-body.ts';
import { attemptQuery, type FileInput } from './sent-again.ts';

/** What an error page needs to send a form again. */
type KeptForm = {
  enctype: string;
  form: Form;
  inputs: readonly FileInput[];
  /** The submission's id. */
  attempt: string;
  /** Whether it can only be sent with other files. */
  isChanged: boolean;
  /** Files with more bytes are too large; undefined when that is not why the form was refused. */
  maxFileBytes: number | undefined;
};

/** A name of a file or a field as visitors see it, in HTML: cut, and apart from the direction of the text around it. */
export function shownName(name: string): string {
  const characters = Array.from(name.slice(0, 2 * SIZES.errorPage.maxShownNameChars));
  const isLong =
    characters.length > SIZES.errorPage.maxShownNameChars || name.length > 2 * SIZES.errorPage.maxShownNameChars;
  const shown = isLong ? `${characters.slice(0, SIZES.errorPage.maxShownNameChars).join('')}…` : name;
  return `<bdi>${escapeHtml(withoutNul(shown))}</bdi>`;
}

// HTML has no NUL.
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

const attribute = (text: string): string => escapeHtml(withoutNul(text));

function labelOf({ name, files }: FileInput, maxFileBytes: number | undefined, speech: Speech): string {
  const names = files.map(({ filename }) => shownName(filename || name));
  const [only = shownName(name)] = names;
  const isTooLarge = maxFileBytes !== undefined && files.some(({ size }) => size > maxFileBytes);
  if (isTooLarge && names.length === 1) return speech.chooseSmaller(only);
  const shown =
    names.length > SIZES.errorPage.maxShownNames ? [...names.slice(0, SIZES.errorPage.maxShownNames), '…'] : names;
  return speech.chooseAgain(names.length > 1 ? speech.list(shown) : only);
}

/**
 * A form whose hidden fields contain what was filled in. One click sends it again, as the same submission. Files, which
 * a page can't fill in, are to be chosen again; the visitor may leave them out.
 */
export function resubmitForm(kept: KeptForm, speech: Speech): string {
  const { enctype, form, inputs, attempt, isChanged, maxFileBytes } = kept;
  const unused = new Map(inputs.map((input, index) => [input.name, { input, id: `file${index + 1}` }]));
  const controls = form.map(([name, value, file]) => {
    // Textareas, because browsers change a hidden input named _charset_. HTML drops a first line break.
    if (!file) return `<textarea name="${attribute(name)}" hidden>\n${attribute(value)}</textarea>`;
    const found = unused.get(name);
    if (!found) return '';
    unused.delete(name);
    const { input, id } = found;
    const common = `type="file" name="${attribute(name)}"${input.isMultiple ? ' multiple' : ''}`;
    if (!input.isLost) return `<input ${common} hidden>`;
    return `<p><label for="${id}">${labelOf(input, maxFileBytes, speech)}</label>\n<input ${common} id="${id}"></p>`;
  });
  const label = isChanged ? speech.send : speech.sendAgain;
  const action = attemptQuery(attempt, form, inputs);
  return [
    `<form method="post" action="${action}" enctype="${enctype}" autocomplete="off">`,
    ...controls.filter((control) => control !== ''),
    `<button>${label}</button>`,
    '</form>',
  ].join('\n');
}
