import { attribute, type HtmlElement, isElement, isHtml } from '../../../../forms/html-tree.ts';
import { startOfHead } from '../page-head.ts';
import type { PageSource } from '../page-source.ts';
import type { Edit } from '../source-edits.ts';
import { visit } from '../source-walk.ts';

/** The first `<base href>`, which is the one that counts. */
function ownBase(source: PageSource): HtmlElement | undefined {
  for (const { node } of visit(source, (element) => isHtml(element))) {
    if (isElement(node) && isHtml(node, 'base') && attribute(node, 'href') !== undefined) return node;
  }
  return undefined;
}

/** Returns where the relative addresses of a page begin. `url`: of the live page. */
export function baseOf(source: PageSource, url: string): string {
  const own = ownBase(source);
  return URL.parse((own && attribute(own, 'href')) ?? '', url)?.href ?? url;
}

/** Returns the edit that lets a page find its files when it is shown at another address. `base`: that of `baseOf`. */
export function baseEdits(source: PageSource, base: string): Edit[] {
  const own = ownBase(source);
  if (own && URL.canParse(attribute(own, 'href') ?? '')) return [];
  const at = startOfHead(source);
  return [{ from: at, to: at, text: `<base href="${base.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">` }];
}
