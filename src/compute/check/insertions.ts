/** A text that is put into the source of a page, at an index of it. */
export type Insertion = { at: number; text: string };

/** Returns a source with texts in it. Of those at one place, the first is the first. */
export function withInsertions(html: string, insertions: readonly Insertion[]): string {
  let from = 0;
  let text = '';
  for (const { at, text: inserted } of insertions.toSorted((one, other) => one.at - other.at)) {
    text += html.slice(from, at) + inserted;
    from = at;
  }
  return text + html.slice(from);
}
