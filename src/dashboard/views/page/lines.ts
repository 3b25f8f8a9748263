import { diffArrays } from 'diff';
import { DASHBOARD_LIMITS } from '../../limits.ts';

/** A line of a text, or of the changes from one text to another. */
export type Line = {
  /** Its number in the text, in the newer one if it is in both; undefined for what goes on from the row before it. */
  number: number | undefined;
  change: 'none' | 'added' | 'removed' | 'skipped';
  text: string;
};

/** Lines that did not change, shown around those that did. */
const CONTEXT = 3;

const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/, DASHBOARD_LIMITS.pages.shownLines);

/** Whether a cut at this place would separate the halves of a character. */
const isInCharacter = (text: string, at: number): boolean => /^[\uDC00-\uDFFF]/.test(text.slice(at, at + 1));

function pushRows(rows: Line[], line: Line): void {
  let from = 0;
  do {
    let to = from + DASHBOARD_LIMITS.pages.lineChars;
    if (isInCharacter(line.text, to)) to += 1;
    rows.push({ ...line, number: from === 0 ? line.number : undefined, text: line.text.slice(from, to) });
    from = to;
  } while (from < line.text.length && rows.length < DASHBOARD_LIMITS.pages.shownLines);
}

/** The rows of a text, at most DASHBOARD_LIMITS.pages.shownLines. */
export function sourceRows(html: string): Line[] {
  const rows: Line[] = [];
  for (const [index, text] of linesOf(html).entries()) {
    if (rows.length >= DASHBOARD_LIMITS.pages.shownLines) break;
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
  const middle = diffArrays(old, now, { timeout: DASHBOARD_LIMITS.pages.compareTimeoutMs }) ?? [
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
  return { rows: rows.slice(0, DASHBOARD_LIMITS.pages.shownLines), added, removed };
}
