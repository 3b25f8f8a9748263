import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type pg from 'pg';
import { SIZES } from '../../sizes.ts';
import type { ReadObject } from '../files/file-content-queries.ts';
import { FILES_BATCH } from '../files/stored-file-queries.ts';
import type { Table } from './backup-file.ts';

/*
 * A backup has the content of all files, as if none were in a bucket: it can be restored where there is none.
 */

/** Tables that say what this installation does with its bucket and its backups. */
export const NOT_IN_BACKUPS = ['bucket_use', 'removed_objects', 'last_backup'];

const SITE_CONTENTS = 'site_contents';

/** Columns that name objects, by table: they are null in a backup. */
export const OBJECT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  submission_files: ['object_id', 'object_sha256'],
  [SITE_CONTENTS]: ['object_id'],
};

/** In SQL, the rows of a table that have no content in the bucket; all, where a table is not listed. */
export const ROWS_WITHOUT_OBJECT: Readonly<Record<string, string>> = { [SITE_CONTENTS]: 'object_id IS NULL' };

/** A content in the bucket. `values`: the columns of its rows, in COPY's text format. */
type Content = { name: string; size: number; object_id: string; sha256: Buffer; values: Record<string, string> };

/** SELECTs the contents in the bucket that belong to the rows of a table. */
const CONTENTS: Readonly<Record<string, string>> = {
  submission_file_chunks: `
    SELECT id AS name, size, object_id, object_sha256 AS sha256, json_build_object('file_id', id) AS values
      FROM submission_files`,
  [SITE_CONTENTS]: `
    SELECT encode(sha256, 'hex') AS name, bytes AS size, object_id, sha256,
           json_build_object('owner_id', CAST(owner_id AS text), 'sha256', '\\\\x' || encode(sha256, 'hex'),
             'bytes', CAST(bytes AS text), 'checked_at', CAST(checked_at AS text)) AS values
      FROM site_contents`,
};

/** A piece of a content is read from the bucket. */
const READ_TIMEOUT_MS = 30_000;
/** Contents whose beginning is read at a time. */
const AHEAD = 8;

async function* contentsInBucket(client: pg.Client, contents: string): AsyncGenerator<Content[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: Content[] } = await client.query<Content>(
      `${contents} WHERE object_id > $1 ORDER BY object_id LIMIT ${FILES_BATCH}`,
      [after],
    );
    for (let from = 0; from < rows.length; from += AHEAD) yield rows.slice(from, from + AHEAD);
    after = rows.at(-1)?.object_id;
  }
}

/** A row in COPY's text format. */
function rowOf({ columns }: Table, others: Content['values'], position: number, content: Buffer): Buffer {
  const values: Record<string, string> = {
    ...others,
    position: String(position),
    content: `\\\\x${content.toString('hex')}`,
  };
  return Buffer.from(`${columns.map((column) => values[column] ?? '\\N').join('\t')}\n`);
}

type ReadPart = (from: number) => Promise<Buffer | undefined>;

/** The pieces of a content, of which `first` is being read. They are fewer, or others, when the object is not whole. */
async function* piecesOf(
  { size, sha256 }: Content,
  first: Promise<Buffer | undefined>,
  read: ReadPart,
  onDamaged: () => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (let done = 0; done < size; ) {
    const piece = await (done === 0 ? first : read(done));
    if (!piece) break;
    hash.update(piece);
    done += piece.length;
    yield piece;
  }
  if (!hash.digest().equals(sha256)) onDamaged();
}

/**
 * The rows that a table would have, besides those that it has, if all contents were in the database. `onDamaged` is called
 * with the name of a content whose object is missing or has other content than was stored.
 */
export async function* rowsOfBucket(
  client: pg.Client,
  table: Table,
  readObject: ReadObject,
  onDamaged: (name: string) => void,
): AsyncGenerator<Buffer> {
  const contents = CONTENTS[table.name];
  if (contents === undefined) return;
  for await (const some of contentsInBucket(client, contents)) {
    const opened = some.map((content) => {
      const read: ReadPart = (from) => {
        const length = Math.min(content.size - from, SIZES.file.maxPieceBytes);
        return readObject(content.object_id, { from, length }, READ_TIMEOUT_MS);
      };
      return { content, read, first: read(0) };
    });
    // Each is awaited in its turn.
    for (const { first } of opened) first.catch(() => undefined);
    for (const { content, read, first } of opened) {
      let isWhole = true;
      const pieces = piecesOf(content, first, read, () => {
        isWhole = false;
        onDamaged(content.name);
      });
      if (table.name === SITE_CONTENTS) {
        const whole = await buffer(pieces);
        // Without its row, a content is stored again when it is sent again.
        if (isWhole) yield rowOf(table, content.values, 0, whole);
      } else {
        yield* chunkRows(table, content, pieces);
      }
    }
  }
}

/** A row for each chunk. */
async function* chunkRows(table: Table, { values }: Content, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += SIZES.file.chunkBytes) {
      yield rowOf(table, values, position, piece.subarray(from, from + SIZES.file.chunkBytes));
      position += 1;
    }
  }
}
