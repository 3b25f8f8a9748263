import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Database, isOutOfReach } from '../../src/db/postgres/connect.ts';
import { cloneDatabase, type FreshDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';

let database: FreshDatabase;
let db: Database;
beforeAll(async () => {
  database = await cloneDatabase();
  db = connect({ connectionString: database.url }, { limits: testLimits() });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** A statement that takes a second. */
const SLOW = 'SELECT pg_sleep(1)';
const note = (plan: string) => `INSERT INTO owners (email, plan) VALUES ('${plan}@test.example', '${plan}')`;
const noted = async (plan: string) => (await db('owners').where({ plan })).length;
const failure = (error: unknown): unknown => (isOutOfReach(error) ? 'out of reach' : error);

it('lets a transaction be longer than other units of work, as long as its statements are answered', {
  tags: 'slow',
}, async () => {
  const long = db.longTransaction(async (transaction) => {
    await transaction.raw(note('long'));
    for (let count = 0; count < 3; count += 1) await transaction.raw(SLOW);
    return 'done';
  });
  const ordinary = db
    .transaction(async (transaction) => {
      await transaction.raw(note('ordinary'));
      for (let count = 0; count < 3; count += 1) await transaction.raw(SLOW);
    })
    .catch(failure);
  expect([await long, await ordinary]).toEqual(['done', 'out of reach']);
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

it('ends one that does nothing', { tags: 'slow' }, async () => {
  const idle = db.longTransaction(async (transaction) => {
    await transaction.raw(note('idle'));
    await db.longTransaction(async (other) => {
      for (let count = 0; count < 3; count += 1) await other.raw(SLOW);
    });
  });
  expect(await idle.catch(failure)).toBe('out of reach');
  expect(await noted('idle')).toBe(0);
});

it('does not keep a close waiting for a commit that takes its time', { tags: 'slow' }, async () => {
  await db.raw(`
    CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(6); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON owners DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.plan = 'slow') EXECUTE FUNCTION take_long()`);
  const closed = connect({ connectionString: database.url }, { limits: testLimits() });
  const committing = Promise.withResolvers<void>();
  const slow = closed.longTransaction(async (transaction) => {
    await transaction.raw(note('slow'));
    committing.resolve();
  });
  await committing.promise;
  const since = performance.now();
  const [outcome] = await Promise.all([slow.catch(failure), closed.close()]);
  expect(outcome).toBe('out of reach');
  expect(performance.now() - since).toBeLessThan(3_000);
});

it('that uses up its time costs its own connection only', { tags: 'slow' }, async () => {
  let renewals = 0;
  const renewed = connect(
    { connectionString: database.url },
    {
      limits: testLimits(),
      onRenew: () => {
        renewals += 1;
      },
    },
  );
  const long = renewed.longTransaction(async (transaction) => {
    await transaction.raw(note('too long'));
    for (;;) await transaction.raw(SLOW);
  });
  expect(await long.catch(failure)).toBe('out of reach');
  expect([await noted('too long'), renewals]).toEqual([0, 0]);
  await renewed.close();
});
