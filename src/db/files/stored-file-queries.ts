import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { execute, query, readAll } from '../postgres/query.ts';

/** Files that one statement reads. */
export const FILES_BATCH = 500;
/** The content, and the files, that one statement removes, which takes about 50 ms. */
export const REMOVED_BYTES = 32 * 1024 * 1024;
export const REMOVED_FILES = 100;

/** The object in the bucket that has a file's content. */
export type FileObject = { id: string; sha256: Buffer };

/** One that no file has yet. `putAt`: when it was put into the bucket, in milliseconds. */
export type NewObject = FileObject & { putAt: number };

/** A row names a new object in this time, which is much less than that after which an object without a name is an orphan. */
const MAX_NAMING_MS = 60 * 60 * 1_000;

/** Throws when an object is too old to be named: this process, or its machine, has been suspended meanwhile. */
export function checkFresh({ id, putAt }: NewObject): void {
  if (Date.now() - putAt > MAX_NAMING_MS) throw new Error(`the object ${id} was put into the bucket too long ago`);
}

/** `size` in bytes. `object`: undefined when the content is in this database. */
export type StoredFile = {
  id: string;
  filename: string;
  contentType: string;
  size: number;
  object: FileObject | undefined;
};

export type ObjectRow = { object_id: string | null; object_sha256: Buffer | null };
type FileRow = { id: string; filename: Buffer; content_type: string; size: number } & ObjectRow;

export const toObject = ({ object_id: id, object_sha256: sha256 }: ObjectRow): FileObject | undefined =>
  id === null || sha256 === null ? undefined : { id, sha256 };

const toFile = (row: FileRow): StoredFile => ({
  id: row.id,
  filename: row.filename.toString(),
  contentType: row.content_type,
  size: row.size,
  object: toObject(row),
});

type FileIds = { deploymentId: string; submissionId: string; fileId: string };

const OF_LIVE_DEPLOYMENT = `
  SELECT submission_files.id, filename, content_type, size, object_id, object_sha256
    FROM submission_files JOIN deployments ON deployments.id = deployment_id
   WHERE submission_files.id = :fileId AND deployment_id = :deploymentId AND submission_id = :submissionId AND deleted_at IS NULL
     AND NOT EXISTS (SELECT FROM trashed_submissions WHERE trashed_submissions.id = submission_id)`;

async function findOne(db: Knex, name: string, sql: string, ids: FileIds): Promise<StoredFile | undefined> {
  const [row] = await query<FileRow>(db, name, sql, ids);
  return row && toFile(row);
}

/** A file of a submission to a live deployment, of any owner. One in the trash has none until it is restored. */
export const findFile = (db: Knex, ids: FileIds): Promise<StoredFile | undefined> =>
  findOne(db, 'find-file', OF_LIVE_DEPLOYMENT, ids);

/** The same for everybody who has a link: the operator has neither taken the page down, nor suspended its owner. */
export const findLinkedFile = (db: Knex, ids: FileIds): Promise<StoredFile | undefined> =>
  findOne(db, 'find-linked-file', `${OF_LIVE_DEPLOYMENT} AND taken_down_at IS NULL AND NOT suspended`, ids);

/** The files of submissions to a live deployment of this owner. */
export async function listSubmissionFiles(
  db: Knex,
  { ownerId, deploymentId, submissionIds }: { ownerId: number; deploymentId: string; submissionIds: readonly string[] },
): Promise<StoredFile[]> {
  const rows = await query<FileRow>(
    db,
    'list-submission-files',
    `SELECT submission_files.id, filename, content_type, size, object_id, object_sha256
       FROM submission_files JOIN deployments ON deployments.id = deployment_id
      WHERE deployment_id = ? AND submission_id = ANY (?::text[]) AND owner_id = ? AND deleted_at IS NULL`,
    [deploymentId, [...submissionIds], ownerId],
  );
  return rows.map(toFile);
}

/** All files of a deployment, live or deleted, in the order of their submissions' ids; a bounded number at a time. `tests`: those of tests as well. */
export async function* listFiles(
  db: Knex,
  deploymentId: string,
  { tests }: { tests: boolean },
): AsyncGenerator<StoredFile & { submissionId: string }> {
  const rows = readAll<FileRow & { submission_id: string }>((last) =>
    query(
      db,
      'list-files',
      `SELECT submission_id, id, filename, content_type, size, object_id, object_sha256 FROM submission_files
        WHERE deployment_id = :deploymentId AND (submission_id, id) > (:submission, :file)
          AND (:tests OR NOT EXISTS (SELECT FROM test_submissions WHERE test_submissions.id = submission_id))
        ORDER BY submission_id, id LIMIT :batch`,
      { deploymentId, tests, submission: last?.submission_id ?? '', file: last?.id ?? '', batch: FILES_BATCH },
    ),
  );
  for await (const row of rows) yield { ...toFile(row), submissionId: row.submission_id };
}

/** The properties by which the content of a file is read, and moved. */
export type MovableFile = Pick<StoredFile, 'id' | 'size' | 'object'>;

export type SizedFile = Pick<StoredFile, 'id' | 'size'>;

/**
 * Removes files for good, a bounded part of their content in each statement. Throws when the signal fires. When it is
 * interrupted, what is left is removed by the next call.
 */
export async function removeFiles(
  db: Knex,
  files: AsyncIterable<SizedFile> | Iterable<SizedFile>,
  signal?: AbortSignal,
): Promise<void> {
  let ids: string[] = [];
  let bytes = 0;
  const removeRows = async (): Promise<void> => {
    await execute(db, 'remove-files', 'DELETE FROM submission_files WHERE id = ANY (?::text[])', [ids]);
    ids = [];
    bytes = 0;
  };
  for await (const { id, size } of files) {
    let rest = size;
    for (let position = 0; rest > REMOVED_BYTES; rest -= REMOVED_BYTES) {
      signal?.throwIfAborted();
      const end = position + REMOVED_BYTES / SIZES.file.chunkBytes;
      await execute(
        db,
        'remove-file-chunks',
        'DELETE FROM submission_file_chunks WHERE file_id = ? AND position >= ? AND position < ?',
        [id, position, end],
      );
      position = end;
    }
    if (bytes + rest > REMOVED_BYTES || ids.length === REMOVED_FILES) await removeRows();
    ids.push(id);
    bytes += rest;
  }
  await removeRows();
}

/** Where the content of a file is now; undefined when the file has been deleted. */
export async function findFileObject(db: Knex, id: string): Promise<{ object: FileObject | undefined } | undefined> {
  const sql = 'SELECT object_id, object_sha256 FROM submission_files WHERE id = ?';
  const [row] = await query<ObjectRow>(db, 'find-file-object', sql, [id]);
  return row && { object: toObject(row) };
}

/** A chunk of a file, the first at position 0; undefined after the last, or when the file has been deleted. */
export async function findFileChunk(db: Knex, fileId: string, position: number): Promise<Buffer | undefined> {
  const [row] = await query<{ content: Buffer }>(
    db,
    'find-file-chunk',
    'SELECT content FROM submission_file_chunks WHERE file_id = ? AND position = ?',
    [fileId, position],
  );
  return row?.content;
}

/** Stores the content of a file in this database. */
export async function insertChunks(transaction: Knex, fileId: string, content: Buffer): Promise<void> {
  for (let position = 0; position * SIZES.file.chunkBytes < content.length; position += 1) {
    const from = position * SIZES.file.chunkBytes;
    await execute(
      transaction,
      'insert-file-chunk',
      'INSERT INTO submission_file_chunks (file_id, position, content) VALUES (?, ?, ?)',
      [fileId, position, content.subarray(from, from + SIZES.file.chunkBytes)],
    );
  }
}
