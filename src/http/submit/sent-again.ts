import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRecentSubmissionId } from '../../lib/ids.ts';
import { type Form, isChosen, type SentFile } from './form-body.ts';
import { KEY_HEADER } from './idempotency-key.ts';

/*
 * An error page has a form that sends the same submission again. Its address names the first attempt, so that the
 * submission is stored once, and the fields whose files are to be chosen again.
 */

/** An earlier attempt of a form, as the address of the form sent again names it. */
type Attempt = {
  /** The submission's id. */
  id: string;
  /** The fields whose files have been lost, by their number among the names of the form; whether there were several. */
  lost: ReadonlyMap<number, boolean>;
};

/** An input for files of a form that is sent again. */
export type FileInput = {
  name: string;
  /** What was chosen this time. */
  files: readonly SentFile[];
  /** Whether several files were chosen, this time or before. */
  isMultiple: boolean;
  /** Whether a file was chosen, this time or before, which has to be chosen again. */
  isLost: boolean;
};

const ATTEMPT = 'attempt';
const LOST = /^[0-9]{1,4}m?$/;
const SEVERAL = 'm';

/**
 * A digest of what was filled in, without files, which may be chosen again, and without what browsers change: line
 * breaks, NUL, fields without a name.
 */
function digestOf(form: Form): string {
  const sent = form
    .filter(([name, , file]) => name !== '' && !file)
    .map(([name, value]) => [name, value].map((text) => text.replaceAll(/[\r\n\0\uFFFD]/g, '')));
  return createHash('sha256').update(JSON.stringify(sent)).digest('base64url');
}

/** The numbers of the names of a form that browsers send: 0 for the first. */
function numbersOf(form: Form): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [name] of form) if (name !== '' && !numbers.has(name)) numbers.set(name, numbers.size);
  return numbers;
}

/** The inputs for files of a form, in order. `attempt`: the earlier one. */
export function fileInputsOf(form: Form, attempt: Attempt | undefined): FileInput[] {
  const byName = new Map<string, SentFile[]>();
  for (const [name, , file] of form) {
    if (!file || name === '') continue;
    const files = byName.get(name) ?? [];
    byName.set(name, files);
    if (isChosen(file)) files.push(file);
  }
  const numbers = numbersOf(form);
  return Array.from(byName, ([name, files]) => {
    const before = attempt?.lost.get(numbers.get(name) ?? -1);
    return {
      name,
      files,
      isMultiple: files.length > 1 || before === true,
      isLost: files.length > 0 || before !== undefined,
    };
  });
}

/** The query of the address to which an error page sends a form again. */
export function attemptQuery(id: string, form: Form, inputs: readonly FileInput[]): string {
  const numbers = numbersOf(form);
  const lost = inputs
    .filter(({ isLost }) => isLost)
    .map(({ name, isMultiple }) => `.${numbers.get(name)}${isMultiple ? SEVERAL : ''}`);
  return `?${ATTEMPT}=${id}.${digestOf(form)}${lost.join('')}`;
}

/**
 * A form's first attempt, when the request has the `attemptQuery` of it. Anybody can send one: an id that was not made
 * recently is ignored. So is the id of another form: a visitor may fill in the same page's form once more.
 */
export function attemptOf({ url = '', headers }: IncomingMessage, form: Form | undefined): Attempt | undefined {
  const query = url.indexOf('?');
  if (query < 0 || !form || headers[KEY_HEADER] !== undefined) return undefined;
  const [attempt = '', ...more] = new URLSearchParams(url.slice(query)).getAll(ATTEMPT);
  const [id = '', digest, ...lost] = attempt.split('.');
  if (more.length > 0 || !isRecentSubmissionId(id) || !lost.every((part) => LOST.test(part))) return undefined;
  if (digest !== digestOf(form)) return undefined;
  return { id, lost: new Map(lost.map((part) => [Number.parseInt(part, 10), part.endsWith(SEVERAL)])) };
}
