import { shareOf } from '../../../lib/byte-size.ts';

/*
 * Cuts texts to the sizes that services accept.
 */

const CUT = '…';

/** The size of a piece of text: its UTF-16 units, unless a service counts in another way. */
type SizeOf = (piece: string) => number;

const inUnits: SizeOf = (piece) => piece.length;

/** The bytes of a text in JSON. */
export const jsonBytes: SizeOf = (piece) => Buffer.byteLength(JSON.stringify(piece)) - '""'.length;

/**
 * Joins pieces of text. Where they are larger than `max`, the text is cut between two pieces, and ends with `…`. The pieces after that
 * are not read.
 */
export function shorten(pieces: Iterable<string>, max: number, sizeOf: SizeOf = inUnits): string {
  const room = max - sizeOf(CUT);
  let text = '';
  let size = 0;
  let cut = 0;
  for (const piece of pieces) {
    if (size <= room) cut = text.length;
    text += piece;
    size += sizeOf(piece);
    if (size > max) return text.slice(0, cut) + CUT;
  }
  return text;
}

/** Cuts each text so that all together have at most `total`, and each at most `max`. `piecesOf`: the text as the service needs it. */
export function shortenAll(
  texts: readonly string[],
  piecesOf: (text: string) => Iterable<string>,
  { total, max, sizeOf = inUnits }: { total: number; max: number; sizeOf?: SizeOf },
): string[] {
  const sizes = texts.map((text) => sizeOf(shorten(piecesOf(text), max, sizeOf)));
  const share = Math.min(max, shareOf(sizes, total));
  return texts.map((text) => shorten(piecesOf(text), share, sizeOf));
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** The characters of a text, with entities for those that have a meaning in Slack's mrkdwn and in the HTML of Google Chat. */
export function* entityPieces(text: string): Generator<string> {
  for (const character of text) yield ENTITIES.get(character) ?? character;
}
