import type { Knex } from 'knex';
import type { Limits } from '../../limits.ts';
import { record } from '../account/audit-queries.ts';
import { checkStorage, type StorageLimits } from '../account/storage-queries.ts';
import type { Database } from '../postgres/connect.ts';
import { execute, query, queryOne } from '../postgres/query.ts';
import { PLACES_LEFT } from './place-counts.ts';

/*
 * Imported submissions get numbers below those of all others: 0, -1, -2 and so on. So nothing that has been accepted is renumbered, and
 * whatever reads what comes after a number never sees them.
 *
 * Their rows are stored without the lock on the deployment's row, for which visitors' submissions would wait: nobody else uses such
 * numbers, and nobody sees the rows before the commit. The lock is taken at the end, for the checks and the counters.
 */

/** A row that is imported. `time`: in milliseconds since 1970. */
export type ImportedSubmission = {
  number: number;
  id: string;
  data: string;
  ipAddress: string;
  time: number;
  form: string | null;
};

/** `times`: of all rows, in order. `isTimed`: whether each row has brought its own. `bytes`: of their data. */
type ImportedFile = { times: readonly number[]; isTimed: boolean; bytes: number };

/** Why nothing is imported. `left`: free places, of which the rows take `taken`. */
export type ImportRefusal =
  | { kind: 'no-deployment' | 'running' | 'untimed' | 'not-older' | 'changed' }
  | { kind: 'full'; left: number; taken: number };

/** Ends the transaction of an import that is refused. */
export class ImportRefused extends Error {
  readonly refusal: ImportRefusal;

  constructor(refusal: ImportRefusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}

type Target = { deploymentId: string; ownerId: number };

/** Submissions in the trash and in the spam folder that are not newer than the newest row, in the order of their times. */
type Moved = { id: string; time: number };

/** Returns false while another import into the deployment runs, in any process. The lock ends with its transaction. */
const lockImports = async (transaction: Knex, { deploymentId }: Target): Promise<boolean> =>
  (
    await queryOne<{ is_locked: boolean }>(
      transaction,
      'lock-imports',
      'SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS is_locked',
      [`import ${deploymentId}`],
    )
  ).is_locked;

const STATE = `
  SELECT first_submission_number AS first, places_field AS "placesField", ${PLACES_LEFT} AS left,
         (SELECT CAST(floor(extract(epoch FROM created_at) * 1000) AS bigint) FROM submissions
           WHERE deployment_id = deployments.id AND number > :limit ORDER BY number LIMIT 1) AS oldest
    FROM deployments WHERE id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL`;

/** `left`: free places; null: there is no limit. `oldest`: the time of the oldest submission; null: there is none. */
type State = { first: number; placesField: string | null; left: number | null; oldest: number | null };

/** The state of a deployment without what this transaction stores, whose numbers are up to `limit`. Throws ImportRefused. */
async function readState(transaction: Knex, { deploymentId, ownerId }: Target, limit: number): Promise<State> {
  const [state] = await query<State>(transaction, 'find-for-import', STATE, { deploymentId, ownerId, limit });
  if (!state) throw new ImportRefused({ kind: 'no-deployment' });
  return state;
}

/** Throws ImportRefused where the rows can't be stored before what a deployment has. `taken`: the places that they take. */
function check({ oldest, left }: State, { times, isTimed }: ImportedFile, taken: number): void {
  if (oldest !== null && !isTimed) throw new ImportRefused({ kind: 'untimed' });
  checkOlder(oldest, times);
  if (left !== null && taken > left) throw new ImportRefused({ kind: 'full', left: Math.max(0, left), taken });
}

function checkOlder(oldest: number | null, times: readonly number[]): void {
  if (oldest !== null && oldest <= (times.at(-1) ?? Number.NEGATIVE_INFINITY))
    throw new ImportRefused({ kind: 'not-older' });
}

/* Submissions that can be restored to the numbers that they had. */
const MOVED = `(
  SELECT id, number, created_at FROM trashed_submissions WHERE deployment_id = :deploymentId
   UNION ALL
  SELECT id, accepted_number, created_at FROM spam_submissions
   WHERE deployment_id = :deploymentId AND accepted_number IS NOT NULL
) AS moved WHERE created_at <= CAST(:newest AS timestamptz)`;

/**
 * Returns the numbers of rows, and new ones of submissions in the trash and the spam folder that are not newer than all rows: a number rises
 * with its time, so a restored submission takes its place among the rows.
 */
function numberAll(times: readonly number[], moved: readonly Moved[], first: number) {
  const numbers: number[] = [];
  const renumbered: { id: string; number: number }[] = [];
  let number = first - times.length - moved.length;
  let next = 0;
  for (const time of times) {
    for (let one = moved[next]; one && one.time < time; one = moved[next]) {
      renumbered.push({ id: one.id, number });
      number += 1;
      next += 1;
    }
    numbers.push(number);
    number += 1;
  }
  for (const { id } of moved.slice(next)) {
    renumbered.push({ id, number });
    number += 1;
  }
  return { numbers, renumbered };
}

/** Stores rows, which are read at once. Returns the places that they take besides one each. */
const STORE = `
  WITH rows AS MATERIALIZED (
    SELECT * FROM json_to_recordset(:rows) AS rows (number bigint, id text, data text, "ipAddress" text, time bigint, form text)
  ), stored AS (
    INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at, form)
    SELECT :deploymentId, number, id, CAST(data AS json), "ipAddress", timestamptz 'epoch' + time * interval '1 millisecond', form
      FROM rows ORDER BY number
    RETURNING number
  ), extra AS MATERIALIZED (
    SELECT coalesce(sum(places_of(CAST(data AS json), :placesField) - 1), 0) AS places
      FROM rows WHERE CAST(:placesField AS text) IS NOT NULL
  )
  SELECT CAST(places AS bigint) AS extra, (SELECT count(*) FROM stored) AS count FROM extra`;

/* In a statement of its own: it refers to rows that have to be there. */
const MARK_READ = `
  INSERT INTO submission_marks (deployment_id, number, read, starred)
  SELECT :deploymentId, number, true, false FROM unnest(CAST(:numbers AS bigint[])) AS stored (number) ORDER BY number`;

/** The numbers that the rows of a file get, in the order of their times. */
export type ReadBatches = (numbers: readonly number[]) => AsyncIterable<readonly ImportedSubmission[]>;

/** Stores all rows of a file. Returns the places that they take besides one each. */
async function storeRows(
  transaction: Knex,
  { deploymentId }: Target,
  placesField: string | null,
  batches: AsyncIterable<readonly ImportedSubmission[]>,
): Promise<number> {
  let extra = 0;
  for await (const batch of batches) {
    const values = { deploymentId, placesField, rows: JSON.stringify(batch) };
    extra += (await queryOne<{ extra: number }>(transaction, 'store-imported', STORE, values)).extra;
    const numbers = batch.map(({ number }) => number);
    await execute(transaction, 'mark-imported-read', MARK_READ, { deploymentId, numbers });
  }
  return extra;
}

/* A submission is in one of the two. */
const RENUMBER = `
  WITH renumbered AS MATERIALIZED (
    SELECT * FROM unnest(CAST(:ids AS text[]), CAST(:numbers AS bigint[])) AS renumbered (id, number)
  ), in_spam AS (
    UPDATE spam_submissions SET accepted_number = renumbered.number
      FROM renumbered WHERE spam_submissions.deployment_id = :deploymentId AND spam_submissions.id = renumbered.id
  )
  UPDATE trashed_submissions SET number = renumbered.number
    FROM renumbered WHERE trashed_submissions.deployment_id = :deploymentId AND trashed_submissions.id = renumbered.id`;

/* A row that has been moved meanwhile was a submission until then: it is newer, or the import is refused. */
const COUNT = `
  UPDATE deployments
     SET submission_count = submission_count + :count, extra_places = extra_places + :extra,
         first_submission_number = :first
   WHERE id = :deploymentId
     AND NOT EXISTS (SELECT FROM ${MOVED} AND number >= first_submission_number)`;

/**
 * Imports the rows of a file into a live deployment of this owner, all in one transaction: they are before all that it has, are read, and
 * are delivered to nobody. `read`: reads them again with their numbers. Throws ImportRefused, StorageFull, and what `read` throws.
 */
export async function importSubmissions(
  db: Database,
  target: Target,
  file: ImportedFile,
  { read, limits, storageLimits }: { read: ReadBatches; limits: Limits; storageLimits: StorageLimits },
): Promise<void> {
  await checkStorage(db, { ownerId: target.ownerId }, file.bytes, storageLimits);
  const { times } = file;
  const { deploymentId } = target;
  const newest = new Date(times.at(-1) ?? 0);
  await db.longTransaction(async (transaction) => {
    if (!(await lockImports(transaction, target))) throw new ImportRefused({ kind: 'running' });
    const before = await readState(transaction, target, Number.MIN_SAFE_INTEGER);
    check(before, file, times.length);
    if (times.length === 0) return;
    const moved = await query<Moved>(
      transaction,
      'find-older-moved',
      `SELECT id, CAST(floor(extract(epoch FROM created_at) * 1000) AS bigint) AS time FROM ${MOVED} ORDER BY number`,
      { deploymentId, newest },
    );
    const { numbers, renumbered } = numberAll(times, moved, before.first);
    const extra = await storeRows(transaction, target, before.placesField, read(numbers));
    // The state is read in the next statement, which sees what was committed before the lock.
    await execute(transaction, 'lock-deployment', 'SELECT FROM deployments WHERE id = ? FOR NO KEY UPDATE', [
      deploymentId,
    ]);
    const now = await readState(transaction, target, before.first - 1);
    if (now.placesField !== before.placesField) throw new ImportRefused({ kind: 'changed' });
    // Rows without a time have that of the beginning: what has come since is newer.
    check(now, { ...file, isTimed: true }, times.length + extra);
    if (renumbered.length > 0) {
      const [ids, values] = [renumbered.map(({ id }) => id), renumbered.map(({ number }) => number)];
      await execute(transaction, 'renumber-moved', RENUMBER, { deploymentId, ids, numbers: values });
    }
    const first = before.first - times.length - moved.length;
    const values = { deploymentId, newest, count: times.length, extra, first };
    if ((await execute(transaction, 'count-imported', COUNT, values)) === 0)
      throw new ImportRefused({ kind: 'changed' });
    await record(transaction, { target: deploymentId, deploymentId, count: times.length });
  }, limits.imports.storeTimeoutMs);
}
