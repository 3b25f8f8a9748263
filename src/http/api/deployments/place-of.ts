/** A place in a text, from 1; the column in UTF-16 units. */
type Place = { line: number; column: number };

/** The place behind a part of a text. */
function after(part: string, { line, column }: Place): Place {
  const lastBreak = part.lastIndexOf('\n');
  if (lastBreak === -1) return { line, column: column + part.length };
  let breaks = 0;
  for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) breaks += 1;
  return { line: line + breaks, column: part.length - lastBreak };
}

/** Finds where a text is first in UTF-8 that is read in pieces, of which no more than two are in memory; undefined: nowhere. */
export async function placeOf(wanted: string, pieces: AsyncIterable<Uint8Array>): Promise<Place | undefined> {
  const decoder = new TextDecoder();
  let place: Place = { line: 1, column: 1 };
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + decoder.decode(piece, { stream: true });
    const at = text.indexOf(wanted);
    const end = at === -1 ? Math.max(0, text.length - wanted.length) : at;
    place = after(text.slice(0, end), place);
    if (at !== -1) return place;
    rest = text.slice(end);
  }
  return undefined;
}
