import { beforeAll, beforeEach, expect, it } from 'vitest';
import { beginPurge, finishPurge } from '../../src/db/deployments/deleted-deployment-queries.ts';
import { REMOVED_BYTES } from '../../src/db/files/stored-file-queries.ts';
import { deleteSubmissions } from '../../src/db/submissions/submission-queries.ts';
import { SIZES } from '../../src/sizes.ts';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';

const MAX_CHUNKS = REMOVED_BYTES / SIZES.file.chunkBytes;

const database = await testDatabase();
const db = openDatabase(database.url);
beforeAll(async () => {
  // Fails a statement that removes more chunks than it may.
  await db.raw(`
    CREATE FUNCTION check_removed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM removed) > ${MAX_CHUNKS} THEN RAISE 'too many chunks in a statement'; END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER check_removed AFTER DELETE ON submission_file_chunks REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION check_removed()`);
});
beforeEach(async () => {
  // clear() empties the tables by TRUNCATE, which fires no trigger for DELETE.
  await database.clear();
  await db.raw(`
    INSERT INTO owners (id, email, plan) OVERRIDING SYSTEM VALUE
    VALUES (1, 'owner@test.example', 'unlimited'), (2, 'other@test.example', 'unlimited');
    INSERT INTO deployments (id, owner_id, slug) VALUES ('d_1', 1, 'a-form');
    INSERT INTO submissions (id, deployment_id, number, data, ip_address, created_at)
    VALUES ('sub_1', 'd_1', 1, '{}', '192.0.2.1', now()), ('sub_2', 'd_1', 2, '{}', '192.0.2.1', now())`);
});

/** Adds files of these sizes, with chunks of one byte in place of whole ones. */
const addFiles = (submissionId: string, ...sizes: number[]) =>
  db.raw(
    `WITH file AS (
       INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
       SELECT :submissionId || n, 'd_1', :submissionId, 'a', 'text/plain', size
         FROM unnest(CAST(:sizes AS int[])) WITH ORDINALITY AS file (size, n) RETURNING id, size
     )
     INSERT INTO submission_file_chunks (file_id, position, content)
     SELECT id, position, 'x' FROM file, generate_series(0, (size - 1) / ${SIZES.file.chunkBytes}) AS position`,
    { submissionId, sizes },
  );

/** Which files have chunks, and how many. */
async function chunksOf(): Promise<Record<string, number>> {
  const { rows } = await db.raw(
    'SELECT file_id, count(*) AS chunks FROM submission_file_chunks GROUP BY file_id ORDER BY file_id',
  );
  return Object.fromEntries(rows.map(({ file_id, chunks }: { file_id: string; chunks: number }) => [file_id, chunks]));
}

const LARGE = 3 * REMOVED_BYTES + 1;

it('removes the files of a purged deployment in pieces, large ones and many small ones', async () => {
  await addFiles('sub_1', LARGE, 1, REMOVED_BYTES);
  await addFiles('sub_2', ...Array.from({ length: 1_100 }, () => 1));
  await db('deployments').update({ deleted_at: new Date() });
  expect(await beginPurge(db, 'd_1')).toBe(true);
  await finishPurge(db, 'd_1');
  expect(await chunksOf()).toEqual({});
  expect(await db('submission_files')).toEqual([]);
});

it('removes the large files of a deleted submission in pieces, for its owner only', async () => {
  await addFiles('sub_1', LARGE);
  await addFiles('sub_2', SIZES.file.chunkBytes + 1);
  expect(await deleteSubmissions(db, 2, 'd_1', ['sub_1'])).toBe(0);
  expect(await chunksOf()).toEqual({ sub_11: 3 * MAX_CHUNKS + 1, sub_21: 2 });
  expect(await deleteSubmissions(db, 1, 'd_1', ['sub_1'])).toBe(1);
  expect(await chunksOf()).toEqual({ sub_21: 2 });
  expect((await db('submissions')).map(({ id }) => id)).toEqual(['sub_2']);
  expect(await deleteSubmissions(db, 1, 'd_1', ['sub_1'])).toBe(0);
});

it('deletes a submission whose large files a broken-off deletion has removed in part', async () => {
  await addFiles('sub_1', LARGE, LARGE);
  await db.raw('DELETE FROM submission_file_chunks WHERE position < 100 AND file_id = ?', ['sub_11']);
  expect(await deleteSubmissions(db, 1, 'd_1', ['sub_1'])).toBe(1);
  expect(await chunksOf()).toEqual({});
});

it('waits for a page that is being replaced without keeping the deployment locked', async () => {
  await db.raw("INSERT INTO pages (deployment_id, html) VALUES ('d_1', '<p>')");
  await db('deployments').update({ deleted_at: new Date() });
  // The order is that of replaceHtml: the page first, then the deployment.
  let purging: Promise<boolean> | undefined;
  await db.transaction(async (transaction) => {
    await transaction('pages').update({ html: Buffer.from('<b>') });
    purging = beginPurge(db, 'd_1');
    await expect.poll(async () => (await db.raw('SELECT FROM pg_locks WHERE NOT granted')).rowCount).toBe(1);
    await transaction.raw('SELECT FROM deployments FOR UPDATE NOWAIT');
  });
  expect(await purging).toBe(true);
});
