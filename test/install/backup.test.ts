import { once } from 'node:events';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkBackup } from '../../src/db/backup/restore-backup.ts';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { migrate } from '../../src/db/postgres/migrate.ts';
import { runSql } from '../support/database.ts';
import { cloneDatabase, emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { isAlive, serverPid } from '../support/postmaster.ts';
import { startAdmin, startProgram } from '../support/process.ts';
import { backedUp, formhost, restored } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testService } from '../support/test-service.ts';

const LINE = 'formhost-backup 1\n';
const refused = (line: string | RegExp) => ({
  code: 1,
  stdout: '',
  stderr: typeof line === 'string' ? `formhost: ${line}\n` : expect.stringMatching(line),
});

const folder = await emptyFolder();

let files = 0;
const newFile = (): string => {
  files += 1;
  return join(folder, `${files}.backup`);
};

const command = (name: 'backup' | 'restore', file: string, settings: Record<string, string>) =>
  formhost(['admin', name, file], { settings });

async function rowsOf(connection: pg.ClientConfig, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ ...connection, options: '-c timezone=UTC' });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table as text, except for when and how the migrations ran, and the backups. */
async function everything(connection: pg.ClientConfig): Promise<Record<string, string[]>> {
  const tables = await rowsOf(
    connection,
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
  );
  const contents: Record<string, string[]> = {};
  for (const { name = '' } of tables) {
    if (['knex_migrations_lock', 'last_backup'].includes(name)) continue;
    const row = name === 'knex_migrations' ? 'ROW(name)' : 'each';
    const rows = await rowsOf(connection, `SELECT CAST(${row} AS text) AS row FROM "${name}" AS each ORDER BY 1`);
    contents[name] = rows.map(({ row: text = '' }) => text);
  }
  return contents;
}

/** Constraints and indexes, as Postgres writes them. */
const structure = (connection: pg.ClientConfig) =>
  rowsOf(
    connection,
    `SELECT conname AS name, pg_get_constraintdef(oid) AS is FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`,
  );

/** An embedded database's server, for as long as `work` lasts. */
async function inEmbedded<T>(dataDir: string, work: (connection: pg.ClientConfig) => Promise<T>): Promise<T> {
  const { connection, close } = await openEmbeddedPostgres(dataDir);
  return work(connection).finally(close);
}

function newDataDir(): string {
  const dataDir = `${newFile()}.data`;
  onTestFinished(async () => {
    await vi.waitFor(async () => {
      const pid = await serverPid(dataDir);
      if (pid === undefined || !isAlive(pid)) return;
      process.kill(pid, 'SIGQUIT');
      throw new Error(`Server ${pid} is still there`);
    }, 60_000);
  });
  return dataDir;
}

const newDatabase = async (make = emptyDatabase) => ({ connectionString: (await testDatabase(make)).url });
/** With tables, and without rows. */
const readyDatabase = () => newDatabase(cloneDatabase);

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', DELIVERY_RETRY_DELAYS: '86400' });
const owner = await service.owner({ email: 'ada@backup.example' });
const full = { connectionString: service.databaseUrl };
const deployments: { id: string; slug: string }[] = [];

/** Text that COPY, JSON and terminals each have a way with. */
const AWKWARD = '{"a":"\\u0000 \\ud800 \\\\N \\\\. é\\t\\n\\"","10":1.10,"a":[9007199254740993,null,{"":""}]}';

beforeAll(async () => {
  await service.owner({ email: "o'neil\\n@backup.example" });
  for (let count = 0; count < 20; count += 1) {
    const html = `\u0000\ufeff\\N\t{{FORM_ACTION}}${'é'.repeat(count * 1_000)}`;
    deployments.push(await owner.deploy({ html }));
  }
  await owner.deploy({
    html: '<p>',
    files: { 'a.txt': '\\N\t\u0000\n', 'b.bin': { content: '/1wK', encoding: 'base64' } },
  });
  const [first = { id: '' }, , last = { id: '' }] = deployments;
  await owner.post(`/webhooks/${first.id}`).send({ url: 'http://127.0.0.1:1/\\N' }).expect(201);
  await owner.send('POST', `/submit/${first.id}`, AWKWARD);
  await owner.send('POST', `/submit/${first.id}`, `{"large":"${'x'.repeat(200_000)}"}`);
  await owner.delete(`/deploy/${last.id}`).expect(200);
  await vi.waitFor(async () => {
    const waiting = await rowsOf(full, 'SELECT FROM deliveries WHERE attempts = 0 OR leased');
    expect(waiting).toEqual([]);
  }, 60_000);
  // A sequence's next number is in no row.
  await runSql(service.databaseUrl, "SELECT setval('owners_id_seq', 4711)");
});

describe('backup and restore', () => {
  it('bring every row of every table back', async () => {
    const file = newFile();
    expect(await command('backup', file, { DATABASE_URL: full.connectionString })).toEqual(backedUp);
    expect((await readFile(file)).toString('latin1', 0, LINE.length)).toBe(LINE);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const target = await newDatabase();
    expect(await command('restore', file, { DATABASE_URL: target.connectionString })).toEqual(restored);
    expect(await everything(target)).toEqual(await everything(full));
    expect(await structure(target)).toEqual(await structure(full));
    const next = "SELECT nextval('owners_id_seq') AS next";
    expect(await rowsOf(target, next)).toEqual([{ next: '4712' }]);
  });

  it('bring one over from a Postgres into the embedded one, and from there into another', async () => {
    const [first, second] = [newFile(), newFile()];
    const [dataDir, other] = [newDataDir(), newDataDir()];
    expect(await command('backup', first, { DATABASE_URL: full.connectionString })).toEqual(backedUp);
    expect(await command('restore', first, { DATA_DIR: dataDir })).toEqual(restored);
    expect(await command('backup', second, { DATA_DIR: dataDir })).toEqual(backedUp);
    expect(await command('restore', second, { DATA_DIR: other })).toEqual(restored);
    expect(await inEmbedded(other, everything)).toEqual(await everything(full));
    expect(await inEmbedded(other, structure)).toEqual(await inEmbedded(dataDir, structure));
  });

  it('keep all that was acknowledged before, under load, and counters that match their rows', async () => {
    const sent = deployments.slice(3);
    const send = async (round: number) => {
      const answers = await Promise.all(sent.map(({ id }) => service.anonymous.post(`/submit/${id}`).send({ round })));
      return answers.map(({ status, body }) => ({ status, id: String(body.id) }));
    };
    const before = await send(0);
    expect(before.map(({ status }) => status)).toEqual(sent.map(() => 200));

    const file = newFile();
    let isOver = false;
    const backup = command('backup', file, { DATABASE_URL: full.connectionString }).finally(() => {
      isOver = true;
    });
    let round = 1;
    for (; round < 10 && !isOver; round += 1) await send(round);
    expect(await backup).toEqual(backedUp);
    expect(round).toBeGreaterThan(2);

    const target = await newDatabase();
    expect(await command('restore', file, { DATABASE_URL: target.connectionString })).toEqual(restored);
    const [source, copy] = [await everything(full), await everything(target)];
    const copied = await rowsOf(target, 'SELECT id FROM submissions');
    const ids = new Set(copied.map(({ id }) => id));
    expect(before.filter(({ id }) => !ids.has(id))).toEqual([]);
    for (const [table, rows] of Object.entries(copy)) {
      // An accepted submission changes rows of this table in place.
      if (table === 'deployments') continue;
      const there = new Set(source[table]);
      expect(rows.filter((row) => !there.has(row))).toEqual([]);
    }
    const miscounted = `SELECT id, submission_count, last_submission_number FROM deployments
      WHERE submission_count <> (SELECT count(*) FROM submissions WHERE deployment_id = deployments.id)
         OR last_submission_number <> submission_count`;
    expect(await rowsOf(target, miscounted)).toEqual([]);
  });

  it('hand one on from standard output to standard input, into a database that a service has made ready', async () => {
    const target = await readyDatabase();
    const script =
      'DATABASE_URL="$1" "$0" src/commands/formhost.ts admin backup - | DATABASE_URL="$2" "$0" src/commands/formhost.ts admin restore -';
    const args = ['-c', script, process.execPath, full.connectionString, target.connectionString];
    expect(await startProgram('/bin/sh', args, {}).result).toEqual({
      ...restored,
      // Standard output has the backup.
      stderr: expect.stringMatching(/^formhost: backed up 2 owners, 21 deployments and \d+ submissions\n$/),
    });
    expect(await everything(target)).toEqual(await everything(full));
  });
});

/** A backup of `full`. */
let own: string;
let good: Buffer;
beforeAll(async () => {
  own = newFile();
  expect(await command('backup', own, { DATABASE_URL: full.connectionString })).toEqual(backedUp);
  good = await readFile(own);
});

describe('restore', () => {
  const unpacked = () => gunzipSync(good.subarray(LINE.length));
  const packed = (content: Buffer) => Buffer.concat([Buffer.from(LINE), gzipSync(content)]);
  const altered = (change: (content: Buffer) => void): Buffer => {
    const content = unpacked();
    change(content);
    return packed(content);
  };
  const otherLetter = () => altered((content) => content.write('b', content.indexOf('ada@backup')));
  const DAMAGED = /^formhost: the backup is damaged \(.+\): nothing of it was restored; take another\n$/;
  const NEWER = /^formhost: the backup was made by a newer version of formhost.*: restore it with that version/;
  const OF_PG_DUMP = /^formhost: this is a dump of pg_dump's: restore it with pg_restore\n$/;
  const NO_BACKUP = /^formhost: this is not a backup of formhost\n$/;

  it.each<[string, () => Buffer, RegExp]>([
    ['cut short', () => good.subarray(0, good.length >> 1), DAMAGED],
    ['cut after its first line', () => good.subarray(0, LINE.length), DAMAGED],
    ['with a bit turned', flipped, DAMAGED],
    ['with another letter in a row', () => otherLetter(), DAMAGED],
    ['whose checksum is missing', () => packed(unpacked().subarray(0, -32)), DAMAGED],
    ['with something after its end', () => packed(Buffer.concat([unpacked(), Buffer.from('x')])), DAMAGED],
    [
      'with a length past all bounds',
      () => altered((all) => all.writeUInt32BE(2 ** 31, all.indexOf('\n') + 1)),
      DAMAGED,
    ],
    ['of a later format', () => Buffer.concat([Buffer.from('formhost-backup 2\n'), good.subarray(LINE.length)]), NEWER],
    [
      'with a migration that is not known',
      () => packed(Buffer.from(unpacked().toString('latin1').replace('0001-owners', '9999-owners'), 'latin1')),
      NEWER,
    ],
    ['that is something else', () => Buffer.from('PK\u0003\u0004'), NO_BACKUP],
    ["of pg_dump's", () => Buffer.from('PGDMP\u0001\n'), OF_PG_DUMP],
    ['that is empty', () => Buffer.alloc(0), NO_BACKUP],
  ])('refuses a backup %s', async (_name, make, message) => {
    const failed = checkBackup(Readable.from([make()])).catch((error: Error) => `formhost: ${error.message}\n`);
    expect(await failed).toMatch(message);
  });

  it('changes nothing for the sake of a file that is damaged', async () => {
    const target = await newDatabase();
    const file = newFile();
    await writeFile(file, otherLetter());
    expect(await command('restore', file, { DATABASE_URL: target.connectionString })).toEqual(refused(DAMAGED));
    expect(await everything(target)).toEqual({});
  });

  function flipped(): Buffer {
    const copy = Buffer.from(good);
    copy.writeUInt8(copy.readUInt8(copy.length >> 1) ^ 4, copy.length >> 1);
    return copy;
  }

  it('keeps no row of a damaged backup that comes over standard input, and takes the whole one after it', async () => {
    const target = await newDatabase();
    const through = (file: string) =>
      startProgram('sh', ['-c', '"$0" src/commands/formhost.ts admin restore - < "$1"', process.execPath, file], {
        DATABASE_URL: target.connectionString,
      }).result;
    const file = newFile();
    await writeFile(file, otherLetter());
    expect(await through(file)).toEqual(refused(DAMAGED));
    // The migrations have made these.
    const { knex_migrations: _ran, link_secret: _own, ...tables } = await everything(target);
    expect(Object.values(tables).flat()).toEqual([]);
    expect(await through(own)).toEqual(restored);
    expect((await everything(target)).owners).toEqual((await everything(full)).owners);
  });

  it('refuses a database in which there are owners, and leaves it as it was', async () => {
    const before = await everything(full);
    expect(await command('restore', own, { DATABASE_URL: full.connectionString })).toEqual(
      refused(/^formhost: the database has owners already, and a backup is restored into an empty one only: /),
    );
    expect(await everything(full)).toEqual(before);
  });

  it('refuses a database on which the service runs', async () => {
    const target = await testDatabase();
    const running = await service.another({ DATABASE_URL: target.url });
    onTestFinished(running.close);
    expect(await command('restore', own, { DATABASE_URL: target.url })).toEqual(
      refused('the service is running on this database: stop it, and restore then'),
    );
  });

  it('brings a backup of an older version up to this one, and refuses tables that are newer than its rows', async () => {
    const old = await newDatabase();
    const file = newFile();
    // A release that did not have the last migration.
    await migrate(old, { only: ['0001-owners-and-pages', '0002-submissions-and-deliveries'] });
    await runSql(
      old.connectionString,
      `INSERT INTO owners (email, plan) VALUES ('old@backup.example', 'free');
       INSERT INTO deployments (id, owner_id, slug) VALUES ('d_old', 1, 'old')`,
    );
    expect(await command('backup', file, { DATABASE_URL: old.connectionString })).toEqual(backedUp);
    const target = await newDatabase();
    expect(await command('restore', file, { DATABASE_URL: target.connectionString })).toEqual(restored);
    expect(
      await rowsOf(target, 'SELECT slug, (SELECT length(secret) || $$$$ FROM link_secret) AS secret FROM deployments'),
    ).toEqual([{ slug: 'old', secret: '32' }]);
    const newer = await readyDatabase();
    expect(await command('restore', file, { DATABASE_URL: newer.connectionString })).toEqual(
      refused(/^formhost: the database is empty, but its tables are newer \(\S+\) than the backup's: restore into /),
    );
  });
});

describe('backup', () => {
  const startBackup = (file: string, DATABASE_URL: string) => startAdmin(['backup', file], { DATABASE_URL });

  it('says in a line why nothing was backed up, without the password, and leaves nothing', async () => {
    const place = await mkdtemp(join(folder, 'empty-'));
    const to = (DATABASE_URL: string, file = join(place, 'file')) => command('backup', file, { DATABASE_URL });
    const reached = full.connectionString;
    const other = (await newDatabase()).connectionString;
    await runSql(other, "CREATE TABLE knex_migrations (name text); INSERT INTO knex_migrations VALUES ('0001-theirs')");
    expect([
      await to('postgres://nobody:secret@127.0.0.1:1/nothing'),
      await to('mysql://nobody:secret@127.0.0.1/nothing'),
      await to(other),
      await to(reached, '/nowhere/file'),
      await to(reached, own),
      await command('restore', '/nowhere/a', { DATABASE_URL: reached }),
    ]).toEqual([
      ...Array(2).fill(refused(/^(?!.*secret)formhost: .+\n$/)),
      refused(/^(?:formhost: there is no database of the service in .*\n){2}$/),
      refused(/^formhost: \/nowhere\/file cannot be written: there is no such file or folder; check the name\n$/),
      refused(`${own} exists already: choose another name`),
      refused(/no such file or directory, open '\/nowhere\/a'\n$/),
    ]);
    expect([await readdir(place), await readFile(own)]).toEqual([[], good]);
  });

  it('says in a line that the disk is full', async () => {
    const script = '"$0" src/commands/formhost.ts admin backup - > /dev/full';
    const settings = { DATABASE_URL: full.connectionString };
    const { result } = startProgram('/bin/sh', ['-c', script, process.execPath], settings);
    expect(await result).toEqual(refused('nothing was backed up: ENOSPC: no space left on device, write'));
  });

  it('leaves nothing when it is interrupted', async () => {
    const target = await testDatabase();
    const holder = new pg.Client({ connectionString: target.url });
    await holder.connect();
    onTestFinished(() => holder.end());
    // It waits for this table until it is told to stop.
    await holder.query('BEGIN; LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE');
    const place = await mkdtemp(join(folder, 'empty-'));
    const { child, result } = startBackup(join(place, 'file'), target.url);
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await expect.poll(async () => rowsOf({ connectionString: target.url }, waiting)).toHaveLength(1);
    expect(await readdir(place)).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await result).toEqual(refused('the backup was interrupted: no file was written'));
    expect(await readdir(place)).toEqual([]);
  });

  it('leaves nothing when it is interrupted before the database has answered', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('Listening on no port');
    const place = await mkdtemp(join(folder, 'empty-'));
    const database = `postgres://postgres@127.0.0.1:${address.port}/formhost`;
    const { child, result } = startBackup(join(place, 'file'), database);
    const [socket] = await once(silent, 'connection');
    child.kill('SIGTERM');
    expect(await result).toEqual({ code: null, stdout: '', stderr: '' });
    expect(await readdir(place)).toEqual([]);
    socket.destroy();
    silent.close();
  });
});
