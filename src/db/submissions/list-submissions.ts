import type { Knex } from 'knex';
import { SIZES } from '../../limits.ts';
import { query } from '../postgres/query.ts';
import { type Submission, type SubmissionRow, toSubmission } from './submissions.ts';

/*
 * Where a page starts: at the number that is `offset` below the last one, and lower by the deleted numbers above it.
 * With deleted numbers h(1) > h(2) > ... and n = last - offset, a start s is right when `offset` submissions are above
 * it: s = n - (how many h > s). h(i) + i - 1 never rises with i. Let m be how many of these are at least n. Then h(m)
 * >= n - m + 1 and h(m + 1) < n - m, so exactly m deleted numbers are above s = n - m. The scan goes from the top to
 * the first that is below n.
 */
const LIST = `
  SELECT submission_count AS total, submission.*
    FROM deployments LEFT JOIN LATERAL (
      SELECT id, number, bytes, ip_address, created_at,
             CASE WHEN sum(bytes) OVER (ORDER BY number DESC) <= :batchBytes THEN data END AS data
        FROM (
          SELECT id, number, octet_length(CAST(data AS text)) AS bytes, data, ip_address, created_at FROM submissions
           WHERE deployment_id = deployments.id
             AND number <= last_submission_number - CAST(:offset AS bigint) - CASE
               WHEN submission_count = last_submission_number OR CAST(:offset AS bigint) = 0 THEN 0
               WHEN submission_count <= CAST(:offset AS bigint) THEN last_submission_number
               ELSE coalesce((
                 SELECT rank - 1 FROM (
                   SELECT number, row_number() OVER (ORDER BY number DESC) AS rank FROM removed_submissions
                    WHERE deployment_id = deployments.id
                 ) AS hole
                  WHERE number + rank - 1 < last_submission_number - CAST(:offset AS bigint) ORDER BY number DESC LIMIT 1
               ), last_submission_number - submission_count)
             END
           ORDER BY number DESC LIMIT :limit
        ) AS on_page
       ORDER BY number DESC
    ) AS submission ON true
   WHERE deployments.id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL`;

/** `data` is null beyond what is read at first. */
type ListedRow = Omit<SubmissionRow, 'data'> & { number: number; bytes: number; data: string | null };

/** Submissions that are still to be read, and the bytes of their data. */
export type Batch = { numbers: number[]; bytes: number };

/** A page of submissions, newest first: those that are `first`, then those of the batches. */
type SubmissionPage = { total: number; first: Submission[]; firstBytes: number; rest: Batch[] };

/** Divides the rest of a page into batches. */
export function inBatches(rows: readonly { number: number; bytes: number }[]): Batch[] {
  const batches: Batch[] = [];
  for (const { number, bytes } of rows) {
    const last = batches.at(-1);
    if (last && last.bytes + bytes <= SIZES.internal.listBatchBytes) {
      last.numbers.push(number);
      last.bytes += bytes;
    } else batches.push({ numbers: [number], bytes });
  }
  return batches;
}

/**
 * A page of a deployment's submissions, and how many there are in all; undefined when this owner has no such live
 * deployment. Pages are ranges of numbers: the cost of one does not depend on its depth, but on how many submissions
 * above it have been deleted. Of a large page only the first `listBatchBytes` are read; `readBatch` reads the rest.
 */
export async function listSubmissions(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  { page, limit }: { page: number; limit: number },
): Promise<SubmissionPage | undefined> {
  const offset = (page - 1) * limit;
  const rows = await query<{ total: number } & (ListedRow | { number: null })>(db, 'list-submissions', LIST, {
    offset,
    limit,
    batchBytes: SIZES.internal.listBatchBytes,
    deploymentId,
    ownerId,
  });
  const [row] = rows;
  if (!row) return undefined;
  const listed = rows.filter((one) => one.number !== null);
  const first = listed.flatMap(({ data, ...one }) => (data === null ? [] : [toSubmission({ ...one, data })]));
  return {
    total: row.total,
    first,
    firstBytes: first.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0),
    rest: inBatches(listed.slice(first.length)),
  };
}

/** The submissions of a batch, newest first, without those that have been deleted since. */
export async function readBatch(db: Knex, deploymentId: string, { numbers }: Batch): Promise<Submission[]> {
  const rows = await query<SubmissionRow>(
    db,
    'read-submission-batch',
    `SELECT id, data, ip_address, created_at FROM submissions
      WHERE deployment_id = ? AND number = ANY (?::bigint[]) ORDER BY number DESC`,
    [deploymentId, numbers],
  );
  return rows.map(toSubmission);
}
