import type { IncomingMessage, ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import { escapeHtml } from '../html.ts';
import type { HttpError } from './errors.ts';
import type { Field, Form } from './form-body.ts';
import { writeSmallPage } from './small-page.ts';

/** Somebody whose browser shows what the form that it has sent is answered. What is known of it grows on the way. */
export type Visitor = {
  /** How the form was sent: its content type without parameters. */
  enctype: string;
  /** Whose page the form is on. */
  slug: string | undefined;
  /** What was filled in. */
  form: Form | undefined;
};

type Headers = Readonly<Record<string, string>>;

export type VisitorPages = {
  /** The answer to a submission that was taken, or looks so: a page, or where `_redirect` leads. */
  thank(response: ServerResponse, visitor: Visitor, headers: Headers): void;
  /** The answer to one that was not, in the error's status and with its headers. */
  refuse(response: ServerResponse, visitor: Visitor, error: HttpError, headers: Headers): void;
};

const FORM_ENCODED = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?=[\t ]*(?:;|$))/i;
const REDIRECT = '_redirect';
const MAX_REDIRECT = 2_048;
// Of what was filled in, in the pages that are on their way to visitors; escaped it can be six times as long.
const MAX_KEPT_CHARS = 16 * 1024 * 1024;

const GO_BACK = '<p>Go back in your browser: what you filled in should still be there.</p>';

/** The visitor of a request that posts a form as a browser does when it goes to a page: its Accept names text/html. */
export function visitorOf({ method, headers }: IncomingMessage): Visitor | undefined {
  if (method !== 'POST') return undefined;
  const [enctype] = FORM_ENCODED.exec(headers['content-type'] ?? '') ?? [];
  const { accept } = headers;
  if (enctype === undefined || accept === undefined) return undefined;
  // In lower case as media types are alike in any (RFC 9110, 8.3.1); the list is of those that it names with a q above 0.
  const named = new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes();
  return named.includes('text/html') ? { enctype: enctype.toLowerCase(), slug: undefined, form: undefined } : undefined;
}

/** Where a form's `_redirect` leads from its page, given once and within the page's own origin; else undefined. */
export function redirectWithin(pageUrl: string, fields: readonly Field[]): string | undefined {
  const [field, ...more] = fields.filter(([name]) => name === REDIRECT);
  const value = field?.[1] ?? '';
  if (value.trim() === '' || more.length > 0 || /[\\\p{Cc}]/u.test(value)) return undefined;
  // As text: an origin says nothing of a user and a password, and that of a blob: is its maker's.
  const href = URL.parse(value, pageUrl)?.href ?? '';
  return href.startsWith(new URL(pageUrl).href) && href.length <= MAX_REDIRECT ? href : undefined;
}

/** A form with what was filled in, hidden: one click sends it again, to the address that it is the answer of. */
function keptForm(enctype: string, { fields }: Form): string {
  // Textareas, as a hidden input named _charset_ is not sent as it is. HTML knows no NUL, and drops a first line break.
  const controls = fields.map(([name, value]) =>
    `<textarea name="${escapeHtml(name)}" hidden>\n${escapeHtml(value)}</textarea>`.replaceAll('\0', '\uFFFD'),
  );
  return `<form method="post" enctype="${enctype}" autocomplete="off">\n${controls.join('\n')}\n<button>Send it again</button>\n</form>`;
}

/** When to try again, as Retry-After has it. */
function inSeconds({ headers }: HttpError): string {
  const seconds = headers['Retry-After'];
  if (seconds === undefined) return 'in a moment';
  return seconds === '1' ? 'in 1 second' : `in ${seconds} seconds`;
}

function words(error: HttpError): { title: string; text: string } {
  switch (error.status) {
    case 404:
      return {
        title: 'There is no such form',
        text: 'The page that it belongs to is not online. Nothing has been sent.',
      };
    case 413:
      return { title: 'This is too large to send', text: error.message };
    case 429:
      return {
        title: 'Please wait a moment',
        text: `This form has been sent as often as it can be for now. Try again ${inSeconds(error)}.`,
      };
    case 503:
      return { title: 'This cannot be sent just now', text: `The service is busy. Try again ${inSeconds(error)}.` };
    case 500:
      return { title: 'Something went wrong', text: `The fault is not yours. Try again ${inSeconds(error)}.` };
    default:
      return { title: 'This could not be sent', text: error.message };
  }
}

/** `urlOf`: a page's origin by its slug. */
export function createVisitorPages(urlOf: (slug: string) => string): VisitorPages {
  let keptChars = 0;

  const wayBack = ({ slug }: Visitor): string =>
    slug === undefined ? '' : `\n<p><a href="${escapeHtml(urlOf(slug))}/">Back to the page</a></p>`;

  /** What was filled in, to be sent again; undefined when it is not known, or other visitors' takes all the room. */
  function keep(response: ServerResponse, { enctype, form }: Visitor): string | undefined {
    if (!form || response.closed) return undefined;
    const chars = form.fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (keptChars + chars > MAX_KEPT_CHARS) return undefined;
    keptChars += chars;
    response.once('close', () => {
      keptChars -= chars;
    });
    const files = form.hasFiles ? ' Files are not: to send them too, go back and choose them again.' : '';
    return `<p>What you filled in is kept.${files}</p>\n${keptForm(enctype, form)}`;
  }

  return {
    thank(response, visitor, headers) {
      const { slug, form } = visitor;
      const location = slug !== undefined && form ? redirectWithin(urlOf(slug), form.fields) : undefined;
      if (location !== undefined) {
        response.writeHead(303, { ...headers, Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' });
        response.end();
        return;
      }
      const content = `<p>What you sent has arrived.</p>${wayBack(visitor)}`;
      writeSmallPage(response, 200, { title: 'Thank you', content }, headers);
    },
    refuse(response, visitor, error, headers) {
      const { status } = error;
      const { title, text } = words(error);
      const kept = status === 429 || status >= 500 ? keep(response, visitor) : undefined;
      const advice = status === 404 ? '' : `\n${kept ?? GO_BACK}${wayBack(visitor)}`;
      const content = `<p>${escapeHtml(text)}</p>${advice}`;
      // Browsers hold a redirect that follows a form to this as well.
      const formAction = kept === undefined ? undefined : `'self' ${urlOf(visitor.slug ?? '*')}`;
      writeSmallPage(response, status, { title, content, formAction }, { ...error.headers, ...headers });
    },
  };
}
