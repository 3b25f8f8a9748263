import { customAlphabet } from 'nanoid';
import { SIZES } from '../sizes.ts';
import { titleOf } from './page-look.ts';
import { isPreviewLabel } from './preview-hosts.ts';

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
  RESERVED.includes(slug) || more.includes(slug) || isPreviewLabel(slug);

/** A slug that tells nothing. */
export const randomSlug = (): string => letters() + letters();

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
  return [...named, `page-${letters()}`, randomSlug()].filter((slug) => isSlug(slug) && !isReserved(slug, reserved));
}
