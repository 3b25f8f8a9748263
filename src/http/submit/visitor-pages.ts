import type { ServerResponse } from 'node:http';
import type { LiveForm } from '../../db/submissions/form-queries.ts';
import type { Closing } from '../../db/submissions/store-submissions.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { AnsweringForm } from '../../submissions/outcomes.ts';
import { fill } from '../../texts/fill.ts';
import type { App } from '../app.ts';
import type { Exchange } from '../request/exchange.ts';
import { type HttpError, isProblemWanted, methodNotAllowed, varyByAccept, writeError } from '../response/errors.ts';
import { writeSmallPage } from '../response/small-page.ts';
import { type Translations, translationsFor } from '../response/translations.ts';
import { Destinations } from './destinations.ts';
import type { Fields } from './form-body.ts';
import { closedWords, countdown, exceededBy, ofOwnerText, refusalWords } from './refusal-words.ts';
import { formSuspended, noSuchForm, type Refusal } from './refusals.ts';
import { type ChangedNumber, lostFilesOf, resubmitForm } from './resubmit-form.ts';
import type { Visitor } from './visitor.ts';
import { WAIT_SCRIPT } from './wait-script.ts';

/** A form that is kept, in HTML. `isAuto`: the page sends it by itself. */
type Kept = { html: string; isAuto: boolean };

type Headers = Readonly<Record<string, string>>;

/** The methods of POST /submit/:deployId. */
const ALLOWED = 'OPTIONS, POST';

/** Refusals after which the same form can be accepted, later or without its files. */
const SENT_AGAIN: ReadonlySet<Refusal['kind']> = new Set([
  ...(['closed', 'rate-limited', 'unavailable', 'failed'] as const),
  ...(['files-refused', 'storage-full'] as const),
]);

/**
 * The number that a visitor has to change for a form to be accepted: more places were asked for than are left. 'unknown': which field
 * has it is not known, so that the same form would only be refused again.
 */
function numberToChange({ page, fields = [] }: Visitor, refusal: Refusal): ChangedNumber | 'unknown' | undefined {
  if (refusal.kind !== 'closed' || refusal.closing.reason !== 'too-few-places') return undefined;
  const name = page?.placesField ?? undefined;
  if (name === undefined || !fields.some(([field]) => field === name)) return 'unknown';
  return { name, max: refusal.closing.left };
}

/** Returns why visitors do not see the page of a form: there is none, or its owner is suspended. */
function whyNoPage(form: LiveForm | 'absent' | undefined): HttpError | undefined {
  if (form === 'absent') return noSuchForm();
  return form?.isSuspended ? formSuspended() : undefined;
}

const paragraph = (...sentences: string[]): string => `<p>${sentences.join('')}</p>`;

/** Answers visitors: redirects after a success, and pages in their language. */
export class VisitorPages {
  readonly #app: Pick<App, 'config' | 'limits' | 'requests' | 'submissions'>;
  readonly #destinations: Destinations;
  /** Characters of the forms in error pages that are being sent. */
  #keptChars = 0;

  constructor(app: Pick<App, 'config' | 'limits' | 'requests' | 'submissions'>) {
    this.#app = app;
    this.#destinations = new Destinations(app);
  }

  /**
   * The answer to a success, and to a filled-in honeypot: a redirect to `_redirect`, else to where the form's rules say,
   * else to the page that thanks.
   */
  redirect(response: ServerResponse, visitor: Visitor, form: AnsweringForm, headers: Headers): void {
    const location = this.#destinations.locationOf(response.req, visitor, form);
    response.writeHead(303, { ...headers, Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' });
    response.end();
  }

  /** The page that a visitor sees after a success. */
  async thank(response: ServerResponse, deploymentId: string, headers: Headers): Promise<void> {
    const found = await this.#app.submissions.forms.get(deploymentId).then(
      (form) => form ?? 'absent',
      () => undefined,
    );
    const error = whyNoPage(found);
    const page = error || found === 'absent' ? undefined : found;
    const all = { ...headers, ...(error && varyByAccept(response, error)) };
    if (error && isProblemWanted(error, response.req.headers)) {
      writeError(response, error, all, this.#app);
      return;
    }
    const translations = translationsFor(response.req.headers, page);
    const { title, text } = error ? translations.unavailable : translations.thanks;
    const message = page?.rules.thanksMessage ?? null;
    const content = `${paragraph(message === null ? text : ofOwnerText(message))}${error ? '' : this.#destinations.linkBack(response.req, page?.slug, translations)}`;
    const shown = { translations, sign: error ? 'problem' : 'done', title, content, look: page?.look } as const;
    writeSmallPage(response, error?.status ?? 200, shown, { ...error?.headers, ...all }, this.#app.limits);
  }

  /** The answer to a refusal, with the status and headers of its error. */
  refuse(
    response: ServerResponse,
    visitor: Visitor,
    { refusal, error }: { refusal: Refusal; error: HttpError },
    headers: Headers,
  ): void {
    const { slug, page, fields = [] } = visitor;
    const translations = translationsFor(response.req.headers, page);
    const { sign, title, sentences, isFinal } = refusalWords(refusal, { error, fields, translations });
    const kept = this.#keep(response, visitor, refusal, translations);
    const isWaiting = refusal.kind === 'rate-limited';
    const counted = isWaiting ? countdown(error, kept?.isAuto === true, translations) : '';
    const back = this.#destinations.linkBack(response.req, slug, translations);
    const advice = isFinal ? '' : `\n${kept?.html ?? paragraph(translations.goBack)}${back}`;
    const content = `${paragraph(sentences.join(translations.gap), counted)}${advice}`;
    // Browsers apply form-action to the redirect that follows the form, too. Where that leads may not be known.
    const destinations = page ? this.#destinations.after(response.req, visitor, page) : ['http:', 'https:'];
    const formAction = kept === undefined ? undefined : ["'self'", ...destinations].join(' ');
    const script = isWaiting ? WAIT_SCRIPT : undefined;
    const shown = { translations, sign, title, content, look: page?.look, script, formAction };
    writeSmallPage(response, error.status, shown, { ...error.headers, ...headers }, this.#app.limits);
  }

  /** The answer to a form without method="post", which arrives as a GET. */
  async refuseGet(
    { response, requestId }: Pick<Exchange, 'response' | 'requestId'>,
    deploymentId: string,
  ): Promise<void> {
    const page = await this.#app.submissions.forms.getShown(deploymentId).catch(() => undefined);
    const translations = translationsFor(response.req.headers, page);
    const { title, text, owner } = translations.wrongForm;
    const code = (source: string): string => `<code dir="ltr">${escapeHtml(source)}</code>`;
    const content = [
      paragraph(text, translations.gap, translations.nothingSent) +
        this.#destinations.linkBack(response.req, page?.slug, translations, ' class="button"'),
      `<p class="note">${fill(owner, { attribute: code('method="post"'), tag: code('<form>') })}</p>`,
    ].join('\n');
    const error = methodNotAllowed(ALLOWED);
    // Its own address has what was filled in.
    const all = {
      ...{ ...error.headers, 'Referrer-Policy': 'no-referrer' },
      ...{ 'x-request-id': requestId, ...varyByAccept(response, error) },
    };
    const shown = { translations, sign: 'problem', title, content, look: page?.look } as const;
    writeSmallPage(response, error.status, shown, all, this.#app.limits);
  }

  /** Answers in place of a page that says itself that its form is closed. */
  async sayClosed({ response, requestId }: Exchange, deploymentId: string, closing: Closing): Promise<void> {
    const page = await this.#app.submissions.forms.getShown(deploymentId).catch(() => undefined);
    const translations = translationsFor(response.req.headers, page);
    const { title, sentences } = closedWords(closing, page?.rules.closedMessage ?? null, translations);
    const content = paragraph(sentences.join(translations.gap));
    const shown = { translations, sign: 'problem', title, content, look: page?.look } as const;
    writeSmallPage(response, 403, shown, { 'x-request-id': requestId }, this.#app.limits);
  }

  /** The form, to be sent again; undefined when it is not known, or too much of other visitors is kept already. */
  #keep(response: ServerResponse, visitor: Visitor, refusal: Refusal, translations: Translations): Kept | undefined {
    const { enctype, fields, resubmission } = visitor;
    const changed = numberToChange(visitor, refusal);
    const isAccepted = SENT_AGAIN.has(refusal.kind) && changed !== 'unknown';
    const isKept = isAccepted && fields && resubmission && this.#reserve(response, fields);
    if (!isKept) return undefined;
    const form = { ...resubmission, enctype, fields, exceeded: exceededBy(refusal), changed };
    const hasLost = lostFilesOf(form).size > 0;
    // Only the visitor can choose files again.
    const kept = { ...form, isAuto: refusal.kind === 'rate-limited' && !hasLost };
    const note = hasLost ? [translations.gap, translations.filesNotKept] : [];
    const html = `${paragraph(translations.kept, ...note)}\n${resubmitForm(kept, translations)}`;
    return { html, isAuto: kept.isAuto };
  }

  /** Counts the characters of a form until the answer is closed; whether there is room for them. */
  #reserve(response: ServerResponse, fields: Fields): boolean {
    const chars = fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    const isFull = this.#keptChars + chars > this.#app.limits.submissions.maxKeptFormChars;
    if (response.closed || isFull) return false;
    this.#keptChars += chars;
    response.once('close', () => {
      this.#keptChars -= chars;
    });
    return true;
  }
}
