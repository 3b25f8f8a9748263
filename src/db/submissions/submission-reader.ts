import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { SIZES } from '../../sizes.ts';
import { isOutOfReach } from '../postgres/out-of-reach.ts';
import { query } from '../postgres/query.ts';
import { type NumberedSubmission, submissionColumns } from './submission-queries.ts';

const RETRY_MS = 1_000;

/** Submissions that one statement reads at first. */
const FIRST_ROWS = 100;
const MAX_ROWS = SIZES.internal.listBatchRows;

/** A number before all: those of imported submissions are 0, -1, -2 and so on. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

/** Which submissions of a deployment are read, and which of them first. The numbers `after` and `before` are left out. */
export type Range = {
  order: 'newest' | 'oldest';
  after?: number;
  before?: number;
  limit?: number;
};

/** How one batch is read. */
export type RunRead = <T>(read: () => Promise<T>) => Promise<T>;

/*
 * Numbers near the first one of a range. A plan that knows nothing of the form may read and sort all that a statement
 * covers, in place of following the index: that must not be a million submissions.
 */
const NEAR_FIRST = {
  ASC: `number < ${MAX_ROWS} + (
    SELECT number FROM submissions WHERE deployment_id = :deploymentId AND number > :after ORDER BY number LIMIT 1)`,
  DESC: `number > -${MAX_ROWS} + (
    SELECT number FROM submissions WHERE deployment_id = :deploymentId AND number < :before ORDER BY number DESC LIMIT 1)`,
};

// The data of a batch is measured by Postgres: rows that don't fit never leave it.
const READ = (direction: 'ASC' | 'DESC'): string => `
  SELECT ${submissionColumns('measured')}
    FROM (
      SELECT next.*, row_number() OVER listed AS position, sum(octet_length(CAST(data AS text))) OVER listed AS bytes
        FROM (
          SELECT number, id, data, ip_address, created_at, form FROM submissions
           WHERE deployment_id = :deploymentId AND number > :after AND number < :before AND ${NEAR_FIRST[direction]}
           ORDER BY number ${direction} LIMIT :limit
        ) AS next
      WINDOW listed AS (ORDER BY number ${direction} ROWS UNBOUNDED PRECEDING)
    ) AS measured
   WHERE position = 1 OR bytes <= :maxBytes
   ORDER BY number ${direction}`;

/**
 * The first submissions of a range: at most `limit`, and `maxBytes` of their data, but always one;
 * fewer where nearly all have been deleted. Numbers are committed in
 * their order, so that none is missing before the last of these.
 */
export function readBatch(
  db: Knex,
  deploymentId: string,
  { order, after = BEFORE_ALL, before = Number.MAX_SAFE_INTEGER, limit = MAX_ROWS }: Range,
  maxBytes: number = SIZES.internal.listBatchBytes,
): Promise<NumberedSubmission[]> {
  const values = { deploymentId, after, before, limit, maxBytes };
  return query(db, `read-${order}`, READ(order === 'newest' ? 'DESC' : 'ASC'), values);
}

/**
 * All submissions of a range, in batches. Each batch is a statement of its own, so that a slow reader keeps no connection.
 * Submissions that are deleted meanwhile may be missing.
 */
export async function* readSubmissions(
  db: Knex,
  deploymentId: string,
  { order, after = BEFORE_ALL, before = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER }: Range,
  run: RunRead = (read) => read(),
): AsyncGenerator<NumberedSubmission[]> {
  const { listBatchBytes } = SIZES.internal;
  const range = { order, after, before };
  let rows: number = FIRST_ROWS;
  for (let left = limit; left > 0; ) {
    const batch = await run(() => readBatch(db, deploymentId, { ...range, limit: Math.min(rows, left) }));
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    left -= batch.length;
    if (order === 'newest') range.before = last.number;
    else range.after = last.number;
    // Postgres also reads the rows that don't fit.
    const bytes = batch.reduce((sum, { data }) => sum + data.length, 0);
    rows = bytes < listBatchBytes / 2 ? Math.min(2 * rows, MAX_ROWS) : batch.length;
  }
}

/** Reads again while the database is away for a moment. */
export const withRetries =
  ({ reads: { exportRetries } }: Limits): RunRead =>
  async (read) => {
    for (let failures = 1; ; failures += 1) {
      try {
        return await read();
      } catch (error) {
        if (!isOutOfReach(error) || failures > exportRetries) throw error;
        await delay(RETRY_MS);
      }
    }
  };
