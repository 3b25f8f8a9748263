import type { Knex } from 'knex';
import type { Deployment } from '../deployments/deployment-queries.ts';
import { query } from '../postgres/query.ts';
import type { NumberedSubmission } from './submission-queries.ts';
import { type Range, readBatch } from './submission-reader.ts';

/** A page of submissions, newest first: as many as one statement reads, and the range of the others. */
type SubmissionPage = { first: NumberedSubmission[]; rest: Range | undefined };

/** A page of what the deployment had when it was looked up. */
export async function listSubmissions(
  db: Knex,
  deployment: Deployment,
  { page, limit }: { page: number; limit: number },
): Promise<SubmissionPage> {
  const offset = (page - 1) * limit;
  const count = Math.min(limit, deployment.submissionCount - offset);
  if (count <= 0) return { first: [], rest: undefined };
  const before = await numberBefore(db, deployment, offset);
  const first = await readBatch(db, deployment.id, { order: 'newest', before, limit: count });
  const last = first.at(-1);
  const rest: Range | undefined =
    last && first.length < count ? { order: 'newest', before: last.number, limit: count - first.length } : undefined;
  return { first, rest };
}

/** The number below which are all submissions except for the newest ones, `offset` of them. */
async function numberBefore(
  db: Knex,
  { id, submissionCount, firstSubmissionNumber, lastSubmissionNumber }: Deployment,
  offset: number,
): Promise<number> {
  // Where nothing has been deleted, numbers are without gaps.
  const isGapless = submissionCount === lastSubmissionNumber - firstSubmissionNumber + 1;
  if (offset === 0 || isGapless) return lastSubmissionNumber + 1 - offset;
  const [row] = await query<{ number: number }>(
    db,
    'number-at-offset',
    'SELECT number FROM submissions WHERE deployment_id = ? AND number <= ? ORDER BY number DESC LIMIT 1 OFFSET ?',
    [id, lastSubmissionNumber, offset - 1],
  );
  return row?.number ?? firstSubmissionNumber;
}
