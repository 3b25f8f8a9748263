/** The beginning of a page in which its title and its colour are looked for, because this happens in the main thread. */
export const MAX_START_CHARS = 256 * 1024;
/**
 * A page's title, a meta tag, and the beginning or the end of what may contain another title. Each comment, script and text area is
 * read to its end, so that hostile pages take linear time.
 */
const TITLE_OR_OTHER =
  /<!--.*?(?:-->|$)|<(script|style|textarea|noscript|iframe)(?=[\s/>]).*?(?:<\/\1|$)|<(?<tag>\/?(?:svg|template)(?=[\s/>])[^>]*)|<meta(?=[\s/])(?<meta>[^>]{0,1000})|<title(?=[\s/>])[^>]*?(?:>|$)(?<title>(?:(?!<\/title).){0,200})/gis;

/** A title or a meta tag: one of the two texts is there, and begins at this character. */
type HeadTag = { title: string | undefined; meta: string | undefined; at: number };

/** The titles and the meta tags of a page, in their order. Those in drawings and templates do not count. */
export function* headTags(html: string): Generator<HeadTag> {
  let depth = 0;
  for (const { 0: whole, index, groups = {} } of html.slice(0, MAX_START_CHARS).matchAll(TITLE_OR_OTHER)) {
    const { title, meta, tag } = groups;
    const at = index + whole.length - (title ?? meta ?? '').length;
    if (depth === 0 && (title !== undefined || meta !== undefined)) yield { title, meta, at };
    if (tag?.startsWith('/')) depth = Math.max(0, depth - 1);
    // A drawing may end in its tag, a template does not.
    else if (tag !== undefined && !/^svg.*\/$/is.test(tag)) depth += 1;
  }
}
