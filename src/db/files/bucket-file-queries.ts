import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import type { Database } from '../postgres/connect.ts';
import { execute, query, queryOne, readAll } from '../postgres/query.ts';
import {
  checkFresh,
  type FileObject,
  insertChunks,
  type MovableFile,
  type NewObject,
  type ObjectRow,
  toObject,
} from './stored-file-queries.ts';

/** Files that one statement of a move looks at, and chunks that one removes. */
const MOVED_FILES_BATCH = 1_000;
const MOVED_CHUNKS_BATCH = 128;

/*
 * Contents in the bucket, of files of submissions and of sites, and the objects that are to be deleted from it.
 */

/** A content of files of sites of an owner. */
type SiteContent = { ownerId: number; sha256: Buffer; size: number; object: FileObject | undefined };
/** A content that can be moved: of a file of a submission, or of files of sites. */
export type MovableContent = MovableFile | SiteContent;

/** The key of the advisory lock that a backup holds while it reads objects: another than that of migrations, the same in every version. */
export const BACKUP_LOCK = 7_265_113_421;

/** Objects that are deleted from the bucket together. */
export const DELETED_BATCH = 200;

const IS_BACKED_UP = `EXISTS (
  SELECT FROM pg_locks
   WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND (CAST(classid AS bigint) << 32 | CAST(objid AS bigint)) = ${BACKUP_LOCK})`;

/**
 * Up to DELETED_BATCH objects that no file has any more: the caller deletes them, others don't meanwhile. None while a backup
 * is being made, which sees files that have been removed since.
 */
export async function claimRemovedObjects(db: Knex, { deletionDueAgainMs }: Limits['files']): Promise<string[]> {
  const rows = await query<{ object_id: string }>(
    db,
    'claim-removed-objects',
    `UPDATE removed_objects SET due_at = clock_timestamp() + ? * interval '1 ms'
      WHERE object_id IN (
        SELECT object_id FROM removed_objects WHERE due_at <= now() AND NOT ${IS_BACKED_UP}
         ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)
     RETURNING object_id`,
    [deletionDueAgainMs, DELETED_BATCH],
  );
  return rows.map((row) => row.object_id);
}

/** Objects that have been deleted from the bucket. */
export const forgetRemovedObjects = (db: Knex, ids: readonly string[]): Promise<number> =>
  execute(db, 'forget-removed-objects', 'DELETE FROM removed_objects WHERE object_id = ANY (?::text[])', [[...ids]]);

/** Returns those of these objects that nothing in the database names. */
export async function findOrphans(db: Knex, ids: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'find-orphans',
    `SELECT id FROM unnest(?::text[]) AS listed (id)
      WHERE NOT EXISTS (SELECT FROM submission_files WHERE object_id = listed.id)
        AND NOT EXISTS (SELECT FROM site_contents WHERE object_id = listed.id)
        AND NOT EXISTS (SELECT FROM removed_objects WHERE object_id = listed.id)`,
    [[...ids]],
  );
  return rows.map(({ id }) => id);
}

/** Which installation this database is. */
export async function installationOf(db: Knex): Promise<string> {
  await execute(db, 'begin-bucket-use', 'INSERT INTO bucket_use DEFAULT VALUES ON CONFLICT DO NOTHING');
  const sql = 'SELECT installation FROM bucket_use';
  return (await queryOne<{ installation: string }>(db, 'find-installation', sql)).installation;
}

/** Returns whether the caller has to look for orphans now. One process does so, once a day. */
export const claimSweep = async (db: Knex): Promise<boolean> =>
  (await execute(
    db,
    'claim-sweep',
    "UPDATE bucket_use SET next_sweep_at = now() + interval '24 hours' WHERE next_sweep_at <= now()",
  )) === 1;

/** Returns whether any content is in the bucket. */
export const hasBucketFiles = async (db: Knex): Promise<boolean> =>
  (await execute(
    db,
    'has-bucket-files',
    `(SELECT FROM submission_files WHERE object_id IS NOT NULL LIMIT 1)
     UNION ALL (SELECT FROM site_contents WHERE object_id IS NOT NULL LIMIT 1)`,
  )) > 0;

export type Place = 'bucket' | 'database';

/** How many contents are in each place, and how many bytes they have. */
export async function countFiles(db: Knex): Promise<Record<Place, { files: number; bytes: number }>> {
  const rows = await query<{ in_bucket: boolean; files: number; bytes: number }>(
    db,
    'count-files',
    `SELECT object_id IS NOT NULL AS in_bucket, count(*) AS files, CAST(sum(size) AS bigint) AS bytes
       FROM (SELECT object_id, size FROM submission_files UNION ALL SELECT object_id, bytes FROM site_contents) AS content
      WHERE size > 0 GROUP BY 1`,
  );
  const of = (inBucket: boolean) => {
    const { files = 0, bytes = 0 } = rows.find((row) => row.in_bucket === inBucket) ?? {};
    return { files, bytes };
  };
  return { bucket: of(true), database: of(false) };
}

/** All contents that are not in `place`, in the order of their keys; a bounded number at a time. */
export async function* listContentsOutside(db: Knex, place: Place): AsyncGenerator<MovableContent> {
  const rows = readAll<{ id: string; size: number } & ObjectRow>((last) =>
    query(
      db,
      'list-files-to-move',
      'SELECT id, size, object_id, object_sha256 FROM submission_files WHERE id > ? ORDER BY id LIMIT ?',
      [last?.id ?? '', MOVED_FILES_BATCH],
    ),
  );
  for await (const { id, size, ...row } of rows) {
    const object = toObject(row);
    if (size > 0 && (object === undefined) === (place === 'bucket')) yield { id, size, object };
  }
  const contents = readAll<{ owner_id: number; sha256: Buffer; bytes: number; object_id: string | null }>((last) =>
    query(
      db,
      'list-contents-to-move',
      `SELECT owner_id, sha256, bytes, object_id FROM site_contents
        WHERE (owner_id, sha256) > (?, ?) ORDER BY owner_id, sha256 LIMIT ?`,
      [last?.owner_id ?? 0, last?.sha256 ?? Buffer.alloc(0), MOVED_FILES_BATCH],
    ),
  );
  for await (const { owner_id: ownerId, sha256, bytes: size, object_id } of contents) {
    const object = toObject({ object_id, object_sha256: sha256 });
    if (size > 0 && (object === undefined) === (place === 'bucket')) yield { ownerId, sha256, size, object };
  }
}

/** From now on an object has a content; false when that has been deleted or moved. */
export const moveToObject = (db: Database, content: MovableContent, object: NewObject): Promise<boolean> =>
  db.longTransaction(async (transaction) => {
    checkFresh(object);
    if ('ownerId' in content) {
      const sql = `UPDATE site_contents SET content = NULL, object_id = ?
                    WHERE owner_id = ? AND sha256 = ? AND object_id IS NULL`;
      return (
        (await execute(transaction, 'move-site-to-object', sql, [object.id, content.ownerId, content.sha256])) === 1
      );
    }
    const { id, size } = content;
    const moved = await execute(
      transaction,
      'move-to-object',
      'UPDATE submission_files SET object_id = ?, object_sha256 = ? WHERE id = ? AND object_id IS NULL',
      [object.id, object.sha256, id],
    );
    if (moved === 0) return false;
    for (let from = 0; from * SIZES.file.chunkBytes < size; from += MOVED_CHUNKS_BATCH) {
      await execute(
        transaction,
        'remove-moved-chunks',
        'DELETE FROM submission_file_chunks WHERE file_id = ? AND position >= ? AND position < ?',
        [id, from, from + MOVED_CHUNKS_BATCH],
      );
    }
    return true;
  });

/** From now on the database has a content, whose bytes these are; false when it has been deleted or moved. */
export const moveToDatabase = (db: Database, content: MovableContent, bytes: Buffer): Promise<boolean> =>
  db.longTransaction(async (transaction) => {
    const objectId = content.object?.id ?? '';
    if ('ownerId' in content) {
      const sql = 'UPDATE site_contents SET content = ?, object_id = NULL WHERE object_id = ?';
      return (await execute(transaction, 'move-site-to-database', sql, [bytes, objectId])) === 1;
    }
    const { id } = content;
    const moved = await execute(
      transaction,
      'move-to-database',
      'UPDATE submission_files SET object_id = NULL, object_sha256 = NULL WHERE id = ? AND object_id = ?',
      [id, objectId],
    );
    if (moved === 0) return false;
    await insertChunks(transaction, id, bytes);
    return true;
  });
