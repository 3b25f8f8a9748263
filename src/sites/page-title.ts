import { escapeHtml } from '../lib/html.ts';
import { headTags } from './head-tags.ts';

/** What may stand before the first element of a head: a byte order mark, comments, and the tags that begin a page. */
const BEFORE_HEAD =
  /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*(?:<!doctype[^>]*>)?(?:\s|<!--[\s\S]*?-->)*(?:<html(?=[\s>])(?:"[^"]*"|'[^']*'|[^'">])*>)?(?:\s|<!--[\s\S]*?-->)*(?:<head(?=[\s>])(?:"[^"]*"|'[^']*'|[^'">])*>)?/i;

/**
 * HTML with another title: the text of its first title is replaced, and a page without one gets it at the beginning of its head. All
 * else stays as it is. undefined: its title has no end.
 */
export function withTitle(html: string, title: string): string | undefined {
  const text = escapeHtml(title);
  for (const { title: before, at } of headTags(html)) {
    if (before === undefined) continue;
    const end = html.slice(at).search(/<\/title(?=[\s/>])/i);
    return end < 0 ? undefined : html.slice(0, at) + text + html.slice(at + end);
  }
  const [start = ''] = BEFORE_HEAD.exec(html) ?? [];
  return `${start}<title>${text}</title>${html.slice(start.length)}`;
}
