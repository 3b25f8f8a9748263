import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRecentSubmissionId } from '../../lib/ids.ts';
import type { Form } from './form-body.ts';
import { KEY_HEADER } from './idempotency-key.ts';

/*
 * An error page has a form that sends the same submission again. Its address names the first attempt, so that the
 * submission is stored once.
 */

const ATTEMPT = 'attempt';

/**
 * A digest of what was filled in, without files, which may be chosen again, and without what browsers change: line
 * breaks, NUL, fields without a name.
 */
function digestOf(texts: Form): string {
  const sent = texts
    .filter(([name]) => name !== '')
    .map(([name, value]) => [name, value].map((text) => text.replaceAll(/[\r\n\0\uFFFD]/g, '')));
  return createHash('sha256').update(JSON.stringify(sent)).digest('base64url');
}

/**
 * The query of the address to which an error page sends a form again. `id`: that of the submission. `asked`: the names of
 * the files that the page asks for; it sends each other input for files as an empty text.
 */
export const attemptQuery = (id: string, form: Form, asked: { has(name: string): boolean }): string =>
  `?${ATTEMPT}=${id}.${digestOf(form.filter(([name, , file]) => !file || !asked.has(name)))}`;

/**
 * The id of a form's first attempt, when the request has the `attemptQuery` of it. Anybody can send one: an id that was
 * not made recently is ignored. So is the id of another form: a visitor may fill in the same page's form once more.
 */
export function attemptOf({ url = '', headers }: IncomingMessage, form: Form | undefined): string | undefined {
  const query = url.indexOf('?');
  if (query < 0 || !form || headers[KEY_HEADER] !== undefined) return undefined;
  const [attempt = '', ...more] = new URLSearchParams(url.slice(query)).getAll(ATTEMPT);
  // Pages of an earlier version have more parts behind these.
  const [id = '', digest] = attempt.split('.');
  if (more.length > 0 || !isRecentSubmissionId(id)) return undefined;
  return digest === digestOf(form.filter(([, , file]) => !file)) ? id : undefined;
}
