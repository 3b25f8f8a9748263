import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { SIZES } from '../../limits.ts';
import type { Database } from '../postgres/connect.ts';
import { query } from '../postgres/query.ts';
import { copySubmissions, type NumberedData, toNumberedData, wholeRows } from './copied-submissions.ts';
import { markedNumbers, readMarks, readUpTo } from './submission-marks.ts';

/** Numbers from `first` until before `before`. `matches`: whether a submission with this JSON text is looked for. */
type Search = {
  first: number;
  before: number;
  matches: ((data: string) => boolean) | undefined;
  unread: boolean;
  starred: boolean;
  limit: number;
  /** For how many milliseconds it may work, and before other work has a turn. */
  maxMs: number;
  turnMs: number;
};

/** `next`: before which number to go on; undefined when everything was looked at. */
type Found = { numbers: number[]; searched: number; next: number | undefined };

/** Some submissions, highest number first, and the lowest number up to which all has been read. */
type Batch = { rows: readonly NumberedData[]; downTo: number };

/** Looks for submissions, newest first, until it has found `limit`, or has worked for `maxMs`. */
export async function searchSubmissions(
  db: Database,
  deploymentId: string,
  { first, before, matches, unread, starred, limit, maxMs, turnMs }: Search,
): Promise<Found> {
  const startedAt = performance.now();
  let turnAt = startedAt;
  const numbers: number[] = [];
  let [searched, bytes, downTo] = [0, 0, before];
  const read = starred ? readStarred : unread ? readUnread : readAll;
  for await (const batch of read(db, deploymentId, { first, before: downTo })) {
    const [newest] = batch.rows;
    const isRead =
      unread && newest
        ? await readMarks(db, deploymentId, { first: batch.downTo, before: newest.number + 1 })
        : undefined;
    for (const { number, data } of batch.rows) {
      if (performance.now() - turnAt > turnMs) {
        await nextTurn();
        turnAt = performance.now();
      }
      searched += 1;
      downTo = number;
      if (isRead?.(number) || (matches && !matches(data))) continue;
      numbers.push(number);
      bytes += data.length;
      if (numbers.length === limit || bytes >= SIZES.internal.searchFoundBytes)
        return { numbers, searched, next: nextOf(downTo, first) };
    }
    ({ downTo } = batch);
    if (performance.now() - startedAt >= maxMs) return { numbers, searched, next: nextOf(downTo, first) };
  }
  return { numbers, searched, next: undefined };
}

const nextOf = (downTo: number, first: number): number | undefined => (downTo > first ? downTo : undefined);

type Range = { first: number; before: number };

async function* readAll(db: Database, deploymentId: string, { first, before }: Range): AsyncGenerator<Batch> {
  let range: number = SIZES.internal.searchFirstRange;
  let end = before;
  const readNext = (): Promise<Batch & { bytes: number }> => {
    const begin = Math.max(first, end - range);
    const from = `submissions
      WHERE deployment_id = ${pg.escapeLiteral(deploymentId)} AND number >= ${begin} AND number < ${end} ORDER BY number DESC`;
    const reading = (async () => {
      const batch = await db.copyOut(copySubmissions(from), (pieces) => readUntilFull(pieces, begin));
      // Millions in a row may have been deleted.
      return batch.rows.length > 0
        ? batch
        : { ...batch, downTo: await endOfRest(db, deploymentId, { first, before: begin }) };
    })();
    // The failure is handled where it is awaited; without this it would be an unhandled rejection when the search ends.
    reading.catch(() => undefined);
    return reading;
  };
  for (let reading = end > first ? readNext() : undefined; reading; ) {
    const batch: Batch & { bytes: number } = await reading;
    // What is sent after a cut is lost, and a cut costs a connection: a few more batches cost less.
    if (batch.downTo > Math.max(first, end - range)) range = Math.max(batch.rows.length >> 1, 1);
    else if (batch.bytes < SIZES.internal.searchBatchBytes / 4)
      range = Math.min(range * 2, SIZES.internal.searchMaxRange);
    end = batch.downTo;
    // Read while this one is looked at.
    reading = end > first ? readNext() : undefined;
    yield batch;
  }
}

/** One more than the number of the last submission in a range; the beginning of the range when there is none. */
async function endOfRest(db: Database, deploymentId: string, { first, before }: Range): Promise<number> {
  const [row] = await query<{ number: number }>(
    db,
    'last-number-before',
    `SELECT number FROM submissions WHERE deployment_id = ? AND number >= ? AND number < ? ORDER BY number DESC LIMIT 1`,
    [deploymentId, first, before],
  );
  return row ? row.number + 1 : first;
}

async function readUntilFull(pieces: AsyncIterable<Buffer>, begin: number): Promise<Batch & { bytes: number }> {
  const rows: NumberedData[] = [];
  let bytes = 0;
  for await (const copied of wholeRows(pieces)) {
    if (copied.count === 0) continue;
    rows.push(...toNumberedData(copied));
    bytes += copied.bytes.length;
    if (bytes >= SIZES.internal.searchBatchBytes && copied.lastNumber > begin)
      return { rows, downTo: copied.lastNumber, bytes };
  }
  return { rows, downTo: begin, bytes };
}

const readStarred = (db: Database, deploymentId: string, range: Range): AsyncGenerator<Batch> =>
  readMarked(db, deploymentId, 'starred', range);

/** What may be unread: all above the number up to which everything is read, and below it what is marked. */
async function* readUnread(db: Database, deploymentId: string, { first, before }: Range): AsyncGenerator<Batch> {
  const end = Math.min(Math.max(first, (await readUpTo(db, deploymentId)) + 1), before);
  yield* readAll(db, deploymentId, { first: end, before });
  yield* readMarked(db, deploymentId, 'unread', { first, before: end });
}

async function* readMarked(
  db: Database,
  deploymentId: string,
  kind: 'starred' | 'unread',
  { first, before }: Range,
): AsyncGenerator<Batch> {
  for (let end = before; end > first; ) {
    const numbers = await markedNumbers(db, deploymentId, kind, {
      first,
      before: end,
      limit: SIZES.internal.searchMarkedBatch,
    });
    const rows = await query<NumberedData>(
      db,
      'read-marked',
      'SELECT number, data FROM submissions WHERE deployment_id = ? AND number = ANY (?::bigint[]) ORDER BY number DESC',
      [deploymentId, numbers],
    );
    end = numbers.length < SIZES.internal.searchMarkedBatch ? first : (numbers.at(-1) ?? first);
    yield { rows, downTo: end };
  }
}
