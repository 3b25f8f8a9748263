import { findPlaces } from './editable-places.ts';
import type { PageSource } from './page-source.ts';
import { PLACE_ATTRIBUTE } from './safe-tags.ts';
import { applyEdits, type Edit } from './source-edits.ts';

/** The element that is put around a text beside others. No page has styles for it. */
const TEXT_ELEMENT = 'formhost-text';

/**
 * Returns the HTML for the frame in which a page is edited. Each place has its id in the attribute `data-formhost-place`; nothing of it
 * runs: it is without scripts, event handlers, frames, and the directives of `<meta http-equiv>`.
 */
export function markForFrame(source: PageSource): string {
  const { safeTags, html } = source;
  const marks = new Map<number, { nameEnd: number; id: number }>();
  const edits: Edit[] = [];
  for (const { place, element, words, parent } of findPlaces(source)) {
    const marked = element ?? parent;
    const at = marked?.sourceCodeLocation?.startOffset;
    if (marked && at !== undefined && !marks.has(at)) {
      marks.set(at, { nameEnd: at + 1 + marked.tagName.length, id: place.id });
    } else if (words) {
      const { from, to } = words;
      edits.push({ from, to: from, text: `<${TEXT_ELEMENT} ${PLACE_ATTRIBUTE}="${place.id}">` });
      edits.push({ from: to, to, text: `</${TEXT_ELEMENT}>` });
    }
  }
  const markOf = (id: number): string => ` ${PLACE_ATTRIBUTE}="${id}"`;
  for (const [at, { nameEnd, id }] of marks) {
    if (!safeTags.has(at)) edits.push({ from: nameEnd, to: nameEnd, text: markOf(id) });
  }
  for (const [from, { to, before, after }] of safeTags) {
    const mark = marks.get(from);
    edits.push({ from, to, text: before + (mark ? markOf(mark.id) : '') + after });
  }
  // A byte order mark is none in a text that is parsed: browsers would read it as the begin of a page without a doctype.
  return applyEdits(html, edits).replace(/^\ufeff/, '');
}
