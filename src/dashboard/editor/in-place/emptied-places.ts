import { fillText, findPlaces } from '../source/editable-places.ts';
import type { PageSource } from '../source/page-source.ts';
import type { Edit } from '../source/source-edits.ts';
import { typeText } from '../source/typed-text.ts';

/** The places that were emptied in the frame, which still has them, by their ids there, and where the page had their texts. */
export type Emptied = ReadonlyMap<number, number>;

/** Returns the id that a place of the frame has in the page; undefined for one that was emptied. */
export function idInPage(emptied: Emptied, id: number): number | undefined {
  return emptied.has(id) ? undefined : id - [...emptied.keys()].filter((one) => one < id).length;
}

/** Returns an offset as it is after some edits. */
function moved(at: number, edits: readonly Edit[]): number {
  const before = edits.filter(({ to }) => to <= at);
  return before.reduce((sum, { from, to, text }) => sum + text.length - (to - from), at);
}

/** Returns the edits for a text that is typed in the frame, and the places that are emptied after them. */
export function typeInFrame(
  source: PageSource,
  before: Emptied,
  id: number,
  text: string,
  isNew: boolean,
): { edits: Edit[]; emptied: Emptied } {
  const known = idInPage(before, id);
  const at = before.get(id) ?? 0;
  const edits = known === undefined ? fillText(source, at, text) : typeText(source, known, text, isNew);
  const emptied = new Map(Array.from(before, ([one, place]) => [one, moved(place, edits)]));
  if (known === undefined && edits.length > 0) emptied.delete(id);
  const { place, words } = (known === undefined ? undefined : findPlaces(source)[known]) ?? {};
  // A link without a text is a place, too.
  if (words && place?.kind !== 'link' && text.trim() === '') emptied.set(id, words.from);
  return { edits, emptied };
}
