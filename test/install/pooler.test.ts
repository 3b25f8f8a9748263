import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect, type Database } from '../../src/db/postgres/connect.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { query } from '../../src/db/postgres/query.ts';
import type { Connection } from '../../src/db/postgres/servers.ts';
import { settingsInForce } from '../../src/db/postgres/transaction-pooler.ts';
import { cloneDatabase, emptyDatabase, type FreshDatabase, openDatabase } from '../support/fresh-database.ts';
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { freePort, startProgram, startServiceProcess } from '../support/process.ts';
import { backedUp, formhost, restored } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testLimits } from '../support/test-limits.ts';
import { asOwner, getPage, JSON_TYPE, testService } from '../support/test-service.ts';

/** For a test that starts a program or has several waits. */
const LONG = { timeout: 240_000 };

const soon = (check: () => PromiseLike<unknown>) => vi.waitFor(check, { timeout: 240_000, interval: 50 });

const pooledTo = async (url: string): Promise<Connection> => ({
  connectionString: await startPgbouncer(url),
  pooler: 'transaction',
});

async function openDirect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function fresh(make: () => Promise<FreshDatabase>): Promise<FreshDatabase> {
  const database = await make();
  onTestFinished(() => database.drop());
  return database;
}

const isThere = hasPgbouncer();

describe.runIf(isThere)('two processes behind a transaction pooler', LONG, () => {
  it('show what another process has changed, and store submissions', async () => {
    const service = await testService();
    const pooled = await startPgbouncer(service.databaseUrl);
    const settings = { DATABASE_URL: pooled, DATABASE_POOLER: 'transaction' };
    const [one, other] = [await service.another(settings), await service.another(settings)];
    const { key } = await service.owner();
    const { id, slug } = await asOwner(one.url, key).deploy({ html: 'one' });
    await soon(() => getPage(one.url, slug).expect(200, 'one'));
    await soon(() => getPage(other.url, slug).expect(200, 'one'));

    await asOwner(one.url, key).put(`/deploy/${id}`).send({ html: 'two' }).expect(200);
    await soon(() => getPage(other.url, slug).expect(200, 'two'));
    const posts = Array.from({ length: 8 }, (_none, at) =>
      fetch(`${at % 2 ? one.url : other.url}/submit/${id}`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ at }),
      }).then(({ status }) => status),
    );
    expect(await Promise.all(posts)).toEqual(posts.map(() => 200));
    const list = await asOwner(other.url, key).get(`/submissions/${id}`);
    expect(list.body).toMatchObject({ total: 8 });
    const lines = await asOwner(one.url, key).get(`/submissions/${id}/export.ndjson`);
    expect(lines.text.trim().split('\n')).toHaveLength(8);
  });
});

describe.runIf(isThere)('a transaction pooler that DATABASE_POOLER does not name', LONG, () => {
  const databaseCheck = async (settings: Record<string, string>): Promise<unknown> => {
    const { stdout } = await formhost(['admin', 'doctor', '--json'], { settings });
    const { checks }: { checks: { check: string; status: string; mend?: string }[] } = JSON.parse(stdout);
    const found = checks.find(({ check }) => check === 'database');
    return [found?.status, found?.mend];
  };

  it('is named by the doctor and at the start, when it refuses what the service sets', async () => {
    const database = await fresh(cloneDatabase);
    const DATABASE_URL = await startPgbouncer(database.url);
    expect(await databaseCheck({ DATABASE_URL })).toEqual([
      'fail',
      'set DATABASE_POOLER=transaction, or connect to Postgres itself',
    ]);
    const settings = { DATABASE_URL, PORT: String(await freePort()), LOG_LEVEL: 'silent' };
    const { code, stderr } = await startProgram(process.execPath, ['src/main.ts'], settings).result;
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      'formhost: the database of DATABASE_URL cannot be used: a pooler refuses the settings of our connections: set DATABASE_POOLER=transaction',
    ]);
    expect(await databaseCheck({ DATABASE_URL, DATABASE_POOLER: 'transaction' })).toEqual(['ok', undefined]);
  });

  it('is named by the doctor when it ignores the time-outs', async () => {
    const database = await fresh(cloneDatabase);
    const DATABASE_URL = await startPgbouncer(database.url, 'ignore_startup_parameters = options');
    expect(await databaseCheck({ DATABASE_URL })).toEqual([
      'warn',
      'set DATABASE_POOLER=transaction, or, if it pools sessions, statement_timeout of the role',
    ]);
    const db = openDatabase(DATABASE_URL);
    expect(await settingsInForce(db)).toBe('ignored');
  });
});

describe.runIf(isThere)('a statement behind a transaction pooler', LONG, () => {
  const SETTINGS = `SELECT current_setting('statement_timeout') AS statement,
                           current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('jit') AS jit`;
  const statementTimeoutMs = 1_000;
  const inForce = { statement: '1s', idle: '1s', jit: 'off' };

  async function open(): Promise<{ db: Database; pooled: string }> {
    const database = await fresh(cloneDatabase);
    const pooled = await startPgbouncer(database.url);
    const limits = testLimits({ database: { statementTimeoutMs } });
    const db = connect({ connectionString: pooled, pooler: 'transaction' }, { limits });
    onTestFinished(() => db.close());
    return { db, pooled };
  }

  it('has the time-outs of one without a pooler, in a transaction and by itself', async () => {
    const { db } = await open();
    expect(await query(db, 'plain', SETTINGS)).toEqual([inForce]);
    expect(await query(db, 'with-values', `${SETTINGS}, CAST(? AS text) AS given`, ['a'])).toEqual([
      { ...inForce, given: 'a' },
    ]);
    await db.transaction(async (transaction) => {
      expect(await query(transaction, 'plain', SETTINGS)).toEqual([inForce]);
      expect(await query(transaction, 'with-values', `${SETTINGS} WHERE ? = 1`, [1])).toEqual([inForce]);
    });
    await Promise.all([
      expect(query(db, 'slow', 'SELECT pg_sleep(?)', [60])).rejects.toMatchObject({ code: '57014' }),
      expect(db.raw('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57014' }),
    ]);
  });

  it('leaves nothing of that to the pooler, nor a statement that was prepared', async () => {
    const { db, pooled } = await open();
    for (let time = 0; time < 3; time += 1) await query(db, 'again', 'SELECT CAST(? AS integer) AS it', [time]);
    const plain = await openDirect(pooled);
    const { rows } = await plain.query(
      "SELECT current_setting('jit') AS jit, (SELECT count(*) FROM pg_prepared_statements) AS prepared",
    );
    expect(rows).toEqual([{ jit: 'on', prepared: '0' }]);
  });

  it('that fails is followed by others', async () => {
    const { db } = await open();
    await expect(query(db, 'fails', 'SELECT 1 / CAST(? AS integer)', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(query(db, 'wrong', 'SELECT nothing')).rejects.toMatchObject({ code: '42703' });
    await expect(
      db.transaction((transaction) => query(transaction, 'fails', 'SELECT 1 / CAST(? AS integer)', [0])),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await query(db, 'works', `${SETTINGS}, CAST(? AS integer) AS it`, [7])).toEqual([{ ...inForce, it: 7 }]);
  });
});

describe('migrate', LONG, () => {
  const LOCKS = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND granted AND datname = current_database()`;
  const ways = [
    ['directly', async (url: string): Promise<Connection> => ({ connectionString: url })],
    ...(isThere ? [['through a transaction pooler', pooledTo] as const] : []),
  ] as const;

  it.each(ways)('runs in two processes at once, and once (%s)', async (_name, reach) => {
    const database = await fresh(emptyDatabase);
    const connection = await reach(database.url);
    await Promise.all([migrate(connection), migrate(connection)]);
    const direct = await openDirect(database.url);
    const { rows } = await direct.query('SELECT name FROM knex_migrations GROUP BY name HAVING count(*) > 1');
    expect(rows).toEqual([]);
    expect((await direct.query(LOCKS)).rowCount).toBe(0);
    await migrate(connection);
  });

  it.each(ways)('leaves nothing behind when its process is killed (%s)', async (name, reach) => {
    const database = await fresh(emptyDatabase);
    await migrate({ connectionString: database.url }, { only: ['0001-owners-and-pages'] });
    const connection = await reach(database.url);
    const DATABASE_URL = 'connectionString' in connection ? connection.connectionString : '';
    const holder = await openDirect(database.url);
    await holder.query('BEGIN; LOCK TABLE knex_migrations_lock IN ACCESS EXCLUSIVE MODE');
    const DATABASE_POOLER = name === 'directly' ? 'none' : 'transaction';
    const service = await startServiceProcess({ DATABASE_URL, DATABASE_POOLER, LOG_LEVEL: 'silent' });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    const direct = await openDirect(database.url);
    await expect.poll(async () => (await direct.query(LOCKS)).rowCount).toBe(1);
    service.child.kill('SIGKILL');
    await service.result;
    await holder.query('ROLLBACK');
    await migrate(connection);
    await expect.poll(async () => (await direct.query(LOCKS)).rowCount).toBe(0);
    expect((await direct.query("SELECT FROM knex_migrations WHERE name = '0003-files-and-storage'")).rowCount).toBe(1);
  });
});

describe.runIf(isThere)('backup and restore through a transaction pooler', LONG, () => {
  const run = (command: string, file: string, DATABASE_URL: string) =>
    formhost(['admin', command, file], { settings: { DATABASE_URL, DATABASE_POOLER: 'transaction' } });

  it('restores while the pooler keeps connections of a service that has ended, not while one runs', async () => {
    const service = await testService();
    const owner = await service.owner();
    const { id } = await owner.deploy({ html: 'kept' });
    const file = join(await emptyFolder(), `backup-${id}`);
    const from = await startPgbouncer(service.databaseUrl);
    expect(await run('backup', file, from)).toEqual(backedUp);

    const target = await fresh(emptyDatabase);
    const to = await startPgbouncer(target.url);
    const running = await service.another({ DATABASE_URL: to, DATABASE_POOLER: 'transaction' });
    await expect.poll(async () => (await fetch(`${running.url}/readyz`)).status).toBe(200);
    expect(await run('restore', file, to)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'formhost: the service is running on this database: stop it, and restore then\n',
    });
    await running.close();
    const left = await openDirect(target.url);
    const kept = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'formhost'";
    expect((await left.query(kept)).rowCount).toBeGreaterThan(0);
    expect(await run('restore', file, to)).toEqual(restored);
    expect((await left.query('SELECT id FROM deployments')).rows).toEqual([{ id }]);
  });
});
