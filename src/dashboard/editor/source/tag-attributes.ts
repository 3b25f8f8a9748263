import { attribute, type HtmlElement } from '../../../forms/html-tree.ts';
import { changeText, possibleText, spell } from './new-text.ts';
import type { PageSource } from './page-source.ts';
import type { Edit } from './source-edits.ts';

const QUOTES = ['"', "'"] as const;

/** Where an attribute can be added to a start tag: behind the others, or else behind the name of the tag. */
function placeForAttribute({ html }: PageSource, element: HtmlElement): number {
  const { sourceCodeLocation: location } = element;
  const last = Math.max(0, ...Object.values(location?.attrs ?? {}).map(({ endOffset }) => endOffset));
  const isClear = /^["'\w](?:>|\s+[^\s=])/.test(html.slice(last - 1, location?.startTag?.endOffset));
  return last > 0 && isClear ? last : (location?.startOffset ?? 0) + 1 + element.tagName.length;
}

/** Returns the edit that gives an element an attribute. One that is there with this value stays as it is written. */
export function setAttribute(source: PageSource, element: HtmlElement, name: string, value: string): Edit[] {
  const { html } = source;
  const text = possibleText(value);
  const now = attribute(element, name);
  if (now === text) return [];
  const quoted = `"${spell(text, { isText: false, quote: '"' }, '\n')}"`;
  const location = element.sourceCodeLocation?.attrs?.[name];
  if (now === undefined || !location) {
    const at = placeForAttribute(source, element);
    return [{ from: at, to: at, text: text === '' ? ` ${name}` : ` ${name}=${quoted}` }];
  }
  const nameEnd = location.startOffset + name.length;
  const [sign] = /^\s*=\s*/.exec(html.slice(nameEnd, location.endOffset)) ?? [];
  if (sign === undefined) return [{ from: nameEnd, to: nameEnd, text: `=${quoted}` }];
  const from = nameEnd + sign.length;
  const quote = QUOTES.find((one) => html[from] === one);
  if (quote === undefined) return [{ from, to: location.endOffset, text: quoted }];
  return changeText(html, { from: from + 1, to: location.endOffset - 1 }, text, { isText: false, quote });
}

/** Returns the edit that takes an attribute from an element. Where it stands twice, its value becomes empty. */
export function removeAttribute(source: PageSource, element: HtmlElement, name: string): Edit[] {
  const location = element.sourceCodeLocation?.attrs?.[name];
  if (!location) return [];
  if (source.repeating.has(element.sourceCodeLocation?.startOffset ?? 0))
    return setAttribute(source, element, name, '');
  let from = location.startOffset;
  while (/\s/.test(source.html.charAt(from - 1))) from -= 1;
  return [{ from, to: location.endOffset, text: '' }];
}
