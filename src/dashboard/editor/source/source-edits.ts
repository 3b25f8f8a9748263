/** A part of the HTML, by UTF-16 offsets, and the text that takes its place. */
export type Edit = { from: number; to: number; text: string };

/** Makes edits, all of the HTML as it is given. Of two at one place, the first comes first. Throws where edits overlap. */
export function applyEdits(html: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from)) {
    if (from < end) throw new RangeError('Two edits overlap.');
    parts.push(html.slice(end, from), text);
    end = to;
  }
  return parts.join('') + html.slice(end);
}
