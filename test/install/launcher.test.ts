import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pathWithNode } from '../support/another-node.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { childrenOf } from '../support/postgres-server.ts';
import { isAlive } from '../support/postmaster.ts';
import { startServiceProcess } from '../support/process.ts';
import { startFormhost } from '../support/run-formhost.ts';
import { testService, UNKNOWN_ID } from '../support/test-service.ts';

/* bin/formhost.js: in place of its own process on this Node, and around another process on an older one and on Windows. */

const soon = <T>(check: () => T) => vi.waitFor(check, { timeout: 240_000, interval: 50 });

const OLD = { PATH: await pathWithNode({ version: '20.0.0' }) };
const WINDOWS = { PATH: await pathWithNode({ platform: 'win32' }) };

const service = await testService();
const owner = await service.owner();
const account = { FORMHOST_URL: service.url, FORMHOST_KEY: owner.key };

describe.each([
  ['this Node', {}],
  ['an old Node', OLD],
  ['Windows', WINDOWS],
])('a command on %s', (_, env) => {
  const run = (args: string[], input = '') => startFormhost(args, { settings: { ...account, ...env }, input }).result;

  it('ends with its exit code, and has the input and the outputs', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    expect((await run(['lits'])).code).toBe(2);
    expect((await run(['open', UNKNOWN_ID])).code).toBe(1);
    const { code, stdout } = await run(['deploy', '-', '--json'], '<title>By hand</title>');
    expect([code, JSON.parse(stdout).slug]).toEqual([0, expect.stringMatching(/^by-hand/)]);
  });
});

describe.each([
  ['this Node', {}],
  ['an old Node', OLD],
])('on %s', (_, env) => {
  it('SIGTERM ends a command, which cleans up', async () => {
    const { id } = await owner.deploy();
    const { child, written, result } = startFormhost(['tail', id], { settings: { ...account, ...env } });
    await soon(() => expect(written.err).toContain('Ctrl-C ends'));
    child.kill('SIGTERM');
    expect([(await result).code, child.signalCode]).toEqual([143, null]);
  });
});

/** A start of the service on an old Node: the launcher, and the service below it. */
async function startOnOldNode() {
  const database = await testDatabase(emptyDatabase);
  const launcher = await startServiceProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info', ...OLD });
  onTestFinished(() => void launcher.child.kill('SIGKILL'));
  await launcher.ready();
  const [child = 0] = await childrenOf(launcher.child.pid ?? 0);
  onTestFinished(() => void (isAlive(child) && process.kill(child, 'SIGKILL')));
  return { launcher, child };
}

describe('formhost start', () => {
  it('becomes the service, with the settings of its memory', async () => {
    const database = await testDatabase(emptyDatabase);
    const { child, ready, stop } = await startServiceProcess({ DATABASE_URL: database.url });
    onTestFinished(() => void child.kill('SIGKILL'));
    await ready();
    const read = (name: string) => readFile(`/proc/${child.pid}/${name}`, 'utf8');
    const [command = '', ...args] = (await read('cmdline')).split('\0');
    expect([command, args[0]]).toEqual([process.execPath, '--max-semi-space-size=8']);
    expect((await read('environ')).split('\0')).toContain('MALLOC_MMAP_THRESHOLD_=131072');
    expect((await stop()).code).toBe(0);
  });

  it('on an old Node passes SIGTERM on, and ends with the exit code of the service', async () => {
    const { launcher, child } = await startOnOldNode();
    const environment = await readFile(`/proc/${child}/environ`, 'utf8');
    expect(environment.split('\0')).toContain('MALLOC_MMAP_THRESHOLD_=131072');
    const { code, stderr } = await launcher.stop();
    expect([code, isAlive(child)]).toEqual([0, false]);
    expect(stderr).toContain('"msg":"stopped"');
  });

  it('on an old Node ends by the signal that has ended the service', async () => {
    const { launcher, child } = await startOnOldNode();
    process.kill(child, 'SIGKILL');
    await launcher.result;
    expect([launcher.child.exitCode, launcher.child.signalCode]).toEqual([null, 'SIGKILL']);
  });

  it('on an old Node leaves no service behind when it is killed', async () => {
    const { launcher, child } = await startOnOldNode();
    let log = '';
    launcher.child.stderr.on('data', (text) => {
      log += text;
    });
    const ended = once(launcher.child, 'exit');
    launcher.child.kill('SIGKILL');
    await ended;
    await soon(() => expect(isAlive(child)).toBe(false));
    // It has stopped in order.
    expect(log).toContain('"msg":"stopped"');
  });

  it('on Windows says where the service runs', async () => {
    expect(await startFormhost(['start'], { settings: WINDOWS }).result).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^formhost: the service needs Linux or macOS: .*\n$/),
    });
  });
});
