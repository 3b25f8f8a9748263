import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isOutOfReach } from './connect.ts';
import type { Submission } from './submissions.ts';

const FIRST_WIDTH = 500;
const LEAST_WIDTH = 16;
const MOST_WIDTH = 1_000;
/** A batch that fails because the database is out of reach is tried again. */
const MOST_FAILURES = 3;
const RETRY_MS = 1_000;
/** Of texts that are only passed on, and of submissions: what is made of them takes several times as much. */
const LINES_BYTES = 1024 * 1024;
const COLUMNS_BYTES = 192 * 1024;

/** Record separator: no JSON text has it as it is, nor has anything else that is read here. */
const SEPARATOR = '\x1e';

const RANGE = 'deployment_id = ? AND number > ? AND number <= ?';

/*
 * The submissions with numbers after one and up to another, but no more of them than that all but the last have at most
 * so many bytes of data. A range and not a limit: whichever plan there is reads no more than the range.
 *
 * Most are small, which their sizes as they are stored tell; to read the range once for these and again for the data is
 * cheaper than to keep it between. Only if they aren't small, sizes are added up, and then those of the data, which has to be
 * unpacked for that and may be a hundred times as large.
 */
const nextWithin = (bytes: number): string => `
  WITH size AS MATERIALIZED (
    SELECT bytes, bytes < ${bytes} AND compressed = 0 AS fits
      FROM (
        SELECT coalesce(sum(pg_column_size(data)), 0) AS bytes, count(pg_column_compression(data)) AS compressed
          FROM submissions WHERE ${RANGE}
      ) AS all_of_them
  ), fitting AS (
    (SELECT number, id, data, ip_address, created_at FROM submissions WHERE ${RANGE} AND (SELECT fits FROM size) ORDER BY number)
    UNION ALL
    SELECT number, id, data, ip_address, created_at FROM (
      SELECT *, coalesce(sum(octet_length(data::text)) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before
        FROM (
          SELECT *, coalesce(sum(pg_column_size(data)) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS stored_before
            FROM submissions WHERE ${RANGE} AND NOT (SELECT fits FROM size)
        ) AS measured WHERE stored_before < ${bytes}
    ) AS unpacked WHERE bytes_before < ${bytes}
  )`;

/*
 * One row for all of them, for each row and column costs several times as much to read here as a piece of a text. The aggregates
 * take them in their order, for nothing else happens to them there.
 */
const AS_COLUMNS = `${nextWithin(COLUMNS_BYTES)}
  SELECT (SELECT fits FROM size) AS all, (SELECT bytes FROM size) AS stored_bytes, max(number) AS last, count(*) AS count, string_agg(id, '${SEPARATOR}') AS ids, string_agg(data::text, '${SEPARATOR}') AS data,
         string_agg(ip_address, '${SEPARATOR}') AS ip_addresses,
         string_agg(to_json(created_at AT TIME ZONE 'UTC')::text, '${SEPARATOR}') AS times
    FROM fitting`;

/* Line ends within a JSON text are white space between tokens: in strings they are escaped. */
const AS_LINES = `${nextWithin(LINES_BYTES)}
  SELECT (SELECT fits FROM size) AS all, (SELECT bytes FROM size) AS stored_bytes, max(number) AS last, count(*) AS count, string_agg(
           '{"id":"' || id || '","data":' || replace(replace(data::text, E'\\n', ''), E'\\r', '') || ',"ip_address":"' || ip_address
             || '","created_at":"' || to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS') || E'Z"}\\n', '') AS lines
    FROM fitting`;

/** RANGE is in a statement so many times. */
const threeTimes = (...range: [deploymentId: string, after: number, upTo: number]) => [...range, ...range, ...range];

/** `all`: whether these are all of the range; if not, `last` is the number of the last. */
type Batch<T> = { all: boolean; stored_bytes: number; count: number } & (({ last: number } & T) | { last: null });
/** Has a statement wait for its turn among those that read for others. */
export type InTurn = <T>(read: () => PromiseLike<T>) => Promise<T>;
const atOnce: InTurn = async (read) => read();

type Columns = { ids: string; data: string; ip_addresses: string; times: string };

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
export async function* readSubmissions(
  db: Knex,
  deploymentId: string,
  last: number,
  inTurn: InTurn = atOnce,
): AsyncGenerator<Submission[]> {
  const read = (after: number, upTo: number): Promise<{ rows: Batch<Columns>[] }> =>
    inTurn(() => db.raw(AS_COLUMNS, threeTimes(deploymentId, after, upTo)).options({ name: 'read-submissions' }));
  for await (const batch of inBatches(read, { last, mostBytes: COLUMNS_BYTES, mostAhead: 1 }))
    yield toSubmissions(batch);
}

/** The same as texts of lines, each a JSON object as the API lists it; many times as fast. */
export async function* readSubmissionLines(
  db: Knex,
  deploymentId: string,
  last: number,
  inTurn: InTurn = atOnce,
): AsyncGenerator<string> {
  const read = (after: number, upTo: number): Promise<{ rows: Batch<{ lines: string }>[] }> =>
    inTurn(() => db.raw(AS_LINES, threeTimes(deploymentId, after, upTo)).options({ name: 'read-submission-lines' }));
  for await (const { lines } of inBatches(read, { last, mostBytes: LINES_BYTES, mostAhead: 2 })) yield lines;
}

async function* inBatches<T>(
  read: (after: number, upTo: number) => Promise<{ rows: Batch<T>[] }>,
  /** `mostAhead`: while ranges fit, so many are read at a time; more than one where Postgres has more to do with them than this process. */
  { last, mostBytes, mostAhead }: { last: number; mostBytes: number; mostAhead: number },
): AsyncGenerator<{ last: number } & T> {
  let width = FIRST_WIDTH;
  /** Up to where there is an answer, and up to where has been asked. */
  let after = 0;
  let asked = 0;
  let ahead: { upTo: number; reading: Promise<{ rows: Batch<T>[] }> }[] = [];
  const ask = (): void => {
    const upTo = Math.min(asked + width, last);
    const reading = read(asked, upTo);
    // It fails where it is awaited, unless nobody wants it any more.
    reading.catch(() => undefined);
    ahead.push({ upTo, reading });
    asked = upTo;
  };
  const askAgain = (): void => {
    ahead = [];
    asked = after;
    ask();
  };
  ask();
  let failures = 0;
  for (let next = ahead.shift(); next; next = ahead.shift()) {
    const answer = await next.reading.catch((error) => {
      failures += 1;
      if (!isOutOfReach(error) || failures > MOST_FAILURES) throw error;
    });
    if (!answer) {
      // The database is away for a moment, or so busy that less has to be asked for at a time.
      width = Math.max(width >> 2, LEAST_WIDTH);
      await delay(RETRY_MS);
      askAgain();
      continue;
    }
    failures = 0;
    const [batch] = answer.rows;
    if (!batch) throw new Error('A batch of submissions is no row.');
    after = batch.all ? next.upTo : (batch.last ?? next.upTo);
    if (!batch.all) {
      // What doesn't fit is measured in vain, and so is what was asked for behind it.
      width = Math.max(batch.count, LEAST_WIDTH);
      if (after < last) askAgain();
    } else {
      if (batch.stored_bytes < mostBytes / 2) width = Math.min(width * 2, MOST_WIDTH);
      while (ahead.length < mostAhead && asked < last) ask();
    }
    if (batch.last !== null) yield batch;
  }
}

function toSubmissions(columns: Columns): Submission[] {
  const data = columns.data.split(SEPARATOR);
  const ipAddresses = columns.ip_addresses.split(SEPARATOR);
  const times = columns.times.split(SEPARATOR);
  return columns.ids.split(SEPARATOR).map((id, index) => ({
    id,
    data: data[index] ?? '',
    ipAddress: ipAddresses[index] ?? '',
    createdAt: new Date(`${times[index]?.slice(1, -1)}Z`),
  }));
}
