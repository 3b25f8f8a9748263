import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import { type Limits, SIZES } from '../../limits.ts';
import type { Database } from '../postgres/connect.ts';
import { isOutOfReach } from '../postgres/out-of-reach.ts';
import { query } from '../postgres/query.ts';
import { type CopiedRows, copySubmissions, toLines, toSubmissions, wholeRows } from './copied-submissions.ts';
import type { Submission } from './submissions.ts';

/*
 * Submissions are read by COPY. It takes Postgres two fifths of the time of a query that makes texts of many rows, and
 * this process no more time, so that an export takes 60 % of the time.
 */

/** Starts a statement as soon as the limit on concurrent ones allows. */
type Schedule = <T>(read: () => PromiseLike<T>) => Promise<T>;
const startAtOnce: Schedule = async (read) => read();

/** `upTo`: all up to this number has been read. `isCut`: that is before the end of the range. */
type Batch<T> = { parts: readonly T[]; bytes: number; count: number; upTo: number; isCut: boolean };

/**
 * The number of the submission that the deployment accepted last, even if it has been deleted; 0 when there was none.
 */
export async function lastSubmissionNumber(db: Knex, deploymentId: string): Promise<number> {
  const [row] = await query<{ last: number }>(
    db,
    'last-submission-number',
    'SELECT last_submission_number AS last FROM deployments WHERE id = ?',
    [deploymentId],
  );
  return row?.last ?? 0;
}

/** The number of the first submission after a number; undefined after the last one. */
async function firstNumberAfter(db: Knex, deploymentId: string, after: number): Promise<number | undefined> {
  const [row] = await query<{ number: number }>(
    db,
    'first-number-after',
    'SELECT number FROM submissions WHERE deployment_id = ? AND number > ? ORDER BY number LIMIT 1',
    [deploymentId, after],
  );
  return row?.number;
}

/**
 * All submissions of a deployment, live or deleted, after a number and up to another (`lastSubmissionNumber`), oldest first, in
 * batches of bounded rows and bytes. Submissions that are deleted meanwhile may be missing. Each batch is a unit of work of its
 * own, and the next is read while one is processed, so that a slow reader keeps no connection.
 */
export const readSubmissions = (...from: From): AsyncGenerator<Submission[]> =>
  inBatches({ convert: toSubmissions, maxBytes: SIZES.internal.exportSubmissionsBytes }, ...from);

/** The same as lines in UTF-8, each a JSON object as the API lists it; several times as fast. */
export const readSubmissionLines = (...from: From): AsyncGenerator<Buffer> =>
  inBatches({ convert: toLines, maxBytes: SIZES.internal.exportLinesBytes }, ...from);

type Format<T> = { convert: (rows: CopiedRows) => T; maxBytes: number };
type From = [db: Database, limits: Limits, deploymentId: string, last: number, schedule?: Schedule, after?: number];

async function* inBatches<T>(
  format: Format<T>,
  ...[db, { reads: limits }, deploymentId, last, schedule = startAtOnce, first = 0]: From
): AsyncGenerator<T> {
  if (first >= last) return;
  let range: number = SIZES.internal.exportFirstRange;
  let after = first;
  const readNext = (): Promise<Batch<T>> => {
    const upTo = Math.min(after + range, last);
    const from = `submissions
      WHERE deployment_id = ${pg.escapeLiteral(deploymentId)} AND number > ${after} AND number <= ${upTo} ORDER BY number`;
    const reading = schedule(async () => {
      const batch = await db.copyOut(copySubmissions(from), (pieces) => readBatch(pieces, upTo, format));
      // Millions in a row may have been deleted.
      return batch.count > 0
        ? batch
        : { ...batch, upTo: ((await firstNumberAfter(db, deploymentId, upTo)) ?? last + 1) - 1 };
    });
    // The failure is handled where it is awaited; without this it would be an unhandled rejection when the reader has
    // stopped.
    reading.catch(() => undefined);
    return reading;
  };
  let failures = 0;
  for (let reading = readNext(); after < last; ) {
    const batch = await reading.catch((error) => {
      failures += 1;
      if (!isOutOfReach(error) || failures > limits.exportRetries) throw error;
    });
    if (!batch) {
      // The database is away for a moment, or too busy for as much at a time.
      range = Math.max(range >> 2, 1);
      await delay(limits.exportRetryMs);
      reading = readNext();
      continue;
    }
    failures = 0;
    after = batch.upTo;
    // What is sent after the cut is lost, and a cut costs a connection: a few more batches cost less.
    if (batch.isCut) range = Math.max(batch.count >> 1, 1);
    else if (batch.bytes < format.maxBytes / 4) range = Math.min(range * 2, SIZES.internal.exportMaxRange);
    if (after < last) reading = readNext();
    yield* batch.parts;
  }
}

/** Reads up to a number, or until there are `maxBytes`. Rows are converted while more arrive. */
async function readBatch<T>(
  pieces: AsyncIterable<Buffer>,
  upTo: number,
  { convert, maxBytes }: Format<T>,
): Promise<Batch<T>> {
  const parts: T[] = [];
  let [bytes, count] = [0, 0];
  for await (const rows of wholeRows(pieces)) {
    if (rows.count === 0) continue;
    parts.push(convert(rows));
    bytes += rows.bytes.length;
    count += rows.count;
    if (bytes >= maxBytes && rows.lastNumber < upTo) return { parts, bytes, count, upTo: rows.lastNumber, isCut: true };
  }
  return { parts, bytes, count, upTo, isCut: false };
}
