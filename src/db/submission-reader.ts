import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import { type Database, isOutOfReach } from './connect.ts';
import { type CopiedRows, copySubmissions, toLines, toSubmissions, wholeRows } from './copied-submissions.ts';
import type { Submission } from './submissions.ts';

/*
 * Read by COPY, which takes Postgres two fifths of what a query takes that makes texts of many rows, and this process no more: an
 * export takes 60 % of the time for it.
 */

/** How many numbers are asked for at a time. */
const FIRST_WIDTH = 500;
const MOST_WIDTH = 2_000;
/** About so much is read at a time, or one submission that is larger. Where more is made of them they take several times as much. */
const LINES_BYTES = 512 * 1024;
const SUBMISSIONS_BYTES = 192 * 1024;
/** A batch that fails because the database is out of reach is tried again. */
const MOST_FAILURES = 3;
const RETRY_MS = 1_000;

/** Has a statement wait for its turn among those that read for others. */
export type InTurn = <T>(read: () => PromiseLike<T>) => Promise<T>;
const atOnce: InTurn = async (read) => read();

/** `isCut`: there may be more in the range, behind the last of these. */
type Batch<T> = { parts: readonly T[]; bytes: number; count: number; lastNumber: number; isCut: boolean };

/** The number of the submission that the deployment accepted last, deleted ones included; 0 when there was none. */
export async function lastSubmissionNumber(db: Knex, deploymentId: string): Promise<number> {
  const { rows } = await db
    .raw('SELECT last_submission_number AS last FROM deployments WHERE id = ?', [deploymentId])
    .options({ name: 'last-submission-number' });
  return rows[0]?.last ?? 0;
}

/**
 * All submissions of a deployment, be it live or deleted, up to a number (`lastSubmissionNumber`), oldest first, in batches of
 * bounded rows and bytes. Those that are deleted meanwhile may be missing. Each batch is a unit of work by itself, and the
 * next is read while one is worked on: no connection is held for whoever reads slowly.
 */
export const readSubmissions = (...from: From): AsyncGenerator<Submission[]> =>
  inBatches({ convert: toSubmissions, mostBytes: SUBMISSIONS_BYTES }, ...from);

/** The same as lines in UTF-8, each a JSON object as the API lists it; several times as fast. */
export const readSubmissionLines = (...from: From): AsyncGenerator<Buffer> =>
  inBatches({ convert: toLines, mostBytes: LINES_BYTES }, ...from);

type As<T> = { convert: (rows: CopiedRows) => T; mostBytes: number };
type From = [db: Database, deploymentId: string, last: number, inTurn?: InTurn];

async function* inBatches<T>(as: As<T>, ...[db, deploymentId, last, inTurn = atOnce]: From): AsyncGenerator<T> {
  if (last === 0) return;
  let width = FIRST_WIDTH;
  let after = 0;
  let upTo = 0;
  const readNext = (): Promise<Batch<T>> => {
    upTo = Math.min(after + width, last);
    const from = `submissions WHERE deployment_id = ${pg.escapeLiteral(deploymentId)} AND number > ${after} AND number <= ${upTo} ORDER BY number`;
    const reading = inTurn(() => db.copyOut(copySubmissions(from), (pieces) => readBatch(pieces, upTo, as)));
    // It fails where it is awaited, unless nobody wants it any more.
    reading.catch(() => undefined);
    return reading;
  };
  let failures = 0;
  for (let reading = readNext(); after < last; ) {
    const batch = await reading.catch((error) => {
      failures += 1;
      if (!isOutOfReach(error) || failures > MOST_FAILURES) throw error;
    });
    if (!batch) {
      // The database is away for a moment, or so busy that less has to be asked for at a time.
      width = Math.max(width >> 2, 1);
      await delay(RETRY_MS);
      reading = readNext();
      continue;
    }
    failures = 0;
    after = batch.isCut ? batch.lastNumber : upTo;
    // What is sent in vain and a new connection cost more than a few batches more.
    if (batch.isCut) width = Math.max(batch.count >> 1, 1);
    else if (batch.bytes < as.mostBytes / 4) width = Math.min(width * 2, MOST_WIDTH);
    if (after < last) reading = readNext();
    yield* batch.parts;
  }
}

/** All that comes up to a number, converted while more comes, or what comes until there are `mostBytes`. */
async function readBatch<T>(
  pieces: AsyncIterable<Buffer>,
  upTo: number,
  { convert, mostBytes }: As<T>,
): Promise<Batch<T>> {
  const parts: T[] = [];
  let [bytes, count, lastNumber] = [0, 0, 0];
  for await (const rows of wholeRows(pieces)) {
    if (rows.count === 0) continue;
    parts.push(convert(rows));
    bytes += rows.bytes.length;
    count += rows.count;
    lastNumber = rows.lastNumber;
    if (bytes >= mostBytes && lastNumber < upTo) return { parts, bytes, count, lastNumber, isCut: true };
  }
  return { parts, bytes, count, lastNumber, isCut: false };
}
