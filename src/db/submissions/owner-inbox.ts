import type { Knex } from 'knex';
import { Pauses } from '../../lib/submission-search.ts';
import { SIZES } from '../../sizes.ts';
import { query } from '../postgres/query.ts';
import type { Search } from './search-submissions.ts';
import { searchNumbers } from './statistics.ts';
import { readBefore } from './submission-marks.ts';

/*
 * The submissions of all pages of an owner, newest first. No index has them in this order, because it would slow down what
 * stores submissions: those of each page are read by their numbers, and merged.
 */

/** One submission among those of an owner. `at`: when it was accepted, in microseconds since 1970. */
export type Position = { at: number; deploymentId: string; number: number };

/** The submissions of one page that are looked for: `after` and `before` are left out. `count`: all that the page has. */
export type OwnPage = { deploymentId: string; slug: string; count: number; after: number; before: number };

/** Of submissions of the same microsecond, that of the page with the higher id comes first. */
const isBefore = (one: Position, other: Position): boolean =>
  one.at !== other.at
    ? one.at > other.at
    : one.deploymentId !== other.deploymentId
      ? one.deploymentId > other.deploymentId
      : one.number > other.number;

/*
 * Where the submissions of each page begin and end that are accepted from :from on and before :to, and that come after the
 * position (:at, :cursorId, :cursorNumber). Each is NULL where there is no such bound.
 */
const PAGES = `
  WITH RECURSIVE own AS MATERIALIZED (
    SELECT id, last_submission_number + 1 AS beyond,
           least(CAST(:to AS timestamptz), timestamptz 'epoch' + CAST(:at AS float8) * interval '1 microsecond'
             + CASE WHEN id <= :cursorId THEN interval '1 microsecond' ELSE interval '0' END) AS until
      FROM deployments WHERE owner_id = :ownerId AND deleted_at IS NULL AND submission_count > 0
  ), ${searchNumbers(`
    SELECT bound.position, id, bound.at,
           CASE WHEN bound.at IS NULL AND bound.position = 2 THEN beyond ELSE 1 END,
           CASE WHEN bound.at IS NULL AND bound.position = 1 THEN 1 ELSE beyond END
      FROM own, LATERAL (VALUES (CAST(1 AS bigint), CAST(:from AS timestamptz)), (2, until)) AS bound (position, at)`)}
  SELECT id AS "deploymentId", slug, submission_count AS count, after,
         least(before, CASE WHEN id = :cursorId THEN CAST(:cursorNumber AS bigint) END) AS before
    FROM (
      SELECT deployment_id, max(low) FILTER (WHERE position = 1) - 1 AS after, max(low) FILTER (WHERE position = 2) AS before
        FROM search WHERE low = high GROUP BY deployment_id
    ) AS bounds JOIN deployments ON deployments.id = deployment_id`;

/** The pages of an owner that have submissions, and which of these are looked for. */
export const findOwnPages = (
  db: Knex,
  ownerId: number,
  { from, to, cursor }: { from: Date | undefined; to: Date | undefined; cursor: Position | undefined },
): Promise<OwnPage[]> =>
  query(db, 'find-own-pages', PAGES, {
    ...{ ownerId, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
    ...{ at: cursor?.at ?? null, cursorId: cursor?.deploymentId ?? null, cursorNumber: cursor?.number ?? null },
  });

/** The next submissions of several pages, or the next with a star; of each page newest first, and at most `count`. */
const NEXT = (starred: boolean): string => `
  SELECT page.deployment_id AS "deploymentId", next.number, CAST(extract(epoch FROM created_at) * 1000000 AS bigint) AS at
    FROM unnest(CAST(:ids AS text[]), CAST(:afters AS bigint[]), CAST(:befores AS bigint[]), CAST(:counts AS bigint[]))
      AS page (deployment_id, after, before, count), LATERAL (
        SELECT number, created_at FROM ${starred ? 'submission_marks JOIN submissions USING (deployment_id, number)' : 'submissions'}
         WHERE deployment_id = page.deployment_id AND number > page.after AND number < page.before
           ${starred ? 'AND starred' : ''}
         ORDER BY number DESC LIMIT page.count
      ) AS next
   ORDER BY number DESC`;

/** The submissions of a page that have been read and are to be merged, the newest first. */
class PageQueue {
  readonly page: OwnPage;
  waiting: Position[] = [];
  /** Before which number to read on, and how many. */
  before: number;
  count: number = SIZES.internal.inboxFirstRows;
  isRead = false;

  constructor(page: OwnPage) {
    this.page = page;
    this.before = page.before;
  }

  /** Pages whose submissions come at the same rate are read together. */
  get isLow(): boolean {
    return !this.isRead && this.waiting.length <= this.count / 4;
  }

  fill(read: readonly Position[]): void {
    this.waiting.push(...read);
    this.before = read.at(-1)?.number ?? this.before;
    this.isRead = read.length < this.count;
    // A page with many submissions is asked seldom.
    this.count = Math.min(2 * this.count, SIZES.internal.listBatchRows);
  }

  /** Removes and returns what does not come after a position. */
  takeUpTo(last: Position | undefined): Position[] {
    const end = last ? this.waiting.findIndex((one) => isBefore(last, one)) : -1;
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }
}

/** All submissions of pages, or those with a star, newest first, in batches. */
async function* newestFirst(db: Knex, pages: readonly OwnPage[], starred: boolean): AsyncGenerator<Position[]> {
  let queues = pages.filter(({ after, before }) => before > after + 1).map((page) => new PageQueue(page));
  let batch: Position[] = [];
  while (queues.length > 0) {
    const low = queues.filter(({ isLow }) => isLow);
    const read = await query<Position>(db, starred ? 'next-starred-of-pages' : 'next-of-pages', NEXT(starred), {
      ids: low.map(({ page }) => page.deploymentId),
      afters: low.map(({ page }) => page.after),
      befores: low.map(({ before }) => before),
      counts: low.map(({ count }) => count),
    });
    const byPage = Map.groupBy(read, ({ deploymentId }) => deploymentId);
    for (const queue of low) queue.fill(byPage.get(queue.page.deploymentId) ?? []);
    // Submissions that a page has not read yet come after its last one: up to the first of these, nothing is missing.
    const ends = queues.flatMap(({ isRead, waiting }) => (isRead ? [] : waiting.slice(-1)));
    const first = ends.reduce<Position | undefined>(
      (best, one) => (best && isBefore(best, one) ? best : one),
      undefined,
    );
    batch.push(
      ...queues.flatMap((queue) => queue.takeUpTo(first)).sort((one, other) => (isBefore(one, other) ? -1 : 1)),
    );
    queues = queues.filter(({ isRead, waiting }) => !isRead || waiting.length > 0);
    if (batch.length < SIZES.internal.inboxBatch && queues.length > 0) continue;
    yield batch;
    batch = [];
  }
}

/*
 * The first of some submissions, as many as :maxBytes of their data allow, but one at least, in their order. The data is
 * NULL of one that is not wanted, or has been deleted meanwhile.
 */
const READ = `
  SELECT data FROM (
    SELECT data, position, sum(octet_length(data)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS bytes
      FROM (
        SELECT position, (
                 SELECT CAST(data AS text) FROM submissions
                  WHERE deployment_id = wanted.deployment_id AND number = wanted.number
                    AND NOT (:unread AND coalesce((
                      SELECT read FROM submission_marks AS marks
                       WHERE marks.deployment_id = wanted.deployment_id AND marks.number = wanted.number
                    ), ${readBefore('wanted.deployment_id', 'wanted.number')}))
               ) AS data
          FROM unnest(CAST(:ids AS text[]), CAST(:numbers AS bigint[])) WITH ORDINALITY AS wanted (deployment_id, number, position)
        OFFSET 0 -- keeps Postgres from looking each up twice
      ) AS found
  ) AS measured
   WHERE position = 1 OR coalesce(bytes, 0) <= :maxBytes
   ORDER BY position`;

async function readData(db: Knex, wanted: readonly Position[], unread: boolean): Promise<(string | null)[]> {
  const rows = await query<{ data: string | null }>(db, 'read-of-pages', READ, {
    ids: wanted.map(({ deploymentId }) => deploymentId),
    numbers: wanted.map(({ number }) => number),
    ...{ unread, maxBytes: SIZES.internal.listBatchBytes },
  });
  return rows.map(({ data }) => data);
}

/** `searched`: how many it has looked at. `next`: after which to go on; undefined when everything was looked at. */
type Found = { positions: Position[]; searched: number; next: Position | undefined };

/** Looks for submissions of an owner's pages, newest first, until it has found `limit`, or has worked for `maxMs`. */
export async function searchOwnPages(
  db: Knex,
  pages: readonly OwnPage[],
  search: Omit<Search, 'after' | 'before'>,
): Promise<Found> {
  const startedAt = performance.now();
  const pauses = new Pauses(search.turnMs);
  const positions: Position[] = [];
  let [searched, bytes] = [0, 0];
  // Postgres measures all that it is asked for: as many as it returned before are likely to be returned again.
  let count = Math.min(search.limit, SIZES.internal.inboxBatch);
  for await (const batch of newestFirst(db, pages, search.starred)) {
    for (let from = 0; from < batch.length; ) {
      const read = await readData(db, batch.slice(from, from + count), search.unread);
      count = Math.min(2 * read.length, SIZES.internal.inboxBatch);
      for (const data of read) {
        const position = batch[from];
        from += 1;
        searched += 1;
        if (!position || data === null) continue;
        if (pauses.isDue()) await pauses.take();
        const matches = search.matches(data, pauses);
        if (!(typeof matches === 'boolean' ? matches : await matches)) continue;
        positions.push(position);
        bytes += data.length;
        const isFull = positions.length === search.limit || bytes >= SIZES.internal.searchFoundBytes;
        if (isFull) return { positions, searched, next: position };
      }
      const isOver = performance.now() - startedAt >= search.maxMs;
      if (isOver) return { positions, searched, next: batch[from - 1] };
    }
  }
  return { positions, searched, next: undefined };
}
