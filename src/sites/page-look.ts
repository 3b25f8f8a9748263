import { colord, extend } from 'colord';
import names from 'colord/plugins/names';
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { headTags, MAX_START_CHARS } from './head-tags.ts';

extend([names]);

/** A page as people recognize it. The colours are `#rrggbb`, for a light and a dark screen; null: it names none. */
export type PageLook = { title: string | null; color: string | null; darkColor: string | null };

/** The look of a page that is not known. */
export const NO_LOOK: PageLook = { title: null, color: null, darkColor: null };

/** The look that visitors know a page by: without a title, it is called by its slug. */
export const shownLook = ({ title, color, darkColor }: PageLook, slug: string): PageLook => ({
  ...{ title: title ?? slug, color, darkColor },
});

/** Longer texts are no colours. */
const MAX_COLOR_CHARS = 64;
const ATTRIBUTE = /([^\s/>="']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
/** Characters that would change how the text around a title is shown. */
const UNSEEN = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
const SCHEME = /^(?:(?:all|screen)\s+and\s+)?\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)$/i;

/** A page's title, from at most 200 characters of its HTML; '' without one. */
export function titleOf(html: string): string {
  for (const { title } of headTags(html)) if (title !== undefined) return decodeHTML(title);
  return '';
}

/** The attributes of a tag, by their names in lower case. The first of a name counts. */
function attributesOf(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', ...values] of tag.matchAll(ATTRIBUTE)) {
    const value = values.find((quoted) => quoted !== undefined) ?? '';
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), decodeHTMLAttribute(value));
  }
  return attributes;
}

/** A colour as `#rrggbb`; undefined for any other text, and for a colour that one can see through. */
export function toHex(text: string): string | undefined {
  if (text.length > MAX_COLOR_CHARS) return undefined;
  const color = colord(text.trim().toLowerCase());
  return color.isValid() && color.alpha() === 1 ? color.toHex() : undefined;
}

/** The screens that a tag is for: both without `media`, none where that asks for more than a colour scheme. */
export function schemesOf(media: string | undefined): readonly string[] {
  // Trimmed by a function: a pattern takes quadratic time for a long row of spaces.
  const query = media?.trim() ?? '';
  if (/^(?:all|screen)?$/i.test(query)) return ['light', 'dark'];
  const [, scheme] = SCHEME.exec(query) ?? [];
  return scheme === undefined ? [] : [scheme.toLowerCase()];
}

/** Reads the look of a page from its HTML: the first title, and the first `<meta name="theme-color">` of each colour scheme. */
export function lookOf(html: Buffer): PageLook {
  let shownTitle: string | undefined;
  const colors = new Map<string, string>();
  for (const { title, meta } of headTags(html.subarray(0, MAX_START_CHARS).toString())) {
    shownTitle ??= title;
    const attributes = meta === undefined ? undefined : attributesOf(meta);
    if (attributes?.get('name')?.trim().toLowerCase() !== 'theme-color') continue;
    const color = toHex(attributes.get('content') ?? '');
    if (color === undefined) continue;
    for (const scheme of schemesOf(attributes.get('media'))) if (!colors.has(scheme)) colors.set(scheme, color);
  }
  const tidy = decodeHTML(shownTitle ?? '')
    .replaceAll(UNSEEN, ' ')
    .trim()
    .toWellFormed();
  return { title: tidy || null, color: colors.get('light') ?? null, darkColor: colors.get('dark') ?? null };
}
