/*
 * Divides an export into whole records while it arrives: what came of an unfinished record when a connection broke is not
 * written.
 */

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/** Ids of the last records are kept, in case that the last submissions are deleted before the export goes on. */
const KEPT_IDS = 20;
/** More than what stands before the end of an id. */
const HEAD_BYTES = 64;

export type Records = {
  /** Whole records, and how many. */
  bytes: Buffer;
  count: number;
};

/** `quotes`: whether a line end between quotes is part of a record, as in CSV. */
export function createRecordSplitter({ quotes }: { quotes: boolean }) {
  let pending: Buffer[] = [];
  let isQuoted = false;
  let ids: string[] = [];

  return {
    /** The ids of the last records so far, the last one first. */
    lastIds: (): readonly string[] => ids.toReversed(),
    /** Whether the last record is whole. */
    isWhole: (): boolean => pending.every(({ length }) => length === 0),
    /** What follows begins with a record. */
    restart(): void {
      pending = [];
      isQuoted = false;
    },
    /** The records that are whole with these bytes. */
    push(piece: Uint8Array): Records {
      const ends: number[] = [];
      for (let at = 0; at < piece.length; at += 1) {
        const byte = piece[at];
        if (byte === LINE_FEED && !isQuoted) ends.push(at + 1);
        else if (quotes && byte === QUOTE) isQuoted = !isQuoted;
      }
      const end = ends.at(-1);
      if (end === undefined) {
        pending.push(Buffer.from(piece));
        return { bytes: Buffer.alloc(0), count: 0 };
      }
      const before = pending.reduce((sum, { length }) => sum + length, 0);
      const bytes = Buffer.concat([...pending, piece.subarray(0, end)]);
      pending = [Buffer.from(piece.subarray(end))];
      const starts = [0, ...ends.slice(0, -1).map((at) => before + at)].slice(-KEPT_IDS);
      const found = starts.flatMap((start) => {
        const [id] =
          /^(?:\{"id":")?(sub_[0-9A-Za-z]+)/.exec(bytes.toString('latin1', start, start + HEAD_BYTES))?.slice(1) ?? [];
        return id === undefined ? [] : [id];
      });
      ids = [...ids, ...found].slice(-KEPT_IDS);
      return { bytes, count: ends.length };
    },
  };
}
