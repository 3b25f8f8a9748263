import { expect, it, onTestFinished } from 'vitest';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { isOutOfReach } from '../../src/db/postgres/out-of-reach.ts';
import type { Limits } from '../../src/limits.ts';
import { openDatabase, testDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/test-limits.ts';

const database = await testDatabase();
const db = openDatabase(database.url);

function connectWith(limits: Partial<Limits['database']>, onRenew = (): void => undefined): Database {
  const connected = connect({ connectionString: database.url }, { limits: testLimits({ database: limits }), onRenew });
  onTestFinished(() => connected.close());
  return connected;
}

/** A statement that takes a tenth of a second. */
const SLOW = 'SELECT pg_sleep(0.1)';
/** One that nobody waits for. */
const ENDLESS = 'SELECT pg_sleep(600)';
const note = (plan: string) => `INSERT INTO owners (email, plan) VALUES ('${plan}@test.example', '${plan}')`;
const noted = async (plan: string) => (await db('owners').where({ plan })).length;
const failure = (error: unknown): unknown => (isOutOfReach(error) ? 'out of reach' : error);

it('lets a transaction be longer than other units of work, as long as its statements are answered', async () => {
  const limited = connectWith({ unitTimeoutMs: 2_000 });
  const answered = async (plan: string, isOver: () => boolean, transaction: Pick<Database, 'raw'>) => {
    await transaction.raw(note(plan));
    while (!isOver()) await transaction.raw(SLOW);
    return 'done';
  };
  let isOver = false;
  const long = limited.longTransaction((transaction) => answered('long', () => isOver, transaction));
  const ordinary = limited.transaction((transaction) => answered('ordinary', () => false, transaction)).catch(failure);
  expect(await ordinary).toBe('out of reach');
  isOver = true;
  expect(await long).toBe('done');
  expect([await noted('long'), await noted('ordinary')]).toEqual([1, 0]);
});

it('rolls back what failed, and gives its connections back', async () => {
  const wrong = new Error('wrong');
  const fail = () =>
    db.longTransaction(async (transaction) => {
      await transaction.raw(note('failed'));
      throw wrong;
    });
  // More than the pool has.
  const failures = await Promise.all(Array.from({ length: 25 }, () => fail().catch((error) => error)));
  expect(failures).toEqual(failures.map(() => wrong));
  expect(await noted('failed')).toBe(0);
  const { total, idle, waiting } = db.use();
  expect({ used: total - idle, waiting }).toEqual({ used: 0, waiting: 0 });
});

it.each<[string, Partial<Limits['database']>]>([
  ['Postgres', { statementTimeoutMs: 300 }],
  ['this process', { unitTimeoutMs: 1_000 }],
])('is ended by %s when it does nothing', async (_who, limits) => {
  const ended = connectWith(limits).longTransaction(async (transaction) => {
    await transaction.raw(note('idle'));
    const { rows } = await transaction.raw('SELECT pg_backend_pid() AS pid');
    const alive = async () => (await db('pg_stat_activity').where({ pid: rows[0].pid })).length;
    await expect.poll(alive).toBe(0);
  });
  expect(await ended.catch(failure)).toBe('out of reach');
  expect(await noted('idle')).toBe(0);
});

it('does not keep a close waiting for a commit that takes its time', async () => {
  await db.raw(`
    CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON owners DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.plan = 'slow') EXECUTE FUNCTION take_long()`);
  const closed = connectWith({ closeTimeoutMs: 100 });
  const committing = Promise.withResolvers<void>();
  const slow = closed.longTransaction(async (transaction) => {
    await transaction.raw(note('slow'));
    committing.resolve();
  });
  await committing.promise;
  const [outcome] = await Promise.all([slow.catch(failure), closed.close()]);
  expect(outcome).toBe('out of reach');
});

it('that uses up its time costs its own connection only', async () => {
  let renewals = 0;
  const renewed = connectWith({ longTransactionTimeoutMs: 500 }, () => {
    renewals += 1;
  });
  const long = renewed.longTransaction(async (transaction) => {
    await transaction.raw(note('too long'));
    for (;;) await transaction.raw(SLOW);
  });
  expect(await long.catch(failure)).toBe('out of reach');
  expect([await noted('too long'), renewals]).toEqual([0, 0]);
});

it('that gets no answer costs all connections: the server may be gone', async () => {
  const renewal = Promise.withResolvers<void>();
  const renewed = connectWith({ unitTimeoutMs: 1_000 }, renewal.resolve);
  expect(await renewed.longTransaction((transaction) => transaction.raw(ENDLESS)).catch(failure)).toBe('out of reach');
  await renewal.promise;
});
