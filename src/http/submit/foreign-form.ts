import { isEmptyJson, isUnticked } from '../../forms/control-fields.ts';
import { canBeShown, foreignMark } from '../../forms/foreign-mark.ts';
import type { PageForm } from '../../forms/forms-of-page.ts';
import { type JsonMember, readJsonObject, unquote } from '../../lib/json-text.ts';
import type { Honeypot } from '../../submissions/receive.ts';
import { type Fields, findFilled, type Submitted } from './form-body.ts';

/*
 * A form that was made for another service, and posts to /f/: how it differs from others.
 */

/** The fields of a submission as JSON; the values of files are objects. */
const membersOf = ({ dataWith }: Pick<Submitted, 'dataWith'>): readonly JsonMember[] =>
  readJsonObject(dataWith(() => '')).members;

const isFilled = ({ value }: JsonMember, kind: Honeypot): boolean =>
  kind === 'honeypot' ? !isEmptyJson(value) : !isUnticked(value);

/** Returns whether a form of the page that may be the one that was sent shows a field to visitors. */
const shows = (forms: readonly PageForm[], name: string): boolean =>
  forms.some(({ fields }) => fields.some((field) => field.name === name && field.isShown));

/**
 * Returns the mark for the id of a submission (src/forms/foreign-mark.ts), and the honeypot that is filled in. `formsOf`: reads the
 * forms of its page.
 */
export async function readForeign(
  submitted: Submitted,
  formsOf: () => Promise<readonly PageForm[]>,
): Promise<{ mark: string; honeypot: Honeypot | undefined }> {
  const members = membersOf(submitted);
  const isAsked = members.some(({ name }) => canBeShown(name));
  const forms = isAsked ? await formsOf() : [];
  const mark = foreignMark((name) => shows(forms, name));
  return { mark, honeypot: findFilled(members, isFilled, mark) };
}

/** The texts of a submission by their names, also where it was sent as JSON. */
export const textsOf = (submitted: Submitted): Fields =>
  submitted.fields ??
  membersOf(submitted).flatMap(({ name, value }) => (value.startsWith('"') ? [[name, unquote(value)] as const] : []));
