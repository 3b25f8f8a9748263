import { escapeHtml } from '../../lib/html.ts';
import type { SignedLinks } from '../../lib/signed-links.ts';
import type { FileLimit } from '../../submissions/outcomes.ts';
import { fill } from '../../texts/fill.ts';
import type { Translations } from '../response/translations.ts';
import { type Fields, isChosen, type SentFile } from './form-body.ts';
import { resubmitQuery } from './resubmit-query.ts';
import { AUTO_SENT } from './wait-script.ts';

const MAX_SHOWN_NAMES = 5;
const MAX_SHOWN_NAME_CHARS = 80;

/**
 * The identity with which a form is sent again. `id` is the submission's. `isRetry`: an error page has sent the form. `page`: the URL
 * of the page that sent it first.
 */
export type Resubmission = {
  id: string;
  isRetry: boolean;
  links: Pick<SignedLinks, 'resubmission'>;
  page?: string | undefined;
};

/** A field whose number the visitor is to change, to at most `max`. */
export type ChangedNumber = { name: string; max: number };

/** The parts of a form that an error page sends again. `exceeded`: why its files were refused. `isAuto`: a script sends it. */
type KeptForm = Resubmission & {
  enctype: string;
  fields: Fields;
  exceeded: FileLimit | undefined;
  isAuto: boolean;
  changed?: ChangedNumber | undefined;
};

/** A name of a file or a field as visitors see it, in HTML: cut, and apart from the direction of the text around it. */
export function shownName(name: string): string {
  const characters = Array.from(name.slice(0, 2 * MAX_SHOWN_NAME_CHARS));
  const isLong = characters.length > MAX_SHOWN_NAME_CHARS || name.length > 2 * MAX_SHOWN_NAME_CHARS;
  const shown = isLong ? `${characters.slice(0, MAX_SHOWN_NAME_CHARS).join('')}…` : name;
  return `<bdi>${attribute(shown)}</bdi>`;
}

// HTML has no NUL.
const attribute = (text: string): string => escapeHtml(text.replaceAll('\0', '\uFFFD'));

/**
 * The files that have to be chosen again, by the names of their inputs. None are left where the form takes no files. An
 * error page has inputs only for files that were chosen before: one that is empty there is asked for again.
 */
export function lostFilesOf({
  fields,
  isRetry,
  exceeded,
}: Pick<KeptForm, 'fields' | 'isRetry' | 'exceeded'>): ReadonlyMap<string, SentFile[]> {
  const lost = new Map<string, SentFile[]>();
  if (exceeded?.limit === 0) return lost;
  for (const [name, , file] of fields) {
    if (file && name !== '' && (isRetry || isChosen(file))) lost.set(name, [...(lost.get(name) ?? []), file]);
  }
  return lost;
}

/** The label of an input for files, by those that were chosen before. */
function labelOf(name: string, files: readonly SentFile[], { chooseAgain, list }: Translations): string {
  const names = files.map(({ filename }) => shownName(filename || name));
  const shown = names.length > MAX_SHOWN_NAMES ? [...names.slice(0, MAX_SHOWN_NAMES), '…'] : names;
  return fill(chooseAgain, { name: list(shown) });
}

/** An input for a number that has to be lower, with what was filled in: the browser sends it only once it is. */
function numberInput(value: string, { name, max }: ChangedNumber): string {
  const [digits = ''] = /^[0-9]*/.exec(value) ?? [];
  const input = `<input type="number" name="${attribute(name)}" id="number" min="1" max="${max}" value="${digits}" required>`;
  return `<p><label for="number">${shownName(name)}</label>\n${input}</p>\n`;
}

/**
 * A form whose hidden fields contain what was filled in. One click sends it again, as the same submission. Files, which
 * a page can't fill in, are to be chosen again; the visitor may leave them out.
 */
export function resubmitForm(kept: KeptForm, translations: Translations): string {
  const { enctype, fields, id: submissionId, links, page, exceeded, isAuto, changed } = kept;
  const lost = lostFilesOf(kept);
  const inputs = new Set<string>();
  const changedAt = changed ? fields.findIndex(([name]) => name === changed.name) : -1;
  const controls = fields.map(([name, value, file], at) => {
    if (changed && at === changedAt) return numberInput(value, changed);
    // Textareas, because browsers change a hidden input named _charset_. HTML drops a first line break.
    const files = file && lost.get(name);
    // An input for files that was left empty is an empty text, too.
    if (!files) return `<textarea name="${attribute(name)}" hidden>\n${attribute(value)}</textarea>\n`;
    if (inputs.has(name)) return '';
    inputs.add(name);
    const id = `file${inputs.size}`;
    const isMultiple = files.length > 1 || !files.some(isChosen);
    const input = `<input type="file" name="${attribute(name)}"${isMultiple ? ' multiple' : ''} id="${id}">`;
    return `<p><label for="${id}">${labelOf(name, files, translations)}</label>\n${input}</p>\n`;
  });
  return `<form method="post" action="${escapeHtml(resubmitQuery(submissionId, fields, lost, links, page))}" enctype="${enctype}" autocomplete="off"${isAuto ? ` ${AUTO_SENT}` : ''}>
${controls.join('')}<button>${exceeded || changed ? translations.send : translations.sendAgain}</button>
</form>`;
}
