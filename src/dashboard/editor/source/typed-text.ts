import { editText, findPlaces } from './editable-places.ts';
import { followingValue } from './form/option-edits.ts';
import { editHead, head } from './page-head.ts';
import type { PageSource } from './page-source.ts';
import type { Edit } from './source-edits.ts';
import { followingDescriptions } from './tool-descriptions.ts';

/** Returns whether a place is the main heading of a page, and the title says the same. */
function isTitle(source: PageSource, id: number): boolean {
  const heading = findPlaces(source).find(({ parent }) => parent?.tagName === 'h1');
  return heading?.place.id === id && heading.place.text === head(source).title;
}

/**
 * Returns the edits for a text that is typed in a page. What said the same follows: the value of a choice, descriptions for agents, and in
 * a new page the title, so that it is not called by an example.
 */
export function typeText(source: PageSource, id: number, text: string, isNew: boolean): Edit[] {
  const edits = editText(source, id, text);
  if (text.trim() === '') return edits;
  const { words, place } = findPlaces(source)[id] ?? {};
  return [
    ...(isNew && isTitle(source, id) ? editHead(source, { title: text }) : []),
    ...(words ? followingValue(source, words, text) : []),
    ...followingDescriptions(source, place?.text ?? '', text),
    ...edits,
  ];
}
