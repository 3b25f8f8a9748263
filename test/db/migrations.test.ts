import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { restore } from '../../src/db/backup/restore.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { createLog } from '../../src/lib/log.ts';
import { openDatabase, prepareDatabase } from '../../src/start/prepare-database.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase, emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { PROJECT } from '../support/process.ts';
import { asOwner, testService } from '../support/service.ts';

const LOG = createLog('silent');

/** The row that a newer version's migration leaves. */
const ranBy = (name: string) =>
  `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('${name}', 9, now())`;

describe('a database that a newer version has migrated', () => {
  it('is taken as it is by an older one, which starts, is ready and serves', async () => {
    const database = await cloneDatabase();
    await runSql(database.url, ranBy('9998-adds-a-column'));
    const service = await testService({}, database);
    expect(await (await service.owner()).deploy({ slug: 'rolling' })).toMatchObject({ slug: 'rolling' });
    const { rows } = await service.db.raw('SELECT name FROM knex_migrations ORDER BY id DESC LIMIT 1');
    expect(rows).toEqual([{ name: '9998-adds-a-column' }]);
  });

  it('stops an older one with a line where the change was breaking', async () => {
    const database = await testDatabase();
    await runSql(database.url, ranBy('9999-drops-a-column-breaking'));
    const config = loadConfig({ DATABASE_URL: database.url });
    const server = await openDatabase(config, LOG);
    await expect(prepareDatabase(server, config, LOG, new AbortController().signal)).rejects.toThrow(
      'the database of DATABASE_URL cannot be used: a newer version has made a change ' +
        '(9999-drops-a-column-breaking) that this version does not work with: run the newer version',
    );
  });
});

describe('a database that the release before has filled (test/support/fill-release.ts)', () => {
  const Release = z.object({
    ...{ key: z.string(), id: z.string(), deleted: z.string(), slug: z.string() },
    answers: z.record(z.string(), z.string()),
  });
  const beside = (name: string): string => join(PROJECT, 'test/support', name);
  let release: z.infer<typeof Release>;
  beforeAll(async () => {
    release = Release.parse(JSON.parse(await readFile(beside('release.json'), 'utf8')));
  });

  /** A service on it. Restoring runs the migrations of that release, brings its rows, and runs the others then. */
  async function startOnRelease() {
    const database = await emptyDatabase();
    await restore({ connectionString: database.url }, createReadStream(beside('release.backup')));
    const service = await testService({}, database);
    return { service, owner: asOwner(service.url, release.key) };
  }

  it('is answered as that release did, with what is new besides', async () => {
    const { service } = await startOnRelease();
    const headers = { Authorization: `Bearer ${release.key}` };
    for (const [path, before] of Object.entries(release.answers)) {
      const response = await fetch(service.url + path, { headers });
      const now = await response.text();
      if (path.endsWith('/settings') || path === '/overview') expect(JSON.parse(now)).toMatchObject(JSON.parse(before));
      else expect([path, response.status, now]).toEqual([path, 200, before]);
    }
  });

  it('takes what is new: marks, submissions, versions, retention, and deployments out of the trash', async () => {
    const { service, owner } = await startOnRelease();
    const { id, deleted } = release;
    const unread = async (): Promise<number> => (await owner.get('/overview')).body.deployments[0].unread;
    const { submissions } = (await owner.get(`/submissions/${id}`)).body;
    const ids = submissions.map((one: { id: string }) => one.id);
    expect(await unread()).toBe(3);
    expect((await owner.post(`/submissions/${id}/bulk`).send({ action: 'read', ids })).body).toEqual({ done: 3 });
    expect(await unread()).toBe(0);
    await owner.send('POST', `/submit/${id}`, '{"new":1}');
    expect(await unread()).toBe(1);
    await owner.put(`/deploy/${id}`).send({ html: '<h1>Third</h1>' }).expect(200);
    expect((await owner.get(`/deploy/${id}/versions`)).body.versions).toMatchObject([
      ...[{ version: 3, live: true }, { version: 2 }, { version: 1 }],
    ]);
    await owner.post(`/trash/${deleted}/restore`).send({}).expect(200);
    expect((await owner.get(`/submissions/${deleted}`)).body.total).toBe(1);
    await owner.change(id, { retention_days: 1 });
    await service
      .db('submissions')
      .where({ deployment_id: id })
      .whereNot({ number: 8 })
      .update({ created_at: new Date(0) });
    await service.another();
    await expect.poll(async () => (await owner.get(`/submissions/${id}`)).body.total).toBe(1);
  });
});

describe('a migration that needs a table which somebody works on for long', () => {
  it.concurrent.for([
    ['0009-delivery-events', 'deliveries', 'ALTER TABLE deliveries DROP event'],
    ['0044-storage', 'pages', 'DROP FUNCTION count_storage, recount_storage CASCADE; DROP TABLE storage'],
  ])(
    'lets the others to it meanwhile, and is run by who tries again (%s)',
    async ([name, table, undo], { expect, onTestFinished }) => {
      const database = await cloneDatabase();
      onTestFinished(() => database.drop());
      await runSql(database.url, `${undo}; DELETE FROM knex_migrations WHERE name = '${name}'`);
      const [holder, other] = [1, 2].map(() => new pg.Client({ connectionString: database.url }));
      if (!holder || !other) throw new Error('No clients');
      await Promise.all([holder.connect(), other.connect()]);
      onTestFinished(async () => void (await Promise.all([holder.end(), other.end()])));
      await holder.query(`BEGIN; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);

      const migrating = migrate({ connectionString: database.url });
      const refused = expect(migrating).rejects.toMatchObject({ code: '55P03' });
      // Clones of the template have the same ids of tables: only this database counts.
      const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND NOT granted AND relation = '${table}'::regclass`;
      // A machine that stands still for a second sees the migration only after it has given up.
      let isOver = false;
      void refused.finally(() => {
        isOver = true;
      });
      while (!isOver && (await other.query(waiting)).rows.length === 0);
      await other.query(`SET lock_timeout = '20s'; BEGIN; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE; COMMIT`);
      await refused;

      await holder.query('COMMIT');
      await migrate({ connectionString: database.url });
      const { rows } = await other.query('SELECT name FROM knex_migrations WHERE name = $1', [name]);
      expect(rows).toEqual([{ name }]);
    },
  );
});
