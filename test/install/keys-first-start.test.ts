import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative as relativePath } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openEmbeddedPostgres } from '../../src/db/postgres/embedded-postgres.ts';
import { runSql } from '../support/database.ts';
import { emptyDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { isAlive, serverPid } from '../support/postmaster.ts';
import { PROJECT, startProgram, startServiceProcess } from '../support/process.ts';
import { asOwner } from '../support/service.ts';

/* Commands before, beside and without the first start of a service. Some wait for a database for ten seconds. */

const made = { code: 0, stdout: expect.stringMatching(/^fh_[0-9A-Za-z_-]{40,}\n$/), stderr: '' };
const waitingOrNothing = /^(?:formhost: there is no database .* yet: waiting 10 s for a start of the service\n)?$/;
const noDatabase = (place: string) => ({
  code: 1,
  stdout: '',
  stderr:
    `formhost: ${place} yet: waiting 10 s for a start of the service\n` +
    `formhost: ${place}: set DATA_DIR or DATABASE_URL as the service has it, or run npm start first, which makes the database\n`,
});

const keys = (args: string[], settings: Record<string, string>) =>
  startProgram(process.execPath, ['src/commands/formhost.ts', 'keys', ...args], settings).result;

/** How many keys of an owner the list has. */
async function countOf(email: string, settings: Record<string, string>): Promise<number> {
  const { code, stdout, stderr } = await keys(['list'], settings);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line.split('\t')[1] === email).length;
}

describe('an empty database', () => {
  it('makes no tables in a database without them: it says where it looked, without the password, and what to do', {
    timeout: 90_000,
  }, async () => {
    const { url, name, drop } = await emptyDatabase();
    onTestFinished(drop);
    const { host } = new URL(url);
    const place = `there is no database of the service in ${host}/${name} (DATABASE_URL, which the environment sets)`;
    const result = await keys(['create', '--email', 'empty@keys.example'], { DATABASE_URL: url });
    expect(result).toEqual(noDatabase(place));
    await runSql(
      url,
      "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace); END $$",
    );
  });

  it('waits for the migrations of a first start that comes after it', async () => {
    const { url, drop } = await emptyDatabase();
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

// Each waits for a database for some seconds.
describe.concurrent('an embedded database', () => {
  /** The process id of the server in DATA_DIR; undefined where none runs. */
  async function serverOf(dataDir: string): Promise<number | undefined> {
    const pid = await serverPid(dataDir);
    return pid !== undefined && isAlive(pid) ? pid : undefined;
  }

  it('takes the command during the very first start of the service, beside it and after it, and stops with the last', async ({
    onTestFinished,
  }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'formhost-keys-'));
    const { url, child, ready, stop } = await startServiceProcess({ DATA_DIR: dataDir });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      const server = await serverOf(dataDir);
      if (server !== undefined) process.kill(server, 'SIGQUIT');
      await vi.waitFor(() => rm(dataDir, { recursive: true }), { timeout: 60_000, interval: 50 });
    });

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

  it('is not made by any command but restore: each says where it looked, how that was set, and what to do', {
    timeout: 120_000,
  }, async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'formhost-none-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const dataDir = join(folder, 'data');
    const commands = [
      ['keys', 'create', '--email', 'a@keys.example'],
      ['keys', 'list'],
      ['keys', 'revoke', 'key_1'],
      ['owners', 'list'],
      ['deployments', 'list'],
      ['backup', join(folder, 'a.backup')],
    ];
    const run = ([name = '', ...args]: string[], settings: Record<string, string>, cwd = PROJECT) =>
      startProgram(process.execPath, [join(PROJECT, 'src/commands/formhost.ts'), name, ...args], settings, cwd).result;
    const place = (origin: string, data = dataDir) => `there is no database of the service in ${data} (${origin})`;
    const relative = relativePath(PROJECT, dataDir);
    const own = join(folder, 'own');
    await mkdir(own);
    await writeFile(join(own, '.env'), 'DATA_DIR=./other\n');
    const [byDefault, inFile, ...results] = await Promise.all([
      run(['keys', 'list'], {}, folder),
      run(['keys', 'list'], {}, own),
      ...commands.map((args) => run(args, { DATA_DIR: relative })),
    ]);
    expect(byDefault).toEqual(noDatabase(place('the default, because DATA_DIR is not set')));
    expect(inFile).toEqual(noDatabase(place('DATA_DIR in .env', join(own, 'other'))));
    expect(results).toEqual(commands.map(() => noDatabase(place('DATA_DIR, which the environment sets'))));
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(['own', 'own/.env']);
  });

  it('is not taken for the service’s when a start was cut short before its tables were made', {
    timeout: 90_000,
  }, async ({ onTestFinished }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'formhost-cut-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    await (await openEmbeddedPostgres(dataDir, { limits: testLimits() })).close();
    const result = await keys(['list'], { DATA_DIR: dataDir });
    const place = `there is no database of the service in ${dataDir} (DATA_DIR, which the environment sets)`;
    expect(result).toEqual(noDatabase(place));
    expect(await serverOf(dataDir)).toBeUndefined();
  });
});
