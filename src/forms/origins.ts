/*
 * Origins of pages and apps, as browsers send them (RFC 6454) and as owners list those whose forms may submit.
 */

/** The text that a browser sends in place of an origin that a page hides, and as the origin of a file. */
export const HIDDEN_ORIGIN = 'null';

/** Characters of a host and its port. No domain name is longer than 253 (RFC 1035). URL takes quadratic time for a long one. */
export const MAX_AUTHORITY_CHARS = 260;

/** Apps made with Capacitor, Ionic and Tauri, and extensions of browsers. URLs of such schemes have no origin in the URL standard. */
const APP_ORIGIN =
  /^(?:capacitor|ionic|tauri|(?:chrome|moz|safari-web)-extension):\/\/[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;
const WEB_URL = new RegExp(`^https?://[^/?#@]{1,${MAX_AUTHORITY_CHARS}}(?:[/?#]|$)`, 'i');
/** The origin at the beginning of a URL, which browsers send in its normal form and without a user. */
const WEB_ORIGIN_OF_URL = new RegExp(`^https?://[^/?#@\\s\\\\]{1,${MAX_AUTHORITY_CHARS}}(?=[/?#]|$)`);

/** Returns whether a text is an absolute URL of http or https. Others than plain texts are not parsed as they read. */
export const isHttpUrl = (value: string): boolean =>
  WEB_URL.test(value) && !/[\\\s\p{Cc}]/u.test(value) && URL.canParse(value);

/** The URL of the page that a browser comes from, as Referer has it; undefined for another text, and for one whose host is too long. */
export const refererUrl = (referer: string): URL | undefined => (isHttpUrl(referer) ? new URL(referer) : undefined);

/**
 * The URL of the page that has sent a form, where its browser names the page in Referer, and confirms the page's site in Origin. No
 * page can make a browser name another site there.
 */
export function sendingPage({
  origin,
  referer = '',
}: {
  origin?: string | undefined;
  referer?: string | undefined;
}): URL | undefined {
  const url = refererUrl(referer);
  return url?.origin === origin ? url : undefined;
}

/** Returns whether an origin is that of a web page, and not of an app. A browser can be sent there. */
export const isWebOrigin = (origin: string): boolean => /^https?:\/\//.test(origin);

/** The origin of a page's URL, as Referer has it; undefined for another text. */
export const webOriginOf = (url: string): string | undefined => WEB_ORIGIN_OF_URL.exec(url)?.[0];

/** The origin of an app in lower case, since not all browsers write its host so; any other as it is. */
export function asListed(origin: string): string {
  const inLowerCase = origin.toLowerCase();
  return APP_ORIGIN.test(inLowerCase) ? inLowerCase : origin;
}

/** Returns an origin that an owner lists in the form in which browsers send it; undefined if no browser sends one like it. */
export function toOrigin(text: string): string | undefined {
  const origin = asListed(text);
  if (origin === HIDDEN_ORIGIN || APP_ORIGIN.test(origin)) return origin;
  // In lower case, without the scheme's own port.
  return isHttpUrl(text) && !/[*?#]|\/\/.*\//.test(text) ? new URL(text).origin : undefined;
}
