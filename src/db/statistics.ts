import type { Knex } from 'knex';
import { createBoundedCache } from '../bounded-cache.ts';
import { query } from './postgres/query.ts';

/*
 * How many submissions are before each of some times. The times of a deployment's submissions rise with their numbers,
 * so the first number at a time is found by a search in the primary key, for all times at once. Between two of these
 * numbers there are as many submissions as numbers, less those that were deleted.
 *
 * `low` and `high` approach each other until both are the first number that is not before `at`. Where to look next is
 * estimated from the times that have been seen on both sides of `at`: for submissions that come evenly this takes a
 * third of a binary search's steps. Every third step halves the rest, so that no distribution takes many. Where the
 * number in the middle was deleted, the next one that exists is looked at. A time whose number is known is not searched for.
 */
const SEARCH = `
  WITH RECURSIVE search (position, at, step, low, high, low_at, high_at) AS (
    SELECT position, at, 1, coalesce(nullif(known, 0), 1), coalesce(nullif(known, 0), last_submission_number + 1), created_at, now()
      FROM deployments,
           unnest(CAST(:times AS timestamptz[]), CAST(:known AS bigint[])) WITH ORDINALITY AS boundary (at, known, position)
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
  ), found AS (
    -- Where submissions were deleted after a time had become known, a later time may be found at a lower number.
    SELECT position, max(low) OVER (ORDER BY position) AS number FROM search WHERE low = high
  )`;

const COUNTS = `${SEARCH}
  SELECT number, next - number - (
           SELECT count(*) FROM removed_submissions
            WHERE deployment_id = :deploymentId AND removed_submissions.number >= span.number
              AND removed_submissions.number < next
         ) AS submissions
    FROM (SELECT position, number, lead(number) OVER (ORDER BY position) AS next FROM found) AS span ORDER BY position`;

/** From when on no submission will be accepted that is before a time: clocks differ, and commits may hang. */
const SETTLED_MS = 3_600_000;
/** Times of deployments, some 3 MB. */
const MAX_KNOWN = 20_000;

/**
 * How many submissions a live deployment of an owner has from each of `times` on, and before the next; undefined when there
 * is no such deployment. `times` rise, and are at least two. The cost rises with how many times have not been asked for
 * before, with the logarithm of how many submissions there are, and with how many have been deleted.
 */
export type CountSubmissionsBetween = (
  ownerId: number,
  deploymentId: string,
  times: readonly Date[],
) => Promise<number[] | undefined>;

/** Remembers the numbers at times that are past: they stay, because times rise with numbers. */
export function createCountSubmissionsBetween(db: Knex): CountSubmissionsBetween {
  const known = createBoundedCache<string, number>(MAX_KNOWN);

  return async (ownerId, deploymentId, times) => {
    const keys = times.map((time) => `${deploymentId} ${time.getTime()}`);
    const rows = await query<{ number: number; submissions: number | null }>(db, 'count-submissions-between', COUNTS, {
      deploymentId,
      ownerId,
      times: times.map((time) => time.toISOString()),
      known: keys.map((key) => known.get(key) ?? 0),
    });
    const settled = Date.now() - SETTLED_MS;
    for (const [index, { number }] of rows.entries()) {
      const [key, time] = [keys[index], times[index]];
      if (key !== undefined && time && time.getTime() < settled) known.set(key, number);
    }
    return rows.length === 0 ? undefined : rows.flatMap(({ submissions }) => submissions ?? []);
  };
}

/**
 * The first number of a submission that was accepted at each of these times or later, or one more than the last number;
 * of a live deployment of this owner.
 */
export async function firstNumbersAt(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  times: readonly Date[],
): Promise<number[]> {
  const rows = await query<{ number: number }>(
    db,
    'first-numbers-at',
    `${SEARCH} SELECT number FROM found ORDER BY position`,
    { deploymentId, ownerId, times: times.map((time) => time.toISOString()), known: [] },
  );
  return rows.map(({ number }) => number);
}
