import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { findFileChunk, findFileObject, type MovableFile } from './stored-files.ts';

/** Reads a part of an object in the bucket, within a time; undefined when there is no such object. */
export type ReadObject = (
  id: string,
  part: { from: number; length: number },
  withinMs: number,
) => Promise<Buffer | undefined>;

/**
 * Reads the piece of a file that begins at a byte. To be called with 0, and then with the end of the piece before.
 * undefined: the file has been deleted.
 */
export type ReadPiece = (from: number) => Promise<Buffer | undefined>;

type Limit = <T>(task: () => Promise<T>) => Promise<T>;
/** Opens a file, wherever its content is. `limits`: through which its reads run. */
export type OpenFile = (file: MovableFile, limits?: { database: Limit; bucket: Limit }) => ReadPiece;

const unlimited: Limit = (task) => task();

/** The bucket does not have the object of a file that is there. */
export class MissingObjectError extends Error {}

export const createOpenFile =
  (db: Knex, readObject: ReadObject, { files }: Limits): OpenFile =>
  (file, limits = { database: unlimited, bucket: unlimited }) => {
    const { id, size } = file;
    let { object } = file;
    const hash = object && createHash('sha256');

    /** The content may have been moved since it was looked up; false when the file has been deleted. */
    async function isMoved(): Promise<boolean> {
      const found = await limits.database(() => findFileObject(db, id));
      if (found?.object && found.object.id === object?.id) {
        throw new MissingObjectError(`the bucket has no object ${found.object.id}, and a file is in it`);
      }
      object = found?.object;
      return found !== undefined;
    }

    const readHere = (from: number): Promise<Buffer | undefined> => {
      const holder = object;
      if (!holder) return limits.database(() => findFileChunk(db, id, from / SIZES.file.chunkBytes));
      const length = Math.min(size - from, from === 0 ? SIZES.file.chunkBytes : SIZES.file.maxPieceBytes);
      return limits.bucket(() =>
        readObject(holder.id, { from, length }, from === 0 ? files.firstPieceTimeoutMs : files.laterPieceTimeoutMs),
      );
    };

    return async (from) => {
      if (size === 0) return Buffer.alloc(0);
      const piece = (await readHere(from)) ?? ((await isMoved()) ? await readHere(from) : undefined);
      if (!piece) return undefined;
      hash?.update(piece);
      // Before the last piece is passed on: wrong content must not look complete.
      const isLast = from + piece.length === size;
      if (hash && isLast && file.object && !hash.digest().equals(file.object.sha256)) {
        throw new Error(`the object ${file.object.id} has other content than was stored`);
      }
      return piece;
    };
  };

/** The pieces of a file that was opened, in order. They end early when the file is deleted meanwhile. */
export async function* readPieces({ size }: MovableFile, read: ReadPiece): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; ) {
    const piece = await read(from);
    if (!piece) return;
    from += piece.length;
    yield piece;
  }
}
