import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { VALID_CREDENTIALS } from '../account/credentials.ts';
import { query, queryOne } from '../postgres/query.ts';
import { type Submission, type SubmissionRow, selectSubmissionsAfter, toSubmission } from './submissions.ts';

export type NumberedSubmission = Submission & { number: number };

/**
 * What a deployment has accepted after a number, oldest first: at most `limit` submissions, and fewer where they are
 * large. Numbers are committed in their order, so that none is missing before the last of these.
 */
export async function listSubmissionsAfter(
  db: Knex,
  deploymentId: string,
  after: number,
  limit: number,
): Promise<NumberedSubmission[]> {
  const rows = await query<SubmissionRow & { number: number }>(
    db,
    'list-submissions-after',
    selectSubmissionsAfter(':limit', SIZES.internal.newSubmissionsBytes),
    { deploymentId, after, limit },
  );
  return rows.map((row) => ({ ...toSubmission(row), number: row.number }));
}

/** The number of a submission of this deployment. */
export async function numberOfSubmission(db: Knex, deploymentId: string, id: string): Promise<number | undefined> {
  const [row] = await query<{ number: number }>(
    db,
    'number-of-submission',
    'SELECT number FROM submissions WHERE id = ? AND deployment_id = ?',
    [id, deploymentId],
  );
  return row?.number;
}

/** The number of a submission of a live deployment of this owner. */
export async function numberOfOwnSubmission(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<number | undefined> {
  const [row] = await query<{ number: number }>(
    db,
    'number-of-own-submission',
    `SELECT number FROM submissions JOIN deployments ON deployments.id = deployment_id
      WHERE submissions.id = ? AND deployment_id = ? AND owner_id = ? AND deleted_at IS NULL`,
    [id, deploymentId, ownerId],
  );
  return row?.number;
}

/**
 * The last number of each of these deployments that is live, and which of these keys and sessions are valid; one
 * statement.
 */
export async function lastNumbers(
  db: Knex,
  deploymentIds: readonly string[],
  credentialIds: readonly string[],
): Promise<{ numbers: ReadonlyMap<string, number>; validCredentials: ReadonlySet<string> }> {
  const { numbers, credentials } = await queryOne<{ numbers: string | null; credentials: string[] }>(
    db,
    'last-numbers',
    `SELECT (SELECT json_object_agg(id, last_submission_number) FROM deployments
              WHERE id = ANY (CAST(:deploymentIds AS text[])) AND deleted_at IS NULL) AS numbers,
            ARRAY(${VALID_CREDENTIALS}) AS credentials`,
    { deploymentIds: [...deploymentIds], credentialIds: [...credentialIds] },
  );
  const found: Record<string, number> = numbers === null ? {} : JSON.parse(numbers);
  return { numbers: new Map(Object.entries(found)), validCredentials: new Set(credentials) };
}
