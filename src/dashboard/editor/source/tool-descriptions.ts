import { attribute, isElement } from '../../../forms/html-tree.ts';
import { withBlanksOf } from './kept-blanks.ts';
import type { PageSource } from './page-source.ts';
import type { Edit } from './source-edits.ts';
import { visit } from './source-walk.ts';
import { setAttribute } from './tag-attributes.ts';

/** Attributes that tell agents in browsers of a form and its fields. Visitors do not see them. */
const DESCRIPTIONS = ['tooldescription', 'toolparamdescription'];
/** Stands between the title and the introduction in a description of a finished page. */
const DASH = ' – ';

const tidy = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns the edits after which descriptions for agents that had a text of the page have the new one. */
export function followingDescriptions(source: PageSource, before: string, after: string): Edit[] {
  const [old, text] = [tidy(before), tidy(after)];
  if (old === '' || text === '' || old === text || !/\btool(?:param)?description\b/i.test(source.html)) return [];
  const edits: Edit[] = [];
  for (const { node } of visit(source, () => true)) {
    if (!isElement(node)) continue;
    for (const name of DESCRIPTIONS) {
      const value = attribute(node, name);
      if (value === undefined) continue;
      const parts = value === old ? [value] : value.split(DASH);
      const changed = parts.map((part) => (tidy(part) === old ? withBlanksOf(part, text) : part)).join(DASH);
      if (changed !== value) edits.push(...setAttribute(source, node, name, changed));
    }
  }
  return edits;
}
