import { editText, findPlaces } from './editable-places.ts';
import { editHead, head } from './page-head.ts';
import type { PageSource } from './page-source.ts';
import type { Edit } from './source-edits.ts';

/** Returns whether a place is the main heading of a page, and the title says the same. */
function isTitle(source: PageSource, id: number): boolean {
  const heading = findPlaces(source).find(({ parent }) => parent?.tagName === 'h1');
  return heading?.place.id === id && heading.place.text === head(source).title;
}

/** Returns the edits for a text that is typed in a page. `isNew`: the title follows the heading, so that the page is not called by an example. */
export function typeText(source: PageSource, id: number, text: string, isNew: boolean): Edit[] {
  const title = isNew && text.trim() !== '' && isTitle(source, id) ? editHead(source, { title: text }) : [];
  return [...title, ...editText(source, id, text)];
}
