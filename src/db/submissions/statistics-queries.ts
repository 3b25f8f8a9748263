import type { Knex } from 'knex';
import type { Deployment } from '../deployments/deployment-queries.ts';
import { query } from '../postgres/query.ts';

/*
 * Times rise with numbers. So a time is found by a binary search in the primary key, and no submission is slower because
 * of an index on `created_at`. Where the number in the middle was deleted, the next one that exists is looked at.
 *
 * `wanted` selects times, each of a deployment with the lowest and the highest number that it may be found at.
 */
export const searchNumbers = (wanted: string): string => `
  search (position, deployment_id, at, low, high) AS (${wanted}
    UNION ALL
    SELECT position, deployment_id, at,
           CASE WHEN created_at < at THEN number + 1 ELSE low END,
           CASE WHEN created_at < at THEN high ELSE low + (high - low) / 2 END
      FROM search LEFT JOIN LATERAL (
        SELECT number, created_at FROM submissions
         WHERE submissions.deployment_id = search.deployment_id AND number >= low + (high - low) / 2 AND number < high
         ORDER BY number LIMIT 1
      ) AS middle ON true
     WHERE low < high
  )`;

const SEARCH = `
  WITH RECURSIVE ${searchNumbers(`
    SELECT position, id, at, first_submission_number, last_submission_number + 1
      FROM deployments, unnest(CAST(:times AS timestamptz[])) WITH ORDINALITY AS wanted (at, position)
     WHERE deployments.id = :deploymentId`)}
  SELECT low AS number FROM search WHERE low = high ORDER BY position`;

/**
 * The first number of a submission of a deployment that was accepted at each of these times or later, or one more than the
 * last number.
 */
export async function firstNumbersAt(db: Knex, deploymentId: string, times: readonly Date[]): Promise<number[]> {
  if (times.length === 0) return [];
  const values = { deploymentId, times: times.map((time) => time.toISOString()) };
  const rows = await query<{ number: number }>(db, 'first-numbers-at', SEARCH, values);
  return rows.map(({ number }) => number);
}

/** How many submissions there are from each number on, and before the next; read from the index only. */
const COUNT = `
  SELECT (SELECT count(*) FROM submissions WHERE deployment_id = :deploymentId AND number >= first AND number < next) AS count
    FROM unnest(CAST(:firsts AS bigint[]), CAST(:nexts AS bigint[])) WITH ORDINALITY AS bucket (first, next, position)
   ORDER BY position`;

type Counters = Pick<Deployment, 'id' | 'submissionCount' | 'firstSubmissionNumber' | 'lastSubmissionNumber'>;

/**
 * How many submissions a deployment has from each of `times` (milliseconds since 1970) on, and before the next. `times`
 * rise, and are at least two.
 */
export async function countSubmissionsBetween(
  db: Knex,
  { id: deploymentId, submissionCount, firstSubmissionNumber, lastSubmissionNumber }: Counters,
  times: readonly number[],
): Promise<number[]> {
  if (lastSubmissionNumber < firstSubmissionNumber) return times.slice(1).map(() => 0);
  const dates = times.map((time) => new Date(time));
  const numbers = await firstNumbersAt(db, deploymentId, dates);
  const [firsts, nexts] = [numbers.slice(0, -1), numbers.slice(1)];
  // Where nothing has been deleted, numbers are without gaps.
  const isGapless = submissionCount === lastSubmissionNumber - firstSubmissionNumber + 1;
  if (isGapless) return nexts.map((next, index) => next - (firsts[index] ?? next));
  const rows = await query<{ count: number }>(db, 'count-in-buckets', COUNT, { deploymentId, firsts, nexts });
  return rows.map(({ count }) => count);
}
