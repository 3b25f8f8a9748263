import { attribute, type HtmlElement, isElement, isHtml } from '../../../../forms/html-tree.ts';
import type { FileText, SiteDrafts } from '../../site/site-drafts.ts';
import type { PageSource } from '../page-source.ts';
import type { Edit } from '../source-edits.ts';
import { contentOf, rangeOf, visit } from '../source-walk.ts';
import { removeAttribute, setAttribute } from '../tag-attributes.ts';
import { replaceAddresses } from './css-addresses.ts';

/** The longest address that contains a file, and all of those in a page: a frame with longer ones would stop the browser. */
const MAX_CHARS = 8 * 1024 ** 2;

const isSheet = ({ type }: FileText): boolean => type.startsWith('text/css');

const dataUrl = ({ text, type }: FileText): string =>
  `data:${type.replace(/;.*/s, '')};charset=utf-8,${encodeURIComponent(text.toWellFormed())}`;

function pathOf(url: string, root: string): string | undefined {
  if (!url.startsWith(root)) return undefined;
  const [path = ''] = url.slice(root.length).split(/[?#]/, 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Makes addresses that contain a file, in place of those under which it is published. */
class StandIns {
  readonly #site: SiteDrafts;
  /** The style sheets that are being made: a sheet may load itself. */
  readonly #open = new Set<string>();
  /** The addresses that were made before, by the paths. */
  readonly #made = new Map<string, string | undefined>();

  constructor(site: SiteDrafts) {
    this.#site = site;
  }

  /** Returns the address that stands for a URL; undefined where nothing differs from what is published there. */
  of(url: string): string | undefined {
    const { root, texts } = this.#site;
    const path = pathOf(url, root);
    const file = path === undefined ? undefined : texts.get(path);
    if (path === undefined || !file || this.#open.has(path)) return undefined;
    if (!this.#made.has(path)) {
      const made = this.#make(path, file, url);
      // Sheets that load others more than once would become twice as long with each.
      this.#made.set(path, made !== undefined && made.length <= MAX_CHARS ? made : undefined);
    }
    const made = this.#made.get(path);
    return made && made + new URL(url).hash;
  }

  #make(path: string, file: FileText, url: string): string | undefined {
    const isDrafted = this.#site.drafted.includes(path);
    if (!isSheet(file)) return isDrafted ? dataUrl(file) : undefined;
    this.#open.add(path);
    const { css, isChanged } = this.#inSheet(file.text, url, true);
    this.#open.delete(path);
    return isDrafted || isChanged ? dataUrl({ ...file, text: css }) : undefined;
  }

  /** Replaces the addresses in a style sheet. `isMoved`: it will be at another address, so that relative ones have to be absolute. */
  #inSheet(css: string, base: string, isMoved: boolean): { css: string; isChanged: boolean } {
    let isChanged = false;
    const changed = replaceAddresses(css, (address) => {
      const isRelative = !/^(?:#|$|[a-z][a-z\d+.-]*:)/i.test(address);
      const url = URL.parse(address, base)?.href;
      if (url === undefined) return undefined;
      const standIn = this.of(url);
      isChanged ||= standIn !== undefined;
      return standIn ?? (isMoved && isRelative ? url : undefined);
    });
    return { css: changed, isChanged };
  }

  /** Returns the text of a `<style>` with other addresses. */
  ofStyle(css: string, base: string): string {
    return this.#inSheet(css, base, false).css;
  }
}

/** The attribute with the address of a file that an element shows. */
function loads(element: HtmlElement): 'href' | 'src' | undefined {
  if (!isHtml(element)) return undefined;
  const rel = attribute(element, 'rel')?.toLowerCase().split(/\s+/) ?? [];
  if (element.tagName === 'link') return rel.includes('stylesheet') ? 'href' : undefined;
  if (element.tagName === 'script') return attribute(element, 'type')?.toLowerCase() === 'module' ? undefined : 'src';
  return element.tagName === 'img' ? 'src' : undefined;
}

/**
 * Returns the edits that make a page load drafts in place of what is published. They are for a frame: nobody publishes them. `base`: where
 * the relative addresses of the page begin.
 */
export function draftEdits(
  source: PageSource,
  { base, drafts }: { base: string; drafts: SiteDrafts | undefined },
): Edit[] {
  if (!drafts) return [];
  const standIns = new StandIns(drafts);
  const edits: Edit[] = [];
  let chars = 0;
  for (const { node } of visit(source, () => true)) {
    if (!isElement(node) || !rangeOf(source, node)) continue;
    const content = isHtml(node, 'style') ? contentOf(node) : undefined;
    if (content) {
      const css = source.html.slice(content.from, content.to);
      const changed = standIns.ofStyle(css, base);
      if (changed !== css) edits.push({ ...content, text: changed });
    }
    const name = loads(node);
    const url = name && URL.parse(attribute(node, name) ?? '', base)?.href;
    const standIn = url === undefined ? undefined : standIns.of(url);
    chars += standIn?.length ?? 0;
    if (name && standIn !== undefined && chars <= MAX_CHARS) {
      edits.push(...setAttribute(source, node, name, standIn), ...removeAttribute(source, node, 'integrity'));
    }
  }
  return edits;
}
