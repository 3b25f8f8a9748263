import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import request from 'supertest';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pathWithNode } from '../support/another-node.ts';
import { freePort, PROJECT, startProgram, startServiceProcess } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { asOwner } from '../support/test-service.ts';

/* The package as `npm install formhost` leaves it in an empty folder, and its program, called by npx. */

const shell = promisify(execFile);

const IS_ROOT = process.geteuid?.() === 0;
const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const USERS = [{ user: 'the user of the tests', as: [] }, ...(IS_ROOT ? [{ user: 'nobody', as: AS_NOBODY }] : [])];

/** The folder in which the package is installed. */
const installed = await emptyFolder();
let packed: string[];

beforeAll(async () => {
  const pack = ['pack', '--json', '--loglevel=silent', '--pack-destination', installed];
  const { stdout } = await shell('npm', pack, { cwd: PROJECT, maxBuffer: 10_000_000 });
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  packed = files.map(({ path }: { path: string }) => path);
  await chmod(installed, 0o755);
  // Otherwise npm would install it into a folder above that has one.
  await writeFile(join(installed, 'package.json'), '{}');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(installed, filename)];
  await shell('npm', install, { cwd: installed });
});

it('has what runs, and neither sources nor tests', () => {
  const folders = new Set(packed.map((path) => path.replace(/^((?:dist|src)\/\w+|docs).*/, '$1')));
  expect([...folders].toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'bin/formhost.js',
    'bin/program.js',
    'dist/dashboard',
    'dist/service',
    'docs',
    'package.json',
    'skills/formhost/SKILL.md',
    'src/http',
  ]);
  expect(packed.filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
});

it('runs with the Node that npm has installed where the first node of the PATH is old', async () => {
  const PATH = await pathWithNode({ version: '20.0.0' });
  const program = join(installed, 'node_modules/.bin/formhost');
  expect(await startProgram(program, ['--version'], { PATH }).result).toEqual({
    code: 0,
    stdout: '0.1.0\n',
    stderr: '',
  });
});

describe.each(USERS)('formhost start, as $user', ({ as: asUser }) => {
  it('keeps its data in the current folder, where the commands find it', async () => {
    const cwd = await emptyFolder();
    await shell('cp', ['-al', join(installed, 'node_modules'), cwd]);
    const HOME = join(cwd, 'home');
    await mkdir(HOME);
    if (asUser.length > 0) await shell('chown', ['65534:65534', cwd, HOME]);
    const settings = { HOME, CI: 'true', PORT: String(await freePort()) };
    const command = ['npx', 'formhost', 'start'];
    async function start() {
      const started = await startServiceProcess(settings, asUser, { command, cwd });
      onTestFinished(() => void started.child.kill());
      await started.ready();
      return started;
    }
    const formhost = async (args: readonly string[], account = {}): Promise<string> => {
      const program = startProgram('env', [...asUser, 'npx', 'formhost', ...args], { ...settings, ...account }, cwd);
      const { code, stdout, stderr } = await program.result;
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
      return stdout.trim();
    };

    const first = await start();
    const key = await formhost(['admin', 'keys', 'create', '--email', 'ada@example.com']);
    await writeFile(
      join(cwd, 'page.html'),
      '<title>Hello</title><form method="post" action="{{FORM_ACTION}}"><input name="name"><button>Send</button></form>',
    );
    const account = { FORMHOST_URL: first.url, FORMHOST_KEY: key };
    expect(await formhost(['deploy', 'page.html'], account)).toBe(`http://hello.localhost:${settings.PORT}`);
    const owner = asOwner(first.url, key);
    const { body: list } = await owner.get('/deploy').expect(200);
    const [{ id }] = list.deployments;
    await request(first.url).post(`/submit/${id}`).type('form').send({ name: 'Ada' }).expect(200);
    // The signal goes to npx alone, which ends at once. Its outputs are closed when the service has ended too.
    const { stdout, stderr } = await first.stop();
    expect(stderr).toContain('"msg":"stopped"');
    expect(stdout).toContain(`, with its data in ${cwd}/formhost-data.\n`);
    expect(stdout).toMatch(/\n\nhttp:\S+\/session\/mail\/\w{43}\n$/);

    const second = await start();
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.submissions).toMatchObject([{ data: { name: 'Ada' } }]);
    for (const path of [
      '/dashboard',
      '/docs',
      '/docs/guides/forms',
      '/docs/swagger-ui.css',
      '/llms.txt',
      '/skill.md',
    ]) {
      expect([path, (await request(second.url).get(path)).status]).toEqual([path, 200]);
    }
    expect((await second.stop()).stderr).toContain('"msg":"stopped"');
  });
});
