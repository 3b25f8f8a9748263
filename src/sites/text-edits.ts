import { setImmediate as nextTurn } from 'node:timers/promises';

/** A text that occurs once in another, and the text that replaces it. */
export type Edit = { find: string; replace: string };

/** An edit that cannot be made: its text does not occur once, or it overlaps with the edit before it in the text. */
export type EditFault = { edit: number } & ({ occurrences: number } | { overlaps: number });

type Place = { edit: number; from: number; to: number; replace: string };

/** For each character of a text, the length of the longest beginning of the text that ends there and is not all of it. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (length > 0 && unit !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (unit === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}

/**
 * Returns how often a text occurs in another, and where first. Occurrences may overlap. By Knuth, Morris and Pratt: `indexOf` takes
 * quadratic time for some texts.
 */
function occurrencesOf(find: string, text: string): { count: number; first: number } {
  if (find.length > text.length) return { count: 0, first: -1 };
  const borders = bordersOf(find);
  let count = 0;
  let first = -1;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (length > 0 && unit !== find.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (unit === find.charCodeAt(length)) length += 1;
    if (length < find.length) continue;
    if (count === 0) first = at + 1 - length;
    count += 1;
    length = borders[length - 1] ?? 0;
  }
  return { count, first };
}

/** Makes edits, all of the text as it is given; or returns those that cannot be made. Other work runs between two of them. */
export async function editText(text: string, edits: readonly Edit[]): Promise<string | readonly EditFault[]> {
  const places: Place[] = [];
  const faults: EditFault[] = [];
  for (const [edit, { find, replace }] of edits.entries()) {
    const { count, first } = occurrencesOf(find, text);
    if (count === 1) places.push({ edit, from: first, to: first + find.length, replace });
    else faults.push({ edit, occurrences: count });
    await nextTurn();
  }
  places.sort((one, other) => one.from - other.from);
  const parts: string[] = [];
  let end = 0;
  let before = 0;
  for (const { edit, from, to, replace } of places) {
    if (from < end) faults.push({ edit, overlaps: before });
    parts.push(text.slice(end, from), replace);
    if (to < end) continue;
    end = to;
    before = edit;
  }
  return faults.length > 0 ? faults : parts.join('') + text.slice(end);
}
