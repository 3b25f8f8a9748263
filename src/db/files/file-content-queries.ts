import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { type FileObject, findFileChunk, findFileObject, type MovableFile } from './stored-file-queries.ts';

/** Reads a part of an object in the bucket, within a time; undefined when there is no such object. */
export type ReadObject = (
  id: string,
  part: { from: number; length: number },
  withinMs: number,
) => Promise<Buffer | undefined>;

/**
 * Reads the piece of a file that begins at a byte. To be called with 0, and then with the end of the piece before. `maxBytes`: for a
 * piece smaller than the largest, at least a chunk. undefined: the file has been deleted.
 */
export type ReadPiece = (from: number, maxBytes?: number) => Promise<Buffer | undefined>;

type Limit = <T>(task: () => Promise<T>) => Promise<T>;
/** Through which reads run. */
export type ReadLimits = { database: Limit; bucket: Limit };
/** Opens a file, wherever its content is. */
export type OpenFile = (file: MovableFile, limits?: ReadLimits) => ReadPiece;

const unlimited: Limit = (task) => task();

/** A content that is in the database, or in the bucket. */
type Content = {
  size: number;
  /** Where it was when it was looked up. */
  object: FileObject | undefined;
  sha256: Buffer | undefined;
  /** Where it is now; undefined: it has been deleted. */
  findObject(): Promise<{ object: FileObject | undefined } | undefined>;
  /** Its chunk that begins at a byte; undefined when it is not in the database. */
  findChunk(from: number): Promise<Buffer | undefined>;
};

/** The bucket does not have the object of a file that is there. */
export class MissingObjectError extends Error {}

/** Opens a content. Its SHA-256 is compared when all of it is read in order. */
export function openContent(
  content: Content,
  readObject: ReadObject,
  { files }: Limits,
  limits: ReadLimits = { database: unlimited, bucket: unlimited },
): ReadPiece {
  const { size, sha256 } = content;
  let { object } = content;
  const hash = sha256 && createHash('sha256');
  let hashed = 0;

  /** The content may have been moved since it was looked up; false when it has been deleted. */
  async function isMoved(): Promise<boolean> {
    const found = await limits.database(() => content.findObject());
    if (found?.object && found.object.id === object?.id) {
      throw new MissingObjectError(`the bucket has no object ${found.object.id}, and a file is in it`);
    }
    object = found?.object;
    return found !== undefined;
  }

  const readHere = (from: number, maxBytes: number): Promise<Buffer | undefined> => {
    const holder = object;
    if (!holder) return limits.database(() => content.findChunk(from));
    const length = Math.min(size - from, from === 0 ? SIZES.file.chunkBytes : maxBytes);
    return limits.bucket(() =>
      readObject(holder.id, { from, length }, from === 0 ? files.firstPieceTimeoutMs : files.laterPieceTimeoutMs),
    );
  };

  return async (from, maxBytes = SIZES.file.maxPieceBytes) => {
    if (size === 0) return Buffer.alloc(0);
    let piece = await readHere(from, maxBytes);
    // Twice: the first look-up may be the one that says where the content is.
    for (let tries = 0; !piece && tries < 2 && (await isMoved()); tries += 1) piece = await readHere(from, maxBytes);
    if (!piece) return undefined;
    if (hash && from === hashed) {
      hash.update(piece);
      hashed += piece.length;
      // Before the last piece is passed on: wrong content must not look complete.
      if (hashed === size && !hash.digest().equals(sha256)) {
        throw new Error(`the object ${object?.id} has other content than was stored`);
      }
    }
    return piece;
  };
}

export const createOpenFile =
  (db: Knex, readObject: ReadObject, limits: Limits): OpenFile =>
  ({ id, size, object }, readLimits) => {
    const content = {
      ...{ size, object, sha256: object?.sha256 },
      findObject: () => findFileObject(db, id),
      findChunk: (from: number) => findFileChunk(db, id, from / SIZES.file.chunkBytes),
    };
    return openContent(content, readObject, limits, readLimits);
  };

/** The pieces of a file that was opened, in order. They end early when the file is deleted meanwhile. */
export async function* readPieces({ size }: { size: number }, read: ReadPiece): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; ) {
    const piece = await read(from);
    if (!piece) return;
    from += piece.length;
    yield piece;
  }
}
