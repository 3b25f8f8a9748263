import type { IncomingMessage } from 'node:http';
import { isRecentSubmissionId } from '../../lib/ids.ts';
import type { SignedLinks } from '../../lib/signed-links.ts';
import type { Fields } from './form-body.ts';
import { KEY_HEADER } from './submission-key.ts';

/*
 * An error page has a form that sends the same submission again. Its address has the id of the submission that was sent
 * first, so that it is stored once. It is signed: an id goes to strangers, in the mail that confirms the submission.
 */

const PARAMETER = 'attempt';

/**
 * The texts that were filled in, without files, which may be chosen again, and without what browsers change: line
 * breaks, NUL, fields without a name.
 */
function sentTexts(texts: Fields): string {
  const sent = texts
    .filter(([name]) => name !== '')
    .map(([name, value]) => [name, value].map((text) => text.replaceAll(/[\r\n\0\uFFFD]/g, '')));
  return JSON.stringify(sent);
}

/**
 * The query of the address to which an error page sends a form again. `id`: that of the submission. `asked`: the names of
 * the files that the page asks for; it sends each other input for files as an empty text.
 */
export const resubmitQuery = (
  id: string,
  fields: Fields,
  asked: { has(name: string): boolean },
  links: Pick<SignedLinks, 'resubmission'>,
): string =>
  `?${PARAMETER}=${id}.${links.resubmission(id, sentTexts(fields.filter(([name, , file]) => !file || !asked.has(name))))}`;

/**
 * The id under which a form was sent first, when the request has the `resubmitQuery` of it. An id that was not made recently
 * is ignored. So is the id of another form: a visitor may fill in the same page's form once more.
 */
export function firstIdOf(
  { url = '', headers }: IncomingMessage,
  fields: Fields | undefined,
  links: Pick<SignedLinks, 'isResubmission'>,
): string | undefined {
  const query = url.indexOf('?');
  if (query < 0 || !fields || headers[KEY_HEADER] !== undefined) return undefined;
  const [first = '', ...more] = new URLSearchParams(url.slice(query)).getAll(PARAMETER);
  const [id = '', signature] = first.split('.');
  if (more.length > 0 || !isRecentSubmissionId(id)) return undefined;
  const sent = sentTexts(fields.filter(([, , file]) => !file));
  return links.isResubmission(id, sent, signature) ? id : undefined;
}
