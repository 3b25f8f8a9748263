import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive, serverPid } from '../support/postmaster.ts';
import { PROJECT, startProgram, startServiceProcess } from '../support/process.ts';

/*
 * The units for systemd, and what docs/operations.md says about backups with them. There is no systemd here: the commands
 * run as they are printed, in folders of the test that stand for /opt/formhost, /etc and /var/lib, and with programs in
 * place of sudo, systemctl and systemd-run that do what these would do with the files in deploy.
 */

const shell = promisify(execFile);
const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');

/** The settings of a unit, in their order. */
const settingsIn = (unit: string): [name: string, value: string][] =>
  Array.from(unit.matchAll(/^([A-Za-z]+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]);
const valuesOf = (unit: string, wanted: string): string[] =>
  settingsIn(unit).flatMap(([name, value]) => (name === wanted ? [value] : []));

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

/** A user who owns no files, if this may switch users, and if that user can read the project. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
  const nobody = { uid: 65_534, gid: 65_534 };
  if (process.getuid?.() !== 0) return undefined;
  return shell('test', ['-r', join(PROJECT, 'src/commands/backup.ts')], nobody).then(
    () => nobody,
    () => undefined,
  );
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The blocks of docs/operations.md under a heading that are marked as changing the machine. */
async function printed(heading: string): Promise<string> {
  const [, section = ''] = (await read('docs/operations.md')).split(`\n### ${heading}\n`);
  const [, block = ''] = /^```sh no-test=root\n([\s\S]*?)^```$/m.exec(section.split('\n### ')[0] ?? '') ?? [];
  return block;
}

describe('backups under systemd', { timeout: 90_000 }, () => {
  let root: string;
  let user: Awaited<ReturnType<typeof ordinaryUser>>;
  let service: Awaited<ReturnType<typeof startServiceProcess>>;
  const place = (path: string): string => join(root, path);
  /** A text with the test's folders in place of the machine's. */
  const moved = (text: string): string =>
    text.replaceAll(/(?<![\w/.])\/(?=opt\/formhost\b|etc\/formhost|etc\/systemd\b|var\/lib\/formhost)/g, `${root}/`);

  /** The words before a command that make it run as the user of the units. */
  const asUser = (): string[] =>
    user ? ['setpriv', '--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups', '--no-new-privs'] : [];

  /** A script that does what systemd does when it starts a oneshot unit, read from the file that was copied to /etc. */
  async function scriptOf(unit: string): Promise<string> {
    const own = (user ? [`chown ${user.uid}:${user.gid} "$folder"`] : []).join('');
    const folders = valuesOf(unit, 'StateDirectory')
      .join(' ')
      .split(' ')
      .map((name) => place(`var/lib/${name}`));
    const environment = [
      ...valuesOf(unit, 'Environment'),
      ...valuesOf(unit, 'EnvironmentFile').flatMap((file) => [`$(grep -v '^#' ${quoted(file)} | grep =)`]),
    ];
    const commands = valuesOf(unit, 'ExecStart').map((line) => line.replaceAll('%%', '%').replaceAll('$$', '$'));
    return `
      set -e
      for folder in ${folders.map(quoted).join(' ')}; do mkdir -p -m ${valuesOf(unit, 'StateDirectoryMode')[0]} "$folder"; ${own}; done
      cd ${quoted(valuesOf(unit, 'WorkingDirectory')[0] ?? '')}
      umask ${valuesOf(unit, 'UMask')[0]}
      set -- $(for line in ${environment.map((line) => (line.startsWith('$(') ? line : quoted(line))).join(' ')}; do echo "$line"; done)
      ${commands.map((command) => `env -i PATH=/usr/local/bin:/usr/bin:/bin "$@" ${asUser().join(' ')} sh -c ${quoted(`exec ${command}`)}`).join('\n')}`;
  }

  async function startUnit(): Promise<{ code: number; stderr: string }> {
    const script = await scriptOf(await readFile(place('etc/systemd/system/formhost-backup.service'), 'utf8'));
    const { child, result } = startProgram('sh', ['-c', script], {});
    const { stderr } = await result;
    return { code: child.exitCode ?? -1, stderr };
  }

  /** Runs commands of the guide. What `systemctl` was told is answered; a start of the backup's unit runs it. */
  async function run(commands: string): Promise<{ stdout: string; told: string[] }> {
    const bin = place('bin');
    await mkdir(bin, { recursive: true });
    const unitFile = place('etc/systemd/system/formhost-backup.service');
    const script = await readFile(unitFile, 'utf8').then(scriptOf, async () =>
      scriptOf(moved(await read('deploy/formhost-backup.service'))),
    );
    const told = place('told');
    await writeFile(told, '');
    await writeFile(place('start-unit'), script);
    const programs = {
      sudo: 'exec "$@"',
      systemctl: `echo "$*" >> ${quoted(told)}; if [ "$*" = 'start formhost-backup' ]; then exec sh ${quoted(place('start-unit'))}; fi`,
      // The options that set something, and then the command.
      'systemd-run': `
        set -e
        while :; do case $1 in
          -p) case $2 in WorkingDirectory=*) cd "\${2#*=}" ;; EnvironmentFile=*) set -a; . "\${2#*=}"; set +a ;; esac; shift 2 ;;
          -E) export "$2"; shift 2 ;;
          -*) shift ;;
          *) break ;;
        esac; done
        exec ${asUser().join(' ')} "$@"`,
    };
    for (const [name, body] of Object.entries(programs)) {
      await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
      await chmod(join(bin, name), 0o755);
    }
    const { child, result } = startProgram('sh', ['-ec', moved(commands)], { PATH: `${bin}:${process.env.PATH}` });
    const { stdout, stderr } = await result;
    expect({ code: child.exitCode, stderr }).toEqual({ code: 0, stderr: '' });
    return { stdout, told: (await readFile(told, 'utf8')).split('\n').slice(0, -1) };
  }

  const backups = async (): Promise<string[]> => (await readdir(place('var/lib/formhost-backups'))).toSorted();
  const keysList = async (): Promise<string> => (await run('/opt/formhost/deploy/as-service keys list')).stdout;

  /** The service with the data of the units, by their user. */
  async function startService(): Promise<void> {
    const port = { HOST: '', BASE_URL: '', PAGES_DOMAIN: '', DATABASE_URL: '' };
    service = await startServiceProcess({ ...port, DATA_DIR: place('var/lib/formhost') }, asUser());
    await service.ready();
  }

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'fh-units-')));
    await chmod(root, 0o755);
    user = await ordinaryUser();
    const project = place('opt/formhost');
    await mkdir(project, { recursive: true });
    for (const name of ['migrations', 'node_modules', 'package.json', 'src']) {
      await symlink(join(PROJECT, name), join(project, name));
    }
    await cp(join(PROJECT, 'deploy'), join(project, 'deploy'), { recursive: true });
    for (const name of await readdir(join(project, 'deploy'))) {
      const file = join(project, 'deploy', name);
      if ((await stat(file)).isFile()) await writeFile(file, moved(await readFile(file, 'utf8')));
    }
    await mkdir(place('etc/systemd/system'), { recursive: true });
    await mkdir(place('var/lib/formhost'), { recursive: true });
    if (user) await chown(place('var/lib/formhost'), user.uid, user.gid);
    await cp(join(PROJECT, '.env.example'), place('etc/formhost.env'));
    await startService();
  });
  afterAll(async () => {
    service?.child.kill();
    await service?.result;
    for (const name of ['postgres', 'postgres-before']) {
      const pid = await serverPid(place(`var/lib/formhost/${name}/..`)).catch(() => undefined);
      if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGQUIT');
    }
    await vi.waitFor(() => rm(root, { recursive: true, force: true }), { timeout: 60_000, interval: 50 });
  });

  it('are made by the printed commands, and old ones are removed', async () => {
    const commands = await printed('Every night');
    expect(commands).toContain('systemctl start formhost-backup');
    const { stdout, told } = await run(commands);
    expect(told).toEqual(['daemon-reload', 'enable --now formhost-backup.timer', 'start formhost-backup']);
    const [first = '', ...others] = await backups();
    expect([first, others]).toEqual([expect.stringMatching(/^formhost-\d{8}T\d{6}Z\.backup$/), []]);
    expect(stdout).toMatch(new RegExp(`^-rw-------.* ${first}$`, 'm'));
    const folder = place('var/lib/formhost-backups');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);

    const age = async (name: string, days: number): Promise<void> => {
      await writeFile(join(folder, name), 'a backup');
      const time = Date.now() / 1_000 - days * 86_400;
      await utimes(join(folder, name), time, time);
    };
    await age('formhost-20200101T031700Z.backup', 15.1);
    await age('.formhost-20200101T031700Z.backup.0123456789ab', 15.1);
    await age('formhost-20200103T031700Z.backup', 13.9);
    await age('notes.txt', 100);
    // The name has the second.
    await vi.waitFor(async () => expect((await startUnit()).code).toBe(0), { timeout: 60_000, interval: 500 });
    const now = await backups();
    expect(now.filter((name) => name !== first)).toEqual([
      'formhost-20200103T031700Z.backup',
      expect.stringMatching(/^formhost-2\d{7}T\d{6}Z\.backup$/),
      'notes.txt',
    ]);
  });

  it('that fail are seen by the exit code, and no older one is removed', async () => {
    const env = place('etc/formhost.env');
    const before = await readFile(env, 'utf8');
    // The file of settings wins over the unit.
    await writeFile(env, `${before}\nDATABASE_URL=postgres://nobody@127.0.0.1:1/nothing\n`);
    const old = join(place('var/lib/formhost-backups'), 'formhost-20200101T031700Z.backup');
    await writeFile(old, 'a backup');
    await utimes(old, 1, 1);
    const { code, stderr } = await startUnit();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^formhost: nothing was backed up: .*ECONNREFUSED.*\n$/)]);
    expect(await backups()).toContain(basename(old));
    await writeFile(env, before);
  });

  it('are restored by the printed commands', async () => {
    const listed = await keysList();
    expect(listed).toMatch(/^key_\S+\towner@localhost\t/);
    const backup = (await backups()).findLast((name) => /^formhost-2\d{7}T/.test(name) && !name.includes('2020')) ?? '';
    const commands = await printed('Restore');
    expect(commands).toContain('as-service restore');
    // What `systemctl stop formhost` does.
    expect((await service.stop()).code).toBe(0);
    const { told } = await run(commands.replaceAll(/formhost-\d{8}T\d{6}Z\.backup/g, backup));
    expect(told).toEqual(['stop formhost formhost-backup.timer', 'start formhost formhost-backup.timer']);
    expect(await readdir(place('var/lib/formhost'))).toContain('postgres-before');
    await startService();
    expect(await keysList()).toBe(listed);
    expect((await run('/opt/formhost/deploy/as-service keys create --email you@example.org')).stdout).toMatch(/^fh_/);
  });

  it('are made by cron as printed', async () => {
    const [, line = ''] = /^```cron\n17 3 \* \* \* (.*)\n```$/m.exec(await read('docs/operations.md')) ?? [];
    const folder = place('cron/backups');
    const command = line.replace('/path/to/formhost', place('opt/formhost')).replace('/path/to/backups', folder);
    await mkdir(place('cron'));
    if (user) await chown(place('cron'), user.uid, user.gid);
    const settings = { PATH: '/usr/bin:/bin', DATA_DIR: place('var/lib/formhost') };
    const cron = (text: string) => startProgram('env', [...asUser(), 'sh', '-c', text], settings).result;
    expect(await cron(command)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^formhost-\d{8}T\d{6}Z\.backup$/)]);
    const wrong = await Promise.all(
      ['deploy/backup', `deploy/backup ${folder}`, `deploy/backup ${folder} x`].map(cron),
    );
    expect(wrong).toEqual(wrong.map(() => ({ code: 2, stdout: '', stderr: 'usage: deploy/backup FOLDER DAYS\n' })));
  });
});
