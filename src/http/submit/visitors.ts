import type { IncomingMessage, ServerResponse } from 'node:http';
import { DELIVERY_HEADER } from '../../delivery-header.ts';
import { escapeHtml } from '../../html.ts';
import { namesHtml } from '../accept.ts';
import type { HttpError } from '../errors.ts';
import { writeSmallPage } from '../small-page.ts';
import type { Form } from './form-body.ts';
import { redirectWithin } from './redirect.ts';
import { attemptQuery } from './sent-again.ts';

/** A person whose browser shows the answer to the form that it sent, and what is known of the form. */
export type Visitor = {
  /** How the form was sent: its content type without parameters. */
  readonly enctype: string;
  /** The slug of the page that the form is on. */
  readonly slug: string | undefined;
  readonly form: Form | undefined;
  /** The submission's id, which it keeps when the form is sent again. */
  readonly attempt: string | undefined;
};

type Headers = Readonly<Record<string, string>>;

export type VisitorPages = {
  /** The answer to a success, and to a filled-in honeypot: a page, or a redirect to `_redirect`. */
  thank(response: ServerResponse, visitor: Visitor, headers: Headers): void;
  /** The answer to a refusal, with the error's status and headers. */
  refuse(response: ServerResponse, visitor: Visitor, error: HttpError, headers: Headers): void;
};

const FORM_ENCODED = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?=[\t ]*(?:;|$))/i;
/** Characters of the forms in error pages that are being sent. Escaped, they can be six times as long. */
export const MAX_KEPT_CHARS = 16 * 1024 * 1024;

const GO_BACK = '<p>Go back in your browser: what you filled in should still be there.</p>';

/**
 * The visitor, when the request posts a form as a browser does that shows the answer: its Accept names text/html. A
 * webhook's delivery never has one. `slug`: that of the page to whose own address the form is posted.
 */
export function visitorOf({ method, headers }: IncomingMessage, slug: string | undefined): Visitor | undefined {
  if (method !== 'POST') return undefined;
  const [enctype] = FORM_ENCODED.exec(headers['content-type'] ?? '') ?? [];
  if (enctype === undefined || headers[DELIVERY_HEADER] !== undefined || !namesHtml(headers)) return undefined;
  return { enctype: enctype.toLowerCase(), slug, form: undefined, attempt: undefined };
}

/** A form whose hidden fields contain what was filled in. One click sends it again, as the same submission. */
function keptForm(enctype: string, form: Form, attempt: string): string {
  // Textareas, because browsers change a hidden input named _charset_. HTML has no NUL, and drops a first line break.
  const controls = form.fields.map(([name, value]) =>
    `<textarea name="${escapeHtml(name)}" hidden>\n${escapeHtml(value)}</textarea>`.replaceAll('\0', '\uFFFD'),
  );
  return `<form method="post" action="${attemptQuery(attempt, form)}" enctype="${enctype}" autocomplete="off">\n${controls.join('\n')}\n<button>Send it again</button>\n</form>`;
}

/** When to try again, from Retry-After. */
function inSeconds({ headers }: HttpError): string {
  const seconds = headers['Retry-After'];
  if (seconds === undefined) return 'in a moment';
  return seconds === '1' ? 'in 1 second' : `in ${seconds} seconds`;
}

function words(error: HttpError): { title: string; text: string } {
  switch (error.status) {
    case 404:
      return {
        title: 'This form is not available',
        text: 'The page that it belongs to is not online. Nothing was sent.',
      };
    case 413:
      return { title: 'This is too large to send', text: error.message };
    case 429:
      return {
        title: 'Please wait a moment',
        text: `This form has received many submissions. Try again ${inSeconds(error)}.`,
      };
    case 503:
      return { title: 'This could not be sent right now', text: `The service is busy. Try again ${inSeconds(error)}.` };
    case 500:
      return { title: 'Something went wrong', text: `This is not your fault. Try again ${inSeconds(error)}.` };
    default:
      return { title: 'This could not be sent', text: error.message };
  }
}

/** `urlOf`: a page's origin by its slug. */
export function createVisitorPages(urlOf: (slug: string) => string): VisitorPages {
  let keptChars = 0;

  const linkBack = ({ slug }: Visitor): string =>
    slug === undefined ? '' : `\n<p><a href="${escapeHtml(urlOf(slug))}/">Back to the page</a></p>`;

  /** The form, to be sent again; undefined when it is not known, or too much of other visitors is kept already. */
  function keep(response: ServerResponse, { enctype, form, attempt }: Visitor): string | undefined {
    if (!form || attempt === undefined || response.closed) return undefined;
    const chars = form.fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (keptChars + chars > MAX_KEPT_CHARS) return undefined;
    keptChars += chars;
    response.once('close', () => {
      keptChars -= chars;
    });
    const files = form.hasFiles ? ', except files: to send them too, go back and choose them again' : '';
    return `<p>What you filled in has been kept${files}.</p>\n${keptForm(enctype, form, attempt)}`;
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
      const content = `<p>Your form has been sent.</p>${linkBack(visitor)}`;
      writeSmallPage(response, 200, { title: 'Thank you', content }, headers);
    },
    refuse(response, visitor, error, headers) {
      const { status } = error;
      const { title, text } = words(error);
      const kept = status === 429 || status >= 500 ? keep(response, visitor) : undefined;
      const advice = status === 404 ? '' : `\n${kept ?? GO_BACK}${linkBack(visitor)}`;
      const content = `<p>${escapeHtml(text)}</p>${advice}`;
      // Browsers apply form-action to the redirect that follows the form, too.
      const formAction = kept === undefined ? undefined : `'self' ${urlOf(visitor.slug ?? '*')}`;
      writeSmallPage(response, status, { title, content, formAction }, { ...error.headers, ...headers });
    },
  };
}
