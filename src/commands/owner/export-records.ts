import { COMMAND_LIMITS } from '../../limits.ts';

/*
 * Divides an export into whole records while it arrives: what came of an unfinished record when a connection broke is not
 * written.
 */

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

export type Records = {
  /** Whole records, and how many. */
  bytes: Buffer;
  count: number;
};

/** The id of the record that begins here; none for a header row. */
function idAt(bytes: Buffer, start: number): string[] {
  const [, id] =
    /^(?:\{"id":")?(sub_[0-9A-Za-z]+)/.exec(
      bytes.toString('latin1', start, start + COMMAND_LIMITS.exports.headBytes),
    ) ?? [];
  return id === undefined ? [] : [id];
}

/** `quotes`: whether a line end between quotes is part of a record, as in CSV. */
export function createRecordSplitter({ quotes }: { quotes: boolean }) {
  let pending: Buffer[] = [];
  let isQuoted = false;
  let ids: string[] = [];
  let firstId: string | undefined;

  return {
    /** The ids of the last records so far, the last one first. */
    lastIds: (): readonly string[] => ids.toReversed(),
    /** Whether the last record is whole. */
    isWhole: (): boolean => pending.every(({ length }) => length === 0),
    /** The id of the first record since the (re)start. */
    firstId: (): string | undefined => firstId,
    /** What follows begins with a record. */
    restart(): void {
      pending = [];
      isQuoted = false;
      firstId = undefined;
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
      const starts = [0, ...ends.slice(0, -1).map((at) => before + at)];
      // Of CSV the first record is the header row.
      firstId ??= starts.slice(0, 2).flatMap((start) => idAt(bytes, start))[0];
      const found = starts.slice(-COMMAND_LIMITS.exports.keptIds).flatMap((start) => idAt(bytes, start));
      ids = [...ids, ...found].slice(-COMMAND_LIMITS.exports.keptIds);
      return { bytes, count: ends.length };
    },
  };
}
