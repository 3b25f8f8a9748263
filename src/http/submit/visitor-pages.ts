import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pageUrl } from '../../config.ts';
import type { LiveForm } from '../../db/submissions/form-queries.ts';
import type { Closing } from '../../db/submissions/store-submissions.ts';
import { isWebOrigin, refererUrl, sendingPage } from '../../forms/origins.ts';
import { DELIVERY_HEADER } from '../../lib/events.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { AnsweringForm } from '../../submissions/outcomes.ts';
import { fill } from '../../texts/fill.ts';
import type { App } from '../app.ts';
import type { Exchange } from '../request/exchange.ts';
import type { FormAddress } from '../request/form-address.ts';
import { pathOf } from '../request/hosts.ts';
import type { RequestContext, SitePaths } from '../request/request-context.ts';
import { namesHtml } from '../response/accept.ts';
import { type HttpError, isProblemWanted, methodNotAllowed, varyByAccept, writeError } from '../response/errors.ts';
import { writeSmallPage } from '../response/small-page.ts';
import { type Translations, translationsFor } from '../response/translations.ts';
import type { Fields } from './form-body.ts';
import { redirectOf, redirectOnSite, redirectWithin } from './redirect.ts';
import { closedWords, countdown, exceededBy, ofOwnerText, refusalWords } from './refusal-words.ts';
import { noSuchForm, type Refusal } from './refusals.ts';
import { type ChangedNumber, lostFilesOf, type Resubmission, resubmitForm } from './resubmit-form.ts';
import { withoutAttempt } from './resubmit-query.ts';
import { WAIT_SCRIPT } from './wait-script.ts';

/** A person whose browser shows the answer to the form that it sent, and what is known of the form. */
export type Visitor = {
  /** How the form was sent: its content type without parameters. */
  readonly enctype: string;
  /** True if the form was posted to the host of its own page. */
  readonly isOnPage: boolean;
  /** The slug of the page that the form is on. */
  readonly slug: string | undefined;
  /** That page, which has a language. */
  readonly page?: LiveForm | undefined;
  readonly fields?: Fields | undefined;
  /** The id of the submission. */
  readonly id?: string | undefined;
  /** The URL of the page that sent the form first, where an error page has sent it again. */
  readonly sentFrom?: string | undefined;
  /** The site to one of whose pages the form was posted. */
  readonly site?: SitePaths | undefined;
  /** The identity with which the form is sent again; undefined if it can't be. */
  readonly resubmission?: Resubmission | undefined;
};

/** A form that is kept, in HTML. `isAuto`: the page sends it by itself. */
type Kept = { html: string; isAuto: boolean };

type Headers = Readonly<Record<string, string>>;

/** The path of the page that thanks, on the host of a page. */
export const THANKS = '/thanks';
/** The methods of POST /submit/:deployId. */
const ALLOWED = 'OPTIONS, POST';

const FORM_ENCODED = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)(?=[\t ]*(?:;|$))/i;

/** Returns whether a form made for another service is answered as a script of that service expects. */
const isOfForeignScript = (headers: IncomingHttpHeaders, address: FormAddress): boolean =>
  // jQuery accepts HTML too, and says that a script asks.
  address === 'foreign-json' || (address === 'foreign' && headers['x-requested-with'] !== undefined);

/**
 * The visitor, when the request posts a form as a browser does that shows the answer: its Accept names text/html. A
 * webhook's delivery never has one. `slug`: that of the page to whose own address the form is posted.
 */
export function visitorOf(
  { method, headers }: IncomingMessage,
  {
    slug,
    formAddress = 'submit',
    site,
  }: Pick<Exchange, 'slug'> & Partial<Pick<RequestContext, 'formAddress' | 'site'>>,
): Visitor | undefined {
  if (method !== 'POST') return undefined;
  const [enctype] = FORM_ENCODED.exec(headers['content-type'] ?? '') ?? [];
  if (enctype === undefined || headers[DELIVERY_HEADER] !== undefined || !namesHtml(headers)) return undefined;
  if (isOfForeignScript(headers, formAddress)) return undefined;
  return { enctype: enctype.toLowerCase(), isOnPage: slug !== undefined, slug: slug ?? undefined, site };
}

/** What of a request decides where its sender is led: a visitor, or a script that opens the address itself. */
type Sender = Pick<Visitor, 'isOnPage' | 'fields' | 'id' | 'sentFrom' | 'site'>;

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

const paragraph = (...sentences: string[]): string => `<p>${sentences.join('')}</p>`;

/** The address that the browser comes from; undefined on one of `ownOrigins`, and where the browser does not name it. */
function otherSite(
  { headers: { referer = '' } }: IncomingMessage,
  ownOrigins: readonly (string | undefined)[],
): string | undefined {
  const url = refererUrl(referer);
  return url && !ownOrigins.includes(url.origin) ? url.href : undefined;
}

/** Answers visitors: redirects after a success, and pages in their language. */
export class VisitorPages {
  readonly #app: Pick<App, 'config' | 'limits' | 'requests' | 'submissions'>;
  /** Characters of the forms in error pages that are being sent. */
  #keptChars = 0;

  constructor(app: Pick<App, 'config' | 'limits' | 'requests' | 'submissions'>) {
    this.#app = app;
  }

  /**
   * The answer to a success, and to a filled-in honeypot: a redirect to `_redirect`, else to where the form's rules say,
   * else to the page that thanks.
   */
  redirect(response: ServerResponse, visitor: Visitor, form: AnsweringForm, headers: Headers): void {
    const location = this.locationOf(response.req, visitor, form);
    response.writeHead(303, { ...headers, Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' });
    response.end();
  }

  /** The address to which the sender of a form is led after a success. It may be a path of the host that was asked. */
  locationOf(request: IncomingMessage, sender: Sender, form: AnsweringForm): string {
    const { deploymentId, rules } = form;
    const chosen = this.#chosenBy(request, sender, form) ?? this.#postedPage(request, sender);
    const configured = rules.redirectUrl === null ? undefined : new URL(rules.redirectUrl).href;
    return chosen ?? configured ?? (sender.isOnPage ? THANKS : `/submit/${deploymentId}${THANKS}`);
  }

  /** The URL of the page with the form, as the browser names it. An error page of the service is none. */
  sentFrom({ headers }: IncomingMessage, { sentFrom }: Pick<Sender, 'sentFrom'> = {}): string | undefined {
    if (sentFrom !== undefined) return sentFrom;
    return headers.origin === this.#app.config.baseUrl ? undefined : sendingPage(headers)?.href;
  }

  /** The page that a visitor sees after a success. */
  async thank(response: ServerResponse, deploymentId: string, headers: Headers): Promise<void> {
    const page = await this.#app.submissions.forms.get(deploymentId).then(
      (found) => found ?? 'absent',
      () => undefined,
    );
    const isAbsent = page === 'absent';
    const error = isAbsent ? noSuchForm() : undefined;
    const all = { ...headers, ...(error && varyByAccept(response, error)) };
    if (error && isProblemWanted(error, response.req.headers)) {
      writeError(response, error, all, this.#app);
      return;
    }
    const translations = translationsFor(response.req.headers, isAbsent ? undefined : page);
    const { title, text } = isAbsent ? translations.unavailable : translations.thanks;
    const message = isAbsent ? null : (page?.rules.thanksMessage ?? null);
    const content = `${paragraph(message === null ? text : ofOwnerText(message))}${isAbsent ? '' : this.#linkBack(response.req, page?.slug, translations)}`;
    const look = isAbsent ? undefined : page?.look;
    const shown = { translations, sign: isAbsent ? 'problem' : 'done', title, content, look } as const;
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
    const back = this.#linkBack(response.req, slug, translations);
    const advice = isFinal ? '' : `\n${kept?.html ?? paragraph(translations.goBack)}${back}`;
    const content = `${paragraph(sentences.join(translations.gap), counted)}${advice}`;
    // Browsers apply form-action to the redirect that follows the form, too. Where that leads may not be known.
    const destinations = page ? this.#destinationsOf(response.req, visitor, page) : ['http:', 'https:'];
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
    const page = await this.#app.submissions.forms.get(deploymentId).catch(() => undefined);
    const translations = translationsFor(response.req.headers, page);
    const { title, text, owner } = translations.wrongForm;
    const code = (source: string): string => `<code dir="ltr">${escapeHtml(source)}</code>`;
    const content = [
      paragraph(text, translations.gap, translations.nothingSent) +
        this.#linkBack(response.req, page?.slug, translations, ' class="button"'),
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
    const page = await this.#app.submissions.forms.get(deploymentId).catch(() => undefined);
    const translations = translationsFor(response.req.headers, page);
    const { title, sentences } = closedWords(closing, page?.rules.closedMessage ?? null, translations);
    const content = paragraph(sentences.join(translations.gap));
    const shown = { translations, sign: 'problem', title, content, look: page?.look } as const;
    writeSmallPage(response, 403, shown, { 'x-request-id': requestId }, this.#app.limits);
  }

  /** Where a form leads by its `_redirect`. */
  #chosenBy(
    request: IncomingMessage,
    sender: Sender,
    { slug, formerSlugs = [], rules }: AnsweringForm,
  ): string | undefined {
    const redirect = sender.fields && redirectOf(sender.fields, sender.id);
    if (redirect === undefined) return undefined;
    const page = this.sentFrom(request, sender);
    const onSite = page === undefined ? undefined : redirectOnSite(redirect, page);
    if (onSite !== undefined) return onSite;
    const {
      requests: { hosts },
      config,
    } = this.#app;
    const isFormer = (origin: string): boolean =>
      formerSlugs.some((former) => new URL(pageUrl(config, former)).origin === origin);
    return redirectWithin(
      redirect,
      hosts.originFor(request, slug),
      (origin) =>
        hosts.isOriginOf(slug, origin) ||
        isFormer(origin) ||
        (isWebOrigin(origin) && rules.allowedOrigins.includes(origin)),
    );
  }

  /** The page of the site to which another page of it has posted the form: a form on Netlify names the page that thanks so. */
  #postedPage(request: IncomingMessage, sender: Sender): string | undefined {
    const { site } = sender;
    const from = site && URL.parse(this.sentFrom(request, sender) ?? '');
    if (!from || from.host !== request.headers.host?.toLowerCase()) return undefined;
    const [posted, sending] = [pathOf(request), from.pathname].map((path) => site.resolve(path));
    const isSame = posted === 'no-slash' || sending === 'no-slash' || posted?.file === sending?.file;
    return isSame ? undefined : withoutAttempt(request);
  }

  /** Origins that the answer to a form that is sent again may lead to. */
  #destinationsOf(request: IncomingMessage, visitor: Visitor, page: LiveForm): readonly string[] {
    const { slug, rules } = page;
    const chosen = this.#chosenBy(request, visitor, page);
    const urls = [pageUrl(this.#app.config, slug), rules.redirectUrl, chosen];
    const origins = urls.flatMap((url) => (url ? [new URL(url).origin] : []));
    return [...new Set([...origins, ...rules.allowedOrigins.filter(isWebOrigin)])];
  }

  /** A link to the page with the form: on the site that the browser names, else the deployment's own. */
  #linkBack(
    request: IncomingMessage,
    slug: string | undefined,
    { back }: Translations,
    attribute: '' | ' class="button"' = '',
  ): string {
    const page = slug === undefined ? undefined : this.#app.requests.hosts.originFor(request, slug);
    const url = otherSite(request, [this.#app.config.baseUrl, page]) ?? (page && `${page}/`);
    return url === undefined ? '' : `\n<p><a${attribute} href="${escapeHtml(url)}">${back}</a></p>`;
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
