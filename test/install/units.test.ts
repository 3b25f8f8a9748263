import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/fresh-database.ts';
import { PROJECT, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';

/*
 * The units for systemd, and the scripts of deploy that they and docs/operations.md use.
 */

const shell = promisify(execFile);
const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');

const valuesOf = (unit: string, name: string): string[] =>
  Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);

describe('deploy/formhost-backup.service', () => {
  it('has the user, the settings, the folders and the restrictions of the service', async () => {
    const [service, backup] = await Promise.all([
      read('deploy/formhost.service'),
      read('deploy/formhost-backup.service'),
    ]);
    const same = ['User', 'Group', 'WorkingDirectory', 'EnvironmentFile', 'StateDirectoryMode', 'UMask'];
    for (const name of same) expect([name, ...valuesOf(backup, name)]).toEqual([name, ...valuesOf(service, name)]);
    expect(valuesOf(backup, 'Environment')).toContain(
      valuesOf(service, 'Environment').find((value) => value.startsWith('DATA_DIR=')),
    );
    expect(valuesOf(backup, 'StateDirectory').join(' ').split(' ')).toEqual(['formhost', 'formhost-backups']);
    const restrictions = (unit: string): string =>
      unit.slice(unit.indexOf('ProtectSystem=')).split('\n\n[')[0]?.trim() ?? '';
    expect(restrictions(backup)).toBe(restrictions(service));
    expect(restrictions(backup).length).toBeGreaterThan(500);
  });

  it('is accepted by systemd, and so are the other units', async ({ skip }) => {
    const has = await shell('systemd-analyze', ['--version']).then(
      () => true,
      () => false,
    );
    if (!has) skip('systemd-analyze is not installed');
    const units = (await readdir(join(PROJECT, 'deploy'))).filter((name) => /\.(?:service|timer)$/.test(name));
    expect(units.toSorted()).toEqual(['formhost-backup.service', 'formhost-backup.timer', 'formhost.service']);
    const { stdout, stderr } = await shell('systemd-analyze', [
      'verify',
      ...units.map((name) => join(PROJECT, 'deploy', name)),
    ]);
    expect(stdout + stderr).toBe('');
  });
});

it('deploy/as-service runs a command with the user, the settings and the data of the service', async () => {
  const bin = await emptyFolder();
  await writeFile(join(bin, 'systemd-run'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  await chmod(join(bin, 'systemd-run'), 0o755);
  const settings = { PATH: `${bin}:${process.env.PATH}` };
  const { code, stdout } = await startProgram('deploy/as-service', ['mail-test', 'you@example.org'], settings).result;
  const service = await read('deploy/formhost.service');
  const given = stdout.split('\n').slice(0, -1);
  for (const name of ['User', 'Group', 'WorkingDirectory', 'EnvironmentFile']) {
    expect(given).toContain(`${name}=${valuesOf(service, name)[0]}`);
  }
  expect(valuesOf(service, 'Environment')).toContain(given[given.indexOf('-E') + 1]);
  expect([code, given.slice(-4)]).toEqual([0, ['src/commands/formhost.ts', 'admin', 'mail-test', 'you@example.org']]);
});

describe('deploy/backup, as the line for cron has it', () => {
  /** Runs the line for a folder, with these arguments in place of its own if there are any. */
  async function run(folder: string, DATABASE_URL: string, args = '') {
    const [, line = ''] = /^```cron\n17 3 \* \* \* (.*)\n```$/m.exec(await read('docs/operations.md')) ?? [];
    const command = line.replace('/path/to/formhost/', PROJECT).replace('/path/to/backups', folder);
    const changed = args ? command.replace(/(?<=deploy\/backup).*/, args) : command;
    return startProgram('sh', ['-c', changed], { PATH: '/usr/bin:/bin', DATABASE_URL }).result;
  }

  const NAME = expect.stringMatching(/^formhost-2\d{7}T\d{6}Z\.backup$/);
  const OLD = 'formhost-20200101T031700Z.backup';

  async function age(file: string, days: number): Promise<void> {
    await writeFile(file, 'a backup');
    const time = Date.now() / 1_000 - days * 86_400;
    await utimes(file, time, time);
  }

  it('makes one that its user alone can read, and removes its own that are too old', async () => {
    const folder = join(await emptyFolder(), 'backups');
    const { url } = await testDatabase();
    expect(await run(folder, url)).toEqual({ code: 0, stdout: '', stderr: '' });
    const [first = '', ...others] = await readdir(folder);
    expect([first, others]).toEqual([NAME, []]);
    const modes = await Promise.all([folder, join(folder, first)].map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o700, 0o600]);
    for (const name of [OLD, `.${OLD}.0123456789ab`]) await age(join(folder, name), 15.1);
    await age(join(folder, 'formhost-20200103T031700Z.backup'), 13.9);
    await age(join(folder, 'notes.txt'), 100);
    // The name has the second, so a second backup in it is refused.
    await expect.poll(async () => (await run(folder, url)).code, { interval: 500 }).toBe(0);
    expect((await readdir(folder)).filter((name) => name !== first).toSorted()).toEqual([
      ...['formhost-20200103T031700Z.backup', NAME, 'notes.txt'],
    ]);
  });

  it('that fails has the exit code 1, and removes none', async () => {
    const folder = await emptyFolder();
    await age(join(folder, OLD), 100);
    const { code, stderr } = await run(folder, 'postgres://nobody@127.0.0.1:1/nothing');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^formhost: nothing was backed up: .*ECONNREFUSED.*\n$/)]);
    expect(await readdir(folder)).toEqual([OLD]);
  });

  it('says how it is used', async () => {
    const wrong = await Promise.all([' ', ' /tmp', ' /tmp x'].map((args) => run('', '', args)));
    expect(wrong).toEqual(wrong.map(() => ({ code: 2, stdout: '', stderr: 'usage: deploy/backup FOLDER DAYS\n' })));
  });
});
