import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../src/db/migrate.ts';
import { runSql } from './support/database.ts';
import { cloneDatabase } from './support/fresh-database.ts';
import { startProgram } from './support/process.ts';
import { startTestService } from './support/service.ts';

/** What a newer version's migrations leave. */
const ranBy = (name: string) =>
  `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('${name}', 9, now())`;

/** The service as a process that can't start. */
async function start(settings: Record<string, string>) {
  const { child, result } = startProgram(process.execPath, ['src/main.ts'], { LOG_LEVEL: 'error', ...settings });
  onTestFinished(() => void child.kill('SIGKILL'));
  return result;
}

describe('a database that a newer version has migrated', () => {
  it('is taken as it is by an older one, which starts, is ready and serves', async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    await runSql(service.databaseUrl, ranBy('9998-adds-a-column'));
    const other = await service.another();
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
    const owner = await service.owner();
    expect(await owner.deploy({ slug: 'rolling' })).toEqual(expect.objectContaining({ slug: 'rolling' }));
    const { rows } = await service.db.raw('SELECT name FROM knex_migrations ORDER BY id DESC LIMIT 1');
    expect(rows).toEqual([{ name: '9998-adds-a-column' }]);
  });

  it('stops an older one with a line where the change was breaking', async () => {
    const database = await cloneDatabase();
    onTestFinished(() => database.drop());
    await runSql(database.url, ranBy('9999-drops-a-column-breaking'));
    expect(await start({ DATABASE_URL: database.url })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'formhost: the database of DATABASE_URL cannot be used: a newer version has made a change ' +
        '(9999-drops-a-column-breaking) that this version does not work with: run the newer version\n',
    });
  });
});

describe('a migration that needs a table which somebody works on for long', () => {
  it.each([
    ['0003-take-downs', 'ALTER TABLE deployments DROP taken_down_at, DROP take_down_reason'],
    ['0005-removed-submissions', 'DROP TABLE removed_submissions'],
  ])('lets the others to it meanwhile, and is run by who tries again (%s)', async (name, undo) => {
    const database = await cloneDatabase();
    onTestFinished(() => database.drop());
    await runSql(database.url, `${undo}; DELETE FROM knex_migrations WHERE name = '${name}'`);
    const [holder, other] = [1, 2].map(() => new pg.Client({ connectionString: database.url }));
    if (!holder || !other) throw new Error('No clients');
    await Promise.all([holder.connect(), other.connect()]);
    onTestFinished(async () => void (await Promise.all([holder.end(), other.end()])));
    await holder.query('BEGIN; LOCK TABLE deployments IN ROW EXCLUSIVE MODE');

    const migrating = migrate({ connectionString: database.url });
    const refused = expect(migrating).rejects.toMatchObject({ code: '55P03' });
    const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'deployments'::regclass";
    await vi.waitFor(async () => expect((await other.query(waiting)).rows).toHaveLength(1), 5_000);
    await other.query("SET lock_timeout = '2s'; BEGIN; LOCK TABLE deployments IN ROW EXCLUSIVE MODE; COMMIT");
    await refused;

    await holder.query('COMMIT');
    await migrate({ connectionString: database.url });
    const { rows } = await other.query('SELECT name FROM knex_migrations WHERE name = $1', [name]);
    expect(rows).toEqual([{ name }]);
  });
});

describe('an embedded database of another Postgres', () => {
  it('stops the start with a line that says how to bring it over', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'formhost-upgrade-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    // What root owns is refused for that.
    if (process.geteuid?.() === 0) await chown(join(dataDir, 'postgres'), 12_345, 12_345);
    expect(await start({ DATA_DIR: dataDir })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^formhost: DATA_DIR \S+ cannot be used: \S+ was made by Postgres 17, and this is Postgres 18: back it up .*\n$/,
      ),
    });
  });
});
