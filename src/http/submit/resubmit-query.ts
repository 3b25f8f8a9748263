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
/** The page that has sent the form first, whose site the visitor returns to. */
const PAGE_PARAMETER = 'from';

/**
 * The texts that were filled in, without files, which may be chosen again, and without what browsers change: line
 * breaks, NUL, fields without a name. `page`: that with the form, or empty.
 */
function sentTexts(texts: Fields, page: string): string {
  const sent = texts
    .filter(([name]) => name !== '')
    .map(([name, value]) => [name, value].map((text) => text.replaceAll(/[\r\n\0\uFFFD]/g, '')));
  return JSON.stringify(sent) + page;
}

/**
 * The query of the address to which an error page sends a form again. `id`: that of the submission. `asked`: the names of
 * the files that the page asks for; it sends each other input for files as an empty text. `page`: the one with the form.
 */
export function resubmitQuery(
  id: string,
  fields: Fields,
  asked: { has(name: string): boolean },
  links: Pick<SignedLinks, 'resubmission'>,
  page = '',
): string {
  const texts = fields.filter(([name, , file]) => !file || !asked.has(name));
  const query = `?${PARAMETER}=${id}.${links.resubmission(id, sentTexts(texts, page))}`;
  return page === '' ? query : `${query}&${PAGE_PARAMETER}=${encodeURIComponent(page)}`;
}

/**
 * The id under which a form was sent first, and the page that sent it, when the request has the `resubmitQuery` of it. An id that was not made recently
 * is ignored. So is the id of another form: a visitor may fill in the same page's form once more.
 */
export function firstSent(
  { url = '', headers }: IncomingMessage,
  fields: Fields | undefined,
  links: Pick<SignedLinks, 'isResubmission'>,
): { id: string; page: string | undefined } | undefined {
  const query = url.indexOf('?');
  if (query < 0 || !fields || headers[KEY_HEADER] !== undefined) return undefined;
  const parameters = new URLSearchParams(url.slice(query));
  const [first = '', ...more] = parameters.getAll(PARAMETER);
  const page = parameters.get(PAGE_PARAMETER) ?? '';
  const [id = '', signature] = first.split('.');
  if (more.length > 0 || !isRecentSubmissionId(id)) return undefined;
  const texts = fields.filter(([, , file]) => !file);
  return links.isResubmission(id, sentTexts(texts, page), signature) ? { id, page: page || undefined } : undefined;
}

/** The path and the query of a request; only the path of one to which `resubmitQuery` has given its query. */
export function withoutAttempt({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const { pathname, searchParams } = new URL(url, 'http://page.invalid');
  return searchParams.has(PARAMETER) ? pathname : url;
}
