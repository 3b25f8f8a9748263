import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { findOwners } from '../../src/db/account/owner-queries.ts';
import { listDeliveries, retryFailedDeliveries } from '../../src/db/deliveries/delivery-log-queries.ts';
import { findDuePairs, leaseDeliveries } from '../../src/db/deliveries/delivery-queue.ts';
import { settleDeliveries } from '../../src/db/deliveries/settle-deliveries.ts';
import { listWebhookHealth } from '../../src/db/deliveries/webhook-queries.ts';
import { findPages, listDeployments } from '../../src/db/deployments/deployment-queries.ts';
import { listOverview } from '../../src/db/deployments/overview-queries.ts';
import { findSettings } from '../../src/db/deployments/settings-queries.ts';
import { listSubmissionFiles } from '../../src/db/files/stored-file-queries.ts';
import { markAsSpam } from '../../src/db/spam/spam-moves.ts';
import { findStored } from '../../src/db/submissions/find-stored.ts';
import { findFormNames } from '../../src/db/submissions/form-name-queries.ts';
import { findForms } from '../../src/db/submissions/form-queries.ts';
import { lastNumbers } from '../../src/db/submissions/new-submission-queries.ts';
import { findOwnPages } from '../../src/db/submissions/owner-inbox-queries.ts';
import { searchSubmissions } from '../../src/db/submissions/search-submissions.ts';
import { findLive, storeAlone, storeSubmissions } from '../../src/db/submissions/store-submissions.ts';
import { findInboxSubmissions, markSubmissions } from '../../src/db/submissions/submission-mark-queries.ts';
import { deleteSubmissions, findSubmission } from '../../src/db/submissions/submission-queries.ts';
import { readBatch } from '../../src/db/submissions/submission-reader.ts';
import {
  findInboxTests,
  findTest,
  markTests,
  storeTest,
  testsBetween,
} from '../../src/db/submissions/test-submission-queries.ts';
import {
  eraseTrashed,
  listTrashedSubmissions,
  restoreSubmission,
  trashSubmissions,
} from '../../src/db/submissions/trashed-submission-queries.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { runSql } from '../support/database.ts';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/test-limits.ts';

const FEW = 5;
const MANY = 10_000;
/** Rows that a statement may read one after the other: much less than there are. */
const MAX_READ = 1_500;

const { url } = await testDatabase();
/** Connections that make plans anew in each transaction. */
const db = openDatabase(url, testLimits({ database: { planLifetimeMs: 0 } }));
/** Connections that keep plans for ever. */
const keeping = openDatabase(url, testLimits({ database: { planLifetimeMs: Number.POSITIVE_INFINITY } }));

/** Rows of most tables, one of each deployment, with the numbers `from` to `to`. */
const fill = (from: number, to: number): Promise<void> =>
  runSql(
    url,
    `SET session_replication_role = replica;
     INSERT INTO owners (id, email, plan) OVERRIDING SYSTEM VALUE
       SELECT n, n || '@test.example', 'unlimited' FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO api_keys (id, owner_id, hash, prefix) SELECT 'key_' || n, n, sha256(n::text::bytea), 'fh_'
       FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO deployments (id, owner_id, slug, submission_count, last_submission_number)
       SELECT 'd_' || n, n, 'page-' || n, 1, 1 FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO pages (deployment_id, html) SELECT 'd_' || n, '<p>' FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
       SELECT 'd_' || n, 1, 'sub_' || lpad(n::text, 24, '0'), '{}', '192.0.2.1', now() FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO submission_marks (deployment_id, number, read, starred)
       SELECT 'd_' || n, 1, true, true FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO submission_files (id, deployment_id, submission_id, filename, content_type, size)
       SELECT 'file_' || n, 'd_' || n, 'sub_' || lpad(n::text, 24, '0'), 'a', 'text/plain', 0 FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO spam_submissions (deployment_id, id, data, ip_address, created_at, kept_at, reason)
       SELECT 'd_' || n, 'sub_spam' || n, '{}', '192.0.2.1', now(), now(), 'marked' FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO trashed_submissions (deployment_id, number, id, data, ip_address, created_at, read, starred, note, status,
                                      deleted_at)
       SELECT 'd_' || n, 2, 'sub_trashed' || n, '{}', '192.0.2.1', now(), true, false, '', 'open', now()
         FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO test_submissions (deployment_id, after_number, id, data, ip_address, created_at, page_version)
       SELECT 'd_' || n, 1, 'sub_test' || n, '{}', '192.0.2.1', now(), 1 FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
       SELECT 'wh_' || n, 'd_' || n, 'https://hooks.example/', 'hooks.example:443', 'generic', '{submission}'
         FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO deliveries (id, deployment_id, owner_id, submission_id, webhook_id, event, receiver, next_attempt_at,
                             created_at, updated_at)
       SELECT 'dl_' || lpad(n::text, 24, '0'), 'd_' || n, n, 'sub_' || lpad(n::text, 24, '0'), 'wh_' || n, 'submission', 'hooks.example:443', now(), now(), now()
         FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO form_rules (deployment_id, allowed_origins, blocklist)
       SELECT 'd_' || n, '{}', '{}' FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO mail_recipients (id, deployment_id, email, position)
       SELECT 'rcp_' || n, 'd_' || n, 'a@test.example', 0 FROM generate_series(${from}, ${to}) AS n`,
  );

/** The deployment with many submissions, of which few are of one form. */
const CROWDED = `d_${FEW + 1}`;
const fillCrowded = (): Promise<void> =>
  runSql(
    url,
    `SET session_replication_role = replica;
     INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at, form)
       SELECT '${CROWDED}', n, 'sub_c' || lpad(n::text, 23, '0'), '{}', '192.0.2.1', now(),
              CASE n % 1000 WHEN 0 THEN 'rare' WHEN 1 THEN NULL ELSE 'common' END FROM generate_series(2, ${MANY}) AS n;
     INSERT INTO submission_marks (deployment_id, number, read, starred)
       SELECT '${CROWDED}', n, false, true FROM generate_series(2, ${MANY}) AS n`,
  );
/** `maxMs`: after the batch that takes longer, it ends. */
const searchForm = (
  db: Knex,
  form: string,
  { starred, maxMs }: { starred: boolean; maxMs: number } = { starred: false, maxMs: 10_000 },
): Promise<unknown> =>
  searchSubmissions(
    db,
    [{ deploymentId: CROWDED, after: 0, before: MANY + 1, tests: testsBetween(undefined, undefined) }],
    {
      ...{ form, unread: true, starred, status: 'open', matches: () => true },
      ...{ limit: 50, maxMs, turnMs: 10_000 },
    },
  );

const reach = { id: 1, pages: null };
const page = { page: 1, limit: 50 };
const padded = (n: number): string => String(n).padStart(24, '0');
const SUBMISSIONS = [`sub_${padded(1)}`, `sub_${padded(2)}`] as const;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The most frequent work of requests and of the dispatcher, on the rows with small numbers. */
const WORK: Readonly<Record<string, (db: Knex) => Promise<unknown>>> = {
  'store a submission': (db) =>
    storeSubmissions(db, [{ id: newSubmissionId(), deploymentId: 'd_1', data: '{}', ipAddress: '192.0.2.1' }]),
  'store a lone submission': (db) =>
    storeAlone(db, {
      id: newSubmissionId(),
      deploymentId: 'd_1',
      data: '{}',
      ipAddress: '192.0.2.1',
      isUnjudged: true,
    }),
  'find live deployments': (db) =>
    findLive(
      db,
      range(FEW).map((n) => `d_${n}`),
    ),
  'store a batch': (db) =>
    storeSubmissions(
      db,
      range(FEW).map((n) => ({ id: newSubmissionId(), deploymentId: `d_${n}`, data: '{}', ipAddress: '192.0.2.1' })),
    ),
  'find due deliveries': (db) => findDuePairs(db),
  'lease deliveries': (db) =>
    leaseDeliveries(
      db,
      range(FEW).map((ownerId) => ({ receiver: 'hooks.example:443', ownerId })),
      { memory: 1_000, leaseMs: 0, mailLeaseMs: 0, maxAttempts: 1_000_000 },
    ),
  'settle deliveries': (db) =>
    settleDeliveries(
      db,
      range(FEW).map((n) => ({
        ...{
          id: `dl_${padded(n)}`,
          deploymentId: `d_${n}`,
          attempts: 1,
          webhook: { id: `wh_${n}`, url: 'https://hooks.example/' },
        },
        ...({
          mail: undefined,
          result: 'retry',
          lastStatus: 500,
          lastError: 'a',
          attempt: undefined,
          delay: 0,
        } as const),
      })),
    ),
  'list deliveries': (db) => listDeliveries(db, { deploymentId: 'd_1', webhookId: 'wh_1' }, page),
  'list mails': (db) => listDeliveries(db, { deploymentId: 'd_1' }, page),
  'retry failed deliveries': (db) => retryFailedDeliveries(db, { id: 'wh_1', deploymentId: 'd_1' }),
  'list the health of webhooks': (db) => listWebhookHealth(db, 'd_1'),
  'find owners': (db) => OWNERS(db),
  'find forms': (db) =>
    findForms(
      db,
      range(FEW).map((n) => `d_${n}`),
    ),
  'find pages': (db) =>
    findPages(
      db,
      range(FEW).map((n) => `page-${n}`),
      { submitUrl: 'http://a/', maxBytes: 1_000 },
    ),
  'find settings': (db) => findSettings(db, 1, 'd_1'),
  'list deployments': (db) => listDeployments(db, reach, page),
  'list the overview': (db) => listOverview(db, { ...reach, guest: 'guest@test.example' }, page),
  'list files': (db) => listSubmissionFiles(db, { ownerId: 1, deploymentId: 'd_1', submissionIds: [...SUBMISSIONS] }),
  'find last numbers': (db) =>
    lastNumbers(
      db,
      range(FEW).map((n) => `d_${n}`),
      ['key_1', 'key_2'],
    ),
  'read submissions': (db) => readBatch(db, 'd_1', { order: 'newest', limit: 50 }),
  'find a submission': (db) => findSubmission(db, 1, 'd_1', SUBMISSIONS[0]),
  'find what was stored before': (db) => findStored(db, { deploymentId: 'd_1', id: SUBMISSIONS[0] }, []),
  'show submissions': (db) =>
    findInboxSubmissions(
      db,
      range(FEW).map((n) => ({ deploymentId: `d_${n}`, number: 1 })),
    ),
  'find pages of an owner': (db) => findOwnPages(db, reach, { from: undefined, to: undefined, cursor: undefined }),
  'search submissions': (db) =>
    searchSubmissions(
      db,
      range(FEW).map((n) => ({
        deploymentId: `d_${n}`,
        after: 0,
        before: 1_000,
        tests: testsBetween(undefined, undefined),
      })),
      {
        ...{ unread: true, starred: false, status: 'open', matches: () => true },
        ...{ limit: 50, maxMs: 1_000, turnMs: 1_000 },
      },
    ),
  'search submissions of a rare form': (db) => searchForm(db, 'rare'),
  'search submissions of a frequent form': (db) => searchForm(db, 'common'),
  'search starred submissions of a rare form': (db) => searchForm(db, 'rare', { starred: true, maxMs: 0 }),
  'list the names of forms': (db) => findFormNames(db, CROWDED),
  'mark submissions': (db) => markSubmissions(db, 1, 'd_1', [...SUBMISSIONS], { read: true }),
  'delete submissions': (db) => deleteSubmissions(db, 1, 'd_1', [...SUBMISSIONS]),
  'move submissions to the trash': (db) => trashSubmissions(db, 1, 'd_1', [...SUBMISSIONS]),
  'list the trash': (db) => listTrashedSubmissions(db, 1, 'd_1', page),
  'restore a submission': (db) => restoreSubmission(db, 1, 'd_1', 'sub_trashed1'),
  'erase a submission': (db) => eraseTrashed(db, 1, 'd_1', 'sub_trashed1'),
  'store a test': (db) =>
    storeTest(db, {
      id: newSubmissionId(),
      deploymentId: 'd_1',
      ownerId: 1,
      data: '{}',
      ipAddress: '192.0.2.1',
      form: null,
      version: null,
    }),
  'find a test': (db) => findTest(db, 1, 'd_1', 'sub_test1'),
  'show tests': (db) =>
    findInboxTests(
      db,
      range(FEW).map((n) => ({ deploymentId: `d_${n}`, test: n })),
    ),
  'mark tests': (db) => markTests(db, 1, 'd_1', ['sub_test1', 'sub_test2'], { read: true }),
  'mark as spam': (db) => markAsSpam(db, 1, 'd_1', [...SUBMISSIONS]),
};

const OWNERS = (db: Knex): Promise<unknown> =>
  findOwners(
    db,
    range(FEW).map((n) => createHash('sha256').update(String(n)).digest()),
  );
/** Postgres keeps the plan of a prepared statement from the sixth time on. */
const TIMES = 6;

/** The rows that this session has read, by table. */
async function rowsRead(db: Knex): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; read: number }[] }>(
    'SELECT relname AS name, seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables',
  );
  return new Map(rows.map(({ name, read }) => [name, read]));
}

/** The tables of which a piece of work reads very many rows; it is rolled back. */
async function readBy(work: (db: Knex) => Promise<unknown>, connections = db): Promise<Record<string, number>> {
  const transaction = await connections.transaction();
  try {
    await transaction.raw("SET LOCAL statement_timeout = '60s'");
    const before = await rowsRead(transaction);
    await work(transaction);
    const read = Array.from(
      await rowsRead(transaction),
      ([name, count]) => [name, count - (before.get(name) ?? 0)] as const,
    );
    return Object.fromEntries(read.filter(([, count]) => count > MAX_READ));
  } finally {
    await transaction.rollback();
  }
}

/** All work; what reads too much. */
async function readTooMuch() {
  const found: Record<string, object> = {};
  for (const [name, work] of Object.entries(WORK)) {
    const read = await readBy(work);
    if (Object.keys(read).length > 0) found[name] = read;
  }
  return found;
}

const tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";

describe('the plans of frequent statements', () => {
  beforeAll(async () => {
    // Nothing but the test decides when statistics are made.
    await runSql(
      url,
      `DO $$ DECLARE name text; BEGIN
         FOR name IN ${tables} LOOP EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = false)', name); END LOOP;
       END $$`,
    );
  });

  it('read few rows of large tables, although they were made for small ones', async () => {
    await fill(1, FEW);
    await runSql(url, 'VACUUM ANALYZE');
    for (let time = 0; time < TIMES; time += 1) {
      expect(await readTooMuch()).toEqual({});
      expect(await readBy(OWNERS, keeping)).toEqual({});
    }
    await fill(FEW + 1, MANY);
    await fillCrowded();
    expect(await readTooMuch()).toEqual({});
    // Otherwise the test would find nothing.
    expect((await readBy(OWNERS, keeping)).owners).toBeGreaterThanOrEqual(MANY);
  });

  it('read few rows of large tables when statistics have been made', async () => {
    await runSql(url, 'ANALYZE');
    for (let time = 0; time < TIMES; time += 1) expect(await readTooMuch()).toEqual({});
  });
});
