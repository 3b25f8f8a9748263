import type { Knex } from 'knex';
import { execute, query } from '../postgres/query.ts';
import { type NumberedSubmission, submissionColumns } from './submission-queries.ts';

/** Whether the owner is done with a submission; at first it is open. */
export const STATUSES = ['open', 'done'] as const;
export type Status = (typeof STATUSES)[number];

/** What the owner has noted about a submission; the note is empty at first. */
type Marks = { read: boolean; starred: boolean; note: string; status: Status };

/** A submission, or a test, as its owner sees it in the inbox. `pageVersion`: the version that was live when it was accepted; 1 where it was imported. */
export type InboxSubmission = NumberedSubmission & Marks & { pageVersion: number };

/** A mark that is left out stays as it is. */
export type MarkChange = { [Mark in keyof Marks]?: Marks[Mark] | undefined };

/** Submissions by their deployments and numbers, in this order; without those that are deleted. */
export function findInboxSubmissions(
  db: Knex,
  wanted: readonly { deploymentId: string; number: number }[],
): Promise<(InboxSubmission & { deploymentId: string })[]> {
  return query(
    db,
    'find-inbox-submissions',
    `SELECT ${submissionColumns('submissions')}, wanted.deployment_id AS "deploymentId",
            coalesce(starred, false) AS starred, coalesce(read, false) AS read, coalesce(note, '') AS note,
            coalesce(status, 'open') AS status, coalesce((
              SELECT max(version) FROM (
                SELECT version, after_number FROM pages WHERE deployment_id = wanted.deployment_id
                UNION ALL
                SELECT version, after_number FROM page_versions
                 WHERE deployment_id = wanted.deployment_id AND preview IS NULL
              ) AS known WHERE after_number < wanted.number
            ), 1) AS "pageVersion"
       FROM unnest(CAST(:ids AS text[]), CAST(:numbers AS bigint[])) WITH ORDINALITY AS wanted (deployment_id, number, position)
       JOIN submissions ON submissions.deployment_id = wanted.deployment_id AND submissions.number = wanted.number
       LEFT JOIN submission_marks AS marks ON marks.deployment_id = wanted.deployment_id AND marks.number = wanted.number
      ORDER BY position`,
    { ids: wanted.map(({ deploymentId }) => deploymentId), numbers: wanted.map(({ number }) => number) },
  );
}

/*
 * A row is written only where it says more than no row. Submissions are locked in the order of their numbers, so that
 * there is no deadlock, and none is deleted meanwhile. Each row is looked up by its key: joined, a plan that was made for
 * few marks would read all of a deployment's.
 */
const MARK = `
  WITH wanted AS MATERIALIZED (
    SELECT submissions.number
      FROM submissions JOIN deployments ON deployments.id = deployment_id
     WHERE submissions.id = ANY (CAST(:ids AS text[]))
       AND deployment_id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL
     ORDER BY submissions.number
       FOR KEY SHARE OF submissions
  )
  INSERT INTO submission_marks AS marks (deployment_id, number, read, starred, note, status)
  SELECT :deploymentId, number, coalesce(:read, false), coalesce(:starred, false), coalesce(:note, ''), coalesce(:status, 'open')
    FROM wanted
   WHERE :read OR :starred OR CAST(:note AS text) <> '' OR CAST(:status AS text) <> 'open'
      OR EXISTS (SELECT FROM submission_marks WHERE deployment_id = :deploymentId AND number = wanted.number)
   ORDER BY number
      ON CONFLICT (deployment_id, number)
      DO UPDATE SET read = coalesce(:read, marks.read), starred = coalesce(:starred, marks.starred),
                    note = coalesce(:note, marks.note), status = coalesce(:status, marks.status)
         WHERE (marks.read, marks.starred, marks.note, marks.status) IS DISTINCT FROM (
                 coalesce(:read, marks.read), coalesce(:starred, marks.starred),
                 coalesce(:note, marks.note), coalesce(:status, marks.status))`;

/**
 * Marks submissions of a live deployment of this owner by their ids; how many this has changed. Ids that are not there are
 * passed over.
 */
export const markSubmissions = (
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
  { read, starred, note, status }: MarkChange,
): Promise<number> =>
  execute(db, 'mark-submissions', MARK, {
    ...{ deploymentId, ownerId, ids: [...ids], read: read ?? null, starred: starred ?? null },
    ...{ note: note ?? null, status: status ?? null },
  });

/** Returns SQL for the number of unread submissions of `deploymentId`, an expression. */
export const unreadCount = (deploymentId: string): string => `
  (submission_count - (SELECT count(*) FROM submission_marks WHERE deployment_id = ${deploymentId} AND read))`;

/** Which submissions are looked for. `status`: undefined for both. */
export type MarkFilter = { unread: boolean; starred: boolean; status: Status | undefined };

/** The numbers of those of some submissions that are looked for. Each mark is looked up by its key, as above. */
export async function numbersWithMarks(
  db: Knex,
  deploymentId: string,
  filter: MarkFilter,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> {
  const mark = (name: keyof Marks): string =>
    `(SELECT ${name} FROM submission_marks WHERE deployment_id = :deploymentId AND number = submissions.number)`;
  const rows = await query<{ number: number }>(
    db,
    'numbers-with-marks',
    `SELECT number FROM unnest(CAST(:numbers AS bigint[])) AS submissions (number)
      WHERE NOT (:unread AND coalesce(${mark('read')}, false)) AND (NOT :starred OR ${mark('starred')})
        AND (CAST(:status AS text) IS NULL OR coalesce(${mark('status')}, 'open') = :status)`,
    { deploymentId, numbers: [...numbers], ...filter, status: filter.status ?? null },
  );
  return new Set(rows.map(({ number }) => number));
}
