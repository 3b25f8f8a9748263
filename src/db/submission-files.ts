import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from './connect.ts';
import type { LeasedDelivery } from './deliveries.ts';
import { findRoom, type NewSubmission, type Outcome, storeSubmissions } from './submissions.ts';

/** `filename` and `contentType` as they were sent. */
export type NewFile = { id: string; filename: string; contentType: string; content: Buffer };

/** `size` in bytes. */
export type StoredFile = { id: string; filename: string; contentType: string; size: number };

/** A piece of a file, in a statement and in memory; small enough for a slow disk, and for many slow readers. */
const CHUNK_BYTES = 256 * 1024;
/** For how long a submission waits for a deployment that somebody else holds, and how often it looks. */
const BUSY_MS = 1_500;
const LOOK_AGAIN_MS = 5;

/** Ends the transaction of a submission that is not taken. */
class NotTaken extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/**
 * Stores a submission with its files, all or nothing, and answers like `storeSubmissions`. The files come first: the lock
 * on the deployment's row, which every submission to it needs, is held for one statement and the commit.
 */
export async function storeSubmissionWithFiles(
  db: Database,
  submission: NewSubmission,
  files: readonly NewFile[],
  leasing: { leaseMs: number; busy: readonly string[] | undefined },
): Promise<{ outcome: Outcome; deliveries: LeasedDelivery[] }> {
  try {
    return await db.longTransaction(async (transaction) => {
      // A flood of uploads that are refused writes no files.
      const room = await findRoom(transaction, submission.deploymentId);
      if (room.kind !== 'accepted') throw new NotTaken(room);
      await insertFiles(transaction, submission, files);
      const stored = await storeOne(transaction, submission, leasing);
      if (stored.outcome.kind !== 'accepted') throw new NotTaken(stored.outcome);
      return stored;
    });
  } catch (error) {
    if (error instanceof NotTaken) return { outcome: error.outcome, deliveries: [] };
    throw error;
  }
}

async function storeOne(
  transaction: Knex,
  submission: NewSubmission,
  leasing: { leaseMs: number; busy: readonly string[] | undefined },
): Promise<{ outcome: Outcome; deliveries: LeasedDelivery[] }> {
  const since = performance.now();
  for (;;) {
    const { outcomes, deliveries } = await storeSubmissions(transaction, [submission], leasing);
    const [outcome] = outcomes;
    if (!outcome) throw new Error('The store answered no outcome.');
    if (outcome.kind !== 'busy' || performance.now() - since > BUSY_MS) return { outcome, deliveries };
    await delay(LOOK_AGAIN_MS);
  }
}

async function insertFiles(transaction: Knex, submission: NewSubmission, files: readonly NewFile[]): Promise<void> {
  await transaction
    .raw(
      `INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
       SELECT id, ?, ?, filename, content_type, size
         FROM unnest(?::text[], ?::bytea[], ?::text[], ?::integer[]) AS file (id, filename, content_type, size)`,
      [
        submission.deploymentId,
        submission.id,
        files.map(({ id }) => id),
        files.map(({ filename }) => Buffer.from(filename)),
        files.map(({ contentType }) => contentType),
        files.map(({ content }) => content.length),
      ],
    )
    .options({ name: 'insert-files' });
  for (const { id, content } of files) {
    for (let position = 0; position * CHUNK_BYTES < content.length; position += 1) {
      const from = position * CHUNK_BYTES;
      await transaction
        .raw('INSERT INTO submission_file_chunks (file_id, position, content) VALUES (?, ?, ?)', [
          id,
          position,
          content.subarray(from, from + CHUNK_BYTES),
        ])
        .options({ name: 'insert-file-chunk' });
    }
  }
}

type FileRow = { id: string; filename: Buffer; content_type: string; size: number };

const toFile = ({ id, filename, content_type: contentType, size }: FileRow): StoredFile => ({
  id,
  filename: filename.toString(),
  contentType,
  size,
});

/** A file of this deployment's submission. */
export async function findFile(
  db: Knex,
  { deploymentId, submissionId, fileId }: { deploymentId: string; submissionId: string; fileId: string },
): Promise<StoredFile | undefined> {
  const { rows } = await db.raw(
    `SELECT id, filename, content_type, size FROM submission_files
      WHERE id = ? AND deployment_id = ? AND submission_id = ?`,
    [fileId, deploymentId, submissionId],
  );
  return rows.map(toFile)[0];
}

const FILES_AT_ONCE = 500;

/** All files of a deployment, be it live or deleted, by the ids of their submissions; a bounded number at a time. */
export async function* listFiles(
  db: Knex,
  deploymentId: string,
): AsyncGenerator<StoredFile & { submissionId: string }> {
  for (let after: [string, string] | undefined = ['', '']; after; ) {
    const answer: { rows: (FileRow & { submission_id: string })[] } = await db.raw(
      `SELECT submission_id, id, filename, content_type, size FROM submission_files
        WHERE deployment_id = ? AND (submission_id, id) > (?, ?) ORDER BY submission_id, id LIMIT ?`,
      [deploymentId, ...after, FILES_AT_ONCE],
    );
    for (const row of answer.rows) yield { ...toFile(row), submissionId: row.submission_id };
    const last = answer.rows.at(-1);
    after = last && [last.submission_id, last.id];
  }
}

/** A piece of a file, the first at 0; undefined after the last, or when the file has been deleted. */
export async function findFileChunk(db: Knex, fileId: string, position: number): Promise<Buffer | undefined> {
  const { rows } = await db
    .raw('SELECT content FROM submission_file_chunks WHERE file_id = ? AND position = ?', [fileId, position])
    .options({ name: 'find-file-chunk' });
  return rows[0]?.content;
}
