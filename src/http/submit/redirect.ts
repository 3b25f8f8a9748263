import { controlsOf, REDIRECT } from '../../forms/control-fields.ts';
import { MAX_AUTHORITY_CHARS } from '../../forms/origins.ts';
import { SIZES } from '../../sizes.ts';
import type { Field } from './form-body.ts';

// The URL parser takes quadratic time for a long host that is not ASCII. No page has a host that long.
const LONG_AUTHORITY = new RegExp(`^\\s*(?:[a-z][a-z0-9+.-]*:/*|//+)[^/?#]{${MAX_AUTHORITY_CHARS + 1}}`, 'i');

/** A form's `_redirect`, or else another service's field for it, when it is given once and could be a URL. `id`: of the submission. */
export function redirectOf(fields: readonly Field[], id?: string): string | undefined {
  const controlOf = controlsOf(
    fields.map(([name]) => name),
    id,
  );
  const given = fields.filter(([name]) => controlOf(name) === 'redirect');
  const own = given.filter(([name]) => name === REDIRECT);
  const isOwnEmpty = own.every(([, value]) => value.trim() === '');
  const [field, ...more] = isOwnEmpty ? given.filter(([name]) => name !== REDIRECT) : own;
  const value = field?.[1] ?? '';
  if (value.length > SIZES.submission.maxRedirectChars || value.trim() === '' || more.length > 0) return undefined;
  return /[\\\p{Cc}]/u.test(value) || LONG_AUTHORITY.test(value) ? undefined : value;
}

/** Returns whether an address names no host, so that it is one of the page's own site. */
const isRelative = (redirect: string): boolean => !URL.canParse(redirect) && !/^\s*\/\//.test(redirect);

/**
 * The URL of a redirect that is relative to the page with the form, which may be on any site; undefined for one that names a
 * host. `page`: as the browser names it.
 */
export function redirectOnSite(redirect: string, page: string): string | undefined {
  const url = isRelative(redirect) ? URL.parse(redirect, page) : null;
  const isOnSite = url?.origin === new URL(page).origin && url.href.length <= SIZES.submission.maxRedirectChars;
  return isOnSite ? url.href : undefined;
}

/** The URL of a redirect, which may be relative to `pageOrigin`; undefined where its origin is not allowed. */
export function redirectWithin(
  redirect: string,
  pageOrigin: string,
  isAllowed: (origin: string) => boolean,
): string | undefined {
  const { href = '', origin = '' } = URL.parse(redirect, pageOrigin) ?? {};
  // An origin leaves out a user and a password, and that of a blob: URL is its creator's.
  const isWithin = href.startsWith(`${origin}/`) && isAllowed(origin);
  return isWithin && href.length <= SIZES.submission.maxRedirectChars ? href : undefined;
}
