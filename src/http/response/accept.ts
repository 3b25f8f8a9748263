import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { createBoundedCache } from '../../lib/bounded-cache.ts';
import { PROBLEM_TYPE, TEMPLATE_TYPE } from '../../problems/problem-document.ts';
import { SIZES } from '../../sizes.ts';

/** Values of Accept-Encoding whose choice is remembered: clients send only a few different ones, which are short. */
const REMEMBERED_ENCODINGS = 1_000;
const REMEMBERED_ENCODING_CHARS = 200;
const { acceptChars } = SIZES.internalHeaders;

/** Returns whether an Accept names a media type with a q above 0, in any letter case (RFC 9110, 8.3.1). */
const names = (accept: string, type: string): boolean =>
  accept.length <= acceptChars &&
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes(type);

/** Returns whether the Accept of a request names text/html. */
export const namesHtml = ({ accept = '' }: IncomingHttpHeaders): boolean => names(accept, 'text/html');

/** Returns whether the Accept of a request names the documents of RFC 9457. */
export const namesProblem = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  // Most clients name none, and in a flood of refusals, reading their Accept would take time.
  /problem\+json/i.test(accept) && names(accept, PROBLEM_TYPE);

/** Returns whether the client makes its own sentences: its Accept prefers documents of RFC 9457 whose sentences are templates. */
export const wantsTemplates = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  /detail=/i.test(accept) &&
  accept.length <= acceptChars &&
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes([PROBLEM_TYPE, TEMPLATE_TYPE])[0] ===
    TEMPLATE_TYPE;

/** Returns whether the Accept of a request allows application/json. A missing Accept allows everything. */
export const acceptsJson = ({ accept = '*/*' }: IncomingHttpHeaders): boolean =>
  accept.length <= acceptChars &&
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes(['application/json']).length > 0;

/** Returns whether the Accept of a request prefers Markdown to HTML. One that allows both alike gets HTML. */
export const prefersMarkdown = ({ accept = '*/*' }: IncomingHttpHeaders): boolean =>
  accept.length <= acceptChars &&
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes(['text/html', 'text/markdown'])[0] ===
    'text/markdown';

export type Encoding = 'br' | 'gzip' | 'identity';

/** The encodings in the order of preference if the client gives them the same q. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

const isEncoding = (name: string | undefined): name is Encoding => ENCODINGS.some((encoding) => encoding === name);

/** Clients send only a few different headers, so the choice for each is remembered. */
const known = createBoundedCache<string, Encoding>(REMEMBERED_ENCODINGS);

/**
 * The encoding of an answer, by Accept-Encoding (RFC 9110, 12.5.3): that with the highest q. None when the client accepts
 * none.
 */
export function chooseEncoding(request: Pick<IncomingMessage, 'headers'>): Encoding {
  const header = request.headers['accept-encoding'];
  if (header === undefined || header.length > acceptChars) return 'identity';
  const before = known.get(header);
  if (before) return before;
  const negotiator = new Negotiator(request);
  // The types of negotiator lack the second parameter.
  const rank: (of: readonly string[], how: { preferred: readonly string[] }) => string[] =
    negotiator.encodings.bind(negotiator);
  const [best] = rank([...ENCODINGS], { preferred: ENCODINGS });
  const encoding = isEncoding(best) ? best : 'identity';
  if (header.length <= REMEMBERED_ENCODING_CHARS) known.set(header, encoding);
  return encoding;
}
