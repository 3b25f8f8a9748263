import type { Knex } from 'knex';
import { SIZES } from '../../sizes.ts';
import { checkStorage, type StorageLimits, settleStorage } from '../account/storage-queries.ts';
import { removeFiles, type SizedFile } from '../files/stored-file-queries.ts';
import type { Database } from '../postgres/connect.ts';
import { execute, query } from '../postgres/query.ts';
import { NotAccepted } from './store-in-transaction.ts';
import { IS_MAILED, queueAccepted } from './store-statements.ts';
import { bytesOf, insertFiles, type NewFile } from './submission-file-queries.ts';
import type { InboxSubmission, MarkChange } from './submission-mark-queries.ts';
import type { NumberedSubmission } from './submission-queries.ts';

/*
 * Tests that owners send to their forms. They are apart from submissions, so that no list, count, limit or export has to leave
 * them out.
 *
 * A test stands behind the submission that was the last one when it came (`after_number`), and before the next.
 */

/** `number`: that of the submission behind which the test stands. `test`: its own, which rises. */
type NumberedTest = NumberedSubmission & { test: number };

const COLUMNS =
  'after_number AS number, tests.number AS test, tests.id, data, ip_address AS "ipAddress", tests.created_at AS "createdAt", form';

const OF_OWNER = 'deployment_id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL';

/*
 * The deployment's row is locked first, as by the statement that stores submissions, and the clock is read then: so times rise
 * with numbers, as those of submissions do. No visitor gets a confirmation.
 */
const STORE = `
  WITH deployment AS MATERIALIZED (
    SELECT id, owner_id, last_submission_number, ${IS_MAILED} AS is_mailed, notify_owner FROM deployments
     WHERE id = :deploymentId AND owner_id = :ownerId AND deleted_at IS NULL AND taken_down_at IS NULL FOR NO KEY UPDATE
  ), accepted AS MATERIALIZED (
    SELECT deployment.id AS deployment_id, owner_id, CAST(:id AS text) AS id, CAST(:data AS text) AS data, is_mailed,
           notify_owner, false AS is_confirmed, last_submission_number, now
      FROM deployment, (SELECT clock_timestamp() AS now, count(*) FROM deployment) AS clock
  ), stored AS (
    INSERT INTO test_submissions (deployment_id, after_number, id, data, ip_address, created_at, page_version, form)
    SELECT deployment_id, last_submission_number, id, CAST(data AS json), :ipAddress, now,
           coalesce(CAST(:version AS bigint), (SELECT version FROM pages WHERE pages.deployment_id = accepted.deployment_id), 1), :form
      FROM accepted
  ), ${queueAccepted()}
  SELECT FROM accepted`;

export type NewTest = {
  id: string;
  deploymentId: string;
  ownerId: number;
  data: string;
  ipAddress: string;
  form: string | null;
  /** The version that it was sent from; null: the live one. */
  version: number | null;
};

/** Stores a test with its deliveries; false where this owner has no such live deployment. */
export const storeTest = async (db: Knex, test: NewTest): Promise<boolean> =>
  (await execute(db, 'store-test', STORE, test)) === 1;

/**
 * Stores a test with its files. Throws NotAccepted where this owner has no such live deployment, and StorageFull when the files are too
 * much for the owner's plan.
 */
export async function storeTestWithFiles(
  db: Database,
  test: NewTest,
  files: readonly NewFile[],
  storageLimits: StorageLimits,
): Promise<void> {
  const store = async (connection: Knex): Promise<void> => {
    if (!(await storeTest(connection, test))) throw new NotAccepted({ kind: 'no-deployment' });
  };
  if (files.length === 0) return store(db);
  const { deploymentId } = test;
  await checkStorage(db, { deploymentId }, bytesOf(files), storageLimits);
  await db.longTransaction(async (transaction) => {
    await insertFiles(transaction, test, files);
    await store(transaction);
    await settleStorage(transaction, { deploymentId }, storageLimits);
  });
}

/** A test of a live deployment of this owner. */
export async function findTest(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  id: string,
): Promise<NumberedTest | undefined> {
  const [row] = await query<NumberedTest>(
    db,
    'find-test',
    `SELECT ${COLUMNS} FROM test_submissions AS tests JOIN deployments ON deployments.id = deployment_id
      WHERE tests.id = :id AND ${OF_OWNER}`,
    { ownerId, deploymentId, id },
  );
  return row;
}

/** Tests by their deployments and numbers, without those that are deleted. */
export const findInboxTests = (
  db: Knex,
  wanted: readonly { deploymentId: string; test: number }[],
): Promise<(InboxSubmission & { deploymentId: string; test: number })[]> =>
  query(
    db,
    'find-inbox-tests',
    `SELECT ${COLUMNS}, tests.deployment_id AS "deploymentId", read, starred, note, status, page_version AS "pageVersion"
       FROM unnest(CAST(:ids AS text[]), CAST(:numbers AS bigint[])) AS wanted (deployment_id, number)
       JOIN test_submissions AS tests
         ON tests.deployment_id = wanted.deployment_id AND tests.number = wanted.number`,
    { ids: wanted.map(({ deploymentId }) => deploymentId), numbers: wanted.map(({ test }) => test) },
  );

/** Marks tests of a live deployment of this owner by their ids; how many this has changed. */
export const markTests = (
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
  { read, starred, note, status }: MarkChange,
): Promise<number> =>
  execute(
    db,
    'mark-tests',
    `UPDATE test_submissions AS tests
        SET read = coalesce(:read, read), starred = coalesce(:starred, starred), note = coalesce(:note, note),
            status = coalesce(:status, status)
       FROM deployments
      WHERE tests.id = ANY (CAST(:ids AS text[])) AND deployments.id = tests.deployment_id AND ${OF_OWNER}
        AND (read, starred, note, status) IS DISTINCT FROM (
              coalesce(:read, read), coalesce(:starred, starred), coalesce(:note, note), coalesce(:status, status))`,
    {
      ...{ deploymentId, ownerId, ids: [...ids], read: read ?? null, starred: starred ?? null },
      ...{ note: note ?? null, status: status ?? null },
    },
  );

/**
 * Removes tests of a live deployment of this owner, with their files; how many there were. Their pending deliveries are deleted when
 * they are leased.
 */
export async function deleteTests(
  db: Knex,
  ownerId: number,
  deploymentId: string,
  ids: readonly string[],
): Promise<number> {
  const found = await query<{ id: string }>(
    db,
    'find-tests',
    `SELECT tests.id FROM test_submissions AS tests JOIN deployments ON deployments.id = tests.deployment_id
      WHERE tests.id = ANY (CAST(:ids AS text[])) AND ${OF_OWNER}`,
    { deploymentId, ownerId, ids: [...ids] },
  );
  const tests = found.map(({ id }) => ({ id, deploymentId }));
  return tests.length === 0 ? 0 : removeTests(db, tests);
}

/**
 * Removes the files first: what is interrupted is found again. A form that is sent again from another address may have made a submission
 * with the id of a test: its files stay.
 */
async function removeTests(
  db: Knex,
  tests: readonly { id: string; deploymentId: string }[],
  signal?: AbortSignal,
): Promise<number> {
  const ids = tests.map(({ id }) => id);
  const files = await query<SizedFile>(
    db,
    'list-files-of-tests',
    `SELECT id, size FROM submission_files WHERE deployment_id = ANY (?::text[]) AND submission_id = ANY (?::text[])
        AND NOT EXISTS (SELECT FROM submissions WHERE submissions.id = submission_id)
        AND NOT EXISTS (SELECT FROM spam_submissions WHERE spam_submissions.id = submission_id)
        AND NOT EXISTS (SELECT FROM trashed_submissions WHERE trashed_submissions.id = submission_id)`,
    [[...new Set(tests.map(({ deploymentId }) => deploymentId))], ids],
  );
  if (files.length > 0) await removeFiles(db, files, signal);
  return execute(db, 'delete-tests', 'DELETE FROM test_submissions WHERE id = ANY (?::text[])', [ids]);
}

/** Tests that one statement removes. */
const REMOVED_BATCH = 100;

/** Removes the tests whose day is over, with their files. */
export async function removeOldTests(db: Knex, signal?: AbortSignal): Promise<void> {
  let old: { id: string; deploymentId: string }[];
  do {
    signal?.throwIfAborted();
    old = await query(
      db,
      'find-old-tests',
      `SELECT id, deployment_id AS "deploymentId" FROM test_submissions
        WHERE created_at <= now() - interval '${SIZES.test.lifetimeHours} hours' ORDER BY created_at LIMIT ${REMOVED_BATCH}`,
    );
    if (old.length > 0) await removeTests(db, old, signal);
  } while (old.length === REMOVED_BATCH);
}

/**
 * The tests of a page that are looked for: behind a position, from a time on, and before another, in microseconds since 1970. The
 * numbers at which times begin are not enough: where submissions are deleted, they may be lower.
 */
export type TestRange = { number: number; test: number; from: number; until: number };

/** Returns the tests of these times, or of all, where a time is left out. */
export const testsBetween = (from: Date | undefined, to: Date | undefined): TestRange => ({
  ...{ number: Number.MAX_SAFE_INTEGER, test: 0, from: (from?.getTime() ?? 0) * 1_000 },
  until: Math.min((to?.getTime() ?? Number.POSITIVE_INFINITY) * 1_000, Number.MAX_SAFE_INTEGER),
});

/** Returns whether a page has a test behind a position, where its submissions end. */
export const hasTestsBehind = async (
  db: Knex,
  { deploymentId, after, tests: { from } }: { deploymentId: string; after: number; tests: TestRange },
  { number, test }: { number: number; test: number },
): Promise<boolean> =>
  (await execute(
    db,
    'has-tests-behind',
    `SELECT FROM test_submissions
      WHERE deployment_id = :deploymentId AND after_number >= :after AND (after_number, number) < (:number, :test)
        AND created_at >= timestamptz 'epoch' + CAST(:from AS bigint) * interval '1 microsecond' LIMIT 1`,
    { deploymentId, after, number, test, from },
  )) > 0;
