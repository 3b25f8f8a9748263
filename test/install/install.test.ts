import { chmod, cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pathWithNode } from '../support/another-node.ts';
import { PROJECT, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';

/* scripts/install.js, the first step of `npm start` and `npm test`, with a program that passes for npm. */

type Library = Record<string, string | boolean>;
type Libraries = Record<string, Library>;

const LOCKED: Libraries = {
  'node_modules/one': { version: '1.2.3', integrity: 'sha512-one' },
  'node_modules/tool': { version: '2.0.0', integrity: 'sha512-tool', dev: true },
  'node_modules/elsewhere': { version: '3.0.0', integrity: 'sha512-elsewhere', optional: true, os: 'aix' },
  'node_modules/both': { version: '4.0.0', integrity: 'sha512-both', devOptional: true },
};
const { 'node_modules/tool': tool = {}, 'node_modules/one': one = {} } = LOCKED;
const CURRENT: Libraries = { 'node_modules/one': one, 'node_modules/tool': tool };

/** It notes its arguments, and installs what package-lock.json has; or does what `NPM_DOES` says. */
const NPM = `
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
console.log('npm prints this');
if (process.env.NPM_DOES === 'fail') {
  console.error('npm error code E404');
  process.exitCode = 7;
} else if (process.env.NPM_DOES === 'wait') setInterval(() => undefined, 1_000);
else {
  mkdirSync('node_modules', { recursive: true });
  copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
}`;

/** A clone in which these libraries are installed: `run` runs the script, and `calls` is how npm was called. */
async function clone(installed?: Libraries, isBuilt = false) {
  const folder = await emptyFolder();
  for (const name of ['bin', 'scripts']) await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  const lock = (packages: Libraries): string => JSON.stringify({ packages: { '': {}, ...packages } });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'package-lock.json'), lock(LOCKED));
  await writeFile(join(folder, 'npm-cli.js'), NPM);
  if (installed) {
    await mkdir(join(folder, 'node_modules'));
    await writeFile(join(folder, 'node_modules/.package-lock.json'), lock(installed));
  }
  if (isBuilt) {
    await mkdir(join(folder, 'dist/service'), { recursive: true });
    await writeFile(join(folder, 'dist/service/main.js'), '');
  }
  return {
    folder,
    start(command: string, settings: Record<string, string> = {}) {
      const npm = { npm_execpath: join(folder, 'npm-cli.js'), npm_lifecycle_event: command };
      const program = startProgram('node', ['scripts/install.js', command], { ...npm, ...settings }, folder);
      onTestFinished(() => void program.child.kill('SIGKILL'));
      return program;
    },
    calls: () => readFile(join(folder, 'calls'), 'utf8').catch(() => ''),
  };
}

const CALL = 'ci --include=dev --no-audit --no-fund\n';
const INSTALLED = {
  code: 0,
  stdout: '',
  stderr: 'formhost: installing the libraries, as package-lock.json has them (npm ci)\nnpm prints this\n',
};

describe.each(['start', 'test'])('npm %s', (command) => {
  it.each<[string, Libraries | undefined]>([
    ['where nothing is installed', undefined],
    ['where a library is missing', { 'node_modules/tool': tool }],
    ['where a version is another', { ...CURRENT, 'node_modules/one': { ...one, version: '1.2.2' } }],
    ['where a content is another', { ...CURRENT, 'node_modules/tool': { ...tool, integrity: 'sha512-other' } }],
    ['where a library for development is missing', { 'node_modules/one': one }],
  ])('installs %s, once', async (_, installed) => {
    const { start, calls } = await clone(installed);
    expect(await start(command).result).toEqual(INSTALLED);
    expect(await start(command).result).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await calls()).toBe(CALL);
  });

  it.each<[string, Libraries]>([
    ['all are there that this system needs', CURRENT],
    ['a developer has linked another one', { ...CURRENT, 'node_modules/one': { resolved: '../one', link: true } }],
  ])('installs nothing where %s', async (_, installed) => {
    const { start, calls } = await clone(installed);
    expect(await start(command).result).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await calls()).toBe('');
  });

  it('shows what npm says when it fails, and ends with its exit code', async () => {
    const { start, folder } = await clone();
    expect(await start(command, { NPM_DOES: 'fail' }).result).toEqual({
      code: 7,
      stdout: '',
      stderr: `${INSTALLED.stderr}npm error code E404\nformhost: npm ci has failed with exit code 7: nothing was started\n`,
    });
    await expect(stat(join(folder, '.installing'))).rejects.toThrow('ENOENT');
  });

  it('passes a signal on to npm, and ends by it', async () => {
    const { start, calls, folder } = await clone();
    const { child, result } = start(command, { NPM_DOES: 'wait' });
    await vi.waitFor(async () => expect(await calls()).toBe(CALL), { timeout: 240_000 });
    child.kill('SIGTERM');
    expect((await result).stderr).toMatch(/npm ci was ended by SIGTERM: nothing was started\n$/);
    expect(child.signalCode).toBe('SIGTERM');
    await expect(stat(join(folder, '.installing'))).rejects.toThrow('ENOENT');
  });

  it('works with Node 20', async () => {
    const { start, folder } = await clone();
    await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
    await writeFile(join(folder, 'node_modules/.bin/node'), '');
    expect(await start(command, { PATH: await pathWithNode({ version: '20.9.0' }) }).result).toEqual(INSTALLED);
  });

  it('says what is missing on a system where npm brings no Node', async () => {
    const { start } = await clone(CURRENT);
    const { code, stderr } = await start(command, { PATH: await pathWithNode({ version: '20.9.0' }) }).result;
    expect([code, stderr]).toEqual([1, 'formhost: this needs Node 24 or later, and runs on v20.9.0: install it\n']);
  });
});

it('two commands at once install once', async () => {
  const { start, calls } = await clone();
  const ended = await Promise.all([start('start').result, start('test').result]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(await calls()).toBe(CALL);
});

it('a lock that a killed command has left is no obstacle', async () => {
  const { start, calls, folder } = await clone();
  const { child, result } = start('start');
  await result;
  await writeFile(join(folder, '.installing'), String(child.pid));
  await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}');
  expect((await start('test').result).code).toBe(0);
  expect(await calls()).toBe(CALL + CALL);
});

describe('a build without the libraries for development, as an image has it', () => {
  const PRODUCTION: Libraries = { 'node_modules/one': one };

  it('is started as it is', async () => {
    const { start, calls } = await clone(PRODUCTION, true);
    expect(await start('start').result).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await calls()).toBe('');
  });

  it('gets them for its tests', async () => {
    const { start, calls } = await clone(PRODUCTION, true);
    expect((await start('test').result).code).toBe(0);
    expect(await calls()).toBe(CALL);
  });
});

it('nothing is installed in a folder that cannot be written', async () => {
  const { folder, calls } = await clone();
  await chmod(folder, 0o555);
  onTestFinished(() => chmod(folder, 0o755));
  const asNobody = process.geteuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const program = startProgram('env', [...asNobody, 'node', 'scripts/install.js', 'start'], {}, folder);
  expect(await program.result).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await calls()).toBe('');
});
