import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { openDatabase, prepareDatabase } from '../../src/prepare-database.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase, openDatabase as connectTo, emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { operatorOf } from '../support/run-command.ts';
import { testService } from '../support/test-service.ts';

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

describe('a database of a development version from before the first release', () => {
  const MADE_BEFORE =
    'a development version from before the first release has made it: make another database, or move DATA_DIR away';

  /** The table in which such a version has noted its first migration. */
  async function developmentDatabase(): Promise<string> {
    const { url } = await testDatabase(emptyDatabase);
    await runSql(url, 'CREATE TABLE knex_migrations (id serial, name text, batch int, migration_time timestamptz)');
    await runSql(url, ranBy('0001-service'));
    return url;
  }

  it('stops the start with one sentence, and stays as it was', async () => {
    const url = await developmentDatabase();
    const config = loadConfig({ DATABASE_URL: url });
    const server = await openDatabase(config, LOG);
    await expect(prepareDatabase(server, config, LOG, new AbortController().signal)).rejects.toThrow(
      `the database of DATABASE_URL cannot be used: ${MADE_BEFORE}`,
    );
    const { rows } = await connectTo(url).raw(
      "SELECT relname FROM pg_class WHERE relname IN ('owners', 'submissions')",
    );
    expect(rows).toEqual([]);
  });

  it('is refused by commands, too', async () => {
    const { stderr, code } = await operatorOf({ databaseUrl: await developmentDatabase() }, 'backup')('-');
    expect({ stderr, code }).toEqual({ code: 1, stderr: expect.stringContaining(MADE_BEFORE) });
  });
});
