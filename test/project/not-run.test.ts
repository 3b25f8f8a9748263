import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';

const run = promisify(execFile);
const NO_ENGINE =
  'test/compose/run: there is no engine: neither docker with its compose plugin nor podman with podman-compose';

/** Programs that test/compose/run needs. There is no engine unless the test writes one. */
const PROGRAMS =
  'bash cat chmod curl cut dirname git grep mkdir mktemp openssl rm sed seq sleep stat tail tar timeout touch';

async function programs(): Promise<string> {
  const folder = await emptyFolder();
  const { stdout } = await run('bash', ['-c', `command -v ${PROGRAMS}`]);
  for (const file of stdout.trim().split('\n')) await symlink(file, join(folder, basename(file)));
  return folder;
}

function start(env: Record<string, string>) {
  const child = spawn(join(PROJECT, 'test/compose/run'), { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const result = once(child, 'close').then(async () => ({ code: child.exitCode, stderr: (await written)[1] }));
  return { child, result };
}

it('test/compose/run says that it was not run where there is no engine, and fails where all has to be run', async () => {
  const [PATH, list] = [await programs(), join(await emptyFolder(), 'list')];
  await expect(start({ PATH, NOT_RUN: list }).result).resolves.toEqual({ code: 0, stderr: `NOT RUN: ${NO_ENGINE}\n` });
  await expect(readFile(list, 'utf8')).resolves.toBe(`${NO_ENGINE}\n`);
  await expect(start({ PATH, REQUIRE_ALL: '1' }).result).resolves.toMatchObject({ code: 1 });
});

it('test/compose/run ends with the status of its work, although nothing of what it removes is there', async () => {
  const [PATH, TMPDIR] = [await programs(), await emptyFolder()];
  // It waits in the first `up`, and has no container, volume or image to remove.
  const docker = `#!${join(PATH, 'bash')}
    case "$*" in
      rm\\ *|rmi\\ *|volume\\ *|network\\ *) exit 1 ;;
      compose\\ *up\\ *) touch ${TMPDIR}/is-up; while [ ! -e ${TMPDIR}/may-end ]; do sleep 0.01; done; exit 1 ;;
    esac`;
  await writeFile(join(PATH, 'docker'), docker, { mode: 0o755 });
  const { child, result } = start({ PATH, TMPDIR });
  await vi.waitFor(() => expect(existsSync(join(TMPDIR, 'is-up'))).toBe(true), { timeout: 60_000 });
  child.kill('SIGTERM');
  await writeFile(join(TMPDIR, 'may-end'), '');
  await expect(result).resolves.toMatchObject({ code: 130 });
  await expect(readdir(TMPDIR)).resolves.toEqual(expect.arrayContaining(['is-up', 'may-end']));
  await expect(readdir(TMPDIR)).resolves.toHaveLength(2);
});

it('the workflow for pull requests fails when something was not run', async () => {
  const { jobs, on } = parse(await readFile(join(PROJECT, '.github/workflows/ci.yml'), 'utf8'));
  expect(Object.keys(on)).toContain('pull_request');
  expect(jobs.check.steps).toContainEqual({ run: '.ci/run', env: { REQUIRE_ALL: '1' } });
});
