import type { Knex } from 'knex';
import { execute, query } from './postgres/query.ts';
import { type Submission, type SubmissionRow, toSubmission } from './submissions.ts';

/** A submission as its owner sees it in the inbox. `pageVersion`: the version that was live when it was accepted. */
export type InboxSubmission = Submission & { number: number; read: boolean; starred: boolean; pageVersion: number };

/** What is left out stays as it is. */
export type Marks = { read?: boolean | undefined; starred?: boolean | undefined };

type InboxRow = SubmissionRow & { number: number; read: boolean; starred: boolean; page_version: number };

const toInboxSubmission = (row: InboxRow): InboxSubmission => ({
  ...toSubmission(row),
  number: row.number,
  read: row.read,
  starred: row.starred,
  pageVersion: row.page_version,
});

/** Submissions of a deployment by their numbers, newest first; without those that are deleted. */
export async function findInboxSubmissions(
  db: Knex,
  deploymentId: string,
  numbers: readonly number[],
): Promise<InboxSubmission[]> {
  const rows = await query<InboxRow>(
    db,
    'find-inbox-submissions',
    `SELECT submissions.number, id, data, ip_address, created_at, coalesce(read, false) AS read,
            coalesce(starred, false) AS starred, (
              SELECT max(version) FROM (
                SELECT version, after_number FROM pages WHERE deployment_id = :deploymentId
                UNION ALL
                SELECT version, after_number FROM page_versions WHERE deployment_id = :deploymentId
              ) AS known WHERE after_number < submissions.number
            ) AS page_version
       FROM submissions LEFT JOIN submission_marks USING (deployment_id, number)
      WHERE deployment_id = :deploymentId AND submissions.number = ANY (CAST(:numbers AS bigint[]))
      ORDER BY submissions.number DESC`,
    { deploymentId, numbers: [...numbers] },
  );
  return rows.map(toInboxSubmission);
}

/**
 * Marks submissions of a deployment by their ids; how many this has changed. Ids that are not there are passed over.
 */
export async function markSubmissions(
  db: Knex,
  deploymentId: string,
  ids: readonly string[],
  { read, starred }: Marks,
): Promise<number> {
  return execute(
    db,
    'mark-submissions',
    `INSERT INTO submission_marks AS marks (deployment_id, number, read, starred)
     SELECT deployment_id, number, coalesce(:read, false), coalesce(:starred, false)
       FROM submissions
      WHERE id = ANY (CAST(:ids AS text[])) AND deployment_id = :deploymentId AND (
              coalesce(:read, false) OR coalesce(:starred, false)
              OR EXISTS (
                SELECT FROM submission_marks AS made
                 WHERE made.deployment_id = submissions.deployment_id AND made.number = submissions.number))
      ORDER BY number
        FOR KEY SHARE
         ON CONFLICT (deployment_id, number) DO UPDATE
        SET read = coalesce(:read, marks.read), starred = coalesce(:starred, marks.starred)
      WHERE marks.read <> coalesce(:read, marks.read) OR marks.starred <> coalesce(:starred, marks.starred)`,
    { deploymentId, ids: [...ids], read: read ?? null, starred: starred ?? null },
  );
}

/** The numbers of submissions with a star from `first` until before `before`, highest first, at most `limit`. */
export async function starredNumbers(
  db: Knex,
  deploymentId: string,
  { first, before, limit }: { first: number; before: number; limit: number },
): Promise<number[]> {
  const rows = await query<{ number: number }>(
    db,
    'starred-numbers',
    `SELECT number FROM submission_marks
      WHERE deployment_id = ? AND starred AND number >= ? AND number < ? ORDER BY number DESC LIMIT ?`,
    [deploymentId, first, before, limit],
  );
  return rows.map(({ number }) => number);
}

/** The numbers of submissions that are read, from `first` until before `before`. */
export async function readNumbers(
  db: Knex,
  deploymentId: string,
  { first, before }: { first: number; before: number },
): Promise<ReadonlySet<number>> {
  const rows = await query<{ number: number }>(
    db,
    'read-numbers',
    'SELECT number FROM submission_marks WHERE deployment_id = ? AND number >= ? AND number < ? AND read',
    [deploymentId, first, before],
  );
  return new Set(rows.map(({ number }) => number));
}
