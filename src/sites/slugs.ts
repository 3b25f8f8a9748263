import { decodeHTML } from 'entities';
import { customAlphabet } from 'nanoid';
import { SIZES } from '../sizes.ts';

export const RESERVED = [
  ...['www', 'api', 'app', 'admin', 'mail', 'smtp', 'ns', 'cdn', 'static', 'assets', 'docs', 'status', 'login', 'auth'],
  ...['dashboard', 'support', 'autoconfig', 'autodiscover', 'wpad', 'submit', 'webhooks', 'abuse'],
];

const letters = customAlphabet('abcdefghijklmnopqrstuvwxyz', 10);

/** A DNS label of letters and hyphens; hyphens at positions 3 and 4 would make it an encoded name (RFC 5891). */
export const SLUG = new RegExp(`^(?!..--)[a-z](?:[a-z-]{0,${SIZES.slug.maxChars - 2}}[a-z])?$`);

export const isSlug = (text: string): boolean => SLUG.test(text);

/** `more`: what the operator has reserved as well. */
export const isReserved = (slug: string, more: readonly string[]): boolean =>
  RESERVED.includes(slug) || more.includes(slug);

/** The beginning of a page in which its title is looked for, because this happens in the main thread. */
const MAX_START_CHARS = 256 * 1024;
/**
 * A page's title, and the beginning or the end of what may contain another one. Each comment, script and text area is read to its
 * end, so that hostile pages take linear time.
 */
const TITLE_OR_OTHER =
  /<!--.*?(?:-->|$)|<(script|style|textarea|noscript|iframe)(?=[\s/>]).*?(?:<\/\1|$)|<(?<tag>\/?(?:svg|template)(?=[\s/>])[^>]*)|<title(?=[\s/>])[^>]*?(?:>|$)(?<title>(?:(?!<\/title).){0,200})/gis;

/** A page's title, from at most 200 characters of its HTML; '' without one. Titles in drawings and templates do not count. */
export function titleOf(html: string): string {
  let depth = 0;
  for (const { groups = {} } of html.slice(0, MAX_START_CHARS).matchAll(TITLE_OR_OTHER)) {
    const { title, tag } = groups;
    if (title !== undefined && depth === 0) return decodeHTML(title);
    if (tag?.startsWith('/')) depth = Math.max(0, depth - 1);
    // A drawing may end in its tag, a template does not.
    else if (tag !== undefined && !/^svg.*\/$/is.test(tag)) depth += 1;
  }
  return '';
}

/**
 * Slugs for a page that was sent without one, to be tried in this order: its title in letters and hyphens, the same
 * with random letters, random letters alone.
 */
export async function proposeSlugs(html: string, reserved: readonly string[]): Promise<string[]> {
  // Loaded on demand, because of its large tables of letters.
  const { default: slugify } = await import('@sindresorhus/slugify');
  const words = slugify(titleOf(html), { decamelize: false })
    .replaceAll(/[^a-z]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  const named = words === '' ? [] : [words, `${words}-${letters(5)}`, `${words}-${letters(8)}`];
  return [...named, `page-${letters()}`, letters() + letters()].filter(
    (slug) => isSlug(slug) && !isReserved(slug, reserved),
  );
}
