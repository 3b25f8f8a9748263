/** The frame of a page says nothing longer than this. */
const MAX_TEXT_CHARS = 50_000;

/**
 * The events of the frame in which a page is edited. `id`: of a place; `version`: of the page that the frame showed then; `hidden`: the
 * places that can't be clicked; `isOneLine`: the frame shows the text without its line breaks.
 */
export type FrameMessage =
  | { type: 'undo' | 'redo' }
  | { type: 'shown'; version: number; hidden: readonly number[] }
  | { type: 'chosen' | 'ended' | 'taken-back' | 'too-long'; id: number; version: number }
  | { type: 'typed'; id: number; version: number; text: string; isOneLine: boolean };

/** The page that the frame shows. `base`: where its relative addresses begin. */
export type ShownPage = { html: string; version: number; base?: string };

/** What the frame is told; it has no texts of its own. `hint`: for people who reach a text by keys. */
export type ToFrame = ShownPage & { hint: string };

const PLAIN = ['undo', 'redo'] as const;
const OF_PLACE = ['chosen', 'ended', 'taken-back', 'too-long'] as const;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** A message as it may come: each part can be anything. */
type Unread = {
  type?: unknown;
  id?: unknown;
  version?: unknown;
  text?: unknown;
  isOneLine?: unknown;
  hidden?: unknown;
};

/** Reads a message of the frame, whose page is anybody's; undefined if it is none of ours. `places`: how many the frame shows. */
export function readFrameMessage(data: unknown, places: number): FrameMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { type, id, version, text, isOneLine, hidden }: Unread = data;
  const isPlace = (value: unknown): value is number => isCount(value) && value < places;
  const plain = PLAIN.find((each) => each === type);
  if (plain) return { type: plain };
  if (!isCount(version)) return undefined;
  if (type === 'shown') {
    return Array.isArray(hidden) && hidden.every(isPlace) ? { type, version, hidden } : undefined;
  }
  if (!isPlace(id)) return undefined;
  if (type === 'typed') {
    if (typeof text !== 'string' || text.length > MAX_TEXT_CHARS) return undefined;
    return { type, id, version, text, isOneLine: isOneLine === true };
  }
  const ofPlace = OF_PLACE.find((each) => each === type);
  return ofPlace && { type: ofPlace, id, version };
}
