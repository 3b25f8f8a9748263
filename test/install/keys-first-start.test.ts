import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { LIMITS } from '../../src/limits.ts';
import { runSql } from '../support/database.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { isAlive, serverPid } from '../support/postmaster.ts';
import { startServiceProcess } from '../support/process.ts';
import { formhost } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { asOwner } from '../support/test-service.ts';

/* Commands before, beside and without the first start of a service. */
const made = { code: 0, stdout: expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}\n$/), stderr: '' };
const waitingOrNothing = /^(?:formhost: there is no database .* yet: waiting \d+ s for a start of the service\n)?$/;
const before = { ...LIMITS.database };
/** How long commands of this process wait for a start. */
const waitFor = (firstStartTimeoutMs: number) =>
  Object.assign(LIMITS.database, { firstStartTimeoutMs, firstStartTellAfterMs: 0 });
beforeEach(() => void waitFor(1_000));
afterAll(() => void Object.assign(LIMITS.database, before));
const noDatabase = (place: string, origin: string) => ({
  code: 1,
  stdout: '',
  stderr:
    `formhost: there is no database of the service in ${place} (${origin}) yet: waiting 1 s for a start of the service\n` +
    `formhost: there is no database of the service in ${place} (${origin}): set DATA_DIR or DATABASE_URL as the service has it, or run npm start first, which makes the database\n`,
});
const keys = (args: string[], settings: Record<string, string>) => formhost(['admin', 'keys', ...args], { settings });

/** How many keys of an owner the list has. */
async function countOf(email: string, settings: Record<string, string>): Promise<number> {
  const { code, stdout, stderr } = await keys(['list'], settings);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line.split('\t')[1] === email).length;
}

describe('an empty database', () => {
  it('gets no tables by a command: it says where it looked, without the password, and what to do', async () => {
    const { url, name } = await testDatabase(emptyDatabase);
    const settings = { DATABASE_URL: url };
    expect(await formhost(['admin', 'keys', 'create', '--email', 'empty@keys.example'], { settings })).toEqual(
      noDatabase(`${new URL(url).host}/${name}`, 'DATABASE_URL, which the environment sets'),
    );
    const file = join(await emptyFolder(), 'url');
    await writeFile(file, url);
    expect(await keys(['list'], { DATABASE_URL_FILE: file })).toEqual(
      noDatabase(`${new URL(url).host}/${name}`, 'DATABASE_URL_FILE, which the environment sets'),
    );
    await runSql(
      url,
      "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace); END $$",
    );
  });

  it('waits for the migrations of a first start that comes after it', async () => {
    const { url, drop } = await emptyDatabase();
    waitFor(600_000);
    const result = keys(['create', '--email', 'before@keys.example'], { DATABASE_URL: url });
    const { ready, stop } = await startServiceProcess({ DATABASE_URL: url });
    onTestFinished(async () => {
      await stop();
      await drop();
    });
    expect(await result).toEqual({ ...made, stderr: expect.stringMatching(waitingOrNothing) });
    await ready();
    expect(await countOf('before@keys.example', { DATABASE_URL: url })).toBe(1);
  });
});

describe('an embedded database', () => {
  /** The process id of the server in DATA_DIR; undefined where none runs. */
  async function serverOf(dataDir: string): Promise<number | undefined> {
    const pid = await serverPid(dataDir);
    return pid !== undefined && isAlive(pid) ? pid : undefined;
  }

  it('takes the command during the very first start of the service, beside it and after it, and stops with the last', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'formhost-keys-'));
    const { url, child, ready, stop } = await startServiceProcess({ DATA_DIR: dataDir });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      const server = await serverOf(dataDir);
      if (server !== undefined) process.kill(server, 'SIGQUIT');
      await vi.waitFor(() => rm(dataDir, { recursive: true }), { timeout: 240_000, interval: 50 });
    });

    waitFor(600_000);
    const early = await keys(['create', '--email', 'early@keys.example'], { DATA_DIR: dataDir });
    expect(early).toEqual({ ...made, stderr: expect.stringMatching(waitingOrNothing) });
    await ready();
    const beside = await keys(['create', '--email', 'beside@keys.example'], { DATA_DIR: dataDir });
    expect(beside).toEqual(made);
    for (const { stdout } of [early, beside]) {
      await asOwner(url, stdout.trim()).post('/deploy').send({ html: 'x' }).expect(201);
    }

    const server = await serverOf(dataDir);
    expect((await stop()).code).toBe(0);
    expect([server, await serverOf(dataDir)]).toEqual([expect.any(Number), undefined]);

    expect(await countOf('early@keys.example', { DATA_DIR: dataDir })).toBe(1);
    expect(await serverOf(dataDir)).toBeUndefined();
  });

  it('is not made by a command: each says where it looked, how that was set, and what to do', async () => {
    const folder = await emptyFolder();
    const own = join(folder, 'own');
    await mkdir(own);
    await writeFile(join(own, '.env'), 'DATA_DIR=./other\n');
    const cases: [args: string[], cwd: string, settings: Record<string, string>, place: string, origin: string][] = [
      [['keys', 'list'], folder, {}, 'data', 'the default, because DATA_DIR is not set'],
      [['keys', 'list'], own, {}, 'own/other', 'DATA_DIR in .env'],
      [
        ['keys', 'create', '--email', 'a@b.example'],
        folder,
        { DATA_DIR: 'x' },
        'x',
        'DATA_DIR, which the environment sets',
      ],
      [['backup', join(folder, 'a.backup')], folder, { DATA_DIR: 'x' }, 'x', 'DATA_DIR, which the environment sets'],
    ];
    for (const [args, cwd, settings, place, origin] of cases)
      expect(await formhost(['admin', ...args], { cwd, settings })).toEqual(noDatabase(join(folder, place), origin));
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(['own', 'own/.env']);
  });

  it('is not taken for the service’s when a start was cut short before its tables were made', async () => {
    const dataDir = await emptyFolder();
    await (await openEmbeddedPostgres(dataDir)).close();
    expect(await formhost(['admin', 'keys', 'list'], { settings: { DATA_DIR: dataDir } })).toEqual(
      noDatabase(dataDir, 'DATA_DIR, which the environment sets'),
    );
    expect(await serverOf(dataDir)).toBeUndefined();
  });
});
