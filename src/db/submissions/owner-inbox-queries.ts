import type { Knex } from 'knex';
import { IS_REACHED, type Reach, reachOf } from '../deployments/live-deployment-queries.ts';
import { query } from '../postgres/query.ts';
import { beforeOf, type Position, type SearchedPage } from './search-submissions.ts';
import { searchNumbers } from './statistics-queries.ts';
import { testsBetween } from './test-submission-queries.ts';

/** A page in the inbox of its owner. `count`: how many submissions it has. */
export type OwnPage = SearchedPage & { slug: string; count: number };

/*
 * Where the submissions of each page begin and end that are accepted from :from on and before :to, and that come after the
 * time of the position (:at, :cursorId). Each is NULL where there is no such bound.
 */
const PAGES = `
  WITH RECURSIVE own AS MATERIALIZED (
    SELECT id, first_submission_number AS first, last_submission_number + 1 AS beyond,
           least(CAST(:to AS timestamptz), timestamptz 'epoch' + CAST(:at AS float8) * interval '1 microsecond'
             + CASE WHEN id <= :cursorId THEN interval '1 microsecond' ELSE interval '0' END) AS until
      FROM deployments
     WHERE owner_id = :ownerId AND deleted_at IS NULL AND ${IS_REACHED}
       AND (submission_count > 0 OR EXISTS (SELECT FROM test_submissions WHERE deployment_id = deployments.id))
  ), ${searchNumbers(`
    SELECT bound.position, id, bound.at,
           CASE WHEN bound.at IS NULL AND bound.position = 2 THEN beyond ELSE first END,
           CASE WHEN bound.at IS NULL AND bound.position = 1 THEN first ELSE beyond END
      FROM own, LATERAL (VALUES (CAST(1 AS bigint), CAST(:from AS timestamptz)), (2, until)) AS bound (position, at)`)}
  SELECT id AS "deploymentId", slug, submission_count AS count, after, before,
         CAST(extract(epoch FROM (SELECT until FROM own WHERE own.id = deployments.id)) * 1000000 AS bigint) AS until
    FROM (
      SELECT deployment_id, max(low) FILTER (WHERE position = 1) - 1 AS after, max(low) FILTER (WHERE position = 2) AS before
        FROM search WHERE low = high GROUP BY deployment_id
    ) AS bounds JOIN deployments ON deployments.id = deployment_id`;

/** The pages in reach that have submissions, and which of these are looked for. */
export async function findOwnPages(
  db: Knex,
  reach: Reach,
  { from, to, cursor }: { from: Date | undefined; to: Date | undefined; cursor: Position | undefined },
): Promise<OwnPage[]> {
  const rows = await query<Omit<OwnPage, 'tests'> & { until: number | null }>(db, 'find-own-pages', PAGES, {
    ...{ ...reachOf(reach), from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
    ...{ at: cursor?.at ?? null, cursorId: cursor?.deploymentId ?? null },
  });
  return rows.map(({ until, ...page }) => {
    const tests = { ...testsBetween(from, to), ...(until !== null && { until }) };
    if (cursor?.deploymentId !== page.deploymentId) return { ...page, tests };
    const { number, test } = cursor;
    return { ...page, before: Math.min(page.before, beforeOf(cursor)), tests: { ...tests, number, test } };
  });
}
