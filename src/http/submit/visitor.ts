import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { LiveForm } from '../../db/submissions/form-queries.ts';
import { DELIVERY_HEADER } from '../../lib/events.ts';
import type { Exchange } from '../request/exchange.ts';
import type { FormAddress } from '../request/form-address.ts';
import type { RequestContext, SitePaths } from '../request/request-context.ts';
import { namesHtml } from '../response/accept.ts';
import type { Fields } from './form-body.ts';
import type { Resubmission } from './resubmit-form.ts';

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
