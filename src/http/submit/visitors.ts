import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LiveForm } from '../../db/submissions/forms.ts';
import { DELIVERY_HEADER } from '../../lib/delivery-header.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { Limits } from '../../limits.ts';
import { namesHtml } from '../response/accept.ts';
import { HttpError, methodNotAllowed } from '../response/errors.ts';
import { writeSmallPage } from '../response/small-page.ts';
import { type Speech, translationsFor, whenToTryAgain } from '../response/translations.ts';
import { type Form, isChosen } from './form-body.ts';
import { FilesRefused } from './multipart.ts';
import { OriginRefused } from './origin-refused.ts';
import { redirectWithin } from './redirect.ts';
import { resubmitForm, shownName } from './resubmit-form.ts';
import { attemptOf, type FileInput, fileInputsOf } from './sent-again.ts';

/** A person whose browser shows the answer to the form that it sent, and what is known of the form. */
export type Visitor = {
  /** How the form was sent: its content type without parameters. */
  readonly enctype: string;
  /** Whether the form was posted to the host of its own page. */
  readonly isOnPage: boolean;
  /** The slug of the page that the form is on. */
  readonly slug: string | undefined;
  /** That page, which has a language. */
  readonly page: LiveForm | undefined;
  readonly form: Form | undefined;
  /** The submission's id, which it keeps when the form is sent again. */
  readonly attempt: string | undefined;
};

type Headers = Readonly<Record<string, string>>;

export type VisitorPages = {
  /**
   * The answer to a success, and to a filled-in honeypot: a redirect to `_redirect`, else to where the form's rules
   * say, else to the page that thanks.
   */
  redirect(response: ServerResponse, visitor: Visitor, form: LiveForm, headers: Headers): void;
  /** The page that a visitor sees after a success. 'absent': there is no such form; undefined: it is not known. */
  thank(response: ServerResponse, page: LiveForm | 'absent' | undefined, headers: Headers): void;
  /** The answer to a refusal, with the error's status and headers. */
  refuse(response: ServerResponse, visitor: Visitor, error: HttpError, headers: Headers): void;
  /** The answer to a form without method="post", which arrives as a GET. */
  refuseGet(response: ServerResponse, page: LiveForm | undefined, headers: Headers): void;
};

/** The path of the page that thanks, on the host of a page. */
export const THANKS = '/thanks';
/** What POST /submit/:deployId allows. */
const ALLOWED = 'OPTIONS, POST';

const FORM_ENCODED = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?=[\t ]*(?:;|$))/i;

/**
 * The visitor, when the request posts a form as a browser does that shows the answer: its Accept names text/html. A
 * webhook's delivery never has one. `slug`: that of the page to whose own address the form is posted.
 */
export function visitorOf({ method, headers }: IncomingMessage, slug: string | undefined): Visitor | undefined {
  if (method !== 'POST') return undefined;
  const [enctype] = FORM_ENCODED.exec(headers['content-type'] ?? '') ?? [];
  if (enctype === undefined || headers[DELIVERY_HEADER] !== undefined || !namesHtml(headers)) return undefined;
  const isOnPage = slug !== undefined;
  return { enctype: enctype.toLowerCase(), isOnPage, slug, page: undefined, form: undefined, attempt: undefined };
}

const paragraph = (...sentences: string[]): string => `<p>${sentences.join('')}</p>`;

/** Sentences about the files that were refused, with their names where these say more. */
function aboutFiles({ exceeded: { kind, limit }, form }: FilesRefused, speech: Speech): string[] {
  const { file, files, fileCount, noFiles } = speech.tooLarge;
  if (limit === 0) return [noFiles];
  if (kind === 'count') return [fileCount(speech.number(limit))];
  if (kind === 'files') return [files(speech.size(limit))];
  return form.flatMap(([name, , sent]) =>
    sent && isChosen(sent) && sent.size > limit ? [file(shownName(sent.filename || name), speech.size(limit))] : [],
  );
}

type Words = { sign: 'wait' | 'problem'; title: string; sentences: readonly string[] };

function wordsOf(error: HttpError, speech: Speech): Words {
  const say = ({ title, text }: { title: string; text: string }, ...more: string[]): Words => ({
    sign: 'problem',
    title,
    sentences: [text, ...more],
  });
  const { tooLarge } = speech;
  if (error instanceof OriginRefused) {
    return say(speech.wrongSite, speech.wrongSite.owner(escapeHtml(error.origin)), speech.nothingSent);
  }
  switch (error.status) {
    case 404:
      return say(speech.unavailable, speech.nothingSent);
    case 408:
      return say(speech.slow, speech.tryAgainSoon);
    case 413:
      if (!(error instanceof FilesRefused)) return say(tooLarge);
      return { sign: 'problem', title: tooLarge.title, sentences: aboutFiles(error, speech) };
    case 429:
      return { ...say(speech.full, whenToTryAgain(error, speech)), sign: 'wait' };
    case 503:
      return { ...say(speech.busy, whenToTryAgain(error, speech)), sign: 'wait' };
    case 500:
      return say(speech.failed, whenToTryAgain(error, speech));
    default:
      return say(speech.notSent, speech.nothingSent);
  }
}

/** Origins besides the page's own that the answer to its form may lead to. */
const destinationsOf = ({ rules: { redirectUrl, allowedOrigins } }: LiveForm): readonly string[] =>
  redirectUrl === null ? allowedOrigins : [new URL(redirectUrl).origin, ...allowedOrigins];

/** `urlOf`: a page's origin by its slug. */
export function createVisitorPages(urlOf: (slug: string) => string, limits: Limits): VisitorPages {
  let keptChars = 0;

  const linkBack = (slug: string | undefined, speech: Speech): string =>
    slug === undefined ? '' : `\n<p><a href="${escapeHtml(urlOf(slug))}/">${speech.back}</a></p>`;

  /** Counts the characters of a form until the answer is closed; whether there is room for them. */
  function reserve(response: ServerResponse, form: Form): boolean {
    const chars = form.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    if (response.closed || keptChars + chars > limits.submissions.maxKeptFormChars) return false;
    keptChars += chars;
    response.once('close', () => {
      keptChars -= chars;
    });
    return true;
  }

  /** The form, to be sent again; undefined when it is not known, or too much of other visitors is kept already. */
  function keep(
    response: ServerResponse,
    { enctype, form, attempt }: Visitor,
    error: HttpError,
    speech: Speech,
  ): string | undefined {
    const mayBeSentAgain = error.status === 429 || error.status >= 500 || error instanceof FilesRefused;
    if (!mayBeSentAgain || !form || attempt === undefined || !reserve(response, form)) return undefined;
    const refused = error instanceof FilesRefused ? error.exceeded : undefined;
    const acceptsFiles = refused?.limit !== 0;
    const inputs = fileInputsOf(form, attemptOf(response.req, form)).map(
      (input): FileInput => ({ ...input, isLost: input.isLost && acceptsFiles }),
    );
    const note = inputs.some(({ isLost }) => isLost) ? [speech.gap, speech.filesNotKept] : [];
    const maxFileBytes = refused?.kind === 'file' ? refused.limit : undefined;
    const kept = { enctype, form, inputs, attempt, isChanged: refused !== undefined, maxFileBytes };
    return `${paragraph(speech.kept, ...note)}\n${resubmitForm(kept, speech)}`;
  }

  const languageOf = ({ req: { headers } }: ServerResponse, page: LiveForm | undefined): Speech =>
    translationsFor(headers, page);

  /** There is no such form, or no longer. */
  function writeAbsent(response: ServerResponse, speech: Speech, headers: Headers): void {
    const { sign, title, sentences } = wordsOf(new HttpError(404, ''), speech);
    const [text = ''] = sentences;
    writeSmallPage(response, 404, { speech, sign, title, content: paragraph(text) }, headers, limits);
  }

  return {
    redirect(response, { form, isOnPage }, { deploymentId, slug, rules }, headers) {
      const chosen = form && redirectWithin(urlOf(slug), rules.allowedOrigins, form);
      const configured = rules.redirectUrl === null ? undefined : new URL(rules.redirectUrl).href;
      const location = chosen ?? configured ?? (isOnPage ? THANKS : `/submit/${deploymentId}${THANKS}`);
      response.writeHead(303, { ...headers, Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' });
      response.end();
    },
    thank(response, page, headers) {
      const known = page === 'absent' ? undefined : page;
      const speech = languageOf(response, known);
      if (page === 'absent') return writeAbsent(response, speech, headers);
      const { title, text } = speech.thanks;
      const content = `${paragraph(text)}${linkBack(known?.slug, speech)}`;
      writeSmallPage(response, 200, { speech, sign: 'done', title, content }, headers, limits);
    },
    refuse(response, visitor, error, headers) {
      const { status } = error;
      const { slug, page } = visitor;
      const speech = languageOf(response, page);
      const { sign, title, sentences } = wordsOf(error, speech);
      const kept = keep(response, visitor, error, speech);
      const advice = status === 404 ? '' : `\n${kept ?? paragraph(speech.goBack)}${linkBack(slug, speech)}`;
      const content = `${paragraph(sentences.join(speech.gap))}${advice}`;
      // Browsers apply form-action to the redirect that follows the form, too. Where that leads may not be known.
      const destinations = page ? [urlOf(page.slug), ...destinationsOf(page)] : ['http:', 'https:'];
      const formAction = kept === undefined ? undefined : ["'self'", ...destinations].join(' ');
      const shown = { speech, sign, title, content, isLong: kept !== undefined, formAction };
      writeSmallPage(response, status, shown, { ...error.headers, ...headers }, limits);
    },
    refuseGet(response, page, headers) {
      const speech = languageOf(response, page);
      const { title, text, owner } = speech.wrongForm;
      const code = (source: string): string => `<code dir="ltr">${escapeHtml(source)}</code>`;
      const content = [
        paragraph(text, speech.gap, speech.nothingSent) + linkBack(page?.slug, speech),
        `<p class="note">${owner(code('method="post"'), code('<form>'))}</p>`,
      ].join('\n');
      const error = methodNotAllowed(ALLOWED);
      // Its own address has what was filled in.
      const noReferrer = { 'Referrer-Policy': 'no-referrer' };
      const all = { ...error.headers, ...noReferrer, ...headers };
      writeSmallPage(response, error.status, { speech, sign: 'problem', title, content, isLong: true }, all, limits);
    },
  };
}
