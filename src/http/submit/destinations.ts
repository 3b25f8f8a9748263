import type { IncomingMessage } from 'node:http';
import { pageUrl } from '../../config.ts';
import type { LiveForm } from '../../db/submissions/form-queries.ts';
import { isWebOrigin, refererUrl, sendingPage } from '../../forms/origins.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { AnsweringForm } from '../../submissions/outcomes.ts';
import type { App } from '../app.ts';
import { pathOf } from '../request/hosts.ts';
import type { Translations } from '../response/translations.ts';
import { redirectOf, redirectOnSite, redirectWithin } from './redirect.ts';
import { withoutAttempt } from './resubmit-query.ts';
import type { Visitor } from './visitor.ts';

/** The path of the page that thanks, on the host of a page. */
export const THANKS = '/thanks';

/** The parts of a request that decide where its sender is led: a visitor, or a script that opens the address itself. */
type Sender = Pick<Visitor, 'isOnPage' | 'fields' | 'id' | 'sentFrom' | 'site'>;

/** The address that the browser comes from; undefined on one of `ownOrigins`, and where the browser does not name it. */
function otherSite(
  { headers: { referer = '' } }: IncomingMessage,
  ownOrigins: readonly (string | undefined)[],
): string | undefined {
  const url = refererUrl(referer);
  return url && !ownOrigins.includes(url.origin) ? url.href : undefined;
}

/** Tells where the senders of forms go next: after a success, and back from a page that the service has sent. */
export class Destinations {
  readonly #app: Pick<App, 'config' | 'requests'>;

  constructor(app: Pick<App, 'config' | 'requests'>) {
    this.#app = app;
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
  after(request: IncomingMessage, visitor: Visitor, page: LiveForm): readonly string[] {
    const { slug, rules } = page;
    const chosen = this.#chosenBy(request, visitor, page);
    const urls = [pageUrl(this.#app.config, slug), rules.redirectUrl, chosen];
    const origins = urls.flatMap((url) => (url ? [new URL(url).origin] : []));
    return [...new Set([...origins, ...rules.allowedOrigins.filter(isWebOrigin)])];
  }

  /** A link to the page with the form: on the site that the browser names, else the deployment's own. */
  linkBack(
    request: IncomingMessage,
    slug: string | undefined,
    { back }: Translations,
    attribute: '' | ' class="button"' = '',
  ): string {
    const page = slug === undefined ? undefined : this.#app.requests.hosts.originFor(request, slug);
    const url = otherSite(request, [this.#app.config.baseUrl, page]) ?? (page && `${page}/`);
    return url === undefined ? '' : `\n<p><a${attribute} href="${escapeHtml(url)}">${back}</a></p>`;
  }
}
