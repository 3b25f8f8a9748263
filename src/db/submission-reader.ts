import type { Knex } from 'knex';
import type { Submission } from './submissions.ts';

const FIRST_ROWS = 500;
const FEWEST_ROWS = 16;
const MOST_ROWS = 5_000;
const MOST_BYTES = 1024 * 1024;

/** Record separator: no JSON text has it as it is, nor has anything else that is read here. */
const SEPARATOR = '\x1e';

/*
 * The next submissions after a number: at most so many, of which all but the last have at most MOST_BYTES of data.
 *
 * - They come as one row, for a row and its columns cost several times as much to read here as a piece of a text.
 *   The aggregates take them in their order: nothing else happens to them there.
 * - Most are small, which their sizes as they are stored tell. Only if they aren't, these are added up, and then those of the
 *   data, which has to be unpacked for that and may be a hundred times as large.
 */
const NEXT = `
  WITH near AS MATERIALIZED (
    SELECT number, id, data, ip_address, created_at FROM submissions
     WHERE deployment_id = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?
  ), size AS MATERIALIZED (
    SELECT sum(pg_column_size(data)) < ${MOST_BYTES} AND count(pg_column_compression(data)) = 0 AS fits FROM near
  ), fitting AS (
    SELECT number, id, data, ip_address, created_at FROM near WHERE (SELECT fits FROM size)
    UNION ALL
    SELECT number, id, data, ip_address, created_at FROM (
      SELECT *, coalesce(sum(octet_length(data::text)) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
        FROM (
          SELECT *, coalesce(sum(pg_column_size(data)) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS stored_before
            FROM near WHERE NOT (SELECT fits FROM size)
        ) AS measured WHERE stored_before < ${MOST_BYTES}
    ) AS unpacked WHERE bytes_before < ${MOST_BYTES}
  )
  SELECT max(number) AS end, string_agg(id, '${SEPARATOR}') AS ids, string_agg(data::text, '${SEPARATOR}') AS data,
         string_agg(ip_address, '${SEPARATOR}') AS ip_addresses,
         string_agg(to_json(created_at AT TIME ZONE 'UTC')::text, '${SEPARATOR}') AS times
    FROM fitting`;

type Batch =
  | { end: null }
  | {
      /** The number of its last submission. */
      end: number;
      ids: string;
      data: string;
      ip_addresses: string;
      times: string;
    };

/** The number of the submission that the deployment accepted last, deleted ones included; 0 when there was none. */
export async function lastSubmissionNumber(db: Knex, deploymentId: string): Promise<number> {
  const { rows } = await db
    .raw('SELECT last_submission_number AS last FROM deployments WHERE id = ?', [deploymentId])
    .options({ name: 'last-submission-number' });
  return rows[0]?.last ?? 0;
}

/**
 * All submissions of a deployment, be it live or deleted, up to a number (`lastSubmissionNumber`), oldest first, in batches of
 * bounded rows and bytes. Those that are deleted meanwhile may be missing. Each batch is a unit of work by itself, and the
 * next is read while one is worked on: no connection is held for whoever reads slowly.
 */
export async function* readSubmissions(db: Knex, deploymentId: string, last: number): AsyncGenerator<Submission[]> {
  const next = (after: number, limit: number): Promise<{ rows: Batch[] }> => {
    const reading = Promise.resolve(
      db.raw(NEXT, [deploymentId, after, last, limit]).options({ name: 'read-submissions' }),
    );
    // It fails where it is awaited, unless nobody wants it any more.
    reading.catch(() => undefined);
    return reading;
  };
  for (let reading = next(0, FIRST_ROWS); ; ) {
    const [batch] = (await reading).rows;
    if (!batch || batch.end === null) return;
    const submissions = toSubmissions(batch);
    // What didn't fit was measured in vain: not many more are asked for than did.
    reading = next(batch.end, Math.min(Math.max(submissions.length * 2, FEWEST_ROWS), MOST_ROWS));
    yield submissions;
  }
}

function toSubmissions(batch: Exclude<Batch, { end: null }>): Submission[] {
  const data = batch.data.split(SEPARATOR);
  const ipAddresses = batch.ip_addresses.split(SEPARATOR);
  const times = batch.times.split(SEPARATOR);
  return batch.ids.split(SEPARATOR).map((id, index) => ({
    id,
    data: data[index] ?? '',
    ipAddress: ipAddresses[index] ?? '',
    createdAt: new Date(`${times[index]?.slice(1, -1)}Z`),
  }));
}
