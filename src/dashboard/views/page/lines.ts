import { diffArrays } from 'diff';

/** A line of a text, or of the changes from one text to another. */
export type Line = {
  /** Its number in the text, in the newer one if it is in both; undefined for what goes on from the row before it. */
  number: number | undefined;
  change: 'none' | 'added' | 'removed' | 'skipped';
  text: string;
};

/** As many lines as are shown; a page of 2 MiB may have two million, more than a browser can be as high as. */
export const MAX_LINES = 200_000;
/** A longer line goes on in the row below it: browsers are slow with long ones. */
const MAX_CHARS = 240;
/** Lines that did not change, shown around those that did. */
const CONTEXT = 3;
/** How long the comparison may take; texts that differ more are shown as one removed and one added part. */
const COMPARE_MS = 400;

const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/, MAX_LINES);

/** Whether a cut at this place would separate the halves of a character. */
const isInCharacter = (text: string, at: number): boolean => /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1));

function pushRows(rows: Line[], line: Line): void {
  let from = 0;
  do {
    let to = from + MAX_CHARS;
    if (isInCharacter(line.text, to)) to += 1;
    rows.push({ ...line, number: from === 0 ? line.number : undefined, text: line.text.slice(from, to) });
    from = to;
  } while (from < line.text.length && rows.length < MAX_LINES);
}

/** The rows of a text, at most MAX_LINES. */
export function sourceRows(html: string): Line[] {
  const rows: Line[] = [];
  for (const [index, text] of linesOf(html).entries()) {
    if (rows.length >= MAX_LINES) break;
    pushRows(rows, { number: index + 1, change: 'none', text });
  }
  return rows;
}

export type Comparison = { rows: Line[]; added: number; removed: number };

const numbers = new Intl.NumberFormat();

type Part = { added: boolean; removed: boolean; value: string[] };

/** What differs between two lists of lines: quickly where they are much alike, and roughly where they are not. */
function partsOf(before: string[], after: string[]): Part[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const middle = diffArrays(old, now, { timeout: COMPARE_MS }) ?? [
    { added: false, removed: true, value: old },
    { added: true, removed: false, value: now },
  ];
  const same = (value: string[]): Part => ({ added: false, removed: false, value });
  return [same(after.slice(0, start)), ...middle, same(after.slice(after.length - end))];
}

/** The lines that differ, with some around them; a row says how many are left out. */
export function compare(before: string, after: string): Comparison {
  const rows: Line[] = [];
  const parts = partsOf(linesOf(before), linesOf(after)).filter(({ value }) => value.length > 0);
  let [oldNumber, number, added, removed] = [1, 1, 0, 0];
  for (const [index, part] of parts.entries()) {
    const count = part.value.length;
    if (part.added) {
      added += count;
      for (const text of part.value) pushRows(rows, { number: number++, change: 'added', text });
    } else if (part.removed) {
      removed += count;
      for (const text of part.value) pushRows(rows, { number: oldNumber++, change: 'removed', text });
    } else {
      const head = index === 0 ? 0 : CONTEXT;
      const tail = index === parts.length - 1 ? 0 : CONTEXT;
      const skipped = Math.max(0, count - head - tail);
      for (const [place, text] of part.value.entries()) {
        if (skipped > 1 && place === head) {
          rows.push({ number: undefined, change: 'skipped', text: `${numbers.format(skipped)} lines are the same` });
        }
        if (skipped <= 1 || place < head || place >= count - tail) {
          pushRows(rows, { number: number + place, change: 'none', text });
        }
      }
      number += count;
      oldNumber += count;
    }
  }
  return { rows: rows.slice(0, MAX_LINES), added, removed };
}
