import { colord, extend } from 'colord';
import a11yPlugin from 'colord/plugins/a11y';
import { attribute, type HtmlElement, type HtmlNode, isElement, isHtml, isText } from '../../../forms/html-tree.ts';
import { schemesOf, toHex } from '../../../sites/page-look.ts';
import { withBlanksOf } from './kept-blanks.ts';
import { changeText, possibleText, readText, spell, TEXT } from './new-text.ts';
import type { PageSource, Range } from './page-source.ts';
import type { Edit } from './source-edits.ts';
import { contentOf, rangeOf, visit } from './source-walk.ts';
import { setAttribute } from './tag-attributes.ts';

/** What browsers and search engines know of a page. `color`: `#rrggbb`, on light screens. null: the page says nothing of it. */
export type PageHead = { title: string | null; description: string | null; color: string | null };

type Color = { range: Range; isDark: boolean };

type Found = {
  head: HtmlElement | undefined;
  title: HtmlElement | undefined;
  description: HtmlElement | undefined;
  themes: readonly HtmlElement[];
  /** The variables `--accent` of the finished pages, and the colour of texts on it. */
  accents: readonly Color[];
  texts: readonly Color[];
  lastMeta: HtmlElement | undefined;
};

const nameOf = (element: HtmlElement): string => attribute(element, 'name')?.trim().toLowerCase() ?? '';
const isLight = (theme: HtmlElement): boolean => schemesOf(attribute(theme, 'media')).includes('light');

/** The values of a variable in a style sheet, as ranges of the page. */
function variablesIn(source: PageSource, style: HtmlElement, name: string): Color[] {
  const content = contentOf(style);
  if (!content) return [];
  const css = source.html.slice(content.from, content.to);
  const dark = css.search(/prefers-color-scheme\s*:\s*dark/i);
  return Array.from(
    css.matchAll(new RegExp(`--${name}\\s*:\\s*([^;{}\\s]+)`, 'g')),
    ({ 0: whole, 1: value = '', index }) => {
      const to = content.from + index + whole.length;
      return { range: { from: to - value.length, to }, isDark: dark >= 0 && index > dark };
    },
  );
}

function findHead(source: PageSource): Found {
  let [head, title, description, lastMeta]: (HtmlElement | undefined)[] = [];
  const [themes, accents, texts]: [HtmlElement[], Color[], Color[]] = [[], [], []];
  for (const { node, parent, isSound } of visit(source, (element) => isHtml(element))) {
    if (!isElement(node) || !isHtml(node)) continue;
    if (node.tagName === 'head') head ??= node;
    if (!isSound || !rangeOf(source, node)) continue;
    if (node.tagName === 'title') title ??= node;
    if (node.tagName === 'style') {
      accents.push(...variablesIn(source, node, 'accent'));
      texts.push(...variablesIn(source, node, 'on-accent'));
    }
    if (node.tagName !== 'meta') continue;
    if (parent === head) lastMeta = node;
    if (nameOf(node) === 'description') description ??= node;
    if (nameOf(node) === 'theme-color') themes.push(node);
  }
  return { head, title, description, themes, accents, texts, lastMeta };
}

const textIn = (element: HtmlElement): string =>
  element.childNodes.map((node) => (isText(node) ? node.value : '')).join('');

/** Reads the title, the description and the colour of a page. */
export function head(source: PageSource): PageHead {
  const { title, description, themes, accents } = findHead(source);
  const theme = themes.find(isLight);
  const accent = accents.find(({ isDark }) => !isDark)?.range;
  const color =
    toHex((theme && attribute(theme, 'content')) ?? '') ?? (accent && toHex(source.html.slice(accent.from, accent.to)));
  return {
    title: title ? textIn(title).replaceAll(/\s+/g, ' ').trim() : null,
    description: (description && attribute(description, 'content')) ?? null,
    color: color ?? null,
  };
}

/** Returns where the head begins: behind its tag, or else behind that of the page, or behind the doctype. */
export function startOfHead({ html, root: { childNodes } }: PageSource): number {
  const page = childNodes.find(isElement);
  const head = page?.childNodes.find((node) => isElement(node) && isHtml(node, 'head'));
  const doctype = childNodes.find(({ nodeName }) => nodeName === '#documentType')?.sourceCodeLocation?.endOffset;
  const mark = html.startsWith('\ufeff') ? 1 : 0;
  return startTagEnd(head) ?? startTagEnd(page) ?? doctype ?? mark;
}

const startTagEnd = (node: HtmlNode | undefined): number | undefined =>
  node && isElement(node) ? node.sourceCodeLocation?.startTag?.endOffset : undefined;

/** Where an element can be added to the head: behind the title or the last <meta>, or where the head begins. */
function placeInHead(source: PageSource, found: Found): { at: number; lineBreak: string } {
  const { head: element, title, lastMeta } = found;
  const before = [title, lastMeta]
    .flatMap((one) => (one && one.parentNode === element ? [rangeOf(source, one)] : []))
    .reduce<Range | undefined>((last, range) => (range && range.to > (last?.to ?? 0) ? range : last), undefined);
  if (before) {
    const start = source.html.lastIndexOf('\n', before.from - 1);
    const indent = source.html.slice(start + 1, before.from);
    return { at: before.to, lineBreak: /^[\t ]*$/.test(indent) && start >= 0 ? `\n${indent}` : '' };
  }
  return { at: startOfHead(source), lineBreak: '' };
}

const written = (text: string): string => spell(possibleText(text), { isText: false, quote: '"' }, '\n');

extend([a11yPlugin]);

/** The least contrast of a text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

/** Returns a colour in which texts on another one can be read. On any colour, white or black can. */
const readableOn = (color: string): string =>
  ['#ffffff', '#10151d'].find((text) => colord(text).contrast(color) >= MIN_CONTRAST) ?? '#000000';

/** Returns the edits for the colour: of <meta name="theme-color">, and of the variables of finished pages. */
function colorEdits(source: PageSource, found: Found, color: string): { edits: Edit[]; added: string[] } {
  const hex = toHex(color);
  if (hex === undefined) throw new RangeError('This is no colour.');
  // On a dark screen, the same colour is lighter.
  const dark = colord({ ...colord(hex).toHsl(), l: Math.max(72, colord(hex).toHsl().l) }).toHex();
  const themes = found.themes.flatMap((theme) => setAttribute(source, theme, 'content', isLight(theme) ? hex : dark));
  const accents = found.accents.map(({ range, isDark }) => ({ ...range, text: isDark ? dark : hex }));
  const texts = found.texts.map(({ range, isDark }) => ({ ...range, text: readableOn(isDark ? dark : hex) }));
  const isThere = found.themes.some(isLight) || found.accents.length > 0;
  const changed = [...accents, ...texts].filter(({ from, to, text }) => toHex(source.html.slice(from, to)) !== text);
  return { edits: [...themes, ...changed], added: isThere ? [] : [`<meta name="theme-color" content="${hex}">`] };
}

function titleEdits(source: PageSource, { title }: Found, text: string): { edits: Edit[]; added: string[] } {
  const content = title?.sourceCodeLocation?.endTag && contentOf(title);
  const words = possibleText(text).replaceAll(/\s+/g, ' ').trim();
  if (!content) return { edits: [], added: [`<title>${spell(words, TEXT, '\n')}</title>`] };
  const raw = source.html.slice(content.from, content.to);
  const [from, to] = [content.from + raw.length - raw.trimStart().length, content.from + raw.trimEnd().length];
  const kept = withBlanksOf(readText(source.html.slice(from, to), TEXT), words);
  if (from > to) return { edits: [{ ...content, text: spell(words, TEXT, '\n') }], added: [] };
  return { edits: changeText(source.html, { from, to }, kept, TEXT), added: [] };
}

function descriptionEdits(
  source: PageSource,
  { description }: Found,
  text: string,
): { edits: Edit[]; added: string[] } {
  if (description) return { edits: setAttribute(source, description, 'content', text), added: [] };
  return { edits: [], added: text === '' ? [] : [`<meta name="description" content="${written(text)}">`] };
}

/** Returns the edits of the title, the description and the colour. Those that are missing are added to the head. Throws for no colour. */
export function editHead(
  source: PageSource,
  { title, description, color }: { title?: string; description?: string; color?: string },
): Edit[] {
  const found = findHead(source);
  const changes = [
    ...(title === undefined ? [] : [titleEdits(source, found, title)]),
    ...(description === undefined ? [] : [descriptionEdits(source, found, description)]),
    ...(color === undefined ? [] : [colorEdits(source, found, color)]),
  ];
  const { at, lineBreak } = placeInHead(source, found);
  const added = changes.flatMap((change) => change.added).map((text) => lineBreak + text);
  const edits = changes.flatMap((change) => change.edits);
  return added.length === 0 ? edits : [...edits, { from: at, to: at, text: added.join('') }];
}
