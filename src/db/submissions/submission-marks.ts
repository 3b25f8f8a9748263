import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { execute, query } from '../postgres/query.ts';
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
    `SELECT submissions.number, id, data, ip_address, created_at, coalesce(starred, false) AS starred,
            coalesce(read, submissions.number <= (
              SELECT number FROM read_up_to WHERE deployment_id = :deploymentId), false) AS read, (
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

/*
 * The number up to which a deployment's submissions are read is locked first, so that all changes of its marks, and of
 * this number, come one after another. A deployment that is deleted meanwhile has none: FOR KEY SHARE waits for a purge.
 */
const LOCK = `
  INSERT INTO read_up_to (deployment_id)
  SELECT id FROM deployments WHERE id = ? AND owner_id = ? AND deleted_at IS NULL FOR KEY SHARE
      ON CONFLICT (deployment_id) DO UPDATE SET number = read_up_to.number
  RETURNING unfinished`;

/*
 * A row is kept only where it says more than the number does. Each row is looked up by its key: joined, a plan that was
 * made for few marks would read all of a deployment's.
 */
const MARK = `
  WITH wanted AS MATERIALIZED (
    SELECT submissions.number, submissions.number <= read_up_to.number AS is_below, marks.read, marks.starred
      FROM (SELECT DISTINCT unnest(CAST(:ids AS text[])) AS id) AS given
      JOIN submissions ON submissions.id = given.id
      JOIN read_up_to ON read_up_to.deployment_id = submissions.deployment_id
      LEFT JOIN LATERAL (
        SELECT read, starred FROM submission_marks
         WHERE deployment_id = :deploymentId AND number = submissions.number LIMIT 1
      ) AS marks ON true
     WHERE submissions.deployment_id = :deploymentId
     ORDER BY submissions.number
       FOR KEY SHARE OF submissions
  ), changed AS MATERIALIZED (
    SELECT number, is_below, coalesce(:read, read, is_below) AS read, coalesce(:starred, starred, false) AS starred
      FROM wanted
     WHERE coalesce(read, is_below) <> coalesce(:read, read, is_below)
        OR coalesce(starred, false) <> coalesce(:starred, starred, false)
  ), removed AS (
    DELETE FROM submission_marks
     WHERE deployment_id = :deploymentId
       AND number = ANY (ARRAY(SELECT number FROM changed WHERE read = is_below AND NOT starred))
  ), written AS (
    INSERT INTO submission_marks (deployment_id, number, read, starred)
    SELECT :deploymentId, number, read, starred FROM changed WHERE read <> is_below OR starred
        ON CONFLICT (deployment_id, number) DO UPDATE SET read = excluded.read, starred = excluded.starred
  )
  SELECT FROM changed`;

/*
 * Moves the number up to before the first submission that is unread, but over at most `inboxStep` submissions; deleted
 * ones are passed over. Rows that then say nothing more are removed. A submission that is accepted meanwhile is above
 * the last number that this statement sees.
 */
const ADVANCE = `
  WITH old AS MATERIALIZED (
    SELECT number FROM read_up_to WHERE deployment_id = :deploymentId
  ), stop AS MATERIALIZED (
    SELECT (
        -- Looks at no more submissions than it needs to.
        SELECT number FROM (
          SELECT number, coalesce((
                   SELECT read FROM submission_marks AS marks
                    WHERE marks.deployment_id = :deploymentId AND marks.number = submissions.number), false) AS read
            FROM submissions
           WHERE deployment_id = :deploymentId AND number > (SELECT number FROM old)
           ORDER BY number LIMIT ${SIZES.internal.inboxStep}
        ) AS next WHERE NOT read ORDER BY number LIMIT 1
      ) AS unread, (
        SELECT number FROM submissions
         WHERE deployment_id = :deploymentId AND number > (SELECT number FROM old)
         ORDER BY number LIMIT 1 OFFSET ${SIZES.internal.inboxStep}
      ) AS beyond, (
        SELECT last_submission_number FROM deployments WHERE id = :deploymentId
      ) AS last
  ), target AS MATERIALIZED (
    SELECT coalesce(unread - 1, beyond - 1, last) AS number, unread IS NULL AND beyond IS NOT NULL AS unfinished
      FROM stop
  ), removed AS (
    DELETE FROM submission_marks
     WHERE deployment_id = :deploymentId AND read AND NOT starred
       AND number > (SELECT number FROM old) AND number <= (SELECT number FROM target)
  )
  UPDATE read_up_to SET number = target.number, unfinished = target.unfinished
    FROM target
   WHERE deployment_id = :deploymentId`;

/**
 * Marks submissions of a live deployment of this owner by their ids; how many this has changed, or undefined when there
 * is no such deployment. Ids that are not there are passed over.
 */
export function markSubmissions(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
  { read, starred }: Marks,
): Promise<number | undefined> {
  return db.transaction(async (transaction) => {
    const [locked] = await query<{ unfinished: boolean }>(transaction, 'lock-marks', LOCK, [deploymentId, ownerId]);
    if (!locked) return undefined;
    const changed = await execute(transaction, 'mark-submissions', MARK, {
      ...{ deploymentId, ids: [...ids], read: read ?? null, starred: starred ?? null },
    });
    if (read && changed > 0) await execute(transaction, 'advance-read', ADVANCE, { deploymentId });
    return changed;
  });
}

/**
 * Goes on where `markSubmissions` has left marks of many submissions that one number can say; whether there was
 * something to do. Takes a bounded time.
 */
export function compactMarks(db: Knex): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const [locked] = await query<{ deployment_id: string }>(
      transaction,
      'lock-unfinished-marks',
      'SELECT deployment_id FROM read_up_to WHERE unfinished LIMIT 1 FOR UPDATE SKIP LOCKED',
    );
    if (locked) await execute(transaction, 'advance-read', ADVANCE, { deploymentId: locked.deployment_id });
    return locked !== undefined;
  });
}

type Range = { first: number; before: number };

/** Conditions with an index each. */
const MARKED = { starred: 'starred', unread: 'NOT read' } as const;

/**
 * The numbers of submissions with a star, or that are marked as unread again, from `first` until before `before`,
 * highest first, at most `limit`.
 */
export async function markedNumbers(
  db: Knex,
  deploymentId: string,
  kind: keyof typeof MARKED,
  { first, before, limit }: Range & { limit: number },
): Promise<number[]> {
  const rows = await query<{ number: number }>(
    db,
    `${kind}-numbers`,
    `SELECT number FROM submission_marks
      WHERE deployment_id = ? AND ${MARKED[kind]} AND number >= ? AND number < ? ORDER BY number DESC LIMIT ?`,
    [deploymentId, first, before, limit],
  );
  return rows.map(({ number }) => number);
}

/** The number up to which a deployment's submissions are read, except for those that are marked as unread again. */
export async function readUpTo(db: Knex, deploymentId: string): Promise<number> {
  const [row] = await query<{ number: number }>(
    db,
    'read-up-to',
    'SELECT number FROM read_up_to WHERE deployment_id = ?',
    [deploymentId],
  );
  return row?.number ?? 0;
}

/** Whether submissions from `first` until before `before` are read, by their numbers. */
export async function readMarks(
  db: Knex,
  deploymentId: string,
  { first, before }: Range,
): Promise<(number: number) => boolean> {
  const [row] = await query<{ up_to: number; read: number[]; unread: number[] }>(
    db,
    'read-marks',
    // As doubles, which become numbers and are exact for them.
    `SELECT coalesce((SELECT number FROM read_up_to WHERE deployment_id = :deploymentId), 0) AS up_to,
            coalesce(array_agg(CAST(number AS float8)) FILTER (WHERE read), '{}') AS read,
            coalesce(array_agg(CAST(number AS float8)) FILTER (WHERE NOT read), '{}') AS unread
       FROM submission_marks WHERE deployment_id = :deploymentId AND number >= :first AND number < :before`,
    { deploymentId, first, before },
  );
  const [upTo, read, unread] = [row?.up_to ?? 0, new Set(row?.read), new Set(row?.unread)];
  return (number) => read.has(number) || (number <= upTo && !unread.has(number));
}
