import { structuredPatch } from 'diff';

/** Browsers are slow with very long lines. */
const MAX_LINE_CHARS = 2_000;
/** How long the comparison of two versions may take. */
const COMPARE_TIMEOUT_MS = 400;

/** A line of the changes from one text to another. */
export type Line = {
  /** Its number, in the newer text if it is in both; undefined for lines that are left out. */
  number: number | undefined;
  change: 'none' | 'added' | 'removed' | 'skipped';
  text: string;
};

const cut = (text: string): string =>
  text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : text;

/** The lines that differ, with some around them; undefined when the texts differ too much to be compared soon. */
export function compare(before: string, after: string): Line[] | undefined {
  const options = { context: 3, stripTrailingCr: true, timeout: COMPARE_TIMEOUT_MS };
  return structuredPatch('', '', before, after, '', '', options)?.hunks.flatMap(({ oldStart, newStart, lines }) => {
    let [old, now] = [oldStart, newStart];
    const rows = lines
      // It says that a text ends without a line break.
      .filter((line) => !line.startsWith('\\'))
      .map((line): Line => {
        const text = cut(line.slice(1));
        if (line.startsWith('-')) return { number: old++, change: 'removed', text };
        if (line.startsWith('+')) return { number: now++, change: 'added', text };
        old += 1;
        return { number: now++, change: 'none', text };
      });
    return newStart > 1 ? [{ number: undefined, change: 'skipped' as const, text: '' }, ...rows] : rows;
  });
}
