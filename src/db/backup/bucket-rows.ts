import { createHash } from 'node:crypto';
import type pg from 'pg';
import { SIZES } from '../../sizes.ts';
import type { ReadObject } from '../files/file-content.ts';
import { FILES_BATCH } from '../files/stored-files.ts';
import type { Table } from './backup-file.ts';

/*
 * A backup has the content of all files, as if none were in a bucket: it can be restored where there is none.
 */

/** Tables that say what this installation does with its bucket. */
export const NOT_IN_BACKUPS = ['bucket_use', 'removed_objects'];
export const FILES = 'submission_files';
export const CHUNKS = 'submission_file_chunks';
/** Columns of FILES that are null in a backup. */
export const OBJECT_COLUMNS = ['object_id', 'object_sha256'];

type Row = { id: string; size: number; object_id: string; object_sha256: Buffer };

/** A piece of a file is read from the bucket. */
const READ_TIMEOUT_MS = 30_000;
/** Files whose beginning is read at a time. */
const AHEAD = 8;

async function* filesInBucket(client: pg.Client): AsyncGenerator<Row[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: Row[] } = await client.query<Row>(
      `SELECT id, size, object_id, object_sha256 FROM ${FILES} WHERE object_id > $1 ORDER BY object_id LIMIT ${FILES_BATCH}`,
      [after],
    );
    for (let from = 0; from < rows.length; from += AHEAD) yield rows.slice(from, from + AHEAD);
    after = rows.at(-1)?.object_id;
  }
}

/** A row of CHUNKS in COPY's text format. */
function rowOf({ columns }: Table, fileId: string, position: number, content: Buffer): Buffer {
  const values: Record<string, string> = {
    file_id: fileId,
    position: String(position),
    content: `\\\\x${content.toString('hex')}`,
  };
  return Buffer.from(`${columns.map((column) => values[column] ?? '\\N').join('\t')}\n`);
}

/**
 * The rows that CHUNKS would have if the content of all files were in the database. `onDamaged` is called with a file
 * whose object is missing or has other content than was stored.
 */
export async function* rowsOfBucket(
  client: pg.Client,
  table: Table,
  readObject: ReadObject,
  onDamaged: (fileId: string) => void,
): AsyncGenerator<Buffer> {
  const read = ({ object_id: id, size }: Row, from: number) =>
    readObject(id, { from, length: Math.min(size - from, SIZES.file.maxPieceBytes) }, READ_TIMEOUT_MS);
  for await (const files of filesInBucket(client)) {
    const firsts = files.map((file) => read(file, 0));
    // Each is awaited in its turn.
    for (const first of firsts) first.catch(() => undefined);
    for (const [index, file] of files.entries()) {
      const hash = createHash('sha256');
      let done = 0;
      while (done < file.size) {
        const piece = done === 0 ? await firsts[index] : await read(file, done);
        if (!piece) break;
        hash.update(piece);
        for (let from = 0; from < piece.length; from += SIZES.file.chunkBytes) {
          const chunk = piece.subarray(from, from + SIZES.file.chunkBytes);
          yield rowOf(table, file.id, (done + from) / SIZES.file.chunkBytes, chunk);
        }
        done += piece.length;
      }
      if (!hash.digest().equals(file.object_sha256)) onDamaged(file.id);
    }
  }
}
