import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/db/postgres/connect.ts';
import type { Submission } from '../../src/db/submissions/submission-queries.ts';
import { readSubmissions, withRetries } from '../../src/db/submissions/submission-reader.ts';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/test-limits.ts';

const MIB = 1024 * 1024;

const database = await testDatabase();
const db = openDatabase(database.url);
const admin = new pg.Client({ connectionString: database.url });
await admin.connect();
afterAll(() => admin.end());
beforeAll(async () => {
  await db.raw("INSERT INTO owners (email, plan) VALUES ('owner@test.example', 'unlimited')");
  await fill('plain', 7_000, `'{ "n" : '||n||', "n":"\\u0000" }'`);
});

/** A deployment with submissions from 1 to `count`, their data made by an SQL expression of `n`. */
async function fill(id: string, count: number, data: string): Promise<void> {
  await db.raw(
    `WITH made AS (
       INSERT INTO deployments (id, owner_id, slug, submission_count, last_submission_number)
       SELECT :id, id, :id, :count, :count FROM owners RETURNING id)
     INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT made.id, n, made.id || n, CAST(${data} AS json), '192.0.2.1', '2026-01-02T03:04:05.678Z'
       FROM made, generate_series(1, CAST(:count AS int)) AS n`,
    { id, count },
  );
}

async function all(reading: AsyncIterable<Submission[]>): Promise<Submission[][]> {
  const batches: Submission[][] = [];
  for await (const batch of reading) batches.push(batch);
  return batches;
}

const batchesOf = (id: string, last: number): Promise<Submission[][]> =>
  all(readSubmissions(db, id, { order: 'oldest', before: last + 1 }));

const idsOf = (batches: Submission[][]): string[] => batches.flat().map(({ id }) => id);
const ids = (id: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${id}${from + index}`);

describe('readSubmissions', () => {
  it('gives every submission up to a number, oldest first, with its text as it was', async () => {
    const batches = await batchesOf('plain', 6_999);
    expect(idsOf(batches)).toEqual(ids('plain', 1, 6_999));
    expect(batches[0]?.[0]).toEqual({
      number: 1,
      id: 'plain1',
      data: '{ "n" : 1, "n":"\\u0000" }',
      ipAddress: '192.0.2.1',
      form: null,
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
    });
    expect(batches.length).toBeGreaterThan(2);
  });

  it('gives the newest first, and no more than the limit', async () => {
    const newest = { order: 'newest', after: 100, before: 6_001 } as const;
    expect(idsOf(await all(readSubmissions(db, 'plain', newest)))).toEqual(ids('plain', 101, 6_000).toReversed());
    expect(idsOf(await all(readSubmissions(db, 'plain', { ...newest, limit: 2_000 })))).toEqual(
      ids('plain', 4_001, 6_000).toReversed(),
    );
    expect(await all(readSubmissions(db, 'plain', { ...newest, limit: 0 }))).toEqual([]);
  });

  it('passes over numbers that are gone, a batch full of them included', async () => {
    await fill('gaps', 9_000, `'{}'`);
    await db.raw("DELETE FROM submissions WHERE deployment_id = 'gaps' AND number BETWEEN 100 AND 8900");
    expect(idsOf(await batchesOf('gaps', 9_000))).toEqual([...ids('gaps', 1, 99), ...ids('gaps', 8_901, 9_000)]);
  });

  it('takes no longer where a thousand million in a row are gone', async () => {
    await fill('far', 3, `'{}'`);
    await db.raw("UPDATE submissions SET number = number * 1000000000 WHERE deployment_id = 'far' AND number > 1");
    expect(idsOf(await batchesOf('far', 5_000_000_000))).toEqual(ids('far', 1, 3));
    expect(idsOf(await batchesOf('far', 2_999_999_999))).toEqual(ids('far', 1, 2));
  });

  it('brings less than 1 MiB into memory at a time, however small large submissions are stored', async () => {
    await fill('large', 100, `'{"text":"'||repeat('x', 250000)||'"}'`);
    const batches = await batchesOf('large', 100);
    expect(idsOf(batches)).toEqual(ids('large', 1, 100));
    for (const batch of batches) {
      expect(batch.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThan(MIB);
    }
  });

  it('gives a submission that is larger than a batch by itself', async () => {
    await fill('huge', 3, `'{"text":"'||repeat('x', ${2 * MIB})||'"}'`);
    expect((await batchesOf('huge', 3)).map((batch) => batch.map(({ id }) => id))).toEqual([
      ['huge1'],
      ['huge2'],
      ['huge3'],
    ]);
  });

  it('ends when nobody wants more, and holds no connection between batches', async () => {
    const batches = readSubmissions(db, 'plain', { order: 'oldest' });
    await batches.next();
    await batches.return(undefined);
    await expect.poll(() => db.use()).toMatchObject({ waiting: 0 });
    await expect.poll(() => db.use().total - db.use().idle).toBe(0);
  });

  const goesOn = async (disturb: string, from: Database): Promise<void> => {
    // By another connection than the one that locks: within a transaction the list of connections stays as it was.
    const onlooker = new pg.Client({ connectionString: database.url });
    await onlooker.connect();
    onTestFinished(async () => {
      await admin.query('ROLLBACK');
      await onlooker.end();
    });
    const waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const pids = async (): Promise<string[]> => (await onlooker.query(waiting)).rows.map(({ pid }) => String(pid));
    const limits = testLimits({ reads: { exportRetries: 1_000 } });
    const reading = readSubmissions(from, 'plain', { order: 'oldest' }, withRetries(limits));
    const before = await reading.next();
    await admin.query('BEGIN; LOCK TABLE submissions');
    const rest = all(reading);
    let found: string[] = [];
    const find = async (): Promise<string[]> => {
      found = await pids();
      return found;
    };
    await expect.poll(find).toHaveLength(1);
    await onlooker.query(disturb, found);
    // Not before it has been given up once.
    await expect.poll(pids).toEqual([]);
    await admin.query('COMMIT');
    expect(idsOf([before.value, ...(await rest)])).toEqual(ids('plain', 1, 7_000));
    await expect.poll(() => from.use().total - from.use().idle).toBe(0);
  };
  it.each([
    ['its connection is cut', 'SELECT pg_terminate_backend($1)'],
    ['its statement is ended', 'SELECT pg_cancel_backend($1)'],
  ])('goes on where it was when %s in the middle', (_what, disturb) => goesOn(disturb, db));
  it('goes on where it was when it has no answer in time in the middle', async () => {
    // Postgres ends the statement a moment later: it does not see that nobody waits for it.
    const limits = testLimits({ database: { unitTimeoutMs: 500, statementTimeoutMs: 700 } });
    const hasty = openDatabase(database.url, limits);
    await goesOn('SELECT $1', hasty);
  });

  it('fails when the database does', async () => {
    const batches = readSubmissions(db, 'plain', { order: 'oldest' });
    await batches.next();
    await db.raw('DROP TABLE submissions CASCADE');
    const rest = async () => {
      for await (const _batch of batches);
    };
    await expect(rest()).rejects.toThrow();
  });
});
