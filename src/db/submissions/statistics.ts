import type { Knex } from 'knex';
import { query } from '../postgres/query.ts';

/*
 * How many submissions are before each of some times. The times of a deployment's submissions rise with their numbers,
 * so the first number at a time is found by a search in the primary key, for all times at once. Between two of these
 * numbers there are as many submissions as numbers, less those that were deleted.
 *
 * `low` and `high` approach each other until both are the first number that is not before `at`. Where to look next is
 * estimated from the times that have been seen on both sides of `at`: for submissions that come evenly this takes a
 * third of a binary search's steps. Every third step halves the rest, so that no distribution takes many. Where the
 * number in the middle was deleted, the next one that exists is looked at.
 */
const SEARCH = `
  WITH RECURSIVE search (position, at, step, low, high, low_at, high_at) AS (
    SELECT position, at, 1, CAST(1 AS bigint), last_submission_number + 1, created_at, now()
      FROM deployments, unnest(CAST(:times AS timestamptz[])) WITH ORDINALITY AS boundary (at, position)
     WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
    UNION ALL
    SELECT position, at, step + 1,
           CASE WHEN created_at < at THEN number + 1 ELSE low END, CASE WHEN created_at < at THEN high ELSE middle END,
           CASE WHEN created_at < at THEN created_at ELSE low_at END,
           CASE WHEN created_at >= at THEN created_at ELSE high_at END
      FROM search, LATERAL (
        SELECT CASE WHEN step % 3 = 0 OR low_at >= high_at THEN (low + high) / 2
                    WHEN at <= low_at THEN low
                    WHEN at >= high_at THEN high - 1
                    ELSE low + CAST(floor((high - 1 - low)
                           * (date_part('epoch', at - low_at) / date_part('epoch', high_at - low_at))) AS bigint)
               END AS middle
      ) AS estimated LEFT JOIN LATERAL (
        SELECT number, created_at FROM submissions
         WHERE deployment_id = :deploymentId AND number >= middle AND number < high ORDER BY number LIMIT 1
      ) AS looked_at ON true
     WHERE low < high
  )
  SELECT low AS number FROM search WHERE low = high ORDER BY position`;

/** How many of the numbers from each bound on, and before the next, are those of deleted submissions. */
const REMOVED = `
  SELECT width_bucket(number, bounds) AS position, count(*) AS count
    FROM removed_submissions, CAST(? AS bigint[]) AS bounds
   WHERE deployment_id = ? AND number >= ? AND number < ? GROUP BY position`;

/**
 * The first number of a submission that was accepted at each of these times or later, or one more than the last number;
 * of a live deployment of this owner. None when there is no such deployment.
 */
export async function firstNumbersAt(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  times: readonly Date[],
): Promise<number[]> {
  if (times.length === 0) return [];
  const rows = await query<{ number: number }>(db, 'first-numbers-at', SEARCH, {
    deploymentId,
    ownerId,
    times: times.map((time) => time.toISOString()),
  });
  return rows.map(({ number }) => number);
}

async function countRemoved(db: Knex, deploymentId: string, bounds: readonly number[]): Promise<Map<number, number>> {
  const [first = 0, last = 0] = [bounds[0], bounds.at(-1)];
  const rows = await query<{ position: number; count: number }>(db, 'count-removed', REMOVED, [
    `{${bounds.join()}}`,
    deploymentId,
    first,
    last,
  ]);
  return new Map(rows.map(({ position, count }) => [position, count]));
}

/**
 * How many submissions a live deployment of an owner has from each of `times` (milliseconds since 1970) on, and before
 * the next; undefined when there is no such deployment. `times` rise, and are at least two. The cost rises with how many
 * times there are, with the logarithm of how many submissions there are, and with how many have been deleted.
 */
export async function countSubmissionsBetween(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  times: readonly number[],
): Promise<number[] | undefined> {
  const dates = times.map((time) => new Date(time));
  const numbers = await firstNumbersAt(db, ownerId, deploymentId, dates);
  if (numbers.length === 0) return undefined;
  const removed = await countRemoved(db, deploymentId, numbers);
  // Positions are those of the bounds, from 1 on.
  return numbers.slice(1).map((next, index) => next - (numbers[index] ?? next) - (removed.get(index + 1) ?? 0));
}
